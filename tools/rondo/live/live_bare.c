/* Samples that a signal's handler has taken for the watcher have no names yet: they get
 * them here, in the copy of a ring. */
#include "live_copy.h"

#include <stdlib.h>
#include <string.h>

struct trace_chunk* ring_copy_add(struct ring_copy* copy, uint32_t kind) {
  struct trace_chunk* chunk = ring_copy_chunk(copy, copy->used);
  memset(chunk, 0, copy->chunk_size);
  memcpy(chunk->magic, TRACE_CHUNK_MAGIC, sizeof(chunk->magic));
  chunk->sequence = ++copy->sequence;
  chunk->kind = kind;
  copy->used += copy->chunk_size;
  return chunk;
}

struct bare_names {
  struct ring_copy* copy;
  const struct board* board;
  uint32_t stream;           /* of the definitions */
  struct trace_chunk* chunk; /* with those that are added; NULL before the first */
  size_t used;               /* records of it */
  uint32_t last;             /* number of a name */
  size_t count;
  struct {
    uint64_t place;
    uint32_t name;
  } list[1024];
};

/* The highest number of a name in a chunk of definitions. */
static uint32_t chunk_last_name(const struct ring_copy* copy, struct trace_chunk* chunk) {
  const struct trace_record* records = ring_chunk_records(chunk);
  size_t count = ring_chunk_capacity(copy);
  uint32_t last = 0;
  for (size_t i = 0; i < count && records[i].when != 0; i++) {
    last = records[i].name > last ? records[i].name : last;
    long text = record_text(&records[i], count - i - 1);
    if (text < 0)
      break;
    i += (size_t) text;
  }
  return last;
}

static const struct board_object* object_of(const struct board* board, uint64_t place) {
  for (uint32_t i = 0; i < board->object_count; i++) {
    if (place >= board->objects[i].start && place < board->objects[i].end)
      return &board->objects[i];
  }
  return NULL;
}

/* 0 without room for it. */
static uint32_t bare_define(struct bare_names* names, uint64_t place) {
  const size_t size = sizeof(struct trace_record);
  const struct board_object* object = object_of(names->board, place);
  const char* path = object == NULL ? "" : object->path;
  size_t length = strnlen(path, BOARD_PATH - 1);
  size_t needed = 1 + (length + size - 1) / size;
  if (names->chunk == NULL) {
    names->chunk = ring_copy_add(names->copy, TRACE_STREAM_DEFINITIONS);
    names->chunk->stream = names->stream;
  }
  if (names->used + needed > ring_chunk_capacity(names->copy))
    return 0;
  struct trace_record* record = ring_chunk_records(names->chunk) + names->used;
  memcpy(record + 1, path, length);
  *record = (struct trace_record){(uint64_t) 1 << TRACE_TIME_SHIFT | TRACE_FUNCTION,
                                  place - (object == NULL ? 0 : object->base),
                                  ++names->last, (int32_t) length};
  names->used += needed;
  return names->last;
}

static uint32_t bare_name(struct bare_names* names, uint64_t place) {
  for (size_t i = 0; i < names->count; i++) {
    if (names->list[i].place == place)
      return names->list[i].name;
  }
  uint32_t name = bare_define(names, place);
  if (names->count < sizeof(names->list) / sizeof(names->list[0])) {
    names->list[names->count].place = place;
    names->list[names->count++].name = name;
  }
  return name;
}

void ring_copy_name_samples(struct ring_copy* copy, struct board* board) {
  struct bare_names* names = calloc(1, sizeof(*names));
  if (names == NULL)
    out_of_memory();
  names->copy = copy;
  names->board = board;
  for (size_t at = TRACE_HEADER_SIZE; at < copy->used; at += copy->chunk_size) {
    struct trace_chunk* chunk = ring_copy_chunk(copy, at);
    if (chunk->kind != TRACE_STREAM_DEFINITIONS)
      continue;
    uint32_t last = chunk_last_name(copy, chunk);
    names->last = last > names->last ? last : names->last;
    names->stream = chunk->stream;
  }
  for (size_t i = 0; i < BOARD_SAMPLES; i++) {
    struct board_sample* sample = &board->samples[i];
    uint64_t places[BOARD_PLACES];
    if (sample->number == 0 || !sample->is_bare)
      continue;
    memcpy(places, sample->places, sizeof(places));
    sample->is_bare = 0;
    for (uint32_t j = 0; j < sample->count; j++)
      sample->names[j] = bare_name(names, places[j]);
  }
  free(names);
}
