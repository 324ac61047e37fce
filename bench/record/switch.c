/* An addon for Node that switches its loop's ring off and on: http_server.js with SWITCH
 * in its environment.
 *
 * Two starts of one Node differ by some percent, more than the ring costs, so the two are
 * compared within one process. Nobody else may do this: between two switches the recorder
 * has the state that it would have behind a turn, and for its watchers the loop sleeps.
 */
#include "trace/recorder.h"

typedef struct napi_env__* napi_env;
typedef struct napi_value__* napi_value;
typedef struct napi_callback_info__* napi_callback_info;
typedef napi_value (*napi_callback)(napi_env env, napi_callback_info info);

extern int napi_create_function(napi_env env, const char* name, size_t length,
                                napi_callback callback, void* data, napi_value* result);
extern int napi_get_cb_info(napi_env env, napi_callback_info info, size_t* argc,
                            napi_value* argv, napi_value* self, void** data);
extern int napi_get_value_bool(napi_env env, napi_value value, bool* result);
extern int napi_get_uv_event_loop(napi_env env, uv_loop_t** loop);

static struct recorder* kept;

static void ring_off(uv_loop_t* loop) {
  struct recorder* recorder = loop->trace_state;
  if (recorder == NULL || recorder->live == NULL)
    return;
  recorder->depth = recorder->live->depth = 0;
  recorder->quick = QUICK_NOT;
  recorder->phase = -1;
  recorder->live->looked_ns = recorder->last_ns | BOARD_ASLEEP;
  kept = recorder;
  loop->trace_state = NULL;
}

static napi_value ring_switch(napi_env env, napi_callback_info info) {
  napi_value value = NULL;
  size_t argc = 1;
  uv_loop_t* loop = NULL;
  bool on = false;
  if (napi_get_cb_info(env, info, &argc, &value, NULL, NULL) != 0 ||
      napi_get_value_bool(env, value, &on) != 0 ||
      napi_get_uv_event_loop(env, &loop) != 0)
    return NULL;
  if (!on)
    ring_off(loop);
  else if (loop->trace_state == NULL)
    loop->trace_state = kept;
  return NULL;
}

__attribute__((visibility("default"))) napi_value
napi_register_module_v1(napi_env env, napi_value exports);
napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  napi_value function = NULL;
  (void) exports;
  return napi_create_function(env, "ringSwitch", SIZE_MAX, ring_switch, NULL,
                              &function) == 0
             ? function
             : NULL;
}
