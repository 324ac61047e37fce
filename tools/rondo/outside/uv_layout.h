/* Where the fields of libuv's structures are, on 64-bit Linux.
 *
 * One row serves libuv 1.18 to 1.52: test/trace/check_outside compiles the headers of
 * each version that it finds and compares. Only the bits of a handle's flags have
 * changed. Rondo has the same sizes and public fields, and private fields of its own. */
#ifndef RONDO_TOOL_UV_LAYOUT_H
#define RONDO_TOOL_UV_LAYOUT_H

#include <stdint.h>

/* libuv's, by test/trace/check_outside. */
enum {
  UV_LOOP_SIZE = 848,
  UV_LOOP_ACTIVE_HANDLES = 8,
  UV_LOOP_HANDLE_QUEUE = 16,
  UV_LOOP_ACTIVE_REQS = 32,
  UV_LOOP_BACKEND_FD = 64,
  UV_LOOP_NWATCHERS = 112,
  UV_LOOP_NFDS = 116,
  UV_LOOP_WQ = 120,
  UV_LOOP_WQ_ASYNC = 176,
  UV_LOOP_CLOSING_HANDLES = 360,
  UV_LOOP_TIMER_COUNT = 528,
  UV_LOOP_TIME = 544,
  UV_LOOP_CHILD_WATCHER = 616,

  UV_HANDLE_DATA = 0,
  UV_HANDLE_LOOP = 8,
  UV_HANDLE_TYPE = 16,
  UV_HANDLE_CLOSE_CB = 24,
  UV_HANDLE_QUEUE = 32,
  UV_HANDLE_NEXT_CLOSING = 80,
  UV_HANDLE_FLAGS = 88,
  UV_HANDLE_BYTES = 96,
  UV_HANDLE_CALLBACK = 96, /* of timers, polls, asyncs, signals, processes, idles */

  UV_IO_FD = 48,
  UV_STREAM_READ_CB = 112,
  UV_STREAM_CONNECT_REQ = 120,
  UV_STREAM_SHUTDOWN_REQ = 128,
  UV_STREAM_IO = 136,
  UV_STREAM_WRITE_QUEUE_SIZE = 96,
  UV_STREAM_WRITE_QUEUE = 192,
  UV_STREAM_CONNECTION_CB = 224,
  UV_PIPE_FNAME = 256,
  UV_UDP_QUEUE_SIZE = 96,
  UV_UDP_QUEUE_COUNT = 104,
  UV_UDP_RECV_CB = 120,
  UV_UDP_IO = 128,
  UV_POLL_IO = 104,
  UV_TIMER_TIMEOUT = 128,
  UV_TIMER_REPEAT = 136,
  UV_PROCESS_PID = 104,
  UV_SIGNAL_SIGNUM = 104,
  UV_FS_EVENT_PATH = 96,
  UV_FS_EVENT_CB = 104,
  UV_FS_POLL_CTX = 96,
  UV_HANDLE_MOST = 312, /* the largest: uv_tty_t */

  UV_REQ_DATA = 0,
  UV_REQ_TYPE = 8,
  UV_WRITE_QUEUE = 88,
  UV_CONNECT_HANDLE = 72,
  UV_FS_KIND = 64,
  UV_FS_LOOP = 72,
  UV_FS_PATH = 104,
  UV_FS_FILE = 280,
  UV_FS_WORK = 336,
  UV_ADDRINFO_LOOP = 64,
  UV_ADDRINFO_WORK = 72,
  UV_ADDRINFO_HOST = 128,
  UV_ADDRINFO_SERVICE = 136,
  UV_NAMEINFO_WORK = 72,
  UV_RANDOM_WORK = 104,
  UV_WORK_LOOP = 64,
  UV_WORK_CALLBACK = 72,
  UV_WORK_WORK = 88,

  WORK_FUNCTION = 0,
  WORK_LOOP = 16,
  WORK_QUEUE = 24,
  WORK_DONE = 8,
  WORK_BYTES = 40,
};

/* Bits of a handle's flags, by age. */
struct uv_flags {
  uint32_t closing, closed, active, referenced, internal;
};
enum { UV_FLAGS_KNOWN = 2 };
extern const struct uv_flags uv_flags_known[UV_FLAGS_KNOWN];

/* "fs_event"; NULL if there is no such kind. */
const char* uv_kind_name(uint32_t type);
const char* uv_request_name(uint32_t type);
/* "open", of uv_fs_t's fs_type; NULL if there is none. */
const char* uv_fs_name(uint32_t kind);

#endif
