/* What the two halves of the program share: the objects, which are handles together with
 * what we believe of them, and the state of the run. acts.c does things to them,
 * loop_fuzz.c takes the callbacks and turns the loop. */
#ifndef RONDO_FUZZ_LOOP_FUZZ_H
#define RONDO_FUZZ_LOOP_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

enum kind { TIMER, IDLE, PREPARE, CHECK, ASYNC, POLL, PIPE, KINDS };
enum { OBJECTS = 148, WRITES_MAX = 64, CHUNK_MAX = 3000 };

enum life { NONE, OPEN, CLOSING };
enum phase { TOP, TIMERS, PENDING, TURN, CHECKS, POLLS, CLOSES };

struct object {
  union {
    uv_handle_t handle;
    uv_timer_t timer;
    uv_idle_t idle;
    uv_prepare_t prepare;
    uv_check_t check;
    uv_async_t async;
    uv_poll_t poll;
    uv_pipe_t pipe;
  } uv;
  enum kind kind;
  int number;
  enum life life;
  bool active;     /* what we believe */
  uint64_t due;    /* timer */
  uint64_t repeat; /* timer */
  bool sent;       /* async: since its last callback */
  int events;      /* poll: asked for */
  int own;         /* poll: the descriptor it watches */
  int peer;        /* poll, pipe: the other end */
  size_t taken;    /* pipe: bytes that came since they were last printed */
};

struct writing {
  uv_write_t request;
  struct object* object;
  bool used;
  int serial;
};

extern const int kind_counts[KINDS];
extern uv_loop_t loop;
extern struct object objects[OBJECTS];
extern struct writing writings[WRITES_MAX];
extern char bytes[65536]; /* to be written, or read and forgotten */
extern bool wild;
extern bool finishing;   /* nothing new is begun */
extern enum phase phase; /* we are in */
/* rondo_loop_limit, NULL where the library has none or it isn't to be used. */
extern int (*set_limit)(uv_loop_t* loop, int phase, unsigned int n);

#define expect(condition) expect_at((condition), #condition, __FILE__, __LINE__)
void expect_at(bool condition, const char* text, const char* file, int line);

/* A number below count, decided by the seed. */
unsigned int pick(unsigned int count);
/* Says what is done to an object, unless the run is silent. */
void log_here(const char* what, const struct object* object, long value);

/* One random thing, done to an object or to the loop. */
void act(void);
void close_object(struct object* object);

/* The callbacks. */
void on_timer(uv_timer_t* handle);
void on_idle(uv_idle_t* handle);
void on_prepare(uv_prepare_t* handle);
void on_check(uv_check_t* handle);
void on_async(uv_async_t* handle);
void on_poll(uv_poll_t* handle, int status, int events);
void on_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buffer);
void on_read(uv_stream_t* stream, ssize_t count, const uv_buf_t* buffer);
void on_written(uv_write_t* request, int status);
void on_close(uv_handle_t* handle);
void on_walk(uv_handle_t* handle, void* argument);

#endif
