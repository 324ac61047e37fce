/* Answers from C to JavaScript: by callback or by promise. */
#include "answer.h"

JSValueRef js_answer_open(answer_t* answer, JSValueRef how) {
  *answer = (answer_t){0};
  if (JSValueIsNull(js.ctx, how)) {
    JSObjectRef promise =
        JSObjectMakeDeferredPromise(js.ctx, &answer->resolve, &answer->reject, NULL);
    js_keep(answer->resolve);
    js_keep(answer->reject);
    return promise;
  }
  if (JSValueIsObject(js.ctx, how)) {
    answer->callback = (JSObjectRef) how;
    js_keep(how);
  }
  return js_undefined();
}

void js_answer_drop(answer_t* answer) {
  if (answer->callback != NULL)
    js_drop(answer->callback);
  if (answer->resolve != NULL) {
    js_drop(answer->resolve);
    js_drop(answer->reject);
  }
  *answer = (answer_t){0};
}

void js_answer_give(answer_t* answer, JSValueRef error, JSValueRef value) {
  /* The callback may do anything, so nothing of the answer is used after it is called.
   * What it needs is on this stack, where the collector looks for it. */
  answer_t given = *answer;
  js_answer_drop(answer);
  if (given.callback == NULL) {
    JSValueRef settled = error != NULL ? error : value != NULL ? value : js_undefined();
    js_call_scoped(error != NULL ? given.reject : given.resolve, NULL, 1, &settled);
    return;
  }
  JSValueRef arguments[2] = {error != NULL ? error : js_null(), value};
  js_call_scoped(given.callback, NULL, value != NULL ? 2 : 1, arguments);
}
