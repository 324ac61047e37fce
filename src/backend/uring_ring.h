/* The common part of both rings: how a ring fails, and how it is closed.
 *
 * A ring that was made may fail later: a sandbox that forbids io_uring_enter, a program
 * that closes the ring's descriptor by mistake (a double close), perhaps with the number
 * in use for something else since. Completions of what the kernel has taken still come in
 * both cases: they are written to memory that is mapped, and the mapping keeps the ring's
 * file open. */
#ifndef RONDO_URING_RING_H
#define RONDO_URING_RING_H

#include <liburing.h>
#include <stdbool.h>

/* Whether a failed io_uring_enter (err is negative) is going to fail again. */
bool ring_failure_lasts(int err);

/* Whether the failure means that the descriptor isn't the ring's any more. */
bool ring_is_lost(int err);

/* The descriptor's number belongs to another file now: it is neither used nor closed any
 * more. */
void ring_disown(struct io_uring* ring);

/* Makes a ring whose descriptor is above the standard ones; 0, or a negative errno. */
int uring_start(struct io_uring* ring, unsigned int entries,
                struct io_uring_params* params);

/* Unmaps the ring and closes its descriptor, unless that is already closed or isn't a
 * ring. */
void ring_release(struct io_uring* ring);

/* With RONDO_DEBUG set: reports to standard error, once in a process. */
void ring_report(const char* consequence, int err);

#endif
