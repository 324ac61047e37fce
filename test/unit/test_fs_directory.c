/* Directories: made, removed, listed at once and piece by piece. */
#include "helper_files.h"

#include <sys/socket.h>
#include <sys/un.h>

static void made_and_removed(void** state) {
  (void) state;
  uv_fs_t req;
  struct stat about;
  assert_int_equal(ASYNC(req, uv_fs_mkdir, "new", 0700), 0);
  uv_fs_req_cleanup(&req);
  assert_int_equal(stat("new", &about), 0);
  assert_int_equal(about.st_mode, S_IFDIR | 0700);
  assert_int_equal(ASYNC(req, uv_fs_mkdir, "new", 0700), UV_EEXIST);
  uv_fs_req_cleanup(&req);
  assert_int_equal(SYNC(req, uv_fs_mkdir, "no/where", 0700), UV_ENOENT);
  files_make("new/file", "", 0);
  assert_int_equal(ASYNC(req, uv_fs_rmdir, "new"), UV_ENOTEMPTY);
  uv_fs_req_cleanup(&req);
  assert_int_equal(SYNC(req, uv_fs_rmdir, "new/file"), UV_ENOTDIR);
  assert_int_equal(unlink("new/file"), 0);
  assert_int_equal(ASYNC(req, uv_fs_rmdir, "new"), 0);
  uv_fs_req_cleanup(&req);
  assert_false(files_exist("new"));
}

/* One of each kind, in the order of their names. */
static const struct {
  const char* name;
  uv_dirent_type_t type;
} kinds[] = {{"directory", UV_DIRENT_DIR},
             {"fifo", UV_DIRENT_FIFO},
             {"file", UV_DIRENT_FILE},
             {"link", UV_DIRENT_LINK},
             {"socket", UV_DIRENT_SOCKET}};
enum { KINDS = 5 };

static void make_kinds(void) {
  assert_int_equal(mkdir("all", 0755), 0);
  assert_int_equal(mkdir("all/directory", 0755), 0);
  assert_int_equal(mkfifo("all/fifo", 0644), 0);
  files_make("all/file", "", 0);
  assert_int_equal(symlink("file", "all/link"), 0);
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "all/socket"};
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_int_equal(bind(fd, (struct sockaddr*) &address, sizeof(address)), 0);
  close(fd);
}

static void a_listing_has_names_and_kinds_in_order(void** state) {
  (void) state;
  uv_fs_t req;
  uv_dirent_t entry;
  make_kinds();
  for (int round = 0; round < 2; round++) {
    ssize_t count = round == 0 ? ASYNC(req, uv_fs_scandir, "all", 0)
                               : SYNC(req, uv_fs_scandir, "all", 0);
    assert_int_equal(count, KINDS);
    assert_int_equal(req.result, KINDS);
    for (int i = 0; i < KINDS; i++) {
      assert_int_equal(uv_fs_scandir_next(&req, &entry), 0);
      assert_string_equal(entry.name, kinds[i].name);
      assert_int_equal(entry.type, kinds[i].type);
    }
    assert_int_equal(uv_fs_scandir_next(&req, &entry), UV_EOF);
    assert_int_equal(uv_fs_scandir_next(&req, &entry), UV_EOF);
    uv_fs_req_cleanup(&req);
    uv_fs_req_cleanup(&req);
  }
  /* Cleaned up half read. */
  assert_int_equal(ASYNC(req, uv_fs_scandir, "all", 0), KINDS);
  assert_int_equal(uv_fs_scandir_next(&req, &entry), 0);
  uv_fs_req_cleanup(&req);
}

/* As with libuv: a synchronous scan that was read to its end holds nothing, and programs
 * leave out uv_fs_req_cleanup. The leak sanitizer sees it if the listing stays. */
static void the_end_of_a_listing_frees_it(void** state) {
  (void) state;
  uv_dirent_t entry;
  make_kinds();
  for (int round = 0; round < 3; round++) {
    uv_fs_t req;
    assert_int_equal(SYNC(req, uv_fs_scandir, "all", 0), KINDS);
    assert_non_null(req.ptr);
    while (uv_fs_scandir_next(&req, &entry) == 0)
      ;
    assert_null(req.ptr);
    assert_int_equal(uv_fs_scandir_next(&req, &entry), UV_EOF);
  }
}

static void an_empty_or_missing_directory_has_no_listing(void** state) {
  (void) state;
  uv_fs_t req;
  uv_dirent_t entry;
  assert_int_equal(ASYNC(req, uv_fs_scandir, ".", 0), 0);
  assert_null(req.ptr);
  assert_int_equal(uv_fs_scandir_next(&req, &entry), UV_EOF);
  uv_fs_req_cleanup(&req);
  assert_int_equal(ASYNC(req, uv_fs_scandir, "missing", 0), UV_ENOENT);
  assert_int_equal(uv_fs_scandir_next(&req, &entry), UV_ENOENT);
  uv_fs_req_cleanup(&req);
  files_make("file", "", 0);
  assert_int_equal(SYNC(req, uv_fs_scandir, "file", 0), UV_ENOTDIR);
  uv_fs_req_cleanup(&req);
}

static void piece_by_piece(void** state) {
  (void) state;
  uv_fs_t req;
  uv_dirent_t entries[2];
  make_kinds();
  for (int round = 0; round < 2; round++) {
    assert_int_equal(round == 0 ? ASYNC(req, uv_fs_opendir, "all")
                                : SYNC(req, uv_fs_opendir, "all"),
                     0);
    uv_dir_t* dir = req.ptr;
    assert_non_null(dir);
    uv_fs_req_cleanup(&req);
    assert_null(req.ptr);

    dir->dirents = entries;
    dir->nentries = 2;
    int seen[KINDS] = {0};
    ssize_t count;
    while ((count = round == 0 ? ASYNC(req, uv_fs_readdir, dir)
                               : SYNC(req, uv_fs_readdir, dir)) > 0) {
      assert_true(count <= 2);
      assert_ptr_equal(req.ptr, dir);
      for (ssize_t i = 0; i < count; i++) {
        for (int k = 0; k < KINDS; k++) {
          if (strcmp(entries[i].name, kinds[k].name) == 0) {
            assert_int_equal(entries[i].type, kinds[k].type);
            seen[k]++;
          }
        }
      }
      uv_fs_req_cleanup(&req);
    }
    assert_int_equal(count, 0);
    uv_fs_req_cleanup(&req);
    for (int k = 0; k < KINDS; k++)
      assert_int_equal(seen[k], 1);
    assert_int_equal(
        round == 0 ? ASYNC(req, uv_fs_closedir, dir) : SYNC(req, uv_fs_closedir, dir), 0);
    uv_fs_req_cleanup(&req);
  }
}

static void opening_what_is_no_directory(void** state) {
  (void) state;
  uv_fs_t req;
  files_make("file", "", 0);
  assert_int_equal(ASYNC(req, uv_fs_opendir, "file"), UV_ENOTDIR);
  assert_null(req.ptr);
  uv_fs_req_cleanup(&req);
  assert_int_equal(ASYNC(req, uv_fs_opendir, "missing"), UV_ENOENT);
  assert_null(req.ptr);
  uv_fs_req_cleanup(&req);

  uv_dir_t dir = {0};
  assert_int_equal(uv_fs_readdir(&files_loop, &req, NULL, files_called), UV_EINVAL);
  assert_int_equal(uv_fs_readdir(&files_loop, &req, &dir, files_called), UV_EINVAL);
  assert_int_equal(uv_fs_closedir(&files_loop, &req, NULL, files_called), UV_EINVAL);
  assert_int_equal(uv_fs_mkdir(NULL, NULL, "a", 0, NULL), UV_EINVAL);
  assert_int_equal(uv_fs_scandir(NULL, NULL, "a", 0, NULL), UV_EINVAL);
  assert_int_equal(uv_fs_opendir(NULL, NULL, "a", NULL), UV_EINVAL);
  assert_int_equal(uv_fs_scandir(&files_loop, &req, NULL, 0, files_called), UV_EINVAL);
  assert_false(uv_loop_alive(&files_loop));
}

static void a_hundred_thousand_entries(void** state) {
  (void) state;
  enum { COUNT = 100000 };
  uv_fs_t req;
  uv_dirent_t entry;
  char name[16];
  files_make("0", "", 0);
  /* Names are enough: many links to a few files, for a file takes so many only. */
  for (int i = 1; i < COUNT; i++) {
    snprintf(name, sizeof(name), "%d", i);
    char first[16];
    snprintf(first, sizeof(first), "%d", i / 20000 * 20000);
    if (i % 20000 == 0)
      files_make(name, "", 0);
    else
      assert_int_equal(link(first, name), 0);
  }
  assert_int_equal(ASYNC(req, uv_fs_scandir, ".", 0), COUNT);
  char last[16] = "";
  for (int i = 0; i < COUNT; i++) {
    assert_int_equal(uv_fs_scandir_next(&req, &entry), 0);
    assert_true(strcmp(last, entry.name) < 0);
    snprintf(last, sizeof(last), "%s", entry.name);
  }
  assert_int_equal(uv_fs_scandir_next(&req, &entry), UV_EOF);
  uv_fs_req_cleanup(&req);

  uv_dirent_t* entries = calloc(1000, sizeof(*entries));
  assert_int_equal(SYNC(req, uv_fs_opendir, "."), 0);
  uv_dir_t* dir = req.ptr;
  dir->dirents = entries;
  dir->nentries = 1000;
  ssize_t total = 0;
  ssize_t count;
  while ((count = ASYNC(req, uv_fs_readdir, dir)) > 0) {
    total += count;
    uv_fs_req_cleanup(&req);
  }
  assert_int_equal(total, COUNT);
  assert_int_equal(SYNC(req, uv_fs_closedir, dir), 0);
  free(entries);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      FILES_TEST(made_and_removed),
      FILES_TEST(a_listing_has_names_and_kinds_in_order),
      FILES_TEST(the_end_of_a_listing_frees_it),
      FILES_TEST(an_empty_or_missing_directory_has_no_listing),
      FILES_TEST(piece_by_piece),
      FILES_TEST(opening_what_is_no_directory),
      FILES_TEST(a_hundred_thousand_entries),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
