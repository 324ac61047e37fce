/* A tree of 1,000 directories in a storm, watched as a whole: a child changes it as fast
 * as it can, while this process keeps a copy of what it is told (it looks at what a
 * callback names, and nowhere else). Afterwards the copy must equal the disk; an overflow
 * allows it to look at everything once.
 *
 * RONDO_LONG=60 makes it take a minute, RONDO_SEED another course. */
/* test: serial */
#include "helper_changes.h"

#include <ftw.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/base.h"
#include "base/queue.h"
#include "base/table.h"

/* What is known of a path below the top. */
struct known {
  struct table_link by_path;
  struct queue link;
  ino_t inode;
  mode_t mode;
  off_t size; /* of directories this and the next say nothing that is told */
  struct timespec changed;
  char path[];
};

struct copy {
  struct table paths;
  struct queue all;
};

static struct copy copy;
static atomic_bool* hold; /* shared with the changer: callbacks take their time */
static unsigned long callbacks;
static unsigned long overflows;

static struct known* copy_find(const struct copy* from, const char* path) {
  struct table_link* link = table_find(&from->paths, hash_string(0, path));
  while (link != NULL) {
    struct known* known = rondo_container_of(link, struct known, by_path);
    if (strcmp(known->path, path) == 0)
      return known;
    link = table_next(link);
  }
  return NULL;
}

static void copy_remove(struct copy* from, struct known* known) {
  table_remove(&from->paths, &known->by_path);
  queue_remove(&known->link);
  free(known);
}

static void copy_remove_below(struct copy* from, const char* path) {
  size_t length = strlen(path);
  for (struct queue* link = queue_first(&from->all); link != NULL;) {
    struct known* known = rondo_container_of(link, struct known, link);
    link = queue_next(&from->all, link);
    if (length == 0 ||
        (strncmp(known->path, path, length) == 0 && known->path[length] == '/'))
      copy_remove(from, known);
  }
}

static void copy_set(struct copy* to, const char* path, const struct stat* about) {
  struct known* known = copy_find(to, path);
  if (known == NULL) {
    known = calloc(1, sizeof(*known) + strlen(path) + 1);
    assert_non_null(known);
    strcpy(known->path, path);
    assert_int_equal(table_reserve(&to->paths), 0);
    table_insert(&to->paths, &known->by_path, hash_string(0, path));
    queue_push_back(&to->all, &known->link);
  }
  known->inode = about->st_ino;
  known->mode = about->st_mode;
  if (!S_ISDIR(about->st_mode)) {
    known->size = about->st_size;
    known->changed = about->st_mtim;
  }
}

static struct copy* walked;

static int walk_one(const char* path, const struct stat* about, int kind,
                    struct FTW* walk) {
  (void) walk;
  if (kind != FTW_NS && strcmp(path, "top") != 0)
    copy_set(walked, path + strlen("top/"), about);
  return 0;
}

/* What vanishes meanwhile will be told; but nftw gives up when a directory goes between
 * being looked at and being opened, so then it begins again. */
static void copy_walk(struct copy* to, const char* path) {
  struct stat about;
  walked = to;
  while (nftw(path, walk_one, 16, FTW_PHYS) == -1 && lstat(path, &about) == 0)
    continue;
}

/* As any program would: a path that came or went is looked at, with all below it. */
static void copy_cb(uv_fs_event_t* handle, const char* filename, int events, int status) {
  char path[8192];
  struct stat about;
  (void) handle;
  callbacks++;
  assert_int_equal(status, 0);
  for (int i = 0; i < 5000 && atomic_load(hold); i++)
    usleep(1000);
  if (filename == NULL) {
    overflows++;
    copy_remove_below(&copy, "");
    copy_walk(&copy, "top");
    return;
  }
  snprintf(path, sizeof(path), "top/%s", filename);
  struct known* known = copy_find(&copy, filename);
  bool there = lstat(path, &about) == 0;
  if (known != NULL && (!there || known->inode != about.st_ino || events & UV_RENAME)) {
    if (S_ISDIR(known->mode))
      copy_remove_below(&copy, filename);
    copy_remove(&copy, known);
  }
  if (!there)
    return;
  copy_set(&copy, filename, &about);
  if (S_ISDIR(about.st_mode) && events & UV_RENAME)
    copy_walk(&copy, path);
}

static void compare_with_disk(void) {
  struct copy disk = {.paths = {0}};
  queue_init(&disk.all);
  copy_walk(&disk, "top");
  int wrong = 0;
  for (const struct queue* link = queue_first(&disk.all); link != NULL;
       link = queue_next(&disk.all, link)) {
    const struct known* real = rondo_container_of(link, struct known, link);
    const struct known* known = copy_find(&copy, real->path);
    if (known == NULL || known->inode != real->inode || known->mode != real->mode ||
        known->size != real->size || known->changed.tv_sec != real->changed.tv_sec ||
        known->changed.tv_nsec != real->changed.tv_nsec) {
      print_message("%s: %s\n", known == NULL ? "never told" : "not up to date",
                    real->path);
      wrong++;
    }
  }
  for (const struct queue* link = queue_first(&copy.all); link != NULL;
       link = queue_next(&copy.all, link)) {
    const struct known* known = rondo_container_of(link, struct known, link);
    if (copy_find(&disk, known->path) == NULL) {
      print_message("its end was not told: %s\n", known->path);
      wrong++;
    }
  }
  assert_int_equal(wrong, 0);
  copy_remove_below(&disk, "");
  table_free(&disk.paths);
}

/* More than the kernel's queue can hold, while the watcher is held up. Turn about,
 * because the kernel makes one event of two equal ones in a row. */
static void overwhelm(void) {
  const char* paths[2] = {any_directory(), any_directory()};
  atomic_store(hold, true);
  for (int i = 0; i < 40000; i++)
    assert_int_equal(chmod(paths[i % 2], 0755), 0);
  atomic_store(hold, false);
}

/* The changer's process: bursts and pauses, now and then more than can be told, and a
 * word at the end about how many. */
static void storm(int report) {
  uint64_t end = uv_hrtime() + (uint64_t) (changes_seconds(2) * 1e9);
  changes = 0;
  while (uv_hrtime() < end) {
    unsigned int burst = random_below(200);
    if (random_below(80) == 0)
      overwhelm();
    for (; burst > 0 && uv_hrtime() < end; burst--) {
      if (random_below(5) == 0)
        change_a_directory();
      else
        change_a_file();
    }
    usleep(random_below(4000));
  }
  _exit(write(report, &changes, sizeof(changes)) == sizeof(changes) ? 0 : 1);
}

static void reported(uv_poll_t* poll, int status, int events) {
  (void) status, (void) events;
  uv_close((uv_handle_t*) poll, NULL);
}

static void wait_over(uv_timer_t* timer) {
  uv_close((uv_handle_t*) timer, NULL);
  uv_stop(timer->loop);
}

static void a_storm_is_told_whole(void** state) {
  (void) state;
  int ends[2];
  uv_fs_event_t handle;
  uv_poll_t poll;
  uv_timer_t timer;
  tree_begin();
  queue_init(&copy.all);
  overflows = 0;
  callbacks = 0;
  assert_int_equal(uv_fs_event_init(&files_loop, &handle), 0);
  assert_int_equal(uv_fs_event_start(&handle, copy_cb, "top", UV_FS_EVENT_RECURSIVE), 0);
  copy_walk(&copy, "top");
  hold = mmap(NULL, sizeof(*hold), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
              0);
  assert_ptr_not_equal(hold, MAP_FAILED);
  assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  fflush(NULL);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0)
    storm(ends[1]);
  assert_int_equal(uv_poll_init(&files_loop, &poll, ends[0]), 0);
  assert_int_equal(uv_poll_start(&poll, UV_READABLE, reported), 0);
  while (!uv_is_closing((uv_handle_t*) &poll))
    uv_run(&files_loop, UV_RUN_ONCE);
  assert_int_equal(read(ends[0], &changes, sizeof(changes)), sizeof(changes));
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
  make_file("top/end");
  while (copy_find(&copy, "end") == NULL)
    uv_run(&files_loop, UV_RUN_ONCE);
  uv_timer_init(&files_loop, &timer); /* for what is looked at in later turns */
  uv_timer_start(&timer, wait_over, 200, 0);
  uv_run(&files_loop, UV_RUN_DEFAULT);
  compare_with_disk();
  print_message("%lu changes, %lu callbacks, %lu overflows, the copy is right\n", changes,
                callbacks, overflows);
  uv_close((uv_handle_t*) &handle, NULL);
  assert_int_equal(uv_run(&files_loop, UV_RUN_DEFAULT), 0);
  munmap(hold, sizeof(*hold));
  close(ends[0]);
  close(ends[1]);
  copy_remove_below(&copy, "");
  table_free(&copy.paths);
}

int main(void) {
  if (access("/dev/shm", W_OK) == 0)
    setenv("TMPDIR", "/dev/shm", 0); /* many more changes in the same time */
  const struct CMUnitTest tests[] = {
      FILES_TEST(a_storm_is_told_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
