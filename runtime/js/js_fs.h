/* The common part of the files of the fs module: one request, from the call in JavaScript
 * to the answer. The request owns its paths and keeps its buffers alive; it is freed when
 * the answer has been given.
 *
 * The native functions are rows of tables: the name of an operation, which of its
 * arguments are paths, how it is started and how its answer is made. One function handles
 * the calls of all of them. */
#ifndef RONDO_JS_FS_H
#define RONDO_JS_FS_H

#include "js_answer.h"

struct fs_request;

/* Starts a request with the arguments of the call; returns the result of uv_fs_… or an
 * error. */
typedef int (*fs_start)(struct fs_request* request, size_t argc, const JSValueRef argv[]);

/* Makes the value of a request that succeeded; NULL for undefined. */
typedef JSValueRef (*fs_value)(struct fs_request* request);

/* A row of the tables: one native function. */
struct fs_operation {
  const char* name;
  const char* syscall; /* as error messages name it */
  size_t paths;        /* how many of the first arguments are paths: up to two */
  size_t how;          /* index of the argument that says how to answer */
  fs_start start;
  fs_value value; /* or NULL */
  /* The library's function, where `start` serves several of one shape. */
  union {
    int (*path)(uv_loop_t*, uv_fs_t*, const char*, uv_fs_cb);
    int (*path_int)(uv_loop_t*, uv_fs_t*, const char*, int, uv_fs_cb);
    int (*path_ids)(uv_loop_t*, uv_fs_t*, const char*, uv_uid_t, uv_gid_t, uv_fs_cb);
    int (*path_times)(uv_loop_t*, uv_fs_t*, const char*, double, double, uv_fs_cb);
    int (*paths)(uv_loop_t*, uv_fs_t*, const char*, const char*, uv_fs_cb);
    int (*file)(uv_loop_t*, uv_fs_t*, uv_file, uv_fs_cb);
    int (*move)(uv_loop_t*, uv_fs_t*, uv_file, const uv_buf_t*, unsigned, int64_t,
                uv_fs_cb);
  } uv;
};

struct fs_request {
  uv_fs_t uv;
  const struct fs_operation* operation;
  struct answer answer;
  uv_fs_cb done;          /* the callback for uv_fs_…: NULL for a synchronous answer */
  rondo_node_tick_t tick; /* for errors that the library reports at once */
  fs_value value;         /* the operation's, unless `start` sets another */
  char *path, *dest;      /* or NULL */
  JSValueRef kept;        /* the buffers that the kernel works on, or NULL */
  uv_buf_t* buffers;
  char** copies; /* copies of those buffers that may move, NULL for the others; or NULL */
  unsigned count;
  double offset; /* in the first view, where the copies begin */
  bool option;   /* its meaning depends on the operation */
};

/* Start functions that several files share: (path, how), (path, option, how) and (fd,
 * how). */
int fs_start_path(struct fs_request* request, size_t argc, const JSValueRef argv[]);
int fs_start_option(struct fs_request* request, size_t argc, const JSValueRef argv[]);
int fs_start_file(struct fs_request* request, size_t argc, const JSValueRef argv[]);

/* Keeps a JavaScript value alive until the answer. */
void fs_request_keep(struct fs_request* request, JSValueRef value);

static inline uv_file fs_arg_file(size_t argc, const JSValueRef argv[]) {
  return js_arg_int(argc, argv, 0, -1);
}

/* A user or group id from JavaScript: -1 means unchanged. */
static inline unsigned fs_arg_id(size_t argc, const JSValueRef argv[], size_t index) {
  double number = js_arg_number(argc, argv, index, -1);
  return number < 0 ? (unsigned) -1 : (unsigned) number;
}

/* A path from JavaScript (a string or bytes) as a C string, to be freed by the caller. */
char* js_fs_path(JSValueRef value);

/* The functions of each file, for native('fs'); the last entry's name is NULL. */
extern const struct fs_operation js_fs_path_operations[];
extern const struct fs_operation js_fs_file_operations[];
extern const struct fs_operation js_fs_stat_operations[];
extern const struct fs_operation js_fs_list_operations[];
extern const struct js_method js_fs_stat_methods[];
extern const struct js_method js_fs_whole_methods[];
extern const struct js_method js_fs_watch_methods[];

/* Sets up the array through which results of stat are passed. */
void js_fs_stat_init(JSObjectRef exports);
/* The Stats object of a result, made by JavaScript. */
JSValueRef js_fs_stat_value(const uv_stat_t* stat, bool big);

/* A Buffer over memory from malloc, which the Buffer owns. */
JSValueRef js_fs_buffer_take(void* bytes, size_t length);

#endif
