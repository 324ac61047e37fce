/* Recordings of versions 1 and 2: one loop in a section, its records and definitions in
 * one sequence, times since the loop's own start. */
#include "trace_model.h"

#include <string.h>

/* When the process ended, since the loop's start; 0 if it isn't known. A recording that
 * ended before its program (at its limit) doesn't show it. */
static uint64_t end_of(const struct trace* trace, const struct trace_header_2* header) {
  if (header->lost > 0)
    return 0;
  if (header->length == 0 && trace->seen_ns > header->start_ns)
    return trace->seen_ns - header->start_ns;
  return header->end_ns < TRACE_CENTURY_NS ? header->end_ns : 0;
}

/* Loops of one process were in separate files, so each gets a process of its own here.
 * Returns how many bytes of records were valid. */
static size_t loop_add(struct trace* trace, const struct trace_header_2* header,
                       const struct trace_record* records, size_t count) {
  struct trace_process* process = trace_add_process(trace);
  process->pid = header->pid;
  process->start_ns = header->start_ns;
  process->start_wall_ns = header->start_wall_ns;
  process_describe(process, header->program, header->command);
  struct trace_loop* loop = trace_add_loop(trace, process);
  loop->thread = header->thread;
  loop->number = header->loop;
  loop->lost = header->lost;
  loop->has = header->has & (TRACE_HAS_LATE | TRACE_HAS_WAITS);
  loop->start_ns = header->start_ns;
  memcpy(loop->backend, header->backend, sizeof(header->backend));
  struct loop_reader* reader = loop_reader_make(loop, 0, true);
  size_t good = loop_reader_take(reader, records, count);
  loop_reader_end(reader, loop, end_of(trace, header));
  /* A recording that wasn't closed ends with zeros, or with an appended section. */
  if (good < count && (header->length != 0 ||
                       (records[good].when != 0 &&
                        memcmp(&records[good], TRACE_MAGIC, strlen(TRACE_MAGIC)) != 0)))
    trace->damaged = true;
  return good * sizeof(*records);
}

/* Finds the end of a section that wasn't closed: its file had whole pages, and another
 * section may have been appended. */
static size_t section_end(const char* bytes, size_t left, size_t good) {
  size_t at = (good + TRACE_HEADER_SIZE - 1) / TRACE_HEADER_SIZE * TRACE_HEADER_SIZE;
  for (; at < left && left - at >= TRACE_HEADER_SIZE; at += TRACE_HEADER_SIZE) {
    if (memcmp(bytes + at, TRACE_MAGIC, 8) == 0)
      return at;
  }
  return left;
}

size_t section_2_read(struct trace* trace, const char* bytes, size_t left,
                      const char** problem) {
  const struct trace_header_2* header = (const void*) bytes;
  size_t length = left;
  *problem = NULL;
  trace->damaged |= header->length > left;
  if (header->length >= TRACE_HEADER_SIZE && header->length < left &&
      header->length % sizeof(uint64_t) == 0)
    length = (size_t) header->length;
  size_t good = loop_add(trace, header, (const void*) (bytes + TRACE_HEADER_SIZE),
                         (length - TRACE_HEADER_SIZE) / sizeof(struct trace_record));
  if (header->length == 0)
    length = section_end(bytes, left, TRACE_HEADER_SIZE + good);
  return length;
}
