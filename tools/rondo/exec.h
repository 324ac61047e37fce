/* `rondo exec`: argv[0] is "exec". Returns an exit code if it returns at all. For others:
 * what it is made of. */
#ifndef RONDO_TOOL_EXEC_H
#define RONDO_TOOL_EXEC_H

#include <stdbool.h>

int exec_main(int argc, char** argv);

/* False if there is no such backend; else loops of what is started next will have it. */
bool exec_set_backend(const char* name);

/* Makes what is started next report which libuv it has. False without memory. */
bool exec_set_verbose(void);

/* Makes the loader prefer our library in what is started next, and adopt the libuv that
 * is built into it; says so if the program won't take it. False if that can't be done,
 * after a word about it. */
bool exec_prepare(const char* program);

/* The same for what is started next in a simulation: with virtual clocks. `script`: our
 * own runtime, which needs no other library. */
bool exec_prepare_sim(const char* program, bool script);

/* What is started next names its functions to the recorder if it is a Node (node/), a
 * Neovim or a Python with uvloop (names/). Returns the arguments to start it with, which
 * may be those given. exec_names.c. */
char** exec_name_functions(char** argv);

/* A Node that is started next in a simulation says from which line its requests come. */
void exec_report_origins(void);

/* Where the library is, in `directory` of PATH_MAX bytes; false if it can't be found. */
bool exec_find_library(char* directory);

/* Puts a value before what an environment variable has. False without memory. */
bool exec_prepend(const char* variable, const char* first, const char* separator);

/* Whether exec_become would find a program of that name. */
bool exec_finds(const char* name);

/* Turns this process into the program. Returns an exit code if that failed. */
int exec_become(char** argv);

#endif
