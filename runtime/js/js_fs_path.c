/* Operations on paths: links, directories, times and rights. */
#include "js_fs.h"

#include <stdlib.h>
#include <string.h>

/* The text a request produced: a string, or bytes if they were asked for. */
static JSValueRef text_value(struct fs_request* request, const char* text) {
  size_t length = strlen(text);
  if (!request->option)
    return js_string_n(text, length);
  char* copy = malloc(length + 1);
  if (copy == NULL)
    return js_string_n(text, length);
  memcpy(copy, text, length + 1);
  return js_fs_buffer_take(copy, length);
}

static JSValueRef value_text(struct fs_request* request) {
  return text_value(request, request->uv.ptr);
}

static JSValueRef value_path(struct fs_request* request) {
  return text_value(request, request->uv.path);
}

static int start_path_int(struct fs_request* request, size_t argc,
                          const JSValueRef argv[]) {
  return request->operation->uv.path_int(js.loop, &request->uv, request->path,
                                         js_arg_int(argc, argv, 1, 0), request->done);
}

static int start_path_ids(struct fs_request* request, size_t argc,
                          const JSValueRef argv[]) {
  return request->operation->uv.path_ids(js.loop, &request->uv, request->path,
                                         fs_arg_id(argc, argv, 1),
                                         fs_arg_id(argc, argv, 2), request->done);
}

static int start_path_times(struct fs_request* request, size_t argc,
                            const JSValueRef argv[]) {
  return request->operation->uv.path_times(
      js.loop, &request->uv, request->path, js_arg_number(argc, argv, 1, 0),
      js_arg_number(argc, argv, 2, 0), request->done);
}

static int start_mkdir(struct fs_request* request, size_t argc, const JSValueRef argv[]) {
  return uv_fs_mkdir(js.loop, &request->uv, request->path,
                     js_arg_int(argc, argv, 1, 0777), request->done);
}

static int start_paths(struct fs_request* request, size_t argc, const JSValueRef argv[]) {
  (void) argc, (void) argv;
  return request->operation->uv.paths(js.loop, &request->uv, request->path, request->dest,
                                      request->done);
}

static int start_copy_file(struct fs_request* request, size_t argc,
                           const JSValueRef argv[]) {
  return uv_fs_copyfile(js.loop, &request->uv, request->path, request->dest,
                        js_arg_int(argc, argv, 2, 0), request->done);
}

static int start_symlink(struct fs_request* request, size_t argc,
                         const JSValueRef argv[]) {
  (void) argc, (void) argv;
  return uv_fs_symlink(js.loop, &request->uv, request->path, request->dest, 0,
                       request->done);
}

/* The comments list the arguments from JavaScript, without the last one, `how`. Times are
 * in seconds; `bytes` asks for an answer in bytes. */
const struct fs_operation js_fs_path_operations[] = {
    /* (path, mode) */
    {"access", "access", 1, 2, start_path_int, NULL, {.path_int = uv_fs_access}},
    {"chmod", "chmod", 1, 2, start_path_int, NULL, {.path_int = uv_fs_chmod}},
    {"mkdir", "mkdir", 1, 2, start_mkdir, NULL, {NULL}},
    /* (path, uid, gid) */
    {"chown", "chown", 1, 3, start_path_ids, NULL, {.path_ids = uv_fs_chown}},
    {"lchown", "lchown", 1, 3, start_path_ids, NULL, {.path_ids = uv_fs_lchown}},
    /* (path, access, modification) */
    {"utimes", "utime", 1, 3, start_path_times, NULL, {.path_times = uv_fs_utime}},
    {"lutimes", "lutime", 1, 3, start_path_times, NULL, {.path_times = uv_fs_lutime}},
    /* (path) */
    {"rmdir", "rmdir", 1, 1, fs_start_path, NULL, {.path = uv_fs_rmdir}},
    {"unlink", "unlink", 1, 1, fs_start_path, NULL, {.path = uv_fs_unlink}},
    /* (path, dest); for a symbolic link, its target and its own path */
    {"rename", "rename", 2, 2, start_paths, NULL, {.paths = uv_fs_rename}},
    {"link", "link", 2, 2, start_paths, NULL, {.paths = uv_fs_link}},
    {"symlink", "symlink", 2, 2, start_symlink, NULL, {NULL}},
    /* (path, dest, flags) */
    {"copyFile", "copyfile", 2, 3, start_copy_file, NULL, {NULL}},
    /* (path, bytes) */
    {"mkdtemp", "mkdtemp", 1, 2, fs_start_option, value_path, {.path = uv_fs_mkdtemp}},
    {"readlink", "readlink", 1, 2, fs_start_option, value_text, {.path = uv_fs_readlink}},
    {"realpath", "realpath", 1, 2, fs_start_option, value_text, {.path = uv_fs_realpath}},
    {NULL, NULL, 0, 0, NULL, NULL, {NULL}},
};
