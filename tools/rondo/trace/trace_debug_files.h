/* Files of programs and libraries, and the separate ones with their symbols. Nothing in
 * them is trusted. For trace_symbols.c. */
#ifndef RONDO_TOOL_TRACE_DEBUG_FILES_H
#define RONDO_TOOL_TRACE_DEBUG_FILES_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>

/* Mapped; the sections are all in it. */
struct elf_file {
  const char* bytes; /* NULL: none */
  size_t size;
  const Elf64_Shdr* sections;
  size_t section_count;
};

/* False, with nothing mapped, if it isn't there or isn't one. trace_symbols.c. */
bool elf_open(const char* path, struct elf_file* file);
void elf_close(struct elf_file* file);

/* The file with the symbols of this one, which was opened by that path. */
bool debug_file_open(const struct elf_file* file, const char* path,
                     struct elf_file* found);

#endif
