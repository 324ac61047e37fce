/* Node's stable C interface (Node-API, version 3), as documented: declared here, so that
 * one build serves every Node from 12 on. And what the addon's files share. */
#ifndef RONDO_NODE_ADDON_NAPI_H
#define RONDO_NODE_ADDON_NAPI_H

#include "rondo.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
extern napi_status napi_get_value_int64(napi_env env, napi_value value, int64_t* result);
extern napi_status napi_create_int32(napi_env env, int32_t value, napi_value* result);
extern napi_status napi_create_int64(napi_env env, int64_t value, napi_value* result);
extern napi_status napi_add_env_cleanup_hook(napi_env env, void (*hook)(void* data),
                                             void* data);
extern napi_status napi_get_uv_event_loop(napi_env env, uv_loop_t** loop);
extern napi_status napi_create_arraybuffer(napi_env env, size_t length, void** data,
                                           napi_value* result);
extern napi_status napi_create_typedarray(napi_env env, int type, size_t length,
                                          napi_value buffer, size_t offset,
                                          napi_value* result);
extern napi_status napi_create_object(napi_env env, napi_value* result);
extern napi_status napi_create_external(napi_env env, void* data,
                                        void (*finalize)(napi_env env, void* data,
                                                         void* hint),
                                        void* hint, napi_value* result);
enum { NAPI_INT32_ARRAY = 5 };

enum { NAME_SIZE = 1009 }; /* a span's name has 1008 bytes at most */

/* The environment's loop, or NULL. */
uv_loop_t* addon_loop(napi_env env);
/* A call's first argument, also as a text; false without. */
bool addon_argument(napi_env env, napi_callback_info info, napi_value* value);
bool addon_name(napi_env env, napi_callback_info info, char name[NAME_SIZE]);
napi_value addon_number(napi_env env, int32_t number);

#endif
