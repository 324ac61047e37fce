/* What the tests of watching a whole tree share: the recorder of its events. */
#ifndef RONDO_TREE_TEST_H
#define RONDO_TREE_TEST_H

#include "helper_watching.h"

static struct recorder tree;

static inline void watch_tree(const char* path) {
  assert_int_equal(recorder_start(&tree, path, UV_FS_EVENT_RECURSIVE), 0);
}

/* All that was done in the tree at "top" has been told when this returns. */
static inline void sync_tree(const char* name) {
  char path[4096];
  snprintf(path, sizeof(path), "top/%s", name);
  recorder_sync(&tree, path, name);
}

#endif
