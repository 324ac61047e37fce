/* How a native function answers its caller in JavaScript. Each function that may wait
 * takes one argument that says how to answer: a function is called back with (error,
 * value), null asks for a promise, and undefined for a synchronous answer, as return
 * value or exception. A pending answer keeps its values alive until it is given, exactly
 * once. */
#ifndef RONDO_JS_ANSWER_H
#define RONDO_JS_ANSWER_H

#include "js.h"

struct answer {
  JSObjectRef callback;        /* or NULL */
  JSObjectRef resolve, reject; /* or NULL */
  JSObjectRef context;         /* in which the callback runs, or NULL */
};

/* Reads how to answer. Returns what the native function returns to its caller: the
 * promise, or undefined. */
JSValueRef js_answer_open(struct answer* answer, JSValueRef how);
/* The same for a request that async_hooks shows as another type than FSREQCALLBACK. */
JSValueRef js_answer_open_as(struct answer* answer, JSValueRef how, const char* type);

/* False if the caller is waiting for a synchronous answer. */
static inline bool answer_waits(const struct answer* answer) {
  return answer->callback != NULL || answer->resolve != NULL;
}

/* From a loop callback: enters JavaScript with the answer. error or value is NULL; a NULL
 * value with a NULL error means undefined; a callback then gets only the null error. */
void js_answer_give(struct answer* answer, JSValueRef error, JSValueRef value);

/* Drops an answer that will not be given. */
void js_answer_drop(struct answer* answer);

#endif
