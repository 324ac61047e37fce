/* rondo-node.node: lets JavaScript in Node name the spans of a recording.
 *
 * `rondo trace` preloads names.js into every Node that it starts; this addon gives that
 * script access to the recorder of its loop. */
#include "addon_code.h"
#include "addon_collections.h"
#include "addon_napi.h"
#include "addon_spans.h"

#include "rondo.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- functions --------------------------------------------------------------------- */

uv_loop_t* addon_loop(napi_env env) {
  uv_loop_t* loop = NULL;
  return napi_get_uv_event_loop(env, &loop) == 0 ? loop : NULL;
}

bool addon_argument(napi_env env, napi_callback_info info, napi_value* value) {
  size_t argc = 1;
  return napi_get_cb_info(env, info, &argc, value, NULL, NULL) == 0 && argc >= 1;
}

bool addon_name(napi_env env, napi_callback_info info, char name[NAME_SIZE]) {
  napi_value value;
  size_t length;
  return addon_argument(env, info, &value) &&
         napi_get_value_string_utf8(env, value, name, NAME_SIZE, &length) == 0;
}

napi_value addon_number(napi_env env, int32_t number) {
  napi_value result = NULL;
  return napi_create_int32(env, number, &result) == 0 ? result : NULL;
}

/* active() → 1 while the loop is recorded */
static napi_value addon_active(napi_env env, napi_callback_info info) {
  const uv_loop_t* loop = addon_loop(env);
  (void) info;
  return addon_number(env, loop != NULL && rondo_trace_active(loop));
}

/* placeOf(function) → the script's name, as V8 has it; lineOf(function) → its line, and
 * columnOf(function) → its column, 0 if that isn't known */
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

static napi_value addon_column(napi_env env, napi_callback_info info) {
  napi_value function;
  return addon_argument(env, info, &function)
             ? addon_number(env, addon_function_column(function))
             : NULL;
}

/* targetOf(function) → the function that a bound one calls, or undefined */
static napi_value addon_target(napi_env env, napi_callback_info info) {
  napi_value function;
  return addon_argument(env, info, &function) ? addon_function_target(function) : NULL;
}

/* --- the rest -----------------------------------------------------------------------
 */

/* nameCode(): the engine reports its code to the recorder, for samples */
static napi_value addon_name_frames(napi_env env, napi_callback_info info) {
  (void) env, (void) info;
  addon_name_code();
  return NULL;
}

/* rename(name): of the innermost span */
static napi_value addon_rename(napi_env env, napi_callback_info info) {
  char name[NAME_SIZE];
  uv_loop_t* loop = addon_loop(env);
  if (loop != NULL && addon_name(env, info, name))
    rondo_trace_name(loop, name);
  return NULL;
}

/* origin(place): of the loop's next request, for the simulator; work(name): what it is
 * called, if it is work for the pool */
static napi_value addon_origin(napi_env env, napi_callback_info info) {
  char place[NAME_SIZE];
  uv_loop_t* loop = addon_loop(env);
  if (loop != NULL && addon_name(env, info, place))
    rondo_sim_origin(loop, place);
  return NULL;
}

static napi_value addon_work(napi_env env, napi_callback_info info) {
  char name[NAME_SIZE];
  uv_loop_t* loop = addon_loop(env);
  if (loop != NULL && addon_name(env, info, name))
    rondo_sim_work(loop, name);
  return NULL;
}

/* describe(id, words): the next handle, or that to which the id was given before */
static napi_value addon_describe(napi_env env, napi_callback_info info) {
  char words[NAME_SIZE];
  napi_value values[2];
  size_t argc = 2, length;
  int32_t id;
  uv_loop_t* loop = addon_loop(env);
  if (loop != NULL && napi_get_cb_info(env, info, &argc, values, NULL, NULL) == 0 &&
      argc == 2 && napi_get_value_int32(env, values[0], &id) == 0 && id > 0 &&
      napi_get_value_string_utf8(env, values[1], words, NAME_SIZE, &length) == 0)
    rondo_sim_describe(loop, NULL, (uint64_t) id, words);
  return NULL;
}

/* countReferenced(): takes down which async handles keep the loop alive;
 * describeReferenced(id, words): the one that didn't then, and does now, if it is one */
enum { REFERENCED_MOST = 64 };
static _Thread_local struct {
  const uv_handle_t* handles[REFERENCED_MOST];
  int count;
  const uv_handle_t* added;
  int added_count;
} referenced;

static void referenced_note(uv_handle_t* handle, void* unused) {
  (void) unused;
  if (handle->type == UV_ASYNC && uv_has_ref(handle) &&
      referenced.count < REFERENCED_MOST)
    referenced.handles[referenced.count++] = handle;
}

static void referenced_look(uv_handle_t* handle, void* unused) {
  (void) unused;
  bool was_there = handle->type != UV_ASYNC || !uv_has_ref(handle);
  for (int i = 0; i < referenced.count; i++)
    was_there |= referenced.handles[i] == handle;
  if (was_there)
    return;
  referenced.added = handle;
  referenced.added_count++;
}

static napi_value addon_count_referenced(napi_env env, napi_callback_info info) {
  uv_loop_t* loop = addon_loop(env);
  (void) info;
  referenced.count = referenced.added_count = 0;
  if (loop != NULL)
    uv_walk(loop, referenced_note, NULL);
  return NULL;
}

static napi_value addon_describe_referenced(napi_env env, napi_callback_info info) {
  char words[NAME_SIZE];
  napi_value values[2];
  size_t argc = 2, length;
  int32_t id;
  uv_loop_t* loop = addon_loop(env);
  if (loop == NULL || napi_get_cb_info(env, info, &argc, values, NULL, NULL) != 0 ||
      argc != 2 || napi_get_value_int32(env, values[0], &id) != 0 || id <= 0 ||
      napi_get_value_string_utf8(env, values[1], words, NAME_SIZE, &length) != 0)
    return NULL;
  uv_walk(loop, referenced_look, NULL);
  if (referenced.added_count == 1 && referenced.count < REFERENCED_MOST)
    rondo_sim_describe(loop, referenced.added, (uint64_t) id, words);
  return NULL;
}

/* --- for `rondo step` ----------------------------------------------------------------
 */

/* stepJoin() → 1 if the loop's steps are shown: timers, immediates and ticks are reported
 * by rondo-step.js */
static napi_value addon_step_join(napi_env env, napi_callback_info info) {
  uv_loop_t* loop = addon_loop(env);
  (void) info;
  const unsigned int known =
      1u << RONDO_STEP_TIMERS | 1u << RONDO_STEP_IMMEDIATES | 1u << RONDO_STEP_TICKS;
  return addon_number(env, loop != NULL && rondo_step_join(loop, known));
}

/* stepPut(queue, key, name, due, flags), with due in the loop's milliseconds */
static napi_value addon_step_put(napi_env env, napi_callback_info info) {
  char name[NAME_SIZE];
  napi_value values[5];
  size_t argc = 5, length;
  int32_t queue, flags;
  int64_t key, due;
  uv_loop_t* loop = addon_loop(env);
  if (loop != NULL && napi_get_cb_info(env, info, &argc, values, NULL, NULL) == 0 &&
      argc == 5 && napi_get_value_int32(env, values[0], &queue) == 0 &&
      napi_get_value_int64(env, values[1], &key) == 0 &&
      napi_get_value_string_utf8(env, values[2], name, NAME_SIZE, &length) == 0 &&
      napi_get_value_int64(env, values[3], &due) == 0 &&
      napi_get_value_int32(env, values[4], &flags) == 0)
    rondo_step_put(loop, queue, (uint64_t) key, name, due < 0 ? 0 : (uint64_t) due,
                   (unsigned int) flags);
  return NULL;
}

/* stepTake(queue, key) */
static napi_value addon_step_take(napi_env env, napi_callback_info info) {
  napi_value values[2];
  size_t argc = 2;
  int32_t queue;
  int64_t key;
  uv_loop_t* loop = addon_loop(env);
  if (loop != NULL && napi_get_cb_info(env, info, &argc, values, NULL, NULL) == 0 &&
      argc == 2 && napi_get_value_int32(env, values[0], &queue) == 0 &&
      napi_get_value_int64(env, values[1], &key) == 0)
    rondo_step_take(loop, queue, (uint64_t) key);
  return NULL;
}

/* stepScript(name), stepScript(): the main script begins, or ends */
static napi_value addon_step_script(napi_env env, napi_callback_info info) {
  char name[NAME_SIZE];
  uv_loop_t* loop = addon_loop(env);
  if (loop != NULL)
    rondo_step_script(loop, addon_name(env, info, name) ? name : NULL);
  return NULL;
}

/* now() → uv_now */
static napi_value addon_now(napi_env env, napi_callback_info info) {
  const uv_loop_t* loop = addon_loop(env);
  napi_value result = NULL;
  (void) info;
  return napi_create_int64(env, loop == NULL ? 0 : (int64_t) uv_now(loop), &result) == 0
             ? result
             : NULL;
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
  addon_export(env, exports, "watchCollections", addon_watch_collections);
  addon_export(env, exports, "placeOf", addon_place);
  addon_export(env, exports, "lineOf", addon_line);
  addon_export(env, exports, "columnOf", addon_column);
  addon_export(env, exports, "targetOf", addon_target);
  addon_export(env, exports, "rename", addon_rename);
  addon_export(env, exports, "origin", addon_origin);
  addon_export(env, exports, "spans", addon_spans);
  addon_export(env, exports, "work", addon_work);
  addon_export(env, exports, "describe", addon_describe);
  addon_export(env, exports, "countReferenced", addon_count_referenced);
  addon_export(env, exports, "describeReferenced", addon_describe_referenced);
  addon_export(env, exports, "stepJoin", addon_step_join);
  addon_export(env, exports, "stepPut", addon_step_put);
  addon_export(env, exports, "stepTake", addon_step_take);
  addon_export(env, exports, "stepScript", addon_step_script);
  addon_export(env, exports, "now", addon_now);
  return exports;
}
