/* Chrome's trace events, for Perfetto and chrome://tracing: real threads on the machine's
 * monotonic clock, so that other traces of the machine can be overlaid; flows from the
 * callback that began a request to the request's own callback; counters of requests in
 * flight and of the pool. */
#include "trace_collections.h"
#include "trace_write.h"

#include <inttypes.h>

static void write_microseconds(FILE* out, const char* name, uint64_t ns) {
  fprintf(out, ",\"%s\":%" PRIu64 ".%03u", name, ns / 1000, (unsigned int) (ns % 1000));
}

static void write_name(FILE* out, const char* what, uint32_t pid, uint32_t tid,
                       const char* name, const char* comma) {
  fprintf(out,
          "%s{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":",
          comma, what, pid, tid);
  write_string(out, name);
  fputs("}}", out);
}

static void write_metadata(FILE* out, const struct trace_loop* loop, bool first,
                           const char* comma) {
  char text[128];
  if (first)
    write_name(out, "process_name", loop->pid, loop->thread, loop->process->command,
               comma);
  snprintf(text, sizeof(text), "%.32s loop %u (%.16s)",
           thread_name_of(loop->process, loop->thread), loop->number, loop->backend);
  write_name(out, "thread_name", loop->pid, loop->thread, text, first ? ",\n" : comma);
}

static void write_arguments(FILE* out, const struct trace_loop* loop,
                            const struct event* event, const struct wait* wait,
                            const struct arrival* arrival) {
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
  if (event->kind == EVENT_SLEEP)
    fprintf(out, ",\"handles\":%u,\"requests\":%u", wait->handles, wait->requests);
  if (arrival != NULL)
    fprintf(out, "%s\"data_waited_ns\":%" PRIu64,
            event->subject == EVENT_NONE && name == NULL ? "" : ",", arrival->waited);
  if (event->unfinished)
    fprintf(out, "%s\"unfinished\":true",
            event->subject == EVENT_NONE && name == NULL ? "" : ",");
  fputs("}}", out);
}

static void write_event(FILE* out, const struct trace_loop* loop,
                        const struct event* event, const struct wait* wait,
                        const struct arrival* arrival) {
  fprintf(out,
          ",\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"cat\":\"%s\",\"name\":", loop->pid,
          loop->thread, event_names[event->kind]);
  write_string(out, event->name != EVENT_NONE ? loop->names[event->name]
                                              : event_names[event->kind]);
  write_microseconds(out, "ts", event->start + loop->start_ns);
  write_microseconds(out, "dur", event->duration);
  write_arguments(out, loop, event, wait, arrival);
}

/* An arrow from the callback that began a request to the request's callback. */
static void write_flow(FILE* out, const struct trace_loop* loop, size_t index,
                       size_t event_index) {
  const struct event* event = &loop->events[event_index];
  const struct cause* cause = &loop->causes[event->cause];
  const uint64_t times[] = {cause->begun, event->start};
  for (size_t i = 0; i < 2; i++) {
    fprintf(
        out,
        ",\n{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u,\"cat\":\"begun\",\"name\":\"begun\","
        "\"id\":\"%zx.%zx\"%s",
        i == 0 ? "s" : "f", loop->pid, loop->thread, index, event_index,
        i == 0 ? "" : ",\"bp\":\"e\"");
    write_microseconds(out, "ts", loop->start_ns + times[i]);
    putc('}', out);
  }
}

static void write_counter(FILE* out, uint32_t pid, const char* name, uint64_t time,
                          uint64_t value) {
  fprintf(out, ",\n{\"ph\":\"C\",\"pid\":%u,\"name\":", pid);
  write_string(out, name);
  write_microseconds(out, "ts", time);
  fprintf(out, ",\"args\":{\"value\":%" PRIu64 "}}", value);
}

/* False for loops that alternate on one thread: the time outside of uv_run of one loop is
 * time inside of another's. */
static bool has_thread_alone(const struct trace* trace, const struct trace_loop* loop) {
  for (size_t i = 0; i < trace->count; i++) {
    const struct trace_loop* other = &trace->loops[i];
    if (other != loop && other->pid == loop->pid && other->thread == loop->thread)
      return false;
  }
  return true;
}

/* Data whose callback was too short for a ring: a moment instead of a span. */
static void write_late_alone(FILE* out, const struct trace_loop* loop) {
  for (size_t i = 0; i < loop->arrival_count; i++) {
    const struct arrival* arrival = &loop->arrivals[i];
    if (arrival->event != EVENT_NONE || arrival->subject == EVENT_NONE)
      continue;
    fprintf(out,
            ",\n{\"ph\":\"i\",\"s\":\"t\",\"pid\":%u,\"tid\":%u,\"cat\":\"late\","
            "\"name\":\"late data\"",
            loop->pid, loop->thread);
    write_microseconds(out, "ts", loop->start_ns + arrival->read);
    fputs(",\"args\":{\"subject\":", out);
    write_string(out, loop->subjects[arrival->subject]);
    fprintf(out, ",\"data_waited_ns\":%" PRIu64 "}}", arrival->waited);
  }
}

static void write_collection_events(FILE* out, const struct trace_loop* loop) {
  for (size_t i = 0; i < loop->collection_count; i++) {
    const struct collection* collection = &loop->collections[i];
    fprintf(out,
            ",\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"cat\":\"gc\",\"name\":"
            "\"garbage collection\"",
            loop->pid, loop->thread);
    write_microseconds(out, "ts", loop->start_ns + collection->start);
    write_microseconds(out, "dur", collection->duration);
    fputs(",\"args\":{\"kind\":", out);
    write_string(out, collection_kind(loop, collection));
    fprintf(out, ",\"count\":%" PRIu64 "}}", collection->count);
  }
}

static void write_loop_events(FILE* out, const struct trace* trace, size_t index) {
  const struct trace_loop* loop = &trace->loops[index];
  const struct wait* wait = loop->waits;
  bool alone = has_thread_alone(trace, loop);
  size_t next = 0;
  char name[64];
  snprintf(name, sizeof(name), "requests in flight, loop %u", loop->number);
  for (size_t i = 0; i < loop->event_count; i++) {
    const struct event* event = &loop->events[i];
    const struct arrival* arrival = arrival_of(loop, (int32_t) i, &next);
    if (event->kind != EVENT_OUTSIDE || alone)
      write_event(out, loop, event, wait, arrival);
    if (event->cause != EVENT_NONE && loop->causes[event->cause].by != EVENT_NONE)
      write_flow(out, loop, index, i);
    if (event->kind == EVENT_SLEEP)
      write_counter(out, loop->pid, name, loop->start_ns + event->start, wait->requests);
    wait += event->kind == EVENT_SLEEP;
  }
  write_late_alone(out, loop);
  write_collection_events(out, loop);
  for (size_t i = 0; i < loop->count_count; i++) {
    const struct count* count = &loop->counts[i];
    write_counter(out, loop->pid,
                  count->name == EVENT_NONE ? "count" : loop->names[count->name],
                  loop->start_ns + count->at, count->value);
  }
}

/* The name of the work that a thread of the pool ran. */
static const char* work_name(const struct trace* trace, const struct work* work) {
  if (work->loop == EVENT_NONE)
    return "work";
  const struct trace_loop* loop = &trace->loops[work->loop];
  const struct cause* cause = &loop->causes[work->cause];
  if (cause->name != EVENT_NONE)
    return loop->names[cause->name];
  return cause->subject == EVENT_NONE ? "work" : loop->subjects[cause->subject];
}

static void write_pool(FILE* out, const struct trace* trace,
                       const struct trace_process* process) {
  uint32_t named[16] = {0};
  size_t names = 0;
  for (size_t i = 0; i < process->work_count; i++) {
    const struct work* work = &process->works[i];
    size_t known = 0;
    while (known < names && named[known] != work->thread)
      known++;
    if (known == names && names < 16) {
      named[names++] = work->thread;
      write_name(out, "thread_name", process->pid, work->thread, "pool", ",\n");
    }
    fprintf(out, ",\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"cat\":\"pool\",\"name\":",
            process->pid, work->thread);
    write_string(out, work_name(trace, work));
    write_microseconds(out, "ts", process->start_ns + work->start);
    write_microseconds(out, "dur", work->duration);
    fputs(",\"args\":{}}", out);
    write_counter(out, process->pid, "waiting for the pool",
                  process->start_ns + work->start, work->waiting);
  }
}

/* Stacks in the trace event format: a tree of frames, each with its caller, and samples
 * that name the innermost. Each sample gets frames of its own; readers merge equal ones.
 */
static void write_samples(FILE* out, const struct trace_loop* loop, size_t first_frame) {
  for (size_t i = 0; i < loop->sample_count; i++) {
    const struct stack_sample* sample = &loop->samples[i];
    if (sample->count == 0)
      continue;
    fprintf(out,
            ",\n{\"ph\":\"P\",\"pid\":%u,\"tid\":%u,\"cat\":\"sample\",\"name\":"
            "\"stack\",\"sf\":\"%zu\"",
            loop->pid, loop->thread, first_frame + sample->first);
    write_microseconds(out, "ts", loop->start_ns + sample->at);
    putc('}', out);
  }
}

static const char* write_frames(FILE* out, const struct trace_loop* loop,
                                size_t first_frame, const char* comma) {
  for (size_t i = 0; i < loop->sample_count; i++) {
    const struct stack_sample* sample = &loop->samples[i];
    for (size_t frame = sample->first; frame < sample->first + sample->count; frame++) {
      int32_t name = loop->frames[frame];
      fprintf(out, "%s\"%zu\":{\"category\":\"stack\",\"name\":", comma,
              first_frame + frame);
      write_string(
          out, name < 0 || (size_t) name >= loop->name_count ? "?" : loop->names[name]);
      if (frame + 1 < sample->first + sample->count)
        fprintf(out, ",\"parent\":\"%zu\"", first_frame + frame + 1);
      putc('}', out);
      comma = ",\n";
    }
  }
  return comma;
}

bool write_events(FILE* out, const struct trace* trace) {
  size_t frames = 0;
  const char* comma = "\n";
  fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"clock\":\"CLOCK_MONOTONIC\"},"
        "\"traceEvents\":[\n",
        out);
  for (size_t i = 0; i < trace->count; i++) {
    const struct trace_loop* loop = &trace->loops[i];
    bool first = i == 0 || loop->process != loop[-1].process;
    write_metadata(out, loop, first, i == 0 ? "" : ",\n");
    write_loop_events(out, trace, i);
    write_samples(out, loop, frames);
    frames += loop->frame_count;
    if (first)
      write_pool(out, trace, loop->process);
  }
  fputs("\n],\"stackFrames\":{", out);
  frames = 0;
  for (size_t i = 0; i < trace->count; i++) {
    comma = write_frames(out, &trace->loops[i], frames, comma);
    frames += trace->loops[i].frame_count;
  }
  fputs("}}\n", out);
  return ferror(out) == 0;
}
