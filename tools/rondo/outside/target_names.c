/* Names of frames: see target_names.h. */
#include "target_names.h"
#include "trace_model.h"
#include "trace_places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* --- V8 -------------------------------------------------------------------------------
 */

static const char constants_begin[] = "v8dbg_";

static void constant_take(void* data, const char* name, uint64_t address) {
  struct namer* namer = data;
  uint32_t value;
  if (!target_number(namer->target, address, &value))
    return;
  name += sizeof(constants_begin) - 1;
  namer->constants = array_grow(namer->constants, namer->constant_count,
                                &namer->constant_capacity, sizeof(*namer->constants));
  namer->constants[namer->constant_count++] =
      (struct v8_constant){text_copy(name, strlen(name)), (int) value};
}

static bool constant_of(void* data, const char* name, int* value) {
  const struct namer* namer = data;
  for (size_t i = 0; i < namer->constant_count; i++) {
    if (strcmp(namer->constants[i].name, name) == 0) {
      *value = namer->constants[i].value;
      return true;
    }
  }
  return false;
}

static bool memory_of(void* data, uintptr_t address, void* to, size_t size) {
  const struct namer* namer = data;
  return target_read(namer->target, address, to, size);
}

/* When the process was started, by its age; a core file doesn't say. */
static uint64_t began_ns(const struct target* target) {
  char path[32], text[1024];
  unsigned long long ticks = 0;
  struct timespec wall, boot;
  snprintf(path, sizeof(path), "/proc/%d/stat", target->pid);
  FILE* file = target->core == NULL ? fopen(path, "re") : NULL;
  size_t length = file == NULL ? 0 : fread(text, 1, sizeof(text) - 1, file);
  if (file != NULL)
    fclose(file);
  text[length] = '\0';
  const char* rest = strrchr(text, ')'); /* the 20th word behind the name */
  if (rest == NULL || sscanf(rest + 1,
                             " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d "
                             "%*d %*d %*d %*d %*d %llu",
                             &ticks) != 1)
    return 0;
  clock_gettime(CLOCK_REALTIME, &wall);
  clock_gettime(CLOCK_BOOTTIME, &boot);
  uint64_t second = 1000000000;
  uint64_t up = (uint64_t) boot.tv_sec * second + (uint64_t) boot.tv_nsec;
  uint64_t now = (uint64_t) wall.tv_sec * second + (uint64_t) wall.tv_nsec;
  return now - up + ticks * (second / (uint64_t) sysconf(_SC_CLK_TCK));
}

void namer_open(struct namer* namer, const struct target* target) {
  *namer = (struct namer){.target = target};
  for (size_t i = 0; i < target->image_count && namer->constant_count == 0; i++)
    image_symbols_visit(&target->images[i], constants_begin, constant_take, namer);
  namer->heap.read = memory_of;
  namer->heap.data = namer;
  namer->began_ns = began_ns(target);
  namer->has_v8 = namer->constant_count > 0 &&
                  v8_layout_find(&namer->heap.layout, constant_of, namer);
}

void namer_close(struct namer* namer) {
  for (size_t i = 0; i < namer->constant_count; i++)
    free(namer->constants[i].name);
  for (size_t i = 0; i < namer->name_count; i++)
    free(namer->names[i]);
  free(namer->constants);
  free(namer->names);
  free(namer->table);
  *namer = (struct namer){0};
}

static bool frame_word(const struct namer* namer, const struct stack_copy* copy,
                       uint64_t address, uintptr_t* word) {
  if (copy != NULL && unwind_read(&copy->words, address, word))
    return true;
  return target_read(namer->target, address, word, sizeof(*word));
}

static bool name_by_v8(struct namer* namer, const struct target_frame* frame,
                       const struct stack_copy* copy, char* text, size_t size) {
  struct v8_function function;
  uintptr_t context, called;
  const struct v8_layout* layout = &namer->heap.layout;
  return namer->has_v8 && frame->frame != 0 &&
         frame_word(namer, copy, frame->frame + (uintptr_t) layout->frame_context,
                    &context) &&
         frame_word(namer, copy, frame->frame + (uintptr_t) layout->frame_function,
                    &called) &&
         v8_function_of_frame(&namer->heap, context, called, &function) &&
         v8_function_name(&namer->heap, &function, text, size);
}

/* --- the table of names ---------------------------------------------------------------
 */

static size_t name_hash(const char* text) {
  uint64_t hash = 14695981039346656037u;
  for (; *text != '\0'; text++)
    hash = (hash ^ (unsigned char) *text) * 1099511628211u;
  return (size_t) hash;
}

static uint32_t* name_place(const struct namer* namer, const char* text) {
  size_t mask = namer->table_size - 1;
  size_t at = name_hash(text) & mask;
  while (namer->table[at] != 0 && strcmp(namer->names[namer->table[at] - 1], text) != 0)
    at = (at + 1) & mask;
  return &namer->table[at];
}

static void table_grow(struct namer* namer) {
  if (namer->name_count * 2 < namer->table_size)
    return;
  free(namer->table);
  namer->table_size = namer->table_size == 0 ? 256 : namer->table_size * 2;
  namer->table = calloc(namer->table_size, sizeof(*namer->table));
  if (namer->table == NULL)
    out_of_memory();
  for (size_t i = 0; i < namer->name_count; i++)
    *name_place(namer, namer->names[i]) = (uint32_t) i + 1;
}

static uint32_t name_number(struct namer* namer, const char* text) {
  table_grow(namer);
  uint32_t* place = name_place(namer, text);
  if (*place != 0)
    return *place;
  namer->names = array_grow(namer->names, namer->name_count, &namer->name_capacity,
                            sizeof(*namer->names));
  namer->names[namer->name_count++] = text_copy(text, strlen(text));
  *place = (uint32_t) namer->name_count;
  return *place;
}

const char* namer_text(const struct namer* namer, uint32_t number) {
  return number == 0 || number > namer->name_count ? "?" : namer->names[number - 1];
}

/* --- a stack --------------------------------------------------------------------------
 */

/* Parts of V8 that every call goes through, and that say nothing. */
static bool is_glue(const char* name) {
  static const char* const glue[] = {"Builtins_JSEntry",
                                     "Builtins_JSEntryTrampoline",
                                     "Builtins_InterpreterEntry",
                                     "Builtins_CEntry",
                                     "Builtins_Call_",
                                     "Builtins_ArgumentsAdaptor",
                                     "Builtins_BaselineOrInter",
                                     "Builtins_JSRunMicrotasksEntry",
                                     "Builtins_ConstructFunction",
                                     "Builtins_HandleApiCall",
                                     "Builtins_BaselineOutOfLine",
                                     "Builtins_CallApiCallback",
                                     "Builtins_JSConstruct",
                                     "Builtins_FunctionPrototypeApply",
                                     "Builtins_CallFunction_",
                                     "Builtins_InterpreterPush"};
  for (size_t i = 0; i < sizeof(glue) / sizeof(glue[0]); i++) {
    if (strncmp(name, glue[i], strlen(glue[i])) == 0)
      return true;
  }
  return false;
}

size_t namer_stack(struct namer* namer, const struct target_frame* frames, size_t count,
                   const struct stack_copy* copy, uint32_t* numbers) {
  char text[1024];
  size_t named = 0;
  for (size_t i = 0; i < count; i++) {
    if (frames[i].is_generated &&
        name_by_v8(namer, &frames[i], copy, text, sizeof(text))) {
      char* written = place_written(text, namer->began_ns);
      numbers[named++] = name_number(namer, written == NULL ? text : written);
      free(written);
      continue;
    }
    char* name = image_function(namer->target, target_frame_place(&frames[i]));
    if (name != NULL && !is_glue(name))
      numbers[named++] = name_number(namer, name);
    free(name);
  }
  return named;
}
