/* Chooses the bytes that become jumps. A function that is marked as a target of indirect
 * calls keeps a mark, and the jump follows it. A function that is shorter than a jump
 * is usually followed by padding. If not, it gets a short jump to the body of a longer
 * function nearby, which is no longer executed and has room for a long jump. */
#include "adopt.h"

#include <string.h>

static void plan_add(struct adoption* adoption, uint8_t* at, size_t length,
                     const uint8_t* bytes) {
  struct adopt_write* change = &adoption->writes[adoption->write_count++];
  change->at = at;
  change->length = length;
  memcpy(change->before, at, length);
  memcpy(change->after, bytes, length);
}

static uint8_t* trampoline_of(const struct adoption* adoption, size_t i) {
  return (uint8_t*) adoption->region + (i + 1) * PROCESSOR_TRAMPOLINE;
}

static void plan_jump(struct adoption* adoption, size_t i, uint8_t* at) {
  uint8_t bytes[ADOPT_JUMP];
  processor_jump(bytes, at, trampoline_of(adoption, i));
  plan_add(adoption, at, processor_jump_size, bytes);
}

/* Whether that many bytes from the entry belong to the function or to padding. */
static bool has_room(const struct adoption* adoption, size_t i, size_t need) {
  const struct adopt_function* function = &adoption->functions[i];
  if (i + 1 < adoption->count &&
      (size_t) (adoption->functions[i + 1].entry - function->entry) < need)
    return false;
  if (function->size >= need)
    return true;
  /* At most 16 bytes of padding are examined. */
  return object_is_text(&adoption->object, (uintptr_t) function->entry, need + 16) &&
         processor_is_padding(function->entry + function->size, need - function->size);
}

/* Finds room for a jump in the body of a longer function, behind the jump at its start.
 */
static uint8_t* island_find(const struct adoption* adoption, const uint8_t* from,
                            size_t* used) {
  for (size_t i = 0; i < adoption->count; i++) {
    const struct adopt_function* host = &adoption->functions[i];
    if (used[i] == 0 || used[i] + processor_jump_size > host->size)
      continue;
    uint8_t* island = host->entry + used[i];
    if (!processor_reaches_short(from, island))
      continue;
    used[i] += processor_jump_size;
    return island;
  }
  return NULL;
}

static bool plan_short(struct adoption* adoption, size_t i, size_t* used) {
  const struct adopt_function* function = &adoption->functions[i];
  uint8_t bytes[ADOPT_JUMP];
  if (processor_is_empty(function->entry, function->size))
    return true; /* an empty function may stay as it is */
  uint8_t* island = has_room(adoption, i, processor_short_size)
                        ? island_find(adoption, function->entry, used)
                        : NULL;
  if (island == NULL)
    return adopt_refuse(adoption, "%s is too short for a jump, and so are its neighbours",
                        adopt_names[function->name]);
  plan_jump(adoption, i, island);
  processor_jump_short(bytes, function->entry, island);
  plan_add(adoption, function->entry, processor_short_size, bytes);
  return true;
}

bool plan_writes(struct adoption* adoption) {
  static size_t used[ADOPT_FUNCTIONS]; /* bytes of each function that are taken */
  memset(used, 0, sizeof(used));
  adoption->write_count = 0;
  for (size_t i = 0; i < adoption->count; i++) {
    const struct adopt_function* function = &adoption->functions[i];
    size_t mark = function->size > 4 ? processor_mark_size(function->entry) : 0;
    if (!has_room(adoption, i, mark + processor_jump_size))
      mark = 0;
    if (!has_room(adoption, i, mark + processor_jump_size))
      continue;
    const uint8_t* plain = mark > 0 ? processor_mark_plain(function->entry) : NULL;
    if (plain != NULL)
      plan_add(adoption, function->entry, mark, plain);
    plan_jump(adoption, i, function->entry + mark);
    used[i] = mark + processor_jump_size;
  }
  for (size_t i = 0; i < adoption->count; i++) {
    if (used[i] == 0 && !plan_short(adoption, i, used))
      return false;
  }
  return true;
}
