/* Running out of memory: every allocation of every file operation fails once. The
 * operation then says UV_ENOMEM and nothing is lost, or it did without. */
#include "helper_files.h"

#include <stdatomic.h>

/* --- An allocator that fails once ------------------------------------------------- */

static _Atomic long allocations;
static _Atomic long fails_at; /* counted from 1; 0: never */

static bool refused(void) {
  return atomic_fetch_add(&allocations, 1) + 1 == atomic_load(&fails_at);
}

static void* some_malloc(size_t size) {
  return refused() ? NULL : malloc(size);
}

static void* some_calloc(size_t count, size_t size) {
  return refused() ? NULL : calloc(count, size);
}

static void* some_realloc(void* block, size_t size) {
  return refused() ? NULL : realloc(block, size);
}

/* --- The operations --------------------------------------------------------------- */

static uv_fs_cb callback; /* NULL: synchronously */

static uv_loop_t* loop(void) {
  return callback == NULL ? NULL : &files_loop;
}

static int do_read(uv_fs_t* req) {
  static char bytes[8];
  uv_buf_t into[8];
  for (int i = 0; i < 8; i++)
    into[i] = uv_buf_init(&bytes[i], 1);
  return uv_fs_read(loop(), req, STDIN_FILENO, into, 8, 0, callback);
}

static int do_stat(uv_fs_t* req) {
  return uv_fs_stat(loop(), req, "file", callback);
}

static int do_link(uv_fs_t* req) {
  unlink("hard");
  return uv_fs_link(loop(), req, "file", "hard", callback);
}

static int do_readlink(uv_fs_t* req) {
  return uv_fs_readlink(loop(), req, "soft", callback);
}

static int do_realpath(uv_fs_t* req) {
  return uv_fs_realpath(loop(), req, ".", callback);
}

static int do_statfs(uv_fs_t* req) {
  return uv_fs_statfs(loop(), req, ".", callback);
}

static int do_scandir(uv_fs_t* req) {
  return uv_fs_scandir(loop(), req, ".", 0, callback);
}

static int do_mkdtemp(uv_fs_t* req) {
  return uv_fs_mkdtemp(loop(), req, "tmpXXXXXX", callback);
}

static int do_copyfile(uv_fs_t* req) {
  return uv_fs_copyfile(loop(), req, "file", "copy", 0, callback);
}

static uv_dir_t* open_dir;

static int do_opendir(uv_fs_t* req) {
  return uv_fs_opendir(loop(), req, ".", callback);
}

static void close_opened(uv_fs_t* req) {
  uv_fs_t close_req;
  uv_dir_t* dir = req->ptr;
  if (req->fs_type == UV_FS_OPENDIR && dir != NULL) {
    uv_fs_req_cleanup(req);
    assert_int_equal(uv_fs_closedir(NULL, &close_req, dir, NULL), 0);
  }
}

static int do_readdir(uv_fs_t* req) {
  static uv_dirent_t entries[16];
  open_dir->dirents = entries;
  open_dir->nentries = 16;
  return uv_fs_readdir(loop(), req, open_dir, callback);
}

static int (*const operations[])(uv_fs_t*) = {
    do_read,    do_stat,    do_link,     do_readlink, do_realpath, do_statfs,
    do_scandir, do_mkdtemp, do_copyfile, do_opendir,  do_readdir,
};

/* --- The test --------------------------------------------------------------------- */

/* The result, when the allocation with this number fails; *met says whether it came to
 * that. */
static ssize_t run_failing(int (*operation)(uv_fs_t*), long number, bool* met) {
  uv_fs_t req;
  rewinddir(open_dir->dir);
  atomic_store(&allocations, 0);
  atomic_store(&fails_at, number);
  ssize_t result = operation(&req);
  if (callback != NULL && result == 0) {
    assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(files_calls, 1);
    files_calls = 0;
    result = req.result;
  }
  *met = atomic_load(&allocations) >= number;
  atomic_store(&fails_at, 0);
  assert_false(uv_loop_alive(&files_loop));
  close_opened(&req);
  uv_fs_req_cleanup(&req);
  return result;
}

static void fail_each(void) {
  for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
    bool met = true;
    for (long number = 1; met; number++) {
      assert_true(number < 1000);
      ssize_t result = run_failing(operations[i], number, &met);
      assert_true(result == UV_ENOMEM || result >= 0);
      if (!met)
        assert_true(result >= 0);
    }
  }
}

static void memory_may_run_out_at_any_moment(void** state) {
  (void) state;
  uv_fs_t req;
  files_make("file", "contents", 8);
  assert_int_equal(symlink("file", "soft"), 0);
  for (int i = 0; i < 200; i++) {
    char name[16];
    snprintf(name, sizeof(name), "n%d", i);
    files_make(name, "", 0);
  }
  int input = open("file", O_RDONLY | O_CLOEXEC);
  assert_true(dup2(input, STDIN_FILENO) >= 0);
  close(input);
  assert_int_equal(SYNC(req, uv_fs_opendir, "."), 0);
  open_dir = req.ptr;
  uv_fs_req_cleanup(&req);

  callback = NULL;
  fail_each();
  callback = files_called;
  fail_each();

  open_dir->dirents = NULL;
  assert_int_equal(SYNC(req, uv_fs_closedir, open_dir), 0);
}

int main(void) {
  if (uv_replace_allocator(some_malloc, some_realloc, some_calloc, free) != 0)
    return 1;
  const struct CMUnitTest tests[] = {FILES_TEST(memory_may_run_out_at_any_moment)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
