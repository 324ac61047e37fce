/* rondo-node.node: what Node needs to name the spans of a recording from JavaScript.
 *
 * `rondo trace` preloads names.js into every Node that it starts; this addon is how that
 * script reaches the recorder of its own loop. Only Node's stable C interface (Node-API,
 * version 2) is used, declared here, so that one build serves every Node from 12 on. */
#include "addon_code.h"

#include "rondo.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* nameCode(): of this thread's engine, for samples */
static napi_value addon_code(napi_env env, napi_callback_info info) {
  (void) env;
  (void) info;
  addon_name_code();
  return NULL;
}

/* begin(name) → the span, for end() */
static napi_value addon_begin(napi_env env, napi_callback_info info) {
  char name[NAME_SIZE];
  uv_loop_t* loop = addon_loop(env);
  if (loop == NULL || !addon_name(env, info, name))
    return NULL;
  return addon_number(env, rondo_trace_begin(loop, name));
}

/* The argument behind the name: which of the spans that are over. */
static int32_t addon_second(napi_env env, napi_callback_info info) {
  napi_value values[2];
  size_t argc = 2;
  int32_t number = 0;
  if (napi_get_cb_info(env, info, &argc, values, NULL, NULL) != 0 || argc < 2 ||
      napi_get_value_int32(env, values[1], &number) != 0)
    return 0;
  return number;
}

/* renameEnded(name, ago): of the span that ended so many ago */
static napi_value addon_rename_ended(napi_env env, napi_callback_info info) {
  char name[NAME_SIZE];
  uv_loop_t* loop = addon_loop(env);
  if (loop != NULL && addon_name(env, info, name))
    rondo_trace_name_ended(loop, addon_second(env, info), name);
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

/* end(span) */
static napi_value addon_end(napi_env env, napi_callback_info info) {
  napi_value value;
  int32_t span;
  uv_loop_t* loop = addon_loop(env);
  if (loop != NULL && addon_argument(env, info, &value) &&
      napi_get_value_int32(env, value, &span) == 0)
    rondo_trace_end(loop, span);
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
  addon_export(env, exports, "active", addon_active);
  addon_export(env, exports, "nameCode", addon_code);
  addon_export(env, exports, "begin", addon_begin);
  addon_export(env, exports, "rename", addon_rename);
  addon_export(env, exports, "renameEnded", addon_rename_ended);
  addon_export(env, exports, "end", addon_end);
  return exports;
}
