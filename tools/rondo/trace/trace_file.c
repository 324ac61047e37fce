/* Recordings as files: their sections, which may be joined, cut off or damaged, and the
 * loops that were recorded in them. */
#include "trace_model.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* When the process ended, since the loop's start; 0 if nobody knows. A recording that
 * ended before its program did (at its limit) says nothing about that. */
static uint64_t end_of(const struct trace* trace, const struct trace_header* header) {
  if (header->lost > 0)
    return 0;
  if (header->length == 0 && trace->seen_ns > header->start_ns)
    return trace->seen_ns - header->start_ns;
  return header->end_ns < TRACE_CENTURY_NS ? header->end_ns : 0;
}

static void loop_add(struct trace* trace, const struct trace_header* header,
                     const struct trace_record* records, size_t count) {
  struct trace_loop* loops = realloc(trace->loops, (trace->count + 1) * sizeof(*loops));
  if (loops == NULL)
    return;
  trace->loops = loops;
  struct trace_loop* loop = &loops[trace->count++];
  memset(loop, 0, sizeof(*loop));
  loop->pid = header->pid;
  loop->thread = header->thread;
  loop->number = header->loop;
  loop->lost = header->lost;
  loop->tells = header->tells;
  loop->start_ns = header->start_ns;
  loop->start_wall_ns = header->start_wall_ns;
  memcpy(loop->backend, header->backend, sizeof(header->backend));
  loop->program =
      text_copy(header->program, strnlen(header->program, sizeof(header->program)));
  size_t length = sizeof(header->command);
  while (length > 0 && header->command[length - 1] == '\0')
    length--;
  loop->command = text_copy(header->command, length);
  for (size_t i = 0; i < length; i++)
    loop->command[i] = header->command[i] == '\0' ? ' ' : header->command[i];
  size_t good = loop_read(loop, records, count, end_of(trace, header));
  loop->length = TRACE_HEADER_SIZE + good * sizeof(*records);
  /* What was never closed ends with zeros, or another section was joined to it. */
  if (good < count && (header->length != 0 ||
                       (records[good].when != 0 &&
                        memcmp(&records[good], TRACE_MAGIC, strlen(TRACE_MAGIC)) != 0)))
    trace->damaged = true;
}

/* Where a section ends that was never closed: its file had whole pages, and perhaps
 * another was joined to it. */
static size_t section_end(const char* bytes, size_t left, size_t good) {
  size_t at = (good + TRACE_HEADER_SIZE - 1) / TRACE_HEADER_SIZE * TRACE_HEADER_SIZE;
  for (; at < left && left - at >= TRACE_HEADER_SIZE; at += TRACE_HEADER_SIZE) {
    if (memcmp(bytes + at, TRACE_MAGIC, 8) == 0)
      return at;
  }
  return left;
}

/* The section that begins here; how long it is, or 0 if it is none. */
static size_t read_section(struct trace* trace, const char* bytes, size_t left,
                           const char** problem) {
  if (left < TRACE_HEADER_SIZE || memcmp(bytes, TRACE_MAGIC, 8) != 0) {
    *problem = "not a recording of Rondo's";
    return 0;
  }
  const struct trace_header* header = (const struct trace_header*) (const void*) bytes;
  if (header->version > TRACE_VERSION) {
    *problem = "recorded by a newer version of Rondo";
    return 0;
  }
  if (header->version == 0 || header->record_size != sizeof(struct trace_record)) {
    *problem = "not a recording of Rondo's";
    return 0;
  }
  size_t length = left;
  trace->damaged |= header->length > left;
  if (header->length >= TRACE_HEADER_SIZE && header->length < left &&
      header->length % sizeof(uint64_t) == 0)
    length = (size_t) header->length;
  loop_add(trace, header, (const void*) (bytes + TRACE_HEADER_SIZE),
           (length - TRACE_HEADER_SIZE) / sizeof(struct trace_record));
  if (header->length == 0)
    length = section_end(bytes, left, trace->loops[trace->count - 1].length);
  return length;
}

static const char* read_bytes(struct trace* trace, const char* bytes, size_t size) {
  const char* problem = NULL;
  size_t before = trace->count;
  for (size_t at = 0; at < size;) {
    size_t length = read_section(trace, bytes + at, size - at, &problem);
    if (length == 0)
      break;
    at += length;
  }
  if (trace->count == before)
    return problem != NULL ? problem : "empty";
  trace->damaged |= problem != NULL;
  return NULL;
}

/* All of a file or pipe, to be freed; NULL, and why, if it can't be read. Not mapped: a
 * file that is still being written may become shorter. */
static char* read_all(int fd, size_t* size, const char** problem) {
  char* bytes = NULL;
  size_t capacity = 0;
  struct stat file;
  *size = 0;
  if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode))
    capacity = (size_t) file.st_size + 1; /* and the end is seen without growing */
  else if (!S_ISFIFO(file.st_mode) && !S_ISSOCK(file.st_mode))
    *problem = "not a file";
  while (*problem == NULL) {
    if (bytes == NULL || *size == capacity) {
      capacity = bytes != NULL || capacity == 0 ? capacity * 2 + 65536 : capacity;
      char* bigger = realloc(bytes, capacity);
      if (bigger == NULL)
        *problem = "too large for the memory";
      bytes = bigger == NULL ? bytes : bigger;
      continue;
    }
    ssize_t n = read(fd, bytes + *size, capacity - *size);
    if (n == 0)
      return bytes;
    if (n > 0)
      *size += (size_t) n;
    else if (errno != EINTR)
      *problem = strerror(errno);
  }
  free(bytes);
  return NULL;
}

const char* trace_read(struct trace* trace, const char* path) {
  const char* problem = NULL;
  size_t size;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return strerror(errno);
  char* bytes = read_all(fd, &size, &problem);
  close(fd);
  if (bytes != NULL)
    problem = read_bytes(trace, bytes, size);
  free(bytes);
  return problem;
}

static int by_process(const void* left, const void* right) {
  const struct trace_loop *a = left, *b = right;
  if (a->process_ns != b->process_ns)
    return a->process_ns < b->process_ns ? -1 : 1;
  if (a->pid != b->pid)
    return a->pid < b->pid ? -1 : 1;
  return a->number < b->number ? -1 : a->number > b->number;
}

/* By start of their processes; loops of one process stand together. */
void trace_sort(struct trace* trace) {
  for (size_t i = 0; i < trace->count; i++) {
    struct trace_loop* loop = &trace->loops[i];
    loop->process_ns = loop->start_ns;
    for (size_t j = 0; j < trace->count; j++) {
      const struct trace_loop* other = &trace->loops[j];
      if (other->pid == loop->pid && other->start_ns < loop->process_ns)
        loop->process_ns = other->start_ns;
    }
  }
  uint64_t origin = trace_origin_ns(trace);
  for (size_t i = 0; i < trace->count; i++)
    trace->loops[i].offset_ns = trace->loops[i].start_ns - origin;
  if (trace->count > 1)
    qsort(trace->loops, trace->count, sizeof(*trace->loops), by_process);
}

uint64_t trace_origin_ns(const struct trace* trace) {
  uint64_t origin = UINT64_MAX;
  for (size_t i = 0; i < trace->count; i++)
    origin = trace->loops[i].start_ns < origin ? trace->loops[i].start_ns : origin;
  return origin;
}

void trace_free(struct trace* trace) {
  for (size_t i = 0; i < trace->count; i++) {
    struct trace_loop* loop = &trace->loops[i];
    for (size_t j = 0; j < loop->name_count; j++)
      free(loop->names[j]);
    for (size_t j = 0; j < loop->subject_count; j++)
      free(loop->subjects[j]);
    free(loop->names);
    free(loop->subjects);
    free(loop->waits);
    free(loop->events);
    free(loop->program);
    free(loop->command);
  }
  free(trace->loops);
  *trace = (struct trace){0};
}
