/* Of librondo-sampler.so: the one function that it exports, and what it has of
 * libuv.so.1.
 */
#include "trace/sampler_object.h"

static const struct sampler_needs* needs;
static const struct sampler_gives gives = {
#define SAMPLER_GIVE(name) .name = name,
    SAMPLER_GIVES(SAMPLER_GIVE)};

__attribute__((visibility("default"))) const struct sampler_gives*
rondo_sampler_open(const struct sampler_needs* table, size_t layout, size_t board_size);

const struct sampler_gives* rondo_sampler_open(const struct sampler_needs* table,
                                               size_t layout, size_t board_size) {
  if (layout != SAMPLER_LAYOUT || board_size != BOARD_SIZE)
    return NULL;
  needs = table;
  return &gives;
}

bool alarm_has_watcher(void) {
  return needs->alarm_has_watcher();
}

void alarm_send(enum alarm_kind kind) {
  needs->alarm_send(kind);
}

void alarm_stall(uint32_t loop, uint64_t looked_ns, uint64_t held_ns) {
  needs->alarm_stall(loop, looked_ns, held_ns);
}

uint64_t clock_now_ns(void) {
  return needs->clock_now_ns();
}

void code_files_visit(code_file_visitor each, void* data) {
  needs->code_files_visit(each, data);
}

void* mem_calloc(size_t count, size_t size) {
  return needs->mem_calloc(count, size);
}

void mem_free(void* memory) {
  needs->mem_free(memory);
}

void* mem_realloc(void* memory, size_t size) {
  return needs->mem_realloc(memory, size);
}

uint32_t name_of_frame(struct trace_names* known, struct trace_stream* stream,
                       uintptr_t address) {
  return needs->name_of_frame(known, stream, address);
}

uint32_t name_of_text(struct trace_names* known, struct trace_stream* stream,
                      const char* text) {
  return needs->name_of_text(known, stream, text);
}

void names_free(struct trace_names* names) {
  needs->names_free(names);
}

void recording_begin_samples(struct trace_stream* samples,
                             const struct trace_stream* loop) {
  needs->recording_begin_samples(samples, loop);
}

void recording_end_samples(struct trace_stream* samples, bool completely) {
  needs->recording_end_samples(samples, completely);
}

const char* recording_program(const struct trace_stream* stream) {
  return needs->recording_program(stream);
}

rondo_trace_frame_namer sampler_frame_namer(void) {
  return needs->sampler_frame_namer();
}

bool sim_join_world(void) {
  return needs->sim_join_world();
}

void stack_write(struct trace_stream* stream, uint64_t when_ns, uint64_t now,
                 const uint32_t* names, size_t count) {
  needs->stack_write(stream, when_ns, now, names, count);
}

ssize_t system_read_file(const char* path, char* text, size_t size) {
  return needs->system_read_file(path, text, size);
}

const char* system_setting(const char* name) {
  return needs->system_setting(name);
}

bool thread_sums_read(pid_t thread, uint64_t* used, uint64_t* delay) {
  return needs->thread_sums_read(thread, used, delay);
}
