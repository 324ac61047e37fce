/* The version of the libuv interface that this header and library speak. */
#ifndef UV_VERSION_H
#define UV_VERSION_H

#define UV_VERSION_MAJOR      1
#define UV_VERSION_MINOR      52
#define UV_VERSION_PATCH      0
#define UV_VERSION_IS_RELEASE 1
#define UV_VERSION_SUFFIX     ""

/* One byte each for major, minor and patch: ordered, so programs can compare it. */
#define UV_VERSION_HEX                                                                   \
  (UV_VERSION_MAJOR * 0x10000 + UV_VERSION_MINOR * 0x100 + UV_VERSION_PATCH)

#endif
