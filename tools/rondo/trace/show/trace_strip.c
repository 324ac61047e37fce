/* The strip of the picture: how busy a loop was at each moment. */
#include "trace_write.h"

#include <stdlib.h>

enum { STRIP_COLUMNS = 1200, LANES = 9 };

/* Adds a span's time to the columns that it overlaps. */
static void strip_add(double* strip, unsigned int lane, double from, double to,
                      double weight) {
  size_t first = from < 0 ? 0 : (size_t) from;
  for (size_t c = first; c < STRIP_COLUMNS && (double) c < to; c++) {
    double low = from > (double) c ? from : (double) c;
    double high = to < (double) (c + 1) ? to : (double) (c + 1);
    strip[c * LANES + lane] += weight * (high - low);
  }
}

/* How busy the loop was at each moment, in thousandths: the seven phases by their kinds;
 * 0: between phases; 8: outside of turns. Sleep isn't included. */
void write_strip(FILE* out, const struct trace_loop* loop, uint64_t origin,
                 uint64_t begin, uint64_t end) {
  double* strip = calloc((size_t) STRIP_COLUMNS * LANES, sizeof(*strip));
  double scale = STRIP_COLUMNS / (end > begin ? (double) (end - begin) : 1);
  uint64_t offset = loop->start_ns - origin;
  if (strip == NULL)
    out_of_memory();
  for (size_t i = 0; i < loop->event_count; i++) {
    const struct event* event = &loop->events[i];
    double from = ((double) (event->start + offset) - (double) begin) * scale;
    double to = from + (double) event->duration * scale;
    if (event->kind == EVENT_TURN)
      strip_add(strip, 0, from, to, 1);
    else if (event->kind == EVENT_SLEEP)
      strip_add(strip, EVENT_POLL, from, to, -1);
    else if (event_is_phase(event->kind)) {
      strip_add(strip, event->kind, from, to, 1);
      strip_add(strip, 0, from, to, -1);
    } else if (event->kind == EVENT_OUTSIDE)
      strip_add(strip, 8, from, to,
                event->duration == 0 ? 0
                                     : 1 - (double) (event->detail & OUTSIDE_ENDING) / 2);
  }
  fprintf(out, ",\"strip\":[");
  for (size_t i = 0; i < (size_t) STRIP_COLUMNS * LANES; i++)
    fprintf(out, "%s%d", i == 0 ? "" : ",", (int) (strip[i] * 1000 + 0.5));
  putc(']', out);
  free(strip);
}
