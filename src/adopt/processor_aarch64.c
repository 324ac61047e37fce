/* Code for arm64: writing a branch, recognising padding, and the first call through a
 * trampoline. An instruction has four bytes, so every function has room for a branch,
 * which reaches 128 MiB. Trampolines load their target from the slots behind them, which
 * are within the 1 MiB that such a load reaches. Trampolines are reached by direct
 * branches and leave by `br x16`, which branch target identification allows to land on
 * the mark that a function begins with. */
#if !defined(__aarch64__)
#error "one file per processor: this one is for arm64"
#endif

#include "adopt.h"

#include <string.h>

const size_t processor_jump_size = 4;
const size_t processor_short_size = 4;
/* 128 MiB less a margin. */
const size_t processor_reach = 0x07ff0000;

enum {
  INSTRUCTION = 4,
  BRANCH = 0x14000000,      /* b, with 26 bits of distance in instructions */
  ADDRESS_X16 = 0x10000010, /* adr x16, with 21 bits of distance */
  ADDRESS_X17 = 0x10000011,
  ACQUIRE_X16 = (int) 0xc8dffe10, /* ldar x16, [x16] */
  ACQUIRE_X17 = (int) 0xc8dffe31, /* ldar x17, [x17] */
  NO_OPERATION = (int) 0xd503201f,
  BRANCH_X16 = (int) 0xd61f0200,
  BRANCH_X17 = (int) 0xd61f0220,
  RETURN = (int) 0xd65f03c0,
  BREAK = (int) 0xd4200000,     /* brk #0 */
  MARK_CALL = (int) 0xd503245f, /* bti c */
};

static uint32_t word_at(const uint8_t* at) {
  uint32_t word;
  memcpy(&word, at, sizeof(word));
  return word;
}

static void word_put(uint8_t* at, uint32_t word) {
  memcpy(at, &word, sizeof(word));
}

static int64_t instructions_between(const uint8_t* from, const void* to) {
  return ((intptr_t) to - (intptr_t) from) / INSTRUCTION;
}

void processor_jump(uint8_t* bytes, const uint8_t* from, const void* to) {
  uint32_t way = (uint32_t) instructions_between(from, to) & 0x03ffffff;
  word_put(bytes, (uint32_t) BRANCH | way);
}

/* The short jump is the jump. */
bool processor_reaches_short(const uint8_t* from, const uint8_t* to) {
  int64_t way = (intptr_t) to - (intptr_t) from;
  return way < (int64_t) processor_reach && -way < (int64_t) processor_reach;
}

void processor_jump_short(uint8_t* bytes, const uint8_t* from, const uint8_t* to) {
  processor_jump(bytes, from, to);
}

/* --- what is at a function's entry ----------------------------------------------------
 */

/* paciasp and pacibsp, which sign the return address. */
static bool is_signing(uint32_t word) {
  return word == 0xd503233f || word == 0xd503237f;
}

size_t processor_mark_size(const uint8_t* entry) {
  uint32_t word = word_at(entry);
  bool is_mark = word == (uint32_t) MARK_CALL || word == 0xd50324df; /* bti jc */
  return is_mark || is_signing(word) ? INSTRUCTION : 0;
}

const uint8_t* processor_mark_plain(const uint8_t* entry) {
  static const uint8_t call[INSTRUCTION] = {0x5f, 0x24, 0x03, 0xd5};
  return is_signing(word_at(entry)) ? call : NULL;
}

void processor_text_changed(const void* at, size_t size) {
  char* start = (char*) (uintptr_t) at;
  __builtin___clear_cache(start, start + size);
}

bool processor_is_padding(const uint8_t* bytes, size_t size) {
  for (size_t at = 0; at < size; at += INSTRUCTION) {
    uint32_t word = word_at(bytes + at);
    if (word != 0 && word != (uint32_t) NO_OPERATION && word != (uint32_t) BREAK)
      return false;
  }
  return true;
}

/* Hints do nothing to registers but the return address: no-operations, marks, and the
 * signing of the return address, which compilers also put between other instructions. */
static bool is_hint(uint32_t word) {
  return (word & 0xfffff01f) == (uint32_t) NO_OPERATION;
}

/* Also those that check the return address's signature. */
static bool is_return(uint32_t word) {
  return word == (uint32_t) RETURN || word == 0xd65f0bff || word == 0xd65f0fff;
}

static const uint8_t* behind_hints(const uint8_t* at, const uint8_t* end) {
  while (end - at > INSTRUCTION && is_hint(word_at(at)))
    at += INSTRUCTION;
  return at;
}

bool processor_is_empty(const uint8_t* entry, size_t size) {
  const uint8_t* at = behind_hints(entry, entry + size);
  return size == (size_t) (at - entry) + INSTRUCTION && is_return(word_at(at));
}

/* movz and movk of w0 or x0: the number is written in pieces of 16 bits. */
bool processor_constant(const uint8_t* entry, size_t size, unsigned int* value) {
  const uint32_t piece_first = 0x52800000, piece_more = 0x72800000;
  const uint8_t* end = entry + size;
  const uint8_t* at = behind_hints(entry, end);
  uint64_t number = 0;
  bool first = true;
  while (end - at >= 2 * INSTRUCTION) {
    uint32_t word = word_at(at) & 0x7fffffff; /* w0 or x0 */
    if ((word & 0xff800000) != (first ? piece_first : piece_more) || (word & 0x1f) != 0)
      break;
    number |= (uint64_t) (word >> 5 & 0xffff) << 16 * (word >> 21 & 3);
    first = false;
    at = behind_hints(at + INSTRUCTION, end);
  }
  *value = (unsigned int) number;
  return !first && end - at >= INSTRUCTION && is_return(word_at(at)) &&
         number <= UINT32_MAX;
}

/* --- trampolines ---------------------------------------------------------------------
 */

/* adr: the distance in bytes, its two lowest bits apart. */
static uint32_t address_of(uint32_t instruction, const uint8_t* at, const void* slot) {
  uint32_t way = (uint32_t) ((intptr_t) slot - (intptr_t) at);
  return instruction | (way & 3) << 29 | (way >> 2 & 0x7ffff) << 5;
}

/* A slot is read with ldar, which pairs with the release of slot_set: whoever finds the
 * target there also sees what the loader has written for it. While the slot still leads
 * to processor_lazy, x16 becomes the address of a branch to the first trampoline, behind
 * which is the number that processor_resolve reads. */
void processor_trampoline(uint8_t* image, const uint8_t* address, const uintptr_t* slots,
                          int i, unsigned int which) {
  bool is_first = i < 0;
  memset(image, 0, PROCESSOR_TRAMPOLINE);
  word_put(image,
           address_of(is_first ? ADDRESS_X17 : ADDRESS_X16, address, &slots[i + 1]));
  word_put(image + 4, (uint32_t) (is_first ? ACQUIRE_X17 : ACQUIRE_X16));
  word_put(image + 8, (uint32_t) (is_first ? BRANCH_X17 : BRANCH_X16));
  word_put(image + 12, (uint32_t) BREAK);
  word_put(image + 16, which);
  if (!is_first)
    processor_jump(image + 12, address + 12,
                   address - (size_t) (i + 1) * PROCESSOR_TRAMPOLINE);
}

uintptr_t processor_lazy(const uint8_t* trampoline) {
  return (uintptr_t) trampoline + 12;
}

/* Entered with the address of the trampoline's branch in x16; the number is behind it.
 * The arguments of the called function, whatever they are, must be preserved: x0 to x8
 * and q0 to q7. */
__asm__(".text\n"
        ".balign 4\n"
        ".globl processor_resolve\n"
        ".hidden processor_resolve\n"
        ".type processor_resolve, %function\n"
        "processor_resolve:\n"
        "  .cfi_startproc\n"
        "  hint #34\n" /* bti c */
        "  ldr w17, [x16, #4]\n"
        "  stp x29, x30, [sp, #-224]!\n"
        "  .cfi_adjust_cfa_offset 224\n"
        "  .cfi_rel_offset x29, 0\n"
        "  .cfi_rel_offset x30, 8\n"
        "  mov x29, sp\n"
        "  stp x0, x1, [sp, #16]\n"
        "  stp x2, x3, [sp, #32]\n"
        "  stp x4, x5, [sp, #48]\n"
        "  stp x6, x7, [sp, #64]\n"
        "  str x8, [sp, #80]\n"
        "  stp q0, q1, [sp, #96]\n"
        "  stp q2, q3, [sp, #128]\n"
        "  stp q4, q5, [sp, #160]\n"
        "  stp q6, q7, [sp, #192]\n"
        "  mov w0, w17\n"
        "  bl resolve_first_use\n"
        "  mov x16, x0\n"
        "  ldp q6, q7, [sp, #192]\n"
        "  ldp q4, q5, [sp, #160]\n"
        "  ldp q2, q3, [sp, #128]\n"
        "  ldp q0, q1, [sp, #96]\n"
        "  ldr x8, [sp, #80]\n"
        "  ldp x6, x7, [sp, #64]\n"
        "  ldp x4, x5, [sp, #48]\n"
        "  ldp x2, x3, [sp, #32]\n"
        "  ldp x0, x1, [sp, #16]\n"
        "  ldp x29, x30, [sp], #224\n"
        "  .cfi_adjust_cfa_offset -224\n"
        "  .cfi_restore x29\n"
        "  .cfi_restore x30\n"
        "  br x16\n"
        "  .cfi_endproc\n"
        ".size processor_resolve, . - processor_resolve\n");
