/* Names for frames of V8 in this process: see sampler.h. The JavaScript function of a
 * frame stands in the frame, whichever code runs it: interpreter, baseline or optimized.
 * Code that V8 announces says less: in V8 11 to 14 a function that has come back from
 * optimized code runs in a part of the interpreter that belongs to no function. */
#include "trace/sampler.h"

#include "trace/unwind.h"
#include "v8/v8_heap.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_KEPT = 512 };

/* Names that were read before; used by the sampling thread only. */
struct known_name {
  struct v8_function function;
  char text[256];
};

static struct known_name known_names[NAMES_KEPT];

static enum { NOT_LOOKED, NO_V8, HAS_V8 } state;
static struct v8_heap heap;

static bool constant_here(void* data, const char* name, int* value) {
  char symbol[128];
  (void) data;
  snprintf(symbol, sizeof(symbol), "v8dbg_%s", name);
  const int* found = dlsym(RTLD_DEFAULT, symbol);
  if (found != NULL)
    *value = *found;
  return found != NULL;
}

static bool memory_here(void* data, uintptr_t address, void* to, size_t size) {
  (void) data;
  return unwind_read_memory(address, to, size);
}

static bool is_here(void) {
  if (state == NOT_LOOKED) {
    heap.read = memory_here;
    state = v8_layout_find(&heap.layout, constant_here, NULL) ? HAS_V8 : NO_V8;
  }
  return state == HAS_V8;
}

static struct known_name* known_place(const struct v8_function* function) {
  uint64_t hash = (function->shared ^ function->script << 7) * 0x9e3779b97f4a7c15u;
  return &known_names[hash >> 32 & (NAMES_KEPT - 1)];
}

bool sample_name_v8(const struct unwind_stack* stack, uintptr_t frame, char* text,
                    size_t size) {
  struct v8_function function;
  uintptr_t context, called;
  if (!is_here() ||
      !unwind_read(stack, frame + (uintptr_t) heap.layout.frame_context, &context) ||
      !unwind_read(stack, frame + (uintptr_t) heap.layout.frame_function, &called) ||
      !v8_function_of_frame(&heap, context, called, &function))
    return false;
  struct known_name* known = known_place(&function);
  if (memcmp(&known->function, &function, sizeof(function)) == 0 && size > 0) {
    snprintf(text, size, "%s", known->text);
    return true;
  }
  if (!v8_function_name(&heap, &function, text, size))
    return false;
  size_t length = strlen(text);
  if (length < sizeof(known->text)) {
    known->function = function;
    memcpy(known->text, text, length + 1);
  }
  return true;
}
