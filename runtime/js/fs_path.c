/* Operations on paths: links, directories, times and rights. Each native function says in
 * its comment what JavaScript passes to it. */
#include "fs.h"

#include <stdlib.h>
#include <string.h>

/* The text a request produced: a string, or bytes if they were asked for. */
static JSValueRef value_text(fs_request_t* request, const char* text) {
  size_t length = strlen(text);
  if (!request->option)
    return js_string_n(text, length);
  char* copy = malloc(length + 1);
  if (copy == NULL)
    return js_string_n(text, length);
  memcpy(copy, text, length + 1);
  return js_fs_buffer_take(copy, length);
}

static JSValueRef value_pointer(fs_request_t* request) {
  return value_text(request, request->uv.ptr);
}

static JSValueRef value_template(fs_request_t* request) {
  return value_text(request, request->uv.path);
}

/* access(path, mode, how) */
static JSValueRef path_access(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("access", 1, 2, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  return js_fs_end(&call, NULL,
                   uv_fs_access(js.loop, &call.request->uv, call.request->path,
                                js_arg_int(argc, argv, 1, 0), call.done),
                   exception);
}

/* chmod(path, mode, how) */
static JSValueRef path_chmod(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("chmod", 1, 2, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  return js_fs_end(&call, NULL,
                   uv_fs_chmod(js.loop, &call.request->uv, call.request->path,
                               js_arg_int(argc, argv, 1, 0), call.done),
                   exception);
}

/* An id as JavaScript gives it: -1 leaves it as it is. */
static unsigned arg_id(size_t argc, const JSValueRef argv[], size_t index) {
  double number = js_arg_number(argc, argv, index, -1);
  return number < 0 ? (unsigned) -1 : (unsigned) number;
}

/* chown(path, uid, gid, how) */
static JSValueRef path_chown(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("chown", 1, 3, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  return js_fs_end(&call, NULL,
                   uv_fs_chown(js.loop, &call.request->uv, call.request->path,
                               arg_id(argc, argv, 1), arg_id(argc, argv, 2), call.done),
                   exception);
}

/* lchown(path, uid, gid, how) */
static JSValueRef path_lchown(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("lchown", 1, 3, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  return js_fs_end(&call, NULL,
                   uv_fs_lchown(js.loop, &call.request->uv, call.request->path,
                                arg_id(argc, argv, 1), arg_id(argc, argv, 2), call.done),
                   exception);
}

/* utimes(path, access, modification, how), in seconds */
static JSValueRef path_utimes(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("utime", 1, 3, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  return js_fs_end(&call, NULL,
                   uv_fs_utime(js.loop, &call.request->uv, call.request->path,
                               js_arg_number(argc, argv, 1, 0),
                               js_arg_number(argc, argv, 2, 0), call.done),
                   exception);
}

/* lutimes(path, access, modification, how), in seconds */
static JSValueRef path_lutimes(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("lutime", 1, 3, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  return js_fs_end(&call, NULL,
                   uv_fs_lutime(js.loop, &call.request->uv, call.request->path,
                                js_arg_number(argc, argv, 1, 0),
                                js_arg_number(argc, argv, 2, 0), call.done),
                   exception);
}

/* mkdir(path, mode, how) */
static JSValueRef path_mkdir(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("mkdir", 1, 2, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  return js_fs_end(&call, NULL,
                   uv_fs_mkdir(js.loop, &call.request->uv, call.request->path,
                               js_arg_int(argc, argv, 1, 0777), call.done),
                   exception);
}

/* mkdtemp(template, bytes, how) */
static JSValueRef path_mkdtemp(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("mkdtemp", 1, 2, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  call.request->option = js_arg_bool(argc, argv, 1);
  return js_fs_end(
      &call, value_template,
      uv_fs_mkdtemp(js.loop, &call.request->uv, call.request->path, call.done),
      exception);
}

/* rmdir(path, how) */
static JSValueRef path_rmdir(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("rmdir", 1, 1, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  return js_fs_end(&call, NULL,
                   uv_fs_rmdir(js.loop, &call.request->uv, call.request->path, call.done),
                   exception);
}

/* unlink(path, how) */
static JSValueRef path_unlink(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("unlink", 1, 1, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  return js_fs_end(
      &call, NULL,
      uv_fs_unlink(js.loop, &call.request->uv, call.request->path, call.done), exception);
}

/* rename(path, dest, how) */
static JSValueRef path_rename(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("rename", 2, 2, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  return js_fs_end(&call, NULL,
                   uv_fs_rename(js.loop, &call.request->uv, call.request->path,
                                call.request->dest, call.done),
                   exception);
}

/* copyFile(path, dest, flags, how) */
static JSValueRef path_copy_file(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("copyfile", 2, 3, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  return js_fs_end(&call, NULL,
                   uv_fs_copyfile(js.loop, &call.request->uv, call.request->path,
                                  call.request->dest, js_arg_int(argc, argv, 2, 0),
                                  call.done),
                   exception);
}

/* link(path, dest, how) */
static JSValueRef path_link(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("link", 2, 2, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  return js_fs_end(&call, NULL,
                   uv_fs_link(js.loop, &call.request->uv, call.request->path,
                              call.request->dest, call.done),
                   exception);
}

/* symlink(target, path, how) */
static JSValueRef path_symlink(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("symlink", 2, 2, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  return js_fs_end(&call, NULL,
                   uv_fs_symlink(js.loop, &call.request->uv, call.request->path,
                                 call.request->dest, 0, call.done),
                   exception);
}

/* readlink(path, bytes, how) */
static JSValueRef path_readlink(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("readlink", 1, 2, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  call.request->option = js_arg_bool(argc, argv, 1);
  return js_fs_end(
      &call, value_pointer,
      uv_fs_readlink(js.loop, &call.request->uv, call.request->path, call.done),
      exception);
}

/* realpath(path, bytes, how) */
static JSValueRef path_realpath(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("realpath", 1, 2, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  call.request->option = js_arg_bool(argc, argv, 1);
  return js_fs_end(
      &call, value_pointer,
      uv_fs_realpath(js.loop, &call.request->uv, call.request->path, call.done),
      exception);
}

const js_method_t js_fs_path_methods[] = {
    {"access", path_access},
    {"chmod", path_chmod},
    {"chown", path_chown},
    {"lchown", path_lchown},
    {"utimes", path_utimes},
    {"lutimes", path_lutimes},
    {"mkdir", path_mkdir},
    {"mkdtemp", path_mkdtemp},
    {"rmdir", path_rmdir},
    {"unlink", path_unlink},
    {"rename", path_rename},
    {"copyFile", path_copy_file},
    {"link", path_link},
    {"symlink", path_symlink},
    {"readlink", path_readlink},
    {"realpath", path_realpath},
    {NULL, NULL},
};
