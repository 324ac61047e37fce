/* An addon that uses libuv by itself, on the loop that Node-API hands out: a timer, work
 * in the pool, and an async handle that a thread of its own sends to. Calls back with a
 * line for each. */
#include <node_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

struct run {
  napi_env env;
  napi_ref callback;
  napi_async_context context;
  uv_timer_t timer;
  uv_work_t work;
  uv_async_t async;
  uv_thread_t thread;
  int sum;
  int closed;
};

static void say(struct run* run, const char* text) {
  napi_handle_scope scope;
  napi_value callback, global, line;
  napi_open_handle_scope(run->env, &scope);
  napi_get_reference_value(run->env, run->callback, &callback);
  napi_get_global(run->env, &global);
  napi_create_string_utf8(run->env, text, NAPI_AUTO_LENGTH, &line);
  napi_make_callback(run->env, run->context, global, callback, 1, &line, NULL);
  napi_close_handle_scope(run->env, scope);
}

static void on_close(uv_handle_t* handle) {
  struct run* run = handle->data;
  if (++run->closed == 2)
    say(run, "closed");
}

static void on_async(uv_async_t* async) {
  say(async->data, "async");
  uv_close((uv_handle_t*) async, on_close);
}

static void on_thread(void* argument) {
  struct run* run = argument;
  uv_async_send(&run->async);
}

static void work(uv_work_t* request) {
  struct run* run = request->data;
  for (int i = 1; i <= 100; i++)
    run->sum += i;
}

static void after_work(uv_work_t* request, int status) {
  struct run* run = request->data;
  char text[64];
  snprintf(text, sizeof(text), "work %d %d", status, run->sum);
  say(run, text);
  uv_thread_create(&run->thread, on_thread, run);
  uv_thread_join(&run->thread);
}

static void on_timer(uv_timer_t* timer) {
  struct run* run = timer->data;
  say(run, "timer");
  uv_close((uv_handle_t*) timer, on_close);
  uv_queue_work(timer->loop, &run->work, work, after_work);
}

static napi_value start(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value callback, name;
  uv_loop_t* loop;
  struct run* run = calloc(1, sizeof(*run));
  napi_get_cb_info(env, info, &count, &callback, NULL, NULL);
  run->env = env;
  napi_create_reference(env, callback, 1, &run->callback);
  napi_create_string_utf8(env, "addon", NAPI_AUTO_LENGTH, &name);
  napi_async_init(env, NULL, name, &run->context);
  napi_get_uv_event_loop(env, &loop);
  run->timer.data = run->work.data = run->async.data = run;
  uv_timer_init(loop, &run->timer);
  uv_async_init(loop, &run->async, on_async);
  uv_timer_start(&run->timer, on_timer, 5, 0);
  return NULL;
}

static napi_value version(napi_env env, napi_callback_info info) {
  napi_value text;
  (void) info;
  napi_create_string_utf8(env, uv_version_string(), NAPI_AUTO_LENGTH, &text);
  return text;
}

NAPI_MODULE_INIT() {
  napi_value function;
  napi_create_function(env, "start", NAPI_AUTO_LENGTH, start, NULL, &function);
  napi_set_named_property(env, exports, "start", function);
  napi_create_function(env, "version", NAPI_AUTO_LENGTH, version, NULL, &function);
  napi_set_named_property(env, exports, "version", function);
  return exports;
}
