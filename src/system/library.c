/* Libraries loaded at run time. The last error message is kept with the library, because
 * dlerror() returns it only once. */
#include "base/alloc.h"
#include "uv.h"

#include <dlfcn.h>
#include <stddef.h>

/* The message when there is no memory for the real one; never freed. */
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
  dlerror(); /* discards the messages of earlier calls */
  lib->errmsg = NULL;
  lib->handle = dlopen(filename, RTLD_LAZY);
  return lib->handle != NULL ? 0 : keep_error(lib);
}

void uv_dlclose(uv_lib_t* lib) {
  forget_error(lib);
  if (lib->handle != NULL) {
    dlclose(lib->handle); /* there is no way to report a failure */
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
