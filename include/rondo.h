/* What Rondo has and libuv doesn't: which backend a loop waits with, limits that keep one
 * busy phase from holding up the others, recordings of what a loop does, and loops in
 * virtual time for tests; and, in rondo_node.h, the layer that Node puts on top. */
#ifndef RONDO_H
#define RONDO_H

#include "uv.h"
#include "rondo_node.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The name of this loop's backend: "uring" (io_uring) or "epoll". The backend is chosen
 * when the loop is made, by RONDO_BACKEND and by what the kernel allows, and stays the
 * same until the loop is closed. The string is static: it need not be freed. */
UV_EXTERN const char* rondo_backend_name(const uv_loop_t* loop);

/* The seven phases of a turn, in the order in which they run. */
enum rondo_phase {
  RONDO_PHASE_TIMERS = 0,
  RONDO_PHASE_PENDING = 1,
  RONDO_PHASE_IDLE = 2,
  RONDO_PHASE_PREPARE = 3,
  RONDO_PHASE_POLL = 4,
  RONDO_PHASE_CHECK = 5,
  RONDO_PHASE_CLOSING = 6
};

/* Lets at most n callbacks of a phase run in one turn; 0, the default, is no limit. When
 * the limit is reached, the callbacks that are left wait for the next turn and run then
 * in the order they would have had; none is lost. While callbacks are left over, the poll
 * does not block, so a limit costs turns but no waiting; idle, prepare and check handles
 * count as left over until each has been called once. The limit holds from the next time
 * the phase is entered and may be changed at any time from the loop's thread, also inside
 * callbacks. Returns 0, or UV_EINVAL for a phase that doesn't exist. */
UV_EXTERN int rondo_loop_limit(uv_loop_t* loop, enum rondo_phase phase, unsigned int n);

/* Reports the loop's counters as uv_loop_close does: one line on standard error if
 * RONDO_DEBUG contains "counters", otherwise nothing. For a program that ends without
 * closing its loop. To be called on the loop's thread. */
UV_EXTERN void rondo_loop_report(const uv_loop_t* loop);

/* Reads a whole file at once, on the loop's thread, if that is possible without waiting:
 * a regular file on a local file system, not empty and of at most `most` bytes and 256
 * KiB, whose name and content are cached. Returns 0, with the content in memory from
 * malloc(3), which the caller frees; UV_EINVAL for an argument that is NULL; UV_EAGAIN if
 * the file has to be read the ordinary way, with uv_fs_open and so on, whatever the
 * reason. One reason is that files have used up their share of this turn's time. */
UV_EXTERN int rondo_fs_read_cached(uv_loop_t* loop, const char* path, size_t most,
                                   uv_buf_t* content);

/* Records what the loop does from now on into a file that `rondo trace FILE` shows: every
 * turn, phase, sleep and callback. In the path %p stands for the process id, %l for the
 * number of the loop in the process, %% for %. If this is called inside a callback, the
 * recording begins with the next turn. The recording ends with rondo_trace_stop or with
 * uv_loop_close. At its limit (RONDO_TRACE_LIMIT, 256 MiB unless it is set) only the last
 * part is kept from then on, which a line on standard error reports; what was recorded is
 * in the file also if the process is killed. A forked child that calls uv_loop_fork gets
 * a file of its own, with a number behind its name.
 *
 * A loop that is made while the environment variable RONDO_TRACE holds a path is recorded
 * without this call; then all loops of the process are recorded into one file (into one
 * each if %l is in the path), and other processes that would write to the same file get a
 * number behind its name. Returns 0, UV_EALREADY if the loop is being recorded, UV_EBUSY
 * if another loop writes to that file, UV_EINVAL for a path that is NULL, empty or not
 * that of a file, or the error with which the file couldn't be made. */
UV_EXTERN int rondo_trace_start(uv_loop_t* loop, const char* path);

/* Ends the recording and completes the file. Does nothing if there is none. */
UV_EXTERN void rondo_trace_stop(uv_loop_t* loop);

/* Non-zero if the loop is being recorded now: for callers that would have to do some work
 * to find a name for rondo_trace_name. */
UV_EXTERN int rondo_trace_active(const uv_loop_t* loop);

/* Gives the callback that is running a name in the record, in place of the name of its C
 * function: for example that of the script's function which it is about to call. At most
 * 1008 bytes of the text are copied. Does nothing if the loop isn't recorded. */
UV_EXTERN void rondo_trace_name(uv_loop_t* loop, const char* name);

/* Begins and ends a span of that name inside the callback that is running, or inside the
 * program's own code outside of uv_run: the part that belongs to one function of a
 * script, or to one request. Spans nest. rondo_trace_begin returns the span, 0 if nothing
 * is recorded. rondo_trace_end ends it and every span begun in it that is still open, and
 * does nothing for 0 or for a span that is over. */
UV_EXTERN int rondo_trace_begin(uv_loop_t* loop, const char* name);
UV_EXTERN void rondo_trace_end(uv_loop_t* loop, int span);

/* The same for a name that many spans have: `key` is what rondo_trace_key has returned
 * for it, once. rondo_trace_repeated: the innermost span, which is `span`, stands for
 * that many calls of its function, one after the other, or for more if `count` is
 * negative. */
UV_EXTERN uint64_t rondo_trace_key(const char* name);
UV_EXTERN int rondo_trace_begin_known(uv_loop_t* loop, const char* name, uint64_t key);
UV_EXTERN void rondo_trace_repeated(uv_loop_t* loop, int span, int count);

/* For engines that generate code: frames of a sampled stack whose address lies in these
 * bytes get this name. Code announced later at the same address replaces it;
 * rondo_trace_code_moved is for code, identified by its start, that the engine has moved.
 * May be called from any thread. Announcements are never removed, so an engine should
 * announce code only while something is recorded. */
UV_EXTERN void rondo_trace_code(const void* start, size_t size, const char* name);
UV_EXTERN void rondo_trace_code_moved(const void* from, const void* to);

/* For engines whose collector stops the loop's thread: a garbage collection has ended.
 * `kind` is a text such as "mark-compact"; both times are uv_hrtime's. On the loop's
 * thread. */
UV_EXTERN void rondo_trace_collected(uv_loop_t* loop, const char* kind, uint64_t began_ns,
                                     uint64_t ended_ns);

/* For engines that sample stacks themselves, with the frames of their language. `source`
 * is called on the loop's thread after a stretch that was sampled: it reports, with
 * rondo_trace_stack, the stacks since `from_ns` on the monotonic clock, which replace the
 * recorder's own. A `from_ns` of UINT64_MAX, passed now and then, means that all stacks
 * so far may be dropped. Frames are names, the innermost first, 96 of them at most. */
typedef void (*rondo_trace_stack_source)(uv_loop_t* loop, uint64_t from_ns);
UV_EXTERN void rondo_trace_stacks_from(uv_loop_t* loop, rondo_trace_stack_source source);
UV_EXTERN void rondo_trace_stack(uv_loop_t* loop, uint64_t when_ns,
                                 const char* const* frames, size_t count);

/* For an engine that can name a function from the words at and above its frame pointer:
 * stacks in a ring get those names. `namer` gets RONDO_TRACE_FRAME_WORDS words of each
 * frame whose code has no unwinding rules, and writes a name, or returns 0. The namer is
 * called on the sampling thread while the engine runs, and must not read memory that may
 * have been freed. There is one for the process; NULL removes it. */
enum { RONDO_TRACE_FRAME_WORDS = 8 };
typedef int (*rondo_trace_frame_namer)(const uintptr_t* frame, char* text, size_t size);
UV_EXTERN void rondo_trace_frames_named_by(rondo_trace_frame_namer namer);

/* Like uv_loop_init, for tests: makes a loop in virtual time, whose schedule the seed
 * decides. Time stands still while callbacks run and jumps to the next timer when the
 * loop has nothing else to do, so that hours pass in milliseconds. The seed decides how
 * long file operations, other work and connections take, and in which order ready
 * descriptors are served, within the limits of libuv's manual; the same seed makes the
 * same decisions. Seed 0 changes nothing but the time.
 *
 * All loops that a process makes this way share one world with one clock, which uv_now,
 * uv_hrtime, uv_clock_gettime, uv_gettimeofday and uv_sleep use too; the seed of the
 * first loop counts. The world ends when the last of these loops is closed, with
 * uv_loop_close. The C library's own clocks are not touched (`rondo sim` does that for a
 * whole program). Returns 0, UV_EINVAL if `loop` is NULL, UV_ENOSYS where /proc is
 * missing, which says whether a thread works, or an error of uv_loop_init. */
UV_EXTERN int rondo_sim_loop_init(uv_loop_t* loop, uint64_t seed);

/* A hash of those decisions of the world's schedule so far that differ from the usual:
 * two runs with the same decisions have the same hash. 0 if there was none, or if the
 * loop isn't simulated. */
UV_EXTERN uint64_t rondo_sim_schedule(const uv_loop_t* loop);

/* Sets the place in the program, such as "server.js:41", that the next request for a
 * file, a name or the pool comes from, for an engine whose callers have no C function:
 * `rondo sim` names the place in its findings. At most 200 bytes of the text are copied.
 * Does nothing if the loop isn't simulated. */
UV_EXTERN void rondo_sim_origin(uv_loop_t* loop, const char* place);

/* Sets what the next piece of work for the pool is called, such as "zlib": `rondo sim`
 * says that instead of "work of the pool". At most 39 bytes of the text are copied. Does
 * nothing if the loop isn't simulated. */
UV_EXTERN void rondo_sim_work(uv_loop_t* loop, const char* name);

/* Queues that an engine has beside the loop's, for `rondo step`. */
enum {
  RONDO_STEP_TIMERS = 0,
  RONDO_STEP_IMMEDIATES = 1,
  RONDO_STEP_TICKS = 2,
  RONDO_STEP_MICROTASKS = 3,
  RONDO_STEP_QUEUES = 4
};
/* Of what an engine reports: 1 << RONDO_STEP_… of each queue, and that a callback's name
 * comes right before the engine calls its function (rondo_trace_name). */
enum { RONDO_STEP_NAMES_FOLLOW = 1 << 8 };
/* Of something in a queue. */
enum { RONDO_STEP_REPEATS = 1, RONDO_STEP_UNREFERENCED = 2 };

/* For an engine with queues of its own, which `rondo step` shows. rondo_step_join says
 * which of them the engine will report; if it returns 0 the loop's steps aren't shown,
 * and the other calls do nothing. rondo_step_put adds to a queue, or changes what has
 * that key: the name (NULL: as before), when it is due by uv_now, and flags;
 * rondo_step_take removes it. On the loop's thread. */
UV_EXTERN int rondo_step_join(uv_loop_t* loop, unsigned int known);
UV_EXTERN void rondo_step_put(uv_loop_t* loop, int queue, uint64_t key, const char* name,
                              uint64_t due_ms, unsigned int flags);
UV_EXTERN void rondo_step_take(uv_loop_t* loop, int queue, uint64_t key);
/* The main script begins, or ends: NULL. A run of the loop ends it, too. */
UV_EXTERN void rondo_step_script(uv_loop_t* loop, const char* name);

/* Describes a handle in the findings of `rondo sim`, as in "the connection of a.js:4".
 * The id is the caller's and not 0; it is given to `handle`, or, if that is NULL, to the
 * next handle of the loop that is initialized, unless one has it already. The last
 * description of an id is used, for what was decided before, too. Does nothing if the
 * loop isn't simulated. */
UV_EXTERN void rondo_sim_describe(uv_loop_t* loop, const uv_handle_t* handle, uint64_t id,
                                  const char* words);

#ifdef __cplusplus
}
#endif

#endif
