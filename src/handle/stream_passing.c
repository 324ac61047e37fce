/* Handles that travel over a pipe made for it (ipc). A handle is sent as one descriptor
 * beside at least one byte (SCM_RIGHTS). The receiver keeps all descriptors that come
 * with a read, in order, until uv_accept takes them; descriptors that are never accepted
 * are closed with the pipe. stream->accepted_fd is the first one, the others wait in
 * stream->queued_fds. */
#include "handle/stream.h"
#include "base/alloc.h"
#include "handle/descriptor.h"
#include "handle/stream_send.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/socket.h>

/* SCM_MAX_FD of the kernel: one message never brings more. */
enum { PASSED_AT_ONCE = 253 };

struct waiting_descriptors {
  unsigned int capacity;
  unsigned int first;
  unsigned int end;
  int fds[];
};

/* --- sending --------------------------------------------------------------------- */

int passing_descriptor(const uv_stream_t* send_handle) {
  int fd;
  switch (send_handle->type) {
  case UV_TCP:
  case UV_NAMED_PIPE:
  case UV_UDP: {
    int err = uv_fileno((const uv_handle_t*) send_handle, &fd);
    return err != 0 ? err : fd;
  }
  default:
    return UV_EINVAL;
  }
}

ssize_t passing_send(int fd, const uv_buf_t* bufs, unsigned int nbufs, int passed) {
  union {
    char space[CMSG_SPACE(sizeof(int))];
    struct cmsghdr header;
  } control;
  memset(&control, 0, sizeof(control));
  control.header.cmsg_level = SOL_SOCKET;
  control.header.cmsg_type = SCM_RIGHTS;
  control.header.cmsg_len = CMSG_LEN(sizeof(passed));
  memcpy(CMSG_DATA(&control.header), &passed, sizeof(passed));

  struct msghdr message = {
      .msg_iov = (struct iovec*) bufs,
      .msg_iovlen = nbufs < IOV_MAX ? nbufs : IOV_MAX,
      .msg_control = control.space,
      .msg_controllen = sizeof(control.space),
  };
  ssize_t n;
  do
    n = sendmsg(fd, &message, MSG_NOSIGNAL);
  while (n == -1 && errno == EINTR);
  return n >= 0 ? n : -errno;
}

/* --- receiving ------------------------------------------------------------------- */

static struct waiting_descriptors* passing_make_room(struct waiting_descriptors* waiting,
                                                     unsigned int count) {
  if (waiting != NULL && waiting->first > 0) {
    memmove(waiting->fds, waiting->fds + waiting->first,
            (waiting->end - waiting->first) * sizeof(waiting->fds[0]));
    waiting->end -= waiting->first;
    waiting->first = 0;
  }
  unsigned int needed = (waiting == NULL ? 0 : waiting->end) + count;
  if (waiting != NULL && needed <= waiting->capacity)
    return waiting;

  unsigned int capacity = needed < 8 ? 8 : needed * 2;
  struct waiting_descriptors* larger =
      mem_realloc(waiting, sizeof(*larger) + capacity * sizeof(larger->fds[0]));
  if (larger == NULL)
    return NULL;
  if (waiting == NULL)
    larger->first = larger->end = 0;
  larger->capacity = capacity;
  return larger;
}

/* Keeps the descriptors of a message. Without memory, those beyond the first are closed.
 */
static int passing_keep(uv_stream_t* stream, const int* fds, unsigned int count) {
  unsigned int kept = 0;
  if (count > 0 && stream->accepted_fd == -1) {
    stream->accepted_fd = fds[0];
    kept = 1;
  }
  if (kept == count)
    return 0;

  struct waiting_descriptors* waiting =
      passing_make_room(stream->queued_fds, count - kept);
  if (waiting == NULL) {
    for (unsigned int i = kept; i < count; i++)
      descriptor_close(fds[i]);
    return UV_ENOMEM;
  }
  memcpy(waiting->fds + waiting->end, fds + kept, (count - kept) * sizeof(fds[0]));
  waiting->end += count - kept;
  stream->queued_fds = waiting;
  return 0;
}

static int passing_keep_all(uv_stream_t* stream, struct msghdr* message) {
  int result = 0;
  for (struct cmsghdr* header = CMSG_FIRSTHDR(message); header != NULL;
       header = CMSG_NXTHDR(message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
      continue;
    int fds[PASSED_AT_ONCE];
    size_t bytes = header->cmsg_len - CMSG_LEN(0);
    assert(bytes <= sizeof(fds));
    memcpy(fds, CMSG_DATA(header), bytes);
    int err = passing_keep(stream, fds, (unsigned int) (bytes / sizeof(fds[0])));
    if (err != 0)
      result = err;
  }
  return result;
}

ssize_t passing_receive(uv_stream_t* stream, uv_buf_t* buf) {
  union {
    char space[CMSG_SPACE(PASSED_AT_ONCE * sizeof(int))];
    struct cmsghdr header;
  } control;
  struct msghdr message = {
      .msg_iov = (struct iovec*) buf,
      .msg_iovlen = 1,
      .msg_control = control.space,
      .msg_controllen = sizeof(control.space),
  };
  ssize_t n;
  do
    n = recvmsg(stream_fd(stream), &message, MSG_CMSG_CLOEXEC);
  while (n == -1 && errno == EINTR);
  if (n == -1)
    return -errno;
  int err = message.msg_controllen == 0 ? 0 : passing_keep_all(stream, &message);
  return err != 0 ? err : n;
}

/* --- taking what was received ---------------------------------------------------- */

int passing_next(uv_stream_t* stream) {
  struct waiting_descriptors* waiting = stream->queued_fds;
  if (waiting == NULL)
    return -1;
  int fd = waiting->fds[waiting->first++];
  if (waiting->first == waiting->end) {
    mem_free(waiting);
    stream->queued_fds = NULL;
  }
  return fd;
}

void passing_discard(uv_stream_t* stream) {
  while (stream->accepted_fd != -1) {
    descriptor_close(stream->accepted_fd);
    stream->accepted_fd = passing_next(stream);
  }
}

int uv_pipe_pending_count(uv_pipe_t* pipe) {
  if (!pipe->ipc || pipe->accepted_fd == -1)
    return 0;
  const struct waiting_descriptors* waiting = pipe->queued_fds;
  return waiting == NULL ? 1 : 1 + (int) (waiting->end - waiting->first);
}

uv_handle_type uv_pipe_pending_type(uv_pipe_t* pipe) {
  if (!pipe->ipc || pipe->accepted_fd == -1)
    return UV_UNKNOWN_HANDLE;
  return uv_guess_handle(pipe->accepted_fd);
}
