/* Reading directories: whole, or a few entries at a time through an open one. */
#include "js_fs.h"

#include <stdlib.h>
#include <string.h>

/* A JavaScript array that grows in pieces, since a directory's size isn't known. */
struct fs_list {
  JSObjectRef array;
  unsigned count;
};

static void list_add(struct fs_list* list, JSValueRef value) {
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

static JSValueRef value_names(struct fs_request* request) {
  struct fs_list names = {.array = js_array(0, NULL)};
  uv_dirent_t entry;
  while (uv_fs_scandir_next(&request->uv, &entry) == 0)
    list_add(&names, name_value(entry.name, request->option));
  return names.array;
}

/* Names and types, alternating. */
static JSValueRef value_entries(struct fs_request* request) {
  struct fs_list entries = {.array = js_array(0, NULL)};
  uv_dirent_t entry;
  while (uv_fs_scandir_next(&request->uv, &entry) == 0) {
    list_add(&entries, name_value(entry.name, request->option));
    list_add(&entries, js_number(entry.type));
  }
  return entries.array;
}

static int start_readdir(struct fs_request* request, size_t argc,
                         const JSValueRef argv[]) {
  request->option = js_arg_bool(argc, argv, 1);
  request->value = js_arg_bool(argc, argv, 2) ? value_entries : value_names;
  return uv_fs_scandir(js.loop, &request->uv, request->path, 0, request->done);
}

/* ---- open directories ------------------------------------------------------ */

struct fs_open_dir {
  uv_dir_t* dir;
  uv_dirent_t* entries;
  size_t capacity;
};

static void dir_finalize(JSObjectRef object) {
  /* The directory was collected without being closed: it is closed here, since no caller
   * waits for the answer. */
  struct fs_open_dir* open = JSObjectGetPrivate(object);
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

static struct fs_open_dir* arg_dir(size_t argc, const JSValueRef argv[]) {
  JSValueRef value = js_arg(argc, argv, 0);
  if (!JSValueIsObjectOfClass(js.ctx, value, dir_class()))
    return NULL;
  return JSObjectGetPrivate((JSObjectRef) value);
}

static JSValueRef value_dir(struct fs_request* request) {
  struct fs_open_dir* open = calloc(1, sizeof(*open));
  if (open == NULL)
    return js_null();
  open->dir = request->uv.ptr;
  /* Cleaning up the request must not free the directory. */
  request->uv.ptr = NULL;
  return JSObjectMake(js.ctx, dir_class(), open);
}

static JSValueRef value_dir_entries(struct fs_request* request) {
  if (request->uv.result <= 0)
    return js_null();
  struct fs_list entries = {.array = js_array(0, NULL)};
  const uv_dir_t* dir = request->uv.ptr;
  for (ssize_t i = 0; i < request->uv.result; i++) {
    list_add(&entries, name_value(dir->dirents[i].name, request->option));
    list_add(&entries, js_number(dir->dirents[i].type));
  }
  return entries.array;
}

/* Room for `count` entries in the list that goes with the directory. */
static int dir_make_room(struct fs_open_dir* open, size_t count) {
  if (count > open->capacity) {
    uv_dirent_t* grown = realloc(open->entries, count * sizeof(*grown));
    if (grown == NULL)
      return UV_ENOMEM;
    open->entries = grown;
    open->capacity = count;
  }
  open->dir->dirents = open->entries;
  open->dir->nentries = count;
  return 0;
}

static int start_read_some(struct fs_request* request, size_t argc,
                           const JSValueRef argv[]) {
  struct fs_open_dir* open = arg_dir(argc, argv);
  int32_t count = js_arg_int(argc, argv, 1, 32);
  if (open == NULL || open->dir == NULL || count < 1)
    return UV_EBADF;
  int err = dir_make_room(open, (size_t) count);
  if (err < 0)
    return err;
  request->option = js_arg_bool(argc, argv, 2);
  fs_request_keep(request, argv[0]);
  return uv_fs_readdir(js.loop, &request->uv, open->dir, request->done);
}

static int start_closedir(struct fs_request* request, size_t argc,
                          const JSValueRef argv[]) {
  struct fs_open_dir* open = arg_dir(argc, argv);
  if (open == NULL || open->dir == NULL)
    return UV_EBADF;
  uv_dir_t* dir = open->dir;
  open->dir = NULL;
  return uv_fs_closedir(js.loop, &request->uv, dir, request->done);
}

/* The comments list the arguments from JavaScript, without the last one, `how`. */
const struct fs_operation js_fs_list_operations[] = {
    /* (path, bytes, types): an array of names, or of names and types in turn */
    {"readdir", "scandir", 1, 3, start_readdir, NULL, {NULL}},
    /* (path) */
    {"opendir", "opendir", 1, 1, fs_start_path, value_dir, {.path = uv_fs_opendir}},
    /* (dir, count, bytes): names and types in turn, null at the end */
    {"readdirSome", "readdir", 0, 3, start_read_some, value_dir_entries, {NULL}},
    /* (dir) */
    {"closedir", "closedir", 0, 1, start_closedir, NULL, {NULL}},
    {NULL, NULL, 0, 0, NULL, NULL, {NULL}},
};
