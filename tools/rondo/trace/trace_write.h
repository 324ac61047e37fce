/* What a trace can be made into. Each writer returns false, with errno set, if the file
 * could not be written. */
#ifndef RONDO_TOOL_TRACE_WRITE_H
#define RONDO_TOOL_TRACE_WRITE_H

#include "trace_model.h"

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

/* What the summary is written with: a time in `text`, of TIME_SIZE; whether an event is a
 * callback or the like; the turn it is in, or NULL; "on_read (tcp 7)". */
enum { TIME_SIZE = 32 };
const char* time_text(char* text, uint64_t ns);
bool is_work(const struct event* event);
const struct event* turn_of(const struct trace_loop* loop, const struct event* event);
void write_who(FILE* out, const struct trace_loop* loop, const struct event* event);
/* How late its timers were, if it had any; trace_timers.c. */
void write_lateness(FILE* out, const struct trace_loop* loop);

/* What it waited for when it slept last; trace_waits.c. */
void write_waits(FILE* out, const struct trace_loop* loop);

/* A string of JSON, in ASCII, with its quotes. No '<' in it, so that it can stand in a
 * page. */
void write_string(FILE* out, const char* text);

#endif
