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
