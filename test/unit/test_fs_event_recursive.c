/* A tree of 1,000 directories changed at random, watched as a whole.
 *
 * Once change by change: what is done is known, and each change must be told by its exact
 * name before the next is made. Once as a storm: a child changes the tree as fast as it
 * can, while this process keeps a copy of what it is told (it looks at what a callback
 * names, and nowhere else). Afterwards the copy must equal the disk; an overflow allows
 * it to look at everything once.
 *
 * RONDO_LONG=60 makes each of the two take a minute, RONDO_SEED another course. */
/* test: serial */
#include "helper_watching.h"

#include <ftw.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/base.h"
#include "base/queue.h"
#include "base/table.h"

static double seconds(double otherwise) {
  const char* text = getenv("RONDO_LONG");
  return text == NULL ? otherwise : atof(text);
}

static uint64_t random_state;

static void random_begin(void) {
  const char* text = getenv("RONDO_SEED");
  random_state = text == NULL ? 20240229 : strtoull(text, NULL, 10);
}

static unsigned int random_below(unsigned int limit) {
  random_state += 0x9e3779b97f4a7c15u;
  return (unsigned int) (hash_number(random_state) % limit);
}

/* --- the changer: a model of the tree, and changes made to both ------------------- */

enum { NODES = 8000, DIRECTORIES = 1000, FILES = 4000, TOP = 0, OUTSIDE = 1 };

struct node {
  int parent; /* -1 for the two roots */
  bool used;
  bool directory;
  char name[24];
};

static struct node nodes[NODES];
static int directories;
static int files;
static unsigned int names;
static unsigned long changes;

/* Called with everything that must be told. */
static void (*expect)(const char* path, int events);

static const char* path_of(int node) {
  static char buffers[4][8192];
  static int next;
  char* start = buffers[next = (next + 1) % 4] + sizeof(buffers[0]) - 1;
  *start = '\0';
  for (; node >= 0; node = nodes[node].parent) {
    size_t length = strlen(nodes[node].name);
    if (*start != '\0')
      *--start = '/';
    start -= length;
    memcpy(start, nodes[node].name, length);
  }
  return start;
}

static int root_of(int node) {
  while (nodes[node].parent >= 0)
    node = nodes[node].parent;
  return node;
}

static bool is_below(int node, int ancestor) {
  for (; node >= 0; node = nodes[node].parent) {
    if (node == ancestor)
      return true;
  }
  return false;
}

static int depth_of(int node) {
  int depth = 0;
  for (; node >= 0; node = nodes[node].parent)
    depth++;
  return depth;
}

/* Only what happens below the top is told, by the path from there. */
static void expect_node(int node, int events) {
  if (expect != NULL && root_of(node) == TOP)
    expect(path_of(node) + strlen("top/"), events);
}

static int pick(bool directory) {
  for (int tries = 0; tries < 20 * NODES; tries++) {
    int node = (int) random_below(NODES);
    if (nodes[node].used && nodes[node].directory == directory)
      return node;
  }
  return -1;
}

/* Not one of the two roots. */
static int pick_inner(bool directory) {
  int node = pick(directory);
  return node < 0 || nodes[node].parent < 0 ? -1 : node;
}

/* Few names, so that new things come where others were. */
static int add_node(int parent, bool directory) {
  static int node;
  do
    node = node % NODES + 1;
  while (node < 2 || node >= NODES || nodes[node].used);
  nodes[node] = (struct node){.parent = parent, .used = true, .directory = directory};
  do
    snprintf(nodes[node].name, sizeof(nodes[node].name), "%c%u", directory ? 'd' : 'f',
             names++ % 997);
  while (files_exist(path_of(node)));
  *(directory ? &directories : &files) += 1;
  return node;
}

static void change_make(bool directory) {
  int parent = random_below(10) == 0 ? TOP : pick(true);
  if (depth_of(parent) > 20)
    return;
  int node = add_node(parent, directory);
  if (directory)
    make_directory(path_of(node));
  else
    make_file(path_of(node));
  expect_node(node, UV_RENAME);
}

static void change_write(void) {
  int node = pick(false);
  if (node < 0)
    return;
  change_file(path_of(node));
  expect_node(node, UV_CHANGE);
}

static void change_mode(void) {
  int node = pick_inner(random_below(2) == 0);
  if (node < 0)
    return;
  assert_int_equal(chmod(path_of(node), nodes[node].directory ? 0755 : 0644), 0);
  expect_node(node, UV_CHANGE);
}

static void remove_node(int node) {
  for (int i = 0; nodes[node].directory && i < NODES; i++) {
    if (nodes[i].used && nodes[i].parent == node)
      remove_node(i);
  }
  assert_int_equal(remove(path_of(node)), 0);
  expect_node(node, UV_RENAME);
  nodes[node].used = false;
  *(nodes[node].directory ? &directories : &files) -= 1;
}

static int count_below(int node) {
  int count = 0;
  for (int i = 0; i < NODES; i++)
    count += nodes[i].used && is_below(i, node);
  return count;
}

static void change_remove(bool directory) {
  int node = pick_inner(directory);
  if (node < 0)
    return;
  /* Small ones only: otherwise a few of these would be the end of the tree. */
  if (!directory || count_below(node) <= 30)
    remove_node(node);
}

/* A directory that comes from outside brings along what is new to the watcher. */
static void expect_all_below(int node) {
  for (int i = 0; i < NODES && expect != NULL; i++) {
    if (nodes[i].used && i != node && is_below(i, node))
      expect_node(i, UV_RENAME);
  }
}

/* What leaves the tree is small, so that most of it stays; what comes back needn't be. */
static void change_move(bool directory) {
  int node = pick_inner(directory);
  int target = pick(true);
  if (node < 0 || is_below(target, node) || depth_of(target) > 12)
    return;
  if (directory && root_of(target) == OUTSIDE && count_below(node) > 20)
    return;
  bool comes_in = root_of(node) == OUTSIDE && root_of(target) == TOP;
  int moved = add_node(target, directory); /* for a free name */
  move(path_of(node), path_of(moved));
  expect_node(node, UV_RENAME);
  expect_node(moved, UV_RENAME);
  nodes[moved].used = false;
  *(directory ? &directories : &files) -= 1;
  nodes[node].parent = target;
  memcpy(nodes[node].name, nodes[moved].name, sizeof(nodes[node].name));
  if (comes_in)
    expect_all_below(node);
}

static void change_exchange(void) {
  int a = pick_inner(true);
  int b = pick_inner(true);
  if (a < 0 || b < 0 || is_below(a, b) || is_below(b, a) || root_of(a) != root_of(b))
    return;
  if (renameat2(AT_FDCWD, path_of(a), AT_FDCWD, path_of(b), RENAME_EXCHANGE) != 0)
    return;
  expect_node(a, UV_RENAME);
  expect_node(b, UV_RENAME);
  struct node old = nodes[a];
  nodes[a].parent = nodes[b].parent;
  nodes[b].parent = old.parent;
  memcpy(nodes[a].name, nodes[b].name, sizeof(old.name));
  memcpy(nodes[b].name, old.name, sizeof(old.name));
}

static void change_a_file(void) {
  unsigned int choice = random_below(100);
  changes++;
  if (choice < 30 && files < FILES)
    change_make(false);
  else if (choice < 60)
    change_write();
  else if (choice < 70)
    change_mode();
  else if (choice < 85)
    change_move(false);
  else
    change_remove(false);
}

static void change_a_directory(void) {
  unsigned int choice = random_below(100);
  changes++;
  if (choice < 10)
    change_exchange();
  else if (choice < 50)
    change_move(true);
  else if (directories < DIRECTORIES || (choice < 75 && directories < DIRECTORIES * 2))
    change_make(true);
  else
    change_remove(true);
}

static void tree_begin(void) {
  memset(nodes, 0, sizeof(nodes));
  nodes[TOP] =
      (struct node){.parent = -1, .used = true, .directory = true, .name = "top"};
  nodes[OUTSIDE] = nodes[TOP];
  snprintf(nodes[OUTSIDE].name, sizeof(nodes[OUTSIDE].name), "outside");
  make_directory("top");
  make_directory("outside");
  directories = 2;
  files = 0;
  names = 0;
  changes = 0;
  expect = NULL;
  random_begin();
  while (directories < DIRECTORIES)
    change_make(true);
  for (int i = 0; i < DIRECTORIES; i++)
    change_make(false);
}

/* --- change by change ------------------------------------------------------------ */

struct expected {
  char path[8192];
  int events;
};

enum { BATCH = 8192 };
static struct expected* expected;
static int expected_count;
static struct recorder recorder;
static unsigned long overflows;

static void note_expected(const char* path, int events) {
  assert_true(expected_count < BATCH);
  snprintf(expected[expected_count].path, sizeof(expected[0].path), "%s", path);
  expected[expected_count++].events = events;
}

static bool was_overflow(void) {
  for (size_t i = 0; i < recorder.count; i++) {
    assert_int_equal(recorder.told[i].status, 0);
    if (recorder.told[i].filename == NULL)
      return true;
  }
  return false;
}

static void await_expected(void) {
  uint64_t patience = uv_hrtime() + 5000000000u;
  for (int i = 0; i < expected_count; i++) {
    while (recorder_count(&recorder, expected[i].path, expected[i].events) == 0) {
      if (was_overflow()) {
        overflows++;
        return;
      }
      if (uv_hrtime() > patience)
        fail_msg("change %lu: %s (%d) was not told", changes, expected[i].path,
                 expected[i].events);
      uv_run(&files_loop, UV_RUN_ONCE);
    }
  }
}

static void look_at_the_clock(uv_timer_t* timer) {
  (void) timer;
}

/* Directories one at a time, files many at once: every directory they are in is known. */
static void every_change_is_told(void** state) {
  (void) state;
  uv_timer_t timer;
  tree_begin();
  expected = calloc(BATCH, sizeof(*expected));
  assert_non_null(expected);
  uv_timer_init(&files_loop, &timer);
  uv_timer_start(&timer, look_at_the_clock, 1000, 1000);
  assert_int_equal(recorder_start(&recorder, "top", UV_FS_EVENT_RECURSIVE), 0);
  expect = note_expected;
  overflows = 0;
  changes = 0;
  uint64_t end = uv_hrtime() + (uint64_t) (seconds(1.5) * 1e9);
  while (uv_hrtime() < end) {
    unsigned int batch = 1 + random_below(20);
    expected_count = 0;
    if (random_below(2) == 0)
      change_a_directory();
    else
      while (batch-- > 0)
        change_a_file();
    await_expected();
    recorder_forget(&recorder);
  }
  print_message("%lu changes, each told; %lu overflows\n", changes, overflows);
  uv_close((uv_handle_t*) &timer, NULL);
  recorder_close(&recorder);
  free(expected);
}

/* --- a storm --------------------------------------------------------------------- */

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
  const char* paths[2] = {path_of(pick(true)), path_of(pick(true))};
  atomic_store(hold, true);
  for (int i = 0; i < 40000; i++)
    assert_int_equal(chmod(paths[i % 2], 0755), 0);
  atomic_store(hold, false);
}

/* The changer's process: bursts and pauses, now and then more than can be told, and a
 * word at the end about how many. */
static void storm(int report) {
  uint64_t end = uv_hrtime() + (uint64_t) (seconds(2) * 1e9);
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
      FILES_TEST(every_change_is_told),
      FILES_TEST(a_storm_is_told_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
