/* What the tests of files share. */
#include "helper_files.h"

#include <ftw.h>
#include <sys/mman.h>

uv_loop_t files_loop;
int files_calls;
static char files_directory[4096];

int files_open(void** state) {
  (void) state;
  const char* parent = getenv("TMPDIR");
  snprintf(files_directory, sizeof(files_directory), "%s/rondo-files-XXXXXX",
           parent != NULL ? parent : "/tmp");
  if (mkdtemp(files_directory) == NULL || chdir(files_directory) != 0)
    return -1;
  files_calls = 0;
  return uv_loop_init(&files_loop);
}

static int remove_one(const char* path, const struct stat* about, int kind,
                      struct FTW* walk) {
  (void) about, (void) kind, (void) walk;
  return remove(path);
}

int files_shut(void** state) {
  (void) state;
  int err = uv_loop_close(&files_loop);
  if (chdir("/") != 0)
    return -1;
  nftw(files_directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  return err;
}

void files_called(uv_fs_t* req) {
  (void) req;
  files_calls++;
}

ssize_t files_await(uv_fs_t* req, int started) {
  assert_int_equal(started, 0);
  assert_int_equal(files_calls, 0);
  assert_true(uv_loop_alive(&files_loop));
  assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(files_calls, 1);
  files_calls = 0;
  return req->result;
}

void files_make(const char* path, const char* bytes, size_t size) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, bytes, size), size);
  assert_int_equal(close(fd), 0);
}

void files_expect(const char* path, const char* bytes, size_t size) {
  char* found = malloc(size + 1);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  assert_true(fd >= 0);
  assert_int_equal(read(fd, found, size + 1), size);
  assert_memory_equal(found, bytes, size);
  assert_int_equal(close(fd), 0);
  free(found);
}

bool files_exist(const char* path) {
  return access(path, F_OK) == 0;
}

bool files_make_cold(int fd, size_t size) {
  if (fsync(fd) != 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0)
    return false;
  unsigned char in_memory = 1;
  void* map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED)
    return false;
  bool cold = mincore(map, 1, &in_memory) == 0 && (in_memory & 1) == 0;
  munmap(map, size);
  return cold;
}
