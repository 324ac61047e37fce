/* A process that nobody prepared, or what a core file has of one: its memory, what is
 * mapped where, and its threads. The process is only read: nothing is written into it, no
 * signal is sent, and a thread is stopped only by target_stop.c, for microseconds.
 *
 * All that is read is another program's and may be wrong: each size is bounded, and each
 * address is asked for by target_read, which fails where there is no memory. */
#ifndef RONDO_TOOL_TARGET_H
#define RONDO_TOOL_TARGET_H

#include "trace/unwind_table.h"
#include "trace_debug_files.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapping {
  uint64_t start, end, offset;
  bool readable, writable, executable;
  uint64_t inode;
  char* path; /* "" where no file is mapped */
};

/* A program or a library of the target. */
struct image {
  char* path;   /* as the target names it */
  char* opened; /* how this process reaches the same file; NULL: it doesn't */
  uint64_t start, end;
  uint64_t bias;   /* an address is the file's own plus this */
  uint64_t origin; /* where offset 0 of the file would be */
  struct elf_file file;
  bool is_part; /* a part that is mapped once more, as V8 does with its builtins: names of
                   code are right, those of data are not */
  char* copied; /* the bytes of `file`, if they are no file's: the vdso's */
  struct unwind_table rules;
};

struct target_thread {
  int tid;
  char state; /* as in /proc/PID/stat; 0: not known */
  char name[17];
  uint64_t cpu_ns; /* spent on a processor so far */
  bool is_blocked; /* in the system call, with these arguments */
  long call;
  uint64_t arguments[6];
  struct unwind_state registers; /* those that are known */
  struct stack_copy* copy;       /* of a thread that ran: made while it was stopped */
};

struct core_file;

struct target {
  int pid;
  bool is_brief; /* addresses of sockets aren't asked for: the kernel's tables are long */
  int tracer;    /* the process that debugs it, or 0 */
  char* command;
  struct mapping* maps;
  size_t map_count;
  struct target_thread* threads;
  size_t thread_count;
  struct image* images;
  size_t image_count;
  struct core_file* core; /* NULL: a process */
};

enum { TARGET_WHY_NOT = 400 };

/* Whether the process may be looked into; otherwise one line says what is missing, and
 * the command that would give it. target_access.c. */
bool target_access(int pid, int* tracer, char* why_not);

/* Opens a process. False after one line on standard error that says what is in the way
 * and how to get it out of the way. */
bool target_open(struct target* target, int pid);
/* The same without a line: `why_not`, of TARGET_WHY_NOT bytes, gets it. */
bool target_try(struct target* target, int pid, char* why_not);
void target_close(struct target* target);
/* The time that a thread has spent on processors so far; 0: not known. */
uint64_t thread_cpu_ns(int pid, int tid);
/* Looks at one thread anew. */
void target_thread_read(const struct target* target, struct target_thread* thread);
/* Reads the list of mappings again. */
void target_maps_read(struct target* target);
/* Reads the list of threads again. */
void target_threads_read(struct target* target);

bool target_read(const struct target* target, uint64_t address, void* to, size_t size);
bool target_word(const struct target* target, uint64_t address, uint64_t* value);
bool target_number(const struct target* target, uint64_t address, uint32_t* value);
/* Reads a text that ends with a zero; cut to the size. False if it isn't plain UTF-8
 * without control characters. */
bool target_text(const struct target* target, uint64_t address, char* text, size_t size);
/* NULL where nothing is mapped. */
const struct mapping* target_map(const struct target* target, uint64_t address);
const struct target_thread* target_thread(const struct target* target, int tid);

/* target_images.c */
void images_find(struct target* target);
void images_free(struct target* target);
const struct image* image_at(const struct target* target, uint64_t address);
/* Finds the addresses of symbols, 0 where there is none, in one pass over the tables. */
void image_symbols(const struct image* image, const char* const* names,
                   uint64_t* addresses, size_t count);
/* Calls `each` for every symbol whose name begins with the text. */
void image_symbols_visit(const struct image* image, const char* begin,
                         void (*each)(void* data, const char* name, uint64_t address),
                         void* data);
/* The name of the function at an address, to be freed; NULL if no file is mapped there.
 */
char* image_function(const struct target* target, uint64_t address);
/* The variable that the address is in, by its mangled name; NULL: none. */
const char* image_object(const struct image* image, uint64_t address);

#endif
