/* rondo-node.node: lets JavaScript in Node name the spans of a recording.
 *
 * `rondo trace` preloads names.js into every Node that it starts; this addon gives that
 * script access to the recorder of its loop. Only Node's stable C interface (Node-API,
 * version 2) is used, declared here, so that one build serves every Node from 12 on. */
#include "addon_code.h"

#include "rondo.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* --- Node-API, as documented ------------------------------------------------------- */

typedef struct napi_env__* napi_env;
typedef struct napi_value__* napi_value;
typedef struct napi_callback_info__* napi_callback_info;
typedef napi_value (*napi_callback)(napi_env env, napi_callback_info info);
typedef int napi_status; /* 0 is success */

extern napi_status napi_create_function(napi_env env, const char* name, size_t length,
                                        napi_callback callback, void* data,
                                        napi_value* result);
extern napi_status napi_set_named_property(napi_env env, napi_value object,
                                           const char* name, napi_value value);
extern napi_status napi_get_cb_info(napi_env env, napi_callback_info info, size_t* argc,
                                    napi_value* argv, napi_value* self, void** data);
extern napi_status napi_get_value_string_utf8(napi_env env, napi_value value,
                                              char* buffer, size_t size, size_t* length);
extern napi_status napi_get_value_int32(napi_env env, napi_value value, int32_t* result);
extern napi_status napi_create_int32(napi_env env, int32_t value, napi_value* result);
extern napi_status napi_get_uv_event_loop(napi_env env, uv_loop_t** loop);

/* --- functions --------------------------------------------------------------------- */

enum { NAME_SIZE = 1009 }; /* rondo_trace_begin takes 1008 bytes */

static uv_loop_t* addon_loop(napi_env env) {
  uv_loop_t* loop = NULL;
  return napi_get_uv_event_loop(env, &loop) == 0 ? loop : NULL;
}

static bool addon_argument(napi_env env, napi_callback_info info, napi_value* value) {
  size_t argc = 1;
  return napi_get_cb_info(env, info, &argc, value, NULL, NULL) == 0 && argc >= 1;
}

static bool addon_name(napi_env env, napi_callback_info info, char name[NAME_SIZE]) {
  napi_value value;
  size_t length;
  return addon_argument(env, info, &value) &&
         napi_get_value_string_utf8(env, value, name, NAME_SIZE, &length) == 0;
}

static napi_value addon_number(napi_env env, int32_t number) {
  napi_value result = NULL;
  return napi_create_int32(env, number, &result) == 0 ? result : NULL;
}

/* active() → 1 while the loop is recorded */
static napi_value addon_active(napi_env env, napi_callback_info info) {
  const uv_loop_t* loop = addon_loop(env);
  (void) info;
  return addon_number(env, loop != NULL && rondo_trace_active(loop));
}

/* placeOf(function) → the script's name, as V8 has it; lineOf(function) → its line, 0 if
 * that isn't known */
static napi_value addon_place(napi_env env, napi_callback_info info) {
  napi_value function;
  return addon_argument(env, info, &function) ? addon_function_script(function) : NULL;
}

static napi_value addon_line(napi_env env, napi_callback_info info) {
  napi_value function;
  return addon_argument(env, info, &function)
             ? addon_number(env, addon_function_line(function))
             : NULL;
}

/* --- microtasks ---------------------------------------------------------------------
 *
 * Behind the outermost callback Node runs its ticks and microtasks. No hook says when
 * that begins: a span is begun whenever a callback of the program's has ended, and ended
 * by the engine, which calls back when the queue is empty, or by the next callback, such
 * as a tick. Whatever is left open ends with the callback of the loop. */

static _Thread_local struct {
  bool watched;
  int span;         /* 0: none is open */
  bool interrupted; /* a callback came in the middle; the span continues under its name */
  char name[NAME_SIZE + 16];
} microtasks;

static void microtasks_end(uv_loop_t* loop) {
  int span = microtasks.span;
  microtasks.span = 0;
  if (span != 0)
    rondo_trace_end(loop, span);
}

static void microtasks_begin(uv_loop_t* loop, const char* behind) {
  if (!microtasks.watched)
    return;
  if (microtasks.span != 0)
    return; /* the microtasks haven't run yet and still belong to the callback before */
  if (!microtasks.interrupted)
    snprintf(microtasks.name, sizeof(microtasks.name), "microtasks of %s", behind);
  microtasks.interrupted = false;
  microtasks.span = rondo_trace_begin(loop, microtasks.name);
}

static void microtasks_done(void* isolate, void* loop) {
  (void) isolate;
  microtasks.interrupted = false;
  microtasks_end(loop);
}

/* nameCode(): the engine reports its code to the recorder, for samples */
static napi_value addon_name_frames(napi_env env, napi_callback_info info) {
  (void) env, (void) info;
  addon_name_code();
  return NULL;
}

/* watchMicrotasks(): the engine then calls back for each request several times */
static napi_value addon_watch_microtasks(napi_env env, napi_callback_info info) {
  uv_loop_t* loop = addon_loop(env);
  (void) info;
  microtasks.watched = loop != NULL && addon_microtasks_watch(microtasks_done, loop);
  return NULL;
}

/* --- spans ---------------------------------------------------------------------------
 */

/* begin(name) → the span, for end() */
static napi_value addon_begin(napi_env env, napi_callback_info info) {
  char name[NAME_SIZE];
  uv_loop_t* loop = addon_loop(env);
  if (loop == NULL || !addon_name(env, info, name))
    return NULL;
  microtasks.interrupted = microtasks.span != 0;
  microtasks_end(loop);
  return addon_number(env, rondo_trace_begin(loop, name));
}

/* rename(name): of the innermost span */
static napi_value addon_rename(napi_env env, napi_callback_info info) {
  char name[NAME_SIZE];
  uv_loop_t* loop = addon_loop(env);
  if (loop != NULL && addon_name(env, info, name))
    rondo_trace_name(loop, name);
  return NULL;
}

/* end(span, name): a name means an outermost callback, whose microtasks follow */
static napi_value addon_end(napi_env env, napi_callback_info info) {
  char name[NAME_SIZE];
  napi_value values[2];
  size_t argc = 2, length;
  int32_t span;
  uv_loop_t* loop = addon_loop(env);
  if (loop == NULL || napi_get_cb_info(env, info, &argc, values, NULL, NULL) != 0 ||
      argc < 1 || napi_get_value_int32(env, values[0], &span) != 0)
    return NULL;
  rondo_trace_end(loop, span);
  if (argc == 2 &&
      napi_get_value_string_utf8(env, values[1], name, NAME_SIZE, &length) == 0)
    microtasks_begin(loop, name);
  return NULL;
}

/* origin(place): of the loop's next request, for the simulator */
static napi_value addon_origin(napi_env env, napi_callback_info info) {
  char place[NAME_SIZE];
  uv_loop_t* loop = addon_loop(env);
  if (loop != NULL && addon_name(env, info, place))
    rondo_sim_origin(loop, place);
  return NULL;
}

static void addon_export(napi_env env, napi_value exports, const char* name,
                         napi_callback callback) {
  napi_value function;
  if (napi_create_function(env, name, (size_t) -1, callback, NULL, &function) == 0)
    napi_set_named_property(env, exports, name, function);
}

/* Node calls this when the addon is loaded, once for each thread that does. */
__attribute__((visibility("default"))) napi_value
napi_register_module_v1(napi_env env, napi_value exports);

napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  addon_engine_find();
  addon_export(env, exports, "active", addon_active);
  addon_export(env, exports, "nameCode", addon_name_frames);
  addon_export(env, exports, "watchMicrotasks", addon_watch_microtasks);
  addon_export(env, exports, "placeOf", addon_place);
  addon_export(env, exports, "lineOf", addon_line);
  addon_export(env, exports, "begin", addon_begin);
  addon_export(env, exports, "rename", addon_rename);
  addon_export(env, exports, "end", addon_end);
  addon_export(env, exports, "origin", addon_origin);
  return exports;
}
