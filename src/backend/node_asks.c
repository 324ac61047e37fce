/* An answer for Node 20, whose own copy of libuv has one function more than libuv. Node
 * calls it before it drops privileges, because a ring with a kernel thread would go on
 * with the privileges that it was made with. Rondo's rings have no such thread: each
 * operation is done with the rights of the thread that submits it. So the answer is the
 * same as that of Node's own copy: yes only if the user has switched io_uring on. */
#include "uv.h"

#include <stdlib.h>

UV_EXTERN int uv__node_patch_is_using_io_uring(void);

int uv__node_patch_is_using_io_uring(void) {
  const char* use = getenv("UV_USE_IO_URING");
  return use != NULL && strtol(use, NULL, 10) != 0;
}
