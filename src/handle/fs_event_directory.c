/* The tree of watched directories as a structure: who is below whom, under which name. */
#include "handle/fs_event_tree.h"

#include "base/alloc.h"
#include "base/base.h"

#include <string.h>
#include <unistd.h>

static uint64_t directory_name_hash(const struct directory* parent, const char* name) {
  return hash_string(hash_number((uintptr_t) parent), name);
}

static struct directory* directory_from_sibling(struct queue* link) {
  return link == NULL ? NULL : rondo_container_of(link, struct directory, sibling);
}

/* Takes ownership of the name. */
static void directory_link_to_parent(struct directory* directory,
                                     struct directory* parent, char* name) {
  directory->parent = parent;
  directory->name = name;
  if (parent == NULL)
    return;
  queue_push_back(&parent->children, &directory->sibling);
  table_insert(&directory->tree->names, &directory->by_name,
               directory_name_hash(parent, name));
}

struct directory* directory_new(struct fs_event_tree* tree, struct directory* parent,
                                const char* name) {
  struct directory* directory = mem_calloc(1, sizeof(*directory));
  char* own_name = mem_strdup(name);
  if (directory == NULL || own_name == NULL || table_reserve(&tree->names) != 0) {
    mem_free(directory);
    mem_free(own_name);
    return NULL;
  }
  inotify_listener_init(&directory->listener, directory_changed);
  directory->tree = tree;
  queue_init(&directory->sibling);
  queue_init(&directory->children);
  queue_init(&directory->work);
  directory_link_to_parent(directory, parent, own_name);
  return directory;
}

struct directory* directory_find(struct directory* parent, const char* name) {
  struct table_link* link =
      table_find(&parent->tree->names, directory_name_hash(parent, name));
  while (link != NULL) {
    struct directory* directory = rondo_container_of(link, struct directory, by_name);
    if (directory->parent == parent && strcmp(directory->name, name) == 0)
      return directory;
    link = table_next(link);
  }
  return NULL;
}

struct directory* directory_expect(struct directory* parent, const char* name) {
  struct fs_event_tree* tree = parent->tree;
  struct directory* directory = directory_find(parent, name);
  if (directory == NULL)
    directory = directory_new(tree, parent, name);
  if (directory == NULL) {
    tree->overflow = true;
    return NULL;
  }
  queue_remove(&directory->work);
  queue_push_back(&tree->work, &directory->work);
  return directory;
}

void directory_detach(struct directory* directory) {
  if (directory->parent == NULL)
    return;
  queue_remove(&directory->sibling);
  table_remove(&directory->tree->names, &directory->by_name);
  directory->parent = NULL;
}

bool directory_attach(struct directory* directory, struct directory* parent,
                      const char* name) {
  assert(directory->parent == NULL && directory != directory->tree->top);
  char* own_name = mem_strdup(name);
  if (own_name == NULL || table_reserve(&directory->tree->names) != 0) {
    mem_free(own_name);
    return false;
  }
  mem_free(directory->name);
  directory_link_to_parent(directory, parent, own_name);
  return true;
}

bool directory_attached(const struct directory* directory) {
  while (directory->parent != NULL)
    directory = directory->parent;
  return directory == directory->tree->top;
}

static void directory_free(struct directory* directory) {
  struct fs_event_tree* tree = directory->tree;
  assert(queue_empty(&directory->children));
  if (directory->arrived && tree->handle != NULL && directory_attached(directory))
    tree_announce(directory); /* it existed for a moment */
  directory_detach(directory);
  queue_remove(&directory->work);
  inotify_unlisten(tree->loop, &directory->listener);
  if (tree->moving == directory)
    tree->moving = NULL;
  if (tree->replaced == directory)
    tree->replaced = NULL;
  if (tree->taker == directory)
    tree->taker = NULL;
  if (tree->walk.opened == directory)
    tree->walk.opened = NULL;
  mem_free(directory->name);
  mem_free(directory);
}

/* The deepest first, without recursion: the depth of a tree is unbounded. */
void directory_clear(struct directory* directory) {
  struct directory* next = directory;
  for (;;) {
    struct directory* child = directory_from_sibling(queue_first(&next->children));
    if (child != NULL) {
      next = child;
      continue;
    }
    if (next == directory)
      return;
    struct directory* parent = next->parent;
    directory_free(next);
    next = parent;
  }
}

void directory_drop(struct directory* directory) {
  directory_clear(directory);
  directory_free(directory);
}

static bool tree_path_reserve(struct fs_event_tree* tree, size_t size) {
  if (size <= tree->path_size)
    return true;
  size = size_max(size, tree->path_size * 2);
  char* path = mem_realloc(tree->path, size);
  if (path == NULL)
    return false;
  tree->path = path;
  tree->path_size = size;
  return true;
}

/* Paths are written from their end. */
static char* path_prepend(char* end, const char* name, size_t length) {
  memcpy(end - length, name, length);
  return end - length;
}

char* directory_path(struct directory* directory, const char* name) {
  struct fs_event_tree* tree = directory->tree;
  size_t size = name == NULL ? 1 : strlen(name) + 1;
  for (const struct directory* up = directory; up->parent != NULL; up = up->parent)
    size += strlen(up->name) + 1;
  if (!tree_path_reserve(tree, size))
    return NULL;
  char* start = tree->path + size - 1;
  *start = '\0';
  if (name != NULL)
    start = path_prepend(start, name, strlen(name));
  for (const struct directory* up = directory; up->parent != NULL; up = up->parent) {
    if (*start != '\0')
      *--start = '/';
    start = path_prepend(start, up->name, strlen(up->name));
  }
  return start;
}
