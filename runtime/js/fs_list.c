/* Reading directories: whole, or a few entries at a time through an open one. */
#include "fs.h"

#include <stdlib.h>
#include <string.h>

/* A JavaScript array that grows in pieces, since a directory's size isn't known. */
typedef struct {
  JSObjectRef array;
  unsigned count;
} list_t;

static void list_add(list_t* list, JSValueRef value) {
  JSObjectSetPropertyAtIndex(js.ctx, list->array, list->count++, value, NULL);
}

static JSValueRef name_value(const char* name, bool bytes) {
  size_t length = strlen(name);
  char* copy = bytes ? malloc(length + 1) : NULL;
  if (copy == NULL)
    return js_string_n(name, length);
  memcpy(copy, name, length + 1);
  return js_fs_buffer_take(copy, length);
}

static JSValueRef value_names(fs_request_t* request) {
  list_t names = {.array = js_array(0, NULL)};
  uv_dirent_t entry;
  while (uv_fs_scandir_next(&request->uv, &entry) == 0)
    list_add(&names, name_value(entry.name, request->option));
  return names.array;
}

/* Names and types in turn. */
static JSValueRef value_entries(fs_request_t* request) {
  list_t entries = {.array = js_array(0, NULL)};
  uv_dirent_t entry;
  while (uv_fs_scandir_next(&request->uv, &entry) == 0) {
    list_add(&entries, name_value(entry.name, request->option));
    list_add(&entries, js_number(entry.type));
  }
  return entries.array;
}

/* readdir(path, bytes, types, how): an array of names, or of names and types in turn. */
static JSValueRef list_readdir(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("scandir", 1, 3, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  call.request->option = js_arg_bool(argc, argv, 1);
  return js_fs_end(
      &call, js_arg_bool(argc, argv, 2) ? value_entries : value_names,
      uv_fs_scandir(js.loop, &call.request->uv, call.request->path, 0, call.done),
      exception);
}

/* ---- open directories ------------------------------------------------------ */

typedef struct {
  uv_dir_t* dir;
  uv_dirent_t* entries;
  size_t capacity;
} open_dir_t;

static void dir_finalize(JSObjectRef object) {
  /* Dropped without being closed: nobody waits for the answer, so close it here. */
  open_dir_t* open = JSObjectGetPrivate(object);
  uv_fs_t request;
  if (open == NULL)
    return;
  if (open->dir != NULL) {
    uv_fs_closedir(js.loop, &request, open->dir, NULL);
    uv_fs_req_cleanup(&request);
  }
  free(open->entries);
  free(open);
}

static JSClassRef dir_class(void) {
  static JSClassRef class;
  if (class == NULL) {
    JSClassDefinition definition = kJSClassDefinitionEmpty;
    definition.className = "DirHandle";
    definition.finalize = dir_finalize;
    class = JSClassCreate(&definition);
  }
  return class;
}

static open_dir_t* arg_dir(size_t argc, const JSValueRef argv[]) {
  JSValueRef value = js_arg(argc, argv, 0);
  if (!JSValueIsObjectOfClass(js.ctx, value, dir_class()))
    return NULL;
  return JSObjectGetPrivate((JSObjectRef) value);
}

static JSValueRef value_dir(fs_request_t* request) {
  open_dir_t* open = calloc(1, sizeof *open);
  if (open == NULL)
    return js_null();
  open->dir = request->uv.ptr;
  /* The request must not take the directory with it. */
  request->uv.ptr = NULL;
  return JSObjectMake(js.ctx, dir_class(), open);
}

/* opendir(path, how) */
static JSValueRef list_opendir(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("opendir", 1, 1, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  return js_fs_end(
      &call, value_dir,
      uv_fs_opendir(js.loop, &call.request->uv, call.request->path, call.done),
      exception);
}

static JSValueRef value_dir_entries(fs_request_t* request) {
  if (request->uv.result <= 0)
    return js_null();
  list_t entries = {.array = js_array(0, NULL)};
  const uv_dir_t* dir = request->uv.ptr;
  for (ssize_t i = 0; i < request->uv.result; i++) {
    list_add(&entries, name_value(dir->dirents[i].name, request->option));
    list_add(&entries, js_number(dir->dirents[i].type));
  }
  return entries.array;
}

/* readdirSome(dir, count, bytes, how): names and types in turn, null at the end. */
static JSValueRef list_read_some(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("readdir", 0, 3, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  open_dir_t* open = arg_dir(argc, argv);
  int32_t count = js_arg_int(argc, argv, 1, 32);
  if (open == NULL || open->dir == NULL || count < 1)
    return js_fs_end(&call, value_dir_entries, UV_EBADF, exception);
  if ((size_t) count > open->capacity) {
    uv_dirent_t* grown = realloc(open->entries, (size_t) count * sizeof *grown);
    if (grown == NULL)
      return js_fs_end(&call, value_dir_entries, UV_ENOMEM, exception);
    open->entries = grown;
    open->capacity = (size_t) count;
  }
  open->dir->dirents = open->entries;
  open->dir->nentries = (size_t) count;
  call.request->option = js_arg_bool(argc, argv, 2);
  js_keep(argv[0]);
  call.request->kept = argv[0];
  return js_fs_end(&call, value_dir_entries,
                   uv_fs_readdir(js.loop, &call.request->uv, open->dir, call.done),
                   exception);
}

/* closedir(dir, how) */
static JSValueRef list_closedir(JS_ARGS) {
  JS_UNUSED;
  fs_call_t call = js_fs_begin("closedir", 0, 1, argc, argv, exception);
  if (call.request == NULL)
    return call.returned;
  open_dir_t* open = arg_dir(argc, argv);
  if (open == NULL || open->dir == NULL)
    return js_fs_end(&call, NULL, UV_EBADF, exception);
  uv_dir_t* dir = open->dir;
  open->dir = NULL;
  return js_fs_end(&call, NULL,
                   uv_fs_closedir(js.loop, &call.request->uv, dir, call.done), exception);
}

const js_method_t js_fs_list_methods[] = {
    {"readdir", list_readdir},
    {"opendir", list_opendir},
    {"readdirSome", list_read_some},
    {"closedir", list_closedir},
    {NULL, NULL},
};
