/* Recursive watching, inside: a tree of directories, each with a listener of its own.
 *
 * The kernel watches single directories, so the tree has to be kept in step with the disk
 * from events that may be out of date. An event is worked off in two stages. First,
 * events only change what is known about names (fs_event_tree.c): a directory came,
 * moved, or is gone. Every directory that an event touched is put on a list of work. When
 * no event is left, each directory on that list is scanned (fs_event_scan.c): does it
 * exist, and is it the one that is watched? If not, it is watched and listed, and every
 * entry found is reported, because no event announced it. So an event that is out of date
 * can cost time, but no entry is missed.
 *
 * A new directory is reported once it is watched, not before: a program that lists it in
 * the callback sees all that is there, and gets events for all that comes later. */
#ifndef RONDO_FS_EVENT_TREE_H
#define RONDO_FS_EVENT_TREE_H

#include "base/queue.h"
#include "base/table.h"
#include "handle/fs_event.h"

#include <stdbool.h>
#include <sys/types.h>

struct directory {
  struct inotify_listener listener;
  struct fs_event_tree* tree;
  struct directory* parent; /* NULL for the top, and for a directory that is moving */
  struct queue sibling;
  struct queue children;
  struct queue work; /* on one of the tree's two lists, or unlinked */
  struct table_link by_name;
  bool arrived; /* new, and not reported yet */
  dev_t device; /* identify the directory that the listener watches */
  ino_t inode;
  char* name;
};

struct fs_event_tree {
  uv_fs_event_t* handle; /* NULL once it is stopped */
  uv_loop_t* loop;
  struct inotify_client client;
  struct directory* top;
  struct table names;   /* directories by parent and name */
  struct queue work;    /* directories to be scanned */
  struct queue later;   /* directories whose parent wasn't where it was expected */
  struct queue reports; /* entries found whose callbacks are still to be made */
  /* The directory that has left its place, its new place not known yet. */
  struct directory* moving;
  uint32_t cookie;            /* of that move */
  struct directory* replaced; /* another one moved to its place: gone, or moving next */
  struct directory* taker;    /* that other one */
  unsigned int busy;          /* in use by a caller up the stack: not to be freed */
  bool overflow;              /* events were lost: rebuild the tree, then report it */
  bool rebuilding;            /* after an overflow: entries found are not reported */
  bool adrift;                /* the path no longer leads to the top; reported once */
  char* top_path;             /* absolute where possible */
  char* filename;
  char* path; /* made by directory_path */
  size_t path_size;
  struct {
    int top;                  /* descriptors that stay open during the work, or -1 */
    int parent;               /* of the directory below */
    struct directory* opened; /* or NULL */
  } walk;
};

/* --- fs_event_directory.c: the structure ----------------------------------------- */

/* A new directory; without a parent it is the top. NULL if memory ran out. */
struct directory* directory_new(struct fs_event_tree* tree, struct directory* parent,
                                const char* name);
struct directory* directory_find(struct directory* parent, const char* name);
/* Puts a directory that exists, existed or may exist on the list of work. NULL without
 * memory, which counts as an overflow. */
struct directory* directory_expect(struct directory* parent, const char* name);
void directory_detach(struct directory* directory);
/* False if memory ran out; it stays detached then. */
bool directory_attach(struct directory* directory, struct directory* parent,
                      const char* name);
void directory_clear(struct directory* directory); /* drops all that is below it */
void directory_drop(struct directory* directory);  /* and itself */
/* False below a directory that is moving or was replaced. */
bool directory_attached(const struct directory* directory);
/* The directory's path from the top, followed by a name if there is one; "" for the top.
 * Valid until the next call; NULL without memory. */
char* directory_path(struct directory* directory, const char* name);

/* --- fs_event_tree.c: from the kernel's events to callbacks ---------------------- */

void directory_changed(struct inotify_listener* listener,
                       const struct inotify_event* event);
/* Queues a callback for when the tree is consistent again. A lack of memory counts as an
 * overflow. */
void tree_report(struct fs_event_tree* tree, const char* filename, int events,
                 int status);
/* Reports that the directory is new. */
void tree_announce(struct directory* directory);

/* --- fs_event_scan.c: looking at the disk ---------------------------------------- */

/* Scans the next directory on the list of work. Returns 0, or an error if a directory
 * that should be watched can't be; then *failed is its path. */
int scan_next(struct fs_event_tree* tree, const char** failed);
/* Closes what scan_next left open for the next one. */
void scan_end(struct fs_event_tree* tree);

#endif
