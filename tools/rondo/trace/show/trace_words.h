/* Facts as sentences, the same in the summary and in the picture. Control characters in
 * texts of a recording are made harmless for a terminal. */
#ifndef RONDO_TOOL_TRACE_WORDS_H
#define RONDO_TOOL_TRACE_WORDS_H

#include "trace_facts.h"

#include <stdio.h>

/* Writes a time into `text`, of TIME_SIZE bytes. */
enum { TIME_SIZE = 32 };
const char* time_text(char* text, uint64_t ns);

void write_plain(FILE* out, const char* text);
/* Writes a name, cut to `most` where names differ least: the folders of a place in a
 * script, then the middle. */
void write_cut(FILE* out, const char* name, size_t most);
void write_short(FILE* out, const char* name);
/* The text without the folders of each place in a script, to be freed. */
char* without_folders(const char* name);
/* "on_read (tcp 7)" */
void write_who(FILE* out, const struct trace_loop* loop, const struct event* event);
/* The same by the function of the program's own language that it calls, if one is known:
 * "onRead server.js:7 (tcp 7)". */
void write_who_named(FILE* out, const struct trace_loop* loop, const struct event* event);

/* Node's name of the object that was called back, such as "PBKDF2Job"; NULL: not known.
 */
const char* node_kind_of(const struct trace_loop* loop, const struct event* event);
/* Whether a function of the program's was called in it. */
bool event_calls_program(const struct trace_loop* loop, const struct event* event);
/* "fs_stat" */
void write_request_kind(FILE* out, const struct cause* cause);

/* Writes who held the loop up and where, after "held up 12 ms ": "by on_read (tcp 7), in
 * turn 9". */
void write_held(FILE* out, const struct trace_loop* loop, const struct stretch* stretch);
/* Writes what took most of it: "on_read (tcp 7), called 3 times". */
void write_taker(FILE* out, const struct trace_loop* loop, const struct stretch* stretch);
/* By which name that is known there. */
const char* taker_name(const struct trace_loop* loop, const struct stretch* stretch);
/* Writes what took a stretch beside the program's own code, if it matters: how much was
 * garbage collection, and the thread's processor time: "; 4 ms of it garbage collection;
 * of that 6.8 ms on the …". `waits`: what it waited for, "in open", or NULL. */
void write_cpu(FILE* out, const struct cpu_share* cpu, uint64_t length,
               uint64_t collected, const char* waits);
/* Writes how much of a stretch the program was stopped, if it matters; returns that. */
uint64_t write_stopped_part(FILE* out, const struct trace_loop* loop, uint64_t from,
                            uint64_t to);
/* The second of both alone; `brief`: only why, not how much. */
void write_processor_time(FILE* out, const struct cpu_share* cpu, uint64_t length,
                          uint64_t collected, const char* waits, bool brief);
/* What the thread waited for in a stretch, as its samples show. */
const char* stretch_waits(const struct trace_loop* loop, const struct stretch* stretch);
/* "half of the time not at all, …" */
void write_waits_of(FILE* out, const struct facts* facts);
/* The sentences for a loop that was looked at from outside; trace_sampled.c. */
void write_sampled_waits(FILE* out, const struct trace_loop* loop);
/* "1 turn, asleep since", of a loop that has done next to nothing else. */
void write_sleeper(FILE* out, const struct facts* facts);
/* Writes "begun by …, waited 12 ms for a thread, 3 ms on it, 40 ms for the loop"; nothing
 * if that isn't known. */
void write_cause(FILE* out, const struct trace_loop* loop, const struct event* event);
/* Writes where the loop's thread was while the stretch's taker ran, by the sampled
 * stacks, on a line of its own, if there are any; trace_samples.c. */
void write_hot_path(FILE* out, const struct trace_loop* loop,
                    const struct stretch* stretch);
/* Writes whose data waited to be read, and behind what: "on_read (tcp 7) 127.0.0.1:80 -
 * …; held up by …"; trace_arrivals.c. */
void write_late(FILE* out, const struct trace_loop* loop, const struct late_data* late);
/* Writes a handle that keeps the loop alive: "tcp 1, fd 12, 127.0.0.1:80". */
void write_alive_name(FILE* out, const struct trace_loop* loop,
                      const struct alive* alive);
/* The same, and its descriptor and addresses. */
void write_alive(FILE* out, const struct trace_loop* loop, const struct alive* alive);

#endif
