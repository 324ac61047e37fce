/* What a program is, before it is started: which way it could get to our libuv. */
#ifndef RONDO_TOOL_EXEC_LOOK_H
#define RONDO_TOOL_EXEC_LOOK_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum exec_way {
  EXEC_UNKNOWN,          /* no ELF file of this machine, or it couldn't be looked at */
  EXEC_ADOPTED,          /* a libuv is built in, which is adopted */
  EXEC_LINKED,           /* with libuv.so.1, which is ours */
  EXEC_LINKED_ELSEWHERE, /* with another one than ours */
  EXEC_REFUSED,          /* a libuv is built in and left alone */
  EXEC_NAMELESS,         /* a libuv is built in, whose functions nothing names */
  EXEC_STATIC,           /* no loader has a part in it */
  EXEC_PRIVILEGED,       /* set-user-ID: the loader listens to nobody */
  EXEC_WITHOUT,          /* no libuv */
};

struct exec_look {
  char program[PATH_MAX]; /* what runs in the end: of a script, its interpreter */
  bool is_script;
  enum exec_way way;
  char words[8192]; /* what librondo-adopt.so said about it, in lines */
};

/* The program as execvp would find it. */
bool exec_find_program(const char* name, char* path, size_t size);
/* Looks at a program that was found. It is not run: the loader maps it, and it ends
 * before its first instruction. Needs the environment that exec_prepare makes. */
void exec_look(struct exec_look* look, const char* path);

#endif
