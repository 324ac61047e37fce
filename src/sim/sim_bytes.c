/* How many bytes a read or a write of a stream moves. A stream has no borders, so any
 * number may come; but no network cuts a short message, and tests that send one rely on
 * it. So only what is longer than a packet is cut. What a cut leaves is noticed in a
 * later turn. */
#include "sim/sim_state.h"

#include "base/base.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PACKET = 1400 };

/* How much of `length` bytes is moved. */
static size_t bytes_cut(uv_loop_t* loop, enum sim_kind kind, int fd, size_t length) {
  struct sim_state* sim = sim_of(loop);
  const struct sim_source* source = sim_ready_source(loop, fd);
  if (source == NULL || length <= PACKET)
    return length;
  uint64_t key = sim_mix(source->number ^ (uint64_t) kind << 40);
  struct sim_question question = {.kind = kind,
                                  .loop = sim->number,
                                  .source = source->number,
                                  .nth = sim_nth(sim, key)};
  uint64_t number;
  if (!chooser_decides(sim->chooser, &question, &number))
    return length;
  size_t cut = PACKET / 2 + (size_t) (number % (length - PACKET / 2));
  char words[128];
  snprintf(words, sizeof(words), "a %s on descriptor %d moves %zu of %zu bytes",
           kind == SIM_READ ? "read" : "write", fd, cut, length);
  chooser_log(sim->chooser, &question, cut, words);
  return cut;
}

size_t sim_read_size(uv_loop_t* loop, int fd, size_t size) {
  int arrived;
  if (ioctl(fd, FIONREAD, &arrived) != 0 || arrived <= PACKET)
    return size;
  size_t most = size < (size_t) arrived ? size : (size_t) arrived;
  size_t cut = bytes_cut(loop, SIM_READ, fd, most);
  return cut < most ? cut : size;
}

size_t sim_write_size(uv_loop_t* loop, int fd, size_t size) {
  return bytes_cut(loop, SIM_WRITE, fd, size);
}
