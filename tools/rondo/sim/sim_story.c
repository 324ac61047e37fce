/* Compares the order of callbacks in two recordings (rondo trace): the first callback of
 * the failing run that comes after one which it precedes in the passing run.
 *
 * A callback is known by what it is about (a timer, a file request), by the function that
 * was called, as `rondo trace` names it, and by how often the same came before. A file
 * request that the schedule delays is called as in its decision, with path and line. */
#include "sim_story.h"

#include "trace_facts.h"
#include "trace_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ITEMS_MOST = 1000, PHRASE_SIZE = 400 };

struct story_item {
  char* phrase;
  char operation[24]; /* of files, as in "stat"; or "" */
  bool has_place;     /* is in a script */
  unsigned int nth;   /* among those with this phrase */
  unsigned int begun; /* of the requests of its kind, in the order in which they began;
                         otherwise the same as nth */
};

struct story_list {
  struct story_item* items;
  size_t count, capacity;
  bool in_scripts; /* some of the functions are a script's */
};

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

/* What follows a callback, and what Node's and our own scripts do for themselves, is no
 * event of the program's. */
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
    bool is_event = strncmp(name + 1, "a ", 2) == 0 || strncmp(name + 1, "the ", 4) == 0;
    snprintf(phrase, sizeof(phrase), "%s%s", is_event ? "" : "an event of ", name + 1);
  } else if (function[0] == '\0')
    snprintf(phrase, sizeof(phrase), "%s", is_timer ? "a timer" : about);
  else if (is_timer)
    snprintf(phrase, sizeof(phrase), "%s of %s", about, function);
  else
    snprintf(phrase, sizeof(phrase), "%s (%s)", about, function);
  unsigned int nth = 1;
  for (size_t i = 0; i < list->count; i++)
    nth += strcmp(list->items[i].phrase, phrase) == 0;
  list->items =
      array_grow(list->items, list->count, &list->capacity, sizeof(*list->items));
  list->items[list->count++] =
      (struct story_item){.phrase = text_copy(phrase, strlen(phrase)),
                          .nth = nth,
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

/* Lists a callback, or the functions of a script that it calls. */
static void story_list_loop(struct story_list* list, const struct trace_loop* loop) {
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

static void story_free(struct story_list* list) {
  for (size_t i = 0; i < list->count; i++)
    free(list->items[i].phrase);
  free(list->items);
}

/* --- which two change places -------------------------------------------------------- */

static const size_t NOWHERE = (size_t) -1;

static bool story_same(const struct story_item* one, const struct story_item* other) {
  return one->begun == other->begun && strcmp(one->phrase, other->phrase) == 0;
}

static size_t story_find(const struct story_list* list, const struct story_item* item) {
  for (size_t i = 0; i < list->count; i++) {
    if (story_same(&list->items[i], item))
      return i;
  }
  return NOWHERE;
}

/* "the answer of fs.stat (a.js:4)", "the answer of fs.stat (a.js:4), the 2nd of these" */
static void story_write(const struct story_item* item, char* text, size_t size) {
  const char* end = item->nth == 2 ? "nd" : item->nth == 3 ? "rd" : "th";
  if (item->nth == 1)
    snprintf(text, size, "%s", item->phrase);
  else
    snprintf(text, size, "%s, the %u%s of these,", item->phrase, item->nth, end);
}

/* "stat '/app/cache' (server.js:41) is done late": the part before " is done", if there
 * is only one decision about this operation. */
static bool story_decided(const struct sim_run* run, const struct story_item* item,
                          char* text, size_t size) {
  const char* found = NULL;
  size_t length = strlen(item->operation);
  unsigned int count = 0;
  for (size_t i = 0; i < run->decision_count && length > 0; i++) {
    const char* words = run->decisions[i].words;
    if (strncmp(words, item->operation, length) != 0 || words[length] != ' ')
      continue;
    found = words;
    count++;
  }
  const char* end = count == 1 ? strstr(found, " is done ") : NULL;
  if (end != NULL)
    snprintf(text, size, "the answer of %.*s", (int) (end - found), found);
  return end != NULL;
}

static char* story_join(const char* one, const struct story_item* early) {
  char other[PHRASE_SIZE + 40];
  char text[2 * PHRASE_SIZE + 120];
  story_write(early, other, sizeof(other));
  size_t length = strlen(other);
  if (length > 0 && other[length - 1] == ',')
    other[length - 1] = '\0';
  snprintf(text, sizeof(text), "%s comes after %s", one, other);
  return text_copy(text, strlen(text));
}

/* NULL in a program of scripts if both are called alike, or one has no name. */
static char* story_sentence(const struct sim_run* run, const struct story_item* late,
                            const struct story_item* early, bool in_scripts) {
  char one[PHRASE_SIZE + 40];
  bool is_decided = story_decided(run, late, one, sizeof(one));
  bool is_vague = !early->has_place || !(is_decided || late->has_place) ||
                  strcmp(late->phrase, early->phrase) == 0;
  if (in_scripts && is_vague)
    return NULL;
  if (!is_decided)
    story_write(late, one, sizeof(one));
  return story_join(one, early);
}

/* Whether something that precedes this item in the passing run comes after it in the
 * failing run, or never. */
static bool story_overtakes(const struct story_list* passing,
                            const struct story_list* failing, size_t at) {
  size_t place = story_find(passing, &failing->items[at]);
  for (size_t i = 0; i < place && i < passing->count; i++) {
    size_t other = story_find(failing, &passing->items[i]);
    if (passing->items[i].has_place && (other == NOWHERE || other > at))
      return true;
  }
  return false;
}

/* "in child 3: the connect" becomes "the connect, in child 3,". */
static void story_say_process(char* late, size_t size) {
  char whole[PHRASE_SIZE];
  const char* rest = strncmp(late, "in child ", 9) == 0 ? strstr(late, ": ") : NULL;
  if (rest == NULL)
    return;
  snprintf(whole, sizeof(whole), "%s, %.*s,", rest + 2, (int) (rest - late), late);
  snprintf(late, size, "%s", whole);
}

/* The last thing that a script's own function did in a run, from `at` on; NULL if none.
 */
static const struct story_item* story_last(const struct story_list* list, size_t at) {
  for (size_t i = list->count; i-- > at;) {
    if (list->items[i].has_place)
      return &list->items[i];
  }
  return NULL;
}

/* "the connect of TCP connection 1 is reported late", if that is the only decision:
 * without it the two runs are alike up to that connect, so it is what comes next in the
 * passing run, and what comes next in the failing run precedes it there. If possible that
 * is one of a script's own functions. NULL if the decision is about something else. */
static char* story_of_one_event(const struct sim_run* run,
                                const struct story_list* passing,
                                const struct story_list* failing) {
  static const char* const ends[] = {" is noticed late", " is reported late",
                                     " is accepted late"};
  const char* words = run->decision_count == 1 ? run->decisions[0].words : "";
  char late[PHRASE_SIZE] = "";
  size_t at = 0;
  for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
    const char* end = strstr(words, ends[i]);
    if (end != NULL && end[strlen(ends[i])] == '\0')
      snprintf(late, sizeof(late), "%.*s", (int) (end - words), words);
  }
  while (at < passing->count && at < failing->count &&
         story_same(&passing->items[at], &failing->items[at]))
    at++;
  if (late[0] == '\0' || at == passing->count || at == failing->count)
    return NULL;
  story_say_process(late, sizeof(late));
  /* The last of what came instead, before the late event or the run's end: there the
   * program goes wrong. */
  size_t place = story_find(failing, &passing->items[at]);
  for (size_t i = place == NOWHERE ? failing->count : place; i-- > at;) {
    if (failing->items[i].has_place && story_overtakes(passing, failing, i))
      return story_join(late, &failing->items[i]);
  }
  for (size_t i = at;
       i < failing->count && !story_same(&failing->items[i], &passing->items[at]); i++) {
    if (failing->items[i].has_place)
      return story_join(late, &failing->items[i]);
  }
  return story_join(late, &failing->items[at]);
}

/* The item that precedes `late` in the failing run and follows it in the passing run: the
 * first of a script's own functions, or else the first of all. NULL if there is none. */
static const struct story_item* story_overtaker(const struct story_list* passing,
                                                const struct story_list* failing,
                                                const struct story_item* late) {
  const struct story_item* found = NULL;
  size_t place = story_find(passing, late);
  if (place == NOWHERE)
    return NULL;
  for (const struct story_item* item = failing->items; item < late; item++) {
    size_t other = story_find(passing, item);
    if (other == NOWHERE || other < place)
      continue;
    if (item->has_place)
      return item;
    if (found == NULL)
      found = item;
  }
  return found;
}

static size_t story_count(const struct story_list* list, const char* operation) {
  size_t count = 0;
  for (size_t i = 0; i < list->count; i++)
    count += strcmp(list->items[i].operation, operation) == 0;
  return count;
}

/* The only decision is about a file, and the run ends before that answer comes, for one
 * is missing: it fails in the last thing that it did. NULL if that isn't so. */
static char* story_of_one_answer(const struct sim_run* run,
                                 const struct story_list* passing,
                                 const struct story_list* failing) {
  char late[PHRASE_SIZE];
  const struct story_item* last = story_last(failing, 0);
  for (size_t i = 0; i < passing->count && run->decision_count == 1 && last != NULL;
       i++) {
    const struct story_item* item = &passing->items[i];
    if (!story_decided(run, item, late, sizeof(late)))
      continue;
    bool is_missing =
        story_count(failing, item->operation) < story_count(passing, item->operation);
    return is_missing ? story_join(late, last) : NULL;
  }
  return NULL;
}

/* Chooses two callbacks that occur in both runs, if possible with an operation that the
 * schedule delays as the later one; otherwise the next callback of each run from where
 * the runs differ: one of the two comes later, or never. */
static char* story_compare(const struct sim_run* run, const struct story_list* passing,
                           const struct story_list* failing) {
  char* story = story_of_one_answer(run, passing, failing);
  if (story != NULL)
    return story;
  for (int any = 0; any < 2; any++) {
    for (size_t i = 0; i < failing->count; i++) {
      const struct story_item* late = &failing->items[i];
      char words[PHRASE_SIZE];
      if (!any && !story_decided(run, late, words, sizeof(words)))
        continue;
      const struct story_item* early = story_overtaker(passing, failing, late);
      if (early != NULL)
        story = story_sentence(run, late, early, failing->in_scripts);
      if (story != NULL)
        return story;
    }
  }
  for (size_t i = 0; i < failing->count && i < passing->count; i++) {
    if (!story_same(&failing->items[i], &passing->items[i]))
      return story_sentence(run, &passing->items[i], &failing->items[i],
                            failing->in_scripts);
  }
  return NULL;
}

/* "the main script takes longer than 1 ms", if that is the only decision: it is the
 * reason for the two that change places. */
static char* story_because(const struct sim_run* run, char* story) {
  const char* words = run->decision_count == 1 ? run->decisions[0].words : "";
  char text[3 * PHRASE_SIZE];
  if (strstr(words, " takes longer than ") == NULL)
    return story;
  if (story == NULL)
    return text_copy(words, strlen(words));
  snprintf(text, sizeof(text), "%s: %s", words, story);
  free(story);
  return text_copy(text, strlen(text));
}

char* sim_story(const struct sim_run* run, const char* passing_path,
                const char* failing_path) {
  struct trace passing = {0}, failing = {0};
  char* story = NULL;
  if (trace_read(&passing, passing_path) == NULL &&
      trace_read(&failing, failing_path) == NULL) {
    trace_sort(&passing);
    trace_sort(&failing);
    size_t loops = passing.count < failing.count ? passing.count : failing.count;
    for (size_t i = 0; loops > 0 && i < 2 * loops && story == NULL; i++) {
      struct story_list one = {0}, other = {0};
      story_list_loop(&one, &passing.loops[i % loops]);
      story_list_loop(&other, &failing.loops[i % loops]);
      story = i < loops ? story_of_one_event(run, &one, &other)
                        : story_compare(run, &one, &other);
      story_free(&one);
      story_free(&other);
    }
  }
  trace_free(&passing);
  trace_free(&failing);
  return story_because(run, story);
}
