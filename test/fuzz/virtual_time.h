/* A clock that only moves when told to, and waits that take no time.
 *
 * The program's own clock_gettime and epoll waits stand before the C library's, for the
 * event loop library too: a wait that finds nothing moves the clock by its timeout and
 * returns. So a run depends on nothing but its seed, and a second of timers takes no
 * time.
 *
 * A wait inside an io_uring can't be stood in for. It returns after real time, finds that
 * the clock has not moved and begins again; a clock that is asked again and again with
 * nothing done in between therefore jumps to the next timer (virtual_next_due). */
#ifndef RONDO_FUZZ_VIRTUAL_TIME_H
#define RONDO_FUZZ_VIRTUAL_TIME_H

#include <stdint.h>

/* Milliseconds. */
uint64_t virtual_now(void);
void virtual_advance(uint64_t ms);

/* Something happened: the clock was not asked in vain. */
void virtual_activity(void);

/* To be defined by the program: when its first timer is due, UINT64_MAX without one. */
uint64_t virtual_next_due(void);

#endif
