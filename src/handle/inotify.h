/* The loop's one inotify descriptor, shared by all its file event handles.
 *
 * A started handle has one client and a listener for every file or directory that it
 * watches. Listeners on the same file share one watch of the kernel, which is removed
 * with the last of them. Notifying a listener or client may lead to a callback that
 * stops, starts or closes any handle, so neither is touched after it was notified. */
#ifndef RONDO_INOTIFY_H
#define RONDO_INOTIFY_H

#include "base/queue.h"
#include "uv.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/inotify.h>

struct inotify_watch;

struct inotify_listener {
  struct queue link;
  struct inotify_watch* watch; /* NULL while the listener has no watch */
  /* The event's name is "" when it is about the watched file itself. IN_IGNORED means
   * that the kernel has given up the watch; the listener has left it already. */
  void (*notify)(struct inotify_listener* listener, const struct inotify_event* event);
};

struct inotify_client {
  struct queue link;
  /* The kernel's queue was full: events of any kind, about any file, are lost. */
  void (*overflow)(struct inotify_client* client);
  /* The descriptor can't be read: no more events come until a client joins again. */
  void (*failed)(struct inotify_client* client, int err);
  /* All waiting events have been dispatched (may be NULL). Returns true if there is more
   * to do than one turn should take: `settle` is called again in the next turn. */
  bool (*settle)(struct inotify_client* client);
  /* In a forked child, where all watches are gone: leave them and listen again. */
  int (*fork)(struct inotify_client* client);
};

/* Makes the descriptor if there is none: UV_EMFILE when the user has too many of them. */
int inotify_join(uv_loop_t* loop, struct inotify_client* client);
void inotify_leave(uv_loop_t* loop, struct inotify_client* client);

void inotify_listener_init(struct inotify_listener* listener,
                           void (*notify)(struct inotify_listener*,
                                          const struct inotify_event*));
/* `flags` are IN_DONT_FOLLOW and the like. The client must have joined. UV_ENOSPC when
 * the user's limit of watches is reached. On an error nothing is changed. */
int inotify_listen(uv_loop_t* loop, struct inotify_listener* listener, const char* path,
                   uint32_t flags);
/* Does nothing if the listener has no watch. */
void inotify_unlisten(uv_loop_t* loop, struct inotify_listener* listener);

/* UV_RENAME and UV_CHANGE for the kernel's bits; 0 for those that mean neither. */
int inotify_events(uint32_t mask);

#endif
