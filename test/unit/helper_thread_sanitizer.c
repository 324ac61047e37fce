/* What ThreadSanitizer can't know. liburing maps and unmaps its rings by system calls of
 * its own, so when a new ring of one thread gets the address that a closed ring of
 * another had, their accesses look like races. */
#include "sanitizers.h"

#if UNDER_THREAD_SANITIZER
const char* __tsan_default_suppressions(void);

const char* __tsan_default_suppressions(void) {
  return "race:^ring_wait$\n"; /* no callback is made from inside it */
}
#else
extern int rondo_not_under_thread_sanitizer; /* a file must declare something */
#endif
