/* Whether a round of reads is shared with a helper: see fs_sharing.h. */
#include "request/fs_sharing.h"

#include "base/backoff.h"
#include "base/base.h"
#include "system/tune.h"

#include <sys/resource.h>

static const uint64_t PROBATION_NS = 20 * 1000000;
static const uint64_t PAUSE_FIRST_NS = 50 * 1000000;
static const uint64_t PAUSE_MOST_NS = 1000 * 1000000;

/* So many batches gain, at some 2.5 microseconds each, what waiting for a turn costs
 * among four busy programs. */
enum { ENOUGH_GONE_WELL = 8000 };

long fs_sharing_switches(void) {
  struct rusage used;
  return getrusage(RUSAGE_THREAD, &used) == 0 ? used.ru_nivcsw : 0;
}

void fs_sharing_begin(struct fs_sharing* sharing, uint64_t now_ns) {
  sharing->until_ns = now_ns + PROBATION_NS;
  sharing->switches = fs_sharing_switches();
}

void fs_sharing_pause(struct fs_sharing* sharing, uint64_t now_ns) {
  if (sharing->until_ns > now_ns)
    return;
  bool is_rare = sharing->gone_well >= ENOUGH_GONE_WELL || sharing->pause_ns == 0;
  sharing->pause_ns =
      is_rare ? PAUSE_FIRST_NS : u64_min(2 * sharing->pause_ns, PAUSE_MOST_NS);
  sharing->gone_well = 0;
  sharing->until_ns = now_ns + sharing->pause_ns;
  assert(sharing->pause_ns >= PAUSE_FIRST_NS && sharing->pause_ns <= PAUSE_MOST_NS);
  sharing->switches = fs_sharing_switches();
}

/* A quiet machine's kernel threads take the processor now and then; another busy program
 * does so every few milliseconds. */
static long switches_allowed(const struct fs_sharing* sharing) {
  return 1 + (long) (sharing->pause_ns / PAUSE_FIRST_NS);
}

static bool sharing_waits(struct fs_sharing* sharing, uint64_t now_ns) {
  if (sharing->until_ns == 0)
    return false;
  if (now_ns < sharing->until_ns)
    return true;
  if (fs_sharing_switches() <= sharing->switches + switches_allowed(sharing)) {
    sharing->until_ns = 0;
    return false;
  }
  fs_sharing_pause(sharing, now_ns);
  return true;
}

bool fs_sharing_take_chance(struct fs_sharing* sharing, uint64_t now_ns) {
  return tune_is_on(TUNE_HELPER) && !sharing_waits(sharing, now_ns) &&
         backoff_take_chance(&sharing->chance);
}

void fs_sharing_won(struct fs_sharing* sharing) {
  sharing->gone_well++;
  backoff_won(&sharing->chance);
}

void fs_sharing_lost(struct fs_sharing* sharing) {
  backoff_lost(&sharing->chance);
}
