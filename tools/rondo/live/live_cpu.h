/* Whether the thread of a loop that is held up was on a processor meanwhile, in the terms
 * of a recording (trace_facts.h): a callback isn't to blame for the time that other
 * processes had. */
#ifndef RONDO_TOOL_LIVE_CPU_H
#define RONDO_TOOL_LIVE_CPU_H

#include "live_ring.h"
#include "trace_facts.h"

struct live_stretch {
  bool found;
  uint64_t length_ns;
  struct cpu_share cpu;
  uint64_t collected_ns; /* of it garbage collection, as far as it is over */
};

/* The stretch since the poll at `looked_ns`, of the loop at that place of the board; not
 * found if it is over. Its processor time isn't known unless everything that may have
 * happened leads to the same verdict. */
struct live_stretch live_stretch_now(const struct live_ring* ring, size_t place,
                                     uint64_t looked_ns);

/* The stretch of the loop with that number that began with the poll at `looked_ns`, went
 * on at the time `at_ns` and is over, as the ring has it. */
struct live_stretch live_stretch_over(const struct live_ring* ring, uint32_t number,
                                      uint64_t looked_ns, uint64_t at_ns);

#endif
