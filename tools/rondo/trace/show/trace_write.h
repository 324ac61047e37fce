/* The outputs of a trace. Each function returns false, with errno set, if the file could
 * not be written. */
#ifndef RONDO_TOOL_TRACE_WRITE_H
#define RONDO_TOOL_TRACE_WRITE_H

#include "trace_model.h"
#include "trace_words.h"

#include <stdio.h>

/* The picture: one page that contains everything, also its data. */
bool write_picture(FILE* out, const struct trace* trace);
void write_model(FILE* out, const struct trace* trace);
/* Its overview of a loop between two times since `origin`; trace_strip.c. */
void write_strip(FILE* out, const struct trace_loop* loop, uint64_t origin,
                 uint64_t begin, uint64_t end);
/* How many events of a trace a picture shows at most; a browser has its limits. */
enum { PICTURE_EVENTS = 1000000 };

/* Copies a recording, with the functions' names in place of their offsets, so that it can
 * be read without the program; `seen_ns`: when its process was last seen. */
bool trace_copy(FILE* out, const char* path, const struct trace_process* process,
                uint64_t seen_ns);
bool trace_copy_from(FILE* out, FILE* in, const struct trace_process* process,
                     uint64_t seen_ns);

/* Chrome's trace events, for Perfetto and chrome://tracing. */
bool write_events(FILE* out, const struct trace* trace);

/* A summary to read; with `turns`, every turn. */
bool write_text(FILE* out, const struct trace* trace, bool turns);

/* Parts of the summary: how late the loop's timers were, if it had any (trace_timers.c),
 * and what it waited for when it last slept (trace_waits.c). */
void write_lateness(FILE* out, const struct trace_loop* loop);
/* Data that waited to be read; trace_arrivals.c. */
void write_late_data(FILE* out, const struct facts* facts);
void write_waits(FILE* out, const struct trace_loop* loop);
/* The summary of a loop that was looked at from outside; trace_sampled.c. */
void write_sampled(FILE* out, const struct facts* facts);

/* Writes which callbacks got slower from one trace to the other. */
bool write_comparison(FILE* out, const struct trace* before, const struct trace* after);

/* Writes a JSON string, in ASCII, with its quotes and without '<', so that it can be part
 * of a page. */
void write_string(FILE* out, const char* text);

#endif
