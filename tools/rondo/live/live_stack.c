/* Addresses of another process become names: see live_stack.h. */
#include "live_stack.h"
#include "trace_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct mapping {
  uint64_t start, end;
  uint64_t base; /* where its file is mapped first */
  char* file;    /* "" if there is none */
};

struct mappings {
  struct mapping* list;
  size_t count, capacity;
};

/* The kernel lists them by address. */
static void mappings_read(struct mappings* mappings, int pid) {
  char path[48], line[4608], file[4096];
  snprintf(path, sizeof(path), "/proc/%d/maps", pid);
  FILE* list = fopen(path, "re");
  while (list != NULL && fgets(line, sizeof(line), list) != NULL) {
    struct mapping mapping;
    *file = '\0';
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %4095[^\n]", &mapping.start,
               &mapping.end, file) < 2)
      continue;
    mapping.base = mapping.start;
    if (*file != '/')
      *file = '\0';
    for (size_t i = mappings->count; *file != '\0' && i > 0; i--) {
      if (strcmp(mappings->list[i - 1].file, file) != 0)
        continue;
      mapping.base = mappings->list[i - 1].base;
      break;
    }
    mapping.file = text_copy(file, strlen(file));
    mappings->list = array_grow(mappings->list, mappings->count, &mappings->capacity,
                                sizeof(*mappings->list));
    mappings->list[mappings->count++] = mapping;
  }
  if (list != NULL)
    fclose(list);
}

static void mappings_free(struct mappings* mappings) {
  for (size_t i = 0; i < mappings->count; i++)
    free(mappings->list[i].file);
  free(mappings->list);
}

static char* address_name(const struct mappings* mappings, int pid, uint64_t address) {
  for (size_t i = 0; i < mappings->count; i++) {
    const struct mapping* mapping = &mappings->list[i];
    if (address >= mapping->start && address < mapping->end && *mapping->file != '\0')
      return symbol_name(mapping->file, address - mapping->base);
  }
  char* compiled = compiled_name((uint32_t) pid, address);
  return compiled != NULL ? compiled : symbol_name("", address);
}

void live_stack_read(struct live_stack* stack, const struct live_ring* ring,
                     const struct board_sample* sample) {
  struct mappings mappings = {0};
  compiled_read_again();
  mappings_read(&mappings, ring->pid);
  stack->count = sample->count < BOARD_FRAMES ? sample->count : BOARD_FRAMES;
  for (size_t i = 0; i < stack->count; i++)
    stack->names[i] = address_name(&mappings, ring->pid, sample->frames[i]);
  mappings_free(&mappings);
}

void live_stack_free(struct live_stack* stack) {
  for (size_t i = 0; i < stack->count; i++)
    free(stack->names[i]);
  stack->count = 0;
}

/* Parts of an engine that stand between any two functions of a script, and places
 * without a name. */
static bool says_nothing(const char* name) {
  static const char* const common[] = {"Builtin:", "BuiltIn", "Builtins_",
                                       "Stub:",    "RegExp:", "Bytecode"};
  for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++) {
    if (strncmp(name, common[i], strlen(common[i])) == 0)
      return true;
  }
  return strncmp(name, "0x", 2) == 0 || strstr(name, "+0x") != NULL;
}

/* The innermost is shown, whatever it is called. */
void live_stack_write(FILE* out, const struct live_stack* stack, size_t most) {
  size_t shown = 0;
  for (size_t i = 0; i < stack->count && shown < most; i++) {
    if (i > 0 && says_nothing(stack->names[i]))
      continue;
    if (i > 0 && strcmp(stack->names[i], stack->names[i - 1]) == 0)
      continue; /* recursion */
    if (shown++ > 0)
      fputs(" <- ", out);
    write_short(out, stack->names[i]);
  }
}

bool live_sample(const struct board_loop* live, struct board_sample* sample) {
  for (int i = 0; i < 100; i++) {
    uint32_t before = __atomic_load_n(&live->sample.sequence, __ATOMIC_ACQUIRE);
    memcpy(sample, &live->sample, sizeof(*sample));
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    uint32_t after = __atomic_load_n(&live->sample.sequence, __ATOMIC_ACQUIRE);
    if (before == after && before % 2 == 0)
      return sample->count > 0 && sample->count <= BOARD_FRAMES &&
             sample->stretch_ns == __atomic_load_n(&live->looked_ns, __ATOMIC_ACQUIRE);
  }
  return false;
}
