/* Facts that only V8 knows of code and functions. Nothing is called before
 * addon_engine_find, which finds V8's interface in the process; any thread may do that
 * again. */
#ifndef RONDO_NODE_ADDON_CODE_H
#define RONDO_NODE_ADDON_CODE_H

#include <stdbool.h>

struct napi_value__;

void addon_engine_find(void);

/* Announces the code that V8 has generated in the calling thread's isolate, and all that
 * it will generate there, to rondo_trace_code. */
void addon_name_code(void);

/* Calls back whenever the isolate has run all its microtasks; false if it can't. */
bool addon_microtasks_watch(void (*done)(void* isolate, void* data), void* data);

/* Calls back when a garbage collection begins and when it ends, with its kind, a bit of
 * v8::GCType; false if it can't. Until addon_collections_leave, on the same thread. */
typedef void (*addon_collection)(void* isolate, int kind, int flags, void* data);
bool addon_collections_watch(addon_collection began, addon_collection ended, void* data);
void addon_collections_leave(addon_collection began, addon_collection ended, void* data);

/* Where a function was defined: the name of the script, NULL if it isn't known; and the
 * line and the column, 0 if it isn't known. */
struct napi_value__* addon_function_script(const struct napi_value__* function);
int addon_function_line(const struct napi_value__* function);
int addon_function_column(const struct napi_value__* function);
/* The function that a bound one calls; otherwise undefined, or NULL. */
struct napi_value__* addon_function_target(const struct napi_value__* function);

#endif
