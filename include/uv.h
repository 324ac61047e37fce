/* The libuv 1.x interface for Linux, as Rondo provides it. Programs written for
 * libuv compile unchanged against it, and binaries built with libuv's own header run on
 * it: sizes of types, offsets of public fields, values of constants and prototypes are
 * the same (test/abi checks that). The parts are in uv/, by topic; include only this
 * file. */
#ifndef UV_H
#define UV_H

#define UV_EXTERN __attribute__((visibility("default")))

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "uv/version.h" /* which interface this is */
#include "uv/errno.h"   /* the error codes */
#include "uv/unix.h"    /* descriptors, buffers, threads: the system's types */

/* After the system's headers, which know about C++ themselves. */
#ifdef __cplusplus
extern "C" {
#endif

#include "uv/types.h"  /* handles and requests in general */
#include "uv/loop.h"   /* the loop */
#include "uv/fs.h"     /* files */
#include "uv/watch.h"  /* timer, idle, prepare, check, async, poll, signal, fs watchers */
#include "uv/stream.h" /* tcp, pipe, tty */
#include "uv/udp.h"    /* datagrams */
#include "uv/process.h" /* children */
#include "uv/work.h"    /* the pool, name look-ups, random bytes */
#include "uv/thread.h"  /* threads and locks */
#include "uv/system.h"  /* the machine, the process, the environment */

/* Errors in words. The _r forms fill the caller's buffer, the others may have to allocate
 * for a code that is not known. */
UV_EXTERN const char* uv_strerror(int err);
UV_EXTERN char* uv_strerror_r(int err, char* buf, size_t buflen);
UV_EXTERN const char* uv_err_name(int err);
UV_EXTERN char* uv_err_name_r(int err, char* buf, size_t buflen);
UV_EXTERN int uv_translate_sys_error(int sys_errno);

/* The library itself */
UV_EXTERN unsigned int uv_version(void);
UV_EXTERN const char* uv_version_string(void);
/* Gives back what the library holds for the process; nothing may be called after it. */
UV_EXTERN void uv_library_shutdown(void);

typedef void* (*uv_malloc_func)(size_t size);
typedef void* (*uv_realloc_func)(void* ptr, size_t size);
typedef void* (*uv_calloc_func)(size_t count, size_t size);
typedef void (*uv_free_func)(void* ptr);

/* To be called before anything else of the library; all four or UV_EINVAL. */
UV_EXTERN int uv_replace_allocator(uv_malloc_func malloc_func,
                                   uv_realloc_func realloc_func,
                                   uv_calloc_func calloc_func, uv_free_func free_func);

/* Room for any handle, for any request */
#define UV__MEMBER(upper, lower) uv_##lower##_t lower;
union uv_any_handle {
  UV_HANDLE_TYPE_MAP(UV__MEMBER)
};

union uv_any_req {
  UV_REQ_TYPE_MAP(UV__MEMBER)
};
#undef UV__MEMBER

#ifdef __cplusplus
}
#endif

#endif
