/* Asynchronous contexts in C, for whatever calls JavaScript back later: capture one when
 * the request begins, and call back in it. All of it costs a comparison while no program
 * uses async_hooks. */
#ifndef RONDO_JS_CONTEXTS_H
#define RONDO_JS_CONTEXTS_H

#include "js.h"

/* The context of a request that begins now, with its type as async_hooks shows it
 * ("FSREQCALLBACK"). Protected until js_context_end. NULL if nobody asks for contexts,
 * which all these functions take. `cause` is the context of the handle that the request
 * is on, or NULL. */
JSObjectRef js_context_capture(const char* type, JSObjectRef cause);
/* The same for a handle, with the object of JavaScript that owns it, or NULL. */
JSObjectRef js_context_of_handle(const char* type, JSObjectRef owner);
/* After the last callback, or before it if that is announced with js_context_next. */
void js_context_end(JSObjectRef context);

/* The js_call_scoped or js_call_bare that comes next runs in this context. */
void js_context_next(JSObjectRef context);

/* For js_call.c and js_engine.c: takes the context that js_context_next has set, to be
 * dropped after the call; calls in one; and, after microtasks, ends the context that the
 * last one left behind. */
JSObjectRef js_context_take(void);
void js_context_drop(JSObjectRef context);
void js_context_call(JSObjectRef context, JSObjectRef function, JSObjectRef self,
                     size_t argc, const JSValueRef argv[], JSValueRef* exception);
void js_context_settle(void);

#endif
