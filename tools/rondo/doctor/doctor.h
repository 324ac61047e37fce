/* The parts of `rondo doctor`. Each tries things in children of this process, so that a
 * filter that ends whoever makes a forbidden call ends only a child. Nothing is changed
 * on the machine. */
#ifndef RONDO_TOOL_DOCTOR_H
#define RONDO_TOOL_DOCTOR_H

#include "exec_look.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { DOCTOR_TEXT = 320 };

/* --- what the kernel has: doctor_features.c, the one list ----------------------------
 */

struct doctor_feature {
  const char* name;
  const char* since;    /* the first Linux that has it */
  const char* use;      /* its purpose here */
  const char* without;  /* what is done where it is missing */
  int (*attempt)(void); /* 0, or an errno; runs in a child of its own */
  /* A setting that forbids it, with the cure, in `by`; false if none is known. Optional.
   */
  bool (*setting)(int err, char* by, size_t size);
};

extern const struct doctor_feature doctor_features[];
extern const size_t doctor_feature_count;
/* Rings of io_uring: the feature that decides about the backend. */
extern const struct doctor_feature* const doctor_rings;

/* --- whether it works, and if not, who forbids it: doctor_attempt.c ------------------
 */

enum doctor_state {
  DOCTOR_WORKS,
  DOCTOR_TOO_OLD,   /* the kernel is older than the feature */
  DOCTOR_FORBIDDEN, /* the kernel refuses it here */
  DOCTOR_MISSING,   /* new enough, and yet the kernel doesn't know it */
  DOCTOR_FAILED,    /* for another reason, such as a limit */
};

struct doctor_result {
  enum doctor_state state;
  int err;              /* 0 if it works, or if the attempt was ended by a signal */
  char by[DOCTOR_TEXT]; /* who forbids it, or why it fails; "" if it works */
};

void doctor_try(const struct doctor_feature* feature, struct doctor_result* result);
const char* doctor_state_word(enum doctor_state state);

/* --- settings and limits: doctor_machine.c -------------------------------------------
 */

struct doctor_fact {
  const char* name;
  char text[DOCTOR_TEXT];
  char worry[DOCTOR_TEXT]; /* what is wrong with it, and the cure; "" if nothing is */
};

enum { DOCTOR_FACTS = 32 };

struct doctor_facts {
  size_t count;
  struct doctor_fact list[DOCTOR_FACTS];
};

/* `rings` is the result of doctor_rings. */
void doctor_look(struct doctor_facts* facts, const struct doctor_result* rings);
/* The kernel's version as major * 1000 + minor; 0 if it isn't known. */
unsigned int doctor_kernel(void);
/* The mode of this process's system call filter: 0 none, 1 strict, 2 a filter; -1 if it
 * isn't known. */
int doctor_filter_mode(void);
/* The first line of a file of /proc or /sys, without its end; false if it can't be read.
 */
bool doctor_read_line(const char* path, char* text, size_t size);
/* Whether this process has a capability, by its number. */
bool doctor_has_capability(unsigned int number);

/* --- a program: doctor_program.c ------------------------------------------------------
 */

struct doctor_program {
  struct exec_look look;
  bool found;
  bool adopted;                                       /* its loops would be Rondo's */
  char loops[sizeof(((struct exec_look*) 0)->words)]; /* a description of that */
  bool can_unwind;                                    /* its frames have rules */
  bool has_names;                                     /* its functions have names */
  char stacks[DOCTOR_TEXT];                           /* a description of both */
};

/* Examines a program without running it. */
void doctor_examine(struct doctor_program* program, const char* name);

#endif
