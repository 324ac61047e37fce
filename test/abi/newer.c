/* What Debian's header can't tell, because it is newer than 1.44: constants, types and
 * prototypes added up to 1.52. Only compiled, by test/abi/check; each line is a promise.
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <uv.h>

static_assert(UV_VERSION_HEX == 0x013400, "1.52.0");

static_assert(UV_ENODATA == -ENODATA, "negated errno");
static_assert(UV_EUNATCH == -EUNATCH, "negated errno");
static_assert(UV_ENOEXEC == -ENOEXEC, "negated errno");

static_assert(UV_METRICS_IDLE_TIME == 1, "follows UV_LOOP_BLOCK_SIGNAL");
static_assert(UV_LOOP_USE_IO_URING_SQPOLL == 2, "follows UV_METRICS_IDLE_TIME");
static_assert(UV_TCP_REUSEPORT == 2, "value");
static_assert(UV_UDP_REUSEPORT == 64, "value");
static_assert(UV_PIPE_NO_TRUNCATE == 1, "value");
static_assert(UV_PROCESS_WINDOWS_FILE_PATH_EXACT_NAME == 128, "value");
static_assert(UV_TTY_MODE_RAW_VT == 3, "follows UV_TTY_MODE_IO");
static_assert(UV_CLOCK_MONOTONIC == 0 && UV_CLOCK_REALTIME == 1, "values");
static_assert(UV_THREAD_PRIORITY_LOWEST == -2, "value");
static_assert(UV_THREAD_PRIORITY_BELOW_NORMAL == -1, "value");
static_assert(UV_THREAD_PRIORITY_NORMAL == 0, "value");
static_assert(UV_THREAD_PRIORITY_ABOVE_NORMAL == 1, "value");
static_assert(UV_THREAD_PRIORITY_HIGHEST == 2, "value");

static_assert(offsetof(uv_statfs_t, f_frsize) == 56, "the first spare word of 1.44");
static_assert(sizeof(uv_timespec64_t) == 16, "size");
static_assert(offsetof(uv_timespec64_t, tv_nsec) == 8, "offset");
static_assert(sizeof(uv_group_t) == 24, "size");
static_assert(offsetof(uv_group_t, gid) == 8, "offset");
static_assert(offsetof(uv_group_t, members) == 16, "offset");
static_assert(sizeof(uv_metrics_t) == 128, "three counters, 13 words to grow");
static_assert(offsetof(uv_metrics_t, events) == 8, "offset");
static_assert(offsetof(uv_metrics_t, events_waiting) == 16, "offset");

/* The private parts that the library's rooms share. */
static_assert(sizeof(uv__io_t) == 56, "size");
static_assert(sizeof(struct uv__work) == 40, "size");

const double newer_utime[2] = {UV_FS_UTIME_NOW, UV_FS_UTIME_OMIT};

int uv_clock_gettime(uv_clock_id, uv_timespec64_t*);
uint64_t uv_get_available_memory(void);
int uv_metrics_info(uv_loop_t*, uv_metrics_t*);
int uv_getrusage_thread(uv_rusage_t*);
int uv_os_get_passwd2(uv_passwd_t*, uv_uid_t);
int uv_os_get_group(uv_group_t*, uv_uid_t);
void uv_os_free_group(uv_group_t*);
int uv_pipe_bind2(uv_pipe_t*, const char*, size_t, unsigned int);
int uv_pipe_connect2(uv_connect_t*, uv_pipe_t*, const char*, size_t, unsigned int,
                     uv_connect_cb);
int uv_tcp_keepalive_ex(uv_tcp_t*, int, unsigned int, unsigned int, unsigned int);
int uv_udp_open_ex(uv_udp_t*, uv_os_sock_t, unsigned int);
int uv_udp_try_send2(uv_udp_t*, unsigned int, uv_buf_t*[], unsigned int[],
                     struct sockaddr*[], unsigned int);
int uv_thread_detach(uv_thread_t*);
int uv_thread_getcpu(void);
int uv_thread_setaffinity(uv_thread_t*, char*, char*, size_t);
int uv_thread_getaffinity(uv_thread_t*, char*, size_t);
int uv_cpumask_size(void);
int uv_thread_setname(const char*);
int uv_thread_getname(uv_thread_t*, char*, size_t);
int uv_thread_getpriority(uv_thread_t, int*);
int uv_thread_setpriority(uv_thread_t, int);
size_t uv_utf16_length_as_wtf8(const uint16_t*, ssize_t);
int uv_utf16_to_wtf8(const uint16_t*, ssize_t, char**, size_t*);
ssize_t uv_wtf8_length_as_utf16(const char*);
void uv_wtf8_to_utf16(const char*, uint16_t*, size_t);
