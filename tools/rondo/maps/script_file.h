/* Scripts on the disk, as far as their source maps go: where a function of a bundle was
 * written, and how it was called there. A script is read when the first of its functions
 * is asked for, by whoever reads a recording, and kept for the next ones; it never is by
 * the program that was recorded. */
#ifndef RONDO_TOOL_SCRIPT_FILE_H
#define RONDO_TOOL_SCRIPT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function as the engine knows it. */
struct script_function {
  const char* name; /* need not end behind its length */
  size_t name_length;
  uint32_t line, column; /* where it is defined, from 1; column 0: it isn't known */
};

/* Where it was written; both texts are to be freed. */
struct script_origin {
  char* name; /* NULL: as the engine has it */
  char* path;
  uint32_t line;
};

/* `path`: an absolute one. `loaded_ns`: when the program began, on the wall clock, or 0:
 * a script that has changed since then isn't the one that runs. False: there is no map,
 * or it doesn't know. */
bool script_origin_find(const char* path, size_t path_length, uint64_t loaded_ns,
                        const struct script_function* function,
                        struct script_origin* origin);

/* The fault of a map that wasn't used, once for each: "/app/x.js.map: it isn't a source
 * map, …"; NULL: nothing more. */
const char* script_problem_next(void);

#endif
