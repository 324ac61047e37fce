/* An answer for Node 20, whose own copy of libuv has a function that libuv hasn't. It
 * asks before it gives up privileges, because a ring with a thread in the kernel would go
 * on with those it was made with. Rondo's rings have no such thread: what they do is done
 * with the rights of whoever asks for it. So the answer is what Node's own copy answers:
 * yes only if the user has switched io_uring on by hand. */
#include "uv.h"

#include <stdlib.h>

UV_EXTERN int uv__node_patch_is_using_io_uring(void);

int uv__node_patch_is_using_io_uring(void) {
  const char* use = getenv("UV_USE_IO_URING");
  return use != NULL && strtol(use, NULL, 10) != 0;
}
