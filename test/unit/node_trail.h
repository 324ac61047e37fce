/* What the tests of the Node layer share: a trail that callbacks leave words on, a fake
 * engine whose promise jobs are words too, and short ways to start things. */
#ifndef RONDO_TEST_NODE_TRAIL_H
#define RONDO_TEST_NODE_TRAIL_H

#include "rondo_node.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <stdio.h>
#include <cmocka.h>

static rondo_node_t* node;
static uv_loop_t loop;
static char trail[512];

static inline void say(const char* word) {
  if (trail[0] != '\0')
    strcat(trail, " ");
  strcat(trail, word);
}

/* --- a fake engine: microtasks are words to be said -------------------- */

static const char* jobs[64];
static size_t job_first, job_last;
static int caught_all;

static inline void microtask(const char* word) {
  jobs[job_last++] = word;
}

static inline void microtasks_run(rondo_node_t* n, void* data) {
  (void) n;
  (void) data;
  while (job_first < job_last)
    say(jobs[job_first++]);
}

static inline int uncaught(rondo_node_t* n, const void* error, void* data) {
  (void) n;
  (void) data;
  say("caught");
  say(error);
  return caught_all;
}

static inline int setup(void** state) {
  (void) state;
  rondo_node_hooks_t hooks = {0};
  hooks.microtasks = microtasks_run;
  hooks.uncaught = uncaught;
  trail[0] = '\0';
  job_first = job_last = 0;
  caught_all = 0;
  assert_int_equal(uv_loop_init(&loop), 0);
  assert_int_equal(rondo_node_new(&node, &loop, &hooks), 0);
  return 0;
}

static inline int teardown(void** state) {
  (void) state;
  rondo_node_free(node);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(uv_loop_close(&loop), 0);
  return 0;
}

/* --- callbacks ------------------------------------------------------------------------
 */

static rondo_node_tick_t ticks[16];
static rondo_node_timer_t timers[16];
static rondo_node_immediate_t immediates[16];
static size_t ticks_used;

static inline const void* say_it(rondo_node_t* n, void* word) {
  (void) n;
  say(word);
  return NULL;
}

static inline void tick(const char* word) {
  rondo_node_next_tick(node, &ticks[ticks_used++], say_it, (void*) word);
}

static inline const void* say_and_tick(rondo_node_t* n, void* word) {
  say_it(n, word);
  tick("tick");
  microtask("micro");
  return NULL;
}

static inline const void* say_and_throw(rondo_node_t* n, void* word) {
  say_it(n, word);
  return "error";
}

static inline void timer(int index, const char* word, double ms, rondo_node_cb cb) {
  timers[index].data = (void*) word;
  assert_int_equal(rondo_node_timer_start(node, &timers[index], ms, 0, cb, NULL), 0);
}

static inline void immediate(int index, const char* word, rondo_node_cb cb) {
  immediates[index].data = (void*) word;
  rondo_node_immediate_start(node, &immediates[index], cb);
}

static inline const void* nothing(rondo_node_t* n, void* data) {
  (void) n;
  (void) data;
  return NULL;
}

static inline int run(rondo_node_cb main) {
  ticks_used = 0;
  return rondo_node_run(node, main, NULL);
}

#endif
