/* Does everything there is to do with files, synchronously and asynchronously, in the
 * directory it is started in, and prints every result. Run on two libraries the output
 * must be the same to the byte. Uses nothing newer than libuv 1.44. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

enum { NOT_OPEN = 987 }; /* a descriptor */

static uv_loop_t loop;
static uv_fs_t req;
static int called;
static const char* form;

static void on_called(uv_fs_t* done) {
  (void) done;
  called++;
}

/* The result of a call in the form under way; async results come through the loop. */
static ssize_t settle(int returned) {
  if (strcmp(form, "sync") == 0) {
    if (returned != req.result)
      printf("returned %d, result %zd\n", returned, req.result);
    return req.result;
  }
  if (returned == 0) {
    uv_run(&loop, UV_RUN_DEFAULT);
    if (called != 1)
      printf("called back %d times\n", called);
    called = 0;
    return req.result;
  }
  return returned;
}

#define WITH                (strcmp(form, "sync") == 0 ? NULL : on_called)
#define CALL(function, ...) settle(function(&loop, &req, __VA_ARGS__, WITH))

static void print_result(const char* what, ssize_t result) {
  if (result < 0)
    printf("%s %s: %s\n", form, what, uv_err_name((int) result));
  else
    printf("%s %s: %zd\n", form, what, result);
}

static void report(const char* what, ssize_t result) {
  print_result(what, result);
  uv_fs_req_cleanup(&req);
}

static uv_file open_file(const char* path, int flags) {
  ssize_t fd = CALL(uv_fs_open, path, flags, 0640);
  if (fd < 0)
    print_result(path, fd);
  uv_fs_req_cleanup(&req);
  return (uv_file) fd;
}

static void close_file(uv_file fd) {
  report("close", CALL(uv_fs_close, fd));
}

/* What differs between two runs (inode, clock) is compared with the system's answer. */
static void print_stat(const char* what, const char* path) {
  const uv_stat_t* s = &req.statbuf;
  struct stat t;
  int known = lstat(path, &t) == 0 && t.st_ino == s->st_ino;
  printf("%s %s: mode %o links %llu owner %llu:%llu rdev %llu size %llu blksize %llu "
         "blocks %llu flags %llu gen %llu inode %s times %s\n",
         form, what, (unsigned) s->st_mode, (unsigned long long) s->st_nlink,
         (unsigned long long) s->st_uid, (unsigned long long) s->st_gid,
         (unsigned long long) s->st_rdev, (unsigned long long) s->st_size,
         (unsigned long long) s->st_blksize, (unsigned long long) s->st_blocks,
         (unsigned long long) s->st_flags, (unsigned long long) s->st_gen,
         known ? "same" : "other",
         known && t.st_mtim.tv_sec == s->st_mtim.tv_sec &&
                 t.st_mtim.tv_nsec == s->st_mtim.tv_nsec &&
                 t.st_ctim.tv_nsec == s->st_ctim.tv_nsec &&
                 t.st_atim.tv_nsec == s->st_atim.tv_nsec && t.st_dev == s->st_dev
             ? "same"
             : "other");
}

static void stat_all(const char* path) {
  ssize_t r = CALL(uv_fs_stat, path);
  if (r == 0 && req.ptr == &req.statbuf)
    print_stat(path, path);
  report("stat", r);
  r = CALL(uv_fs_lstat, path);
  if (r == 0)
    print_stat(path, path);
  report("lstat", r);
}

static void print_file(const char* path) {
  char bytes[200] = "";
  uv_buf_t into[3] = {uv_buf_init(bytes, 7), uv_buf_init(bytes + 7, 13),
                      uv_buf_init(bytes + 20, 100)};
  uv_file fd = open_file(path, O_RDONLY);
  ssize_t r = CALL(uv_fs_read, fd, into, 3, 0);
  for (ssize_t i = 0; i < r; i++)
    printf("%02x", (unsigned char) bytes[i]);
  printf("\n");
  report("read", r);
  close_file(fd);
}

static void data(void) {
  char text[] = "0123456789abcdefghijklmnopqrstuvwxyz";
  char bytes[64];
  uv_buf_t out[5];
  for (int i = 0; i < 5; i++)
    out[i] = uv_buf_init(text + i * 7, 7);
  uv_buf_t into = uv_buf_init(bytes, sizeof(bytes));
  uv_file fd = open_file("data", O_RDWR | O_CREAT | O_TRUNC);
  report("write", CALL(uv_fs_write, fd, out, 5, -1));
  report("write at 3", CALL(uv_fs_write, fd, out, 2, 3));
  report("write at 100", CALL(uv_fs_write, fd, out, 1, 100));
  report("read at 200", CALL(uv_fs_read, fd, &into, 1, 200));
  report("read on", CALL(uv_fs_read, fd, &into, 1, -1));
  printf("position %lld\n", (long long) lseek(fd, 0, SEEK_CUR));
  report("truncate", CALL(uv_fs_ftruncate, fd, 40));
  report("truncate to -1", CALL(uv_fs_ftruncate, fd, -1));
  report("sync", CALL(uv_fs_fsync, fd));
  report("datasync", CALL(uv_fs_fdatasync, fd));
  report("write far", CALL(uv_fs_write, fd, out, 1, (int64_t) 5 << 30));
  ssize_t r = CALL(uv_fs_fstat, fd);
  print_stat("fstat", "data");
  report("fstat", r);
  report("truncate", CALL(uv_fs_ftruncate, fd, 40));
  close_file(fd);
  print_file("data");
  report("read nothing", CALL(uv_fs_read, NOT_OPEN, &into, 1, 0));
  report("write nothing", CALL(uv_fs_write, NOT_OPEN, out, 1, 0));
  report("close nothing", CALL(uv_fs_close, NOT_OPEN));
  report("no buffers", CALL(uv_fs_read, NOT_OPEN, NULL, 0, 0));

  fd = open_file("data", O_WRONLY | O_APPEND);
  report("append", CALL(uv_fs_write, fd, out, 1, 0));
  report("read", CALL(uv_fs_read, fd, &into, 1, 0));
  close_file(fd);
  print_file("data");
  uv_file from = open_file("data", O_RDONLY);
  uv_file to = open_file("sent", O_WRONLY | O_CREAT | O_TRUNC);
  report("sendfile", CALL(uv_fs_sendfile, to, from, 3, 1000));
  report("sendfile none", CALL(uv_fs_sendfile, to, from, 1000, 10));
  close_file(to);
  close_file(from);
  print_file("sent");
  fd = open_file(".", O_RDONLY);
  report("read directory", CALL(uv_fs_read, fd, &into, 1, 0));
  close_file(fd);
}

static void many_buffers(void) {
  enum { COUNT = 3000 };
  static uv_buf_t bufs[COUNT];
  static char bytes[COUNT * 2];
  for (int i = 0; i < COUNT; i++)
    bufs[i] = uv_buf_init(bytes + i * 2, 2);
  for (int i = 0; i < COUNT * 2; i++)
    bytes[i] = (char) (i * 3);
  uv_file fd = open_file("many", O_RDWR | O_CREAT | O_TRUNC);
  report("write many", CALL(uv_fs_write, fd, bufs, COUNT, 0));
  memset(bytes, 0, sizeof(bytes));
  report("read many", CALL(uv_fs_read, fd, bufs, COUNT, 0));
  unsigned int sum = 0;
  for (int i = 0; i < COUNT * 2; i++)
    sum = sum * 31 + (unsigned char) bytes[i];
  printf("sum %u\n", sum);
  close_file(fd);
}

static void names(void) {
  static char too_long[NAME_MAX + 20];
  memset(too_long, 'x', sizeof(too_long) - 1);
  const char* odd[] = {"missing", "data/below", "", "loop", too_long, ".", "dir/../dir"};
  report("mkdir", CALL(uv_fs_mkdir, "dir", 0751));
  report("mkdir again", CALL(uv_fs_mkdir, "dir", 0751));
  report("symlink", CALL(uv_fs_symlink, "loop", "loop", 0));
  report("symlink", CALL(uv_fs_symlink, "data", "soft", 0));
  report("link", CALL(uv_fs_link, "data", "hard"));
  report("link again", CALL(uv_fs_link, "data", "hard"));
  for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
    printf("-- %.20s\n", odd[i]);
    stat_all(odd[i]);
    report("access", CALL(uv_fs_access, odd[i], F_OK));
    report("open rw", CALL(uv_fs_open, odd[i], O_RDWR, 0));
    report("readlink", CALL(uv_fs_readlink, odd[i]));
    report("rename", CALL(uv_fs_rename, odd[i], "no/where"));
    report("chmod", CALL(uv_fs_chmod, odd[i], 0755));
    report("utime", CALL(uv_fs_utime, odd[i], 1, 2));
    report("scandir", CALL(uv_fs_scandir, odd[i], 0) < 0 ? req.result : 0);
    report("opendir", CALL(uv_fs_opendir, odd[i]) < 0 ? req.result : 0);
    report("copyfile", CALL(uv_fs_copyfile, odd[i], "copied", 0));
    report("unlink", CALL(uv_fs_unlink, odd[i]));
    report("realpath", CALL(uv_fs_realpath, odd[i]));
    report("mkdir", CALL(uv_fs_mkdir, odd[i], 0700));
    if (strcmp(odd[i], "missing") == 0 || strcmp(odd[i], "loop") == 0)
      report("rmdir", CALL(uv_fs_rmdir, odd[i]));
  }
  ssize_t r = CALL(uv_fs_readlink, "soft");
  printf("%s\n", r == 0 ? (char*) req.ptr : "?");
  report("readlink", r);
  stat_all("soft");
  stat_all("hard");
  report("access", CALL(uv_fs_access, "data", R_OK | W_OK));
  report("access", CALL(uv_fs_access, "data", X_OK));
  report("rename", CALL(uv_fs_rename, "hard", "harder"));
  report("unlink", CALL(uv_fs_unlink, "harder"));
  report("unlink", CALL(uv_fs_unlink, "soft"));
  report("rmdir", CALL(uv_fs_rmdir, "dir"));
  report("mkstemp", CALL(uv_fs_mkstemp, "bad") < 0 ? req.result : 0);
  report("mkdtemp", CALL(uv_fs_mkdtemp, "bad"));
}

static void attributes(void) {
  report("chmod", CALL(uv_fs_chmod, "data", 0604));
  stat_all("data");
  uv_file fd = open_file("data", O_RDWR);
  report("fchmod", CALL(uv_fs_fchmod, fd, 0640));
  report("fchown", CALL(uv_fs_fchown, fd, getuid(), getgid()));
  const double times[] = {
      0, 1.5, 400497753.25, 1291404900.123, -14245440.25, 1700000000.999999};
  for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
    report("utime", CALL(uv_fs_utime, "data", times[i], times[i] + 1));
    ssize_t r = CALL(uv_fs_fstat, fd);
    printf("%ld.%09ld %ld.%09ld\n", req.statbuf.st_atim.tv_sec,
           req.statbuf.st_atim.tv_nsec, req.statbuf.st_mtim.tv_sec,
           req.statbuf.st_mtim.tv_nsec);
    report("fstat", r);
    report("futime", CALL(uv_fs_futime, fd, times[i] + 7, times[i]));
    r = CALL(uv_fs_stat, "data");
    printf("%ld.%09ld %ld.%09ld\n", req.statbuf.st_atim.tv_sec,
           req.statbuf.st_atim.tv_nsec, req.statbuf.st_mtim.tv_sec,
           req.statbuf.st_mtim.tv_nsec);
    report("stat", r);
  }
  report("lutime", CALL(uv_fs_lutime, "data", 10, 20));
  report("chown", CALL(uv_fs_chown, "data", getuid(), getgid()));
  report("lchown", CALL(uv_fs_lchown, "data", getuid(), getgid()));
  close_file(fd);
  report("fchmod nothing", CALL(uv_fs_fchmod, NOT_OPEN, 0640));
  report("futime nothing", CALL(uv_fs_futime, NOT_OPEN, 1, 2));
  ssize_t r = CALL(uv_fs_statfs, ".");
  const uv_statfs_t* s = req.ptr;
  printf("%llx %llu %llu %llu\n", (unsigned long long) s->f_type,
         (unsigned long long) s->f_bsize, (unsigned long long) s->f_blocks,
         (unsigned long long) s->f_files);
  report("statfs", r);
}

static int by_name(const void* a, const void* b) {
  return strcmp(*(char* const*) a, *(char* const*) b);
}

static void directories(void) {
  enum { COUNT = 300 };
  static char* found[COUNT + 10];
  char name[64];
  report("mkdir", CALL(uv_fs_mkdir, "many-files", 0755));
  report("scandir empty", CALL(uv_fs_scandir, "many-files", 0));
  for (int i = 0; i < COUNT; i++) {
    snprintf(name, sizeof(name), "many-files/%c%d\xff\n", 'A' + i % 60, i * 7919 % COUNT);
    if (i % 3 == 0)
      report("mkdir", CALL(uv_fs_mkdir, name, 0755));
    else if (i % 3 == 1)
      report("symlink", CALL(uv_fs_symlink, "x", name, 0));
    else
      close_file(open_file(name, O_WRONLY | O_CREAT));
  }
  ssize_t r = CALL(uv_fs_scandir, "many-files", 0);
  print_result("scandir", r);
  uv_dirent_t entry;
  while (uv_fs_scandir_next(&req, &entry) == 0)
    printf("%d %s\n", entry.type, entry.name);
  uv_fs_req_cleanup(&req);

  uv_dirent_t entries[7];
  r = CALL(uv_fs_opendir, "many-files");
  uv_dir_t* dir = req.ptr;
  report("opendir", r);
  dir->dirents = entries;
  dir->nentries = 7;
  size_t count = 0;
  while ((r = CALL(uv_fs_readdir, dir)) > 0) {
    for (ssize_t i = 0; i < r && count < COUNT + 10; i++) {
      snprintf(name, sizeof(name), "%s %d", entries[i].name, entries[i].type);
      found[count++] = strdup(name);
    }
    uv_fs_req_cleanup(&req);
  }
  report("readdir", r);
  report("closedir", CALL(uv_fs_closedir, dir));
  qsort(found, count, sizeof(found[0]), by_name);
  for (size_t i = 0; i < count; i++) {
    printf("%s\n", found[i]);
    free(found[i]);
  }
}

static void copies(void) {
  report("copy", CALL(uv_fs_copyfile, "data", "copy", 0));
  print_file("copy");
  stat_all("copy");
  report("copy", CALL(uv_fs_copyfile, "data", "copy", UV_FS_COPYFILE_EXCL));
  report("copy", CALL(uv_fs_copyfile, "data", "data", 0));
  report("copy", CALL(uv_fs_copyfile, "many", "copy", UV_FS_COPYFILE_FICLONE));
  print_file("copy");
  report("copy", CALL(uv_fs_copyfile, "data", "copy", 99));
  report("copy", CALL(uv_fs_copyfile, "data", "many-files", 0));
  report("copy", CALL(uv_fs_copyfile, "many-files", "copy2", 0));
  stat_all("copy2");
}

static void remove_all(void) {
  char command[] =
      "rm -rf ./data ./sent ./many ./many-files ./copy ./copied ./loop ./missing";
  if (system(command) != 0)
    printf("can't clean up\n");
}

int main(void) {
  umask(022);
  if (uv_loop_init(&loop) != 0)
    return 1;
  const char* forms[] = {"sync", "async", "async"}; /* twice: caches are warm then */
  for (size_t i = 0; i < 3; i++) {
    form = forms[i];
    data();
    many_buffers();
    names();
    attributes();
    directories();
    copies();
    remove_all();
  }
  return uv_loop_close(&loop);
}
