/* The contents of each of the loop's queues, as one JSON object. Read from the loop's own
 * structures on its own thread, so that it is exact. While a phase runs, handles that it
 * hasn't reached stand in a queue of the phase's own; so handles are found by walking all
 * of the loop, and not phase by phase. */
#include "sim/sim_step_state.h"
#include "sim/sim_work.h"

#include "base/alloc.h"
#include "base/base.h"
#include "loop/loop.h"
#include "loop/timer_heap.h"
#include "loop/watcher.h"
#include "request/fs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- handles ------------------------------------------------------------------------ */

static const char* const handle_names[] = {
#define STEP_HANDLE_NAME(upper, lower) [UV_##upper] = #lower,
    UV_HANDLE_TYPE_MAP(STEP_HANDLE_NAME)
#undef STEP_HANDLE_NAME
};

/* The memory of a handle may be that of one which is gone: a new number. */
void step_handle_made(struct sim_state* sim, const uv_handle_t* handle) {
  struct sim_step* step = step_make(sim);
  uint64_t key = step_object_key((uint64_t) (uintptr_t) handle);
  struct step_object* object = step == NULL ? NULL : step_object(step, key);
  if (object == NULL || handle->type >= UV_HANDLE_TYPE_MAX)
    return;
  object->number = ++step->numbers[handle->type];
  object->by = 0;
}

void step_handle_words(struct sim_step* step, const uv_handle_t* handle, char* words,
                       size_t size) {
  const struct step_object* object =
      step_object(step, step_object_key((uint64_t) (uintptr_t) handle));
  const char* name = NULL;
  if ((size_t) handle->type < ARRAY_LENGTH(handle_names))
    name = handle_names[handle->type];
  snprintf(words, size, "%s %u", name == NULL ? "handle" : name,
           object == NULL ? 0 : object->number);
}

typedef void (*step_function)(void);

struct step_list {
  uv_loop_t* loop;
  struct sim_step* step;
  struct step_text* text;
  unsigned int count;
};

static void list_begin(struct step_list* list, const char* name) {
  step_text_add(list->text, "%s\"%s\":[", name[0] == 't' ? "" : ",", name);
  list->count = 0;
}

static void list_end(struct step_list* list) {
  step_text_add(list->text, "]");
}

/* Whether an engine has the handle for itself: its queues stand behind one of each. */
static bool is_engines_handle(const struct sim_step* step, const uv_handle_t* handle) {
  if (step->known == 0)
    return false;
  if (handle->type == UV_ASYNC || handle->type == UV_POLL)
    return !(handle->flags & HANDLE_REFERENCED);
  return handle->type == UV_TIMER || handle->type == UV_IDLE ||
         handle->type == UV_CHECK || handle->type == UV_PREPARE;
}

/* Begins an entry; its end is the caller's. */
static void list_handle(struct step_list* list, const uv_handle_t* handle,
                        step_function function) {
  char words[64];
  const struct step_object* object =
      step_object(list->step, step_object_key((uint64_t) (uintptr_t) handle));
  step_handle_words(list->step, handle, words, sizeof(words));
  step_text_add(list->text, "%s{\"handle\":\"%s\"", list->count++ == 0 ? "" : ",", words);
  step_text_function(list->text, "fn", function);
  if (!(handle->flags & HANDLE_REFERENCED))
    step_text_add(list->text, ",\"unref\":true");
  if (is_engines_handle(list->step, handle))
    step_text_add(list->text, ",\"engines\":true");
  if (object != NULL && object->by != 0)
    step_text_add(list->text, ",\"by\":%llu", (unsigned long long) object->by);
}

/* --- timers ------------------------------------------------------------------------- */

static int timer_order(const void* one, const void* other) {
  const struct rondo_timer_entry *a = one, *b = other;
  return timer_entry_before(a, b) ? -1 : timer_entry_before(b, a) ? 1 : 0;
}

static void list_timer(struct step_list* list, const struct rondo_timer_entry* entry) {
  const uv_timer_t* timer = entry->handle;
  uint64_t start_us = sim_of(list->loop)->world->start / 1000;
  if (timer == NULL)
    return;
  list_handle(list, (const uv_handle_t*) timer, (step_function) timer->timer_cb);
  uint64_t due = entry->due_us > start_us ? entry->due_us - start_us : 0;
  step_text_add(list->text, ",\"due\":%llu",
                (unsigned long long) (due > UINT64_MAX / 1000 ? UINT64_MAX : due * 1000));
  if (timer->repeat != 0)
    step_text_add(list->text, ",\"repeats\":true");
  step_text_add(list->text, "}");
}

static void list_timers(struct step_list* list) {
  const uv_loop_t* loop = list->loop;
  size_t due = loop->due_count > loop->due_next ? loop->due_count - loop->due_next : 0;
  struct rondo_timer_entry* all =
      mem_realloc_array(NULL, loop->timer_count + due + 1, sizeof(*all));
  list_begin(list, "timers");
  if (all == NULL) {
    list->text->is_short = true;
    return;
  }
  if (due > 0)
    memcpy(all, loop->due + loop->due_next, due * sizeof(*all));
  if (loop->timer_count > 0)
    memcpy(all + due, loop->timers, loop->timer_count * sizeof(*all));
  qsort(all, due + loop->timer_count, sizeof(*all), timer_order);
  for (size_t i = 0; i < due + loop->timer_count; i++)
    list_timer(list, &all[i]);
  list_end(list);
  mem_free(all);
}

/* --- handles by phase --------------------------------------------------------------- */

static const uv__io_t* handle_watcher(const uv_handle_t* handle) {
  if (handle->type == UV_TCP || handle->type == UV_NAMED_PIPE || handle->type == UV_TTY)
    return &((const uv_stream_t*) handle)->io_watcher;
  if (handle->type == UV_UDP)
    return &((const uv_udp_t*) handle)->io_watcher;
  if (handle->type == UV_POLL)
    return &((const uv_poll_t*) handle)->io_watcher;
  return NULL;
}

static step_function turn_callback(const uv_handle_t* handle) {
  return handle->type == UV_IDLE      ? (step_function) ((const uv_idle_t*) handle)->cb
         : handle->type == UV_PREPARE ? (step_function) ((const uv_prepare_t*) handle)->cb
                                      : (step_function) ((const uv_check_t*) handle)->cb;
}

static bool is_of_turn(const uv_handle_t* handle, uv_handle_type type) {
  return handle->type == type && handle_active(handle);
}

static bool is_pending(const uv_handle_t* handle) {
  const uv__io_t* w = handle_watcher(handle);
  return w != NULL && w->pending_queue[0] != NULL &&
         w->pending_queue[0] != w->pending_queue;
}

typedef bool (*step_wanted)(const uv_handle_t* handle);

static bool is_idle(const uv_handle_t* handle) {
  return is_of_turn(handle, UV_IDLE);
}

static bool is_prepare(const uv_handle_t* handle) {
  return is_of_turn(handle, UV_PREPARE);
}

static bool is_check(const uv_handle_t* handle) {
  return is_of_turn(handle, UV_CHECK);
}

static void list_of_phase(struct step_list* list, const char* name, step_wanted wanted) {
  struct queue* handles = queue_of(list->loop->handle_queue);
  list_begin(list, name);
  for (struct queue* link = queue_first(handles); link != NULL;
       link = queue_next(handles, link)) {
    const uv_handle_t* handle = rondo_container_of(link, uv_handle_t, handle_queue);
    if ((handle->flags & HANDLE_INTERNAL) || !wanted(handle))
      continue;
    list_handle(list, handle, wanted == is_pending ? NULL : turn_callback(handle));
    step_text_add(list->text, "}");
  }
  list_end(list);
}

/* --- what the poll waits for -------------------------------------------------------- */

static void poll_words(const uv_handle_t* handle, char* words, size_t size) {
  const uv__io_t* w = handle_watcher(handle);
  bool is_stream = w != NULL && handle->type != UV_UDP && handle->type != UV_POLL;
  const uv_stream_t* stream = is_stream ? (const uv_stream_t*) handle : NULL;
  if (w == NULL) {
    snprintf(words, size, "%s",
             handle->type == UV_ASYNC     ? "a send"
             : handle->type == UV_SIGNAL  ? "a signal"
             : handle->type == UV_PROCESS ? "the end of a child"
                                          : "a change");
    return;
  }
  if (is_stream && stream->connect_req != NULL)
    snprintf(words, size, "its connect");
  else if (is_stream && watcher_wants(w, WATCH_IN) && sim_is_listening(w->fd))
    snprintf(words, size, "clients");
  else
    snprintf(words, size, "%s%s%s", watcher_wants(w, WATCH_IN) ? "data" : "",
             watcher_wants(w, WATCH_IN) && watcher_wants(w, WATCH_OUT) ? ", " : "",
             watcher_wants(w, WATCH_OUT) ? "room to write" : "");
}

static step_function poll_callback(const uv_handle_t* handle) {
  switch (handle->type) {
  case UV_ASYNC:
    return (step_function) ((const uv_async_t*) handle)->async_cb;
  case UV_SIGNAL:
    return (step_function) ((const uv_signal_t*) handle)->signal_cb;
  case UV_PROCESS:
    return (step_function) ((const uv_process_t*) handle)->exit_cb;
  case UV_POLL:
    return (step_function) ((const uv_poll_t*) handle)->poll_cb;
  default:
    return NULL;
  }
}

static bool waits_in_poll(const uv_handle_t* handle) {
  const uv__io_t* w = handle_watcher(handle);
  if (handle_closing(handle) || (handle->flags & HANDLE_INTERNAL))
    return false;
  if (w != NULL)
    return w->wanted != 0;
  return handle_active(handle) && handle->type != UV_TIMER && handle->type != UV_IDLE &&
         handle->type != UV_PREPARE && handle->type != UV_CHECK;
}

static void list_poll(struct step_list* list) {
  struct queue* handles = queue_of(list->loop->handle_queue);
  list_begin(list, "poll");
  for (struct queue* link = queue_first(handles); link != NULL;
       link = queue_next(handles, link)) {
    const uv_handle_t* handle = rondo_container_of(link, uv_handle_t, handle_queue);
    char words[64];
    if (!waits_in_poll(handle))
      continue;
    list_handle(list, handle, poll_callback(handle));
    poll_words(handle, words, sizeof(words));
    step_text_add(list->text, ",\"waits\":\"%s\"", words);
    if (handle_watcher(handle) != NULL)
      step_text_add(list->text, ",\"fd\":%d", handle_watcher(handle)->fd);
    /* An engine's helpers send when they like: it would differ from run to run. */
    if (handle->type == UV_ASYNC && !is_engines_handle(list->step, handle) &&
        ((const uv_async_t*) handle)->pending != 0)
      step_text_add(list->text, ",\"sent\":true");
    step_text_add(list->text, "}");
  }
  list_end(list);
}

/* --- requests ----------------------------------------------------------------------- */

static void list_request(struct step_list* list, const char* words, const char* where) {
  step_text_add(list->text, "%s{\"request\":", list->count++ == 0 ? "" : ",");
  step_text_string(list->text, words);
  step_text_add(list->text, ",\"where\":\"%s\"", where);
}

static void list_work(struct step_list* list, const uv_req_t* req, const char* words,
                      const char* where) {
  const struct step_object* object =
      req == NULL ? NULL
                  : step_object(list->step, step_object_key((uint64_t) (uintptr_t) req));
  list_request(list, words, where);
  if (object != NULL && object->by != 0)
    step_text_add(list->text, ",\"by\":%llu", (unsigned long long) object->by);
  step_text_add(list->text, "}");
}

static void list_works(struct step_list* list, struct queue* works, const char* where) {
  char words[400];
  for (struct queue* link = queue_first(works); link != NULL;
       link = queue_next(works, link)) {
    const struct sim_work* work = rondo_container_of(link, struct sim_work, link);
    if (work->state == WORK_CANCELLED)
      continue;
    const uv_req_t* req = NULL;
    if (work->work == fs_run_on_pool)
      req = (const uv_req_t*) rondo_container_of(work->w, uv_fs_t, work_req);
    sim_work_words(work, words, sizeof(words));
    list_work(list, req, words, where);
  }
}

/* Requests of streams and sockets. */
static void list_transfers(struct step_list* list, const uv_handle_t* handle) {
  char name[64], words[128];
  const uv__io_t* w = handle_watcher(handle);
  if (w == NULL || handle->type == UV_POLL)
    return;
  step_handle_words(list->step, handle, name, sizeof(name));
  if (handle->type == UV_UDP) {
    if (((const uv_udp_t*) handle)->send_queue_count == 0)
      return;
    snprintf(words, sizeof(words), "sends on %s", name);
    list_request(list, words, "in the kernel's way");
    step_text_add(list->text, "}");
    return;
  }
  const uv_stream_t* stream = (const uv_stream_t*) handle;
  if (stream->connect_req != NULL) {
    snprintf(words, sizeof(words), "the connect of %s", name);
    list_request(list, words, "under way");
    step_text_add(list->text, "}");
  }
  if (stream->write_queue_size > 0) {
    snprintf(words, sizeof(words), "%zu bytes to write on %s", stream->write_queue_size,
             name);
    list_request(list, words, "waits for room");
    step_text_add(list->text, "}");
  }
  if (stream->shutdown_req != NULL) {
    snprintf(words, sizeof(words), "the shutdown of %s", name);
    list_request(list, words, "waits for the writes");
    step_text_add(list->text, "}");
  }
}

static void list_requests(struct step_list* list) {
  struct queue* handles = queue_of(list->loop->handle_queue);
  struct queue* completed = queue_of(list->loop->completed_queue);
  list_begin(list, "requests");
  list_works(list, &sim_of(list->loop)->planned, "on a thread of the pool");
  list_works(list, &sim_of(list->loop)->waiting, "waits for a thread of the pool");
  for (struct queue* link = queue_first(completed); link != NULL;
       link = queue_next(completed, link))
    list_work(list, NULL, "a request", "finished: called back next");
  for (struct queue* link = queue_first(handles); link != NULL;
       link = queue_next(handles, link))
    list_transfers(list, rondo_container_of(link, uv_handle_t, handle_queue));
  list_end(list);
}

/* --- close callbacks ---------------------------------------------------------------- */

static void list_closing(struct step_list* list) {
  const uv_handle_t* const lists[] = {list->loop->closing_batch,
                                      list->loop->closing_handles};
  list_begin(list, "closing");
  for (size_t i = 0; i < ARRAY_LENGTH(lists); i++) {
    for (const uv_handle_t* handle = lists[i]; handle != NULL;
         handle = handle->next_closing) {
      if (handle->flags & HANDLE_INTERNAL)
        continue;
      list_handle(list, handle, (step_function) handle->close_cb);
      step_text_add(list->text, "}");
    }
  }
  list_end(list);
}

void step_queues_write(uv_loop_t* loop, struct sim_step* step, struct step_text* text) {
  struct step_list list = {.loop = loop, .step = step, .text = text};
  step_text_add(text, "{");
  list_timers(&list);
  list_of_phase(&list, "pending", is_pending);
  list_of_phase(&list, "idle", is_idle);
  list_of_phase(&list, "prepare", is_prepare);
  list_poll(&list);
  list_requests(&list);
  list_of_phase(&list, "check", is_check);
  list_closing(&list);
  if (step->known != 0)
    step_items_write(step, text, sim_of(loop)->world->start);
  step_text_add(text, "}");
}
