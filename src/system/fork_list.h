/* The C library's list of fork handlers, read in place. glibc keeps it private, in its
 * own data, as an array with a small header. Two marks, registered one after the other,
 * show where the array is and how long an entry is; the header must then agree. The list
 * has every registration, however it was made. Where the list isn't found (another C
 * library, another layout) nothing is known. */
#ifndef RONDO_SYSTEM_FORK_LIST_H
#define RONDO_SYSTEM_FORK_LIST_H

#include <stdbool.h>

typedef void (*fork_handler)(void);

/* Registers handlers of the library itself, which fork_list_search skips. */
void fork_list_add(fork_handler prepare, fork_handler parent, fork_handler child);

enum fork_list_answer { FORK_LIST_UNKNOWN, FORK_LIST_NONE, FORK_LIST_FOUND };

/* Calls `matters` for every function in the list that isn't the library's own, until it
 * returns true. */
enum fork_list_answer fork_list_search(bool (*matters)(const void* function));

#endif
