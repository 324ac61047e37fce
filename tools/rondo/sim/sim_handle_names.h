/* An engine's descriptions of a process's handles (src/sim/sim_described.c). */
#ifndef RONDO_SIM_HANDLE_NAMES_H
#define RONDO_SIM_HANDLE_NAMES_H

#include <stddef.h>

struct sim_names {
  struct sim_name {
    char* id;
    char* words;
  } * names;
  size_t count;
};

/* Of a file that may be missing. */
void sim_names_read(struct sim_names* names, const char* path);
/* Puts the last description of each handle into the words of a decision, which are
 * replaced, or else what the library calls the handle. */
void sim_names_put(const struct sim_names* names, char** words);
void sim_names_free(struct sim_names* names);

#endif
