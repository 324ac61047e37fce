/* The rules of this process's own code: each object's table, as the loader has mapped it.
 * Everything is read while the loader's list of objects is locked, so that no object can
 * be unloaded. */
#include "trace/unwind_table.h"

#include <dlfcn.h>
#include <link.h>

/* The loader has checked its objects: no bounds are known or needed. */
static struct unwind_table table_at(const unsigned char* section) {
  return (struct unwind_table){.section = section,
                               .high = (const unsigned char*) UINTPTR_MAX};
}

struct search {
  const struct unwind_stack* stack;
  struct unwind_state* state;
  uintptr_t* function;
  int result;
};

static const unsigned char* object_table(const struct dl_phdr_info* info,
                                         uintptr_t place) {
  const unsigned char* table = NULL;
  bool inside = false;
  for (size_t i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)* segment = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + segment->p_vaddr;
    inside = inside || (segment->p_type == PT_LOAD && place - start < segment->p_memsz);
    if (segment->p_type == PT_GNU_EH_FRAME)
      table = (const unsigned char*) start;
  }
  return inside ? table : NULL;
}

static int object_step(struct dl_phdr_info* info, size_t size, void* data) {
  struct search* search = data;
  const uintptr_t place = unwind_place(search->state);
  const unsigned char* section = object_table(info, place);
  (void) size;
  if (section == NULL)
    return 0;
  const struct unwind_table table = table_at(section);
  search->result = unwind_by_table(&table, search->stack, search->state);
  if (search->result == UNWIND_NEEDS_FRAME)
    *search->function = unwind_function_start(&table, place);
  return 1;
}

int unwind_by_rules(const struct unwind_stack* stack, struct unwind_state* state,
                    uintptr_t* function) {
  struct search search = {stack, state, function, UNWIND_NO_RULES};
  dl_iterate_phdr(object_step, &search);
  return search.result;
}

/* --- in signal handlers ---------------------------------------------------------------
 */

#if defined(DLFO_STRUCT_HAS_EH_DBASE) && (defined(__x86_64__) || defined(__aarch64__))
static int (*find_object)(void* address, struct dl_find_object* result);

bool unwind_may_in_handler(void) {
  if (find_object == NULL)
    *(void**) &find_object = dlsym(RTLD_DEFAULT, "_dl_find_object");
  return find_object != NULL;
}

static const unsigned char* section_of(uintptr_t place) {
  struct dl_find_object object;
  return find_object((void*) place, &object) == 0 ? object.dlfo_eh_frame : NULL;
}

bool unwind_step_in_handler(const struct unwind_stack* stack,
                            struct unwind_state* state) {
  const struct unwind_state before = *state;
  const struct unwind_table table = table_at(section_of(unwind_place(state)));
  if (unwind_by_table_in_handler(&table, stack, state) != UNWIND_STEPPED)
    return false;
  state->exact = false;
  return unwind_has_moved(&before, state) && section_of(unwind_place(state)) != NULL;
}
#else
bool unwind_may_in_handler(void) {
  return false;
}

bool unwind_step_in_handler(const struct unwind_stack* stack,
                            struct unwind_state* state) {
  (void) stack, (void) state;
  return false;
}
#endif
