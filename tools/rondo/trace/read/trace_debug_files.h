/* Files of programs and libraries, and the separate files with their symbols. All
 * contents are checked before they are used. For trace_symbols.c. */
#ifndef RONDO_TOOL_TRACE_DEBUG_FILES_H
#define RONDO_TOOL_TRACE_DEBUG_FILES_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>

/* A mapped file; all its sections are inside. */
struct elf_file {
  const char* bytes; /* NULL: none */
  size_t size;
  const Elf64_Shdr* sections;
  size_t section_count;
};

/* False, with nothing mapped, if the file doesn't exist or isn't an ELF file.
 * trace_symbols.c. */
bool elf_open(const char* path, struct elf_file* file);
void elf_close(struct elf_file* file);

/* Opens the file with the symbols of `file`, which was opened by that path. */
bool debug_file_open(const struct elf_file* file, const char* path,
                     struct elf_file* found);

#endif
