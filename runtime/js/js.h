/* The interface for native modules: a thin layer over JavaScriptCore's C interface and
 * the Node layer. There is one engine in the process, `js`.
 *
 * The rules:
 *  - A native function is called by JavaScript with the context as first argument and may
 *    call JavaScript back directly; it throws by setting *exception.
 *  - A loop callback enters JavaScript only through js_call_scoped (or rondo_node_call),
 *    so that ticks and microtasks run after it.
 *  - A JavaScript value that C keeps beyond the current call must be protected (js_keep)
 *    and released (js_drop) exactly once. */
#ifndef RONDO_JS_H
#define RONDO_JS_H

#include "js_start.h"
#include "rondo_node.h"
#include "uv.h"

#include <JavaScriptCore/JavaScript.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct js_engine {
  JSGlobalContextRef ctx;
  rondo_node_t* node;
  uv_loop_t* loop;
  uint64_t start_time; /* in ns, on the clock of uv_hrtime */
  double start_wall;   /* ms since 1970 */
  int argc;            /* argv[0] is this program, the rest the script's */
  char** argv;
};

extern struct js_engine js;

#define JS_ARGS                                                                          \
  JSContextRef ctx, JSObjectRef function, JSObjectRef self, size_t argc,                 \
      const JSValueRef argv[], JSValueRef *exception
#define JS_UNUSED                                                                        \
  ((void) ctx, (void) function, (void) self, (void) argc, (void) argv, (void) exception)

/* ---- making values ------------------------------------------------------- */

struct js_method {
  const char* name;
  JSObjectCallAsFunctionCallback call;
};

JSObjectRef js_object(void);
JSObjectRef js_function(const char* name, JSObjectCallAsFunctionCallback call);
/* Ends with an entry whose name is NULL. */
void js_methods(JSObjectRef target, const struct js_method* methods);
void js_set(JSObjectRef target, const char* name, JSValueRef value);
void js_set_number(JSObjectRef target, const char* name, double value);
void js_set_string(JSObjectRef target, const char* name, const char* utf8);
JSValueRef js_get(JSObjectRef object, const char* name);

JSValueRef js_undefined(void);
JSValueRef js_null(void);
JSValueRef js_number(double value);
JSValueRef js_boolean(bool value);
/* Invalid UTF-8 gives U+FFFD, as in Node. */
JSValueRef js_string(const char* utf8);
JSValueRef js_string_n(const char* utf8, size_t length);
JSObjectRef js_array(size_t count, const JSValueRef values[]);

/* A Uint8Array over memory from malloc. The array owns the memory: free() is called when
 * it is collected. */
JSValueRef js_bytes_take(void* bytes, size_t length);
/* A Uint8Array, Int32Array … over memory that lives as long as the process. */
JSValueRef js_shared(JSTypedArrayType type, void* bytes, size_t length);

/* ---- reading arguments --------------------------------------------------- */

/* The argument, or undefined when fewer were given. */
JSValueRef js_arg(size_t argc, const JSValueRef argv[], size_t index);
double js_arg_number(size_t argc, const JSValueRef argv[], size_t index,
                     double otherwise);
int32_t js_arg_int(size_t argc, const JSValueRef argv[], size_t index, int32_t otherwise);
bool js_arg_bool(size_t argc, const JSValueRef argv[], size_t index);
/* NULL unless the argument is a function (an object). */
JSObjectRef js_arg_function(size_t argc, const JSValueRef argv[], size_t index);
JSObjectRef js_arg_object(size_t argc, const JSValueRef argv[], size_t index);

/* The string as UTF-8, NUL-terminated, to be freed by the caller; NULL without memory or
 * if the conversion threw. Lone surrogates become U+FFFD. */
char* js_utf8(JSValueRef value, size_t* length);
/* UTF-16 to UTF-8; lone surrogates become U+FFFD. `out` has room for three bytes a unit.
 * Returns the number of bytes, without a terminator. */
size_t js_utf8_of_units(const JSChar* units, size_t count, char* out);
char* js_arg_utf8(size_t argc, const JSValueRef argv[], size_t index);

/* The memory of a typed array, DataView or ArrayBuffer, without copying. False if the
 * value is none of these. A detached one has no bytes. The memory stays in place while
 * the value is alive, unless js_bytes_may_move. */
bool js_bytes(JSValueRef value, uint8_t** bytes, size_t* length);

/* Whether the memory may be moved before the value dies, as a WebAssembly memory that
 * grows. A pointer to such memory must not be kept beyond the current call: a request
 * that waits works on a copy. */
bool js_bytes_may_move(JSValueRef value);

/* A buffer of the library over memory of any size; uv_buf_init cuts lengths to 32 bits.
 */
static inline uv_buf_t js_buf(void* bytes, size_t length) {
  return (uv_buf_t){.base = bytes, .len = length};
}

/* ---- life ------------------------------------------------------------------ */

static inline void js_keep(JSValueRef value) {
  JSValueProtect(js.ctx, value);
}
static inline void js_drop(JSValueRef value) {
  JSValueUnprotect(js.ctx, value);
}

/* ---- errors ----------------------------------------------------------------- */

/* new Error(message) with Node's `code` property, e.g. ERR_INVALID_ARG_TYPE; kind is
 * "Error", "TypeError" or "RangeError". */
JSValueRef js_error(const char* kind, const char* code, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

/* The error Node makes of a libuv error: errno, code, syscall, path and dest, and the
 * message "ENOENT: no such file or directory, open 'x'". path and dest may be NULL. */
JSValueRef js_uv_error(int err, const char* syscall, const char* path, const char* dest);

/* ---- calling JavaScript ------------------------------------------------------ */

/* From a loop callback: enters a callback scope, calls, leaves it (ticks and microtasks
 * run, a thrown error is routed). self may be NULL. */
void js_call_scoped(JSObjectRef function, JSObjectRef self, size_t argc,
                    const JSValueRef argv[]);

/* The same where the callback has had js_name_callback already: the name that it has
 * since stays. */
void js_call_named_before(JSObjectRef function, size_t argc, const JSValueRef argv[]);

/* As js_call_scoped for a function of the program, called with an undefined `this`, for
 * which the engine's interface would pass the global object. Up to two arguments. */
void js_call_bare(JSObjectRef function, size_t argc, const JSValueRef argv[]);
/* js_call.c: before any other code runs. */
int js_call_open(void);
/* Stores the current constructors of errors: runtime/lib has its own, whose stacks look
 * like Node's. Called after the bootstrap and before the program. */
void js_errors_settle(void);

/* As js_call_scoped for a method looked up by name: object.name(…). Does nothing if there
 * is no such function. */
void js_call_method(JSObjectRef object, const char* name, size_t argc,
                    const JSValueRef argv[]);

/* js_origin.c: the line of the program that calls, to be freed; NULL unless `rondo sim`
 * describes a finding. And its report, before a request is made. */
char* js_origin(void);
void js_origin_report(const char* place);

/* ---- native modules ------------------------------------------------------------ */

/* Fills `exports` for native(name) in runtime/lib. All are listed in js_natives.c. */
typedef void (*js_native_init)(JSObjectRef exports);

struct js_native {
  const char* name;
  js_native_init init;
};

extern const struct js_native js_natives[];

void native_timers(JSObjectRef exports);
void native_process(JSObjectRef exports);
void native_signals(JSObjectRef exports);
void native_stdio(JSObjectRef exports);
void native_names(JSObjectRef exports);
void native_os(JSObjectRef exports);
void native_util(JSObjectRef exports);
void native_encoding(JSObjectRef exports);
void native_prompt(JSObjectRef exports);
void native_script(JSObjectRef exports);
void native_fs(JSObjectRef exports);
void native_handle(JSObjectRef exports);
void native_http(JSObjectRef exports);
void native_stream(JSObjectRef exports);
void native_contexts(JSObjectRef exports);
void native_credentials(JSObjectRef exports);
void native_dns(JSObjectRef exports);
void native_spawn(JSObjectRef exports);
void native_udp(JSObjectRef exports);
void native_crypto(JSObjectRef exports);
void native_tls(JSObjectRef exports);
void native_zlib(JSObjectRef exports);

/* ---- the runtime as a whole ----------------------------------------------------- */

struct js_embedded {
  const char* name;
  const char* source; /* ASCII, NUL-terminated */
  size_t length;
};

/* runtime/lib, sorted by name; made at build time. */
extern const struct js_embedded js_embedded[];
extern const size_t js_embedded_count;

/* Runs a program to its end and returns the exit code. */
int js_run(const struct js_options* options);

/* Ends the process after everything has been written. */
_Noreturn void js_leave(int code);

/* js_bytes.c: called before any other code runs. Returns a libuv error for an engine that
 * isn't supported. */
int js_bytes_open(void);

/* js_names.c: reports to the recorder which function the loop's callback is about to
 * call, */
void js_name_callback(JSObjectRef function, size_t argc, const JSValueRef argv[]);
/* and, if the engine has a profiler, its samples. */
bool js_names_wanted(void);
/* Whether `rondo step` shows this loop. */
bool js_step_join(void);
void js_names_open(void);
void js_frames_open(void);

/* js_engine.c, for the rest of this room */
int engine_open(void);
void engine_microtasks(rondo_node_t* node, void* data);
void engine_drain(rondo_node_t* node, void* data);
void engine_on_rejection(JSObjectRef function);
/* A task that the engine runs in the background keeps the loop alive from now on. */
void engine_task_begin(void);
void engine_task_end(void);

/* Finds and runs an embedded file; its value is usually a function. */
JSValueRef script_embedded(const char* name, JSValueRef* exception);

#endif
