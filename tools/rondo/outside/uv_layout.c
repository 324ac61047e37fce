/* Names of libuv's numbers: see uv_layout.h. */
#include "uv_layout.h"

#include <stddef.h>

const struct uv_flags uv_flags_known[UV_FLAGS_KNOWN] = {
    {1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 4},    /* 1.22 and later, and Rondo */
    {1 << 0, 1 << 1, 1 << 14, 1 << 13, 1 << 15}, /* before */
};

const char* uv_kind_name(uint32_t type) {
  static const char* const names[] = {NULL,      "async",  "check", "fs_event", "fs_poll",
                                      "handle",  "idle",   "pipe",  "poll",     "prepare",
                                      "process", "stream", "tcp",   "timer",    "tty",
                                      "udp",     "signal"};
  return type < sizeof(names) / sizeof(names[0]) ? names[type] : NULL;
}

const char* uv_request_name(uint32_t type) {
  static const char* const names[] = {NULL,          "req",         "connect", "write",
                                      "shutdown",    "udp_send",    "fs",      "work",
                                      "getaddrinfo", "getnameinfo", "random"};
  return type < sizeof(names) / sizeof(names[0]) ? names[type] : NULL;
}

const char* uv_fs_name(uint32_t kind) {
  static const char* const names[] = {
      "custom",   "open",     "close",     "read",    "write",    "sendfile", "stat",
      "lstat",    "fstat",    "ftruncate", "utime",   "futime",   "access",   "chmod",
      "fchmod",   "fsync",    "fdatasync", "unlink",  "rmdir",    "mkdir",    "mkdtemp",
      "rename",   "scandir",  "link",      "symlink", "readlink", "chown",    "fchown",
      "realpath", "copyfile", "lchown",    "opendir", "readdir",  "closedir", "statfs",
      "mkstemp",  "lutime"};
  return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : NULL;
}
