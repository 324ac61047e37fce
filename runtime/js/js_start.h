/* The door of librondo-js.so, the object that has the engine, the runtime and the loop in
 * it. The command loads it when there is a script to run, so that everything else the
 * command does starts without the engine and works on machines that have none. */
#ifndef RONDO_JS_START_H
#define RONDO_JS_START_H

#include <stdbool.h>

/* How to start: one of file, code and standard input. */
struct js_options {
  const char* file;
  const char* code; /* -e */
  bool print;       /* -p: print the value */
  bool grouped;     /* contract N5 */
  int argc;
  char** argv;
  /* process.execArgv; process.js acts on the switches about warnings. */
  int switch_count;
  char** switches;
  /* The arguments as the kernel passed them, over which a title is written. No other
   * pointer of these options leads there. */
  int process_argc;
  char** process_argv;
};

/* Runs a program to its end, and ends the process with its exit code. */
typedef void (*js_start_function)(const struct js_options* options);

#define JS_START_NAME "rondo_js_start"

#endif
