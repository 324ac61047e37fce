/* A simulated loop, inside: what is to happen at which virtual time, and the work and
 * descriptors that wait for theirs. */
#ifndef RONDO_SIM_STATE_H
#define RONDO_SIM_STATE_H

#include "backend/backend.h"
#include "base/queue.h"
#include "base/table.h"
#include "loop/loop.h"
#include "sim/sim_choose.h"
#include "sim/sim.h"

enum sim_event_kind {
  SIM_EVENT_EXECUTE,
  SIM_EVENT_COMPLETE,
  SIM_EVENT_RELEASE,
  SIM_EVENT_WAKE,
  SIM_EVENT_KILL,
  SIM_EVENT_SEND
};

/* An event: what happens to a piece of work or a descriptor at a virtual time; events
 * with equal times happen in the order in which they were planned. */
struct sim_event {
  uint64_t at;
  uint64_t order;
  enum sim_event_kind kind;
  uint32_t generation; /* of the descriptor's slot */
  int fd;              /* or the kind of notification, or a child's pid */
  struct sim_work* work;
  struct sim_datagram* datagram;
};

struct sim_heap {
  struct sim_event* events;
  size_t count, capacity;
  uint64_t order;
};

/* False without memory. */
bool sim_heap_push(struct sim_heap* heap, struct sim_event event);
struct sim_event sim_heap_pop(struct sim_heap* heap);

/* Something that could come next, in a systematic search. */
struct sim_mark {
  uint64_t arrival; /* order in which they began, or were first seen */
  uint64_t turn;    /* of the loop, when that was */
  bool is_asleep;   /* was passed over: not asked about until something else has come */
};

/* A descriptor of the loop, for one generation of its slot. */
struct sim_source {
  uint32_t generation;
  bool known;
  bool held;
  bool is_reset;   /* its next read fails */
  bool passes;     /* its next event has been decided: it is delivered */
  uint64_t number; /* in the order in which descriptors first became ready */
  uint64_t nth;
  struct sim_mark mark;
};

/* How many decisions a source of that hash has had. */
struct sim_count {
  struct table_link link;
  uint64_t source;
  uint64_t count;
};

/* An async handle that was sent to and is held back until this time. */
struct sim_held {
  uint64_t number;
  uint64_t until;
  struct sim_mark mark;
};

/* Something that runs between two of the loop's looks at the clock, and is decided to
 * take longer than the next timer's time. */
struct sim_computing {
  bool decided;
  struct sim_question question;
  uint64_t number;
  char name[400];
};

struct sim_step; /* sim_step_state.h */

struct sim_state {
  struct world* world;
  struct sim_chooser* chooser;
  const struct rondo_backend* inner;
  unsigned int number; /* of the loop in its process */
  struct sim_heap heap;

  /* sim_work.c */
  struct queue waiting; /* has no slot of the pool yet */
  /* Has a slot: in the heap, running, or done and not called back. */
  struct queue planned;
  unsigned int in_slots;
  unsigned int left_alone; /* number of pieces that run while the loop continues */
  unsigned int slots;

  /* sim_ready.c */
  struct sim_source* sources; /* by descriptor */
  size_t source_count;
  uint64_t source_number;
  uint64_t timer_wakes;

  struct queue datagrams; /* that are kept back: sim_datagrams.c */

  /* sim_delay.c */
  const uv_timer_t* due_timer; /* when the loop last polled; not to be looked into */

  /* sim_wake.c */
  struct sim_held* held;
  size_t held_count;
  uint64_t signals_until; /* 0: no signal is held */
  bool
      woken_by_engine; /* an engine has sent to a handle of its own since the last wait */

  /* sim_next.c */
  uint64_t arrivals;
  uint64_t served_turn;    /* in whose poll something was served last */
  uint64_t seen_turn;      /* whose poll's first look is over */
  unsigned int asked_at;   /* callbacks when things were passed over last */
  uint64_t passed_until;   /* a timer's time: what was passed over for it comes later */
  unsigned int yielded_at; /* callbacks when the others were let go first last, plus 1 */
  unsigned int nothings;   /* times in a row that nothing was served */
  uint64_t next_timer;     /* of the program, when a poll began last; 0: none yet */
  bool has_served;         /* something, since then */
  bool has_picked;         /* the next wait serves `picked` */
  bool works_are_over;     /* in this poll no more finished work is served */
  struct sim_mark* picked;

  /* sim_compute.c */
  bool has_looked;
  uint64_t look_turns;
  struct sim_computing runs, begun; /* until the loop's next look, and the one after it */

  char origin[200]; /* of the next request; "": not known */
  char work[40];    /* what the next request is called; "": not known */

  /* sim_described.c */
  struct sim_described* described;
  size_t described_count;
  uint64_t described_next; /* the id of the next handle; 0: none */

  struct table counts;   /* of struct sim_count */
  struct sim_step* step; /* NULL: none was shown yet */

  struct epoll_event events[BACKEND_BATCH];
};

static inline struct sim_state* sim_of(const uv_loop_t* loop) {
  return loop->sim_state;
}

/* The next number of a source: 0 for its first decision. */
uint64_t sim_nth(struct sim_state* sim, uint64_t source);

/* --- sim_delay.c --- */
/* Turns the number that was chosen into a delay in nanoseconds; 0 if there is no room for
 * one, and then nothing was decided. */
uint64_t sim_delay(const uv_loop_t* loop, const struct sim_question* about,
                   uint64_t number);
/* How late the timers are that are due. */
uint64_t sim_timers_late(const uv_loop_t* loop);
/* A poll phase ends: notes the timer that is due, whose callback comes next. */
void sim_note_due_timer(const uv_loop_t* loop);

/* --- sim_loop.c --- */
/* Carries out what is planned for now. */
void sim_events_run(uv_loop_t* loop);

/* --- sim_next.c --- */
static inline bool sim_is_systematic(const struct sim_state* sim) {
  return (sim->world->flags & WORLD_CHOICES) != 0;
}
/* The wait of a systematic search: serves one thing at a time. */
int sim_next_wait(uv_loop_t* loop, uint64_t deadline, bool may_sleep, int max);
/* Whether an engine watches the descriptor for itself. */
bool sim_next_is_engines(const uv_loop_t* loop, int fd);
/* A new thing that could come next. */
void sim_next_mark(const uv_loop_t* loop, struct sim_mark* mark);
/* At the start of a turn: which timers have become due while a script or a callback ran.
 */
void sim_next_compute(uv_loop_t* loop, const char* what);

/* --- sim_work.c --- */
void sim_work_init(struct sim_state* sim);
/* Begins the work for which the pool has a slot: not when it is submitted but when the
 * loop polls, since by then all that the program started together with it is known. */
void sim_work_fill_slots(uv_loop_t* loop);
void sim_work_execute(uv_loop_t* loop, struct sim_work* work);
void sim_work_complete(uv_loop_t* loop, struct sim_work* work);
/* The pieces that have a slot, and haven't been reported, as many as there is room for.
 */
size_t sim_work_list(const struct sim_state* sim, struct sim_work** list, size_t most);
/* Carries it out if need be, and reports it. */
void sim_work_serve(uv_loop_t* loop, struct sim_work* work);
/* Carries it out, and reports it later. */
void sim_work_keep_back(uv_loop_t* loop, struct sim_work* work);
/* Collects work that ran while the loop continued. */
void sim_work_collect(uv_loop_t* loop);
void sim_work_close(uv_loop_t* loop);
void sim_work_fork(uv_loop_t* loop);
/* As in "open". */
const char* sim_fs_name(uv_fs_type type);

/* --- sim_ready.c --- */
/* Of the ready events, returns those that are delivered now; the rest is held back until
 * its time. */
int sim_ready_filter(uv_loop_t* loop, const struct epoll_event* events, int count,
                     struct epoll_event* out);
void sim_ready_release(uv_loop_t* loop, const struct sim_event* event);
void sim_ready_close(struct sim_state* sim);
/* Held back by a systematic search: takes it out of the set; and puts it back, to be
 * served when the set next reports it. */
bool sim_ready_is_held(const uv_loop_t* loop, int fd);
void sim_ready_serve(uv_loop_t* loop, int fd);
/* The source of an open descriptor; NULL if there is none. */
const struct sim_source* sim_ready_source(const uv_loop_t* loop, int fd);

/* --- sim_compute.c --- */
/* The program's code named here runs before the loop's next look but one. Returns where
 * the decision is kept, for a better name; NULL if it takes no time. */
struct sim_computing* sim_compute_begins(uv_loop_t* loop, const char* source);

/* --- sim_names.c --- */
/* Words for an event of a descriptor, in a decision. */
void sim_source_words(const uv_loop_t* loop, const uv__io_t* w, unsigned int events,
                      const struct sim_source* source, char* words, size_t size);
/* The handle whose descriptor it is; NULL for a child's, or a file watcher's. */
const uv_handle_t* sim_handle_of(const uv_loop_t* loop, const uv__io_t* w);
bool sim_is_listening(int fd);

/* --- sim_described.c --- */
/* Writes what a decision calls a handle: `words`, and with it, if the program has
 * described the handle, the description's number; tools/rondo/sim/sim_handle_names.c
 * reads it. `handle` may be NULL. */
void sim_described_words(const uv_loop_t* loop, const void* handle, const char* words,
                         char* text, size_t size);
void sim_described_close(struct sim_state* sim);

/* --- sim_wake.c --- */
bool sim_is_in_node(void);
/* Whether the loop is one of Node's helper threads, which run no script. */
bool sim_is_engines_loop(const uv_loop_t* loop);

/* --- sim_faults.c --- */
/* The error with which work ends instead of being carried out; 0: it is carried out. */
int sim_fault_of_work(uv_loop_t* loop, const uv_fs_t* req, bool is_lookup,
                      uint64_t source, const char* words);
int64_t sim_connection_fault(uv_loop_t* loop, const struct sim_source* source);
void sim_child_fault(uv_loop_t* loop, int pid);
void sim_child_kill(int pid);
/* Whether something is to become of the next datagram of a socket. */
bool sim_datagram_fault(uv_loop_t* loop, uint64_t socket, struct sim_question* question,
                        uint64_t* number);

/* --- sim_datagrams.c --- */
void sim_datagram_due(struct sim_datagram* datagram);
void sim_datagrams_free(struct sim_state* sim);

#endif
