/* The calls: each uv_fs_… function with arguments of the seed's choice. */
#include "fs_fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct shape shapes[] = {
    {UV_FS_OPEN, "open", NEEDS_PATH | NEEDS_FLAGS | NEEDS_MODE, false},
    {UV_FS_OPEN, "open", NEEDS_PATH | NEEDS_FLAGS | NEEDS_MODE, false},
    {UV_FS_OPEN, "open", NEEDS_PATH | NEEDS_FLAGS | NEEDS_MODE, true},
    {UV_FS_CLOSE, "close", NEEDS_FILE, false},
    {UV_FS_READ, "read", NEEDS_FILE | NEEDS_BUFFERS | NEEDS_OFFSET, true},
    {UV_FS_READ, "read", NEEDS_FILE | NEEDS_BUFFERS | NEEDS_OFFSET, true},
    {UV_FS_WRITE, "write", NEEDS_FILE | NEEDS_BUFFERS | NEEDS_OFFSET, false},
    {UV_FS_WRITE, "write", NEEDS_FILE | NEEDS_BUFFERS | NEEDS_OFFSET, false},
    {UV_FS_UNLINK, "unlink", NEEDS_PATH, false},
    {UV_FS_MKDIR, "mkdir", NEEDS_PATH | NEEDS_MODE, false},
    {UV_FS_MKDTEMP, "mkdtemp", NEEDS_PATH | NEEDS_TEMPLATE, false},
    {UV_FS_MKSTEMP, "mkstemp", NEEDS_PATH | NEEDS_TEMPLATE, false},
    {UV_FS_RMDIR, "rmdir", NEEDS_PATH, false},
    {UV_FS_SCANDIR, "scandir", NEEDS_PATH | NEEDS_FLAGS, true},
    {UV_FS_OPENDIR, "opendir", NEEDS_PATH, false},
    {UV_FS_READDIR, "readdir", 0, false},
    {UV_FS_CLOSEDIR, "closedir", 0, false},
    {UV_FS_STAT, "stat", NEEDS_PATH, true},
    {UV_FS_LSTAT, "lstat", NEEDS_PATH, true},
    {UV_FS_FSTAT, "fstat", NEEDS_FILE, true},
    {UV_FS_STATFS, "statfs", NEEDS_PATH, true},
    {UV_FS_RENAME, "rename", NEEDS_PATH | NEEDS_NEW_PATH, false},
    {UV_FS_FSYNC, "fsync", NEEDS_FILE, false},
    {UV_FS_FDATASYNC, "fdatasync", NEEDS_FILE, false},
    {UV_FS_FTRUNCATE, "ftruncate", NEEDS_FILE | NEEDS_OFFSET, false},
    {UV_FS_COPYFILE, "copyfile", NEEDS_PATH | NEEDS_NEW_PATH | NEEDS_FLAGS, false},
    {UV_FS_SENDFILE, "sendfile", NEEDS_FILE | NEEDS_OFFSET, false},
    {UV_FS_ACCESS, "access", NEEDS_PATH | NEEDS_MODE, true},
    {UV_FS_CHMOD, "chmod", NEEDS_PATH | NEEDS_MODE, false},
    {UV_FS_FCHMOD, "fchmod", NEEDS_FILE | NEEDS_MODE, false},
    {UV_FS_UTIME, "utime", NEEDS_PATH | NEEDS_TIMES, false},
    {UV_FS_FUTIME, "futime", NEEDS_FILE | NEEDS_TIMES, false},
    {UV_FS_LUTIME, "lutime", NEEDS_PATH | NEEDS_TIMES, false},
    {UV_FS_LINK, "link", NEEDS_PATH | NEEDS_NEW_PATH, false},
    {UV_FS_SYMLINK, "symlink", NEEDS_PATH | NEEDS_NEW_PATH, false},
    {UV_FS_READLINK, "readlink", NEEDS_PATH, true},
    {UV_FS_REALPATH, "realpath", NEEDS_PATH, true},
    {UV_FS_CHOWN, "chown", NEEDS_PATH | NEEDS_OWNER, false},
    {UV_FS_FCHOWN, "fchown", NEEDS_FILE | NEEDS_OWNER, false},
    {UV_FS_LCHOWN, "lchown", NEEDS_PATH | NEEDS_OWNER, false},
};
enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]) };

/* --- Arguments -------------------------------------------------------------------- */

static int choose_open_flags(struct chain* chain) {
  static const int choices[] = {O_CREAT,     O_CREAT | O_EXCL, O_TRUNC,    O_APPEND,
                                O_DIRECTORY, O_PATH,           O_NOFOLLOW, O_DIRECT,
                                O_NONBLOCK,  O_CLOEXEC,        O_SYNC,     O_DSYNC,
                                O_NOATIME,   O_NOCTTY,         O_TMPFILE,  O_CREAT};
  static const int modes[] = {O_RDONLY, O_RDONLY, O_RDWR, O_WRONLY, O_RDONLY, O_RDWR, 3};
  int flags = modes[pick(chain, 7)];
  for (unsigned int n = pick(chain, 4); n > 0; n--)
    flags |= choices[pick(chain, 16)];
  return flags;
}

static int choose_flags(struct call* call) {
  switch (call->shape->type) {
  case UV_FS_OPEN:
    return choose_open_flags(call->chain);
  case UV_FS_COPYFILE:
    return (int) pick(call->chain, pick(call->chain, 8) == 0 ? 32 : 8);
  default:
    return 0;
  }
}

static int choose_mode(struct call* call) {
  static const int modes[] = {0644, 0755, 0600,  0777,  0,
                              0444, 0200, 06755, 01777, 0100644};
  if (call->shape->type == UV_FS_ACCESS)
    return (int) pick(call->chain, pick(call->chain, 8) == 0 ? 64 : 8);
  return modes[pick(call->chain, 10)];
}

static int64_t choose_offset(struct call* call) {
  static const int64_t far[] = {
      INT64_C(5) << 30, INT64_C(1) << 32, (INT64_C(1) << 32) - 3,
      INT64_MAX,        INT64_MAX - 4096, INT64_MIN,
      INT64_C(1) << 50, INT32_MAX,        -4096};
  struct chain* chain = call->chain;
  switch (pick(chain, 8)) {
  case 0:
    return 0;
  case 1:
    return far[pick(chain, 9)];
  case 2:
    return 4096 * (int64_t) pick(chain, 20);
  case 3:
    return (int64_t) pick(chain, 400000);
  case 4:
    return (int64_t) pick(chain, 100);
  case 5:
    return -(int64_t) pick(chain, 10);
  default:
    return -1;
  }
}

/* Microseconds and halves of them, before 1970, after 2038, at the borders of what file
 * systems store. */
static double choose_time(struct chain* chain) {
  static const double odd[] = {0,           -0.5,          0.1,        0.7,
                               1.7,         0.000001,      -0.000001,  1e9 + 0.3,
                               -1e9 - 0.7,  2147483648.25, 4294967296, 15032385535.,
                               -2147483648, -2147483649.,  0.0000005,  0.9999999,
                               -1,          -1.25,         1e10,       2e10};
  if (pick(chain, 2) == 0)
    return odd[pick(chain, 20)];
  double whole = (double) pick(chain, 1500000000);
  double part = (double) pick(chain, 1000000) / 1e6;
  return pick(chain, 6) == 0 ? -whole - part : whole + part;
}

static void choose_buffers(struct call* call) {
  struct chain* chain = call->chain;
  static const unsigned int many[] = {5, 20, 1023, 1024, 1025, 2500};
  unsigned int count = pick(chain, 3) == 0 ? many[pick(chain, 6)] : 1 + pick(chain, 4);
  if (pick(chain, 60) == 0)
    count = 0;
  unsigned int most = count > 20 ? 200 : pick(chain, 4) == 0 ? 60000 : 5000;
  unsigned int all = pick(chain, 20) == 0 ? 0 : 1;       /* or all of them are empty */
  bool whole_pages = pick(chain, 6) == 0 && count <= 20; /* as O_DIRECT wants it */
  call->buffer_count = count;
  call->buffers = calloc(count + 1, sizeof(uv_buf_t));
  call->memory_size = 0;
  for (unsigned int i = 0; i < count; i++) {
    size_t length = pick(chain, 8) == 0 ? 0 : all * pick(chain, most);
    if (whole_pages)
      length = 4096 * (1 + length / 16384);
    call->buffers[i].len = length;
    call->memory_size += length;
  }
  expect(posix_memalign((void**) &call->memory, 4096, call->memory_size + 1) == 0);
  size_t used = 0;
  for (unsigned int i = 0; i < count; i++) {
    call->buffers[i].base = call->memory + used;
    used += call->buffers[i].len;
  }
  unsigned int first = pick(chain, 256);
  for (size_t i = 0; i < call->memory_size; i++)
    call->memory[i] = call->shape->type == UV_FS_READ ? '-' : (char) (first + i * 7 / 3);
}

static void choose_template(struct call* call) {
  static const char* const ends[] = {
      "t/XXXXXX", "t/x-XXXXXX",     "t/XXXXX",     "t/none",
      "XXXXXX/x", "missing/XXXXXX", "shut/XXXXXX", ""};
  sprintf(call->path, "c%d/%s", call->chain->number, ends[pick(call->chain, 8)]);
  if (pick(call->chain, 10) == 0)
    call->path[0] = '\0';
}

static void choose_arguments(struct call* call) {
  struct chain* chain = call->chain;
  unsigned int needs = call->shape->needs;
  if (needs & NEEDS_PATH)
    world_path(chain, call->path);
  if (needs & NEEDS_NEW_PATH)
    world_path(chain, call->new_path);
  if (needs & NEEDS_TEMPLATE)
    choose_template(call);
  if (needs & NEEDS_FILE)
    call->fd = world_file(chain, &call->slot);
  if (needs & NEEDS_FLAGS)
    call->flags = choose_flags(call);
  if (needs & NEEDS_MODE)
    call->mode = choose_mode(call);
  if (needs & NEEDS_OFFSET)
    call->offset = choose_offset(call);
  if (needs & NEEDS_BUFFERS)
    choose_buffers(call);
  if (needs & NEEDS_TIMES) {
    call->atime = choose_time(chain);
    call->mtime = choose_time(chain);
  }
  if (needs & NEEDS_OWNER) {
    call->owner = pick(chain, 3) == 0   ? 1
                  : pick(chain, 2) == 0 ? (unsigned int) -1
                                        : getuid();
    call->group = pick(chain, 3) == 0   ? 1
                  : pick(chain, 2) == 0 ? (unsigned int) -1
                                        : getgid();
  }
}

/* What would wait for ever, or differs for reasons that are told in fs_fuzz.c. */
static bool can_be_compared(struct call* call, bool quiet) {
  struct chain* chain = call->chain;
  switch (call->shape->type) {
  case UV_FS_OPEN:
    if (quiet)
      call->flags = O_RDONLY | (pick(chain, 4) == 0 ? O_NOFOLLOW : 0);
    if (world_type(call->path) == S_IFIFO)
      call->flags |= O_NONBLOCK;
    return true;
  case UV_FS_COPYFILE:
    return !world_is_endless(call->path) &&
           (world_type(call->new_path) == 0 || world_type(call->new_path) == S_IFREG);
  case UV_FS_READ:
    /* Many at once must not move the file's position, nor empty a pipe. */
    if (quiet && call->offset < 0)
      call->offset = (int64_t) pick(chain, 20000);
    return quiet ? call->slot >= SLOTS / 2 : !world_would_wait(call->fd, POLLIN);
  case UV_FS_WRITE:
    return !world_would_wait(call->fd, POLLOUT) &&
           (call->memory_size < 4000 || call->slot < 0 || call->slot > 3);
  case UV_FS_CLOSE:
    return !chain->poor && (call->slot < 0 || call->slot >= SLOTS / 2);
  case UV_FS_CLOSEDIR:
    return !chain->poor;
  case UV_FS_SENDFILE:
    call->other_fd = world_file(chain, &call->other_slot);
    call->length = pick(chain, 8) == 0 ? 0 : pick(chain, 5000);
    if (pick(chain, 2) == 0)
      call->length %= 1000;
    /* It waits for all of it, on both sides, whatever the descriptors were told. */
    return world_has(call->other_fd, POLLIN, call->length) &&
           world_has(call->fd, POLLOUT, call->length);
  case UV_FS_READDIR:
    if (chain->dir != NULL) {
      chain->dir->dirents = call->entries;
      chain->dir->nentries = pick(chain, 4) == 0 ? ENTRIES_MAX : pick(chain, 5);
    }
    return true;
  default:
    return true;
  }
}

void call_drop(struct call* call) {
  free(call->buffers);
  free(call->memory);
}

bool call_choose(struct call* call, bool quiet) {
  struct chain* chain = call->chain;
  do {
    call->shape = &shapes[pick(chain, SHAPES)];
  } while (quiet && !call->shape->quiet);
  call->form = quiet ? ASYNC : (enum form) pick(chain, 3);
  if (pick(chain, 2) == 0)
    call->form = ASYNC;
  call->slot = -1;
  call->fd = -1;
  call->path[0] = call->new_path[0] = '\0';
  call->buffers = NULL;
  call->memory = NULL;
  choose_arguments(call);
  if (can_be_compared(call, quiet))
    return true;
  call_drop(call);
  return false;
}

/* --- The call --------------------------------------------------------------------- */

static int make_data_call(struct call* c, uv_loop_t* loop, uv_fs_cb cb) {
  uv_fs_t* req = &c->request;
  switch (c->shape->type) {
  case UV_FS_READ:
    return uv_fs_read(loop, req, c->fd, c->buffers, c->buffer_count, c->offset, cb);
  case UV_FS_WRITE:
    return uv_fs_write(loop, req, c->fd, c->buffers, c->buffer_count, c->offset, cb);
  case UV_FS_CLOSE:
    return uv_fs_close(loop, req, c->fd, cb);
  case UV_FS_FSTAT:
    return uv_fs_fstat(loop, req, c->fd, cb);
  case UV_FS_FSYNC:
    return uv_fs_fsync(loop, req, c->fd, cb);
  case UV_FS_FDATASYNC:
    return uv_fs_fdatasync(loop, req, c->fd, cb);
  case UV_FS_FTRUNCATE:
    return uv_fs_ftruncate(loop, req, c->fd, c->offset, cb);
  case UV_FS_SENDFILE:
    return uv_fs_sendfile(loop, req, c->fd, c->other_fd, c->offset, c->length, cb);
  case UV_FS_FCHMOD:
    return uv_fs_fchmod(loop, req, c->fd, c->mode, cb);
  case UV_FS_FUTIME:
    return uv_fs_futime(loop, req, c->fd, c->atime, c->mtime, cb);
  case UV_FS_FCHOWN:
    return uv_fs_fchown(loop, req, c->fd, c->owner, c->group, cb);
  case UV_FS_READDIR:
    return uv_fs_readdir(loop, req, c->dir, cb);
  default:
    return uv_fs_closedir(loop, req, c->dir, cb);
  }
}

static int make_link_call(struct call* c, uv_loop_t* loop, uv_fs_cb cb) {
  uv_fs_t* req = &c->request;
  switch (c->shape->type) {
  case UV_FS_RENAME:
    return uv_fs_rename(loop, req, c->path, c->new_path, cb);
  case UV_FS_COPYFILE:
    return uv_fs_copyfile(loop, req, c->path, c->new_path, c->flags, cb);
  case UV_FS_LINK:
    return uv_fs_link(loop, req, c->path, c->new_path, cb);
  case UV_FS_SYMLINK:
    return uv_fs_symlink(loop, req, c->path, c->new_path, 0, cb);
  case UV_FS_READLINK:
    return uv_fs_readlink(loop, req, c->path, cb);
  case UV_FS_REALPATH:
    return uv_fs_realpath(loop, req, c->path, cb);
  case UV_FS_UNLINK:
    return uv_fs_unlink(loop, req, c->path, cb);
  default:
    return uv_fs_rmdir(loop, req, c->path, cb);
  }
}

static int make_path_call(struct call* c, uv_loop_t* loop, uv_fs_cb cb) {
  uv_fs_t* req = &c->request;
  switch (c->shape->type) {
  case UV_FS_OPEN:
    return uv_fs_open(loop, req, c->path, c->flags, c->mode, cb);
  case UV_FS_MKDIR:
    return uv_fs_mkdir(loop, req, c->path, c->mode, cb);
  case UV_FS_MKDTEMP:
    return uv_fs_mkdtemp(loop, req, c->path, cb);
  case UV_FS_MKSTEMP:
    return uv_fs_mkstemp(loop, req, c->path, cb);
  case UV_FS_SCANDIR:
    return uv_fs_scandir(loop, req, c->path, c->flags, cb);
  case UV_FS_OPENDIR:
    return uv_fs_opendir(loop, req, c->path, cb);
  case UV_FS_STAT:
    return uv_fs_stat(loop, req, c->path, cb);
  case UV_FS_LSTAT:
    return uv_fs_lstat(loop, req, c->path, cb);
  case UV_FS_STATFS:
    return uv_fs_statfs(loop, req, c->path, cb);
  case UV_FS_ACCESS:
    return uv_fs_access(loop, req, c->path, c->mode, cb);
  case UV_FS_CHMOD:
    return uv_fs_chmod(loop, req, c->path, c->mode, cb);
  case UV_FS_UTIME:
    return uv_fs_utime(loop, req, c->path, c->atime, c->mtime, cb);
  case UV_FS_LUTIME:
    return uv_fs_lutime(loop, req, c->path, c->atime, c->mtime, cb);
  case UV_FS_CHOWN:
    return uv_fs_chown(loop, req, c->path, c->owner, c->group, cb);
  case UV_FS_LCHOWN:
    return uv_fs_lchown(loop, req, c->path, c->owner, c->group, cb);
  default:
    return make_link_call(c, loop, cb);
  }
}

void call_make(struct call* call, uv_fs_cb cb) {
  uv_loop_t* loop = call->form == SYNC_NO_LOOP ? NULL : call->chain->loop;
  call->dir = call->chain->dir;
  call->request.data = call;
  if (call->shape->needs & NEEDS_PATH)
    call->returned = make_path_call(call, loop, call->form == ASYNC ? cb : NULL);
  else
    call->returned = make_data_call(call, loop, call->form == ASYNC ? cb : NULL);
}

/* --- The end of it ---------------------------------------------------------------- */

/* The name that was found is another every time: from here on it is t/1, t/2, ... */
static void name_temporary(struct call* call) {
  char name[64];
  snprintf(name, sizeof(name), "c%d/t/%d", call->chain->number, ++call->chain->temporary);
  const char* found = uv_fs_get_path(&call->request);
  expect(rename(found, name) == 0 || remove(found) == 0); /* t may be shut */
}

static void keep_outcome(struct call* call) {
  struct chain* chain = call->chain;
  ssize_t result = uv_fs_get_result(&call->request);
  if (call->returned < 0 || result < 0)
    return;
  switch (call->shape->type) {
  case UV_FS_OPEN:
    world_keep(chain, (int) result);
    break;
  case UV_FS_MKSTEMP:
    world_keep(chain, (int) result);
    name_temporary(call);
    break;
  case UV_FS_MKDTEMP:
    name_temporary(call);
    break;
  case UV_FS_CLOSE:
    if (call->slot >= 0)
      chain->files[call->slot] = -1;
    break;
  case UV_FS_OPENDIR:
    if (chain->dir != NULL) {
      uv_fs_t req;
      uv_fs_closedir(NULL, &req, chain->dir, NULL);
      uv_fs_req_cleanup(&req);
    }
    chain->dir = uv_fs_get_ptr(&call->request);
    break;
  case UV_FS_CLOSEDIR:
    chain->dir = NULL;
    break;
  default:
    break;
  }
}

void call_end(struct call* call) {
  keep_outcome(call);
  uv_fs_req_cleanup(&call->request);
  expect(uv_fs_get_path(&call->request) == NULL);
  uv_fs_req_cleanup(&call->request);
  call_drop(call);
}
