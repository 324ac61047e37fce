/* Loads the objects of js_module.h from the folder of this one. */
#include "js_module.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int here; /* an address in this object */

const void* js_module_load(const char* name, const char* symbol, char* problem,
                           size_t size) {
  Dl_info info;
  char path[4096];
  if (dladdr(&here, &info) == 0 || info.dli_fname == NULL) {
    snprintf(problem, size, "the folder of librondo-js.so isn't known");
    return NULL;
  }
  const char* slash = strrchr(info.dli_fname, '/');
  int folder = slash != NULL ? (int) (slash - info.dli_fname + 1) : 0;
  if (snprintf(path, sizeof(path), "%.*s%s", folder, info.dli_fname, name) >=
      (int) sizeof(path)) {
    snprintf(problem, size, "the path of %s is too long", name);
    return NULL;
  }
  void* object = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  const void* found = object != NULL ? dlsym(object, symbol) : NULL;
  const char* reason = found == NULL ? dlerror() : NULL;
  if (found == NULL) {
    snprintf(problem, size, "%s", reason != NULL ? reason : path);
    return NULL;
  }
  uint64_t interface;
  memcpy(&interface, found, sizeof(interface));
  if (interface == MODULE_INTERFACE)
    return found;
  snprintf(problem, size, "%s is of another build than librondo-js.so", path);
  return NULL;
}
