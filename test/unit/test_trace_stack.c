/* The rules of frames: callers are found by them alone, without frame pointers, and
 * nothing outside of a table's bounds is read. */
#include "loop_test.h"

#include "trace/unwind_table.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { STACK_COPIED = 8 << 10 };

static struct unwind_stack* stack;

/* A sanitizer has marked parts of a stack that are not to be read. */
static void __attribute__((noinline, no_sanitize("address"), no_sanitize("undefined")))
copy_words(uintptr_t* to, const volatile uintptr_t* from) {
  for (size_t i = 0; i < STACK_COPIED / sizeof(*to); i++)
    to[i] = from[i];
}

/* Only what a blocked thread's registers are known by: the stack and the place. */
static void __attribute__((noinline)) take_stack(void) {
  memset(stack, 0, sizeof(*stack));
#if defined(__x86_64__) && defined(__GLIBC__) /* musl has no getcontext */
  ucontext_t context;
  assert_int_equal(getcontext(&context), 0);
  uintptr_t top = (uintptr_t) context.uc_mcontext.gregs[REG_RSP];
  unwind_set(&stack->state, UNWIND_PLACE, (uintptr_t) context.uc_mcontext.gregs[REG_RIP]);
#else
  uintptr_t top = 0;
#endif
  unwind_set(&stack->state, UNWIND_STACK, top);
  stack->state.exact = true;
  stack->start = top;
  stack->size = STACK_COPIED;
  copy_words((uintptr_t*) (void*) stack->bytes, (const volatile uintptr_t*) top);
}

static int __attribute__((noinline))
compare_and_take(const void* one, const void* other) {
  if (stack->size == 0)
    take_stack();
  return memcmp(one, other, 1);
}

/* Through qsort, whose code has no frame pointers. */
static void __attribute__((noinline)) take_stack_in_library(void) {
  volatile char room[STACK_COPIED] = {0}; /* all that is copied lies in the stack */
  char letters[] = "ba";
  qsort(letters, 2, 1, compare_and_take);
  assert_string_equal(letters, "ab");
  assert_int_equal(room[0], 0);
}

static bool is_in(const struct unwind_state* state, void (*function)(void)) {
  return state->registers[UNWIND_PLACE] - (uintptr_t) function < 4096;
}

static void callers_are_found_by_rules_alone(void** state_of_test) {
  (void) state_of_test;
#if !defined(__x86_64__) || !defined(__GLIBC__)
  skip();
#endif
  stack = calloc(1, sizeof(*stack));
  assert_non_null(stack);
  take_stack_in_library();
  struct unwind_state state = stack->state;
  int steps = 0;
  do {
    uintptr_t function = 0;
    const struct unwind_state before = state;
    int stepped = unwind_by_rules(stack, &state, &function);
    assert_int_not_equal(stepped, UNWIND_NO_RULES);
    if (stepped != UNWIND_STEPPED) {
      assert_int_equal(stepped, UNWIND_NEEDS_FRAME); /* a build with frame pointers */
      assert_int_not_equal(function, 0);
      assert_true(unwind_place(&before) - function < 1 << 16);
      break;
    }
    assert_true(unwind_has_moved(&before, &state));
    state.exact = false;
  } while (++steps < 20 && !is_in(&state, take_stack_in_library));
  assert_true(steps < 20);
  free(stack);
}

struct section {
  const unsigned char* table;
  uintptr_t place;
};

/* The table of the object that has the place. */
static int find_table(struct dl_phdr_info* info, size_t size, void* data) {
  struct section* section = data;
  const unsigned char* table = NULL;
  bool inside = false;
  (void) size;
  for (size_t i = 0; i < info->dlpi_phnum; i++) {
    uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    inside |= section->place - start < info->dlpi_phdr[i].p_memsz &&
              info->dlpi_phdr[i].p_type == PT_LOAD;
    if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
      table = (const unsigned char*) start;
  }
  section->table = inside ? table : section->table;
  return inside;
}

static void nothing_outside_of_the_bounds_is_read(void** state) {
  (void) state;
#ifndef __GLIBC__
  skip(); /* Debian's musl has no rules of its functions */
#endif
  struct section section = {NULL, (uintptr_t) &qsort + 1};
  dl_iterate_phdr(find_table, &section);
  assert_non_null(section.table);
  struct unwind_table table = {.section = section.table,
                               .high = (const unsigned char*) UINTPTR_MAX};
  assert_int_not_equal(unwind_function_start(&table, section.place), 0);
  assert_int_equal(unwind_function_start(&table, 1), 0);
  table.high = section.table + 63; /* too short for a head */
  assert_int_equal(unwind_function_start(&table, section.place), 0);
  table.high = section.table + 80; /* for its rows */
  assert_int_equal(unwind_function_start(&table, section.place), 0);
  table.high = (const unsigned char*) UINTPTR_MAX;
  table.low = section.table + 1;
  assert_int_equal(unwind_function_start(&table, section.place), 0);
  table.section = NULL;
  assert_int_equal(unwind_function_start(&table, section.place), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(callers_are_found_by_rules_alone),
      cmocka_unit_test(nothing_outside_of_the_bounds_is_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
