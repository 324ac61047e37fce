/* Names of callbacks: see sim_story_list.h. A callback is known by what it is about (a
 * timer, a file request), by the function that was called, as `rondo trace` names it, and
 * by how often the same came before. */
#include "sim_story_list.h"

#include "base/base.h"
#include "trace_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ITEMS_MOST = 1000 };

/* --- what a callback is called ------------------------------------------------------ */

/* The place at the end of a function's name, "/app/a.js:4"; NULL if there is none, or it
 * is one of Node's own. */
static const char* story_place(const char* name) {
  const char* space = strrchr(name, ' ');
  const char* place = space == NULL ? name : space + 1;
  const char* colon = strrchr(place, ':');
  bool is_line = colon != NULL && colon > place && colon[1] != '\0' &&
                 strspn(colon + 1, "0123456789") == strlen(colon + 1);
  return is_line && strncmp(place, "node:", 5) != 0 ? place : NULL;
}

static const char* story_short_place(const char* place) {
  char folder[4096];
  if (getcwd(folder, sizeof(folder)) == NULL)
    return place;
  size_t length = strlen(folder);
  bool is_inside = strncmp(place, folder, length) == 0 && place[length] == '/';
  return is_inside ? place + length + 1 : place;
}

/* The function's place, and its name if it has one. In a program of scripts the names of
 * C functions mean nothing to its author. */
static void story_function(const char* name, bool in_scripts, char* text, size_t size) {
  const char* place = story_place(name);
  if (place == NULL) {
    snprintf(text, size, "%.200s", in_scripts ? "" : name);
    return;
  }
  int length = place == name ? 0 : (int) (place - name - 1);
  bool has_name = length > 0 && strncmp(name, "(anonymous)", 11) != 0;
  snprintf(text, size, "%.*s%s%s", has_name ? (length > 100 ? 100 : length) : 0, name,
           has_name ? ", " : "", story_short_place(place));
}

static bool story_is(const char* subject, const char* kind) {
  size_t length = strlen(kind);
  return strncmp(subject, kind, length) == 0 &&
         (subject[length] == '\0' || subject[length] == ' ');
}

/* The subject's text; `subject` is as in "fs_stat 3". */
static void story_subject(const char* subject, bool in_scripts, char* text, size_t size) {
  static const struct {
    const char* kind;
    const char* words;
  } kinds[] = {
      {"timer", "the timer"},
      {"timeout", "the timer"},
      {"immediate", "the immediate"},
      {"getaddrinfo", "the answer of a look-up"},
      {"getnameinfo", "the answer of a look-up"},
      {"work", "the end of work in the pool"},
      {"process", "the end of a child"},
      {"connect", "the end of a connect"},
      {"write", "the end of a write"},
      {"shutdown", "the end of a shutdown"},
      {"async", "a send to an async handle"},
      {"signal", "a signal"},
  };
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
    if (story_is(subject, kinds[i].kind)) {
      snprintf(text, size, "%s", kinds[i].words);
      return;
    }
  }
  if (strncmp(subject, "fs_", 3) == 0)
    snprintf(text, size, "the answer of %s%.*s", in_scripts ? "fs." : "uv_fs_",
             (int) kind_length(subject) - 3, subject + 3);
  else
    snprintf(text, size, "an event of %.60s", subject);
}

static bool story_is_plumbing(const char* subject) {
  static const char* const kinds[] = {"timer", "async", "poll", "signal", "", NULL};
  for (size_t i = 0; kinds[i] != NULL; i++) {
    if (story_is(subject, kinds[i]))
      return true;
  }
  return false;
}

static bool story_is_turning(const char* subject) {
  return story_is(subject, "prepare") || story_is(subject, "check") ||
         story_is(subject, "idle");
}

/* --- the callbacks of a loop -------------------------------------------------------- */

static const char* story_subject_of(const struct trace_loop* loop,
                                    const struct event* event) {
  return event->subject == EVENT_NONE ? "" : loop->subjects[event->subject];
}

/* Requests that overtake each other keep their numbers. */
static unsigned int story_begun(const struct trace_loop* loop, const struct event* event,
                                const char* subject) {
  size_t length = kind_length(subject);
  unsigned int number = 0;
  for (int32_t i = 0; i <= event->cause; i++) {
    int32_t other = loop->causes[i].subject;
    if (other == EVENT_NONE)
      continue;
    const char* name = loop->subjects[other];
    number += kind_length(name) == length && memcmp(name, subject, length) == 0;
  }
  return number;
}

/* Ticks and microtasks behind a callback, and work of Node's and our own scripts for
 * themselves, are no events of the program's. */
static bool story_is_behind(const char* name) {
  return strncmp(name, "microtasks of ", 14) == 0 ||
         strncmp(name, "~Node's own ", 12) == 0 ||
         strncmp(name, "~a port of ", 11) == 0 || strstr(name, "/rondo-sim.js:") != NULL;
}

static void story_add(struct story_list* list, const struct trace_loop* loop,
                      const struct event* event, const struct event* outer) {
  const char* subject = story_subject_of(loop, event);
  if (subject[0] == '\0' || story_is(subject, "function"))
    subject = story_subject_of(loop, outer);
  bool in_scripts = list->in_scripts;
  const char* name = event->name == EVENT_NONE ? "" : loop->names[event->name];
  char function[PHRASE_SIZE / 2];
  char about[PHRASE_SIZE / 4];
  char phrase[PHRASE_SIZE];
  bool is_described = name[0] == '~'; /* by rondo-sim.js: says what it is about */
  bool is_script = is_described || story_place(name) != NULL;
  if (is_script && story_is(subject, "check"))
    subject = "immediate"; /* Node calls them from one check handle */
  if (story_is_turning(subject) || story_is_behind(name) || list->count >= ITEMS_MOST)
    return;
  story_function(name, in_scripts, function, sizeof(function));
  story_subject(subject, in_scripts, about, sizeof(about));
  bool is_timer = strcmp(about, "the timer") == 0;
  /* Work of the engine itself, with handles of its own. */
  if (in_scripts && !is_script && event == outer && story_is_plumbing(subject))
    return;
  if (is_described) {
    bool is_event = strncmp(name + 1, "a ", 2) == 0 ||
                    strncmp(name + 1, "the end", 7) == 0 ||
                    strncmp(name + 1, "what ", 5) == 0;
    snprintf(phrase, sizeof(phrase), "%s%s", is_event ? "" : "an event of ", name + 1);
  } else if (function[0] == '\0')
    snprintf(phrase, sizeof(phrase), "%s", is_timer ? "a timer" : about);
  else if (is_timer)
    snprintf(phrase, sizeof(phrase), "%s of %s", about, function);
  else
    snprintf(phrase, sizeof(phrase), "%s (%s)", about, function);
  /* Node enters the program more than once for one event, in ticks of their own. */
  if (is_described && list->last == outer &&
      strcmp(list->items[list->count - 1].phrase, phrase) == 0)
    return;
  list->last = outer;
  unsigned int nth = 1;
  for (size_t i = 0; i < list->count; i++)
    nth += strcmp(list->items[i].phrase, phrase) == 0;
  list->items =
      array_grow(list->items, list->count, &list->capacity, sizeof(*list->items));
  list->items[list->count++] =
      (struct story_item){.phrase = text_copy(phrase, strlen(phrase)),
                          .nth = nth,
                          .at = loop->start_ns + event->start,
                          .has_place = is_script,
                          .begun = outer->cause == EVENT_NONE || is_described
                                       ? nth
                                       : story_begun(loop, outer, subject)};
  if (strncmp(subject, "fs_", 3) == 0)
    snprintf(list->items[list->count - 1].operation, sizeof(list->items[0].operation),
             "%.*s", (int) kind_length(subject) - 3, subject + 3);
}

static bool story_is_call(const struct event* event) {
  return event->kind == EVENT_CALLBACK || event->kind == EVENT_SCRIPT;
}

/* Whether it is known what of the program's it is. */
static bool story_is_named(const struct trace_loop* loop, const struct event* event) {
  const char* name = event->name == EVENT_NONE ? "" : loop->names[event->name];
  return !story_is_behind(name) && (name[0] == '~' || story_place(name) != NULL);
}

void story_list_loop(struct story_list* list, const struct trace_loop* loop) {
  for (size_t i = 0; i < loop->event_count; i++) {
    const struct event* event = &loop->events[i];
    const char* name = event->name == EVENT_NONE ? "" : loop->names[event->name];
    list->in_scripts |= event->kind == EVENT_SCRIPT || story_place(name) != NULL ||
                        strncmp(name, "node::", 6) == 0;
  }
  for (size_t i = 0; i < loop->event_count; i++) {
    const struct event* event = &loop->events[i];
    bool has_inner = false, has_named = false;
    if (event->kind != EVENT_CALLBACK ||
        (event->parent != EVENT_NONE && story_is_call(&loop->events[event->parent])))
      continue;
    for (size_t k = i + 1; k < loop->event_count; k++) {
      const struct event* inner = &loop->events[k];
      if (inner->start > event->start + event->duration)
        break;
      has_named |= inner->parent == (int32_t) i && story_is_call(inner) &&
                   story_is_named(loop, inner);
    }
    for (size_t k = i + 1; k < loop->event_count; k++) {
      const struct event* inner = &loop->events[k];
      if (inner->start > event->start + event->duration)
        break;
      if (inner->parent != (int32_t) i || !story_is_call(inner) ||
          (has_named && !story_is_named(loop, inner)))
        continue;
      const char* name = inner->name == EVENT_NONE ? "" : loop->names[inner->name];
      has_inner |= !story_is_behind(name);
      story_add(list, loop, inner, event);
    }
    if (!has_inner)
      story_add(list, loop, event, event);
  }
}

void story_free(struct story_list* list) {
  for (size_t i = 0; i < list->count; i++)
    free(list->items[i].phrase);
  free(list->items);
}

void story_write(const struct story_item* item, char* text, size_t size) {
  static const char* const ends[] = {"th", "st", "nd", "rd"};
  unsigned int last = item->nth % 100 > 10 && item->nth % 100 < 14 ? 0 : item->nth % 10;
  const char* end = ends[last < ARRAY_LENGTH(ends) ? last : 0];
  if (item->nth == 1)
    snprintf(text, size, "%s", item->phrase);
  else
    snprintf(text, size, "%s, the %u%s of these,", item->phrase, item->nth, end);
}
