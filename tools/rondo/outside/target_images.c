/* The program and the libraries of a target: their files, reached through the target's
 * own root where it lives in a container, their symbols, and the rules of their frames.
 */
#include "target.h"
#include "trace_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- files ----------------------------------------------------------------------------
 */

static bool is_mapped_file(const char* path, const struct mapping* map) {
  struct stat status;
  return stat(path, &status) == 0 && status.st_ino == map->inode;
}

/* A core file has the first page of what was mapped, with the number of the build. */
static bool is_same_build(const struct target* target, const struct mapping* map) {
  unsigned char was[1024], is[1024];
  FILE* file = fopen(map->path, "re");
  if (file == NULL)
    return false;
  bool same =
      map->offset != 0 || !target_read(target, map->start, was, sizeof(was)) ||
      (fread(is, 1, sizeof(is), file) == sizeof(is) && memcmp(was, is, sizeof(is)) == 0);
  fclose(file);
  return same;
}

/* The path in the target's own root; where the file was replaced or removed since, the
 * kernel still has the one that is mapped. */
static char* reachable(const struct target* target, const struct mapping* map) {
  char path[4200];
  if (target->core != NULL)
    return is_same_build(target, map) ? text_copy(map->path, strlen(map->path)) : NULL;
  snprintf(path, sizeof(path), "/proc/%d/root%.4100s", target->pid, map->path);
  if (!is_mapped_file(path, map))
    snprintf(path, sizeof(path), "/proc/%d/exe", target->pid);
  if (!is_mapped_file(path, map))
    snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", target->pid,
             (unsigned long long) map->start, (unsigned long long) map->end);
  return is_mapped_file(path, map) ? text_copy(path, strlen(path)) : NULL;
}

static const Elf64_Phdr* segments_of(const struct elf_file* file, size_t* count) {
  const Elf64_Ehdr* header = (const void*) file->bytes;
  *count = header->e_phnum;
  if (header->e_phoff > file->size || header->e_phoff % 8 != 0 ||
      (file->size - header->e_phoff) / sizeof(Elf64_Phdr) < *count)
    *count = 0;
  return (const void*) (file->bytes + header->e_phoff);
}

/* --- where it is ----------------------------------------------------------------------
 */

static void bias_find(struct image* image, uint64_t start, uint64_t offset) {
  size_t count;
  const Elf64_Phdr* segments = segments_of(&image->file, &count);
  bool first = true;
  for (size_t i = 0; i < count; i++) {
    const Elf64_Phdr* segment = &segments[i];
    if (segment->p_type != PT_LOAD)
      continue;
    if (first)
      image->origin = segment->p_vaddr - segment->p_offset; /* plus the bias, below */
    first = false;
    if (offset >= (segment->p_offset & ~(uint64_t) 4095) &&
        offset < segment->p_offset + segment->p_filesz) {
      image->bias = start - offset - (segment->p_vaddr - segment->p_offset);
      break;
    }
  }
  image->origin += image->bias;
}

/* The section and what it points to are read where the file is mapped in this process. */
static void rules_find(struct image* image) {
  size_t count;
  const struct elf_file* file = &image->file;
  const Elf64_Phdr* segments = segments_of(file, &count);
  for (size_t i = 0; i < count; i++) {
    const Elf64_Phdr* segment = &segments[i];
    if (segment->p_type != PT_GNU_EH_FRAME || segment->p_offset >= file->size)
      continue;
    uint64_t distance = segment->p_vaddr - segment->p_offset;
    image->rules = (struct unwind_table){
        .section = (const unsigned char*) file->bytes + segment->p_offset,
        .slide = (uintptr_t) file->bytes - distance - image->bias,
        .low = (const unsigned char*) file->bytes,
        .high = (const unsigned char*) file->bytes + file->size,
    };
  }
}

/* The kernel's own code has no file. */
static void vdso_open(struct target* target, struct image* image) {
  size_t size = image->end - image->start;
  char* bytes = size > 1 << 20 ? NULL : malloc(size);
  if (bytes == NULL || !target_read(target, image->start, bytes, size) ||
      memcmp(bytes, ELFMAG, SELFMAG) != 0) {
    free(bytes);
    return;
  }
  image->copied = bytes;
  image->file = (struct elf_file){.bytes = bytes, .size = size};
}

static void image_open(struct target* target, struct image* image,
                       const struct mapping* map) {
  if (strcmp(map->path, "[vdso]") == 0) {
    vdso_open(target, image);
  } else {
    image->opened = reachable(target, map);
    if (image->opened != NULL && !elf_open(image->opened, &image->file)) {
      free(image->opened);
      image->opened = NULL;
    }
  }
  if (image->file.bytes == NULL)
    return;
  bias_find(image, map->start, map->offset);
  rules_find(image);
}

/* A file's mappings follow each other; of those only files with code matter. */
void images_find(struct target* target) {
  size_t capacity = 0;
  for (size_t i = 0; i < target->map_count;) {
    const struct mapping* map = &target->maps[i];
    bool has_code = map->executable;
    size_t next = i + 1;
    for (; next < target->map_count && *map->path != '\0' &&
           strcmp(target->maps[next].path, map->path) == 0;
         next++)
      has_code = has_code || target->maps[next].executable;
    i = next;
    if (!has_code || (map->path[0] != '/' && strcmp(map->path, "[vdso]") != 0))
      continue;
    target->images = array_grow(target->images, target->image_count, &capacity,
                                sizeof(*target->images));
    struct image* image = &target->images[target->image_count++];
    *image = (struct image){.path = text_copy(map->path, strlen(map->path)),
                            .start = map->start,
                            .is_part = map->offset != 0,
                            .end = target->maps[next - 1].end,
                            .origin = map->start - map->offset};
    image_open(target, image, map);
  }
}

void images_free(struct target* target) {
  for (size_t i = 0; i < target->image_count; i++) {
    struct image* image = &target->images[i];
    if (image->copied != NULL)
      free(image->copied);
    else if (image->file.bytes != NULL)
      elf_close(&image->file);
    free(image->opened);
    free(image->path);
  }
  free(target->images);
  target->images = NULL;
  target->image_count = 0;
}

const struct image* image_at(const struct target* target, uint64_t address) {
  for (size_t i = 0; i < target->image_count; i++) {
    if (address >= target->images[i].start && address < target->images[i].end)
      return &target->images[i];
  }
  return NULL;
}

/* --- symbols --------------------------------------------------------------------------
 */

struct symbols {
  const Elf64_Sym* list;
  size_t count;
  const char* strings;
  size_t string_size;
};

static bool symbols_take(struct symbols* symbols, const struct elf_file* file,
                         uint32_t type) {
  for (size_t i = 0; i < file->section_count; i++) {
    const Elf64_Shdr* section = &file->sections[i];
    if (section->sh_type != type || section->sh_link >= file->section_count)
      continue;
    const Elf64_Shdr* strings = &file->sections[section->sh_link];
    if (section->sh_offset > file->size || section->sh_offset % 8 != 0 ||
        section->sh_size > file->size - section->sh_offset ||
        strings->sh_offset > file->size ||
        strings->sh_size > file->size - strings->sh_offset || strings->sh_size == 0 ||
        file->bytes[strings->sh_offset + strings->sh_size - 1] != '\0')
      continue;
    symbols->list = (const void*) (file->bytes + section->sh_offset);
    symbols->count = section->sh_size / sizeof(Elf64_Sym);
    symbols->strings = file->bytes + strings->sh_offset;
    symbols->string_size = strings->sh_size;
    return true;
  }
  return false;
}

/* Texts begin with one of a few letters: most symbols are out after one look. */
static void symbols_match(const struct symbols* symbols, const char* const* names,
                          uint64_t* values, size_t count) {
  bool begins[256][256] = {{false}};
  for (size_t i = 0; i < count; i++)
    begins[(unsigned char) names[i][0]][(unsigned char) names[i][1]] = true;
  for (size_t i = 0; i < symbols->count; i++) {
    const Elf64_Sym* symbol = &symbols->list[i];
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_name >= symbols->string_size)
      continue;
    const char* name = symbols->strings + symbol->st_name;
    if (name[0] == '\0' || !begins[(unsigned char) name[0]][(unsigned char) name[1]])
      continue;
    for (size_t j = 0; j < count; j++) {
      if (values[j] == 0 && strcmp(name, names[j]) == 0)
        values[j] = symbol->st_value;
    }
  }
}

/* Looks through the tables; values are the file's own. */
static void symbols_find(const struct image* image, const char* const* names,
                         uint64_t* values, size_t count) {
  struct symbols symbols;
  struct elf_file debug;
  if (symbols_take(&symbols, &image->file, SHT_SYMTAB)) {
    symbols_match(&symbols, names, values, count);
    return;
  }
  if (debug_file_open(&image->file, image->opened, &debug)) {
    if (symbols_take(&symbols, &debug, SHT_SYMTAB))
      symbols_match(&symbols, names, values, count);
    elf_close(&debug);
  }
  if (symbols_take(&symbols, &image->file, SHT_DYNSYM))
    symbols_match(&symbols, names, values, count);
}

/* A Node has some 200,000 symbols, and its processes have the same: the values found in a
 * file are kept. A caller's list of names is never freed, and its address stands for it.
 */
struct known_symbols {
  struct stat file;
  const char* const* names;
  bool is_known; /* the values are */
  uint64_t values[4];
};

static struct known_symbols* known_find(const struct stat* file,
                                        const char* const* names) {
  enum { KEPT = 256 };
  static struct known_symbols kept[KEPT];
  static size_t next;
  for (size_t i = 0; i < KEPT; i++) {
    const struct stat* other = &kept[i].file;
    if (kept[i].names == names && other->st_ino == file->st_ino &&
        other->st_dev == file->st_dev && other->st_size == file->st_size &&
        other->st_mtim.tv_sec == file->st_mtim.tv_sec &&
        other->st_mtim.tv_nsec == file->st_mtim.tv_nsec)
      return &kept[i];
  }
  struct known_symbols* place = &kept[next++ % KEPT];
  *place = (struct known_symbols){.file = *file, .names = names};
  return place;
}

void image_symbols(const struct image* image, const char* const* names,
                   uint64_t* addresses, size_t count) {
  enum { VALUES = sizeof(((struct known_symbols*) NULL)->values) / sizeof(uint64_t) };
  struct stat file;
  uint64_t values[VALUES] = {0};
  memset(addresses, 0, count * sizeof(*addresses));
  if (image->opened == NULL || image->file.sections == NULL || image->is_part ||
      count > VALUES)
    return;
  if (stat(image->opened, &file) == 0) {
    struct known_symbols* known = known_find(&file, names);
    if (!known->is_known)
      symbols_find(image, names, known->values, count);
    known->is_known = true;
    memcpy(values, known->values, sizeof(values));
  } else {
    symbols_find(image, names, values, count);
  }
  for (size_t i = 0; i < count; i++)
    addresses[i] = values[i] == 0 ? 0 : values[i] + image->bias;
}

void image_symbols_visit(const struct image* image, const char* begin,
                         void (*each)(void* data, const char* name, uint64_t address),
                         void* data) {
  struct symbols symbols;
  size_t length = strlen(begin);
  if (image->opened == NULL || image->file.sections == NULL || image->is_part ||
      (!symbols_take(&symbols, &image->file, SHT_SYMTAB) &&
       !symbols_take(&symbols, &image->file, SHT_DYNSYM)))
    return;
  for (size_t i = 0; i < symbols.count; i++) {
    const Elf64_Sym* symbol = &symbols.list[i];
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_name >= symbols.string_size)
      continue;
    const char* name = symbols.strings + symbol->st_name;
    if (strncmp(name, begin, length) == 0)
      each(data, name, symbol->st_value + image->bias);
  }
}

const char* image_object(const struct image* image, uint64_t address) {
  struct symbols symbols;
  if (image->opened == NULL || image->file.sections == NULL ||
      (!symbols_take(&symbols, &image->file, SHT_SYMTAB) &&
       !symbols_take(&symbols, &image->file, SHT_DYNSYM)))
    return NULL;
  for (size_t i = 0; i < symbols.count; i++) {
    const Elf64_Sym* symbol = &symbols.list[i];
    if (ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT && symbol->st_shndx != SHN_UNDEF &&
        address - (symbol->st_value + image->bias) < symbol->st_size &&
        symbol->st_name < symbols.string_size)
      return symbols.strings + symbol->st_name;
  }
  return NULL;
}

char* image_function(const struct target* target, uint64_t address) {
  const struct image* image = image_at(target, address);
  if (image == NULL)
    return NULL;
  if (image->opened == NULL) {
    const char* base = strrchr(image->path, '/');
    char text[160];
    int length = snprintf(text, sizeof(text), "%.100s+0x%llx",
                          base == NULL ? image->path : base + 1,
                          (unsigned long long) (address - image->origin));
    return text_copy(text, (size_t) length);
  }
  return symbol_name(image->opened, address - image->origin);
}
