/* The names that records refer to by number. A function's name is asked for only once:
 * the file that it was loaded from and its place in it are written down then, and the
 * reader finds what it is called. A recording has a table of all names, behind its lock;
 * each loop's recorder has one of those that it has used, which needs none. */
#ifndef RONDO_TRACE_NAMES_H
#define RONDO_TRACE_NAMES_H

#include "trace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_stream;

struct trace_name {
  uint64_t key; /* a function's address, or a text's hash; 0: a free place */
  uint32_t number;
};

struct trace_names {
  struct trace_name* table;
  size_t capacity; /* a power of two */
  uint32_t count;
  uint32_t last; /* number that was given out; for the recording's table */
};

/* 0 if it isn't there. */
uint32_t names_find(const struct trace_names* names, uint64_t key);
/* Room for one more; false if there is none. names_add needs it. */
bool names_reserve(struct trace_names* names);
void names_add(struct trace_names* names, uint64_t key, uint32_t number);
void names_free(struct trace_names* names);

/* Through `known`, the names of this stream's owner. 0 if there is no memory or no room:
 * it stays without a name. */
uint32_t name_of_function(struct trace_names* known, struct trace_stream* stream,
                          trace_function function);
uint32_t name_of_text(struct trace_names* known, struct trace_stream* stream,
                      const char* text);
/* Of the code at an address inside a function, which may be generated code. */
uint32_t name_of_frame(struct trace_names* known, struct trace_stream* stream,
                       uintptr_t address);

#endif
