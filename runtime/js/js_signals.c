/* native('signals'): process.on('SIGINT', …). One watcher for each signal, unreferenced:
 * waiting for a signal doesn't keep the process alive. */
#include "js_contexts.h"

#include <signal.h>
#include <stdlib.h>

static JSObjectRef on_signal;
static uv_signal_t* watchers[65];
static JSObjectRef contexts[65]; /* in which their listeners run */

static void signal_came(uv_signal_t* handle, int number) {
  (void) handle;
  JSValueRef argument = js_number(number);
  js_context_next(contexts[number]);
  js_call_scoped(on_signal, NULL, 1, &argument);
}

static void signal_closed(uv_handle_t* handle) {
  free(handle);
}

/* start(number) → 0 or a libuv error */
static JSValueRef signals_start(JS_ARGS) {
  JS_UNUSED;
  int number = js_arg_int(argc, argv, 0, 0);
  if (number < 1 || number > 64)
    return js_number(UV_EINVAL);
  if (watchers[number] != NULL)
    return js_number(0);
  uv_signal_t* handle = malloc(sizeof(*handle));
  if (handle == NULL)
    return js_number(UV_ENOMEM);
  int err = uv_signal_init(js.loop, handle);
  if (err != 0) {
    free(handle);
    return js_number(err);
  }
  uv_unref((uv_handle_t*) handle);
  err = uv_signal_start(handle, signal_came, number);
  if (err != 0)
    uv_close((uv_handle_t*) handle, signal_closed);
  else
    watchers[number] = handle;
  if (err == 0)
    contexts[number] = js_context_capture("SIGNALWRAP", NULL);
  return js_number(err);
}

static JSValueRef signals_stop(JS_ARGS) {
  JS_UNUSED;
  int number = js_arg_int(argc, argv, 0, 0);
  if (number >= 1 && number <= 64 && watchers[number] != NULL) {
    uv_close((uv_handle_t*) watchers[number], signal_closed);
    watchers[number] = NULL;
    js_context_end(contexts[number]);
    contexts[number] = NULL;
  }
  return js_undefined();
}

static JSValueRef signals_callback(JS_ARGS) {
  JS_UNUSED;
  on_signal = js_arg_function(argc, argv, 0);
  js_keep(argv[0]);
  return js_undefined();
}

void native_signals(JSObjectRef exports) {
  static const struct js_method methods[] = {
      {"start", signals_start},
      {"stop", signals_stop},
      {"setCallback", signals_callback},
      {NULL, NULL},
  };
  static const struct {
    const char* name;
    int number;
  } known[] = {
      {"SIGHUP", SIGHUP},   {"SIGINT", SIGINT},     {"SIGQUIT", SIGQUIT},
      {"SIGILL", SIGILL},   {"SIGTRAP", SIGTRAP},   {"SIGABRT", SIGABRT},
      {"SIGIOT", SIGIOT},   {"SIGBUS", SIGBUS},     {"SIGFPE", SIGFPE},
      {"SIGKILL", SIGKILL}, {"SIGUSR1", SIGUSR1},   {"SIGSEGV", SIGSEGV},
      {"SIGUSR2", SIGUSR2}, {"SIGPIPE", SIGPIPE},   {"SIGALRM", SIGALRM},
      {"SIGTERM", SIGTERM}, {"SIGCHLD", SIGCHLD},   {"SIGSTKFLT", SIGSTKFLT},
      {"SIGCONT", SIGCONT}, {"SIGSTOP", SIGSTOP},   {"SIGTSTP", SIGTSTP},
      {"SIGTTIN", SIGTTIN}, {"SIGTTOU", SIGTTOU},   {"SIGURG", SIGURG},
      {"SIGXCPU", SIGXCPU}, {"SIGXFSZ", SIGXFSZ},   {"SIGVTALRM", SIGVTALRM},
      {"SIGPROF", SIGPROF}, {"SIGWINCH", SIGWINCH}, {"SIGIO", SIGIO},
      {"SIGPOLL", SIGPOLL}, {"SIGPWR", SIGPWR},     {"SIGSYS", SIGSYS},
  };
  JSObjectRef numbers = js_object();
  js_methods(exports, methods);
  for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
    js_set_number(numbers, known[i].name, known[i].number);
  js_set(exports, "numbers", numbers);
}
