/* Recursive watching, as file event handles use it. */
#ifndef RONDO_FS_EVENT_H
#define RONDO_FS_EVENT_H

#include "handle/inotify.h"
#include "uv.h"

struct fs_event_tree;

/* Watches the directory at `path` and all directories below it. Walks the tree before it
 * returns. UV_ENOTDIR if the path is no directory; on that and other errors nothing is
 * left behind. `filename` is what the callback gets for changes of the top directory
 * itself. */
int fs_event_tree_start(uv_fs_event_t* handle, const char* path, const char* filename,
                        struct fs_event_tree** tree);
/* May be called from inside the handle's callback. */
void fs_event_tree_stop(struct fs_event_tree* tree);

#endif
