/* Saves a recording: the same chunks, but with definitions that don't depend on other
 * files. */
#include "trace_write.h"

#include <stdlib.h>
#include <string.h>

struct copy {
  FILE* out;
  FILE* in;
  union {
    struct trace_header header;
    char bytes[TRACE_HEADER_SIZE];
  } page;
  char* chunk;
  size_t used; /* of the current chunk of definitions */
  uint64_t sequence;
};

static struct trace_chunk* head_of(const struct copy* copy) {
  return (struct trace_chunk*) (void*) copy->chunk;
}

static bool chunk_write(struct copy* copy) {
  return fwrite(copy->chunk, copy->page.header.chunk_size, 1, copy->out) == 1;
}

/* Copies everything but the definitions. If the last chunk was cut short, zeros are
 * added. */
static bool copy_chunks(struct copy* copy) {
  size_t size = copy->page.header.chunk_size, length;
  bool good = true;
  while (good &&
         (length = fread(copy->chunk, 1, size, copy->in)) > sizeof(struct trace_chunk)) {
    memset(copy->chunk + length, 0, size - length);
    const struct trace_chunk* head = head_of(copy);
    if (head->sequence == 0)
      continue; /* it was about to be used again when the program was killed */
    if (memcmp(head->magic, TRACE_CHUNK_MAGIC, sizeof(head->magic)) != 0)
      break;
    good = head->kind == TRACE_STREAM_DEFINITIONS || chunk_write(copy);
  }
  return good;
}

static void definitions_begin(struct copy* copy) {
  struct trace_chunk* head = head_of(copy);
  memset(copy->chunk, 0, copy->page.header.chunk_size);
  memcpy(head->magic, TRACE_CHUNK_MAGIC, sizeof(head->magic));
  head->kind = TRACE_STREAM_DEFINITIONS;
  head->stream = 1;
  head->closed = 1;
  head->sequence = ++copy->sequence;
  copy->used = sizeof(*head);
}

static bool define(struct copy* copy, enum trace_kind kind, uint64_t number,
                   uint32_t name, const char* text) {
  size_t length = strnlen(text, TRACE_TEXT_MAX);
  const size_t unit = sizeof(struct trace_record);
  size_t size = unit + (length + unit - 1) / unit * unit;
  if (copy->used + size > copy->page.header.chunk_size) {
    if (!chunk_write(copy))
      return false;
    definitions_begin(copy);
  }
  struct trace_record* record = (struct trace_record*) (void*) (copy->chunk + copy->used);
  *record = (struct trace_record){kind, number, name, (int32_t) length};
  memcpy(record + 1, text, length);
  copy->used += size;
  return true;
}

static bool copy_definitions(struct copy* copy, const struct trace_process* process) {
  bool good = true;
  definitions_begin(copy);
  for (size_t i = 0; good && i < process->name_count; i++)
    good = define(copy, TRACE_TEXT, 0, (uint32_t) i + 1, process->names[i]);
  for (size_t i = 0; good && i < process->thread_count; i++)
    good = define(copy, TRACE_THREAD, process->threads[i].thread, 0,
                  process->threads[i].name);
  return good && chunk_write(copy);
}

static bool copy_all(struct copy* copy, const struct trace_process* process,
                     uint64_t seen_ns) {
  struct trace_header* header = &copy->page.header;
  long start = ftell(copy->out);
  if (fread(&copy->page, sizeof(copy->page), 1, copy->in) != 1 ||
      header->chunk_size < TRACE_HEADER_SIZE ||
      (copy->chunk = malloc(header->chunk_size)) == NULL)
    return false;
  bool good = fwrite(&copy->page, sizeof(copy->page), 1, copy->out) == 1 &&
              copy_definitions(copy, process) && copy_chunks(copy);
  if (header->length == 0 && seen_ns > header->start_ns)
    header->end_ns = seen_ns - header->start_ns;
  header->length = (uint64_t) (ftell(copy->out) - start);
  return good && fseek(copy->out, start, SEEK_SET) == 0 &&
         fwrite(&copy->page, sizeof(copy->page), 1, copy->out) == 1 &&
         fseek(copy->out, 0, SEEK_END) == 0 && ferror(copy->out) == 0;
}

bool trace_copy_from(FILE* out, FILE* in, const struct trace_process* process,
                     uint64_t seen_ns) {
  struct copy copy = {.out = out, .in = in};
  bool good = copy_all(&copy, process, seen_ns);
  free(copy.chunk);
  return good;
}

bool trace_copy(FILE* out, const char* path, const struct trace_process* process,
                uint64_t seen_ns) {
  FILE* in = fopen(path, "rbe");
  bool good = in != NULL && trace_copy_from(out, in, process, seen_ns);
  if (in != NULL)
    fclose(in);
  return good;
}
