/* The loader of this command's own kind of program, and the machine in the header of an
 * ELF file: other programs can't load our objects. */
#ifndef RONDO_TOOL_EXEC_LOADER_H
#define RONDO_TOOL_EXEC_LOADER_H

#include <elf.h>
#include <features.h>

#if defined(__x86_64__)
#define EXEC_MACHINE      EM_X86_64
#define EXEC_LOADER_GLIBC "/lib64/ld-linux-x86-64.so.2"
#define EXEC_LOADER_MUSL  "/lib/ld-musl-x86_64.so.1"
#elif defined(__aarch64__)
#define EXEC_MACHINE      EM_AARCH64
#define EXEC_LOADER_GLIBC "/lib/ld-linux-aarch64.so.1"
#define EXEC_LOADER_MUSL  "/lib/ld-musl-aarch64.so.1"
#else
#error "which loader does this processor have?"
#endif

#ifdef __GLIBC__
#define EXEC_LOADER EXEC_LOADER_GLIBC
#else
#define EXEC_LOADER EXEC_LOADER_MUSL
#endif

#endif
