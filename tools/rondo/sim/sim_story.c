/* Compares the order of callbacks in two recordings (rondo trace): the first callback of
 * the failing run that comes after one which it precedes in the passing run. A file
 * request that the schedule delays is called as in its decision, with path and line. */
#include "sim_story.h"

#include "sim_story_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The passing run is without this one. NULL if there is none. */
static const struct sim_decision* story_last_decision(const struct sim_run* run) {
  return run->decision_count == 0 ? NULL : &run->decisions[run->decision_count - 1];
}

/* The process that is compared: a decision about another explains nothing there. */
static const char* story_process(const struct sim_run* run) {
  const struct sim_decision* last = story_last_decision(run);
  return last == NULL ? "0" : last->process;
}

/* "in child 3: the connect": the part behind it. */
static const char* story_words(const struct sim_decision* decision) {
  const char* rest = strstr(decision->words, ": ");
  bool is_childs = strncmp(decision->words, "in child ", 9) == 0 && rest != NULL;
  return is_childs ? rest + 2 : decision->words;
}

/* Adds ", in child 3,". */
static void story_say_process(const char* process, char* text, size_t size) {
  size_t used = strlen(text);
  if (strncmp(process, "0.", 2) == 0)
    snprintf(text + used, size - used, ", in child %s,", process + 2);
}

/* "stat '/app/cache' (server.js:41) is done late": the part before " is done", if there
 * is only one decision about this operation. */
static bool story_decided(const struct sim_run* run, const struct story_item* item,
                          char* text, size_t size) {
  const char* found = NULL;
  size_t length = strlen(item->operation);
  unsigned int count = 0;
  for (size_t i = 0; i < run->decision_count && length > 0; i++) {
    const char* words = story_words(&run->decisions[i]);
    if (strncmp(words, item->operation, length) != 0 || words[length] != ' ' ||
        strcmp(run->decisions[i].process, story_process(run)) != 0)
      continue;
    found = words;
    count++;
  }
  const char* end = count == 1 ? strstr(found, " is done ") : NULL;
  if (end == NULL)
    return false;
  snprintf(text, size, "the answer of %.*s", (int) (end - found), found);
  story_say_process(story_process(run), text, size);
  return true;
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

/* The last thing that a script's own function did in a run, from `at` on; NULL if none.
 */
static const struct story_item* story_last(const struct story_list* list, size_t at) {
  for (size_t i = list->count; i-- > at;) {
    if (list->items[i].has_place)
      return &list->items[i];
  }
  return NULL;
}

/* The thing that the last decision makes late, as in "the connect of TCP connection 1";
 * "" if it is about something else. */
static void story_late(const struct sim_run* run, bool of_pool, char* late, size_t size) {
  static const char* const events[] = {" is noticed late", " is reported late",
                                       " is accepted late", NULL};
  static const char* const work[] = {" is done ", NULL};
  const struct sim_decision* last = story_last_decision(run);
  late[0] = '\0';
  if (last == NULL)
    return;
  const char* words = story_words(last);
  for (const char* const* end = of_pool ? work : events; *end != NULL; end++) {
    const char* found = strstr(words, *end);
    if (found == NULL || (!of_pool && found[strlen(*end)] != '\0'))
      continue;
    bool is_request = memchr(words, '\'', (size_t) (found - words)) != NULL ||
                      strstr(words, " of descriptor ") != NULL;
    const char* kind = !of_pool ? "" : is_request ? "the answer of " : "the end of ";
    snprintf(late, size, "%s%.*s", kind, (int) (found - words), words);
    story_say_process(last->process, late, size);
  }
}

/* The two runs are alike up to the event that the last decision makes late: it is what
 * comes next in the passing run, and what comes next in the failing run precedes it
 * there. If possible that is one of a script's own functions. NULL if the decision is
 * about something else. */
static char* story_of_one_event(const struct sim_run* run, bool of_pool,
                                const struct story_list* passing,
                                const struct story_list* failing) {
  char late[PHRASE_SIZE];
  size_t at = 0;
  story_late(run, of_pool, late, sizeof(late));
  while (at < passing->count && at < failing->count &&
         story_same(&passing->items[at], &failing->items[at]))
    at++;
  if (late[0] == '\0' || at == passing->count || at == failing->count)
    return NULL;
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

/* Chooses two callbacks that occur in both runs, of which the later one is an operation
 * that the schedule delays, or any. */
static char* story_of_two(const struct sim_run* run, bool any,
                          const struct story_list* passing,
                          const struct story_list* failing) {
  char* story = NULL;
  for (size_t i = 0; i < failing->count && story == NULL; i++) {
    const struct story_item* late = &failing->items[i];
    char words[PHRASE_SIZE];
    if (!any && !story_decided(run, late, words, sizeof(words)))
      continue;
    const struct story_item* early = story_overtaker(passing, failing, late);
    if (early != NULL)
      story = story_sentence(run, late, early, failing->in_scripts);
  }
  return story;
}

/* The next callback of each run from where the runs differ: one of the two comes later,
 * or never. */
static char* story_of_difference(const struct sim_run* run,
                                 const struct story_list* passing,
                                 const struct story_list* failing) {
  for (size_t i = 0; i < failing->count && i < passing->count; i++) {
    if (!story_same(&failing->items[i], &passing->items[i]))
      return story_sentence(run, &passing->items[i], &failing->items[i],
                            failing->in_scripts);
  }
  return NULL;
}

/* --- between processes -------------------------------------------------------------- */

/* The clock moves by looks alone while somebody works. */
static const uint64_t STORY_AN_INSTANT_NS = 1000 * 1000;

/* The first thing that a script's own function does in this process while the last
 * decision holds something else back: between `from` and `to`. Of what happens at one
 * instant in several processes a timer comes first: the clock moved for it. */
static void story_first_between(const char* path, uint64_t from, uint64_t to,
                                char* phrase, size_t size, uint64_t* best) {
  struct trace trace = {0};
  if (trace_read(&trace, path) == NULL) {
    trace_sort(&trace);
    for (size_t i = 0; i < trace.count; i++) {
      struct story_list list = {0};
      story_list_loop(&list, &trace.loops[i]);
      for (size_t k = 0; k < list.count; k++) {
        const struct story_item* item = &list.items[k];
        bool is_timer = strncmp(item->phrase, "the timer of ", 13) == 0;
        uint64_t rank = item->at - (is_timer ? STORY_AN_INSTANT_NS : 0);
        if (!item->has_place || item->at <= from || item->at >= to || rank >= *best)
          continue;
        *best = rank;
        story_write(item, phrase, size);
      }
      story_free(&list);
    }
  }
  trace_free(&trace);
}

/* A thing that is late in one process is overtaken by something in another: without the
 * decision it would have come when the decision was made. */
static char* story_across(const struct sim_run* run, const struct sim_recording* all,
                          size_t count) {
  char late[PHRASE_SIZE], early[PHRASE_SIZE] = "", text[2 * PHRASE_SIZE + 40];
  const char* process = "";
  uint64_t best = UINT64_MAX;
  story_late(run, false, late, sizeof(late));
  if (late[0] == '\0')
    story_late(run, true, late, sizeof(late));
  if (late[0] == '\0')
    return NULL;
  const struct sim_decision* last = story_last_decision(run);
  uint64_t begun = WORLD_START_NS + last->at;
  for (size_t i = 0; i < count; i++) {
    uint64_t before = best;
    if (strcmp(all[i].process, last->process) == 0)
      continue;
    story_first_between(all[i].path, begun + STORY_AN_INSTANT_NS, begun + last->value,
                        early, sizeof(early), &best);
    if (best != before)
      process = all[i].process;
  }
  if (best == UINT64_MAX)
    return NULL;
  size_t length = strlen(early);
  if (early[length - 1] == ',')
    early[length - 1] = '\0';
  if (strncmp(process, "0.", 2) == 0)
    snprintf(text, sizeof(text), "%s comes after %s, in child %s", late, early,
             process + 2);
  else
    snprintf(text, sizeof(text), "%s comes after %s, in the first process", late, early);
  return text_copy(text, strlen(text));
}

/* --- the sentence ------------------------------------------------------------------- */

/* "the main script takes longer than 1 ms", if that is the last decision: it is the
 * reason for the two that change places. */
static char* story_because(const struct sim_run* run, char* story) {
  const struct sim_decision* last = story_last_decision(run);
  const char* words = last == NULL ? "" : last->words;
  char text[3 * PHRASE_SIZE];
  if (strstr(words, " takes longer than ") == NULL)
    return story;
  if (story == NULL)
    return text_copy(words, strlen(words));
  snprintf(text, sizeof(text), "%s: %s", words, story);
  free(story);
  return text_copy(text, strlen(text));
}

/* A story that names the decision's subject comes first, then what happens between
 * processes, then whatever else differs. */
enum story_way {
  WAY_EVENT,
  WAY_ANSWER,
  WAY_DECIDED,
  WAY_WORK,
  WAY_ACROSS,
  WAY_ANY,
  WAYS
};

static char* story_by(enum story_way way, const struct sim_run* run,
                      const struct story_list* passing,
                      const struct story_list* failing) {
  char* story = NULL;
  switch (way) {
  case WAY_EVENT:
    return story_of_one_event(run, false, passing, failing);
  case WAY_ANSWER:
    return story_of_one_answer(run, passing, failing);
  case WAY_DECIDED:
    return story_of_two(run, false, passing, failing);
  case WAY_WORK:
    return story_of_one_event(run, true, passing, failing);
  default:
    story = story_of_two(run, true, passing, failing);
    return story != NULL ? story : story_of_difference(run, passing, failing);
  }
}

static const char* story_path(const struct sim_recording* all, size_t count,
                              const char* process) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(all[i].process, process) == 0)
      return all[i].path;
  }
  return NULL;
}

char* sim_story(const struct sim_run* run, const struct sim_recordings* passing_runs,
                const struct sim_recordings* failing_runs) {
  struct trace passing = {0}, failing = {0};
  char* story = NULL;
  const char* process = story_process(run);
  const char* passing_path = story_path(passing_runs->all, passing_runs->count, process);
  const char* failing_path = story_path(failing_runs->all, failing_runs->count, process);
  size_t loops = 0;
  if (passing_path != NULL && failing_path != NULL &&
      trace_read(&passing, passing_path) == NULL &&
      trace_read(&failing, failing_path) == NULL) {
    trace_sort(&passing);
    trace_sort(&failing);
    loops = passing.count < failing.count ? passing.count : failing.count;
  }
  for (unsigned int way = 0; way < WAYS && story == NULL; way++) {
    if (way == WAY_ACROSS)
      story = story_across(run, failing_runs->all, failing_runs->count);
    for (size_t i = 0; way != WAY_ACROSS && i < loops && story == NULL; i++) {
      struct story_list one = {0}, other = {0};
      story_list_loop(&one, &passing.loops[i]);
      story_list_loop(&other, &failing.loops[i]);
      story = story_by(way, run, &one, &other);
      story_free(&one);
      story_free(&other);
    }
  }
  trace_free(&passing);
  trace_free(&failing);
  return story_because(run, story);
}
