/* The targets of the trampolines. Rondo's library can't be loaded before the C library is
 * initialised, so it is loaded when one of its functions is called for the first time. If
 * that fails, the adopted functions get their own bytes back: none of them has run yet,
 * so the program can continue on its own libuv. */
#include "adopt.h"
#include "base/own_fd.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void* _Atomic library; /* libuv.so.1, once it is loaded */

static void library_path(char* path, size_t size) {
  snprintf(path, size, "%s/libuv.so.1", adopt_directory);
}

bool resolve_is_possible(char* why, size_t size) {
  char path[PATH_MAX + 32];
  Elf64_Ehdr header;
  library_path(path, sizeof(path));
  int fd = own_fd_raise(open(path, O_RDONLY | O_CLOEXEC));
  bool possible = fd >= 0;
  if (possible && (read(fd, &header, sizeof(header)) != sizeof(header) ||
                   memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)) {
    possible = false;
    errno = ENOEXEC;
  }
  void* page = possible ? mmap(NULL, (size_t) sysconf(_SC_PAGESIZE),
                               PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0)
                        : MAP_FAILED;
  if (page == MAP_FAILED)
    snprintf(why, size, "%s can't be loaded: %s", path, strerror(errno));
  else
    munmap(page, (size_t) sysconf(_SC_PAGESIZE));
  if (fd >= 0)
    close(fd);
  return page != MAP_FAILED;
}

static void slot_set(struct adoption* adoption, size_t i, const void* target) {
  __atomic_store_n(&adoption->slots[i + 1], (uintptr_t) target, __ATOMIC_RELEASE);
}

static bool slots_fill(struct adoption* adoption) {
  const void* targets[ADOPT_FUNCTIONS];
  for (size_t i = 0; i < adoption->count; i++) {
    targets[i] = dlsym(library, adopt_names[adoption->functions[i].name]);
    if (targets[i] == NULL)
      return false;
  }
  for (size_t i = 0; i < adoption->count; i++)
    slot_set(adoption, i, targets[i]);
  return true;
}

static void give_back(struct adoption* adoption, const char* why) {
  text_restore(adoption->writes, adoption->write_count);
  for (size_t i = 0; i < adoption->count; i++)
    slot_set(adoption, i, adoption->functions[i].entry);
  adopt_say("%s is left alone: %s", adoption->object.path, why);
}

static void nothing_to_shut_down(void) {}

static struct adoption* adoption_numbered(unsigned int number) {
  struct adoption* adoption = adoptions;
  while (adoption->number != number)
    adoption = adoption->next;
  return adoption;
}

/* Several threads may run this at once. All do the same things, which can be done twice.
 * A lock would be worse: one thread may hold the loader's lock while the other waits for
 * it. */
static void library_load(void) {
  char path[PATH_MAX + 32];
  library_path(path, sizeof(path));
  const char* why = "it calls libuv before the C library is initialised";
  bool ready = adopt_c_library_is_ready();
  void* loaded = ready ? dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) : NULL;
  if (loaded == NULL && ready)
    why = dlerror();
  atomic_store_explicit(&library, loaded, memory_order_release);
  for (struct adoption* adoption = adoptions; adoption != NULL;
       adoption = adoption->next) {
    if (loaded == NULL || !slots_fill(adoption))
      give_back(adoption, loaded == NULL ? why : "libuv.so.1 is another one by now");
  }
}

void* resolve_first_use(unsigned int which) {
  int saved = errno;
  struct adoption* adoption = adoption_numbered(which >> 16);
  size_t i = which & 0xffff;
  void* target;
  /* Called by every built-in libuv at the end of the process, whether it was used or not.
   */
  if (strcmp(adopt_names[adoption->functions[i].name], "uv_library_shutdown") == 0 &&
      atomic_load_explicit(&library, memory_order_acquire) == NULL) {
    void (*nothing)(void) = nothing_to_shut_down;
    memcpy(&target, &nothing, sizeof(target));
  } else {
    library_load();
    target = (void*) __atomic_load_n(&adoption->slots[i + 1], __ATOMIC_ACQUIRE);
  }
  errno = saved;
  return target;
}

void resolve_prepare(struct adoption* adoption) {
  void (*resolve)(void) = processor_resolve;
  memcpy(&adoption->slots[0], &resolve, sizeof(resolve));
  for (size_t i = 0; i < adoption->count; i++) {
    const uint8_t* trampoline =
        (uint8_t*) adoption->region + (i + 1) * PROCESSOR_TRAMPOLINE;
    adoption->slots[i + 1] = processor_lazy(trampoline);
  }
  if (library != NULL)
    slots_fill(adoption);
}
