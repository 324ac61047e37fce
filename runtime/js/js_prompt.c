/* native('prompt'): runs what was typed at a prompt so that Ctrl-C breaks it off. The
 * engine ends a program that is broken off down to its outermost frame, so the code runs
 * from the loop, with no JavaScript below it. */
#include "js.h"

#include <signal.h>

/* Exported by the engine's library, but declared in a header of its own only. */
extern void JSContextGroupSetExecutionTimeLimit(JSContextGroupRef group, double limit,
                                                bool (*may_end)(JSContextRef, void*),
                                                void* context);
extern void JSContextGroupClearExecutionTimeLimit(JSContextGroupRef group);

static const double look_seconds = 0.05; /* between two looks whether Ctrl-C came */
static volatile sig_atomic_t is_broken;

/* One input at a time: the prompt waits for its end. */
static struct {
  uv_timer_t soon;
  bool is_open;
  JSStringRef source, file;
  JSObjectRef done;
} input;

static void break_off(int number) {
  (void) number;
  is_broken = 1;
}

/* The engine looks once for each limit that is set: the next look has to be asked for. */
static bool may_end(JSContextRef ctx, void* context) {
  (void) context;
  if (is_broken)
    return true;
  JSContextGroupSetExecutionTimeLimit(JSContextGetGroup(ctx), look_seconds, may_end,
                                      NULL);
  return false;
}

/* From before the terminal makes Ctrl-C a signal until it is a key again, the signal is
 * caught: at no moment it ends the program. */
static struct {
  bool is_set;
  struct sigaction before;
} guard;

/* guard() */
static JSValueRef prompt_guard(JS_ARGS) {
  JS_UNUSED;
  struct sigaction handler = {.sa_handler = break_off};
  sigemptyset(&handler.sa_mask);
  is_broken = 0;
  if (!guard.is_set)
    guard.is_set = sigaction(SIGINT, &handler, &guard.before) == 0;
  return js_undefined();
}

/* unguard(): whether Ctrl-C came. A handler that the program has set meanwhile stays. */
static JSValueRef prompt_unguard(JS_ARGS) {
  JS_UNUSED;
  if (!guard.is_set)
    return js_boolean(false);
  struct sigaction now;
  if (sigaction(SIGINT, NULL, &now) == 0 && now.sa_handler == break_off)
    sigaction(SIGINT, &guard.before, NULL);
  guard.is_set = false;
  return js_boolean(is_broken != 0);
}

static JSValueRef evaluate_breakable(JSValueRef* exception) {
  JSContextGroupRef group = JSContextGetGroup(js.ctx);
  JSContextGroupSetExecutionTimeLimit(group, look_seconds, may_end, NULL);
  JSValueRef value =
      JSEvaluateScript(js.ctx, input.source, NULL, input.file, 1, exception);
  JSContextGroupClearExecutionTimeLimit(group);
  if (is_broken && *exception != NULL)
    *exception = js_error("Error", "ERR_SCRIPT_EXECUTION_INTERRUPTED",
                          "Script execution was interrupted by `SIGINT`");
  return value != NULL ? value : js_undefined();
}

static void run_input(uv_timer_t* timer) {
  (void) timer;
  JSValueRef exception = NULL;
  JSObjectRef done = input.done;
  rondo_node_enter(js.node);
  JSValueRef value = evaluate_breakable(&exception);
  JSValueRef answer[] = {js_boolean(exception != NULL),
                         exception != NULL ? exception : value};
  JSStringRelease(input.source);
  JSStringRelease(input.file);
  input.done = NULL;
  js_call_scoped(done, NULL, 2, answer);
  js_drop(done);
  rondo_node_leave(js.node, NULL);
}

/* evaluate(source, file name, callback): calls back with whether it threw, and the value.
 * Returns a negative error if it can't be. */
static JSValueRef prompt_evaluate(JS_ARGS) {
  (void) ctx, (void) function, (void) self;
  if (input.done != NULL)
    return js_number(UV_EBUSY);
  if (!input.is_open && uv_timer_init(js.loop, &input.soon) != 0)
    return js_number(UV_ENOMEM);
  input.is_open = true;
  input.source = JSValueToStringCopy(js.ctx, js_arg(argc, argv, 0), exception);
  if (input.source == NULL)
    return js_undefined();
  input.file = JSValueToStringCopy(js.ctx, js_arg(argc, argv, 1), exception);
  if (input.file == NULL) {
    JSStringRelease(input.source);
    return js_undefined();
  }
  input.done = (JSObjectRef) (uintptr_t) js_arg(argc, argv, 2);
  js_keep(input.done);
  return js_number(uv_timer_start(&input.soon, run_input, 0, 0));
}

void native_prompt(JSObjectRef exports) {
  static const struct js_method methods[] = {{"evaluate", prompt_evaluate},
                                             {"guard", prompt_guard},
                                             {"unguard", prompt_unguard},
                                             {NULL, NULL}};
  js_methods(exports, methods);
}
