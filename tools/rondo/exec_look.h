/* Examines a program before it is started: in which way it could use Rondo's libuv. */
#ifndef RONDO_TOOL_EXEC_LOOK_H
#define RONDO_TOOL_EXEC_LOOK_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum exec_way {
  EXEC_UNKNOWN,          /* not an ELF file of this machine, or it couldn't be examined */
  EXEC_ADOPTED,          /* a libuv is built in, which is adopted */
  EXEC_LINKED,           /* linked with libuv.so.1, and gets Rondo's */
  EXEC_LINKED_ELSEWHERE, /* linked with libuv.so.1, and gets another one */
  EXEC_REFUSED,          /* a libuv is built in and may not be adopted */
  EXEC_NAMELESS,         /* a libuv is built in, without symbols */
  EXEC_OURS,             /* a command of Rondo's, which brings its own loop */
  EXEC_STATIC,           /* statically linked, without a loader */
  EXEC_PRIVILEGED,       /* set-user-ID: the loader ignores the environment */
  EXEC_SWITCHED_OFF, /* RONDO_ADOPT=0, or there is no librondo-adopt.so: not examined */
  EXEC_WITHOUT,      /* no libuv */
};

struct exec_look {
  /* The file that runs in the end: for a script, its interpreter. */
  char program[PATH_MAX];
  bool is_script;
  enum exec_way way;
  char words[8192]; /* the lines that librondo-adopt.so has written */
};

/* Finds the program as execvp would. */
bool exec_find_program(const char* name, char* path, size_t size);
/* Examines the program's first page only: whether the loader will load librondo-adopt.so
 * into it, which reports everything else when it runs. `way` is EXEC_STATIC,
 * EXEC_PRIVILEGED or EXEC_UNKNOWN. True if it will. */
bool exec_look_outside(struct exec_look* look, const char* path);
/* Examines a program that was found. The program isn't run: the loader maps it, and the
 * process ends before its first instruction. Needs the environment that exec_prepare
 * makes. */
void exec_look(struct exec_look* look, const char* path);

/* A description of the program, without the end of the line; NULL if librondo-adopt.so
 * reports everything itself. */
const char* exec_look_words(const struct exec_look* look);

/* True if the program would run on Rondo's loop. */
bool exec_look_is_good(const struct exec_look* look);

#endif
