/* Reports of a recorded program to the command that watches it, sent at once through the
 * socket at the path in RONDO_RECORD_WATCHER. Without a socket, or if nobody reads from
 * it any more, nothing happens. May be called from any thread and from signal handlers.
 */
#ifndef RONDO_TRACE_ALARM_H
#define RONDO_TRACE_ALARM_H

#include <stdbool.h>
#include <stdint.h>

enum alarm_kind {
  ALARM_STARTED = 1, /* the ring exists now; the datagram has a descriptor of it */
  ALARM_STALL,       /* a loop hasn't polled for too long */
  ALARM_DUMP,        /* a signal has asked the program to have its ring dumped */
  ALARM_AWAKE,       /* a watched loop has woken up while the watcher was idle */
  ALARM_ENDING,      /* the process exits and waits for the board's word `parted` */
};

/* A datagram. */
struct alarm_report {
  uint32_t pid;
  uint32_t kind; /* enum alarm_kind */
  uint32_t loop; /* of a stall: the loop's place on the board, */
  uint32_t unused;
  uint64_t looked_ns; /* since when it is stalled, */
  uint64_t held_ns;   /* and for how long, so far */
};

struct board;

/* Finds the socket, reports the ring with a descriptor of its file, and installs a
 * handler for the signal that RONDO_RECORD_SIGNAL names, unless the program uses that
 * signal. Called once in a process. */
void alarm_prepare(int ring_fd);
/* Whether the watcher was there when the process was prepared: the variable may outlive
 * it. */
bool alarm_has_watcher(void);
void alarm_send(enum alarm_kind kind);
void alarm_stall(uint32_t loop, uint64_t looked_ns, uint64_t held_ns);
/* Before an exit, if stalls are reported: waits until the watcher has reported what there
 * was, for a quarter of a second at most. Otherwise the last lines of a short program
 * would come after its end, when nobody reads them any more. */
void alarm_part(struct board* board);

#endif
