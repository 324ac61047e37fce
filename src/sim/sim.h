/* The simulator's hooks: what the other rooms ask when their loop is simulated. A loop
 * that isn't has no sim_state, and a hook is one look at that, in places that make a
 * system call or are rare; what every turn does goes through the backend, which is
 * another one for a simulated loop (sim_loop.c). */
#ifndef RONDO_SIM_SIM_H
#define RONDO_SIM_SIM_H

#include "uv.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool simulated(const uv_loop_t* loop) {
  return __builtin_expect(loop->sim_state != NULL, 0);
}

/* --- the loop's life ------------------------------------------------------------- */
/* Joins the world that RONDO_SIM names, on the first call; returns whether the process is
 * in one. To be called before the backend is chosen. */
bool sim_join_world(void);
/* Puts the simulator between the loop and its backend. */
int sim_loop_init(uv_loop_t* loop);

/* --- time ------------------------------------------------------------------------ */
/* Virtual time of a simulated loop. */
uint64_t sim_now_ns(const uv_loop_t* loop);
/* Replaces the times that the kernel gave a file during the run by virtual ones; nothing
 * in a process without a world. Not of a loop: a file operation may have none. */
struct statx;
void sim_file_times(struct statx* answer);

/* The same at the loop's own looks: what ran since the last may have taken time. */
uint64_t sim_look_ns(uv_loop_t* loop);

/* --- polls ----------------------------------------------------------------------- */
/* Something was served: whether another thing comes in the same poll, of those that were
 * there when it began. Only a systematic search asks. */
bool sim_next_goes_on(uv_loop_t* loop);

/* --- requests -------------------------------------------------------------------- */
int sim_work_submit(uv_loop_t* loop, struct uv__work* w, void (*work)(struct uv__work*),
                    void (*done)(struct uv__work*, int));
/* Returns 0, or UV_EBUSY for work that is running or has run. */
int sim_work_cancel(struct uv__work* w);

/* --- handles --------------------------------------------------------------------- */
/* A handle is initialized: it may have been described. */
void sim_handle_made(uv_loop_t* loop, const uv_handle_t* handle);
/* The options for a child in the world: `options` itself, or `joining`, a copy with
 * another environment. To be freed once the child has started. */
const uv_process_options_t* sim_child_options(const uv_loop_t* loop,
                                              const uv_process_options_t* options,
                                              uv_process_options_t* joining);
void sim_child_options_free(const uv_process_options_t* options,
                            uv_process_options_t* joining);
void sim_spawned(uv_loop_t* loop, int pid);
/* Faults: the error with which a connect or a read ends, 0 for none; and whether a write
 * finds no room. */
int sim_connect_fault(const uv_stream_t* stream);
int sim_read_fault(const uv_loop_t* loop, int fd);
bool sim_pipe_is_full(uv_stream_t* stream);
/* The size of a datagram that must not be sent now, for it is lost or kept back; -1 for
 * one to be sent. */
struct msghdr;
ssize_t sim_take_datagram(uv_udp_t* handle, const struct msghdr* message);
/* The socket is about to be closed: what is kept back is sent. */
void sim_datagrams_end(const uv_udp_t* handle);
/* Whether an async that was sent to, or signals that came, are to be delayed. Delayed
 * ones stay queued; the loop is woken when their time comes. */
bool sim_async_waits(uv_async_t* handle);
bool sim_signals_wait(uv_loop_t* loop);
/* The largest number of bytes that a read may take, and how many of a write are taken. */
size_t sim_read_size(uv_loop_t* loop, int fd, size_t size);
size_t sim_write_size(uv_loop_t* loop, int fd, size_t size);

#endif
