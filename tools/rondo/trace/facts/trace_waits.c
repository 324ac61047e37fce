/* The things that a loop waited for: the handles that kept it alive, and the requests in
 * flight. */
#include "trace_write.h"

static void write_handles(FILE* out, const struct trace_loop* loop, uint32_t handles) {
  for (size_t i = 0; i < loop->alive_count && i < handles; i++) {
    fputs(i == 0 ? ": " : ", ", out);
    write_alive(out, loop, &loop->alive[i]);
  }
  if (loop->alive_count > 0 && handles > loop->alive_count)
    fputs(" and others", out);
}

/* The list exists also for a loop that never sleeps. */
static void write_kept_alive(FILE* out, const struct trace_loop* loop, uint32_t handles,
                             const char* when) {
  fprintf(out, "  kept alive %s by %u handle%s", when, handles, handles == 1 ? "" : "s");
  write_handles(out, loop, handles);
  putc('\n', out);
}

void write_waits(FILE* out, const struct trace_loop* loop) {
  uint32_t most = 0;
  if (loop->wait_count == 0) {
    if (loop->alive_count > 0)
      write_kept_alive(out, loop, (uint32_t) loop->alive_count, "at last");
    return;
  }
  for (size_t i = 0; i < loop->wait_count; i++)
    most = loop->waits[i].requests > most ? loop->waits[i].requests : most;
  const struct wait* last = &loop->waits[loop->wait_count - 1];
  fprintf(out, "\n  requests in flight when it slept: %u at most, %u the last time\n",
          most, last->requests);
  write_kept_alive(out, loop, last->handles, "then");
}
