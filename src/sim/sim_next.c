/* The choice of what comes next, in a systematic search (docs/orders.md): wherever more
 * than one thing could, the choice itself is the decision.
 *
 * A poll serves one thing: finished work of the pool, a ready descriptor, or a send to an
 * async handle. Whatever else is there comes in a later poll; or in the same one, which
 * is asked only if something would come between the two (an immediate, a close callback,
 * a timer that is due). Instead of all of these the loop's next timer may come first, and
 * what other threads and processes do. A poll that doesn't wait may find nothing yet.
 *
 * What was passed over for a timer, or for the rest of the turn, is asleep until a
 * callback has run: served before, it would come in the order that another choice gives.
 */
#include "sim/sim_next.h"
#include "sim/sim_work.h"

#include "backend/backend.h"
#include "backend/interest.h"
#include "backend/wait_mask.h"
#include "base/base.h"
#include "loop/timer_heap.h"
#include "loop/watcher.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MILLISECOND UINT64_C(1000000)

enum {
  CANDIDATES_MOST = 24,
  ALTERNATIVES_MOST = 2 * CANDIDATES_MOST + 2,
  TIMERS_MOST = 4,
  NOTHINGS_MOST = 4,
  WORDS_SIZE = 420,
};

/* A script or a callback that takes longer isn't tried, nor a wake-up that is so late. */
static const uint64_t COMPUTES_MOST = 20 * MILLISECOND;
static const uint64_t COMPUTES_IN_ALL = 200 * MILLISECOND;
/* How long others are let go first, while the clock stands nearly still. */
static const uint64_t OTHERS_NS = 1000;
enum next_kind { NEXT_WORK, NEXT_EVENT, NEXT_ASYNC };

struct next_candidate {
  enum next_kind kind;
  struct sim_mark* mark;
  struct sim_work* work;
  int fd;
  struct sim_held* held;
};

struct next_list {
  struct next_candidate items[CANDIDATES_MOST];
  unsigned int count;
  unsigned int asleep; /* others, that are */
};

/* --- what could come ---------------------------------------------------------------- */

void sim_next_mark(const uv_loop_t* loop, struct sim_mark* mark) {
  struct sim_state* sim = sim_of(loop);
  /* A candidate that the first look of a poll finds was there when the poll began. */
  bool was_there = sim->seen_turn != loop->turns && loop->turns > 0;
  *mark = (struct sim_mark){.arrival = ++sim->arrivals,
                            .turn = was_there ? loop->turns - 1 : loop->turns};
}

static void list_add(const uv_loop_t* loop, struct next_list* list,
                     struct next_candidate candidate) {
  struct sim_state* sim = sim_of(loop);
  if (sim->asked_at != loop->callbacks_run && world_now(sim->world) >= sim->passed_until)
    candidate.mark->is_asleep = false;
  if (candidate.mark->is_asleep) {
    list->asleep++;
    return;
  }
  if (list->count == CANDIDATES_MOST) {
    world_cut(sim->world);
    return;
  }
  unsigned int at = list->count++;
  for (; at > 0 && list->items[at - 1].mark->arrival > candidate.mark->arrival; at--)
    list->items[at] = list->items[at - 1];
  list->items[at] = candidate;
}

/* Whether the descriptor is ready still: somebody may have read from it since. */
static bool event_is_there(const uv_loop_t* loop, int fd) {
  const uv__io_t* w = loop->slots[fd].watcher;
  short wanted = 0;
  if (watcher_wants(w, WATCH_IN))
    wanted |= POLLIN;
  if (watcher_wants(w, WATCH_OUT))
    wanted |= POLLOUT;
  if (watcher_wants(w, WATCH_PRI))
    wanted |= POLLPRI;
  struct pollfd look = {.fd = fd, .events = wanted};
  return poll(&look, 1, 0) != 0;
}

static void list_make(uv_loop_t* loop, struct next_list* list) {
  struct sim_state* sim = sim_of(loop);
  struct sim_work* works[CANDIDATES_MOST];
  size_t count = sim_work_list(sim, works, CANDIDATES_MOST);
  list->count = list->asleep = 0;
  for (size_t i = 0; i < count; i++)
    list_add(loop, list,
             (struct next_candidate){
                 .kind = NEXT_WORK, .mark = &works[i]->mark, .work = works[i]});
  for (size_t fd = 0; fd < sim->source_count; fd++) {
    if (sim_ready_is_held(loop, (int) fd) && event_is_there(loop, (int) fd))
      list_add(loop, list,
               (struct next_candidate){
                   .kind = NEXT_EVENT, .mark = &sim->sources[fd].mark, .fd = (int) fd});
  }
  for (size_t i = 0; i < sim->held_count; i++) {
    if (sim->held[i].until == WORLD_NEVER)
      list_add(loop, list,
               (struct next_candidate){.kind = NEXT_ASYNC,
                                       .mark = &sim->held[i].mark,
                                       .held = &sim->held[i]});
  }
}

static void all_asleep(const uv_loop_t* loop, struct next_list* list) {
  for (unsigned int i = 0; i < list->count; i++)
    list->items[i].mark->is_asleep = true;
  sim_of(loop)->asked_at = loop->callbacks_run;
}

/* A candidate that was passed over stays late unless another choice is made: it goes
 * behind all that come later, since most races take one slow thing among fast ones. */
static void list_make_late(struct next_list* list, unsigned int count) {
  const uint64_t late = UINT64_C(1) << 62;
  for (unsigned int i = 0; i < count; i++)
    list->items[i].mark->arrival |= late;
}

/* Keeps only the candidates that were there when this poll began and may follow what the
 * poll has served: finished work comes together. */
static void list_keep_same_poll(const uv_loop_t* loop, struct next_list* list) {
  unsigned int kept = 0;
  for (unsigned int i = 0; i < list->count; i++) {
    const struct next_candidate* item = &list->items[i];
    bool is_too_late = item->kind == NEXT_WORK && sim_of(loop)->works_are_over;
    if (item->mark->turn < loop->turns && !is_too_late)
      list->items[kept++] = *item;
  }
  list->count = kept;
}

/* --- words -------------------------------------------------------------------------- */

/* A late event's words, without the last ones. */
static void event_words(const uv_loop_t* loop, int fd, char* words, size_t size) {
  static const char* const ends[] = {" is noticed late", " is reported late",
                                     " is accepted late"};
  const struct sim_source* source = &sim_of(loop)->sources[fd];
  sim_source_words(loop, loop->slots[fd].watcher, EPOLLIN, source, words, size);
  for (size_t i = 0; i < ARRAY_LENGTH(ends); i++) {
    char* end = strstr(words, ends[i]);
    if (end != NULL)
      *end = '\0';
  }
}

static void candidate_words(const uv_loop_t* loop, const struct next_candidate* item,
                            char* words, size_t size) {
  if (item->kind == NEXT_WORK)
    sim_work_words(item->work, words, size);
  else if (item->kind == NEXT_EVENT)
    event_words(loop, item->fd, words, size);
  else
    snprintf(words, size, "a send to async handle %u", (unsigned int) item->held->number);
}

/* --- a question --------------------------------------------------------------------- */

struct next_question {
  const uv_loop_t* loop;
  unsigned int count;
  char text[ALTERNATIVES_MOST][WORDS_SIZE];
};

static char* question_add(struct next_question* question) {
  char* text = question->text[question->count++];
  text[0] = '\0';
  return text;
}

static void question_add_list(struct next_question* question,
                              const struct next_list* list) {
  for (unsigned int i = 0; i < list->count; i++)
    candidate_words(question->loop, &list->items[i], question_add(question), WORDS_SIZE);
}

static unsigned int question_ask(const struct next_question* question, const char* kind) {
  struct world* world = sim_of(question->loop)->world;
  const char* words[ALTERNATIVES_MOST];
  char place[WORLD_PATH + 16];
  char path[WORLD_PATH];
  if (question->count < 2)
    return 0;
  for (unsigned int i = 0; i < question->count; i++)
    words[i] = question->text[i];
  world_own_path(world, path);
  snprintf(place, sizeof(place), "%s/%u", path, sim_of(question->loop)->number);
  return world_choose(world, kind, place, words, question->count);
}

/* --- time --------------------------------------------------------------------------- */

/* The due times, in nanoseconds, of timers that come later, not so late that no
 * computation takes so long; ascending. */
static unsigned int later_timers(const uv_loop_t* loop, uint64_t now, uint64_t* due) {
  unsigned int count = 0;
  for (unsigned int i = 0; i < loop->timer_count; i++) {
    uint64_t at = loop->timers[i].due_us * 1000;
    if (at <= now || at - now > COMPUTES_MOST ||
        sim_next_timer_is_engines(loop->timers[i].handle))
      continue;
    unsigned int place = 0;
    while (place < count && due[place] < at)
      place++;
    if ((place < count && due[place] == at) || place == TIMERS_MOST)
      continue;
    count += count < TIMERS_MOST;
    for (unsigned int k = count - 1; k > place; k--)
      due[k] = due[k - 1];
    due[place] = at;
  }
  return count;
}

static void time_pass(uv_loop_t* loop, uint64_t until) {
  struct world* world = sim_of(loop)->world;
  struct pollfd none[1];
  while (world_now(world) < until)
    (void) world_wait(world, none, 0, until, NULL);
}

/* Asks how many of the timers that come later are due as well, because what ran took so
 * long, or because the loop woke up so late. */
static void timers_pass(uv_loop_t* loop, const char* what) {
  struct world* world = sim_of(loop)->world;
  struct next_question question = {.loop = loop};
  uint64_t now = world_now(world), due[TIMERS_MOST];
  unsigned int count = later_timers(loop, now, due);
  if (count == 0 || sim_is_engines_loop(loop))
    return;
  snprintf(question_add(&question), WORDS_SIZE, "%s takes no time", what);
  for (unsigned int i = 0; i < count; i++) {
    if (world->computed + (due[i] - now) <= COMPUTES_IN_ALL)
      snprintf(question_add(&question), WORDS_SIZE, "%s takes longer than %.4g ms", what,
               (double) (due[i] - now) / (double) MILLISECOND);
    else
      world_cut(world);
  }
  unsigned int chosen = question_ask(&question, "time");
  if (chosen == 0)
    return;
  uint64_t length = due[chosen - 1] - now;
  __atomic_add_fetch(&world->computed, length, __ATOMIC_RELAXED);
  (void) world_late_take(world, length, true);
  time_pass(loop, due[chosen - 1]);
}

/* --- what isn't asked --------------------------------------------------------------- */

/* Two things depend on how late something was, and are not tried: of timers that the loop
 * doesn't know, as Node keeps them, a late one may have come together with the one
 * before, ahead of what that has begun; and a timer that an answer has begun comes behind
 * another one if the answer came later. Then the search can't say that these are all. */
static void note_unasked(const uv_loop_t* loop) {
  struct sim_state* sim = sim_of(loop);
  uint64_t due = sim_next_due(loop), now = world_now(sim->world);
  bool is_close = due > now && due != WORLD_NEVER && due - now <= COMPUTES_MOST;
  bool has_fired = sim->next_timer != 0 && sim->next_timer <= now;
  if (has_fired && is_close && loop->timer_count == 1 && sim_next_between(loop))
    world_cut(sim->world);
  bool is_earlier = due < sim->next_timer && sim->next_timer != WORLD_NEVER;
  if (sim->has_served && is_earlier && sim->next_timer > now)
    world_cut(sim->world);
  sim->next_timer = due;
  sim->has_served = false;
}

/* --- serving ------------------------------------------------------------------------ */

static void serve(uv_loop_t* loop, const struct next_candidate* item) {
  struct sim_state* sim = sim_of(loop);
  sim->served_turn = loop->turns;
  sim->has_served = true;
  sim->nothings = 0;
  if (item->kind == NEXT_WORK) {
    sim_work_serve(loop, item->work);
    return;
  }
  sim->works_are_over = true;
  if (item->kind == NEXT_EVENT) {
    sim_ready_serve(loop, item->fd);
    return;
  }
  item->held->until = 0; /* its time has come */
  loop_wake(loop, WAKE_ASYNC);
}

/* Matters only if something would run before the first of those timers, or a timer is due
 * already, with which they would be due. */
void sim_next_compute(uv_loop_t* loop, const char* what) {
  uint64_t now = world_now(sim_of(loop)->world);
  bool is_one_due = loop->timer_count > 0 && loop->timers[0].due_us * 1000 <= now;
  if (is_one_due || sim_next_between(loop))
    timers_pass(loop, what);
}

bool sim_next_goes_on(uv_loop_t* loop) {
  struct sim_state* sim = sim_of(loop);
  struct next_question question = {.loop = loop};
  struct next_list list;
  if (!sim_is_systematic(sim) || sim->served_turn != loop->turns ||
      sim_is_engines_loop(loop) || !sim_next_between(loop))
    return false;
  list_make(loop, &list);
  list_keep_same_poll(loop, &list);
  if (list.count == 0)
    return false;
  snprintf(question_add(&question), WORDS_SIZE, "the rest of the turn");
  question_add_list(&question, &list);
  unsigned int chosen = question_ask(&question, "poll");
  if (chosen == 0)
    return false;
  sim->has_picked = true;
  sim->picked = list.items[chosen - 1].mark;
  return true;
}

/* --- the wait ----------------------------------------------------------------------- */

/* Looks without sleeping: returns how many events of the set are not held back;
 * `has_news` is true if anything at all is to be served. */
static int next_look(uv_loop_t* loop, int max, bool* has_news) {
  struct sim_state* sim = sim_of(loop);
  const struct epoll_event* found;
  if (sim->left_alone > 0)
    sim_work_collect(loop);
  sim_work_fill_slots(loop);
  sim_events_run(loop);
  if (world_has_strangers(sim->world))
    world_yield(sim->world);
  loop->flags |= LOOP_MUST_LOOK;
  int count = sim->inner->wait(loop, 0, &found, max);
  count = sim_ready_filter(loop, found, count, sim->events);
  *has_news =
      count > 0 || wake_has_news(loop) || !queue_empty(queue_of(loop->completed_queue));
  return count;
}

static void serve_picked(uv_loop_t* loop) {
  struct sim_state* sim = sim_of(loop);
  struct next_list list;
  if (!sim->has_picked)
    return;
  sim->has_picked = false;
  list_make(loop, &list);
  for (unsigned int i = 0; i < list.count; i++) {
    if (list.items[i].mark == sim->picked) {
      serve(loop, &list.items[i]);
      return;
    }
  }
}

/* Sleeps in the world; false after a signal. */
static bool next_sleep(uv_loop_t* loop, uint64_t until) {
  struct sim_state* sim = sim_of(loop);
  int64_t most = sim->inner->flush(loop, -1);
  uint64_t now = world_now(sim->world);
  if (sim->heap.count > 0)
    until = u64_min(until, sim->heap.events[0].at);
  if (most >= 0)
    until = u64_min(until, u64_add_clamped(now, (uint64_t) most));
  struct pollfd fds[2] = {{.fd = loop->backend_fd, .events = POLLIN}};
  sigset_t storage;
  return world_wait(sim->world, fds, 1, until, wait_mask_of(loop, &storage)) >= 0;
}

/* Adds, for work whose effect meets another's, that it is done now and reported later.
 * `kept` says which of the list. */
static unsigned int question_add_kept(struct next_question* question,
                                      const struct next_list* list, unsigned int* kept) {
  unsigned int count = 0;
  for (unsigned int i = 0; i < list->count; i++) {
    const struct sim_work* work = list->items[i].work;
    bool meets = false;
    for (unsigned int k = 0; k < list->count && list->items[i].kind == NEXT_WORK; k++)
      meets |= k != i && list->items[k].kind == NEXT_WORK && !work->is_kept_back &&
               !list->items[k].work->is_kept_back &&
               sim_work_meets(work, list->items[k].work);
    if (!meets)
      continue;
    kept[count++] = i;
    char* text = question_add(question);
    sim_work_words(work, text, WORDS_SIZE - 40);
    size_t used = strlen(text);
    snprintf(text + used, WORDS_SIZE - used, " is done, and reported later");
  }
  return count;
}

enum next_step { STEP_SERVED, STEP_AGAIN, STEP_OVER };

/* Asks in a poll that doesn't wait. */
static enum next_step ask_at_once(uv_loop_t* loop, struct next_list* list) {
  struct sim_state* sim = sim_of(loop);
  struct next_question question = {.loop = loop};
  unsigned int kept[CANDIDATES_MOST];
  if (list->count == 0)
    return STEP_OVER;
  question_add_list(&question, list);
  unsigned int kept_count = question_add_kept(&question, list, kept);
  if (sim->nothings < NOTHINGS_MOST)
    snprintf(question_add(&question), WORDS_SIZE, "the rest of the turn");
  else
    world_cut(sim->world);
  unsigned int chosen = question_ask(&question, "next");
  if (chosen < list->count) {
    list_make_late(list, chosen);
    serve(loop, &list->items[chosen]);
    return STEP_SERVED;
  }
  chosen -= list->count;
  if (chosen < kept_count) {
    list->items[kept[chosen]].mark->is_asleep = true;
    sim->asked_at = loop->callbacks_run;
    sim_work_keep_back(loop, list->items[kept[chosen]].work);
    return STEP_AGAIN;
  }
  sim->nothings++;
  all_asleep(loop, list);
  return STEP_OVER;
}

/* Asks in a poll that may sleep. */
static enum next_step ask(uv_loop_t* loop, struct next_list* list, uint64_t deadline) {
  struct sim_state* sim = sim_of(loop);
  struct next_question question = {.loop = loop};
  unsigned int kept[CANDIDATES_MOST];
  uint64_t now = world_now(sim->world);
  question_add_list(&question, list);
  unsigned int kept_count = question_add_kept(&question, list, kept);
  uint64_t due = sim_next_due(loop);
  bool timer = sim_next_timer_may_come(loop, due);
  bool others =
      sim->yielded_at != loop->callbacks_run + 1 && sim_next_has_others(sim->world);
  if (timer)
    snprintf(question_add(&question), WORDS_SIZE, "the loop's next timer, in %.4g ms",
             (double) (due - now) / (double) MILLISECOND);
  if (others)
    snprintf(question_add(&question), WORDS_SIZE, "what other threads and processes do");
  unsigned int chosen = question_ask(&question, "next");
  if (chosen < list->count) {
    list_make_late(list, chosen);
    serve(loop, &list->items[chosen]);
    return STEP_SERVED;
  }
  chosen -= list->count;
  if (chosen < kept_count) {
    list->items[kept[chosen]].mark->is_asleep = true;
    sim->asked_at = loop->callbacks_run;
    sim_work_keep_back(loop, list->items[kept[chosen]].work);
    return STEP_AGAIN;
  }
  if (chosen - kept_count == 0 && timer) {
    (void) world_late_take(sim->world, due - now, true);
    sim->passed_until = due;
    list_make_late(list, list->count);
    all_asleep(loop, list);
    return STEP_AGAIN;
  }
  sim->yielded_at = loop->callbacks_run + 1;
  return next_sleep(loop, u64_min(deadline, now + OTHERS_NS)) ? STEP_AGAIN : STEP_OVER;
}

/* Everything was passed over and nothing else will come: asks again. */
static void wake_all(const uv_loop_t* loop) {
  sim_of(loop)->asked_at = loop->callbacks_run + 1;
}

int sim_next_wait(uv_loop_t* loop, uint64_t deadline, bool may_sleep, int max) {
  struct sim_state* sim = sim_of(loop);
  struct next_list list;
  bool has_news;
  bool is_same_poll = sim->seen_turn == loop->turns && sim->served_turn == loop->turns;
  if (!is_same_poll) {
    sim->works_are_over = false;
    note_unasked(loop);
  }
  serve_picked(loop);
  for (;;) {
    int count = next_look(loop, max, &has_news);
    sim->seen_turn = loop->turns;
    bool is_served =
        !queue_empty(queue_of(loop->completed_queue)) || sim->served_turn == loop->turns;
    if (has_news && (may_sleep || is_served))
      return count;
    list_make(loop, &list);
    if (!may_sleep) {
      if (has_news && list.count == 0)
        return count;
      enum next_step step = ask_at_once(loop, &list);
      if (step == STEP_OVER)
        return next_look(loop, max, &has_news);
      continue;
    }
    if (world_now(sim->world) >= deadline) {
      timers_pass(loop, "the wake-up");
      return 0;
    }
    if (list.count > 0) {
      if (ask(loop, &list, deadline) == STEP_OVER)
        return 0;
      continue;
    }
    if (list.asleep > 0 && deadline == WORLD_NEVER && !sim_next_has_others(sim->world)) {
      wake_all(loop);
      continue;
    }
    if (!next_sleep(loop, deadline))
      return 0;
  }
}
