/* How late decisions may make a program: the allowance.
 *
 * While anything of the world is held back by a decision, everything that waits for it is
 * late. So the allowance counts the time in which at least one thing is held back: no
 * chain of causes, over however many connections, children and loops, is later than the
 * sum. A program's limits (two seconds for a test of mocha's, five for a connection that
 * is kept alive) are longer, so that they expire in no schedule unless they nearly do in
 * all; and what a program does in the order of its own short timers comes in any order.
 * The allowance comes back as time passes in which nothing is held back, at a tenth of
 * that time: a program that waits long by itself has long limits. */
#include "sim/world.h"

/* Together with a second that a test waits by itself, less than two. */
static const uint64_t ALLOWANCE_NS = 850 * 1000 * 1000;
/* In a program that has waited for seconds by itself. */
static const uint64_t ALLOWANCE_MOST_NS = 1300 * 1000 * 1000;
enum { COMES_BACK_PART = 8 };

void world_late_prepare(struct world* world) {
  world->late_left = ALLOWANCE_NS;
  world->late_until = world->late_at = world->now;
}

/* With the lock held. */
static void late_reckon(struct world* world) {
  uint64_t from = world->late_at > world->late_until ? world->late_at : world->late_until;
  if (world->now <= from)
    return;
  world->late_left += (world->now - from) / COMES_BACK_PART;
  if (world->late_left > ALLOWANCE_MOST_NS)
    world->late_left = ALLOWANCE_MOST_NS;
  world->late_at = world->now;
}

uint64_t world_late_most(struct world* world) {
  world_lock(world);
  late_reckon(world);
  uint64_t covered = world->late_until > world->now ? world->late_until - world->now : 0;
  uint64_t most = covered + world->late_left;
  world_unlock(world);
  return most;
}

uint64_t world_late_covered(const struct world* world) {
  uint64_t until = world->late_until, now = world_now(world);
  return until > now ? until - now : 0;
}

bool world_late_is_whole(struct world* world) {
  world_lock(world);
  late_reckon(world);
  bool is_whole = world->late_left >= ALLOWANCE_NS - ALLOWANCE_NS / 16;
  world_unlock(world);
  return is_whole;
}

uint64_t world_late_take(struct world* world, uint64_t wanted, bool is_exempt) {
  world_lock(world);
  late_reckon(world);
  uint64_t from = world->late_until > world->now ? world->late_until : world->now;
  uint64_t until = world->now + wanted;
  if (until > from) {
    uint64_t more = until - from;
    if (more > world->late_left && !is_exempt)
      more = world->late_left;
    world->late_left -= more < world->late_left ? more : world->late_left;
    world->late_until = until = from + more;
  }
  uint64_t taken = until - world->now;
  world_unlock(world);
  return taken;
}
