/* A tree changed at random: see helper_changes.h. */
#include "helper_changes.h"

#include "base/base.h"
#include "base/table.h"

double changes_seconds(double otherwise) {
  const char* text = getenv("RONDO_LONG");
  return text == NULL ? otherwise : atof(text);
}

static uint64_t random_state;

static void random_begin(void) {
  const char* text = getenv("RONDO_SEED");
  random_state = text == NULL ? 20240229 : strtoull(text, NULL, 10);
}

unsigned int random_below(unsigned int limit) {
  random_state += 0x9e3779b97f4a7c15u;
  return (unsigned int) (hash_number(random_state) % limit);
}

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
unsigned long changes;

void (*changes_expect)(const char* path, int events);

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
  if (changes_expect != NULL && root_of(node) == TOP)
    changes_expect(path_of(node) + strlen("top/"), events);
}

static int pick(bool directory) {
  for (int tries = 0; tries < 20 * NODES; tries++) {
    int node = (int) random_below(NODES);
    if (nodes[node].used && nodes[node].directory == directory)
      return node;
  }
  return -1;
}

const char* any_directory(void) {
  return path_of(pick(true));
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
  for (int i = 0; i < NODES && changes_expect != NULL; i++) {
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

void change_a_file(void) {
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

void change_a_directory(void) {
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

void tree_begin(void) {
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
  changes_expect = NULL;
  random_begin();
  while (directories < DIRECTORIES)
    change_make(true);
  for (int i = 0; i < DIRECTORIES; i++)
    change_make(false);
}
