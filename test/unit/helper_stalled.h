/* A file system that can be made to answer nothing: a small FUSE server in a process of
 * its own. It has one file, "file", with "hello" in it. Names may be cached by the
 * kernel, attributes may not, so that every question about them goes to the server. */
#ifndef RONDO_HELPER_STALLED_H
#define RONDO_HELPER_STALLED_H

#include <stdbool.h>

/* Before any thread is started: a mount namespace of our own, so that nothing of this is
 * seen outside or left behind. False if the system doesn't allow it. */
bool stalled_allowed(void);

/* Mounts it on an existing directory and lets it answer. */
bool stalled_mount(const char* directory);
void stalled_stop_answering(void);
void stalled_answer_again(void);
void stalled_unmount(const char* directory);

#endif
