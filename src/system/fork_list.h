/* The C library's list of fork handlers, read where it lies. glibc keeps it to itself, in
 * its own data, as an array with a small header. Two marks of ours, registered one after
 * the other, show where it is and how long an entry is; the header must then agree. Every
 * registration is in that list, whichever way it was made. Where it isn't found (another
 * C library, another layout) nothing is known. */
#ifndef RONDO_SYSTEM_FORK_LIST_H
#define RONDO_SYSTEM_FORK_LIST_H

#include <stdbool.h>

typedef void (*fork_handler)(void);

/* Registers handlers of the library's own, which fork_list_search passes over. */
void fork_list_add(fork_handler prepare, fork_handler parent, fork_handler child);

enum fork_list_answer { FORK_LIST_UNKNOWN, FORK_LIST_NONE, FORK_LIST_FOUND };

/* Asks `matters` about every function in the list that isn't the library's own, until it
 * says true. */
enum fork_list_answer fork_list_search(bool (*matters)(const void* function));

#endif
