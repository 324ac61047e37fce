/* What came of a call, in words that are the same for two runs: no inode, no descriptor,
 * no clock. */
#include "fs_fuzz.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void print_text(FILE* log, const char* text) {
  char here[PATH_ROOM];
  if (text == NULL) {
    fputs("NULL", log);
    return;
  }
  expect(getcwd(here, sizeof(here)) != NULL);
  size_t length = strlen(here);
  if (strncmp(text, here, length) == 0) {
    fputc('@', log);
    text += length;
  }
  length = strlen(text);
  if (length > 100) {
    fprintf(log, "<%zu bytes, sum %u>", length, checksum(text, length));
    return;
  }
  fputc('\'', log);
  for (; *text != '\0'; text++)
    fprintf(log, isprint((unsigned char) *text) ? "%c" : "\\%03o", (unsigned char) *text);
  fputc('\'', log);
}

unsigned int checksum(const char* bytes, size_t size) {
  unsigned int sum = 1;
  for (size_t i = 0; i < size; i++)
    sum = sum * 16777619 ^ (unsigned char) bytes[i];
  return sum;
}

void print_time(FILE* log, const char* name, int64_t seconds, long nanoseconds) {
  int64_t away = seconds - (int64_t) time(NULL);
  if (away > -86400 && away < 86400)
    fprintf(log, "%s now", name);
  else
    fprintf(log, "%s %lld.%09ld", name, (long long) seconds, nanoseconds);
}

static void print_stat(FILE* log, const uv_stat_t* s, bool alone) {
  struct stat here;
  expect(stat(".", &here) == 0);
  /* Of others' files no more than what sort of thing they are. */
  bool ours = s->st_dev == here.st_dev && s->st_uid == getuid();
  fprintf(log, " mode %o rdev %llu flags %llu gen %llu", (unsigned) s->st_mode,
          (unsigned long long) s->st_rdev, (unsigned long long) s->st_flags,
          (unsigned long long) s->st_gen);
  if (!ours)
    return;
  fprintf(log, " links %llu owner %llu:%llu size %llu blksize %llu",
          (unsigned long long) s->st_nlink, (unsigned long long) s->st_uid,
          (unsigned long long) s->st_gid, (unsigned long long) s->st_size,
          (unsigned long long) s->st_blksize);
  if (alone) {
    /* While others sync their files, a file may for a moment have no blocks. */
    fprintf(log, " blocks %llu", (unsigned long long) s->st_blocks);
    print_time(log, " atime", s->st_atim.tv_sec, s->st_atim.tv_nsec);
  }
  print_time(log, " mtime", s->st_mtim.tv_sec, s->st_mtim.tv_nsec);
  print_time(log, " ctime", s->st_ctim.tv_sec, s->st_ctim.tv_nsec);
  print_time(log, " born", s->st_birthtim.tv_sec, s->st_birthtim.tv_nsec);
}

static int by_name(const void* a, const void* b) {
  return strcmp(((const uv_dirent_t*) a)->name, ((const uv_dirent_t*) b)->name);
}

static void print_entries(FILE* log, uv_dirent_t* entries, ssize_t count) {
  if (count > 1)
    qsort(entries, (size_t) count, sizeof(entries[0]), by_name);
  for (ssize_t i = 0; i < count; i++) {
    fprintf(log, " %d:", (int) entries[i].type);
    print_text(log, entries[i].name);
  }
}

static void print_listing(FILE* log, uv_fs_t* req) {
  uv_dirent_t entry;
  int err;
  while ((err = uv_fs_scandir_next(req, &entry)) == 0)
    print_entries(log, &entry, 1);
  fprintf(log, " end %d again %d", err, uv_fs_scandir_next(req, &entry));
}

/* How many of a few entries come at once is the order's matter, which is the file
 * system's: only their number is told. */
static void print_dir(FILE* log, struct call* call) {
  if (call->dir->nentries == ENTRIES_MAX)
    print_entries(log, call->dir->dirents, uv_fs_get_result(&call->request));
}

static void print_statfs(FILE* log, const uv_statfs_t* s) {
  fprintf(log, " type %llx bsize %llu", (unsigned long long) s->f_type,
          (unsigned long long) s->f_bsize);
}

/* What the flags came to, and where in the file it is. */
static void print_descriptor(FILE* log, int fd) {
  struct stat about;
  if (fstat(fd, &about) != 0)
    return;
  fprintf(log, " flags %o/%o", (unsigned) fcntl(fd, F_GETFL),
          (unsigned) fcntl(fd, F_GETFD));
  if (S_ISREG(about.st_mode))
    fprintf(log, " at %lld size %lld", (long long) lseek(fd, 0, SEEK_CUR),
            (long long) about.st_size);
}

static void print_answer(struct call* call) {
  FILE* log = call->chain->log;
  uv_fs_t* req = &call->request;
  switch (call->shape->type) {
  case UV_FS_STAT:
  case UV_FS_LSTAT:
  case UV_FS_FSTAT:
    fprintf(log, " ptr %s",
            uv_fs_get_ptr(req) == uv_fs_get_statbuf(req) ? "good" : "bad");
    print_stat(log, uv_fs_get_statbuf(req),
               call->chain->alone && call->chain->count == 1);
    break;
  case UV_FS_READLINK:
  case UV_FS_REALPATH:
    fputc(' ', log);
    print_text(log, uv_fs_get_ptr(req));
    break;
  case UV_FS_SCANDIR:
    print_listing(log, req);
    break;
  case UV_FS_READDIR:
    print_dir(log, call);
    break;
  case UV_FS_STATFS:
    print_statfs(log, uv_fs_get_ptr(req));
    break;
  case UV_FS_READ:
    fprintf(log, " sum %u", checksum(call->memory, call->memory_size));
    break;
  case UV_FS_OPEN:
  case UV_FS_MKSTEMP:
    print_descriptor(log, (int) uv_fs_get_result(req));
    break;
  default:
    fprintf(log, " ptr %s", uv_fs_get_ptr(req) == NULL ? "none" : "some");
  }
}

static void print_arguments(struct call* call) {
  FILE* log = call->chain->log;
  unsigned int needs = call->shape->needs;
  if (needs & NEEDS_PATH)
    print_text(log, call->path);
  if (needs & NEEDS_NEW_PATH)
    print_text(log, call->new_path);
  if (needs & NEEDS_FILE)
    fprintf(log, " file %d", call->slot < 0 ? call->fd : call->slot);
  if (call->shape->type == UV_FS_SENDFILE)
    fprintf(log, " from %d length %zu",
            call->other_slot < 0 ? call->other_fd : call->other_slot, call->length);
  if (needs & NEEDS_FLAGS)
    fprintf(log, " flags %o", (unsigned) call->flags);
  if (needs & NEEDS_MODE)
    fprintf(log, " mode %o", (unsigned) call->mode);
  if (needs & NEEDS_OFFSET)
    fprintf(log, " offset %lld", (long long) call->offset);
  if (needs & NEEDS_BUFFERS)
    fprintf(log, " buffers %u of %zu", call->buffer_count, call->memory_size);
  if (needs & NEEDS_TIMES)
    fprintf(log, " times %.7f %.7f", call->atime, call->mtime);
  if (needs & NEEDS_OWNER)
    fprintf(log, " owner %d:%d", (int) call->owner, (int) call->group);
}

void print_call(struct call* call) {
  static const char* const forms[] = {"", " without a loop", " later"};
  FILE* log = call->chain->log;
  uv_fs_t* req = &call->request;
  ssize_t result = uv_fs_get_result(req);
  bool opens = call->shape->type == UV_FS_OPEN || call->shape->type == UV_FS_MKSTEMP;
  fprintf(log, "%d.%d %s%s(", call->chain->number, ++call->chain->serial,
          call->shape->name, forms[call->form]);
  print_arguments(call);
  fputc(')', log);
  if (call->returned < 0) {
    fprintf(log, " returned %s", uv_err_name(call->returned));
    if (call->form == ASYNC || result != call->returned) {
      fputc('\n', log);
      return;
    }
  }
  if (result < 0)
    fprintf(log, " %s %d", uv_err_name((int) result), uv_fs_get_system_error(req));
  else
    fprintf(log, " %zd", opens ? 0 : result);
  fprintf(log, " type %d", uv_fs_get_type(req));
  if (call->shape->needs & NEEDS_TEMPLATE)
    fprintf(log, " path of %zu", strlen(uv_fs_get_path(req)));
  else {
    fputs(" path ", log);
    print_text(log, uv_fs_get_path(req));
  }
  if (result >= 0)
    print_answer(call);
  else
    fprintf(log, " ptr %s", uv_fs_get_ptr(req) == NULL ? "none" : "some");
  if (call->slot >= 0 && call->shape->type != UV_FS_CLOSE)
    print_descriptor(log, call->fd);
  fputc('\n', log);
}
