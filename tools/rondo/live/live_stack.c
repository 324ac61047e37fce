/* Samples of another process: see live_stack.h. */
#include "live_stack.h"
#include "trace_words.h"

#include <string.h>

/* Parts of an engine that stand between any two functions of a script, and places
 * without a name. */
static bool says_nothing(const char* name) {
  static const char* const common[] = {"Builtin:", "BuiltIn", "Builtins_",
                                       "Stub:",    "RegExp:", "Bytecode"};
  for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++) {
    if (strncmp(name, common[i], strlen(common[i])) == 0)
      return true;
  }
  return *name == '\0' || strncmp(name, "0x", 2) == 0 || strstr(name, "+0x") != NULL;
}

/* "name /app/server.js:12" */
static bool is_of_script(const char* name) {
  const char* line = strrchr(name, ':');
  return line != NULL && line[1] != '\0' &&
         line[1 + strspn(line + 1, "0123456789")] == '\0' && strchr(name, ' ') != NULL;
}

/* Between the innermost function and the program's own there may be twenty of its
 * engine's. So those of a script, if there are any, are shown before others. */
void live_stack_write(FILE* out, const struct trace* trace,
                      const struct board_sample* sample, size_t most) {
  const char* before = "";
  size_t shown = 0;
  bool script = false;
  for (uint32_t i = 0; i < sample->count; i++)
    script = script || is_of_script(live_name(trace, sample->names[i]));
  for (uint32_t i = 0; i < sample->count && shown < most; i++) {
    const char* name = live_name(trace, sample->names[i]);
    bool wanted = shown < 2 ? i == 0 || !says_nothing(name)
                  : script  ? is_of_script(name)
                            : !says_nothing(name);
    if (!wanted || strcmp(name, before) == 0) /* also recursion */
      continue;
    if (shown++ > 0)
      fputs(" <- ", out);
    write_short(out, name);
    before = name;
  }
}

bool live_sample(const struct board_loop* live, struct board_sample* sample) {
  return live_sample_of(live, sample,
                        __atomic_load_n(&live->looked_ns, __ATOMIC_ACQUIRE));
}

bool live_sample_of(const struct board_loop* live, struct board_sample* sample,
                    uint64_t looked_ns) {
  for (int i = 0; i < 100; i++) {
    uint32_t before = __atomic_load_n(&live->sample.sequence, __ATOMIC_ACQUIRE);
    memcpy(sample, &live->sample, sizeof(*sample));
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    uint32_t after = __atomic_load_n(&live->sample.sequence, __ATOMIC_ACQUIRE);
    if (before == after && before % 2 == 0)
      return sample->count > 0 && sample->count <= BOARD_FRAMES &&
             sample->stretch_ns == looked_ns;
  }
  return false;
}
