/* The names that records refer to by number. A function's name is asked for only once:
 * the file that it was loaded from and its place in it are written down then, and the
 * reader finds what it is called. */
#ifndef RONDO_TRACE_NAMES_H
#define RONDO_TRACE_NAMES_H

#include "trace/trace.h"

#include <stddef.h>

struct recorder;

struct trace_name {
  uint64_t key; /* a function's address, or a text's hash; 0: a free place */
  uint32_t number;
};

struct trace_names {
  struct trace_name* table;
  size_t capacity; /* a power of two */
  uint32_t count;
};

/* 0 if there is no memory or no room for it: it stays without a name. */
uint32_t name_of_function(struct recorder* recorder, trace_function function);
uint32_t name_of_text(struct recorder* recorder, const char* text);
void names_free(struct trace_names* names);

#endif
