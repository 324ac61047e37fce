/* Whether the processor's counter can be read instead of the clock: see ticks.h. */
#include "trace/ticks.h"

#include "system/system.h"

#include <string.h>

bool ticks_are_good(void) {
#if defined(__x86_64__)
  static const char path[] =
      "/sys/devices/system/clocksource/clocksource0/current_clocksource";
  char text[16];
  return system_read_file(path, text, sizeof(text)) > 0 && strncmp(text, "tsc", 3) == 0;
#else
  return false;
#endif
}

/* Reads both clocks; false if the two readings are too far apart. */
static bool ticks_pair(uint64_t* ticks, uint64_t* ns) {
  static const uint64_t apart_ticks = 20000;
  uint64_t before = ticks_read();
  *ns = clock_now_ns();
  *ticks = ticks_read();
  return *ticks - before < apart_ticks;
}

/* The rate, from what passed since the first pair. */
static void ticks_learn(struct ticks* clock, struct ticks_lesson* lesson, uint64_t ticks,
                        uint64_t ns) {
  static const uint64_t apart_ns = 10000000, learned_ns = 10000000000,
                        trusted_ns = 10000000;
  if (lesson->first_ns == 0) {
    lesson->first_ticks = ticks;
    lesson->first_ns = ns;
  } else if (ns >= lesson->first_ns + apart_ns && ticks > lesson->first_ticks) {
    uint64_t passed = ticks - lesson->first_ticks, passed_ns = ns - lesson->first_ns;
    clock->rate = (uint64_t) (((ticks_wide) passed_ns << 32) / passed);
    clock->trusted = (uint64_t) ((ticks_wide) trusted_ns * passed / passed_ns);
    lesson->goes_on = passed_ns < learned_ns;
  }
}

void ticks_compare(struct ticks* clock, struct ticks_lesson* lesson) {
  uint64_t ticks, ns;
  if ((!lesson->goes_on && clock->rate == 0) || !ticks_pair(&ticks, &ns))
    return;
  if (lesson->goes_on)
    ticks_learn(clock, lesson, ticks, ns);
  clock->ticks = ticks;
  clock->ns = ns;
}
