/* How a native function answers its caller in JavaScript. Each function that may wait
 * takes one argument that says how: a function is called back with (error, value), null
 * asks for a promise, and undefined for the answer at once, as return value or exception.
 * An answer that waits keeps what it needs alive until it is given, exactly once. */
#ifndef RONDO_JS_ANSWER_H
#define RONDO_JS_ANSWER_H

#include "js.h"

struct answer {
  JSObjectRef callback;        /* or NULL */
  JSObjectRef resolve, reject; /* or NULL */
};

/* Reads how to answer. Returns what the native function returns to its caller: the
 * promise, or undefined. */
JSValueRef js_answer_open(struct answer* answer, JSValueRef how);

/* False if the caller stands waiting for the answer as return value. */
static inline bool answer_waits(const struct answer* answer) {
  return answer->callback != NULL || answer->resolve != NULL;
}

/* From a loop callback: enters JavaScript with the answer. error or value is NULL; a
 * NULL value with a NULL error is undefined, of which a callback gets only the null.
 */
void js_answer_give(struct answer* answer, JSValueRef error, JSValueRef value);

/* Lets go of an answer that will not be given. */
void js_answer_drop(struct answer* answer);

#endif
