/* What the parts of the soak share. A world is one loop on one thread with one of every
 * kind of actor on it. An actor repeats its story until the world is to end, checks every
 * byte that comes back, and counts rounds: an actor whose count stands still has lost a
 * callback. */
#ifndef RONDO_SOAK_H
#define RONDO_SOAK_H

#include "uv.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum actor_kind {
  ACTOR_TCP,
  ACTOR_PIPE,
  ACTOR_UDP,
  ACTOR_FILES,
  ACTOR_CHILDREN,
  ACTOR_POOL,
  ACTOR_ASYNC,
  ACTOR_SIGNAL,
  ACTOR_WATCH,
  ACTOR_KINDS
};

extern const char* const actor_names[ACTOR_KINDS];

/* Sums over all worlds that ever were. */
extern _Atomic uint64_t rounds_total[ACTOR_KINDS];
extern _Atomic uint64_t bytes_written;
extern _Atomic uint64_t bytes_checked;

struct world {
  uv_loop_t loop;
  uv_thread_t thread;
  uv_async_t end_async;
  uv_timer_t pace; /* starts the stories that are slow by nature */
  char folder[64];
  _Atomic bool ending;
  _Atomic uint64_t rounds[ACTOR_KINDS];
  void* actors[ACTOR_KINDS];
  bool ended[ACTOR_KINDS];
  uint64_t seed;
};

/* Ends the program with the reason: the first thing that is wrong is the last. */
_Noreturn void soak_fail(const char* format, ...) __attribute__((format(printf, 1, 2)));
void soak_check(int result, const char* what);
void round_done(struct world* world, enum actor_kind kind);
uint64_t soak_random(struct world* world);
static inline struct world* world_of(const uv_loop_t* loop) {
  return loop->data;
}
static inline bool ending(struct world* world) {
  return atomic_load_explicit(&world->ending, memory_order_relaxed);
}

/* The byte at a place of a stream: no two neighbouring blocks are alike, so that a lost,
 * doubled or moved byte shows. */
static inline unsigned char byte_at(uint64_t stream, uint64_t offset) {
  uint64_t x = (stream * 0x9e3779b97f4a7c15u) ^ (offset >> 3) * 0xbf58476d1ce4e5b9u;
  x ^= x >> 29;
  return (unsigned char) (x >> (8 * (offset & 7)));
}
void bytes_fill(char* base, size_t length, uint64_t stream, uint64_t offset);
void bytes_check(const char* base, size_t length, uint64_t stream, uint64_t offset,
                 const char* who);

/* Each begins its actor on the world's loop. */
void streams_begin(struct world* world);
void udp_begin(struct world* world);
void files_begin(struct world* world);
void watch_begin(struct world* world);
void children_begin(struct world* world);
void pool_begin(struct world* world);
void async_begin(struct world* world);
void signal_begin(struct world* world);

/* Each closes its actor's lasting handles once the story that is under way is over: true
 * then. Called by the pace timer of a world that ends until all have agreed. */
bool streams_end(struct world* world);
bool udp_end(struct world* world);
bool files_end(struct world* world);
bool watch_end(struct world* world);
bool children_end(struct world* world);
bool pool_end(struct world* world);
bool async_end(struct world* world);
bool signal_end(struct world* world);

/* Called by the pace timer every few milliseconds. */
void children_tick(struct world* world);
void watch_tick(struct world* world);
void udp_tick(struct world* world);

/* Sends the world's async handle from a thread that isn't the loop's. */
void async_send_from_outside(struct world* world);

#endif
