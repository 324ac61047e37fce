/* Finds this command's own file and the folder of Rondo's objects: beside the command in
 * a build, in a lib folder beside the command's folder once installed. */
#include "exec.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Without /proc the kernel still gives the path that was executed. */
bool exec_find_self(char* path) {
  ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
  if (length > 0) {
    path[length] = '\0';
    return true;
  }
  const char* executed = (const char*) getauxval(AT_EXECFN);
  return executed != NULL && realpath(executed, path) != NULL;
}

bool exec_find_library(char* directory) {
  static const char* const places[] = {"", ("/../" RONDO_LIBDIR), "/../lib", "/../lib64"};
  char own[PATH_MAX];
  char candidate[PATH_MAX + 64];
  if (!exec_find_self(own))
    return false;
  *strrchr(own, '/') = '\0';
  for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
    snprintf(candidate, sizeof(candidate), "%s%s/libuv.so.1", own, places[i]);
    if (access(candidate, R_OK) != 0 || realpath(candidate, directory) == NULL)
      continue;
    *strrchr(directory, '/') = '\0';
    return true;
  }
  return false;
}
