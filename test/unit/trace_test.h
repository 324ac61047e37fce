/* What the recorder's tests share: a folder for recordings, reading them back, and what
 * must hold of every trace. */
#ifndef RONDO_TRACE_TEST_H
#define RONDO_TRACE_TEST_H

#include "loop_test.h"
#include "trace_model.h"

#include <sys/stat.h>

static char folder[64];

static inline int folder_setup(void** state) {
  (void) state;
  snprintf(folder, sizeof(folder), "/tmp/rondo-test-XXXXXX");
  log_text[0] = '\0';
  unsetenv("RONDO_TRACE"); /* loops are recorded when a test says so */
  unsetenv("RONDO_TRACE_LIMIT");
  return mkdtemp(folder) == NULL ? -1 : 0;
}

static inline int folder_teardown(void** state) {
  (void) state;
  DIR* directory = opendir(folder);
  const struct dirent* entry;
  while (directory != NULL && (entry = readdir(directory)) != NULL)
    unlinkat(dirfd(directory), entry->d_name, 0);
  if (directory != NULL)
    closedir(directory);
  return rmdir(folder);
}

#define trace_test(name)                                                                 \
  cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)

static inline const char* path_of(const char* name) {
  static char path[512];
  snprintf(path, sizeof(path), "%s/%.400s", folder, name);
  return path;
}

static inline int files_in_folder(void) {
  int count = 0;
  DIR* directory = opendir(folder);
  const struct dirent* entry;
  while ((entry = readdir(directory)) != NULL)
    count += entry->d_name[0] != '.';
  closedir(directory);
  return count;
}

/* Sorted by start, parents first; spans lie in their parents. */
static inline void assert_sound(const struct trace_loop* loop) {
  for (size_t i = 0; i < loop->event_count; i++) {
    const struct event* event = &loop->events[i];
    assert_true(event->kind < EVENT_KINDS);
    assert_true(event->name < (int) loop->name_count);
    assert_true(event->subject < (int) loop->subject_count);
    assert_true(event->start + event->duration <= loop->end_ns);
    if (i > 0)
      assert_true(event->start >= event[-1].start);
    if (event->parent == EVENT_NONE)
      continue;
    assert_true(event->parent < (int) i);
    const struct event* parent = &loop->events[event->parent];
    assert_true(event->start >= parent->start);
    assert_true(event->start + event->duration <= parent->start + parent->duration);
    if (event_is_phase(event->kind))
      assert_int_equal(parent->kind, EVENT_TURN);
  }
}

/* Contract P1. In every turn there is a poll, and sleeps are in there. */
static inline void assert_phases_in_order(const struct trace_loop* loop) {
  for (size_t i = 0; i < loop->event_count; i++) {
    if (loop->events[i].kind == EVENT_SLEEP)
      assert_int_equal(loop->events[loop->events[i].parent].kind, EVENT_POLL);
    if (loop->events[i].kind != EVENT_TURN)
      continue;
    unsigned int last = 0;
    int polls = 0;
    for (size_t j = i + 1; j < loop->event_count; j++) {
      const struct event* event = &loop->events[j];
      if (event->start > loop->events[i].start + loop->events[i].duration)
        break;
      if (event->parent != (int) i || !event_is_phase(event->kind))
        continue;
      assert_true(event->kind > last);
      last = event->kind;
      polls += event->kind == EVENT_POLL;
    }
    assert_int_equal(polls, 1);
  }
}

/* Reads a recording of one loop. */
static inline struct trace_loop* read_back(struct trace* trace, const char* path) {
  *trace = (struct trace){0};
  const char* problem = trace_read(trace, path);
  if (problem != NULL)
    fail_msg("%s %s", path, problem);
  assert_int_equal(trace->count, 1);
  assert_sound(&trace->loops[0]);
  return &trace->loops[0];
}

static inline const char* name_of(const struct trace_loop* loop,
                                  const struct event* event) {
  return event->name == EVENT_NONE ? "" : loop->names[event->name];
}

static inline const char* subject_of(const struct trace_loop* loop,
                                     const struct event* event) {
  return event->subject == EVENT_NONE ? "" : loop->subjects[event->subject];
}

/* Logs events as words: phases and callbacks by their names. A sleep that was
 * interrupted, and so goes on, is one. */
static inline void log_events(const struct trace_loop* loop) {
  for (size_t i = 0; i < loop->event_count; i++) {
    const struct event* event = &loop->events[i];
    if (i > 0 && event->kind == EVENT_SLEEP && event[-1].kind == EVENT_SLEEP)
      continue;
    /* A busy machine may have left the program waiting before the recording ended. */
    if (event->kind == EVENT_OUTSIDE && (event->detail & OUTSIDE_ENDING) != 0)
      continue;
    bool named = event->kind == EVENT_CALLBACK || event->kind == EVENT_SCRIPT;
    log_word(named && event->name != EVENT_NONE ? name_of(loop, event)
                                                : event_names[event->kind]);
  }
}

static inline const struct event* find_callback(const struct trace_loop* loop,
                                                const char* name) {
  for (size_t i = 0; i < loop->event_count; i++) {
    if (loop->events[i].kind == EVENT_CALLBACK &&
        strcmp(name_of(loop, &loop->events[i]), name) == 0)
      return &loop->events[i];
  }
  return NULL;
}

static inline size_t count_events(const struct trace_loop* loop, unsigned int kind) {
  size_t count = 0;
  for (size_t i = 0; i < loop->event_count; i++)
    count += loop->events[i].kind == kind;
  return count;
}

#endif
