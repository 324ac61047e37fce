/* A loop's counters: which way each file request took, and how often the mechanisms that
 * tune themselves won or lost. The counters are always kept, since counting is one
 * addition to memory of the loop's own thread. rondo_loop_report prints them when the
 * loop is closed with RONDO_DEBUG=counters, and a recording contains them. */
#ifndef RONDO_COUNTERS_H
#define RONDO_COUNTERS_H

#include "uv.h"

#include <stdint.h>

enum loop_counter {
  COUNTER_SPIN_WORK_WON,  /* the loop spun for the pool, and a result came in time */
  COUNTER_SPIN_WORK_LOST, /* the same, and no result came */
  COUNTER_SPIN_ASYNC_WON, /* the same for other threads' asyncs */
  COUNTER_SPIN_ASYNC_LOST,
  COUNTER_POOL_AWAKE,   /* work handed to a thread of the pool that was spinning */
  COUNTER_POOL_WOKEN,   /* work for which a thread was woken or started */
  COUNTER_RING_LOOKS,   /* looks for ready descriptors through io_uring instead of
                           epoll_wait */
  COUNTER_READS_SIZED,  /* stream reads whose suggested size was what had arrived */
  COUNTER_FILE_AT_ONCE, /* file requests answered on the loop's thread */
  COUNTER_FILE_SHARED,  /* reads made by a helper thread */
  COUNTER_FILE_RING,    /* requests handed to io_uring */
  COUNTER_FILE_POOL,    /* requests handed to the pool */
  COUNTER_FILE_HELD,    /* closes held back behind other requests */
  COUNTER_HELPER_CALLS, /* helper threads called to share reads */
  COUNTER_COUNT
};

static inline void loop_count(uv_loop_t* loop, enum loop_counter counter) {
  loop->counters[counter]++;
}

/* A name for people, as "spins for work won". */
const char* loop_counter_name(enum loop_counter counter);

#endif
