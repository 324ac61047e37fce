/* What a trace can be made into. Each writer returns false, with errno set, if the file
 * could not be written. */
#ifndef RONDO_TOOL_TRACE_WRITE_H
#define RONDO_TOOL_TRACE_WRITE_H

#include "trace_model.h"
#include "trace_words.h"

#include <stdio.h>

/* The picture: one page that holds everything. What it reads is the model. */
bool write_picture(FILE* out, const struct trace* trace);
void write_model(FILE* out, const struct trace* trace);
/* How many events of a trace a picture shows; a browser has its limits. */
enum { PICTURE_EVENTS = 1000000 };

/* Copies a recording, with the functions' names in place of where they are, so that it
 * can be read when the program is no longer there; `seen_ns`: when its process was last
 * seen. */
bool trace_copy(FILE* out, const char* path, const struct trace_process* process,
                uint64_t seen_ns);

/* Chrome's trace events, for Perfetto and chrome://tracing. */
bool write_events(FILE* out, const struct trace* trace);

/* A summary to read; with `turns`, every turn. */
bool write_text(FILE* out, const struct trace* trace, bool turns);

/* Parts of the summary. How late its timers were, if it had any; trace_timers.c. What it
 * waited for when it slept last; trace_waits.c. */
void write_lateness(FILE* out, const struct trace_loop* loop);
void write_waits(FILE* out, const struct trace_loop* loop);

/* What got slower from one trace to the other, by callback. */
bool write_comparison(FILE* out, const struct trace* before, const struct trace* after);

/* A string of JSON, in ASCII, with its quotes. No '<' in it, so that it can stand in a
 * page. */
void write_string(FILE* out, const char* text);

#endif
