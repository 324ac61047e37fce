/* Makes programs in other languages report the names of their functions to the recorder,
 * by a small script in each. If a script is missing, or without memory, the names of the
 * C functions are recorded. */
#include "exec.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The path of a file beside the library, in `path` of PATH_MAX bytes. */
static bool find_beside(const char* name, char* path) {
  char directory[PATH_MAX];
  if (!exec_find_library(directory))
    return false;
  int length = snprintf(path, PATH_MAX, "%s/%s", directory, name);
  return length > 0 && length < PATH_MAX && access(path, R_OK) == 0;
}

/* NODE_OPTIONS takes a path in double quotes, in which quotes and backslashes are
 * escaped. */
static void require_in_node(const char* script) {
  char path[PATH_MAX];
  char option[2 * PATH_MAX + 128];
  size_t used = (size_t) snprintf(option, sizeof(option), "--require \"");
  if (!find_beside(script, path))
    return;
  for (const char* at = path; *at != '\0'; at++) {
    if (*at == '"' || *at == '\\')
      option[used++] = '\\';
    option[used++] = *at;
  }
  option[used++] = '"';
  option[used] = '\0';
  exec_prepend("NODE_OPTIONS", option, " ");
}

/* Python imports the first sitecustomize on its path. */
static void name_in_python(void) {
  char path[PATH_MAX];
  if (find_beside("rondo-python/sitecustomize.py", path)) {
    *strrchr(path, '/') = '\0';
    if (strchr(path, ':') == NULL)
      exec_prepend("PYTHONPATH", path, ":");
  }
}

/* Neovim runs the argument of --cmd before any file of the user. */
static char** name_in_nvim(char** argv) {
  char path[PATH_MAX];
  size_t count = 0;
  const char* base = strrchr(argv[0], '/');
  if (strcmp(base == NULL ? argv[0] : base + 1, "nvim") != 0 ||
      !find_beside("rondo-nvim.lua", path) || strstr(path, "]==]") != NULL)
    return argv;
  while (argv[count] != NULL)
    count++;
  size_t size = strlen(path) + 32;
  char** more = calloc(count + 3, sizeof(*more));
  char* command = malloc(size);
  if (more == NULL || command == NULL) {
    free(more);
    free(command);
    return argv;
  }
  static char option[] = "--cmd";
  snprintf(command, size, "lua dofile [==[%s]==]", path);
  more[0] = argv[0];
  more[1] = option;
  more[2] = command;
  memcpy(more + 3, argv + 1, (count - 1) * sizeof(*more));
  return more;
}

void exec_report_origins(void) {
  setenv("RONDO_SIM_ORIGINS", "1", 1);
  require_in_node("rondo-sim.js");
}

void exec_report_queues(void) {
  require_in_node("rondo-step.js");
}

char** exec_name_functions(char** argv) {
  require_in_node("rondo-node.js");
  name_in_python();
  return name_in_nvim(argv);
}
