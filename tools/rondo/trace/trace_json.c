/* The two kinds of JSON: what the picture's page reads, and Chrome's trace events. */
#include "trace_write.h"

#include <inttypes.h>

/* One character of UTF-8; what is none becomes U+FFFD, a byte at a time. */
static uint32_t next_character(const unsigned char** at) {
  const unsigned char* text = *at;
  int more = *text < 0x80 ? 0 : *text >= 0xf0 ? 3 : *text >= 0xe0 ? 2 : 1;
  uint32_t character = more == 0 ? *text : *text & (0x3fu >> more);
  *at = text + 1;
  if (*text >= 0x80 && (*text < 0xc2 || *text > 0xf4))
    return 0xfffd;
  for (int i = 1; i <= more; i++) {
    if ((text[i] & 0xc0) != 0x80)
      return 0xfffd;
    character = character << 6 | (text[i] & 0x3fu);
  }
  static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
  if (character < least[more] || character > 0x10ffff ||
      (character >= 0xd800 && character < 0xe000))
    return 0xfffd;
  *at = text + 1 + more;
  return character;
}

void write_string(FILE* out, const char* text) {
  const unsigned char* at = (const unsigned char*) text;
  putc('"', out);
  while (*at != '\0') {
    uint32_t character = next_character(&at);
    if (character == '"' || character == '\\')
      fprintf(out, "\\%c", (int) character);
    else if (character >= 0x10000)
      fprintf(out, "\\u%04x\\u%04x", 0xd800 + ((character - 0x10000) >> 10),
              0xdc00 + (character & 0x3ff));
    else if (character < ' ' || character > '~' || character == '<')
      fprintf(out, "\\u%04x", character);
    else
      putc((int) character, out);
  }
  putc('"', out);
}

static void write_strings(FILE* out, char* const* strings, size_t count) {
  putc('[', out);
  for (size_t i = 0; i < count; i++) {
    fputs(i == 0 ? "" : ",", out);
    write_string(out, strings[i]);
  }
  putc(']', out);
}

/* --- for the picture -------------------------------------------------------------- */

/* Those that the recording ended in; there are few. */
static void write_unfinished(FILE* out, const struct trace_loop* loop, size_t shown) {
  const char* comma = "";
  fputs(",\"unfinished\":[", out);
  for (size_t i = 0; i < shown; i++) {
    if (!loop->events[i].unfinished)
      continue;
    fprintf(out, "%s%zu", comma, i);
    comma = ",";
  }
  putc(']', out);
}

/* What kept it alive when it slept last, if all of that is shown. */
static void write_alive_subjects(FILE* out, const struct trace_loop* loop) {
  fputs(",\"alive\":[", out);
  for (size_t i = 0; i < loop->alive_count; i++)
    fprintf(out, "%s%d", i == 0 ? "" : ",", loop->alive[i].subject);
  putc(']', out);
}

static void write_loop(FILE* out, const struct trace_loop* loop, uint64_t offset,
                       size_t shown) {
  fprintf(out, "{\"id\":%u,\"thread\":%u,\"backend\":", loop->number, loop->thread);
  write_string(out, loop->backend);
  fprintf(out,
          ",\"lost\":%" PRIu64 ",\"names\":", loop->lost + loop->event_count - shown);
  write_strings(out, loop->names, loop->name_count);
  fputs(",\"subjects\":", out);
  write_strings(out, loop->subjects, loop->subject_count);
  write_unfinished(out, loop, shown);
  write_alive_subjects(out, loop);
  const struct wait* wait = loop->waits;
  fputs(",\"events\":[", out);
  for (size_t i = 0; i < shown; i++) {
    const struct event* event = &loop->events[i];
    fprintf(out, "%s[%u,%" PRIu64 ",%" PRIu64 ",%d,%d,%" PRId64, i == 0 ? "" : ",\n",
            event->kind, event->start + offset, event->duration, event->name,
            event->subject, event->detail);
    if (event->kind == EVENT_SLEEP) {
      fprintf(out, ",%u,%u", wait->handles, wait->requests);
      wait++;
    }
    putc(']', out);
  }
  fputs("]}", out);
}

static size_t shown_of(const struct trace_loop* loop, size_t share) {
  return loop->event_count < share ? loop->event_count : share;
}

/* How many events of a loop are shown, so that a busy one doesn't hide the others. */
static size_t fair_share(const struct trace* trace) {
  size_t low = 0, high = PICTURE_EVENTS;
  while (low < high) {
    size_t middle = (low + high + 1) / 2;
    size_t sum = 0;
    for (size_t i = 0; i < trace->count; i++)
      sum += shown_of(&trace->loops[i], middle);
    if (sum <= PICTURE_EVENTS)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

void write_model(FILE* out, const struct trace* trace) {
  uint64_t origin = trace_origin_ns(trace);
  size_t share = fair_share(trace);
  fputs("{\"format\":\"rondo-trace\",\"version\":1,\"command\":", out);
  write_string(out, trace->loops[0].process->command);
  const struct trace_process* first = trace->loops[0].process;
  uint64_t wall = first->start_wall_ns - first->start_ns + origin;
  fprintf(out, ",\"started\":%" PRIu64 ".%03u,\"processes\":[", wall / 1000000000,
          (unsigned int) (wall / 1000000 % 1000));
  for (size_t i = 0; i < trace->count; i++) {
    const struct trace_loop* loop = &trace->loops[i];
    if (i == 0 || loop->pid != loop[-1].pid) {
      fprintf(out, "%s{\"pid\":%u,\"program\":", i == 0 ? "" : "]},", loop->pid);
      write_string(out, loop->process->program);
      fputs(",\"loops\":[", out);
    } else {
      putc(',', out);
    }
    write_loop(out, loop, loop->start_ns - origin, shown_of(loop, share));
  }
  fputs("]}]}", out);
}

/* --- for Chrome ------------------------------------------------------------------- */

static void write_microseconds(FILE* out, const char* name, uint64_t ns) {
  fprintf(out, ",\"%s\":%" PRIu64 ".%03u", name, ns / 1000, (unsigned int) (ns % 1000));
}

static void write_metadata(FILE* out, const struct trace_loop* loop, bool first) {
  char text[96];
  if (first) {
    fprintf(out, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":",
            loop->pid);
    write_string(out, loop->process->command);
    fputs("}},\n", out);
  }
  snprintf(text, sizeof(text), "loop %u (%s, thread %u)", loop->number, loop->backend,
           loop->thread);
  fprintf(out, "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,\"args\":{",
          loop->pid, loop->number);
  fputs("\"name\":", out);
  write_string(out, text);
  fputs("}}", out);
}

static void write_arguments(FILE* out, const struct trace_loop* loop,
                            const struct event* event, const struct wait* wait) {
  static const char* const detail_names[EVENT_KINDS] = {
      [EVENT_TURN] = "turn", [EVENT_SLEEP] = "timeout_ns", [EVENT_CALLBACK] = "detail"};
  fputs(",\"args\":{", out);
  if (event->subject != EVENT_NONE) {
    fputs("\"subject\":", out);
    write_string(out, loop->subjects[event->subject]);
  }
  const char* name = event->timer ? "late_ns" : detail_names[event->kind];
  if (name != NULL)
    fprintf(out, "%s\"%s\":%" PRId64, event->subject == EVENT_NONE ? "" : ",", name,
            event->detail);
  if (event->kind == EVENT_SLEEP && (loop->tells & TRACE_TELLS_WAITS) != 0)
    fprintf(out, ",\"handles\":%u,\"requests\":%u", wait->handles, wait->requests);
  if (event->unfinished)
    fprintf(out, "%s\"unfinished\":true",
            event->subject == EVENT_NONE && name == NULL ? "" : ",");
  fputs("}}", out);
}

static void write_event(FILE* out, const struct trace_loop* loop,
                        const struct event* event, const struct wait* wait,
                        uint64_t offset) {
  fprintf(out,
          ",\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"cat\":\"%s\",\"name\":", loop->pid,
          loop->number, event_names[event->kind]);
  write_string(out, event->name != EVENT_NONE ? loop->names[event->name]
                                              : event_names[event->kind]);
  write_microseconds(out, "ts", event->start + offset);
  write_microseconds(out, "dur", event->duration);
  write_arguments(out, loop, event, wait);
}

bool write_events(FILE* out, const struct trace* trace) {
  uint64_t origin = trace_origin_ns(trace);
  fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", out);
  for (size_t i = 0; i < trace->count; i++) {
    const struct trace_loop* loop = &trace->loops[i];
    fputs(i == 0 ? "" : ",\n", out);
    write_metadata(out, loop, i == 0 || loop->pid != loop[-1].pid);
    const struct wait* wait = loop->waits;
    for (size_t j = 0; j < loop->event_count; j++) {
      write_event(out, loop, &loop->events[j], wait, loop->start_ns - origin);
      wait += loop->events[j].kind == EVENT_SLEEP;
    }
  }
  fputs("\n]}\n", out);
  return ferror(out) == 0;
}
