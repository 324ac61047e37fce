/* src/adopt reads objects that it did not make: broken ones are refused, or read as far
 * as they make sense, and never crash it. Our own libuv.so.1 is laid out in memory as a
 * loader would, between pages that can't be touched; then fields of its tables, and of
 * its file, become wild: counts, offsets, sizes, in every table that is read, some
 * thousand ways with a fixed seed, and at every cut of the file's end. */
#include "adopt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the three above first. */
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROUNDS = 4000, CHANGES_MAX = 4, PAGE = 4096 };

/* --- what adopt.c, loader.c and resolve.c offer ------------------------------------- */

struct adopt_settings adopt_settings;
char adopt_directory[PATH_MAX];
struct adoption* adoptions;

bool adopt_refuse(struct adoption* adoption, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(adoption->why, sizeof(adoption->why), format, arguments);
  va_end(arguments);
  return false;
}

bool adopt_c_library_is_ready(void) {
  return false;
}

bool loader_is_watching(void) {
  return false;
}

void* resolve_first_use(unsigned int which) {
  (void) which;
  return NULL;
}

/* --- the object ----------------------------------------------------------------------
 */

static uint8_t* file_bytes;
static size_t file_size;
static uint8_t* pristine; /* of the arena */
static uint8_t* arena;    /* the object as it is mapped */
static size_t arena_size;
static struct dl_phdr_info info;
static struct adoption adoption; /* large */
static uint64_t seed = 0x9e3779b97f4a7c15u;

static uint64_t next_random(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}

static size_t random_below(size_t limit) {
  return (size_t) (next_random() % limit);
}

static int arena_make(void** state) {
  (void) state;
  struct stat status;
  int fd = open(LIBRARY, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &status) != 0)
    return -1;
  file_size = (size_t) status.st_size;
  file_bytes = malloc(file_size);
  if (file_bytes == NULL || read(fd, file_bytes, file_size) != (ssize_t) file_size)
    return -1;
  close(fd);
  const Elf64_Ehdr* header = (const void*) file_bytes;
  const Elf64_Phdr* segments = (const void*) (file_bytes + header->e_phoff);
  for (size_t i = 0; i < header->e_phnum; i++) {
    size_t end = segments[i].p_vaddr + segments[i].p_memsz;
    if (segments[i].p_type == PT_LOAD && end > arena_size)
      arena_size = end;
  }
  arena_size = (arena_size + PAGE - 1) / PAGE * PAGE;
  uint8_t* room = mmap(NULL, arena_size + (size_t) 2 * PAGE, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED)
    return -1;
  arena = room + PAGE;
  pristine = calloc(1, arena_size);
  for (size_t i = 0; pristine != NULL && i < header->e_phnum; i++) {
    const Elf64_Phdr* segment = &segments[i];
    if (segment->p_type != PT_LOAD)
      continue;
    memcpy(pristine + segment->p_vaddr, file_bytes + segment->p_offset,
           segment->p_filesz);
    /* What lies between segments can't be touched either. */
    size_t start = segment->p_vaddr / PAGE * PAGE;
    size_t end = (segment->p_vaddr + segment->p_memsz + PAGE - 1) / PAGE * PAGE;
    if (mprotect(arena + start, end - start, PROT_READ | PROT_WRITE) != 0)
      return -1;
  }
  info.dlpi_addr = (uintptr_t) arena;
  info.dlpi_name = LIBRARY;
  info.dlpi_phdr = segments;
  info.dlpi_phnum = header->e_phnum;
  return pristine == NULL ? -1 : 0;
}

static void arena_reset(void) {
  for (size_t i = 0; i < info.dlpi_phnum; i++) {
    const Elf64_Phdr* segment = &info.dlpi_phdr[i];
    if (segment->p_type == PT_LOAD)
      memcpy(arena + segment->p_vaddr, pristine + segment->p_vaddr, segment->p_memsz);
  }
}

static const Elf64_Dyn* dynamic_section(void) {
  for (size_t i = 0; i < info.dlpi_phnum; i++) {
    if (info.dlpi_phdr[i].p_type == PT_DYNAMIC)
      return (const void*) (arena + info.dlpi_phdr[i].p_vaddr);
  }
  return NULL;
}

/* Where a table of the untouched object is. */
static uint8_t* table_at(int64_t tag) {
  const Elf64_Dyn* entry = dynamic_section();
  while (entry->d_tag != tag && entry->d_tag != DT_NULL)
    entry++;
  assert_int_equal(entry->d_tag, tag);
  return arena + entry->d_un.d_ptr;
}

/* It is ours, which is never adopted: here it shall be somebody else's. */
static void disguise(uint8_t* bytes, size_t size) {
  uint8_t* name;
  while ((name = memmem(bytes, size, "rondo_loop_limit", 16)) != NULL)
    name[0] = 'x';
}

static uint64_t wild_value(uint64_t old) {
  static const uint64_t values[] = {0,          1,
                                    7,          0x7fffffff,
                                    0x80000000, 0xffffffff,
                                    INT64_MAX,  (uint64_t) INT64_MAX + 1,
                                    UINT64_MAX, UINT64_MAX - 7};
  size_t which = random_below(sizeof(values) / sizeof(values[0]) + 5);
  switch (which) {
  case 0:
    return next_random();
  case 1:
    return old + 1 + random_below(4096);
  case 2:
    return old - 1 - random_below(4096);
  case 3:
    return arena_size - random_below(64);
  case 4:
    return (uintptr_t) arena + arena_size - random_below(64);
  default:
    return values[which - 5];
  }
}

static void make_wild(uint8_t* at, size_t width) {
  uint64_t value = 0;
  memcpy(&value, at, width);
  value = wild_value(value);
  memcpy(at, &value, width);
}

/* Everything that is asked of an object, up to the jumps that would be written. */
static bool read_everything(struct adopt_file* file) {
  memset(&adoption, 0, sizeof(adoption));
  if (!object_read(&adoption.object, &info))
    return false;
  struct adopt_object* object = &adoption.object;
  if (object->soname != NULL)
    assert_true(strlen(object->soname) < arena_size);
  questions_find_libuv(object, file);
  table_imports(&object->dynamic, "epoll_ctl");
  if (!questions_collect(&adoption, file))
    return false;
  adoption.region = arena; /* any place nearby */
  return adoption.count > 0 && plan_writes(&adoption);
}

/* --- the tests -----------------------------------------------------------------------
 */

static void an_object_as_it_is_can_be_planned(void** state) {
  (void) state;
  struct adopt_file none = {0};
  arena_reset();
  assert_false(read_everything(&none));
  assert_string_equal(adoption.why, "it is Rondo's");
  disguise(arena + (table_at(DT_STRTAB) - arena), 1 << 14);
  if (!read_everything(&none))
    fail_msg("%s", adoption.why);
  assert_int_equal(adoption.count, adopt_name_count);
  assert_true(adoption.write_count >= adoption.count);
}

/* Tables of the object in memory. The segments themselves are the loader's. */
static void wild_tables_never_crash(void** state) {
  (void) state;
  struct adopt_file none = {0};
  int planned = 0;
  for (int round = 0; round < ROUNDS; round++) {
    arena_reset();
    uint8_t* symbols = table_at(DT_SYMTAB);
    uint8_t* hash = table_at(DT_GNU_HASH);
    uint8_t* strings = table_at(DT_STRTAB);
    uint8_t* dynamic = (uint8_t*) (uintptr_t) dynamic_section();
    disguise(strings, 1 << 14);
    for (size_t changes = 1 + random_below(CHANGES_MAX); changes > 0; changes--) {
      switch (random_below(5)) {
      case 0: /* an entry of the dynamic section: its tag or its value */
        make_wild(dynamic + random_below(60) * 8, 8);
        break;
      case 1: /* the hash table's header */
        make_wild(hash + random_below(4) * 4, 4);
        break;
      case 2: /* its filter, buckets and chains */
        make_wild(hash + 16 + random_below(600) * 4, 4);
        break;
      case 3: /* a field of a symbol */
        make_wild(symbols + random_below(600) * sizeof(Elf64_Sym) + random_below(3) * 8,
                  8);
        break;
      default: /* names without an end */
        memset(strings + random_below(4000), 'u', 1 + random_below(4000));
        break;
      }
    }
    planned += read_everything(&none);
  }
  /* The changes hit where it matters, but not always. */
  assert_in_range(planned, 1, ROUNDS - 1);
}

/* The file, read by its name: sections, symbols and strings may lie anywhere. */
static bool read_file_with(const uint8_t* bytes, size_t size) {
  char path[64];
  int fd = memfd_create("broken", MFD_CLOEXEC);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, bytes, size), (ssize_t) size);
  struct adopt_file file = {0};
  memset(&adoption, 0, sizeof(adoption));
  assert_true(object_read(&adoption.object, &info));
  snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
  memcpy(adoption.object.path, path, sizeof(path));
  bool opened = file_open(&file, &adoption.object);
  if (opened) {
    symbols_find(&file.full, "uv_run");
    adoption.full_table = true;
    for (size_t i = 0; i < 50; i++)
      file_agrees(&file, &adoption.object, (uintptr_t) arena + random_below(arena_size),
                  random_below(100000));
  }
  file_close(&file);
  close(fd);
  return opened;
}

static void wild_files_never_crash(void** state) {
  (void) state;
  const Elf64_Ehdr* header = (const void*) file_bytes;
  uint8_t* copy = malloc(file_size);
  assert_non_null(copy);
  arena_reset();
  assert_true(read_file_with(file_bytes, file_size));
  int opened = 0;
  for (int round = 0; round < ROUNDS / 10; round++) {
    memcpy(copy, file_bytes, file_size);
    for (size_t changes = 1 + random_below(CHANGES_MAX); changes > 0; changes--) {
      if (random_below(4) == 0)
        make_wild(copy + random_below(sizeof(*header) / 2) * 2, 2);
      else /* a section's type, offset, size, link … */
        make_wild(copy + header->e_shoff + random_below(header->e_shnum * 8u) * 8, 8);
    }
    opened += read_file_with(copy, file_size);
  }
  assert_in_range(opened, 1, ROUNDS / 10 - 1);
  for (size_t cut = 0; cut < file_size; cut += 1 + file_size / 200)
    read_file_with(file_bytes, cut);
  free(copy);
}

/* A region is made where jumps reach it, and its trampolines lead to their slots. */
static void a_region_is_within_reach(void** state) {
  (void) state;
  struct adopt_file none = {0};
  arena_reset();
  disguise(table_at(DT_STRTAB), 1 << 14);
  assert_true(read_everything(&none));
  adoption.region = NULL;
  if (!region_make(&adoption))
    fail_msg("%s", adoption.why);
  for (size_t i = 0; i < adoption.count; i++) {
    intptr_t way = (intptr_t) adoption.region - (intptr_t) adoption.functions[i].entry;
    assert_true(way < (intptr_t) processor_reach && -way < (intptr_t) processor_reach);
  }
  assert_true(plan_writes(&adoption));
  for (size_t i = 0; i + 1 < adoption.write_count; i++)
    assert_true(object_is_text(&adoption.object, (uintptr_t) adoption.writes[i].at,
                               adoption.writes[i].length));
  region_free(&adoption);
  assert_null(adoption.region);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_object_as_it_is_can_be_planned),
      cmocka_unit_test(wild_tables_never_crash),
      cmocka_unit_test(wild_files_never_crash),
      cmocka_unit_test(a_region_is_within_reach),
  };
  return cmocka_run_group_tests(tests, arena_make, NULL);
}
