/* Recursive watching, as file event handles use it. */
#ifndef RONDO_FS_EVENT_H
#define RONDO_FS_EVENT_H

#include "handle/inotify.h"
#include "uv.h"

struct fs_event_tree;

/* Watches the directory at `path` and all directories below it. Walks the tree before it
 * returns. UV_ENOTDIR if it is none; on that and other errors nothing is left behind.
 * `filename` is what the handle is told when it is about the directory at the top. */
int fs_event_tree_start(uv_fs_event_t* handle, const char* path, const char* filename,
                        struct fs_event_tree** tree);
/* Also from inside the handle's callback. */
void fs_event_tree_stop(struct fs_event_tree* tree);

#endif
