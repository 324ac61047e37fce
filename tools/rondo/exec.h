/* `rondo exec`: argv[0] is "exec". Returns an exit code if it returns at all. The
 * functions after it are its parts, for the other commands. */
#ifndef RONDO_TOOL_EXEC_H
#define RONDO_TOOL_EXEC_H

#include <stdbool.h>

int exec_main(int argc, char** argv);

/* Sets the backend of loops in the program that is started next, unless it is NULL. False
 * without memory. */
bool exec_set_backend(const char* name);

/* Makes the program that is started next report which libuv it has. False without memory.
 */
bool exec_set_verbose(void);

/* Sets the environment up for exec_look. False if that can't be done, which has been
 * reported. */
bool exec_prepare_look(void);

/* Makes the loader prefer Rondo's library in the program that is started next, and adopt
 * a libuv that is built into it; reports if the program won't use Rondo. False if that
 * can't be set up, which has been reported. */
bool exec_prepare(const char* program);

/* As exec_prepare for a program in a simulation, with virtual clocks. `script`: the
 * program is Rondo's own runtime, which needs no other library. */
bool exec_prepare_sim(const char* program, bool script);

/* Makes the program that is started next report the names of its functions to the
 * recorder, if it is a Node (node/), a Neovim or a Python with uvloop (names/). Returns
 * the arguments to start it with, which may be those given. exec_names.c. */
char** exec_name_functions(char** argv);

/* Makes Rondo's runtime, or a Node, that is started next in a simulation report which
 * line its requests come from. */
void exec_report_origins(void);

/* Makes a Node that is started next report what is in its queues, to `rondo step`. */
void exec_report_queues(void);

/* Stores the path of this command's own file in `path`, of PATH_MAX bytes; false if it
 * can't be found. exec_place.c. */
bool exec_find_self(char* path);
/* Stores the library's folder in `directory`, of PATH_MAX bytes; false if it can't be
 * found. */
bool exec_find_library(char* directory);

/* Puts a value in front of an environment variable's value. False without memory. */
bool exec_prepend(const char* variable, const char* first, const char* separator);

/* Whether exec_become would find a program of that name. */
bool exec_finds(const char* name);

/* Turns this process into the program. Returns an exit code if that failed. */
int exec_become(char** argv);

#endif
