/* A ring while it is copied into a recording: for live_ring.c, which does it, and
 * live_bare.c. */
#ifndef RONDO_TOOL_LIVE_COPY_H
#define RONDO_TOOL_LIVE_COPY_H

#include "live_ring.h"

struct ring_copy {
  const struct live_ring* ring;
  char* bytes;
  size_t used, capacity, chunk_size;
  struct board* board; /* copied before the chunks */
  uint64_t sequence;   /* the highest one copied */
  uint64_t last_ns;    /* latest known time of the process, since the recording's start */
};

static inline struct trace_chunk* ring_copy_chunk(const struct ring_copy* copy,
                                                  size_t at) {
  return (struct trace_chunk*) (void*) (copy->bytes + at);
}

static inline struct trace_record* ring_chunk_records(struct trace_chunk* chunk) {
  return (struct trace_record*) (void*) (chunk + 1);
}

static inline size_t ring_chunk_capacity(const struct ring_copy* copy) {
  return (copy->chunk_size - sizeof(struct trace_chunk)) / sizeof(struct trace_record);
}

/* A new, empty chunk at the end of the copy. */
struct trace_chunk* ring_copy_add(struct ring_copy* copy, uint32_t kind);

/* Gives names to samples on the board that have only places: definitions of the files
 * that the board lists, behind those that the copy has. */
void ring_copy_name_samples(struct ring_copy* copy, struct board* board);

#endif
