/* A world: the processes of one simulation, which share one virtual clock.
 *
 * The world is memory: a file that `rondo sim` makes, mapped by each process that joins,
 * or anonymous memory for a program that simulates a loop of its own. The clock stands
 * still while anybody works. A thread that waits says until when (world_wait). When every
 * thread of every process sleeps, one of those whose wait is over, because a descriptor
 * is ready or the time has come, gets its turn; the seed says which (world_turn.c). If
 * there is none, the clock moves to the first deadline. So threads that wait, in all
 * processes, run one after the other, each until it waits again. Nothing here allocates
 * with malloc.
 *
 * This file and the world_*.c files go into libuv.so.1 and into librondo-sim.so; both use
 * the same memory, so a thread has one entry, whichever of them it waits in. */
#ifndef RONDO_SIM_WORLD_H
#define RONDO_SIM_WORLD_H

#include "sim/world_outside.h"
#include "sim/world_times.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define WORLD_MAGIC  "RONDOSIM"
#define WORLD_NEVER  UINT64_MAX
#define WORLD_SECOND UINT64_C(1000000000)
/* Where the monotonic clock starts: some time after the machine's start, like any
 * program; a whole number. */
#define WORLD_START_NS (1000 * WORLD_SECOND)

enum {
  WORLD_VERSION = 9,
  WORLD_THREADS = 2048,
  WORLD_PROCESSES = 128,
  WORLD_PATH = 64, /* a process's place in the tree, as in "0.2.1" */
  WORLD_FOLDER = 256,
  WORLD_WRITTEN = 1024, /* files that are noted */
  WORLD_TAKEN = 1024,   /* choices that are given */
};

/* Bits of world->flags. */
enum {
  WORLD_TIME_ONLY = 1, /* no decisions: virtual time alone */
  WORLD_VERBOSE = 2,   /* report what is waited for in real time */
  WORLD_FAULTS = 4,
  WORLD_ALLOW = 8, /* only the decisions that the file `allow` lists */
  WORLD_LOG_ALL = 16,
  WORLD_SHOWN = 32,  /* the run is shown: what it leaves is its user's */
  WORLD_EXPIRE = 64, /* delays may be longer than the program's limits */
  WORLD_CHOICES =
      128,           /* a systematic search: what comes next is asked (world_choose.c) */
  WORLD_STEPS = 256, /* loops write their steps (sim_step.h) */
};

/* How a world came to its end, other than by its processes. */
enum world_end { WORLD_GOES_ON, WORLD_TIMED_OUT, WORLD_HANGS };

enum world_thread_state { THREAD_AWAKE, THREAD_WAITS, THREAD_ITS_TURN };
enum world_thread_kind { WAIT_DESCRIPTORS, WAIT_CONDITION };

/* A thread that has waited at least once. */
struct world_thread {
  int tid; /* 0: free */
  int pid;
  uint32_t state;
  uint32_t kind;
  uint64_t deadline;
  uint64_t condition; /* pthread_cond_t*, in its own process */
  uint64_t mutex;     /* of the condition, locked while the thread looks; 0 */
  /* Works for a loop, in real time, until then at most: what it waits for can't be known
   * (a name server, a FIFO). 0: it doesn't. */
  uint64_t works_until;
  uint32_t is_loop;   /* it runs a loop */
  uint32_t is_ready;  /* a descriptor of its set is, or a signal came; atomic */
  uint32_t is_helper; /* of an engine: goes on when it likes */
  uint32_t is_actor;  /* runs loops of the program's own: never a helper */
  uint32_t is_door;   /* a helper that a debugger comes in by: its loop has a socket */
  uint64_t name;      /* the same in each run */
  uint64_t last_turn; /* of all turns of the world */
  /* Its wait could end: since when (real; 0: it couldn't yet), who worked instead, and
   * how much processor time that one had taken. */
  uint64_t over_since;
  uint64_t over_cpu;
  int over_tid;
  uint32_t has_looked; /* at the others, since its wait began */
  uint32_t is_deaf; /* waits for the clock alone: only the world or a signal wakes it */
  uint32_t awaits_input; /* waits for the world's standard input, and for no time */
};

/* A stranger is a program that can't join: a static one. */
enum world_process_state {
  PROCESS_FREE,
  PROCESS_STARTING,
  PROCESS_JOINED,
  PROCESS_STRANGER
};

struct world_process {
  int pid;
  uint32_t state;
  uint32_t children;
  uint32_t threads; /* that were named so far */
  /* All its threads are deaf and wait, so nobody need look at it until one of them gets
   * its turn. */
  uint32_t is_quiet;
  uint64_t alarm_due, alarm_every; /* outlive an exec; 0 or WORLD_NEVER: none */
  char path[WORLD_PATH];
};

/* At choice point `point`, counted from 0, this alternative is taken and not the first.
 */
struct world_choice {
  uint32_t point, alternative;
};

struct world {
  char magic[8];
  uint32_t version;
  uint32_t flags;
  uint64_t seed;
  uint64_t start;      /* of the monotonic clock */
  uint64_t wall_start; /* since 1970 */
  uint64_t limit;      /* of virtual time; WORLD_NEVER */
  uint64_t longest;    /* delay that is chosen; 0: the chooser's own */
  uint32_t fault_rate; /* of a million */
  uint32_t fault_kinds;
  char folder[WORLD_FOLDER]; /* "": anonymous memory of one process */
  uint64_t now;              /* atomic */
  uint32_t end;              /* enum world_end, atomic */
  uint32_t jumps;
  uint64_t decisions;   /* taken, atomic */
  uint64_t perturbed;   /* of them, other than the default */
  uint64_t computed;    /* what computing took in all, atomic */
  uint32_t points;      /* choice points so far, atomic */
  uint32_t is_cut;      /* alternatives were left out, for they might never end; atomic */
  uint32_t is_off_path; /* a given choice had no such alternative; atomic */
  uint32_t taken_count;
  struct world_choice taken[WORLD_TAKEN]; /* in ascending order */
  uint32_t helper_jumps;                  /* in a row, to the deadline of a condition */
  uint32_t thread_high;                   /* the table is used up to here */
  uint32_t process_high;
  uint32_t threads_seen, processes_seen;
  uint64_t turns;
  uint64_t signalled; /* the turn in which a signal was sent last, or a process ended */
  uint32_t places_known; /* the kernel names the places in which threads sleep */
  /* The thread that looks whether everybody sleeps, and until when it is believed to:
   * real time; 0: nobody does. The others that wait leave it to that one. */
  int watch_tid;
  uint64_t watch_until;
  uint64_t still_sum; /* of the last idle look, and since when it is the same: real */
  uint64_t still_since;
  uint64_t debugged_at; /* real: a debugger, or a step, held somebody then; 0: never */
  uint64_t debugger_at; /* the same, of a debugger alone */
  /* The allowance (world_late.c): what is left of it, when something is held back until,
   * and when that was last reckoned. */
  uint64_t late_left, late_until, late_at;
  /* Steps (sim_step.h): how many were written, or could not be; the thread behind step n
   * waits until the permit is larger; the bell is a futex that rings when the permit has
   * changed; how many threads wait so. */
  uint64_t steps, steps_lost, step_permit;
  uint32_t step_bell, step_held;
  uint64_t outside_ns; /* how long an answer from outside is waited for: real; 0: not */
  uint64_t input_device, input_file; /* the standard input, from outside; 0: none */
  uint32_t place_next, link_high;
  struct world_place places[WORLD_PLACES]; /* addresses of the world's own sockets */
  struct world_link links[WORLD_LINKS];    /* sockets that lead outside */
  /* Things that another run would use, too (world_shared.c). */
  char outside_name[WORLD_LINK_NAME]; /* the first address outside; "": none */
  char fixed_name[WORLD_LINK_NAME];   /* the first port of a number that the program
                                         chose, as in "port 80"; "": none */
  uint32_t not_isolated; /* errno: the run has no network and /tmp of its own */
  uint32_t written_count;
  uint64_t written[WORLD_WRITTEN]; /* hashes of paths */
  struct world_file_times file_times;
  pthread_mutex_t lock;
  struct world_process processes[WORLD_PROCESSES];
  struct world_thread threads[WORLD_THREADS];
};

/* --- world.c: making and joining ---------------------------------------------------- */

/* Fills in new memory. */
void world_prepare(struct world* world, uint64_t seed);
/* Anonymous memory for a world of this process alone; NULL without memory. */
struct world* world_create(uint64_t seed);
void world_destroy(struct world* world);
/* The world that RONDO_SIM names, mapped; NULL if there is none. Joins it. */
struct world* world_join(const char* folder);
/* In a forked child: a process of its own, which waits for its turn, unless a loop's
 * thread forked: such a child becomes another program at once, and that waits. */
void world_forked(struct world* world);
/* The process of this pid in the table, or NULL; with the lock held. */
struct world_process* world_find_process(struct world* world, int pid);
/* A child was started. The world waits until the child has joined it, but not for long.
 */
void world_spawned(struct world* world, int pid);
/* Whether there are processes that run without waiting for their turn. */
bool world_has_strangers(const struct world* world);
/* This process's place in the tree. */
void world_own_path(struct world* world, char* path);

void world_lock(struct world* world);
/* False if somebody has it. */
bool world_lock_if_free(struct world* world);
void world_unlock(struct world* world);

static inline uint64_t world_now(const struct world* world) {
  return __atomic_load_n(&world->now, __ATOMIC_ACQUIRE);
}

/* The clock as a program sees it: a nanosecond more with each look, so that two looks
 * differ, and a step now and then for a program that spins until a time comes. */
uint64_t world_look(struct world* world);

/* The clock that doesn't stand still. */
uint64_t world_real_ns(void);

/* The calling thread's entry, made if need be; NULL if the table is full. */
struct world_thread* world_self(struct world* world);
/* Gives the calling thread a name that is the same in each run, and takes its entry back
 * at its end. */
void world_name_self(struct world* world, uint64_t name);
void world_leave_self(struct world* world);
/* The entry of a thread that has one. */
struct world_thread* world_thread_of(struct world* world, int tid);

/* The calling thread works for a loop from now on, for so long in real time that it must
 * be waited for (0: no more), unless it waits in virtual time itself. */
void world_work(struct world* world, uint64_t patience_ns);
/* Whether a thread waits in virtual time. */
bool world_thread_waits(struct world* world, int tid);

/* A line on standard error, for --verbose. */
void world_say(const struct world* world, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
/* Ends the world: `rondo sim` hears of it. */
void world_set_end(struct world* world, enum world_end end);

/* --- world_wait.c ------------------------------------------------------------------- */

/* Waits for descriptors or for the clock, and for the thread's turn. `fds` has room for
 * one more than `count`. What ppoll returns; 0 when the clock has reached the deadline.
 */
int world_wait(struct world* world, struct pollfd* fds, nfds_t count, uint64_t deadline,
               const sigset_t* mask);
/* Lets all others go on that can, at this moment of virtual time: a thread or a process
 * that has just begun, while the one that made it still runs. */
void world_yield(struct world* world);
/* For conditions: marks the thread as waiting, and not; true if world_wake has woken it.
 */
void world_wait_begin(struct world* world, struct world_thread* self, uint64_t deadline,
                      pthread_cond_t* condition, pthread_mutex_t* mutex);
bool world_wait_end(struct world* world, struct world_thread* self);
/* Somebody sends a signal, which may wake a thread that waits for the clock alone. */
void world_note_signal(struct world* world);
/* The thread's turn has come: wakes it. With the lock held. */
void world_wake(const struct world* world, struct world_thread* thread);

/* --- world_turn.c ------------------------------------------------------------------- */

enum world_advance {
  ADVANCE_TURN,  /* it is the caller's turn */
  ADVANCE_BUSY,  /* somebody works */
  ADVANCE_LEFT,  /* another thread looks whether somebody does */
  ADVANCE_OTHER, /* another's turn has come */
  ADVANCE_NEVER, /* nobody waits for anything that will ever come */
};
/* If everybody sleeps: gives one thread its turn, after moving the clock if need be. The
 * caller has called world_wait_begin, and blocks all signals; those that are not in
 * `mask` end its wait. NULL: it doesn't block them. */
enum world_advance world_advance(struct world* world, struct world_thread* self,
                                 struct pollfd* fds, nfds_t count, const sigset_t* mask);
/* The first deadline of the other threads, in all processes, that is still to come;
 * WORLD_NEVER if there is none. */
uint64_t world_next_of_others(struct world* world);
/* Somebody spins: moves the clock by a step. */
void world_step(struct world* world, uint64_t step);

/* --- world_idle.c ------------------------------------------------------------------- */

/* A thread or process that works. */
struct world_busy {
  char who[64];
  int tid;          /* 0: it doesn't run */
  bool is_debugged; /* a debugger has stopped it, or it waits for one */
  uint64_t cpu_ns;  /* that it has taken so far */
};

/* Whether every other thread of the world sleeps, twice in a row and without having run
 * in between; and for a while, if a main thread or a loop's sleeps where nobody knows
 * what it waits for. Otherwise `busy` is one that doesn't. With the lock held. */
bool world_is_idle(struct world* world, struct world_busy* busy);
/* Whether a process of the world runs a program that lives in real time, as a static one
 * does, also if it joined before it became that program. Takes a while. */
bool world_has_outsider(struct world* world);
/* Whether the kernel's list of threads, /proc/PID/task, can be read: without it nobody
 * knows who works, and time would never move. */
bool world_sees_threads(void);
/* Frees the entries of threads that have ended; with the lock held. */
/* Takes the thread out of the table if it is gone. */
bool world_forget_gone(struct world_thread* thread);
void world_forget_threads(struct world* world);

/* --- world_late.c ------------------------------------------------------------------- */

void world_late_prepare(struct world* world);
/* The longest delay that may begin now. */
uint64_t world_late_most(struct world* world);
/* For how long something is held back already: a delay that ends before costs nothing. */
uint64_t world_late_covered(const struct world* world);
/* Whether nearly nothing of the allowance is used. */
bool world_late_is_whole(struct world* world);
/* Something is held back from now on, for as long as wanted if the allowance has room, or
 * in any case if it is exempt: returns for how long. */
uint64_t world_late_take(struct world* world, uint64_t wanted, bool is_exempt);

/* --- world_choose.c ----------------------------------------------------------------- */

/* Which of `count` alternatives comes: the one that is given for this choice point, or
 * the first. The point is a line of the world's file `choices`: kind, time, what was
 * taken, and the alternatives' words. At least two. */
unsigned int world_choose(struct world* world, const char* kind, const char* place,
                          const char* const* words, unsigned int count);
/* Something was left out that could have come: the search can't say "these are all". */
void world_cut(struct world* world);

/* --- world_shared.c ----------------------------------------------------------------- */

/* The program bound a socket to a port, or an abstract name, that it chose. */
void world_note_fixed(struct world* world, const char* name);
/* The program uses an address that isn't one of the world's. */
void world_note_outside(struct world* world, const char* name);
/* The program opened a file for writing, or gave a file this name. */
void world_note_written(struct world* world, const char* path);
/* The program made a temporary file or folder of this name, by mkdtemp or its kin. */
void world_note_made(struct world* world, const char* path);

/* --- world_input.c ------------------------------------------------------------------ */

/* The world's standard input is this descriptor, if its other end is outside. */
void world_set_input(struct world* world, int fd);
/* Whether it is among the descriptors, or in an epoll set among them. */
bool world_is_input_among(const struct world* world, const struct pollfd* fds,
                          nfds_t count);

#endif
