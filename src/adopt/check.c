/* RONDO_ADOPT=check, set by `rondo exec --check`. By now the adoption has been made and
 * reported. The process ends here, before any code of the program has run; its exit
 * status says what would happen to the program. */
#include "check.h"

#include "adopt.h"

#include <link.h>
#include <string.h>
#include <unistd.h>

struct check_shared {
  bool found;
  bool ours;
};

static int find_shared(struct dl_phdr_info* info, size_t size, void* argument) {
  static struct adopt_object object;
  struct check_shared* shared = argument;
  (void) size;
  if (!object_read(&object, info) || object.soname == NULL ||
      strcmp(object.soname, "libuv.so.1") != 0)
    return 0;
  shared->found = true;
  shared->ours = object_defines(&object, "rondo_loop_limit");
  const Elf64_Sym* symbol = symbols_find(&object.dynamic, "uv_version");
  unsigned int version = 0;
  size_t count = 0;
  for (size_t i = object.dynamic.imports; i < object.dynamic.count; i++) {
    const char* name = table_name(&object.dynamic, &object.dynamic.symbols[i]);
    count += name != NULL && strncmp(name, "uv_", 3) == 0;
  }
  if (symbol != NULL)
    processor_constant((const uint8_t*) object.base + symbol->st_value, symbol->st_size,
                       &version);
  adopt_say("it is linked with libuv.so.1, and takes %s: libuv %u.%u.%u, %zu functions",
            object.path, version >> 16, version >> 8 & 0xff, version & 0xff, count);
  return 1;
}

void check_report(void) {
  struct check_shared shared = {0};
  dl_iterate_phdr(find_shared, &shared);
  if (adoptions != NULL)
    _exit(CHECK_ADOPTED);
  if (shared.found)
    _exit(shared.ours ? CHECK_LINKED : CHECK_LINKED_ELSEWHERE);
  _exit(adopt_has_refused() ? CHECK_REFUSED : CHECK_NEITHER);
}
