/* Which libuv this is: the one whose interface include/uv.h declares. */
#include "uv.h"

#define VERSION_TEXT(number)  VERSION_QUOTE(number)
#define VERSION_QUOTE(number) #number
#define VERSION_NUMBER                                                                   \
  VERSION_TEXT(UV_VERSION_MAJOR)                                                         \
  "." VERSION_TEXT(UV_VERSION_MINOR) "." VERSION_TEXT(UV_VERSION_PATCH)

unsigned int uv_version(void) {
  return UV_VERSION_HEX;
}

const char* uv_version_string(void) {
#if UV_VERSION_IS_RELEASE
  return VERSION_NUMBER;
#else
  return VERSION_NUMBER "-" UV_VERSION_SUFFIX;
#endif
}
