/* What the files of the fs module share: one request, from the call in JavaScript to the
 * answer. The request owns its paths and keeps its buffers alive; it is freed when the
 * answer has been given. */
#ifndef RONDO_JS_FS_H
#define RONDO_JS_FS_H

#include "answer.h"

typedef struct fs_request_s fs_request_t;

/* Makes the value of a request that succeeded; NULL for undefined. */
typedef JSValueRef (*fs_value)(fs_request_t* request);

struct fs_request_s {
  uv_fs_t uv;
  answer_t answer;
  rondo_node_tick_t tick; /* for errors that the library reports at once */
  fs_value value;
  const char* syscall; /* as error messages name it */
  char *path, *dest;   /* or NULL */
  JSValueRef kept;     /* the buffers the kernel works on, or NULL */
  uv_buf_t* buffers;
  bool option; /* the meaning is the operation's */
};

/* One call of a native function. */
typedef struct {
  fs_request_t* request; /* NULL if the call failed: then *exception says why */
  JSValueRef returned;
  uv_fs_cb done; /* what to give to uv_fs_…: NULL for the answer at once */
} fs_call_t;

/* Starts a call whose first `paths` arguments are paths and whose argument `how` says
 * how to answer. */
fs_call_t js_fs_begin(const char* syscall, size_t paths, size_t how, size_t argc,
                      const JSValueRef argv[], JSValueRef* exception);

/* Ends it with what uv_fs_… returned. */
JSValueRef js_fs_end(fs_call_t* call, fs_value value, int result, JSValueRef* exception);

/* A path of JavaScript's (a string or bytes) as C has it, to be freed by the caller. */
char* js_fs_path(JSValueRef value);

/* The functions of each file, for native('fs'). */
extern const js_method_t js_fs_path_methods[];
extern const js_method_t js_fs_file_methods[];
extern const js_method_t js_fs_stat_methods[];
extern const js_method_t js_fs_list_methods[];
extern const js_method_t js_fs_whole_methods[];
extern const js_method_t js_fs_watch_methods[];

/* Sets up what stat results pass through. */
void js_fs_stat_init(JSObjectRef exports);
/* The Stats object of a result, made by JavaScript. */
JSValueRef js_fs_stat_value(const uv_stat_t* stat, bool big);

/* The content of a small file, from malloc, if it is had without waiting; else NULL. */
uint8_t* js_fs_read_cached(const char* path, size_t* length);

/* A Buffer over memory from malloc, which it takes over. */
JSValueRef js_fs_buffer_take(void* bytes, size_t length);

#endif
