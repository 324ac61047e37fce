/* Garbage collections on a loop's thread: what they took of it, and as sentences. */
#ifndef RONDO_TOOL_TRACE_COLLECTIONS_H
#define RONDO_TOOL_TRACE_COLLECTIONS_H

#include "trace_facts.h"

#include <stdio.h>

/* Adds what the record describes, which ended at `now`. */
void collections_add(struct trace_loop* loop, uint64_t now,
                     const struct trace_record* record);
/* Keeps those that lie between two times or reach into that. */
void collections_cut(struct trace_loop* loop, uint64_t from, uint64_t to);
/* How long a collector had the loop's thread between two times. */
uint64_t collected_between(const struct trace_loop* loop, uint64_t from, uint64_t to);
/* And at all. */
uint64_t collected_whole(const struct facts* facts);
/* "mark-compact" */
const char* collection_kind(const struct trace_loop* loop,
                            const struct collection* collection);

/* Writes how much of a stretch was garbage collection, if it matters: "; 250 ms of it
 * garbage collection". */
void write_collected(FILE* out, uint64_t collected, uint64_t length);
/* Writes "; garbage collection took 30.0 % of the time". */
void write_collected_share(FILE* out, const struct facts* facts);
/* Whether it was a tenth of the time or more. */
bool collections_matter(const struct facts* facts);
/* Writes "garbage collection took 10.3 s, 93.1 %: mark-compact 41 times, …"; nothing if
 * there was none. */
void write_collections(FILE* out, const struct facts* facts);

#endif
