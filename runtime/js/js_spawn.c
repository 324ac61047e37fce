/* native('spawn'): child processes. spawn() starts one and calls the owner back at its
 * end; a list of descriptors and pipe tokens defines its streams. */
#include "js_spawn.h"
#include "js_contexts.h"
#include "js_fs.h"
#include "js_handle.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

size_t js_array_length(JSObjectRef array) {
  if (array == NULL)
    return 0;
  double count = JSValueToNumber(js.ctx, js_get(array, "length"), NULL);
  return count > 0 && count < 1u << 30 ? (size_t) count : 0;
}

static JSObjectRef object_at(JSObjectRef object, const char* name) {
  JSValueRef value = js_get(object, name);
  return JSValueIsObject(js.ctx, value) ? (JSObjectRef) value : NULL;
}

/* A path: a string or bytes. NULL if there is none. */
static char* path_at(JSObjectRef object, const char* name) {
  JSValueRef value = js_get(object, name);
  bool given = JSValueIsString(js.ctx, value) || JSValueIsObject(js.ctx, value);
  return given ? js_fs_path(value) : NULL;
}

static void texts_free(char** texts) {
  for (char** at = texts; at != NULL && *at != NULL; at++)
    free(*at);
  free(texts);
}

/* An array of strings as a C array; NULL without memory. */
static char** texts_of(JSObjectRef array) {
  size_t count = js_array_length(array);
  char** texts = calloc(count + 1, sizeof(*texts));
  for (size_t i = 0; texts != NULL && i < count; i++) {
    texts[i] =
        js_utf8(JSObjectGetPropertyAtIndex(js.ctx, array, (unsigned) i, NULL), NULL);
    if (texts[i] == NULL) {
      texts_free(texts);
      return NULL;
    }
  }
  return texts;
}

bool js_child_read(struct child* child, JSObjectRef description, size_t stdio_count) {
  uv_process_options_t* options = &child->options;
  JSObjectRef env = object_at(description, "env");
  *child = (struct child){0};
  options->file = path_at(description, "file");
  options->cwd = path_at(description, "cwd");
  options->args = texts_of(object_at(description, "args"));
  child->stdio = calloc(stdio_count + 1, sizeof(*child->stdio));
  child->stdio_count = stdio_count;
  options->stdio = child->stdio;
  options->stdio_count = (int) stdio_count;
  if (env != NULL && (options->env = texts_of(env)) == NULL)
    return false;
  if (JSValueToBoolean(js.ctx, js_get(description, "detached")))
    options->flags |= UV_PROCESS_DETACHED;
  JSValueRef uid = js_get(description, "uid"), gid = js_get(description, "gid");
  if (JSValueIsNumber(js.ctx, uid)) {
    options->flags |= UV_PROCESS_SETUID;
    options->uid = (uv_uid_t) JSValueToNumber(js.ctx, uid, NULL);
  }
  if (JSValueIsNumber(js.ctx, gid)) {
    options->flags |= UV_PROCESS_SETGID;
    options->gid = (uv_gid_t) JSValueToNumber(js.ctx, gid, NULL);
  }
  return options->file != NULL && options->args != NULL && child->stdio != NULL;
}

void js_child_free(struct child* child) {
  free((char*) child->options.file);
  free((char*) child->options.cwd);
  texts_free(child->options.args);
  texts_free(child->options.env);
  free(child->stdio);
}

JSObjectRef js_child_stdio_at(JSObjectRef list, size_t index) {
  JSValueRef entry = JSObjectGetPropertyAtIndex(js.ctx, list, (unsigned) index, NULL);
  return JSValueIsObject(js.ctx, entry) ? (JSObjectRef) entry : NULL;
}

/* Entries are numbers (a descriptor to inherit), tokens of pipes (to be connected) or
 * null (nothing: the library opens /dev/null). */
static void read_stdio(struct child* child, JSObjectRef list) {
  for (size_t i = 0; i < child->stdio_count; i++) {
    JSValueRef entry = JSObjectGetPropertyAtIndex(js.ctx, list, (unsigned) i, NULL);
    uv_stdio_container_t* stdio = &child->stdio[i];
    struct js_handle* handle = js_handle_arg(1, &entry, 0);
    if (handle != NULL) {
      stdio->flags = UV_CREATE_PIPE | UV_READABLE_PIPE | UV_WRITABLE_PIPE;
      stdio->data.stream = &handle->uv.stream;
    } else if (JSValueIsNumber(js.ctx, entry)) {
      stdio->flags = UV_INHERIT_FD;
      stdio->data.fd = (int) JSValueToNumber(js.ctx, entry, NULL);
    } else {
      stdio->flags = UV_IGNORE;
    }
  }
}

static void child_exited(uv_process_t* uv, int64_t status, int signal) {
  struct js_handle* handle = uv->data;
  JSValueRef arguments[] = {js_number((double) status), js_number(signal)};
  js_context_next(handle->context);
  js_call_method(handle->owner, "onexit", 2, arguments);
}

/* spawn(owner, description, stdio): [token, pid], or a negative error */
static JSValueRef spawn_child(JS_ARGS) {
  JS_UNUSED;
  JSObjectRef description = js_arg_object(argc, argv, 1);
  JSObjectRef list = js_arg_object(argc, argv, 2);
  struct child child = {0};
  struct js_handle* handle = js_handle_new(js_arg_object(argc, argv, 0));
  if (handle == NULL || description == NULL ||
      !js_child_read(&child, description, js_array_length(list))) {
    js_child_free(&child);
    if (handle != NULL)
      js_handle_discard(handle);
    return js_number(UV_ENOMEM);
  }
  read_stdio(&child, list);
  child.options.exit_cb = child_exited;
  handle->uv.handle.data = handle;
  int err = uv_spawn(js.loop, &handle->uv.process, &child.options);
  js_child_free(&child);
  if (err < 0) {
    js_handle_abandon(
        handle); /* a handle is on the loop even if its child didn't start */
    return js_number(err);
  }
  JSValueRef made[] = {js_handle_made(handle), js_number(handle->uv.process.pid)};
  return js_array(2, made);
}

/* kill(token, signal): 0 or a negative error */
static JSValueRef spawn_kill(JS_ARGS) {
  JS_UNUSED;
  struct js_handle* handle = js_handle_arg(argc, argv, 0);
  if (handle == NULL)
    return js_number(UV_ESRCH);
  return js_number(
      uv_process_kill(&handle->uv.process, js_arg_int(argc, argv, 1, SIGTERM)));
}

JSValueRef js_spawn_sync(JS_ARGS);

void native_spawn(JSObjectRef exports) {
  static const struct js_method methods[] = {
      {"spawn", spawn_child},
      {"kill", spawn_kill},
      {"spawnSync", js_spawn_sync},
      {NULL, NULL},
  };
  js_methods(exports, methods);
}
