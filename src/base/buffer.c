/* The constructor of uv_buf_t, a pointer and a length. */
#include "uv.h"

uv_buf_t uv_buf_init(char* base, unsigned int len) {
  return (uv_buf_t){.base = base, .len = len};
}
