/* Code for x86-64: writing a jump, recognising padding, and the first call through a
 * trampoline. */
#if !defined(__x86_64__)
#error "one file per processor: this one is for x86-64"
#endif

#include "adopt.h"

#include <string.h>

const size_t processor_jump_size = 5;
const size_t processor_short_size = 2;
/* 2 GiB less a margin for the length of a jump. */
const size_t processor_reach = 0x7fff0000;

static const uint8_t endbr64[4] = {0xf3, 0x0f, 0x1e, 0xfa};

static void put_32(uint8_t* bytes, int64_t value) {
  int32_t narrow = (int32_t) value;
  memcpy(bytes, &narrow, sizeof(narrow));
}

static int64_t branch_distance(const uint8_t* from, const void* to) {
  return (int64_t) ((intptr_t) to - (intptr_t) from);
}

void processor_jump(uint8_t* bytes, const uint8_t* from, const void* to) {
  bytes[0] = 0xe9; /* jmp rel32 */
  put_32(bytes + 1, branch_distance(from + 5, to));
}

bool processor_reaches_short(const uint8_t* from, const uint8_t* to) {
  int64_t way = branch_distance(from + 2, to);
  return way >= INT8_MIN && way <= INT8_MAX;
}

void processor_jump_short(uint8_t* bytes, const uint8_t* from, const uint8_t* to) {
  bytes[0] = 0xeb; /* jmp rel8 */
  bytes[1] = (uint8_t) branch_distance(from + 2, to);
}

size_t processor_mark_size(const uint8_t* entry) {
  return memcmp(entry, endbr64, sizeof(endbr64)) == 0 ? sizeof(endbr64) : 0;
}

const uint8_t* processor_mark_plain(const uint8_t* entry) {
  (void) entry;
  return NULL;
}

/* The processor sees its own writes. */
void processor_text_changed(const void* at, size_t size) {
  (void) at;
  (void) size;
}

/* The length of the no-operation at the start of the bytes, one of those that compilers
 * and linkers use as padding; 0 if it is something else. */
static size_t padding_length(const uint8_t* bytes) {
  size_t at = 0;
  if (bytes[0] == 0xcc || bytes[0] == 0x00)
    return 1;
  while (at < 10 && (bytes[at] == 0x66 || bytes[at] == 0x2e))
    at++; /* operand size, and an ignored segment prefix */
  if (bytes[at] == 0x90)
    return at + 1;
  if (bytes[at] != 0x0f || bytes[at + 1] != 0x1f)
    return 0;
  uint8_t mode = bytes[at + 2];
  size_t length = at + 3;
  if ((mode & 7) == 4 && mode < 0xc0)
    length++; /* SIB */
  if (mode >= 0x40 && mode < 0x80)
    length += 1;
  else if (mode >= 0x80 && mode < 0xc0)
    length += 4;
  return length;
}

bool processor_is_padding(const uint8_t* bytes, size_t size) {
  size_t at = 0;
  while (at < size) {
    size_t length = padding_length(bytes + at);
    if (length == 0)
      return false;
    at += length;
  }
  return true;
}

bool processor_is_empty(const uint8_t* entry, size_t size) {
  size_t mark = size > 4 ? processor_mark_size(entry) : 0;
  return size == mark + 1 && entry[mark] == 0xc3;
}

bool processor_constant(const uint8_t* entry, size_t size, unsigned int* value) {
  static const uint8_t frame[4] = {0x55, 0x48, 0x89, 0xe5}; /* push rbp; mov rbp, rsp */
  const uint8_t* at = entry;
  const uint8_t* end = entry + size;
  if (size < 6)
    return false;
  at += processor_mark_size(at);
  bool framed = end - at >= 4 && memcmp(at, frame, sizeof(frame)) == 0;
  at += framed ? sizeof(frame) : 0;
  if (end - at < 6 + framed || at[0] != 0xb8) /* mov eax, imm32 */
    return false;
  memcpy(value, at + 1, sizeof(*value));
  at += 5;
  if (framed && *at++ != 0x5d) /* pop rbp */
    return false;
  return *at == 0xc3;
}

void processor_trampoline(uint8_t* image, const uint8_t* address, const uintptr_t* slots,
                          int i, unsigned int which) {
  memset(image, 0xcc, PROCESSOR_TRAMPOLINE);
  image[0] = 0xff; /* jmp [rip + rel32] */
  image[1] = 0x25;
  put_32(image + 2, branch_distance(address + 6, &slots[i + 1]));
  if (i < 0)
    return;
  image[6] = 0x68; /* push imm32 */
  put_32(image + 7, (int64_t) which);
  /* Trampoline -1 is the first of the region. */
  processor_jump(image + 11, address + 11,
                 address - (size_t) (i + 1) * PROCESSOR_TRAMPOLINE);
}

uintptr_t processor_lazy(const uint8_t* trampoline) {
  return (uintptr_t) trampoline + 6;
}

/* Entered with the number that the trampoline pushed above the caller's return address.
 * The arguments of the called function, whatever they are, must be preserved. */
__asm__(".text\n"
        ".globl processor_resolve\n"
        ".hidden processor_resolve\n"
        ".type processor_resolve, @function\n"
        "processor_resolve:\n"
        "  .cfi_startproc\n"
        "  .cfi_adjust_cfa_offset 8\n"
        "  push %rbp\n"
        "  .cfi_adjust_cfa_offset 8\n"
        "  .cfi_rel_offset %rbp, 0\n"
        "  mov %rsp, %rbp\n"
        "  .cfi_def_cfa_register %rbp\n"
        "  sub $192, %rsp\n"
        "  and $-16, %rsp\n"
        "  mov %rdi, 0(%rsp)\n"
        "  mov %rsi, 8(%rsp)\n"
        "  mov %rdx, 16(%rsp)\n"
        "  mov %rcx, 24(%rsp)\n"
        "  mov %r8, 32(%rsp)\n"
        "  mov %r9, 40(%rsp)\n"
        "  mov %rax, 48(%rsp)\n"
        "  movaps %xmm0, 64(%rsp)\n"
        "  movaps %xmm1, 80(%rsp)\n"
        "  movaps %xmm2, 96(%rsp)\n"
        "  movaps %xmm3, 112(%rsp)\n"
        "  movaps %xmm4, 128(%rsp)\n"
        "  movaps %xmm5, 144(%rsp)\n"
        "  movaps %xmm6, 160(%rsp)\n"
        "  movaps %xmm7, 176(%rsp)\n"
        "  mov 8(%rbp), %edi\n"
        "  call resolve_first_use\n"
        "  mov %rax, %r11\n"
        "  mov 0(%rsp), %rdi\n"
        "  mov 8(%rsp), %rsi\n"
        "  mov 16(%rsp), %rdx\n"
        "  mov 24(%rsp), %rcx\n"
        "  mov 32(%rsp), %r8\n"
        "  mov 40(%rsp), %r9\n"
        "  mov 48(%rsp), %rax\n"
        "  movaps 64(%rsp), %xmm0\n"
        "  movaps 80(%rsp), %xmm1\n"
        "  movaps 96(%rsp), %xmm2\n"
        "  movaps 112(%rsp), %xmm3\n"
        "  movaps 128(%rsp), %xmm4\n"
        "  movaps 144(%rsp), %xmm5\n"
        "  movaps 160(%rsp), %xmm6\n"
        "  movaps 176(%rsp), %xmm7\n"
        "  mov %rbp, %rsp\n"
        "  .cfi_def_cfa_register %rsp\n"
        "  pop %rbp\n"
        "  .cfi_adjust_cfa_offset -8\n"
        "  .cfi_restore %rbp\n"
        "  add $8, %rsp\n"
        "  .cfi_adjust_cfa_offset -8\n"
        "  jmp *%r11\n"
        "  .cfi_endproc\n"
        ".size processor_resolve, . - processor_resolve\n");
