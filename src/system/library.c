/* Libraries loaded at run time. The message about what went wrong last is kept
 * with the library, because the C library's own is gone after one look. */
#include "base/alloc.h"
#include "uv.h"

#include <dlfcn.h>
#include <stddef.h>

/* What is said when there is no memory for the real message; never freed. */
static char no_memory[] = "not enough memory";

static void forget_error(uv_lib_t* lib) {
  if (lib->errmsg != no_memory)
    mem_free(lib->errmsg);
  lib->errmsg = NULL;
}

/* Takes over the C library's message, if there is one. */
static int keep_error(uv_lib_t* lib) {
  forget_error(lib);
  const char* message = dlerror();
  if (message == NULL)
    return 0;
  lib->errmsg = mem_strdup(message);
  if (lib->errmsg == NULL)
    lib->errmsg = no_memory;
  return -1;
}

int uv_dlopen(const char* filename, uv_lib_t* lib) {
  dlerror(); /* drop what earlier calls left */
  lib->errmsg = NULL;
  lib->handle = dlopen(filename, RTLD_LAZY);
  return lib->handle != NULL ? 0 : keep_error(lib);
}

void uv_dlclose(uv_lib_t* lib) {
  forget_error(lib);
  if (lib->handle != NULL) {
    dlclose(lib->handle); /* it has nowhere to report a failure to */
    lib->handle = NULL;
  }
}

int uv_dlsym(uv_lib_t* lib, const char* name, void** ptr) {
  dlerror();
  /* NULL may be a symbol's true value: only dlerror() distinguishes it from a failure. */
  *ptr = dlsym(lib->handle, name);
  return keep_error(lib);
}

const char* uv_dlerror(const uv_lib_t* lib) {
  return lib->errmsg != NULL ? lib->errmsg : "no error";
}
