/* uv_library_shutdown: frees what rooms keep for the whole process. */
#include "loop/shutdown.h"

#include "system/system.h"
#include "uv.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { SHUTDOWN_MAX = 8 };

static pthread_mutex_t shutdown_lock = PTHREAD_MUTEX_INITIALIZER;
static void (*shutdown_calls[SHUTDOWN_MAX])(void);
static size_t shutdown_count;

void library_at_shutdown(void (*call)(void)) {
  pthread_mutex_lock(&shutdown_lock);
  bool known = false;
  for (size_t i = 0; i < shutdown_count; i++)
    known = known || shutdown_calls[i] == call;
  if (!known && shutdown_count < SHUTDOWN_MAX)
    shutdown_calls[shutdown_count++] = call;
  pthread_mutex_unlock(&shutdown_lock);
}

void uv_library_shutdown(void) {
  static _Atomic bool done;
  if (atomic_exchange_explicit(&done, true, memory_order_seq_cst))
    return;
  while (shutdown_count > 0) /* last registered first */
    shutdown_calls[--shutdown_count]();
  system_shutdown(); /* lies below the loop's room, so it can't register itself */
}
