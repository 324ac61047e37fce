/* What a loop waited for: what kept it alive, and what was in flight. */
#include "trace_write.h"

/* Who was called back about it last, but for its end; or NULL. */
static const struct event* last_about(const struct trace_loop* loop, int32_t subject) {
  for (size_t i = loop->event_count; i > 0; i--) {
    const struct event* event = &loop->events[i - 1];
    if (event->kind == EVENT_CALLBACK && event->subject == subject &&
        (event->parent == EVENT_NONE ||
         loop->events[event->parent].kind != EVENT_CLOSING))
      return event;
  }
  return NULL;
}

static void write_alive(FILE* out, const struct trace_loop* loop, uint32_t handles) {
  for (size_t i = 0; i < loop->alive_count && i < handles; i++) {
    const struct event* event = last_about(loop, loop->alive[i].subject);
    fputs(i == 0 ? ": " : ", ", out);
    if (event != NULL)
      write_who(out, loop, event);
    else
      fputs(loop->subjects[loop->alive[i].subject], out);
  }
  if (loop->alive_count > 0 && handles > loop->alive_count)
    fputs(" and others", out);
}

void write_waits(FILE* out, const struct trace_loop* loop) {
  uint32_t most = 0;
  if ((loop->tells & TRACE_TELLS_WAITS) == 0 || loop->wait_count == 0)
    return;
  for (size_t i = 0; i < loop->wait_count; i++)
    most = loop->waits[i].requests > most ? loop->waits[i].requests : most;
  const struct wait* last = &loop->waits[loop->wait_count - 1];
  fprintf(out, "\n  requests in flight when it slept: %u at most, %u the last time\n",
          most, last->requests);
  fprintf(out, "  kept alive then by %u handle%s", last->handles,
          last->handles == 1 ? "" : "s");
  write_alive(out, loop, last->handles);
  putc('\n', out);
}
