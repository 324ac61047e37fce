/* Child processes: what to start and how, and the handle that reports the end. */
#ifndef UV_PROCESS_H
#define UV_PROCESS_H

typedef void (*uv_exit_cb)(uv_process_t* process, int64_t exit_status, int term_signal);

/* The plan for one descriptor of the child; directions are seen from the child. */
typedef enum {
  UV_IGNORE = 0x00,
  UV_CREATE_PIPE = 0x01,
  UV_INHERIT_FD = 0x02,
  UV_INHERIT_STREAM = 0x04,
  UV_READABLE_PIPE = 0x10,
  UV_WRITABLE_PIPE = 0x20,
  UV_NONBLOCK_PIPE = 0x40,
  UV_OVERLAPPED_PIPE = 0x40 /* the old name of the one above */
} uv_stdio_flags;

enum uv_process_flags {
  UV_PROCESS_SETUID = 1,
  UV_PROCESS_SETGID = 2,
  UV_PROCESS_DETACHED = 8, /* in a session of its own */
  /* other systems only, ignored here */
  UV_PROCESS_WINDOWS_VERBATIM_ARGUMENTS = 4,
  UV_PROCESS_WINDOWS_HIDE = 16,
  UV_PROCESS_WINDOWS_HIDE_CONSOLE = 32,
  UV_PROCESS_WINDOWS_HIDE_GUI = 64,
  UV_PROCESS_WINDOWS_FILE_PATH_EXACT_NAME = 128
};

typedef struct uv_stdio_container_s {
  uv_stdio_flags flags;
  union {
    uv_stream_t* stream;
    int fd;
  } data;
} uv_stdio_container_t;

typedef struct uv_process_options_s {
  uv_exit_cb exit_cb;
  const char* file; /* looked up in PATH */
  char** args;      /* NULL-terminated; args[0] is the program's name */
  char** env;       /* NULL: as ours */
  const char* cwd;  /* NULL: as ours */
  unsigned int flags;
  int stdio_count;
  uv_stdio_container_t* stdio; /* element i is descriptor i of the child */
  uv_uid_t uid;
  uv_gid_t gid;
} uv_process_options_t;

struct rondo_child;

/* Programs may read pid. */
struct uv_process_s {
  UV_HANDLE_FIELDS
  uv_exit_cb exit_cb;
  int pid;
  struct rondo_child* child;
  void* unused;
  int status;
};

UV_EXTERN int uv_spawn(uv_loop_t* loop, uv_process_t* handle,
                       const uv_process_options_t* options);
UV_EXTERN int uv_process_kill(uv_process_t* process, int signum);
UV_EXTERN int uv_kill(int pid, int signum);
UV_EXTERN uv_pid_t uv_process_get_pid(const uv_process_t* process);
/* Marks the descriptors we inherited close-on-exec, as far as they can be found. */
UV_EXTERN void uv_disable_stdio_inheritance(void);

#endif
