/* Trampolines: a few pages within a jump's reach of the functions, followed by the slots
 * that hold their targets. The code is written to a memory file and mapped from there, so
 * that no page is ever writable and executable. */
#include "adopt.h"
#include "base/own_fd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

/* Nothing is mapped below this: the lowest addresses catch null pointers. */
static const uintptr_t lowest_place = 0x100000;

static size_t page_round(size_t size) {
  size_t page = (size_t) sysconf(_SC_PAGESIZE);
  return (size + page - 1) & ~(page - 1);
}

/* Chooses the upper end of a gap between mappings, since a heap may grow at the lower
 * end. The gap right below the object is preferred. */
static uintptr_t place_find(const struct adopt_object* object, uintptr_t from,
                            uintptr_t to, size_t size) {
  static struct mappings mappings;
  static struct mapping mapping;
  uintptr_t best = 0;
  uintptr_t start = lowest_place;
  if (!mappings_open(&mappings))
    return 0;
  while (mappings_next(&mappings, &mapping)) {
    uintptr_t low = start > from ? start : from;
    uintptr_t high = mapping.start < to ? mapping.start : to;
    /* A stack grows into the gap below it. */
    bool fits = high > low && high - low >= size && strcmp(mapping.path, "[stack]") != 0;
    bool is_above = mapping.start > object->low;
    if (fits && (!is_above || best == 0))
      best = (high - size) & ~((uintptr_t) sysconf(_SC_PAGESIZE) - 1);
    if (mapping.end > start)
      start = mapping.end;
  }
  mappings_close(&mappings);
  return best;
}

/* Where nothing is mapped yet, and nowhere else. Kernels before 4.17 take the address for
 * a wish. */
static void* reserve_at(uintptr_t place, size_t size) {
  errno = EEXIST;
  if (place == 0)
    return MAP_FAILED;
  void* region = mmap((void*) place, size, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (region == MAP_FAILED || region == (void*) place)
    return region;
  munmap(region, size);
  errno = EEXIST;
  return MAP_FAILED;
}

/* Reserves addresses, not accessible yet. Right below a program there is nothing as a
 * rule; below a library there may be another one, and the list of mappings is read. */
static bool region_reserve(struct adoption* adoption) {
  uintptr_t first = (uintptr_t) adoption->functions[0].entry;
  uintptr_t last = (uintptr_t) adoption->functions[adoption->count - 1].entry;
  size_t size = adoption->region_size;
  uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE);
  uintptr_t from = last > processor_reach ? last - processor_reach : 0;
  uintptr_t to = first + processor_reach;
  uintptr_t below = (adoption->object.low & ~(page - 1)) - size;
  bool fits = adoption->object.low > lowest_place + size && below >= from;
  void* region = reserve_at(fits ? below : 0, size);
  if (region == MAP_FAILED && errno == EEXIST)
    region = reserve_at(place_find(&adoption->object, from, to, size), size);
  if (region == MAP_FAILED && errno != EEXIST)
    return adopt_refuse(adoption, "no memory for trampolines: %s", strerror(errno));
  if (region == MAP_FAILED)
    return adopt_refuse(adoption, "there is no room within %zu MiB of its functions",
                        (processor_reach >> 20) + 1);
  adoption->region = region;
  return true;
}

static bool code_map_from_file(void* at, const void* image, size_t size) {
  int fd = own_fd_raise(memfd_create("rondo-adopt", MFD_CLOEXEC | MFD_EXEC));
  if (fd < 0 && errno == EINVAL) /* before Linux 6.3 */
    fd = own_fd_raise(memfd_create("rondo-adopt", MFD_CLOEXEC));
  if (fd < 0)
    return false;
  bool mapped =
      write(fd, image, size) == (ssize_t) size &&
      mmap(at, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0) == at &&
      memcmp(at, image, size) == 0;
  if (mapped)
    processor_text_changed(at, size);
  close(fd);
  return mapped;
}

static bool code_map_anonymous(void* at, const void* image, size_t size) {
  if (mprotect(at, size, PROT_READ | PROT_WRITE) != 0)
    return false;
  memcpy(at, image, size);
  processor_text_changed(at, size);
  return mprotect(at, size, PROT_READ | PROT_EXEC) == 0;
}

bool region_make(struct adoption* adoption) {
  static uint8_t image[(ADOPT_FUNCTIONS + 1) * PROCESSOR_TRAMPOLINE];
  size_t image_size = (adoption->count + 1) * PROCESSOR_TRAMPOLINE;
  size_t code_size = page_round(image_size);
  adoption->slots_size = page_round((adoption->count + 1) * sizeof(uintptr_t));
  adoption->region_size = code_size + adoption->slots_size;
  if (!region_reserve(adoption))
    return false;
  uint8_t* code = adoption->region;
  adoption->slots = (uintptr_t*) (void*) (code + code_size);
  for (int i = -1; i < (int) adoption->count; i++) {
    size_t offset = (size_t) (i + 1) * PROCESSOR_TRAMPOLINE;
    processor_trampoline(image + offset, code + offset, adoption->slots, i,
                         adoption->number << 16 | (unsigned int) (i < 0 ? 0 : i));
  }
  bool made =
      (code_map_from_file(code, image, image_size) ||
       code_map_anonymous(code, image, image_size)) &&
      mprotect(adoption->slots, adoption->slots_size, PROT_READ | PROT_WRITE) == 0;
  if (!made)
    return adopt_refuse(
        adoption, "the system lets no new code be mapped (memfd_create and mprotect "
                  "are refused: a seccomp filter, or MemoryDenyWriteExecute with "
                  "vm.memfd_noexec; allow one of the two)");
  return true;
}

void region_free(struct adoption* adoption) {
  if (adoption->region != NULL)
    munmap(adoption->region, adoption->region_size);
  adoption->region = NULL;
}
