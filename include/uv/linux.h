/* Flags for uv_fs_open, with the values that Linux gives them. A flag that the C library
 * doesn't show under the program's feature macros, or that only other systems have, is 0:
 * asking for it then does nothing. */
#ifndef UV_LINUX_H
#define UV_LINUX_H

#include <fcntl.h>

/* access */
#define UV_FS_O_RDONLY O_RDONLY
#define UV_FS_O_WRONLY O_WRONLY
#define UV_FS_O_RDWR   O_RDWR

/* creation */
#define UV_FS_O_CREAT O_CREAT
#define UV_FS_O_EXCL  O_EXCL
#define UV_FS_O_TRUNC O_TRUNC

/* how the descriptor behaves */
#define UV_FS_O_APPEND   O_APPEND
#define UV_FS_O_NOCTTY   O_NOCTTY
#define UV_FS_O_NONBLOCK O_NONBLOCK
#define UV_FS_O_SYNC     O_SYNC

#if defined(__x86_64__)
#define UV_FS_O_DIRECT 0x4000 /* shown by the C library only to GNU programs */
#elif defined(O_DIRECT)
#define UV_FS_O_DIRECT O_DIRECT
#else
#define UV_FS_O_DIRECT 0
#endif
#ifdef O_DSYNC
#define UV_FS_O_DSYNC O_DSYNC
#else
#define UV_FS_O_DSYNC 0
#endif
#ifdef O_NOATIME
#define UV_FS_O_NOATIME O_NOATIME
#else
#define UV_FS_O_NOATIME 0
#endif

/* how the path is resolved */
#ifdef O_DIRECTORY
#define UV_FS_O_DIRECTORY O_DIRECTORY
#define UV_FS_O_NOFOLLOW  O_NOFOLLOW
#else
#define UV_FS_O_DIRECTORY 0
#define UV_FS_O_NOFOLLOW  0
#endif

/* other systems only */
#define UV_FS_O_EXLOCK      0
#define UV_FS_O_FILEMAP     0
#define UV_FS_O_RANDOM      0
#define UV_FS_O_SEQUENTIAL  0
#define UV_FS_O_SHORT_LIVED 0
#define UV_FS_O_SYMLINK     0
#define UV_FS_O_TEMPORARY   0

#endif
