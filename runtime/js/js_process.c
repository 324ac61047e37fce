/* native('process'): the functions behind `process`, for the machine and the loop. Errors
 * are thrown as in Node. */
#include "js.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static JSValueRef fail(JSValueRef* exception, int err, const char* what) {
  *exception = js_uv_error(err, what, NULL, NULL);
  return js_undefined();
}

static JSValueRef process_cwd(JS_ARGS) {
  (void) ctx, (void) function, (void) self, (void) argc, (void) argv;
  char path[4096];
  size_t size = sizeof(path);
  int err = uv_cwd(path, &size);
  return err == 0 ? js_string(path) : fail(exception, err, "uv_cwd");
}

static JSValueRef process_chdir(JS_ARGS) {
  (void) ctx, (void) function, (void) self;
  char* path = js_arg_utf8(argc, argv, 0);
  int err = path != NULL ? uv_chdir(path) : UV_ENOMEM;
  if (err != 0) {
    char here[4096];
    size_t size = sizeof(here);
    *exception = js_uv_error(err, "chdir", uv_cwd(here, &size) == 0 ? here : "", path);
  }
  free(path);
  return js_undefined();
}

static JSValueRef process_hrtime(JS_ARGS) {
  JS_UNUSED;
  return js_number((double) uv_hrtime());
}

/* Nanoseconds don't fit a JavaScript number: seconds and nanoseconds are stored in memory
 * shared with JavaScript, which makes [s, ns] or a BigInt from them. */
static double hrtime_cell[2];

static JSValueRef process_hrtime_parts(JS_ARGS) {
  JS_UNUSED;
  uint64_t now = uv_hrtime();
  uint64_t seconds = now / 1000000000;
  hrtime_cell[0] = (double) seconds;
  hrtime_cell[1] = (double) (now - seconds * 1000000000);
  return js_undefined();
}

static JSValueRef process_memory(JS_ARGS) {
  JS_UNUSED;
  size_t rss = 0;
  uv_resident_set_memory(&rss);
  return js_number((double) rss);
}

static JSValueRef process_cpu(JS_ARGS) {
  (void) ctx, (void) function, (void) self, (void) argc, (void) argv;
  uv_rusage_t usage;
  int err = uv_getrusage(&usage);
  if (err != 0)
    return fail(exception, err, "uv_getrusage");
  JSValueRef values[] = {
      js_number((double) usage.ru_utime.tv_sec * 1e6 + (double) usage.ru_utime.tv_usec),
      js_number((double) usage.ru_stime.tv_sec * 1e6 + (double) usage.ru_stime.tv_usec),
      js_number((double) usage.ru_maxrss),
      js_number((double) usage.ru_ixrss),
      js_number((double) usage.ru_idrss),
      js_number((double) usage.ru_isrss),
      js_number((double) usage.ru_minflt),
      js_number((double) usage.ru_majflt),
      js_number((double) usage.ru_nswap),
      js_number((double) usage.ru_inblock),
      js_number((double) usage.ru_oublock),
      js_number((double) usage.ru_msgsnd),
      js_number((double) usage.ru_msgrcv),
      js_number((double) usage.ru_nsignals),
      js_number((double) usage.ru_nvcsw),
      js_number((double) usage.ru_nivcsw),
  };
  return js_array(sizeof(values) / sizeof(values[0]), values);
}

/* kill(pid, signal number) → 0 or a libuv error */
static JSValueRef process_kill(JS_ARGS) {
  JS_UNUSED;
  return js_number(
      uv_kill(js_arg_int(argc, argv, 0, 0), js_arg_int(argc, argv, 1, SIGTERM)));
}

static JSValueRef process_umask(JS_ARGS) {
  JS_UNUSED;
  if (argc > 0 && !JSValueIsUndefined(js.ctx, argv[0]))
    return js_number(umask((mode_t) js_arg_int(argc, argv, 0, 0)));
  mode_t old = umask(0);
  umask(old);
  return js_number(old);
}

static JSValueRef process_title(JS_ARGS) {
  JS_UNUSED;
  if (argc > 0) {
    char* title = js_arg_utf8(argc, argv, 0);
    if (title != NULL)
      uv_set_process_title(title);
    free(title);
  }
  char now[1024];
  return js_string(uv_get_process_title(now, sizeof(now)) == 0 ? now : "rondo");
}

static JSValueRef process_abort(JS_ARGS) {
  JS_UNUSED;
  abort();
}

/* exit(code): emits exit, then ends the process. */
static JSValueRef process_exit(JS_ARGS) {
  JS_UNUSED;
  js_leave(rondo_node_exit(js.node, js_arg_int(argc, argv, 0, 0)));
}

/* leave(code): ends the process without an exit event. */
static JSValueRef process_leave(JS_ARGS) {
  JS_UNUSED;
  js_leave(js_arg_int(argc, argv, 0, 0));
}

/* uncaught(error): reports as an uncaught error; returns if it was handled. */
static JSValueRef process_uncaught(JS_ARGS) {
  JS_UNUSED;
  if (!rondo_node_uncaught(js.node, js_arg(argc, argv, 0)))
    js_leave(rondo_node_exit(js.node, 1));
  return js_undefined();
}

/* ---- environment --------------------------------------------------------------- */

static JSValueRef env_get(JS_ARGS) {
  JS_UNUSED;
  char* name = js_arg_utf8(argc, argv, 0);
  const char* value = name != NULL ? getenv(name) : NULL;
  JSValueRef result = value != NULL ? js_string(value) : js_undefined();
  free(name);
  return result;
}

/* The C library reads TZ again only in tzset(), and localtime_r need not call that. */
static void env_apply_zone(const char* name) {
  if (name != NULL && strcmp(name, "TZ") == 0)
    tzset();
}

static JSValueRef env_set(JS_ARGS) {
  JS_UNUSED;
  char* name = js_arg_utf8(argc, argv, 0);
  char* value = js_arg_utf8(argc, argv, 1);
  if (name != NULL && value != NULL)
    uv_os_setenv(name, value);
  env_apply_zone(name);
  free(name);
  free(value);
  return js_undefined();
}

static JSValueRef env_delete(JS_ARGS) {
  JS_UNUSED;
  char* name = js_arg_utf8(argc, argv, 0);
  if (name != NULL)
    uv_os_unsetenv(name);
  env_apply_zone(name);
  free(name);
  return js_undefined();
}

static JSValueRef env_keys(JS_ARGS) {
  JS_UNUSED;
  JSObjectRef keys = js_array(0, NULL);
  unsigned count = 0;
  for (char** entry = environ; *entry != NULL; entry++) {
    const char* equals = strchr(*entry, '=');
    if (equals != NULL)
      JSObjectSetPropertyAtIndex(js.ctx, keys, count++,
                                 js_string_n(*entry, (size_t) (equals - *entry)), NULL);
  }
  return keys;
}

/* ---- the time zone --------------------------------------------------------------- */

/* The local time at argument 0, in seconds since 1970; UTC without a time zone. */
static struct tm zone_local(size_t argc, const JSValueRef argv[]) {
  double seconds = argc > 0 ? JSValueToNumber(js.ctx, argv[0], NULL) : 0;
  time_t when = seconds >= -1e13 && seconds <= 1e13 ? (time_t) seconds : 0;
  struct tm local;
  if (localtime_r(&when, &local) == NULL)
    local = (struct tm){.tm_zone = "UTC"};
  return local;
}

/* localOffset(seconds) → how far local time is ahead of UTC then, in seconds */
static JSValueRef zone_local_offset(JS_ARGS) {
  JS_UNUSED;
  return js_number((double) zone_local(argc, argv).tm_gmtoff);
}

/* localZone(seconds) → the zone's short name then */
static JSValueRef zone_local_name(JS_ARGS) {
  JS_UNUSED;
  return js_string(zone_local(argc, argv).tm_zone);
}

/* localSummer(seconds) → whether it is summer time then */
static JSValueRef zone_local_summer(JS_ARGS) {
  JS_UNUSED;
  return JSValueMakeBoolean(js.ctx, zone_local(argc, argv).tm_isdst > 0);
}

/* ---- the rest -------------------------------------------------------------------- */

static JSValueRef loop_idle_time(JS_ARGS) {
  JS_UNUSED;
  return js_number((double) uv_metrics_idle_time(js.loop));
}

/* groups() → the group ids of the process, its own among them */
static JSValueRef process_groups(JS_ARGS) {
  JS_UNUSED;
  JSObjectRef list = js_array(0, NULL);
  int count = getgroups(0, NULL);
  gid_t* groups = count >= 0 ? malloc(((size_t) count + 1) * sizeof(*groups)) : NULL;
  if (groups == NULL || (count = getgroups(count, groups)) < 0) {
    free(groups);
    return fail(exception, UV_ENOMEM, "getgroups");
  }
  bool own = false;
  for (int i = 0; i < count; i++)
    own = own || groups[i] == getegid();
  if (!own)
    groups[count++] = getegid();
  for (int i = 0; i < count; i++)
    JSObjectSetPropertyAtIndex(js.ctx, list, (unsigned) i, js_number(groups[i]), NULL);
  free(groups);
  return list;
}

static JSValueRef process_ids(JS_ARGS) {
  JS_UNUSED;
  JSValueRef ids[] = {js_number(getuid()), js_number(geteuid()), js_number(getgid()),
                      js_number(getegid())};
  return js_array(4, ids);
}

static JSValueRef error_name(JS_ARGS) {
  JS_UNUSED;
  char name[64];
  return js_string(uv_err_name_r(js_arg_int(argc, argv, 0, 0), name, sizeof(name)));
}

static JSValueRef error_text(JS_ARGS) {
  JS_UNUSED;
  char text[256];
  return js_string(uv_strerror_r(js_arg_int(argc, argv, 0, 0), text, sizeof(text)));
}

/* uvError(err, syscall, path, dest) → the Error Node makes */
static JSValueRef uv_exception(JS_ARGS) {
  JS_UNUSED;
  char* texts[3] = {NULL, NULL, NULL};
  for (size_t i = 0; i < 3; i++)
    if (i + 1 < argc && JSValueIsString(js.ctx, argv[i + 1]))
      texts[i] = js_arg_utf8(argc, argv, i + 1);
  JSValueRef error = js_uv_error(js_arg_int(argc, argv, 0, 0),
                                 texts[0] != NULL ? texts[0] : "", texts[1], texts[2]);
  for (size_t i = 0; i < 3; i++)
    free(texts[i]);
  return error;
}

void native_process(JSObjectRef exports) {
  static const struct js_method methods[] = {
      {"cwd", process_cwd},
      {"chdir", process_chdir},
      {"hrtime", process_hrtime},
      {"hrtimeParts", process_hrtime_parts},
      {"memory", process_memory},
      {"cpu", process_cpu},
      {"kill", process_kill},
      {"umask", process_umask},
      {"title", process_title},
      {"abort", process_abort},
      {"exit", process_exit},
      {"leave", process_leave},
      {"uncaught", process_uncaught},
      {"envGet", env_get},
      {"envSet", env_set},
      {"envDelete", env_delete},
      {"envKeys", env_keys},
      {"localOffset", zone_local_offset},
      {"localZone", zone_local_name},
      {"localSummer", zone_local_summer},
      {"idleTime", loop_idle_time},
      {"groups", process_groups},
      {"ids", process_ids},
      {"errorName", error_name},
      {"errorText", error_text},
      {"uvError", uv_exception},
      {NULL, NULL},
  };
  char path[4096];
  size_t size = sizeof(path);
  js_methods(exports, methods);
  js_set_number(exports, "pid", uv_os_getpid());
  js_set_number(exports, "ppid", uv_os_getppid());
  js_set_string(exports, "execPath", uv_exepath(path, &size) == 0 ? path : js.argv[0]);
  js_set_string(exports, "argv0", js.argv[0]);
  js_set_string(exports, "version", RONDO_RELEASE);
#ifdef RONDO_OPENSSL
  js_set_string(exports, "openssl", RONDO_OPENSSL);
#endif
  js_set_number(exports, "startTime", (double) js.start_time);
  js_set_number(exports, "startWall", js.start_wall);
  js_set(exports, "hrtimeCell",
         js_shared(kJSTypedArrayTypeFloat64Array, hrtime_cell, sizeof(hrtime_cell)));
  JSObjectRef arguments = js_array(0, NULL);
  for (int i = 1; i < js.argc; i++)
    JSObjectSetPropertyAtIndex(js.ctx, arguments, (unsigned) (i - 1),
                               js_string(js.argv[i]), NULL);
  js_set(exports, "args", arguments);
}
