/* Records V8's garbage collections: each is reported to the recorder of its thread's loop
 * when it has ended. */
#include "addon_collections.h"
#include "addon_code.h"

/* Kinds are bits, and which is which differs with V8's version: Node says it. */
enum { KIND_MINOR, KIND_MAJOR, KIND_INCREMENTAL, KIND_WEAK, KINDS };

static _Thread_local struct {
  uv_loop_t* loop;
  int32_t bits[KINDS];
  int depth; /* of collections that have begun inside of others */
  uint64_t began_ns;
} collections;

static const char* collection_name(int kind) {
  static const char* const names[KINDS] = {"scavenge", "mark-compact", "begin of marking",
                                           "weak callbacks"};
  for (size_t i = 0; i < KINDS; i++) {
    if (kind == collections.bits[i])
      return names[i];
  }
  return "minor mark-sweep";
}

static void collection_began(void* isolate, int kind, int flags, void* data) {
  (void) isolate, (void) kind, (void) flags, (void) data;
  if (collections.depth++ == 0)
    collections.began_ns = uv_hrtime();
}

static void collection_ended(void* isolate, int kind, int flags, void* data) {
  (void) isolate, (void) flags, (void) data;
  if (collections.depth > 0 && --collections.depth == 0)
    rondo_trace_collected(collections.loop, collection_name(kind), collections.began_ns,
                          uv_hrtime());
}

/* The loop ends with the environment, the isolate later. */
static void collections_leave(void* data) {
  addon_collections_leave(collection_began, collection_ended, data);
}

/* watchCollections(minor, major, incremental, weak): the bits of these kinds */
napi_value addon_watch_collections(napi_env env, napi_callback_info info) {
  napi_value values[KINDS];
  size_t argc = KINDS;
  collections.loop = addon_loop(env);
  if (collections.loop == NULL ||
      napi_get_cb_info(env, info, &argc, values, NULL, NULL) != 0 || argc < KINDS)
    return NULL;
  for (size_t i = 0; i < KINDS; i++) {
    if (napi_get_value_int32(env, values[i], &collections.bits[i]) != 0)
      return NULL;
  }
  if (addon_collections_watch(collection_began, collection_ended, &collections))
    napi_add_env_cleanup_hook(env, collections_leave, &collections);
  return NULL;
}
