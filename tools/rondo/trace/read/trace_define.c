/* Definitions in a recording: what its names and threads are called. */
#include "trace_model.h"

#include <stdlib.h>
#include <string.h>

long record_text(const struct trace_record* record, size_t left) {
  size_t length = (size_t) record->detail;
  size_t slots = (length + sizeof(*record) - 1) / sizeof(*record);
  if (record->detail < 0 || length > TRACE_TEXT_MAX || slots > left)
    return -1;
  return (long) slots;
}

/* Functions of names.js in the traced Node are no part of the program. */
static char* text_name(const char* text, size_t length) {
  static const char script[] = "/rondo-node.js:",
                    ours[] = "(rondo trace: names callbacks)";
  return memmem(text, length, script, strlen(script)) == NULL
             ? text_copy(text, length)
             : text_copy(ours, strlen(ours));
}

/* Returns how many records of text followed; -1 ends the reading. */
long name_define(struct trace_process* process, const struct trace_record* record,
                 size_t left) {
  long slots = record_text(record, left);
  if (slots < 0 || record->name != process->name_count + 1)
    return -1;
  process->names = array_grow(process->names, process->name_count,
                              &process->name_capacity, sizeof(char*));
  const char* start = (const char*) (record + 1);
  size_t length = (size_t) record->detail;
  if ((record->when & 0xff) == TRACE_FUNCTION) {
    char* text = text_copy(start, length);
    process->names[process->name_count++] = symbol_name(text, record->number);
    free(text);
  } else {
    process->names[process->name_count++] = text_name(start, length);
  }
  return slots;
}

static long thread_define(struct trace_process* process,
                          const struct trace_record* record, size_t left) {
  long slots = record_text(record, left);
  if (slots < 0)
    return -1;
  process->threads = array_grow(process->threads, process->thread_count,
                                &process->thread_capacity, sizeof(*process->threads));
  process->threads[process->thread_count++] = (struct thread_name){
      (uint32_t) record->number,
      text_copy((const char*) (record + 1), (size_t) record->detail)};
  return slots;
}

size_t process_define(struct trace_process* process, const struct trace_record* records,
                      size_t count) {
  size_t i = 0;
  while (i < count) {
    unsigned int kind = records[i].when & 0xff;
    long text = -1;
    if (kind == TRACE_FUNCTION || kind == TRACE_TEXT)
      text = name_define(process, &records[i], count - i - 1);
    else if (kind == TRACE_THREAD)
      text = thread_define(process, &records[i], count - i - 1);
    if (text < 0)
      break;
    i += 1 + (size_t) text;
  }
  return i;
}
