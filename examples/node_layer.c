/* Node's half of the event loop from C, without any JavaScript: ticks run after the
 * callback that queued them, timers of one duration in a row with their ticks between,
 * immediates after the poll; beforeExit can prolong the program's life once more. */
#include <rondo.h>

#include <stdio.h>

static rondo_node_tick_t ticks[3];
static rondo_node_timer_t timers[2];
static rondo_node_immediate_t immediates[2];

static const void* say(rondo_node_t* node, void* line) {
  (void) node;
  puts(line);
  return NULL; /* not NULL would be an error, for the hook `uncaught` */
}

static const void* first_timer(rondo_node_t* node, void* line) {
  say(node, line);
  rondo_node_next_tick(node, &ticks[1], say, "tick of the first timer");
  return NULL;
}

static const void* program(rondo_node_t* node, void* data) {
  (void) data;
  puts("the program");
  immediates[0].data = "immediate: the check phase";
  rondo_node_immediate_start(node, &immediates[0], say);
  timers[0].data = "first timer: due when the loop begins";
  rondo_node_timer_start(node, &timers[0], 1, 0, first_timer, NULL);
  timers[1].data = "second timer: behind the first one's tick";
  rondo_node_timer_start(node, &timers[1], 1, 0, say, NULL);
  rondo_node_next_tick(node, &ticks[0], say, "tick of the program");
  uv_sleep(5);
  return NULL;
}

static const void* before_exit(rondo_node_t* node, void* data) {
  static int once;
  (void) data;
  puts("beforeExit");
  if (!once++) {
    immediates[1].data = "immediate: one more turn";
    rondo_node_immediate_start(node, &immediates[1], say);
  }
  return NULL;
}

static int at_exit(rondo_node_t* node, int code, void* data) {
  (void) node;
  (void) data;
  puts("exit");
  return code;
}

int main(void) {
  const rondo_node_hooks_t hooks = {.before_exit = before_exit, .exit = at_exit};
  uv_loop_t* loop = uv_default_loop();
  rondo_node_t* node;
  if (loop == NULL || rondo_node_new(&node, loop, &hooks) != 0)
    return 1;
  int code = rondo_node_run(node, program, NULL);
  rondo_node_free(node);
  uv_run(loop, UV_RUN_DEFAULT);
  uv_loop_close(loop);
  return code;
}
