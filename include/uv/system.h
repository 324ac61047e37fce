/* What can be asked of the machine, the process and its surroundings. Functions that fill
 * a buffer take its size in *size and leave the length there, without the final NUL; if
 * it is too small they return UV_ENOBUFS and leave the size that is needed. */
#ifndef UV_SYSTEM_H
#define UV_SYSTEM_H

/* Clocks */
typedef enum { UV_CLOCK_MONOTONIC = 0, UV_CLOCK_REALTIME = 1 } uv_clock_id;

typedef struct {
  int64_t tv_sec;
  int32_t tv_nsec;
} uv_timespec64_t;

typedef struct {
  int64_t tv_sec;
  int32_t tv_usec;
} uv_timeval64_t;

typedef struct {
  long tv_sec;
  long tv_usec;
} uv_timeval_t;

/* Nanoseconds of a clock that never goes back. */
UV_EXTERN uint64_t uv_hrtime(void);
UV_EXTERN int uv_clock_gettime(uv_clock_id clock_id, uv_timespec64_t* ts);
UV_EXTERN int uv_gettimeofday(uv_timeval64_t* tv);
UV_EXTERN void uv_sleep(unsigned int msec);
UV_EXTERN int uv_uptime(double* uptime);

/* Processors and memory; sizes in bytes, times in milliseconds */
struct uv_cpu_times_s {
  uint64_t user;
  uint64_t nice;
  uint64_t sys;
  uint64_t idle;
  uint64_t irq;
};

typedef struct uv_cpu_info_s {
  char* model;
  int speed; /* MHz */
  struct uv_cpu_times_s cpu_times;
} uv_cpu_info_t;

typedef struct {
  uv_timeval_t ru_utime;
  uv_timeval_t ru_stime;
  uint64_t ru_maxrss;
  uint64_t ru_ixrss;
  uint64_t ru_idrss;
  uint64_t ru_isrss;
  uint64_t ru_minflt;
  uint64_t ru_majflt;
  uint64_t ru_nswap;
  uint64_t ru_inblock;
  uint64_t ru_oublock;
  uint64_t ru_msgsnd;
  uint64_t ru_msgrcv;
  uint64_t ru_nsignals;
  uint64_t ru_nvcsw;
  uint64_t ru_nivcsw;
} uv_rusage_t;

UV_EXTERN int uv_cpu_info(uv_cpu_info_t** cpu_infos, int* count);
UV_EXTERN void uv_free_cpu_info(uv_cpu_info_t* cpu_infos, int count);
/* How many threads can run at once: never 0. */
UV_EXTERN unsigned int uv_available_parallelism(void);
UV_EXTERN void uv_loadavg(double avg[3]);
UV_EXTERN int uv_getrusage(uv_rusage_t* rusage);
UV_EXTERN int uv_getrusage_thread(uv_rusage_t* rusage);
UV_EXTERN int uv_resident_set_memory(size_t* rss);
UV_EXTERN uint64_t uv_get_total_memory(void);
UV_EXTERN uint64_t uv_get_free_memory(void);
/* The control group's limit; UINT64_MAX if it sets none, 0 if there is no group. */
UV_EXTERN uint64_t uv_get_constrained_memory(void);
/* The memory that this process may still take, that limit included. */
UV_EXTERN uint64_t uv_get_available_memory(void);

/* The process */
#define UV_PRIORITY_LOW          19
#define UV_PRIORITY_BELOW_NORMAL 10
#define UV_PRIORITY_NORMAL       0
#define UV_PRIORITY_ABOVE_NORMAL -7
#define UV_PRIORITY_HIGH         -14
#define UV_PRIORITY_HIGHEST      -20

UV_EXTERN uv_pid_t uv_os_getpid(void);
UV_EXTERN uv_pid_t uv_os_getppid(void);
UV_EXTERN int uv_os_getpriority(uv_pid_t pid, int* priority);
UV_EXTERN int uv_os_setpriority(uv_pid_t pid, int priority);
/* Call first in main, if the title is to be set: gives back the arguments to use. */
UV_EXTERN char** uv_setup_args(int argc, char** argv);
UV_EXTERN int uv_get_process_title(char* buffer, size_t size);
UV_EXTERN int uv_set_process_title(const char* title);
/* The exception: a path too long for the buffer is cut. */
UV_EXTERN int uv_exepath(char* buffer, size_t* size);
UV_EXTERN int uv_cwd(char* buffer, size_t* size);
UV_EXTERN int uv_chdir(const char* dir);
/* Descriptors are system handles here: both give back what they get. */
UV_EXTERN uv_os_fd_t uv_get_osfhandle(int fd);
UV_EXTERN int uv_open_osfhandle(uv_os_fd_t os_fd);

/* The environment */
typedef struct uv_env_item_s {
  char* name;
  char* value;
} uv_env_item_t;

UV_EXTERN int uv_os_environ(uv_env_item_t** envitems, int* count);
UV_EXTERN void uv_os_free_environ(uv_env_item_t* envitems, int count);
UV_EXTERN int uv_os_getenv(const char* name, char* buffer, size_t* size);
UV_EXTERN int uv_os_setenv(const char* name, const char* value);
UV_EXTERN int uv_os_unsetenv(const char* name);

/* Users and groups */
typedef struct uv_passwd_s {
  char* username;
  unsigned long uid;
  unsigned long gid;
  char* shell;
  char* homedir;
} uv_passwd_t;

typedef struct uv_group_s {
  char* groupname;
  unsigned long gid;
  char** members;
} uv_group_t;

UV_EXTERN int uv_os_get_passwd(uv_passwd_t* pwd);
UV_EXTERN int uv_os_get_passwd2(uv_passwd_t* pwd, uv_uid_t uid);
UV_EXTERN void uv_os_free_passwd(uv_passwd_t* pwd);
UV_EXTERN int uv_os_get_group(uv_group_t* group, uv_uid_t gid);
UV_EXTERN void uv_os_free_group(uv_group_t* group);
UV_EXTERN int uv_os_homedir(char* buffer, size_t* size);
UV_EXTERN int uv_os_tmpdir(char* buffer, size_t* size);

/* The host and its network */
#define UV_MAXHOSTNAMESIZE (MAXHOSTNAMELEN + 1) /* with the NUL */
#define UV_IF_NAMESIZE     (16 + 1)             /* with the NUL */

typedef struct uv_utsname_s {
  char sysname[256];
  char release[256];
  char version[256];
  char machine[256];
} uv_utsname_t;

typedef struct uv_interface_address_s {
  char* name;
  char phys_addr[6];
  int is_internal;
  union {
    struct sockaddr_in address4;
    struct sockaddr_in6 address6;
  } address;
  union {
    struct sockaddr_in netmask4;
    struct sockaddr_in6 netmask6;
  } netmask;
} uv_interface_address_t;

UV_EXTERN int uv_os_uname(uv_utsname_t* buffer);
UV_EXTERN int uv_os_gethostname(char* buffer, size_t* size);
UV_EXTERN int uv_interface_addresses(uv_interface_address_t** addresses, int* count);
UV_EXTERN void uv_free_interface_addresses(uv_interface_address_t* addresses, int count);
UV_EXTERN int uv_if_indextoname(unsigned int ifindex, char* buffer, size_t* size);
/* The interface as it is written after the % of an address: on Linux its name. */
UV_EXTERN int uv_if_indextoiid(unsigned int ifindex, char* buffer, size_t* size);

/* Addresses as text */
UV_EXTERN int uv_ip4_addr(const char* ip, int port, struct sockaddr_in* addr);
UV_EXTERN int uv_ip6_addr(const char* ip, int port, struct sockaddr_in6* addr);
UV_EXTERN int uv_ip4_name(const struct sockaddr_in* src, char* dst, size_t size);
UV_EXTERN int uv_ip6_name(const struct sockaddr_in6* src, char* dst, size_t size);
UV_EXTERN int uv_ip_name(const struct sockaddr* src, char* dst, size_t size);
UV_EXTERN int uv_inet_ntop(int af, const void* src, char* dst, size_t size);
UV_EXTERN int uv_inet_pton(int af, const char* src, void* dst);

/* Libraries loaded at run time */
UV_EXTERN int uv_dlopen(const char* filename, uv_lib_t* lib);
UV_EXTERN void uv_dlclose(uv_lib_t* lib);
UV_EXTERN int uv_dlsym(uv_lib_t* lib, const char* name, void** ptr);
UV_EXTERN const char* uv_dlerror(const uv_lib_t* lib);

/* UTF-16 that may hold lone surrogates, and WTF-8, which can carry them */
UV_EXTERN size_t uv_utf16_length_as_wtf8(const uint16_t* utf16, ssize_t utf16_len);
UV_EXTERN int uv_utf16_to_wtf8(const uint16_t* utf16, ssize_t utf16_len, char** wtf8,
                               size_t* wtf8_len);
UV_EXTERN ssize_t uv_wtf8_length_as_utf16(const char* wtf8);
UV_EXTERN void uv_wtf8_to_utf16(const char* wtf8, uint16_t* utf16, size_t utf16_len);

#endif
