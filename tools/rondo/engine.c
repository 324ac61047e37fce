/* librondo-js.so is loaded here and nowhere else: see engine.h. */
#include "engine.h"

#include "exec.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char object_name[] = "librondo-js.so";

static int engine_missing(const char* problem) {
  fprintf(stderr,
          "rondo: running JavaScript needs %s and JavaScriptCore: %s\n"
          "rondo: cure: install JavaScriptCore (Debian: libjavascriptcoregtk-4.1-0; to "
          "build: tools/setup runtime, make); rondo exec, trace, top, why, dump and sim "
          "run other programs without it\n",
          object_name, problem);
  return 1;
}

int engine_run(const struct js_options* options) {
  char path[PATH_MAX + 64];
  char folder[PATH_MAX];
  /* The engine reads there where its stack is, and ends the process otherwise. */
  if (access("/proc/self/maps", R_OK) != 0) {
    fputs("rondo: running JavaScript needs /proc: JavaScriptCore finds its stack there "
          "(cure: mount -t proc proc /proc)\n",
          stderr);
    return 1;
  }
  if (!exec_find_library(folder))
    return engine_missing("its folder, that of libuv.so.1, is not found");
  snprintf(path, sizeof(path), "%s/%s", folder, object_name);
  if (access(path, F_OK) != 0) {
    char problem[sizeof(path) + 32];
    snprintf(problem, sizeof(problem), "there is no %s", path);
    return engine_missing(problem);
  }
  void* object = dlopen(path, RTLD_LAZY | RTLD_GLOBAL | RTLD_NODELETE);
  void* found = object == NULL ? NULL : dlsym(object, JS_START_NAME);
  if (found == NULL)
    return engine_missing(dlerror());
  js_start_function start;
  memcpy(&start, &found, sizeof(start));
  start(options);
  return 1; /* not reached: the script's end is the process's */
}
