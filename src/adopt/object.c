/* Reads objects that the loader has mapped. The addresses in the dynamic section may or
 * may not have been relocated by the loader yet; both forms are understood. The program
 * headers are trusted, since the loader has mapped the segments by them; every table is
 * used only as far as it lies inside a segment. */
#include "object.h"
#include "base/own_fd.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* How many bytes there are from an address to the end of its readable segment; 0 outside
 * of all segments. */
static size_t object_rest(const struct adopt_object* object, uintptr_t address) {
  for (size_t i = 0; i < object->segment_count; i++) {
    const Elf64_Phdr* segment = &object->segments[i];
    uintptr_t start = object->base + segment->p_vaddr;
    if (segment->p_type == PT_LOAD && (segment->p_flags & PF_R) != 0 &&
        address >= start && address - start < segment->p_memsz)
      return segment->p_memsz - (address - start);
  }
  return 0;
}

/* A table of an object, or NULL if there is none at that address. */
static const void* object_address(const struct adopt_object* object, uintptr_t value,
                                  size_t alignment) {
  if (value < object->low)
    value += object->base;
  return value % alignment == 0 && object_rest(object, value) != 0 ? (const void*) value
                                                                   : NULL;
}

bool object_has(const struct adopt_object* object, uintptr_t address, size_t size) {
  return size <= object_rest(object, address);
}

/* The number of symbols is only in the hash tables. */
static bool gnu_hash_read(struct adopt_object* object, const uint32_t* hash) {
  struct gnu_hash* table = &object->gnu_hash;
  size_t words = object_rest(object, (uintptr_t) hash) / sizeof(hash[0]);
  if (words < 4 || (words - 4) / 2 < hash[2] || words - 4 - hash[2] * 2 < hash[0])
    return false;
  table->bucket_count = hash[0];
  table->first = hash[1];
  table->buckets = hash + 4 + (size_t) hash[2] * 2;
  table->chains = table->buckets + table->bucket_count;
  table->chain_count = words - 4 - (size_t) hash[2] * 2 - table->bucket_count;
  size_t last = 0;
  for (size_t i = 0; i < table->bucket_count; i++)
    last = table->buckets[i] > last ? table->buckets[i] : last;
  object->dynamic.imports = table->first;
  object->dynamic.count = table->first;
  if (last < table->first)
    return true; /* the object defines no symbols */
  size_t chain = last - table->first;
  while (chain < table->chain_count && (table->chains[chain] & 1) == 0)
    chain++;
  object->dynamic.count += chain + 1;
  return chain < table->chain_count;
}

/* Whether the table lies inside the object, up to its last symbol and string. */
static bool object_has_table(const struct adopt_object* object) {
  const struct adopt_table* table = &object->dynamic;
  return table->symbols != NULL && table->strings != NULL &&
         table->count <=
             object_rest(object, (uintptr_t) table->symbols) / sizeof(Elf64_Sym) &&
         object_has(object, (uintptr_t) table->strings, table->string_size);
}

static void object_read_dynamic(struct adopt_object* object, const Elf64_Phdr* segment) {
  struct adopt_table* table = &object->dynamic;
  uintptr_t start = object->base + segment->p_vaddr;
  const Elf64_Dyn* entry = object_address(object, start, sizeof(void*));
  size_t count = object_rest(object, start) / sizeof(*entry);
  const uint32_t* gnu_hash = NULL;
  const uint32_t* hash = NULL;
  uint64_t soname = 0;
  if (entry == NULL)
    return;
  for (; count > 0 && entry->d_tag != DT_NULL; count--, entry++) {
    size_t alignment = entry->d_tag == DT_STRTAB   ? 1
                       : entry->d_tag == DT_SYMTAB ? sizeof(void*)
                                                   : sizeof(uint32_t);
    const void* address = object_address(object, entry->d_un.d_ptr, alignment);
    switch (entry->d_tag) {
    case DT_SYMTAB:
      table->symbols = address;
      break;
    case DT_STRTAB:
      table->strings = address;
      break;
    case DT_STRSZ:
      table->string_size = entry->d_un.d_val;
      break;
    case DT_GNU_HASH:
      gnu_hash = address;
      break;
    case DT_HASH:
      hash = address;
      break;
    case DT_SONAME:
      soname = entry->d_un.d_val;
      break;
    case DT_TEXTREL:
      object->text_is_relocated = true;
      break;
    case DT_FLAGS:
      if ((entry->d_un.d_val & DF_TEXTREL) != 0)
        object->text_is_relocated = true;
      break;
    default:
      break;
    }
  }
  object->has_gnu_hash = gnu_hash != NULL;
  if (gnu_hash != NULL && !gnu_hash_read(object, gnu_hash))
    table->count = 0;
  else if (gnu_hash == NULL && hash != NULL &&
           object_has(object, (uintptr_t) hash, 2 * sizeof(hash[0])))
    table->count = hash[1];
  if (!object_has_table(object))
    memset(table, 0, sizeof(*table));
  if (soname != 0 && soname < table->string_size)
    object->soname = table->strings + soname;
}

bool object_read(struct adopt_object* object, const struct dl_phdr_info* info) {
  const Elf64_Phdr* dynamic = NULL;
  memset(object, 0, sizeof(*object));
  object->base = info->dlpi_addr;
  object->segments = info->dlpi_phdr;
  object->segment_count = info->dlpi_phnum;
  object->low = UINTPTR_MAX;
  /* glibc gives the program no name, musl the path. */
  object->is_program = info->dlpi_name == NULL || info->dlpi_name[0] == '\0' ||
                       (uintptr_t) info->dlpi_phdr == getauxval(AT_PHDR);
  for (size_t i = 0; i < object->segment_count; i++) {
    const Elf64_Phdr* segment = &object->segments[i];
    uintptr_t start = object->base + segment->p_vaddr;
    if (segment->p_type == PT_DYNAMIC)
      dynamic = segment;
    if (segment->p_type != PT_LOAD)
      continue;
    object->low = start < object->low ? start : object->low;
    if (start + segment->p_memsz > object->high)
      object->high = start + segment->p_memsz;
  }
  if (dynamic == NULL || object->high == 0)
    return false;
  if (!object->is_program)
    snprintf(object->path, sizeof(object->path), "%s", info->dlpi_name);
  object_read_dynamic(object, dynamic);
  return object->dynamic.count != 0;
}

static uint32_t gnu_hash_of(const char* name) {
  uint32_t hash = 5381;
  for (; *name != '\0'; name++)
    hash = hash * 33 + (unsigned char) *name;
  return hash;
}

const Elf64_Sym* object_find(const struct adopt_object* object, const char* name) {
  const struct adopt_table* table = &object->dynamic;
  const struct gnu_hash* hash = &object->gnu_hash;
  if (!object->has_gnu_hash)
    return symbols_find(table, name);
  if (hash->bucket_count == 0)
    return NULL;
  uint32_t wanted = gnu_hash_of(name);
  size_t at = hash->buckets[wanted % hash->bucket_count];
  for (; at >= hash->first && at < table->count; at++) {
    uint32_t found = hash->chains[at - hash->first];
    const char* text =
        (found | 1) == (wanted | 1) ? table_name(table, &table->symbols[at]) : NULL;
    if (text != NULL && strcmp(text, name) == 0)
      return table->symbols[at].st_shndx != SHN_UNDEF ? &table->symbols[at] : NULL;
    if ((found & 1) != 0)
      break;
  }
  return NULL;
}

bool object_defines(const struct adopt_object* object, const char* name) {
  return object_find(object, name) != NULL;
}

bool object_is_text(const struct adopt_object* object, uintptr_t address, size_t size) {
  for (size_t i = 0; i < object->segment_count; i++) {
    const Elf64_Phdr* segment = &object->segments[i];
    uintptr_t start = object->base + segment->p_vaddr;
    if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X) != 0 &&
        address >= start && address - start <= segment->p_filesz &&
        size <= segment->p_filesz - (address - start))
      return true;
  }
  return false;
}

/* --- the file ---------------------------------------------------------------------- */

static const void* file_part(const struct adopt_file* file, uint64_t offset,
                             uint64_t size) {
  if (offset > file->size || size > file->size - offset)
    return NULL;
  return file->bytes + offset;
}

static bool file_find_table(struct adopt_file* file) {
  const Elf64_Ehdr* header = (const void*) file->bytes;
  const Elf64_Shdr* sections =
      file_part(file, header->e_shoff, (uint64_t) header->e_shnum * sizeof(Elf64_Shdr));
  if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff % 8 != 0 ||
      sections == NULL)
    return false;
  for (size_t i = 0; i < header->e_shnum; i++) {
    const Elf64_Shdr* section = &sections[i];
    if (section->sh_type != SHT_SYMTAB || section->sh_link >= header->e_shnum ||
        section->sh_offset % 8 != 0)
      continue;
    const Elf64_Shdr* strings = &sections[section->sh_link];
    file->full.symbols = file_part(file, section->sh_offset, section->sh_size);
    file->full.count = section->sh_size / sizeof(Elf64_Sym);
    file->full.strings = file_part(file, strings->sh_offset, strings->sh_size);
    file->full.string_size = strings->sh_size;
    return file->full.symbols != NULL && file->full.strings != NULL;
  }
  return false;
}

bool file_open(struct adopt_file* file, const struct adopt_object* object) {
  struct stat status;
  if (file->bytes != NULL)
    return true;
  int fd = own_fd_raise(open(object->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd < 0)
    return false;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
      (size_t) status.st_size >= sizeof(Elf64_Ehdr)) {
    file->size = (size_t) status.st_size;
    void* bytes = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, fd, 0);
    file->bytes = bytes == MAP_FAILED ? NULL : bytes;
  }
  close(fd);
  if (file->bytes == NULL)
    return false;
  /* The headers are mapped too: if another file has taken this file's name, they differ.
   */
  const Elf64_Ehdr* header = (const void*) file->bytes;
  const void* segments = file_part(file, header->e_phoff,
                                   (uint64_t) object->segment_count * sizeof(Elf64_Phdr));
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
      header->e_ident[EI_CLASS] == ELFCLASS64 &&
      header->e_phnum == object->segment_count && segments != NULL &&
      memcmp(segments, object->segments, object->segment_count * sizeof(Elf64_Phdr)) ==
          0 &&
      file_find_table(file))
    return true;
  file_close(file);
  return false;
}

void file_close(struct adopt_file* file) {
  if (file->bytes != NULL)
    munmap((void*) (uintptr_t) file->bytes, file->size);
  memset(file, 0, sizeof(*file));
}

bool file_agrees(const struct adopt_file* file, const struct adopt_object* object,
                 uintptr_t address, size_t size) {
  for (size_t i = 0; i < object->segment_count; i++) {
    const Elf64_Phdr* segment = &object->segments[i];
    uintptr_t start = object->base + segment->p_vaddr;
    if (segment->p_type != PT_LOAD || address < start ||
        address - start >= segment->p_filesz ||
        size > segment->p_filesz - (address - start))
      continue;
    uint64_t offset = segment->p_offset + (address - start);
    const void* bytes = file_part(file, offset, size);
    return bytes != NULL && memcmp(bytes, (const void*) address, size) == 0;
  }
  return false;
}

/* --- symbol tables ----------------------------------------------------------------- */

const char* table_name(const struct adopt_table* table, const Elf64_Sym* symbol) {
  if (symbol->st_name >= table->string_size)
    return NULL;
  const char* name = table->strings + symbol->st_name;
  size_t left = table->string_size - symbol->st_name;
  return memchr(name, '\0', left) == NULL ? NULL : name;
}

bool table_begins(const struct adopt_table* table, const Elf64_Sym* symbol,
                  const char* start, size_t length) {
  const char* name = table->strings + symbol->st_name;
  return symbol->st_name < table->string_size &&
         table->string_size - symbol->st_name >= length && name[0] == start[0] &&
         memcmp(name, start, length) == 0;
}

static bool table_is_called(const struct adopt_table* table, const Elf64_Sym* symbol,
                            const char* name) {
  return table_begins(table, symbol, name, strlen(name) + 1);
}

const Elf64_Sym* symbols_find(const struct adopt_table* table, const char* name) {
  /* Searching a long string table is faster than going through its symbols. */
  if (table->count == 0 ||
      memmem(table->strings, table->string_size, name, strlen(name) + 1) == NULL)
    return NULL;
  for (size_t i = table->imports; i < table->count; i++) {
    const Elf64_Sym* symbol = &table->symbols[i];
    if (symbol->st_shndx != SHN_UNDEF && table_is_called(table, symbol, name))
      return symbol;
  }
  return NULL;
}

bool table_imports(const struct adopt_table* table, const char* name) {
  size_t count = table->imports != 0 ? table->imports : table->count;
  for (size_t i = 0; i < count; i++) {
    const Elf64_Sym* symbol = &table->symbols[i];
    if (symbol->st_shndx == SHN_UNDEF && table_is_called(table, symbol, name))
      return true;
  }
  return false;
}
