/* The rules of DWARF 5, section 6.4, in the form that the Linux Standard Base describes.
 * Of rules that are expressions one is followed, the stack pointer saved in a word of the
 * frame: OpenSSL's assembly has it. Compilers write others for a few places of the C
 * library only. */
#include "trace/unwind_table.h"

#if defined(__x86_64__) || defined(__aarch64__)
#include <string.h>

/* --- reading -------------------------------------------------------------------------
 */

struct cursor {
  const unsigned char *at, *end;
  bool bad; /* data beyond the end, or of an unknown form */
};

static uint64_t cursor_bytes(struct cursor* cursor, size_t count) {
  uint64_t value = 0;
  if (cursor->bad || (size_t) (cursor->end - cursor->at) < count) {
    cursor->bad = true;
    return 0;
  }
  memcpy(&value, cursor->at, count);
  cursor->at += count;
  return value;
}

/* LEB128: seven bits a byte, the lowest first. With `extend` the last byte has the sign.
 */
static uint64_t cursor_leb(struct cursor* cursor, bool extend) {
  uint64_t value = 0, byte;
  unsigned int shift = 0;
  do {
    byte = cursor_bytes(cursor, 1);
    if (shift < 64)
      value |= (byte & 0x7f) << shift;
    shift += 7;
  } while ((byte & 0x80) != 0 && !cursor->bad);
  if (extend && (byte & 0x40) != 0 && shift < 64)
    value |= ~(uint64_t) 0 << shift;
  return value;
}

static uint64_t cursor_uleb(struct cursor* cursor) {
  return cursor_leb(cursor, false);
}

static int64_t cursor_sleb(struct cursor* cursor) {
  return (int64_t) cursor_leb(cursor, true);
}

static void cursor_skip(struct cursor* cursor, uint64_t count) {
  if (cursor->bad || (uint64_t) (cursor->end - cursor->at) < count)
    cursor->bad = true;
  else
    cursor->at += count;
}

enum { POINTER_OMITTED = 0xff, POINTER_FORMAT = 0x0f, POINTER_BASE = 0x70 };

static uint64_t cursor_pointer(struct cursor* cursor, unsigned int encoding,
                               uintptr_t data) {
  uintptr_t here = (uintptr_t) cursor->at;
  uint64_t value = 0;
  if (encoding == POINTER_OMITTED)
    return 0;
  switch (encoding & POINTER_FORMAT) {
  case 0x0:
  case 0x4:
  case 0xc:
    value = cursor_bytes(cursor, 8);
    break;
  case 0x1:
    value = cursor_uleb(cursor);
    break;
  case 0x2:
    value = cursor_bytes(cursor, 2);
    break;
  case 0x3:
    value = cursor_bytes(cursor, 4);
    break;
  case 0x9:
    value = (uint64_t) cursor_sleb(cursor);
    break;
  case 0xa:
    value = (uint64_t) (int16_t) cursor_bytes(cursor, 2);
    break;
  case 0xb:
    value = (uint64_t) (int32_t) cursor_bytes(cursor, 4);
    break;
  default:
    cursor->bad = true;
  }
  if ((encoding & POINTER_BASE) == 0x10)
    value += here;
  else if ((encoding & POINTER_BASE) == 0x30)
    value += data;
  else if ((encoding & POINTER_BASE) != 0)
    cursor->bad = true;
  return value;
}

/* --- rules ---------------------------------------------------------------------------
 */

enum rule_kind {
  RULE_SAME,
  RULE_UNDEFINED,
  RULE_OFFSET,     /* saved at the frame's address plus the offset */
  RULE_VAL_OFFSET, /* is the frame's address plus the offset */
  RULE_REGISTER,
  RULE_UNKNOWN,
};

struct rule {
  uint8_t kind;
  int64_t value;
};

struct rules {
  struct rule registers[UNWIND_REGISTERS];
  unsigned int frame_register;
  int64_t frame_offset;
  bool frame_unknown;
  bool frame_saved;    /* the sum is the address of a word, */
  int64_t frame_added; /* to which this is added */
};

struct entry {
  uint64_t code_align;
  int64_t data_align;
  uint64_t return_register;
  unsigned int pointers; /* encoding of the pointers in the description */
  bool has_augmentation;
  uint64_t start, size;      /* of the code */
  struct cursor common, own; /* instructions */
};

enum { RULES_REMEMBERED = 8 };

struct machine {
  const struct entry* entry;
  struct rules now, initial;
  struct rules remembered[RULES_REMEMBERED];
  size_t depth;
  uint64_t place; /* the address from which the current rules hold */
};

static void rule_set(struct machine* machine, uint64_t number, enum rule_kind kind,
                     int64_t value) {
  if (number < UNWIND_REGISTERS)
    machine->now.registers[number] = (struct rule){(uint8_t) kind, value};
}

static void rule_restore(struct machine* machine, uint64_t number) {
  if (number < UNWIND_REGISTERS)
    machine->now.registers[number] = machine->initial.registers[number];
}

/* Followed is "register + offset, the word there, plus a constant". */
static void frame_by_expression(struct rules* now, struct cursor* cursor) {
  uint64_t length = cursor_uleb(cursor);
  struct cursor expression = *cursor;
  cursor_skip(cursor, length);
  expression.end = cursor->at;
  now->frame_register = (unsigned int) cursor_bytes(&expression, 1) - 0x70; /* breg0 */
  now->frame_offset = cursor_sleb(&expression);
  now->frame_saved = cursor_bytes(&expression, 1) == 0x06; /* deref */
  bool is_sum = cursor_bytes(&expression, 1) == 0x23;      /* plus_uconst */
  now->frame_added = (int64_t) cursor_uleb(&expression);
  now->frame_unknown =
      !now->frame_saved || !is_sum || expression.bad || expression.at != expression.end;
}

/* The instructions that begin with two zero bits. */
static void machine_extended(struct machine* machine, struct cursor* cursor,
                             unsigned int operation) {
  const struct entry* entry = machine->entry;
  struct rules* now = &machine->now;
  uint64_t number;
  switch (operation) {
  case 0x00: /* nop */
    break;
  case 0x01: /* set_loc */
    machine->place = cursor_pointer(cursor, entry->pointers, 0);
    break;
  case 0x02: /* advance_loc1, 2, 4 */
  case 0x03:
  case 0x04:
    machine->place +=
        cursor_bytes(cursor, (size_t) 1 << (operation - 2)) * entry->code_align;
    break;
  case 0x05: /* offset_extended */
    number = cursor_uleb(cursor);
    rule_set(machine, number, RULE_OFFSET,
             (int64_t) cursor_uleb(cursor) * entry->data_align);
    break;
  case 0x06: /* restore_extended */
    rule_restore(machine, cursor_uleb(cursor));
    break;
  case 0x07: /* undefined */
    rule_set(machine, cursor_uleb(cursor), RULE_UNDEFINED, 0);
    break;
  case 0x08: /* same_value */
    rule_set(machine, cursor_uleb(cursor), RULE_SAME, 0);
    break;
  case 0x09: /* register */
    number = cursor_uleb(cursor);
    rule_set(machine, number, RULE_REGISTER, (int64_t) cursor_uleb(cursor));
    break;
  case 0x0a: /* remember_state */
    if (machine->depth == RULES_REMEMBERED)
      cursor->bad = true;
    else
      machine->remembered[machine->depth++] = *now;
    break;
  case 0x0b: /* restore_state */
    if (machine->depth == 0)
      cursor->bad = true;
    else
      *now = machine->remembered[--machine->depth];
    break;
  case 0x0c: /* def_cfa */
  case 0x12: /* def_cfa_sf */
    now->frame_register = (unsigned int) cursor_uleb(cursor);
    now->frame_offset = operation == 0x0c ? (int64_t) cursor_uleb(cursor)
                                          : cursor_sleb(cursor) * entry->data_align;
    now->frame_unknown = now->frame_saved = false;
    break;
  case 0x0d: /* def_cfa_register */
    now->frame_register = (unsigned int) cursor_uleb(cursor);
    break;
  case 0x0e: /* def_cfa_offset */
    now->frame_offset = (int64_t) cursor_uleb(cursor);
    break;
  case 0x13: /* def_cfa_offset_sf */
    now->frame_offset = cursor_sleb(cursor) * entry->data_align;
    break;
  case 0x0f: /* def_cfa_expression */
    frame_by_expression(now, cursor);
    break;
  case 0x10: /* expression */
  case 0x16: /* val_expression */
    rule_set(machine, cursor_uleb(cursor), RULE_UNKNOWN, 0);
    cursor_skip(cursor, cursor_uleb(cursor));
    break;
  case 0x11: /* offset_extended_sf */
    number = cursor_uleb(cursor);
    rule_set(machine, number, RULE_OFFSET, cursor_sleb(cursor) * entry->data_align);
    break;
  case 0x14: /* val_offset, val_offset_sf */
  case 0x15:
    number = cursor_uleb(cursor);
    rule_set(machine, number, RULE_VAL_OFFSET,
             (operation == 0x14 ? (int64_t) cursor_uleb(cursor) : cursor_sleb(cursor)) *
                 entry->data_align);
    break;
#if defined(__aarch64__)
  case 0x2d: /* negate_ra_state: whether the return address is signed */
    break;
#endif
  case 0x2e: /* GNU_args_size */
    cursor_uleb(cursor);
    break;
  default:
    cursor->bad = true;
  }
}

/* Runs the instructions up to the rules for the address. */
static bool machine_run(struct machine* machine, struct cursor cursor, uint64_t place) {
  while (cursor.at < cursor.end && !cursor.bad && machine->place <= place) {
    unsigned int byte = (unsigned int) cursor_bytes(&cursor, 1);
    unsigned int operand = byte & 0x3f;
    if (byte >> 6 == 1)
      machine->place += operand * machine->entry->code_align;
    else if (byte >> 6 == 2)
      rule_set(machine, operand, RULE_OFFSET,
               (int64_t) cursor_uleb(&cursor) * machine->entry->data_align);
    else if (byte >> 6 == 3)
      rule_restore(machine, operand);
    else
      machine_extended(machine, &cursor, operand);
  }
  return !cursor.bad;
}

/* --- finding -------------------------------------------------------------------------
 */

/* Whether that many bytes may be read there. */
static bool table_has(const struct unwind_table* table, const unsigned char* at,
                      uint64_t size) {
  /* As numbers: a difference of pointers that are further apart than half of the address
   * space isn't defined. */
  uintptr_t from = (uintptr_t) at, end = (uintptr_t) table->high;
  return from >= (uintptr_t) table->low && from <= end && end - from >= size;
}

/* Opens a common (CIE) or own (FDE) description; its length comes first. */
static bool entry_open(struct cursor* cursor, const struct unwind_table* table,
                       const unsigned char* at) {
  if (!table_has(table, at, 12))
    return false;
  *cursor = (struct cursor){at, at + 12, false};
  uint64_t length = cursor_bytes(cursor, 4);
  if (length == 0xffffffff)
    length = cursor_bytes(cursor, 8);
  if (length < 4 || length >= (uint64_t) 1 << 30 || !table_has(table, cursor->at, length))
    return false;
  cursor->end = cursor->at + length;
  return true;
}

static bool entry_common(struct entry* entry, const struct unwind_table* table,
                         const unsigned char* at) {
  struct cursor cursor;
  if (!entry_open(&cursor, table, at) || cursor_bytes(&cursor, 4) != 0)
    return false;
  uint64_t version = cursor_bytes(&cursor, 1);
  const char* augmentation = (const char*) cursor.at;
  size_t length = strnlen(augmentation, (size_t) (cursor.end - cursor.at));
  cursor_skip(&cursor, length + 1);
  entry->code_align = cursor_uleb(&cursor);
  entry->data_align = cursor_sleb(&cursor);
  entry->return_register = version == 1 ? cursor_bytes(&cursor, 1) : cursor_uleb(&cursor);
  entry->has_augmentation = *augmentation == 'z';
  if (!entry->has_augmentation && length > 0)
    return false;
  uint64_t data_size = entry->has_augmentation ? cursor_uleb(&cursor) : 0;
  struct cursor data = cursor;
  cursor_skip(&cursor, data_size);
  for (size_t i = 1; i < length && !cursor.bad && !data.bad; i++) {
    switch (augmentation[i]) {
    case 'R':
      entry->pointers = (unsigned int) cursor_bytes(&data, 1);
      break;
    case 'L':
      cursor_bytes(&data, 1);
      break;
    case 'P': {
      unsigned int encoding = (unsigned int) cursor_bytes(&data, 1);
      cursor_pointer(&data, encoding & 0x7f, 0);
      break;
    }
    case 'S': /* a signal's frame, whose rules are expressions */
    case 'B': /* arm64: signed with the other key */
      break;
    default:
      return false;
    }
  }
  entry->common = cursor;
  return !cursor.bad && !data.bad;
}

static bool entry_read(struct entry* entry, const struct unwind_table* table,
                       const unsigned char* at) {
  struct cursor cursor;
  *entry = (struct entry){0};
  if (!entry_open(&cursor, table, at))
    return false;
  const unsigned char* from = cursor.at;
  uint64_t distance = cursor_bytes(&cursor, 4);
  if (distance == 0 || distance > (uintptr_t) from ||
      !entry_common(entry, table, from - distance))
    return false;
  entry->start = cursor_pointer(&cursor, entry->pointers, 0);
  entry->size = cursor_pointer(&cursor, entry->pointers & POINTER_FORMAT, 0);
  if (entry->has_augmentation)
    cursor_skip(&cursor, cursor_uleb(&cursor));
  entry->own = cursor;
  return !cursor.bad;
}

/* Finds the last description that begins at or before the address, in the sorted table
 * that the linker makes: pairs of 32-bit offsets from the table's own section. */
static const unsigned char* eh_table_find(const struct unwind_table* table_of,
                                          uintptr_t place) {
  const unsigned char* section = table_of->section;
  struct cursor cursor = {section, section + 64, false};
  if (!table_has(table_of, section, 64))
    return NULL;
  uint64_t version = cursor_bytes(&cursor, 1);
  unsigned int frames = (unsigned int) cursor_bytes(&cursor, 1);
  unsigned int counts = (unsigned int) cursor_bytes(&cursor, 1);
  unsigned int table = (unsigned int) cursor_bytes(&cursor, 1);
  cursor_pointer(&cursor, frames, (uintptr_t) section);
  uint64_t count = cursor_pointer(&cursor, counts, (uintptr_t) section);
  if (cursor.bad || version != 1 || table != 0x3b || count == 0 || count > UINT32_MAX ||
      !table_has(table_of, cursor.at, count * 8))
    return NULL;
  int64_t wanted = (int64_t) (place - (uintptr_t) section);
  size_t low = 0, high = count;
  int32_t pair[2];
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    memcpy(pair, cursor.at + middle * sizeof(pair), sizeof(pair));
    if (pair[0] <= wanted)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0)
    return NULL;
  memcpy(pair, cursor.at + (low - 1) * sizeof(pair), sizeof(pair));
  return section + pair[1];
}

/* --- a step --------------------------------------------------------------------------
 */

static int rules_apply(const struct rules* rules, const struct entry* entry,
                       const struct unwind_stack* stack, struct unwind_state* state) {
  struct unwind_state caller = {0};
  if (rules->frame_unknown)
    return UNWIND_END;
  if (!unwind_knows(state, rules->frame_register))
    return rules->frame_register == UNWIND_FRAME ? UNWIND_NEEDS_FRAME : UNWIND_END;
  uintptr_t frame =
      state->registers[rules->frame_register] + (uintptr_t) rules->frame_offset;
  if (rules->frame_saved && !unwind_read(stack, frame, &frame))
    return UNWIND_END;
  frame += rules->frame_saved ? (uintptr_t) rules->frame_added : 0;
  for (unsigned int i = 0; i < UNWIND_REGISTERS; i++) {
    const struct rule* rule = &rules->registers[i];
    uintptr_t value;
    if (rule->kind == RULE_OFFSET) {
      if (unwind_read(stack, frame + (uintptr_t) rule->value, &value))
        unwind_set(&caller, i, value);
    } else if (rule->kind == RULE_VAL_OFFSET) {
      unwind_set(&caller, i, frame + (uintptr_t) rule->value);
    } else if (rule->kind == RULE_SAME || rule->kind == RULE_REGISTER) {
      unsigned int from = rule->kind == RULE_SAME ? i : (unsigned int) rule->value;
      if (unwind_knows(state, from))
        unwind_set(&caller, i, state->registers[from]);
    }
  }
  /* Only a function that was interrupted may have its return address in a register. */
  bool is_saved = rules->registers[entry->return_register].kind == RULE_OFFSET;
  bool is_held = UNWIND_RETURN != UNWIND_PLACE && state->exact &&
                 rules->registers[entry->return_register].kind == RULE_SAME;
  if ((!is_saved && !is_held) || !unwind_knows(&caller, UNWIND_RETURN))
    return UNWIND_END;
  unwind_set(&caller, UNWIND_PLACE, unwind_unsigned(caller.registers[UNWIND_RETURN]));
  unwind_set(&caller, UNWIND_STACK, frame);
  *state = caller;
  return UNWIND_STEPPED;
}

static bool covering_entry(const struct unwind_table* table, uintptr_t place,
                           struct entry* entry) {
  const unsigned char* found =
      table->section == NULL ? NULL : eh_table_find(table, place);
  return found != NULL && entry_read(entry, table, found) &&
         place - entry->start < entry->size;
}

static int step_by_table(struct machine* machine, const struct unwind_table* table,
                         const struct unwind_stack* stack, struct unwind_state* state) {
  uintptr_t place = unwind_place(state) + table->slide;
  struct entry entry;
  if (!covering_entry(table, place, &entry) || entry.return_register != UNWIND_RETURN)
    return UNWIND_NO_RULES;
  *machine = (struct machine){.entry = &entry, .place = entry.start};
  if (!machine_run(machine, entry.common, UINT64_MAX))
    return UNWIND_END;
  machine->initial = machine->now;
  if (!machine_run(machine, entry.own, place))
    return UNWIND_END;
  return rules_apply(&machine->now, &entry, stack, state);
}

int unwind_by_table(const struct unwind_table* table, const struct unwind_stack* stack,
                    struct unwind_state* state) {
  struct machine machine;
  return step_by_table(&machine, table, stack, state);
}

int unwind_by_table_in_handler(const struct unwind_table* table,
                               const struct unwind_stack* stack,
                               struct unwind_state* state) {
  static struct machine machine;
  return step_by_table(&machine, table, stack, state);
}

uintptr_t unwind_function_start(const struct unwind_table* table, uintptr_t place) {
  struct entry entry;
  return covering_entry(table, place + table->slide, &entry) ? entry.start - table->slide
                                                             : 0;
}

#else
int unwind_by_table(const struct unwind_table* table, const struct unwind_stack* stack,
                    struct unwind_state* state) {
  (void) table, (void) stack, (void) state;
  return UNWIND_NO_RULES;
}

int unwind_by_table_in_handler(const struct unwind_table* table,
                               const struct unwind_stack* stack,
                               struct unwind_state* state) {
  return unwind_by_table(table, stack, state);
}

uintptr_t unwind_function_start(const struct unwind_table* table, uintptr_t place) {
  (void) table, (void) place;
  return 0;
}
#endif
