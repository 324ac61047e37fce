/* Core files: the memory, threads and mapped files of a process that has ended, as the
 * kernel or gcore wrote them down. What a file doesn't have is missing, and never zeros.
 */
#ifndef RONDO_TOOL_TARGET_CORE_H
#define RONDO_TOOL_TARGET_CORE_H

#include "target.h"

struct core_file;

/* False after a line on standard error. */
bool target_open_core(struct target* target, const char* path);
bool core_read(const struct core_file* core, uint64_t address, void* to, size_t size);
void core_close(struct core_file* core);
/* The signal that ended the process, 0 for none. */
int core_signal(const struct core_file* core);
/* Bytes of memory that the file says were mapped, and that it has not. */
uint64_t core_missing(const struct core_file* core);

#endif
