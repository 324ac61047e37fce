/* Finds the symbols of a stripped program or library: in a separate file, searched for as
 * gdb does: by the build-id below /usr/lib/debug/.build-id, then by the name in
 * .gnu_debuglink, beside the file, in .debug beside it, and below /usr/lib/debug. A file
 * that is found by name must have the right checksum. */
#include "trace_debug_files.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEBUG_FILES "/usr/lib/debug"

/* The section of that name; NULL unless it is completely inside the file. */
static const char* section_find(const struct elf_file* file, const char* name,
                                size_t* size) {
  const Elf64_Ehdr* header = (const void*) file->bytes;
  if (header->e_shstrndx >= file->section_count)
    return NULL;
  const Elf64_Shdr* strings = &file->sections[header->e_shstrndx];
  if (strings->sh_offset > file->size ||
      strings->sh_size > file->size - strings->sh_offset)
    return NULL;
  for (size_t i = 0; i < file->section_count; i++) {
    const Elf64_Shdr* section = &file->sections[i];
    size_t left = section->sh_name < strings->sh_size
                      ? (size_t) (strings->sh_size - section->sh_name)
                      : 0;
    const char* own = file->bytes + strings->sh_offset + section->sh_name;
    if (strlen(name) >= left || memcmp(own, name, strlen(name) + 1) != 0 ||
        section->sh_type == SHT_NOBITS || section->sh_offset > file->size ||
        section->sh_size > file->size - section->sh_offset)
      continue;
    *size = section->sh_size;
    return file->bytes + section->sh_offset;
  }
  return NULL;
}

/* --- by build-id -------------------------------------------------------------------- */

/* The length of the build-id; 0 if there is none. */
static size_t build_id(const struct elf_file* file, const unsigned char** id) {
  size_t size;
  const char* note = section_find(file, ".note.gnu.build-id", &size);
  Elf64_Nhdr head;
  if (note == NULL || size < sizeof(head) + 4)
    return 0;
  memcpy(&head, note, sizeof(head));
  if (head.n_type != NT_GNU_BUILD_ID || head.n_namesz != 4 || head.n_descsz < 2 ||
      head.n_descsz > 64 || head.n_descsz > size - sizeof(head) - 4)
    return 0;
  *id = (const unsigned char*) note + sizeof(head) + 4;
  return head.n_descsz;
}

static bool has_build_id(const struct elf_file* file, const struct elf_file* other) {
  const unsigned char *own, *others;
  size_t size = build_id(file, &own);
  return size > 0 && build_id(other, &others) == size && memcmp(own, others, size) == 0;
}

static bool open_by_build_id(const struct elf_file* file, struct elf_file* found) {
  const unsigned char* id;
  char path[PATH_MAX] = DEBUG_FILES "/.build-id/";
  size_t size = build_id(file, &id), used = strlen(path);
  if (size == 0)
    return false;
  for (size_t i = 0; i < size; i++)
    used += (size_t) snprintf(path + used, sizeof(path) - used, i == 1 ? "/%02x" : "%02x",
                              id[i]);
  snprintf(path + used, sizeof(path) - used, ".debug");
  if (!elf_open(path, found))
    return false;
  if (has_build_id(file, found))
    return true;
  elf_close(found);
  return false;
}

/* --- by name -------------------------------------------------------------------------
 */

static uint32_t checksum(const char* bytes, size_t size) {
  uint32_t table[256], sum = 0xffffffff;
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t row = i;
    for (int bit = 0; bit < 8; bit++)
      row = row >> 1 ^ ((row & 1) != 0 ? 0xedb88320 : 0);
    table[i] = row;
  }
  for (size_t i = 0; i < size; i++)
    sum = table[(sum ^ (unsigned char) bytes[i]) & 0xff] ^ sum >> 8;
  return ~sum;
}

static bool open_named(const char* path, uint32_t sum, struct elf_file* found) {
  if (!elf_open(path, found))
    return false;
  if (checksum(found->bytes, found->size) == sum)
    return true;
  elf_close(found);
  return false;
}

/* The section contains a name, zeros up to a multiple of four, and the checksum. */
static bool open_by_name(const struct elf_file* file, const char* file_path,
                         struct elf_file* found) {
  static const char* const places[][2] = {
      {"", "/"}, {"", "/.debug/"}, {DEBUG_FILES, "/"}};
  size_t size;
  const char* link = section_find(file, ".gnu_debuglink", &size);
  const char* slash = strrchr(file_path, '/');
  size_t length = link == NULL ? 0 : strnlen(link, size);
  uint32_t sum;
  if (length == 0 || slash == NULL || (length + 4) / 4 * 4 + sizeof(sum) > size ||
      strchr(link, '/') != NULL)
    return false;
  memcpy(&sum, link + (length + 4) / 4 * 4, sizeof(sum));
  for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
    char path[PATH_MAX];
    int written = snprintf(path, sizeof(path), "%s%.*s%s%s", places[i][0],
                           (int) (slash - file_path), file_path, places[i][1], link);
    if (written > 0 && (size_t) written < sizeof(path) && strcmp(path, file_path) != 0 &&
        open_named(path, sum, found))
      return true;
  }
  return false;
}

bool debug_file_open(const struct elf_file* file, const char* path,
                     struct elf_file* found) {
  return open_by_build_id(file, found) || open_by_name(file, path, found);
}
