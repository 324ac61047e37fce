/* stat and its relatives. The numbers of a result are stored in one array shared with
 * JavaScript, and a JavaScript function makes the Stats object from them at once. */
#include "js_fs.h"

#include <stdlib.h>

/* In the order in which the Stats constructor takes them; times are pairs of seconds and
 * nanoseconds. */
enum { STAT_FIELDS = 18 };

static double numbers[STAT_FIELDS];
static int64_t integers[STAT_FIELDS];
static JSObjectRef make_stats, make_big_stats, make_statfs;

static size_t put_fields(int64_t* out, const uv_stat_t* stat) {
  const uint64_t plain[] = {stat->st_dev,  stat->st_mode,  stat->st_nlink,   stat->st_uid,
                            stat->st_gid,  stat->st_rdev,  stat->st_blksize, stat->st_ino,
                            stat->st_size, stat->st_blocks};
  const uv_timespec_t times[] = {stat->st_atim, stat->st_mtim, stat->st_ctim,
                                 stat->st_birthtim};
  size_t count = 0;
  for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
    out[count++] = (int64_t) plain[i];
  for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
    out[count++] = times[i].tv_sec;
    out[count++] = times[i].tv_nsec;
  }
  return count;
}

JSValueRef js_fs_stat_value(const uv_stat_t* stat, bool big) {
  size_t count = put_fields(integers, stat);
  for (size_t i = 0; !big && i < count; i++)
    numbers[i] = (double) integers[i];
  JSObjectRef make = big ? make_big_stats : make_stats;
  return make != NULL ? JSObjectCallAsFunction(js.ctx, make, NULL, 0, NULL, NULL) : NULL;
}

static JSValueRef value_stat(struct fs_request* request) {
  return js_fs_stat_value(&request->uv.statbuf, request->option);
}

static int start_stat_file(struct fs_request* request, size_t argc,
                           const JSValueRef argv[]) {
  request->option = js_arg_bool(argc, argv, 1);
  return fs_start_file(request, argc, argv);
}

static JSValueRef value_statfs(struct fs_request* request) {
  const uv_statfs_t* stat = request->uv.ptr;
  const uint64_t fields[] = {stat->f_type,   stat->f_bsize, stat->f_blocks, stat->f_bfree,
                             stat->f_bavail, stat->f_files, stat->f_ffree};
  JSValueRef big = js_boolean(request->option);
  for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
    integers[i] = (int64_t) fields[i];
    numbers[i] = (double) fields[i];
  }
  return JSObjectCallAsFunction(js.ctx, make_statfs, NULL, 1, &big, NULL);
}

/* (path or fd, bigint, how) */
const struct fs_operation js_fs_stat_operations[] = {
    {"stat", "stat", 1, 2, fs_start_option, value_stat, {.path = uv_fs_stat}},
    {"lstat", "lstat", 1, 2, fs_start_option, value_stat, {.path = uv_fs_lstat}},
    {"fstat", "fstat", 0, 2, start_stat_file, value_stat, {.file = uv_fs_fstat}},
    {"statfs", "statfs", 1, 2, fs_start_option, value_statfs, {.path = uv_fs_statfs}},
    {NULL, NULL, 0, 0, NULL, NULL, {NULL}},
};

/* setStats(makeStats, makeBigStats, makeStatfs) */
static JSValueRef set_stats(JS_ARGS) {
  JS_UNUSED;
  JSObjectRef* const makers[] = {&make_stats, &make_big_stats, &make_statfs};
  for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
    *makers[i] = js_arg_function(argc, argv, i);
    if (*makers[i] != NULL)
      js_keep(*makers[i]);
  }
  return js_undefined();
}

/* existsSync(path): true for an existing path, otherwise false; throws nothing. The
 * module loader calls it very often. */
static JSValueRef stat_exists(JS_ARGS) {
  JS_UNUSED;
  uv_fs_t request;
  char* path = js_fs_path(js_arg(argc, argv, 0));
  if (path == NULL)
    return js_boolean(false);
  int err = uv_fs_access(js.loop, &request, path, 0, NULL);
  uv_fs_req_cleanup(&request);
  free(path);
  return js_boolean(err == 0);
}

const struct js_method js_fs_stat_methods[] = {
    {"setStats", set_stats},
    {"existsSync", stat_exists},
    {NULL, NULL},
};

void js_fs_stat_init(JSObjectRef exports) {
  js_set(exports, "statNumbers",
         js_shared(kJSTypedArrayTypeFloat64Array, numbers, sizeof(numbers)));
  js_set(exports, "statBytes",
         js_shared(kJSTypedArrayTypeUint8Array, integers, sizeof(integers)));
}
