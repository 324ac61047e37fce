/* Adopting: a program that has a libuv built in is made to use Rondo's.
 *
 * librondo-adopt.so is preloaded into every program that `rondo exec` starts, and into
 * its children. The object is initialised before anything else in the process (-z
 * initfirst), looks for libuv's functions in the program and in the libraries it is
 * linked with, asks the safety questions of questions.c, and writes at each function's
 * entry a jump to a trampoline, which leads to the function of the same name in Rondo's
 * libuv.so.1. Objects that are loaded later are examined when the loader has mapped them
 * (loader.c).
 *
 * Promises: all of an object's functions are adopted or none; an object that is refused
 * keeps every byte, and a line reports the reason. Nothing here allocates with malloc,
 * and nothing but resolve.c needs an initialised C library. */
#ifndef RONDO_ADOPT_ADOPT_H
#define RONDO_ADOPT_ADOPT_H

#include "object.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  ADOPT_FUNCTIONS = 512, /* of one object; libuv 1.52 has 318 */
  ADOPT_JUMP = 8,        /* length of a jump on any processor, in bytes, at most */
};

/* The functions of Rondo's library, sorted; the build makes names.c from libuv.so.1. */
extern const char* const adopt_names[];
extern const size_t adopt_name_count;

struct adopt_function {
  uint8_t* entry;
  size_t size;
  unsigned int name; /* index in adopt_names */
};

/* A change of text, undone if another change fails. */
struct adopt_write {
  uint8_t* at;
  size_t length;
  uint8_t before[ADOPT_JUMP];
  uint8_t after[ADOPT_JUMP];
};

/* A libuv that is built into an object of this process. */
struct adoption {
  struct adoption* next;
  struct adopt_object object;
  unsigned int number; /* of the adoption, in its trampolines */
  unsigned int version;
  bool has_version;
  bool full_table; /* found in the full symbol table, not in the dynamic one */
  bool is_rondo;   /* the built-in library is Rondo itself */
  size_t count;
  struct adopt_function functions[ADOPT_FUNCTIONS]; /* sorted by entry */
  size_t write_count;
  struct adopt_write writes[2 * ADOPT_FUNCTIONS];
  void* region; /* trampolines, then slots */
  size_t region_size;
  uintptr_t* slots; /* [0]: the resolver; [i + 1]: where functions[i] goes */
  size_t slots_size;
  char why[320]; /* reason for the refusal, and its cure */
};

/* The settings from RONDO_ADOPT, RONDO_DEBUG and RONDO_EXEC. */
struct adopt_settings {
  bool off;
  bool verbose;
  bool check;   /* only report what would be done, and end before the program begins */
  bool started; /* `rondo exec` has become this process: report what it runs on */
  /* In the environment, behind the number in RONDO_EXEC: a + until a program that starts
   * others has been reported, for the programs that this process becomes later. */
  char* mark;
};
extern struct adopt_settings adopt_settings;
/* The directory of librondo-adopt.so, where libuv.so.1 is too. */
extern char adopt_directory[PATH_MAX];
/* All adoptions made so far. */
extern struct adoption* adoptions;

/* --- adopt.c --- */

/* Adopts the libuv in an object, if it has one that may be adopted. */
void adopt_object_try(struct adopt_object* object);
/* Whether the C library is initialised. Constructors of other libraries may have run,
 * too, from then on. */
bool adopt_c_library_is_ready(void);
/* Whether a libuv was found that may not be adopted. */
bool adopt_has_refused(void);
/* Forgets an adoption whose object was unloaded. */
void adopt_forget(struct adoption* adoption);
/* Sets `why`; returns false, for the caller to return. */
bool adopt_refuse(struct adoption* adoption, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
/* One line on standard error. */
void adopt_say(const char* format, ...) __attribute__((format(printf, 1, 2)));

/* --- questions.c: before a byte is changed --- */

/* Finds out whether the object contains a libuv, and its path; opens the file only if
 * necessary. */
bool questions_find_libuv(struct adopt_object* object, struct adopt_file* file);
/* Collects the functions of the object's libuv, from its symbol tables alone. False, with
 * the reason, if one of them is not a plain function that Rondo has. */
bool questions_collect(struct adoption* adoption, const struct adopt_file* file);
/* Collects the functions and asks all questions; false, with `why` set, if the libuv may
 * not be adopted. */
bool questions_ask(struct adoption* adoption, struct adopt_file* file);

/* --- region.c: trampolines within reach of the functions --- */

bool region_make(struct adoption* adoption);
void region_free(struct adoption* adoption);

/* --- plan.c: which bytes become jumps --- */

bool plan_writes(struct adoption* adoption);

/* --- text.c: changing text without leaving it writable --- */

/* Makes all writes or none. False, with `why` set, on failure. */
bool text_change(struct adopt_write* writes, size_t count, char* why, size_t size);
/* Restores the original bytes. */
void text_restore(const struct adopt_write* writes, size_t count);

/* --- resolve.c: where the trampolines lead --- */

/* Whether libuv.so.1 exists and can be loaded. */
bool resolve_is_possible(char* why, size_t size);
/* The function for a trampoline that is used for the first time; called by
 * processor_resolve. */
void* resolve_first_use(unsigned int which) __attribute__((visibility("hidden")));
/* Fills in an adoption's slots, at once if Rondo's library is loaded already. */
void resolve_prepare(struct adoption* adoption);

/* --- loader.c: objects that are loaded later --- */

void loader_watch(void);
/* Whether objects found now were loaded while the program ran. */
bool loader_is_watching(void);
/* Examines every object of the process that is new. */
void loader_look(void);

/* --- check.c --- */

/* Reports what became of the program, unless that is reported already. */
void check_report(void);
/* Reports what would become of it, and ends the process. */
_Noreturn void check_end(void);

/* --- one file per processor --- */

#if defined(__aarch64__)
enum { PROCESSOR_TRAMPOLINE = 32 };
#else
enum { PROCESSOR_TRAMPOLINE = 16 };
#endif

/* The length of a jump, and its reach in both directions. */
extern const size_t processor_jump_size;
extern const size_t processor_reach;
/* A shorter jump, with a short reach. */
extern const size_t processor_short_size;
bool processor_reaches_short(const uint8_t* from, const uint8_t* to);
void processor_jump(uint8_t* bytes, const uint8_t* from, const void* to);
void processor_jump_short(uint8_t* bytes, const uint8_t* from, const uint8_t* to);
/* How many bytes at a function's entry mark it as a target of indirect calls (endbr64,
 * bti c, paciasp). */
size_t processor_mark_size(const uint8_t* entry);
/* A mark may do more than mark: paciasp signs the return address, and the function that
 * is jumped to signs it again. Returns what to write in its place, of the same size; NULL
 * if the mark may stay. */
const uint8_t* processor_mark_plain(const uint8_t* entry);
/* Text at these addresses was changed: makes the processor fetch it again. */
void processor_text_changed(const void* at, size_t size);
/* Whether the bytes are nothing but padding. */
bool processor_is_padding(const uint8_t* bytes, size_t size);
/* Whether the function does nothing but return. */
bool processor_is_empty(const uint8_t* entry, size_t size);
/* Whether the function does nothing but return a number that is written in it. */
bool processor_constant(const uint8_t* entry, size_t size, unsigned int* value);
/* Writes trampoline i of an adoption: it jumps to the address in slots[i + 1], at first
 * processor_lazy, which ends in resolve_first_use(which). Trampoline -1 leads to
 * slots[0], processor_resolve. */
void processor_trampoline(uint8_t* image, const uint8_t* address, const uintptr_t* slots,
                          int i, unsigned int which);
uintptr_t processor_lazy(const uint8_t* trampoline);
void processor_resolve(void) __attribute__((visibility("hidden")));

#endif
