/* The error codes. Every function that can fail returns one of these, always negative:
 * the system's errno negated where Linux has such an error, otherwise a number of the
 * interface's own (address look-up, end of file, the few that only other systems have).
 */
#ifndef UV_ERRNO_H
#define UV_ERRNO_H

#include <errno.h>

/* arguments and memory */
#define UV__E2BIG        (-E2BIG)
#define UV__EFAULT       (-EFAULT)
#define UV__EILSEQ       (-EILSEQ)
#define UV__EINVAL       (-EINVAL)
#define UV__ENAMETOOLONG (-ENAMETOOLONG)
#define UV__ENOEXEC      (-ENOEXEC)
#define UV__ENOMEM       (-ENOMEM)
#define UV__ENOSYS       (-ENOSYS)
#define UV__EOVERFLOW    (-EOVERFLOW)
#define UV__ERANGE       (-ERANGE)

/* progress */
#define UV__EAGAIN    (-EAGAIN)
#define UV__EALREADY  (-EALREADY)
#define UV__EBUSY     (-EBUSY)
#define UV__ECANCELED (-ECANCELED)
#define UV__EINTR     (-EINTR)
#define UV__ETIMEDOUT (-ETIMEDOUT)

/* files and directories */
#define UV__EACCES    (-EACCES)
#define UV__EBADF     (-EBADF)
#define UV__EEXIST    (-EEXIST)
#define UV__EFBIG     (-EFBIG)
#define UV__EISDIR    (-EISDIR)
#define UV__ELOOP     (-ELOOP)
#define UV__EMFILE    (-EMFILE)
#define UV__EMLINK    (-EMLINK)
#define UV__ENFILE    (-ENFILE)
#define UV__ENOENT    (-ENOENT)
#define UV__ENOSPC    (-ENOSPC)
#define UV__ENOTDIR   (-ENOTDIR)
#define UV__ENOTEMPTY (-ENOTEMPTY)
#define UV__EPERM     (-EPERM)
#define UV__EROFS     (-EROFS)
#define UV__ESPIPE    (-ESPIPE)
#define UV__ETXTBSY   (-ETXTBSY)
#define UV__EXDEV     (-EXDEV)

/* devices and processes */
#define UV__EIO       (-EIO)
#define UV__ENODATA   (-ENODATA)
#define UV__ENODEV    (-ENODEV)
#define UV__ENOTTY    (-ENOTTY)
#define UV__ENXIO     (-ENXIO)
#define UV__EREMOTEIO (-EREMOTEIO)
#define UV__ESRCH     (-ESRCH)
#define UV__EUNATCH   (-EUNATCH)

/* sockets */
#define UV__EADDRINUSE      (-EADDRINUSE)
#define UV__EADDRNOTAVAIL   (-EADDRNOTAVAIL)
#define UV__EAFNOSUPPORT    (-EAFNOSUPPORT)
#define UV__ECONNABORTED    (-ECONNABORTED)
#define UV__ECONNREFUSED    (-ECONNREFUSED)
#define UV__ECONNRESET      (-ECONNRESET)
#define UV__EDESTADDRREQ    (-EDESTADDRREQ)
#define UV__EHOSTDOWN       (-EHOSTDOWN)
#define UV__EHOSTUNREACH    (-EHOSTUNREACH)
#define UV__EISCONN         (-EISCONN)
#define UV__EMSGSIZE        (-EMSGSIZE)
#define UV__ENETDOWN        (-ENETDOWN)
#define UV__ENETUNREACH     (-ENETUNREACH)
#define UV__ENOBUFS         (-ENOBUFS)
#define UV__ENONET          (-ENONET)
#define UV__ENOPROTOOPT     (-ENOPROTOOPT)
#define UV__ENOTCONN        (-ENOTCONN)
#define UV__ENOTSOCK        (-ENOTSOCK)
#define UV__ENOTSUP         (-ENOTSUP)
#define UV__EPIPE           (-EPIPE)
#define UV__EPROTO          (-EPROTO)
#define UV__EPROTONOSUPPORT (-EPROTONOSUPPORT)
#define UV__EPROTOTYPE      (-EPROTOTYPE)
#define UV__ESHUTDOWN       (-ESHUTDOWN)
#define UV__ESOCKTNOSUPPORT (-ESOCKTNOSUPPORT)

/* not errors of the system call layer */
#define UV__EAI_ADDRFAMILY (-3000)
#define UV__EAI_AGAIN      (-3001)
#define UV__EAI_BADFLAGS   (-3002)
#define UV__EAI_CANCELED   (-3003)
#define UV__EAI_FAIL       (-3004)
#define UV__EAI_FAMILY     (-3005)
#define UV__EAI_MEMORY     (-3006)
#define UV__EAI_NODATA     (-3007)
#define UV__EAI_NONAME     (-3008)
#define UV__EAI_OVERFLOW   (-3009)
#define UV__EAI_SERVICE    (-3010)
#define UV__EAI_SOCKTYPE   (-3011)
#define UV__EAI_BADHINTS   (-3013)
#define UV__EAI_PROTOCOL   (-3014)
#define UV__EFTYPE         (-4028)
#define UV__ECHARSET       (-4080)
#define UV__UNKNOWN        (-4094)
#define UV__EOF            (-4095)

/* Calls XX(name, message) for every error; the name is without UV_. */
#define UV_ERRNO_MAP(XX)                                                                 \
  XX(E2BIG, "argument list too long")                                                    \
  XX(EFAULT, "bad address in system call argument")                                      \
  XX(EILSEQ, "illegal byte sequence")                                                    \
  XX(EINVAL, "invalid argument")                                                         \
  XX(ENAMETOOLONG, "name too long")                                                      \
  XX(ENOEXEC, "exec format error")                                                       \
  XX(ENOMEM, "not enough memory")                                                        \
  XX(ENOSYS, "function not implemented")                                                 \
  XX(EOVERFLOW, "value too large for defined data type")                                 \
  XX(ERANGE, "result too large")                                                         \
  XX(EAGAIN, "resource temporarily unavailable")                                         \
  XX(EALREADY, "connection already in progress")                                         \
  XX(EBUSY, "resource busy or locked")                                                   \
  XX(ECANCELED, "operation canceled")                                                    \
  XX(EINTR, "interrupted system call")                                                   \
  XX(ETIMEDOUT, "connection timed out")                                                  \
  XX(EACCES, "permission denied")                                                        \
  XX(EBADF, "bad file descriptor")                                                       \
  XX(EEXIST, "file already exists")                                                      \
  XX(EFBIG, "file too large")                                                            \
  XX(EISDIR, "illegal operation on a directory")                                         \
  XX(ELOOP, "too many symbolic links encountered")                                       \
  XX(EMFILE, "too many open files")                                                      \
  XX(EMLINK, "too many links")                                                           \
  XX(ENFILE, "file table overflow")                                                      \
  XX(ENOENT, "no such file or directory")                                                \
  XX(ENOSPC, "no space left on device")                                                  \
  XX(ENOTDIR, "not a directory")                                                         \
  XX(ENOTEMPTY, "directory not empty")                                                   \
  XX(EPERM, "operation not permitted")                                                   \
  XX(EROFS, "read-only file system")                                                     \
  XX(ESPIPE, "invalid seek")                                                             \
  XX(ETXTBSY, "text file is busy")                                                       \
  XX(EXDEV, "cross-device link not permitted")                                           \
  XX(EIO, "i/o error")                                                                   \
  XX(ENODATA, "no data available")                                                       \
  XX(ENODEV, "no such device")                                                           \
  XX(ENOTTY, "inappropriate ioctl for device")                                           \
  XX(ENXIO, "no such device or address")                                                 \
  XX(EREMOTEIO, "remote I/O error")                                                      \
  XX(ESRCH, "no such process")                                                           \
  XX(EUNATCH, "protocol driver not attached")                                            \
  XX(EADDRINUSE, "address already in use")                                               \
  XX(EADDRNOTAVAIL, "address not available")                                             \
  XX(EAFNOSUPPORT, "address family not supported")                                       \
  XX(ECONNABORTED, "software caused connection abort")                                   \
  XX(ECONNREFUSED, "connection refused")                                                 \
  XX(ECONNRESET, "connection reset by peer")                                             \
  XX(EDESTADDRREQ, "destination address required")                                       \
  XX(EHOSTDOWN, "host is down")                                                          \
  XX(EHOSTUNREACH, "host is unreachable")                                                \
  XX(EISCONN, "socket is already connected")                                             \
  XX(EMSGSIZE, "message too long")                                                       \
  XX(ENETDOWN, "network is down")                                                        \
  XX(ENETUNREACH, "network is unreachable")                                              \
  XX(ENOBUFS, "no buffer space available")                                               \
  XX(ENONET, "machine is not on the network")                                            \
  XX(ENOPROTOOPT, "protocol not available")                                              \
  XX(ENOTCONN, "socket is not connected")                                                \
  XX(ENOTSOCK, "socket operation on non-socket")                                         \
  XX(ENOTSUP, "operation not supported on socket")                                       \
  XX(EPIPE, "broken pipe")                                                               \
  XX(EPROTO, "protocol error")                                                           \
  XX(EPROTONOSUPPORT, "protocol not supported")                                          \
  XX(EPROTOTYPE, "protocol wrong type for socket")                                       \
  XX(ESHUTDOWN, "cannot send after transport endpoint shutdown")                         \
  XX(ESOCKTNOSUPPORT, "socket type not supported")                                       \
  XX(EAI_ADDRFAMILY, "address family not supported")                                     \
  XX(EAI_AGAIN, "temporary failure")                                                     \
  XX(EAI_BADFLAGS, "bad ai_flags value")                                                 \
  XX(EAI_CANCELED, "request canceled")                                                   \
  XX(EAI_FAIL, "permanent failure")                                                      \
  XX(EAI_FAMILY, "ai_family not supported")                                              \
  XX(EAI_MEMORY, "out of memory")                                                        \
  XX(EAI_NODATA, "no address")                                                           \
  XX(EAI_NONAME, "unknown node or service")                                              \
  XX(EAI_OVERFLOW, "argument buffer overflow")                                           \
  XX(EAI_SERVICE, "service not available for socket type")                               \
  XX(EAI_SOCKTYPE, "socket type not supported")                                          \
  XX(EAI_BADHINTS, "invalid value for hints")                                            \
  XX(EAI_PROTOCOL, "resolved protocol is unknown")                                       \
  XX(EFTYPE, "inappropriate file type or format")                                        \
  XX(ECHARSET, "invalid Unicode character")                                              \
  XX(UNKNOWN, "unknown error")                                                           \
  XX(EOF, "end of file")

#define UV__ERRNO_CONSTANT(name, message) UV_##name = UV__##name,
typedef enum {
  UV_ERRNO_MAP(UV__ERRNO_CONSTANT) UV_ERRNO_MAX = UV__EOF - 1 /* below every code */
} uv_errno_t;
#undef UV__ERRNO_CONSTANT

#endif
