/* How long data had been there when the loop read it, where the kernel knows.
 *
 * Of a TCP connection TCP_INFO has the time since the last data arrived, in the kernel's
 * ticks (4 ms on most machines); of a UDP socket SIOCGSTAMPNS has the time stamp of the
 * datagram that was read last. Earlier data of the same read has waited longer, so what
 * is written down is a lower bound. Of pipes, terminals and local sockets nothing is
 * known.
 *
 * Asking costs a system call for each read, so it is done only after the loop has been
 * held up, and in the next turns only: in the second of them a connection is read that
 * was accepted in the first. */
#include "trace/recorder.h"

#include "base/base.h"
#include "loop/loop.h"
#include "sim/sim.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>

enum { TURNS_ASKED = 4, ABOUT_SIZE = 256 };
static const uint64_t LATE_NS = 1000000;

void arrivals_look(struct recorder* recorder, uint64_t now) {
  uint64_t looked = sampled_loop_looked(&recorder->sampled) & ~BOARD_ASLEEP;
  if (now < looked + recorder->kind->held_up_ns * recorder->slowness ||
      simulated(recorder->loop))
    return;
  recorder->data_may_be_late = true;
  recorder->arrivals.until_turn = recorder->loop->turns + TURNS_ASKED;
  recorder->arrivals.left = recorder->kind->arrivals_most;
}

/* --- what the kernel knows --------------------------------------------------------- */

/* The kernel counts in whole ticks, and so one too many at times. */
static uint64_t tcp_waited_ns(int fd) {
  struct tcp_info info;
  struct timespec tick;
  socklen_t length = sizeof(info);
  memset(&info, 0, sizeof(info));
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 ||
      clock_getres(CLOCK_MONOTONIC_COARSE, &tick) != 0)
    return 0;
  uint64_t waited = (uint64_t) info.tcpi_last_data_recv * 1000000;
  uint64_t tick_ns = (uint64_t) tick.tv_sec * 1000000000 + (uint64_t) tick.tv_nsec;
  return waited > tick_ns ? waited - tick_ns : 0;
}

/* On the wall clock, which somebody may have set in between. */
static uint64_t udp_waited_ns(int fd) {
  struct timespec stamp, now;
  if (ioctl(fd, SIOCGSTAMPNS, &stamp) != 0 || clock_gettime(CLOCK_REALTIME, &now) != 0)
    return 0;
  int64_t waited =
      (int64_t) (now.tv_sec - stamp.tv_sec) * 1000000000 + now.tv_nsec - stamp.tv_nsec;
  return waited > 0 ? (uint64_t) waited : 0;
}

/* Asking for a time stamp makes the kernel keep them for the socket from then on. */
void recorder_want_arrivals(uv_loop_t* loop, int fd) {
  int saved = errno;
  if (!simulated(loop))
    udp_waited_ns(fd);
  errno = saved;
}

/* --- records ----------------------------------------------------------------------- */

static void arrival_write(struct recorder* recorder, const uv_handle_t* handle, int fd,
                          uint64_t waited_ns) {
  char text[ABOUT_SIZE];
  socket_text(text, sizeof(text), fd);
  size_t length = strnlen(text, sizeof(text));
  size_t slots = (length + sizeof(struct trace_record) - 1) / sizeof(struct trace_record);
  struct trace_record* row = stream_row(&recorder->stream, 1 + slots);
  if (row == NULL)
    return;
  uint64_t now = recorder_now(recorder);
  memset(row + 1, 0, slots * sizeof(*row));
  memcpy(row + 1, text, length);
  row->number = subject_handle(handle);
  row->name = (uint32_t) u64_min(waited_ns / 1000, UINT32_MAX);
  row->detail = (int32_t) length;
  record_commit(row, TRACE_ARRIVED,
                now > recorder->start_ns ? now - recorder->start_ns : 0);
}

void recorder_arrived(uv_loop_t* loop, const uv_handle_t* handle, int fd) {
  struct recorder* recorder = recorder_of(loop);
  struct recorder_arrivals* arrivals = &recorder->arrivals;
  if (loop->turns > arrivals->until_turn || arrivals->left == 0) {
    recorder->data_may_be_late = false;
    return;
  }
  arrivals->left--;
  int saved = errno;
  uint64_t waited = handle->type == UV_TCP   ? tcp_waited_ns(fd)
                    : handle->type == UV_UDP ? udp_waited_ns(fd)
                                             : 0;
  if (waited >= LATE_NS)
    arrival_write(recorder, handle, fd, waited);
  errno = saved;
}
