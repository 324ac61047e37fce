/* Which code an address belongs to: that of a file which the loader has mapped, or code
 * that an engine has generated and announced with rondo_trace_code. Used for addresses
 * seen for the first time and for samples, on the threads of loops; never in a signal
 * handler. */
#ifndef RONDO_TRACE_CODE_H
#define RONDO_TRACE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The file that holds the code at the address, and where its first page is mapped;
 * false if no file does. `path` is valid for as long as the process lives, and empty for
 * the program itself, which the loader knows only by the name it was called by. */
struct code_file {
  uintptr_t base;
  const char* path;
};
bool code_file_find(uintptr_t address, struct code_file* file);

/* Calls `each` for every file that the loader has mapped, with its first and last
 * address, until `each` returns false. The path is the loader's, "" for the program. */
typedef bool (*code_file_visitor)(void* data, uintptr_t start, uintptr_t end,
                                  uintptr_t base, const char* path);
void code_files_visit(code_file_visitor each, void* data);

/* Copies the name of the generated code around the address, cut to the size; false if
 * there is none. Takes no lock where no engine has announced code nearby. */
bool code_name_find(uintptr_t address, char* text, size_t size);

#endif
