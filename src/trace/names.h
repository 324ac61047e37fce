/* The names that records refer to by number. A function is looked up only once: the file
 * that it was loaded from and its offset in that file are recorded then, and the reader
 * finds its name. A recording has a table of all names, protected by a lock; each loop's
 * recorder has a table of the names that it has used, which needs no lock. */
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
  uint32_t last; /* the last number given out; for the recording's table */
};

/* 0 if the key isn't in the table. */
uint32_t names_find(const struct trace_names* names, uint64_t key);
/* Makes room for one more, as names_add requires; false if there is none. */
bool names_reserve(struct trace_names* names);
void names_add(struct trace_names* names, uint64_t key, uint32_t number);
void names_free(struct trace_names* names);

/* The number of a name, cached in `known`, the table of this stream's owner. 0 if there
 * is no memory or no room: then the record has no name. */
uint32_t name_of_function(struct trace_names* known, struct trace_stream* stream,
                          trace_function function);
uint32_t name_of_text(struct trace_names* known, struct trace_stream* stream,
                      const char* text);
/* The same for a text whose key was computed before. */
uint64_t name_key_of_text(const char* text);
uint32_t name_of_known_text(struct trace_names* known, struct trace_stream* stream,
                            const char* text, uint64_t key);
/* The name of the code at an address inside a function, which may be generated code. */
uint32_t name_of_frame(struct trace_names* known, struct trace_stream* stream,
                       uintptr_t address);

#endif
