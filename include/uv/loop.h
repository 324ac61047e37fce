/* The loop: its life, its turns, its time, and what can be asked about it. */
#ifndef UV_LOOP_H
#define UV_LOOP_H

typedef enum {
  UV_LOOP_BLOCK_SIGNAL = 0,       /* int: block this signal (SIGPROF) while polling */
  UV_METRICS_IDLE_TIME = 1,       /* measure the time spent waiting in the poll */
  UV_LOOP_USE_IO_URING_SQPOLL = 2 /* let a kernel thread pick up submissions */
} uv_loop_option;

/* So that programs can ask the preprocessor whether this option exists. */
#define UV_LOOP_USE_IO_URING_SQPOLL UV_LOOP_USE_IO_URING_SQPOLL

typedef enum {
  UV_RUN_DEFAULT = 0, /* until nothing is alive, or stopped */
  UV_RUN_ONCE = 1,    /* one turn, which may wait once */
  UV_RUN_NOWAIT = 2   /* one turn without waiting */
} uv_run_mode;

typedef struct uv_metrics_s {
  uint64_t loop_count;     /* turns */
  uint64_t events;         /* events handled */
  uint64_t events_waiting; /* of those, the ones already there when the poll began */
  uint64_t* reserved[13];
} uv_metrics_t;

/* Life */
UV_EXTERN uv_loop_t* uv_default_loop(void);
UV_EXTERN int uv_loop_init(uv_loop_t* loop);
/* UV_EBUSY, and nothing changed, while handles or requests are open. */
UV_EXTERN int uv_loop_close(uv_loop_t* loop);
/* Old: allocate and uv_loop_init, uv_loop_close and free in one. */
UV_EXTERN uv_loop_t* uv_loop_new(void);
UV_EXTERN void uv_loop_delete(uv_loop_t* loop);
UV_EXTERN size_t uv_loop_size(void);
UV_EXTERN int uv_loop_configure(uv_loop_t* loop, uv_loop_option option, ...);
/* Call first in a forked child that goes on using the loop. */
UV_EXTERN int uv_loop_fork(uv_loop_t* loop);
UV_EXTERN void* uv_loop_get_data(const uv_loop_t* loop);
UV_EXTERN void uv_loop_set_data(uv_loop_t* loop, void* data);

/* Turns */
UV_EXTERN int uv_run(uv_loop_t* loop, uv_run_mode mode);
UV_EXTERN void uv_stop(uv_loop_t* loop);
UV_EXTERN int uv_loop_alive(const uv_loop_t* loop);
/* For driving this loop from another one: a descriptor to poll, and for how many ms. */
UV_EXTERN int uv_backend_fd(const uv_loop_t* loop);
UV_EXTERN int uv_backend_timeout(const uv_loop_t* loop);

/* Time: milliseconds, cached once a turn */
UV_EXTERN uint64_t uv_now(const uv_loop_t* loop);
UV_EXTERN void uv_update_time(uv_loop_t* loop);

/* The handles on the loop */
UV_EXTERN void uv_walk(uv_loop_t* loop, uv_walk_cb walk_cb, void* arg);
UV_EXTERN void uv_print_all_handles(uv_loop_t* loop, FILE* stream);
UV_EXTERN void uv_print_active_handles(uv_loop_t* loop, FILE* stream);
UV_EXTERN uint64_t uv_metrics_idle_time(uv_loop_t* loop);
UV_EXTERN int uv_metrics_info(uv_loop_t* loop, uv_metrics_t* metrics);

/* Only data is for programs. All else is private, arranged freely within the 848 bytes
 * that the interface has promised. */
struct rondo_backend;
struct rondo_slot;
struct rondo_timer_entry;

/* How many attempts have failed in a row: see base/backoff.h. */
struct rondo_backoff {
  unsigned int vain;
  unsigned int skip; /* chances to let go by before the next attempt */
};

struct uv_loop_s {
  void* data;

  /* loop/run.c and handle.c: what is alive, and whether it goes on. Up to backend_fd,
   * which programs are known to read, the fields are where libuv has them. */
  unsigned int active_handles;
  void* handle_queue[2];
  union {
    void* unused;
    unsigned int count;
  } active_reqs;
  void* internal_fields; /* libuv's name for what is behind its interface; unused */
  unsigned int stop_flag;
  unsigned int forks; /* loop/life.c: see loop_is_ours */
  unsigned int flags;
  unsigned int callbacks_run;

  /* backend/ */
  int backend_fd;
  unsigned int nslots;
  struct rondo_slot* slots;
  const struct rondo_backend* backend;
  void* backend_state;

  /* loop/watcher.c and pending.c */
  void* changed_queue[2];
  void* pending_queue[2];
  uint64_t pauses_end; /* see watcher_pause */
  unsigned int nwatchers;

  /* loop/loop_clock.c */
  unsigned int callbacks_at_clock;
  uint64_t now_ns;

  /* trace/recorder.h; NULL: nothing is recorded. Beside the clock, for every callback
   * looks at both. */
  void* trace_state;

  /* loop/timer.c: the heap, and the timers taken out of it as due in this turn */
  struct rondo_timer_entry* timers;
  size_t timer_count;
  size_t timer_capacity;
  struct rondo_timer_entry* due;
  size_t due_count;
  size_t due_next;
  size_t unused_word; /* keeps the places of the fields behind it */
  uint64_t timer_counter;

  /* loop/turn_handles.c */
  void* idle_handles[2];
  void* prepare_handles[2];
  void* check_handles[2];

  /* loop/closing.c */
  uv_handle_t* closing_handles; /* last closed first */
  uv_handle_t* closing_first;   /* of them, the one closed first */
  uv_handle_t* closing_batch;   /* whose callbacks come next */
  uv_handle_t* closing_batch_last;

  /* loop/poll_phase.c */
  void* completed_queue[2]; /* work that this thread has finished */
  uint64_t turns;
  uint64_t events;
  uint64_t events_waiting;
  uint64_t idle_time;
  unsigned int poll_left; /* loop/limits.h */

  /* loop/look_out.c */
  struct rondo_backoff work_backoff;
  struct rondo_backoff async_backoff;
  struct rondo_backoff partner_backoff;
  unsigned int spin_reason;

  /* From here to limits.h: fields that other threads write, and fields that they read for
   * each piece of work, are a cache line away from those that the loop's thread writes in
   * every turn. Fields that hardly ever change lie between. */

  /* loop/async.c and wake.c: the loop's own */
  unsigned int wake_taken;   /* see wake_take */
  unsigned int async_number; /* of the last async handle made */
  void* async_handles[2];
  void (*on_wake[3])(struct uv_loop_s* loop);

  /* handle/ */
  void* signal_state;
  void* process_state;
  void* inotify_state;
  int emfile_fd;          /* handle/stream_accept.c */
  unsigned int has_outer; /* uv_backend_fd was called */

  /* loop/async.c and wake.c: what other threads write */
  uv_async_t* async_sent;
  unsigned int async_senders;
  unsigned int wake_state;
  unsigned int wake_flags;
  int wake_fd;
  uv__io_t wake_watcher;

  /* request/: what the pool's threads read for each piece of work */
  void* work_state;
  unsigned int work_processor; /* 1 more than where the pool last worked for this loop */

  /* loop/limits.h */
  unsigned int limits[7];
  unsigned int owed[7];

  /* request/: the loop's own */
  unsigned int work_active; /* in the pool, for this loop */
  void* file_state;
  /* Work gathered for the next poll phase, NULL without any; the function sets this to
   * NULL. */
  void (*before_poll)(struct uv_loop_s* loop);

  uint64_t counters[16];                 /* loop/counters.h */
  void* sim_state;                       /* sim/sim_state.h; NULL: nothing is simulated */
  char padding[40 + sizeof(uv_mutex_t)]; /* libuv has a mutex of the system's here */
};

#endif
