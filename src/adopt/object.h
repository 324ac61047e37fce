/* ELF objects of this process: what the loader has mapped and, where that is not enough,
 * the file it came from. The file's contents are checked before they are used. */
#ifndef RONDO_ADOPT_OBJECT_H
#define RONDO_ADOPT_OBJECT_H

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct adopt_table {
  const Elf64_Sym* symbols;
  size_t count;
  size_t imports; /* the first ones, which are undefined; 0: not known */
  const char* strings;
  size_t string_size;
};

/* The loader's own index of the dynamic table. */
struct gnu_hash {
  size_t bucket_count;
  size_t first; /* the first symbol that is indexed */
  const uint32_t* buckets;
  const uint32_t* chains;
  size_t chain_count; /* at most: the rest of the segment */
};

struct adopt_object {
  char path[PATH_MAX]; /* of the file that is mapped; see object_find_path */
  const Elf64_Phdr* segments;
  size_t segment_count;
  uintptr_t base;
  uintptr_t low, high; /* the range in which it is mapped */
  const char* soname;  /* or NULL */
  bool is_program;
  bool text_is_relocated; /* DT_TEXTREL */
  struct adopt_table dynamic;
  bool has_gnu_hash;
  struct gnu_hash gnu_hash;
};

/* The file an object came from. */
struct adopt_file {
  const uint8_t* bytes;
  size_t size;
  struct adopt_table full; /* its full symbol table, if it has one */
};

/* False if the object has no readable dynamic section. */
bool object_read(struct adopt_object* object, const struct dl_phdr_info* info);
/* Fills in the path; the loader doesn't give that of the program itself. False if the
 * path can't be found. Without /proc it is the path that was executed, which may be a
 * script's. maps.c. */
bool object_find_path(struct adopt_object* object);
/* The symbol that its dynamic table defines under that name, by the loader's index; NULL
 * if none. */
const Elf64_Sym* object_find(const struct adopt_object* object, const char* name);
/* Whether its dynamic table defines a symbol of that name. */
bool object_defines(const struct adopt_object* object, const char* name);
/* Whether the whole range is in one readable segment. */
bool object_has(const struct adopt_object* object, uintptr_t address, size_t size);
/* Whether the whole range is in one executable segment. */
bool object_is_text(const struct adopt_object* object, uintptr_t address, size_t size);

/* Maps the file. False if it doesn't exist, has been replaced, or has no full symbol
 * table. */
bool file_open(struct adopt_file* file, const struct adopt_object* object);
void file_close(struct adopt_file* file);
/* Whether the file has the same bytes as the memory at this address. */
bool file_agrees(const struct adopt_file* file, const struct adopt_object* object,
                 uintptr_t address, size_t size);

/* NULL unless the name ends inside the string table. */
const char* table_name(const struct adopt_table* table, const Elf64_Sym* symbol);
/* Whether a symbol's name begins with these bytes; a terminator may be one of them. */
bool table_begins(const struct adopt_table* table, const Elf64_Sym* symbol,
                  const char* start, size_t length);
/* The symbol that the table defines under that name, by a linear search; NULL if none. */
const Elf64_Sym* symbols_find(const struct adopt_table* table, const char* name);
/* Whether the table has an undefined symbol of that name: an import. */
bool table_imports(const struct adopt_table* table, const char* name);

/* /proc/self/maps, line by line. maps.c. */
struct mapping {
  uintptr_t start, end;
  char access[5];
  char path[PATH_MAX];
};
struct mappings {
  int fd;
  size_t length, next;
  char text[PATH_MAX + 512];
};
bool mappings_open(struct mappings* mappings);
bool mappings_next(struct mappings* mappings, struct mapping* mapping);
void mappings_close(struct mappings* mappings);

#endif
