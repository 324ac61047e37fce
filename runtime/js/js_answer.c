/* Answers from C to JavaScript: by callback or by promise. */
#include "js_answer.h"
#include "js_contexts.h"

#include <stdio.h>
#include <stdlib.h>

JSValueRef js_answer_open(struct answer* answer, JSValueRef how) {
  return js_answer_open_as(answer, how, "FSREQCALLBACK");
}

JSValueRef js_answer_open_as(struct answer* answer, JSValueRef how, const char* type) {
  *answer = (struct answer){0};
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
    answer->context = js_context_capture(type, NULL);
  }
  return js_undefined();
}

void js_answer_drop(struct answer* answer) {
  if (answer->callback != NULL)
    js_drop(answer->callback);
  js_context_end(answer->context);
  if (answer->resolve != NULL) {
    js_drop(answer->resolve);
    js_drop(answer->reject);
  }
  *answer = (struct answer){0};
}

/* An error made here has no frames. In an error that is awaited the stack names at least
 * the call, as in Node; for callbacks Node's errors have no frames either. */
static void name_the_call(JSValueRef error) {
  JSObjectRef object = (JSObjectRef) (uintptr_t) error;
  char* syscall = js_utf8(js_get(object, "syscall"), NULL);
  char* stack = js_utf8(js_get(object, "stack"), NULL);
  char text[2048];
  if (syscall != NULL && stack != NULL &&
      snprintf(text, sizeof(text), "%s\n    at async %s (node:internal/fs/promises)",
               stack, syscall) < (int) sizeof(text))
    js_set_string(object, "stack", text);
  free(syscall);
  free(stack);
}

void js_answer_give(struct answer* answer, JSValueRef error, JSValueRef value) {
  /* The callback may do anything, so `answer` isn't used after it is called. The values
   * needed are on this stack, where the collector finds them. */
  struct answer given = *answer;
  js_context_next(answer->context);
  js_answer_drop(answer);
  if (given.callback == NULL) {
    if (error != NULL)
      name_the_call(error);
    JSValueRef settled = error != NULL ? error : value != NULL ? value : js_undefined();
    js_call_scoped(error != NULL ? given.reject : given.resolve, NULL, 1, &settled);
    return;
  }
  JSValueRef arguments[2] = {error != NULL ? error : js_null(), value};
  js_call_bare(given.callback, value != NULL ? 2 : 1, arguments);
}
