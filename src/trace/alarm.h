/* What a recorded program reports to the command that watches it, at once: through a
 * socket whose path RONDO_RECORD_WATCHER has. Without one, or if nobody reads it any
 * more, nothing happens. May be called from any thread and from signal handlers. */
#ifndef RONDO_TRACE_ALARM_H
#define RONDO_TRACE_ALARM_H

#include <stdint.h>

enum alarm_kind {
  ALARM_STARTED = 1, /* there is a ring now */
  ALARM_STALL,       /* a loop hasn't looked at what is ready for too long */
  ALARM_DUMP, /* the program was asked, by a signal, to have its ring written down */
};

/* A datagram. */
struct alarm_report {
  uint32_t pid;
  uint32_t kind; /* enum alarm_kind */
  uint32_t loop; /* of a stall: its place on the board, */
  uint32_t unused;
  uint64_t looked_ns; /* since when it is held up, */
  uint64_t held_ns;   /* and for how long, so far */
};

/* Finds the socket, and takes the signal that RONDO_RECORD_SIGNAL names unless the
 * program has a use for it. Once in a process. */
void alarm_prepare(void);
void alarm_send(enum alarm_kind kind);
void alarm_stall(uint32_t loop, uint64_t looked_ns, uint64_t held_ns);

#endif
