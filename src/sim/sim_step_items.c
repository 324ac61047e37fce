/* Facts that `rondo step` keeps beside the loop: which number a handle has, which step
 * has begun a request, and what waits in the queues of an engine (rondo.h:
 * rondo_step_put). */
#include "sim/sim_step_state.h"

#include "base/alloc.h"
#include "base/base.h"
#include "loop/loop.h"
#include "system/system.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- text --------------------------------------------------------------------------- */

static bool text_reserve(struct step_text* text, size_t more) {
  if (text->size - text->used > more)
    return true;
  size_t size = (text->used + more + 1) * 2;
  char* grown = mem_realloc(text->bytes, size);
  if (grown == NULL) {
    text->is_short = true;
    return false;
  }
  text->bytes = grown;
  text->size = size;
  return true;
}

void step_text_add(struct step_text* text, const char* format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  if (length >= 0 && text_reserve(text, (size_t) length)) {
    vsnprintf(text->bytes + text->used, (size_t) length + 1, format, again);
    text->used += (size_t) length;
  }
  va_end(again);
  va_end(arguments);
}

/* Bytes that are no UTF-8 stay as they are: the command makes them presentable. */
void step_text_string(struct step_text* text, const char* string) {
  if (!text_reserve(text, 6 * strlen(string) + 2))
    return;
  char* out = text->bytes + text->used;
  *out++ = '"';
  for (; *string != '\0'; string++) {
    unsigned char c = (unsigned char) *string;
    if (c == '"' || c == '\\')
      *out++ = '\\';
    if (c < ' ')
      out += sprintf(out, "\\u%04x", c);
    else
      *out++ = (char) c;
  }
  *out++ = '"';
  *out = '\0';
  text->used = (size_t) (out - text->bytes);
}

void step_text_function(struct step_text* text, const char* key, void (*function)(void)) {
  void* address;
  char place[512];
  Dl_info info;
  memcpy(&address, &function, sizeof(address));
  if (address == NULL || dladdr(address, &info) == 0 || info.dli_fname == NULL)
    return;
  snprintf(place, sizeof(place), "%.480s+0x%zx", info.dli_fname,
           (size_t) ((char*) address - (char*) info.dli_fbase));
  step_text_add(text, ",\"%s\":", key);
  step_text_string(text, place);
}

/* --- objects ------------------------------------------------------------------------ */

/* A handle is the same object in each of its states. */
uint64_t step_object_key(uint64_t subject) {
  return subject & (((uint64_t) 1 << TRACE_SUBJECT_SHIFT) - 1);
}

static struct step_object* object_place(struct step_object* objects, size_t capacity,
                                        uint64_t key) {
  size_t at = (size_t) hash_number(key) & (capacity - 1);
  while (objects[at].key != 0 && objects[at].key != key)
    at = (at + 1) & (capacity - 1);
  return &objects[at];
}

/* Half of the places stay free. */
static bool objects_reserve(struct sim_step* step) {
  if (step->object_count * 2 < step->object_capacity)
    return true;
  size_t capacity = step->object_capacity == 0 ? 256 : step->object_capacity * 2;
  struct step_object* grown = mem_calloc(capacity, sizeof(*grown));
  if (grown == NULL)
    return false;
  for (size_t i = 0; i < step->object_capacity; i++) {
    if (step->objects[i].key != 0)
      *object_place(grown, capacity, step->objects[i].key) = step->objects[i];
  }
  mem_free(step->objects);
  step->objects = grown;
  step->object_capacity = capacity;
  return true;
}

struct step_object* step_object(struct sim_step* step, uint64_t key) {
  if (key == 0 || !objects_reserve(step))
    return NULL;
  struct step_object* object = object_place(step->objects, step->object_capacity, key);
  if (object->key == 0) {
    object->key = key;
    step->object_count++;
  }
  return object;
}

/* --- an engine's queues ------------------------------------------------------------- */

static struct step_item* item_find(const struct step_queue* queue, uint64_t key) {
  for (size_t i = 0; i < queue->count; i++) {
    if (queue->items[i].key == key)
      return &queue->items[i];
  }
  return NULL;
}

static struct step_item* item_add(struct sim_step* step, struct step_queue* queue,
                                  uint64_t key) {
  if (queue->count == queue->capacity) {
    size_t capacity = queue->capacity == 0 ? 16 : queue->capacity * 2;
    struct step_item* grown = mem_realloc_array(queue->items, capacity, sizeof(*grown));
    if (grown == NULL)
      return NULL;
    queue->items = grown;
    queue->capacity = capacity;
  }
  struct step_item* item = &queue->items[queue->count++];
  *item = (struct step_item){.key = key, .order = ++step->order};
  if (step->depth > 0 && step->depth <= STEP_DEPTH)
    item->by = step->open[step->depth - 1];
  return item;
}

static void item_remove(struct step_queue* queue, struct step_item* item) {
  mem_free(item->name);
  size_t behind = queue->count - (size_t) (item - queue->items) - 1;
  memmove(item, item + 1, behind * sizeof(*item));
  queue->count--;
}

static struct sim_step* step_of_engine(uv_loop_t* loop) {
  return loop != NULL && simulated(loop) && sim_step_is_on ? step_of(loop) : NULL;
}

int rondo_step_join(uv_loop_t* loop, unsigned int known) {
  struct sim_step* step = step_of_engine(loop);
  if (step == NULL)
    return 0;
  step->known |= known;
  return 1;
}

void rondo_step_put(uv_loop_t* loop, int queue, uint64_t key, const char* name,
                    uint64_t due_ms, unsigned int flags) {
  struct sim_step* step = step_of_engine(loop);
  if (step == NULL || queue < 0 || queue >= RONDO_STEP_QUEUES)
    return;
  struct step_item* item = item_find(&step->queues[queue], key);
  if (item == NULL)
    item = item_add(step, &step->queues[queue], key);
  if (item == NULL)
    return;
  if (item->due_ms != due_ms)
    item->order = ++step->order;
  item->due_ms = due_ms;
  item->flags = flags;
  if (name == NULL)
    return;
  mem_free(item->name);
  item->name = mem_strdup(name);
}

void rondo_step_take(uv_loop_t* loop, int queue, uint64_t key) {
  struct sim_step* step = step_of_engine(loop);
  if (step == NULL || queue < 0 || queue >= RONDO_STEP_QUEUES)
    return;
  struct step_item* item = item_find(&step->queues[queue], key);
  if (item == NULL)
    return;
  step_settle(loop, step);
  step->taken_by = item->by;
  item_remove(&step->queues[queue], item);
}

static int item_by_time(const void* one, const void* other) {
  const struct step_item *a = one, *b = other;
  if (a->due_ms != b->due_ms)
    return a->due_ms < b->due_ms ? -1 : 1;
  return a->order < b->order ? -1 : a->order > b->order;
}

static void item_write(const struct step_item* item, struct step_text* text,
                       bool is_first, bool is_timer, uint64_t start_ns) {
  uint64_t due_ns = item->due_ms * 1000000;
  step_text_add(text, "%s{\"name\":", is_first ? "" : ",");
  step_text_string(text, item->name == NULL ? "" : item->name);
  if (is_timer)
    step_text_add(text, ",\"due\":%llu",
                  (unsigned long long) (due_ns > start_ns ? due_ns - start_ns : 0));
  if (item->flags & RONDO_STEP_REPEATS)
    step_text_add(text, ",\"repeats\":true");
  if (item->flags & RONDO_STEP_UNREFERENCED)
    step_text_add(text, ",\"unref\":true");
  if (item->by != 0)
    step_text_add(text, ",\"by\":%llu", (unsigned long long) item->by);
  step_text_add(text, "}");
}

void step_items_write(const struct sim_step* step, struct step_text* text,
                      uint64_t start_ns) {
  static const char* const names[RONDO_STEP_QUEUES] = {"timers", "immediates", "ticks",
                                                       "microtasks"};
  step_text_add(text, ",\"engine\":{");
  for (int i = 0; i < RONDO_STEP_QUEUES; i++) {
    const struct step_queue* queue = &step->queues[i];
    step_text_add(text, "%s\"%s\":", i == 0 ? "" : ",", names[i]);
    if (!(step->known & 1u << i)) {
      step_text_add(text, "null");
      continue;
    }
    if (i == RONDO_STEP_TIMERS && queue->count > 1)
      qsort(queue->items, queue->count, sizeof(*queue->items), item_by_time);
    step_text_add(text, "[");
    for (size_t k = 0; k < queue->count; k++)
      item_write(&queue->items[k], text, k == 0, i == RONDO_STEP_TIMERS, start_ns);
    step_text_add(text, "]");
  }
  step_text_add(text, "}");
}

void step_items_free(struct sim_step* step) {
  for (int i = 0; i < RONDO_STEP_QUEUES; i++) {
    while (step->queues[i].count > 0)
      item_remove(&step->queues[i], &step->queues[i].items[step->queues[i].count - 1]);
    mem_free(step->queues[i].items);
  }
  mem_free(step->objects);
}
