/* Faults, when they are asked for: operations that fail with what their manual pages
 * list, connections that are refused, reset or silent, names that aren't found, children
 * that are killed, pipes that are full, datagrams that don't arrive as they were sent.
 * Each is a decision like any other. */
#include "sim/sim_state.h"

#include "base/base.h"
#include "request/fs.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

/* The order of `--faults`: tools/rondo/sim/sim_options.c. */
enum {
  FAULT_FILES = 1,
  FAULT_CONNECTIONS = 2,
  FAULT_NAMES = 4,
  FAULT_CHILDREN = 8,
  FAULT_PIPES = 16,
  FAULT_DATAGRAMS = 32,
};

static bool fault_decides(uv_loop_t* loop, unsigned int kind, uint64_t source,
                          struct sim_question* question, uint64_t* number) {
  struct sim_state* sim = sim_of(loop);
  if (!(sim->world->flags & WORLD_FAULTS) || !(sim->world->fault_kinds & kind))
    return false;
  source = sim_mix(source ^ (uint64_t) kind << 48);
  *question = (struct sim_question){.kind = SIM_FAULT,
                                    .loop = sim->number,
                                    .source = source,
                                    .nth = sim_nth(sim, source)};
  return chooser_decides(sim->chooser, question, number);
}

static void fault_log(uv_loop_t* loop, const struct sim_question* question, int error,
                      const char* words) {
  char line[400];
  snprintf(line, sizeof(line), "%.300s (%s)", words, uv_err_name(error));
  chooser_log(sim_of(loop)->chooser, question, (uint64_t) -error, line);
}

/* --- files -------------------------------------------------------------------------- */

/* Two errors that the operation's manual page lists; 0 for an operation that never fails
 * here: a close must be carried out. */
static int fault_of_file(const uv_fs_t* req, uint64_t number) {
  bool first = number % 2 == 0;
  switch (req->fs_type) {
  case UV_FS_CLOSE:
  case UV_FS_CLOSEDIR:
    return 0;
  case UV_FS_OPEN:
  case UV_FS_MKSTEMP:
    return first ? UV_EMFILE : UV_EACCES;
  case UV_FS_SCANDIR:
  case UV_FS_OPENDIR:
    return first ? UV_EMFILE : UV_ENOMEM;
  case UV_FS_WRITE:
  case UV_FS_COPYFILE:
  case UV_FS_FSYNC:
  case UV_FS_FDATASYNC:
    return first ? UV_ENOSPC : UV_EIO;
  case UV_FS_MKDIR:
  case UV_FS_RENAME:
  case UV_FS_LINK:
  case UV_FS_SYMLINK:
  case UV_FS_MKDTEMP:
    return first ? UV_ENOSPC : UV_EACCES;
  case UV_FS_UNLINK:
  case UV_FS_RMDIR:
    return first ? UV_EBUSY : UV_EACCES;
  case UV_FS_STAT:
  case UV_FS_LSTAT:
  case UV_FS_FSTAT:
    return first ? UV_ENOMEM : UV_EACCES;
  case UV_FS_READ:
  case UV_FS_READDIR:
  case UV_FS_SENDFILE:
    return UV_EIO;
  default:
    return first ? UV_EIO : UV_EACCES;
  }
}

int sim_fault_of_work(uv_loop_t* loop, const uv_fs_t* req, bool is_lookup,
                      uint64_t source, const char* words) {
  struct sim_question question;
  uint64_t number;
  unsigned int kind = req != NULL ? FAULT_FILES : FAULT_NAMES;
  if ((req == NULL && !is_lookup) ||
      !fault_decides(loop, kind, source, &question, &number))
    return 0;
  int err = UV_EAI_AGAIN;
  if (req != NULL)
    err = fault_of_file(req, number);
  else if (number % 2 == 0)
    err = UV_EAI_NONAME;
  char line[360];
  snprintf(line, sizeof(line), "%.320s fails", words);
  if (err != 0)
    fault_log(loop, &question, err, line);
  return err;
}

/* --- connections and pipes ---------------------------------------------------------- */

int sim_connect_fault(const uv_stream_t* stream) {
  struct sim_question question;
  uint64_t number;
  const struct sim_source* source = sim_ready_source(stream->loop, stream->io_watcher.fd);
  if (source == NULL || !fault_decides(stream->loop, FAULT_CONNECTIONS,
                                       sim_mix(source->number), &question, &number))
    return 0;
  fault_log(stream->loop, &question, UV_ECONNREFUSED, "a connection is refused");
  return UV_ECONNREFUSED;
}

/* For a connection that is ready: 0, the error with which its next read ends, or a
 * positive number of nanoseconds for which its events are held back. */
int64_t sim_connection_fault(uv_loop_t* loop, const struct sim_source* source) {
  const int64_t minute = 60 * (int64_t) WORLD_SECOND;
  struct sim_question question;
  uint64_t number;
  if (!fault_decides(loop, FAULT_CONNECTIONS, source->number, &question, &number))
    return 0;
  char words[64];
  bool is_silent = number % 2 == 0;
  snprintf(words, sizeof(words), "connection %llu is %s",
           (unsigned long long) source->number,
           is_silent ? "silent for a minute" : "reset");
  fault_log(loop, &question, is_silent ? UV_ETIMEDOUT : UV_ECONNRESET, words);
  return is_silent ? minute : UV_ECONNRESET;
}

bool sim_pipe_is_full(uv_stream_t* stream) {
  struct sim_question question;
  uint64_t number;
  const struct sim_source* source = sim_ready_source(stream->loop, stream->io_watcher.fd);
  if (stream->type != UV_NAMED_PIPE || source == NULL ||
      !fault_decides(stream->loop, FAULT_PIPES, source->number, &question, &number))
    return false;
  fault_log(stream->loop, &question, UV_EAGAIN, "a pipe is full");
  return true;
}

bool sim_datagram_fault(uv_loop_t* loop, uint64_t socket, struct sim_question* question,
                        uint64_t* number) {
  return fault_decides(loop, FAULT_DATAGRAMS, socket, question, number);
}

/* --- children ----------------------------------------------------------------------- */

void sim_child_fault(uv_loop_t* loop, int pid) {
  struct sim_state* sim = sim_of(loop);
  struct sim_question question;
  uint64_t number;
  if (!fault_decides(loop, FAULT_CHILDREN, 0, &question, &number))
    return;
  uint64_t after = chooser_within(number, 60 * WORLD_SECOND);
  struct sim_event event = {
      .at = world_now(sim->world) + after, .kind = SIM_EVENT_KILL, .fd = pid};
  if (sim_heap_push(&sim->heap, event))
    chooser_log(sim->chooser, &question, after, "a child is killed");
}

/* Only while the process is still our child: it hasn't been waited for, so the pid is its
 * own. */
void sim_child_kill(int pid) {
  siginfo_t info;
  if (waitid(P_PID, (id_t) pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0)
    kill(pid, SIGKILL);
}
