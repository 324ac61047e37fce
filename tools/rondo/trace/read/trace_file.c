/* Recordings as files: their sections, which may be concatenated, truncated or damaged,
 * the chunks in those, and the loops recorded in them. */
#include "trace_model.h"
#include "trace_places.h"
#include "trace_samples.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct trace_process* trace_add_process(struct trace* trace) {
  struct trace_process* process = calloc(1, sizeof(*process));
  struct trace_process** list = realloc(
      trace->processes, (trace->process_count + 1) * sizeof(struct trace_process*));
  if (process == NULL || list == NULL)
    out_of_memory();
  trace->processes = list;
  trace->processes[trace->process_count++] = process;
  return process;
}

struct trace_loop* trace_add_loop(struct trace* trace, struct trace_process* process) {
  struct trace_loop* loops = realloc(trace->loops, (trace->count + 1) * sizeof(*loops));
  if (loops == NULL)
    out_of_memory();
  trace->loops = loops;
  struct trace_loop* loop = &loops[trace->count++];
  memset(loop, 0, sizeof(*loop));
  loop->process = process;
  loop->pid = process->pid;
  loop->names = process->names;
  loop->name_count = process->name_count;
  return loop;
}

/* --- chunks ------------------------------------------------------------------------ */

struct chunk {
  const struct trace_chunk* head;
  const struct trace_record* records;
  size_t count; /* capacity */
};

struct section {
  struct chunk* chunks;
  size_t count, capacity;
  size_t length; /* including its header */
};

/* Sorts by stream, the definitions first; within a stream in its order. */
static int by_stream(const void* left, const void* right) {
  const struct trace_chunk *a = ((const struct chunk*) left)->head,
                           *b = ((const struct chunk*) right)->head;
  if (a->kind != b->kind)
    return a->kind < b->kind ? -1 : 1;
  if (a->stream != b->stream)
    return a->stream < b->stream ? -1 : 1;
  return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

/* Chunks follow each other up to the end, or to the header of a recording that was
 * appended. Anything else means that the file is damaged. */
static void section_find(struct section* section, const char* bytes, size_t left,
                         const struct trace_header* header, bool* damaged) {
  const size_t chunk_size = header->chunk_size;
  size_t at = TRACE_HEADER_SIZE + header->board_size;
  while (left > at && left - at > sizeof(struct trace_chunk)) {
    const struct trace_chunk* head = (const void*) (bytes + at);
    if (memcmp(head->magic, TRACE_MAGIC, sizeof(head->magic)) == 0)
      break;
    size_t size = left - at < chunk_size ? left - at : chunk_size;
    bool good = memcmp(head->magic, TRACE_CHUNK_MAGIC, sizeof(head->magic)) == 0 &&
                head->kind >= TRACE_STREAM_DEFINITIONS &&
                head->kind <= TRACE_STREAM_SAMPLER;
    if (good && head->sequence != 0) {
      section->chunks = array_grow(section->chunks, section->count, &section->capacity,
                                   sizeof(*section->chunks));
      section->chunks[section->count++] =
          (struct chunk){head, (const void*) (head + 1),
                         (size - sizeof(*head)) / sizeof(struct trace_record)};
    }
    *damaged |= !good && head->magic[0] != '\0';
    at += size;
  }
  section->length = left > at && left - at > sizeof(struct trace_chunk) ? at : left;
  if (section->count > 1)
    qsort(section->chunks, section->count, sizeof(*section->chunks), by_stream);
}

/* Whether only zeros, or nothing, follow the valid records. */
static bool ends_well(const struct chunk* chunk, size_t good) {
  return good >= chunk->count || chunk->records[good].when == 0;
}

/* When the process ended, since the recording's start; 0 if it isn't known. */
static uint64_t end_of(const struct trace* trace, const struct trace_header* header) {
  if (header->length == 0 && trace->seen_ns > header->start_ns)
    return trace->seen_ns - header->start_ns;
  return header->end_ns < TRACE_CENTURY_NS ? header->end_ns : 0;
}

/* A closed loop ended with its last record; a loop whose recording ended before the
 * program (at its limit) doesn't show its end. */
static uint64_t loop_end(const struct trace_chunk* last, uint64_t ended) {
  if (last->closed || last->lost > 0 || ended < last->first_ns)
    return 0;
  return ended - last->first_ns;
}

/* All chunks of one loop; the first of them is `chunks`. The reader is to be ended. */
static struct loop_reader* read_loop(struct trace* trace, struct trace_process* process,
                                     const struct chunk* chunks, size_t count) {
  const struct trace_chunk* head = chunks[0].head;
  const struct trace_chunk* last = chunks[count - 1].head;
  struct trace_loop* loop = trace_add_loop(trace, process);
  uint64_t first_ns = head->first_ns < TRACE_CENTURY_NS ? head->first_ns : 0;
  loop->number = head->number;
  loop->lost = last->lost;
  loop->start_ns = process->start_ns + first_ns;
  loop->overwritten = head->turns > 0;
  memcpy(loop->backend, head->backend, sizeof(head->backend));
  struct loop_reader* reader = loop_reader_make(loop, first_ns, head->turns == 0);
  for (size_t i = 0; i < count; i++) {
    size_t good = loop_reader_take(reader, chunks[i].records, chunks[i].count);
    if (ends_well(&chunks[i], good))
      continue;
    trace->damaged = true;
    break;
  }
  return reader;
}

static void close_works(struct trace_process* process, uint64_t ended) {
  for (size_t i = 0; i < process->work_count; i++) {
    struct work* work = &process->works[i];
    if (work->unfinished && ended > work->start)
      work->duration = ended - work->start;
  }
}

/* The records that the sampling thread has written of a loop, which was read before;
 * returns when the last of it was, since the recording's start. */
static uint64_t read_samples(struct trace* trace, size_t first,
                             const struct chunk* chunks, size_t count) {
  const struct trace_chunk* head = chunks[0].head;
  uint64_t first_ns = head->first_ns < TRACE_CENTURY_NS ? head->first_ns : 0;
  uint64_t last = 0;
  struct trace_loop* loop = NULL;
  for (size_t i = first; i < trace->count; i++) {
    if (trace->loops[i].number == head->number)
      loop = &trace->loops[i];
  }
  for (size_t i = 0; loop != NULL && i < count; i++) {
    size_t good = samples_read(loop, chunks[i].records, chunks[i].count, first_ns, &last);
    trace->damaged |= !ends_well(&chunks[i], good);
  }
  return last == 0 ? 0 : first_ns + last;
}

/* Reads the chunks of a stream that isn't a loop's. */
static void read_others(struct trace* trace, struct trace_process* process,
                        const struct chunk* chunks, size_t count) {
  for (size_t i = 0; i < count; i++) {
    size_t good = chunks[i].head->kind == TRACE_STREAM_POOL
                      ? process_work(process, chunks[i].records, chunks[i].count)
                      : process_define(process, chunks[i].records, chunks[i].count);
    trace->damaged |= !ends_well(&chunks[i], good);
  }
}

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* A loop whose chunks were read. */
struct read_loop {
  struct loop_reader* reader;
  const struct trace_chunk* last;
};

/* If nobody knows when the process ended, it was there until the last record of any of
 * its loops. */
static uint64_t process_end(const struct read_loop* loops, size_t count) {
  uint64_t ended = 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t now = loop_reader_now(loops[i].reader);
    ended = now > ended ? now : ended;
  }
  return ended;
}

static void read_chunks(struct trace* trace, struct trace_process* process,
                        const struct section* section, uint64_t ended) {
  const size_t first = trace->count;
  struct read_loop* loops = calloc(section->count + 1, sizeof(*loops));
  size_t next, count = 0;
  uint64_t sampled = 0;
  if (loops == NULL)
    out_of_memory();
  for (size_t i = 0; i < section->count; i = next) {
    const struct trace_chunk* head = section->chunks[i].head;
    for (next = i + 1; next < section->count; next++) {
      if (section->chunks[next].head->stream != head->stream)
        break;
    }
    if (head->kind == TRACE_STREAM_LOOP)
      loops[count++] =
          (struct read_loop){read_loop(trace, process, &section->chunks[i], next - i),
                             section->chunks[next - 1].head};
    else if (head->kind == TRACE_STREAM_SAMPLER)
      sampled =
          larger(sampled, read_samples(trace, first, &section->chunks[i], next - i));
    else
      read_others(trace, process, &section->chunks[i], next - i);
  }
  if (ended == 0)
    ended = larger(sampled, process_end(loops, count));
  for (size_t i = 0; i < count; i++) {
    samples_sort(&trace->loops[first + i]);
    loop_reader_end(loops[i].reader, &trace->loops[first + i],
                    loop_end(loops[i].last, ended));
  }
  close_works(process, ended);
  free(loops);
}

static char* arguments_text(const char* command, size_t size) {
  while (size > 0 && command[size - 1] == '\0')
    size--;
  char* text = text_copy(command, size);
  for (size_t i = 0; i < size; i++)
    text[i] = command[i] == '\0' ? ' ' : command[i];
  return text;
}

void process_describe(struct trace_process* process, const char* program,
                      const char* command) {
  process->program = text_copy(program, strnlen(program, TRACE_PROGRAM_SIZE));
  process->command = arguments_text(command, TRACE_COMMAND_SIZE);
}

/* Reads the section that begins here; returns its length, or 0 if it isn't one. */
static size_t read_section(struct trace* trace, const char* bytes, size_t left,
                           const char** problem) {
  const struct trace_header* header = (const struct trace_header*) (const void*) bytes;
  *problem = "not a recording of Rondo's";
  if (left < TRACE_HEADER_SIZE || memcmp(bytes, TRACE_MAGIC, 8) != 0 ||
      header->version == 0 || header->record_size != sizeof(struct trace_record))
    return 0;
  if (header->version != TRACE_VERSION) {
    *problem = header->version > TRACE_VERSION ? "recorded by a newer version of Rondo"
                                               : "recorded by an older version of Rondo";
    return 0;
  }
  /* Chunks are read where they lie, so they must be aligned. */
  if (header->chunk_size < TRACE_HEADER_SIZE || header->chunk_size % 8 != 0 ||
      header->board_size % 8 != 0)
    return 0;
  *problem = NULL;
  trace->damaged |= header->length > left;
  if (header->length >= TRACE_HEADER_SIZE && header->length < left &&
      header->length % sizeof(uint64_t) == 0)
    left = (size_t) header->length;
  struct section section = {0};
  section_find(&section, bytes, left, header, &trace->damaged);
  struct trace_process* process = trace_add_process(trace);
  process->pid = header->pid;
  process->processors = header->processors;
  process->start_ns = header->start_ns;
  process->start_wall_ns = header->start_wall_ns;
  process_describe(process, header->program, header->command);
  read_chunks(trace, process, &section, end_of(trace, header));
  places_read(process);
  free(section.chunks);
  return section.length;
}

/* --- files ------------------------------------------------------------------------- */

const char* trace_read_bytes(struct trace* trace, const char* bytes, size_t size) {
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

/* Reads all of a file or pipe, to be freed; NULL, with the reason, on failure. The file
 * isn't mapped, because a file that is still being written may become shorter. */
static char* read_all(int fd, size_t* size, const char** problem) {
  char* bytes = NULL;
  size_t capacity = 0;
  struct stat file;
  *size = 0;
  if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode))
    /* One more, so that the end is seen without growing. */
    capacity = (size_t) file.st_size + 1;
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
    problem = trace_read_bytes(trace, bytes, size);
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

/* Sorts by the start of the processes; loops of one process stay together. */
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
  trace_join_works(trace);
}

uint64_t trace_origin_ns(const struct trace* trace) {
  uint64_t origin = UINT64_MAX;
  for (size_t i = 0; i < trace->count; i++)
    origin = trace->loops[i].start_ns < origin ? trace->loops[i].start_ns : origin;
  return origin;
}

static void process_free(struct trace_process* process) {
  for (size_t i = 0; i < process->name_count; i++)
    free(process->names[i]);
  for (size_t i = 0; i < process->thread_count; i++)
    free(process->threads[i].name);
  free(process->names);
  free(process->threads);
  free(process->stops);
  free(process->works);
  free(process->program);
  free(process->command);
  free(process->note);
  free(process);
}

void trace_free(struct trace* trace) {
  for (size_t i = 0; i < trace->count; i++) {
    struct trace_loop* loop = &trace->loops[i];
    for (size_t j = 0; j < loop->subject_count; j++)
      free(loop->subjects[j]);
    for (size_t j = 0; j < loop->alive_count; j++)
      free(loop->alive[j].text);
    for (size_t j = 0; j < loop->arrival_count; j++)
      free(loop->arrivals[j].text);
    free(loop->arrivals);
    free(loop->subjects);
    free(loop->waits);
    free(loop->cpu);
    free(loop->collections);
    free(loop->samples);
    free(loop->engine);
    free(loop->frames);
    free(loop->causes);
    free(loop->counts);
    free(loop->events);
  }
  for (size_t i = 0; i < trace->process_count; i++)
    process_free(trace->processes[i]);
  free(trace->processes);
  free(trace->loops);
  *trace = (struct trace){0};
}
