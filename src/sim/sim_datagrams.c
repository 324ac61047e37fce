/* Datagrams, with --faults=datagrams: a network may lose one, deliver it twice, or late,
 * behind later ones. What becomes of one is decided when it is sent; one that comes late
 * is kept here until its time, and sent at once if its socket is closed before. */
#include "sim/sim_state.h"

#include "base/address.h"
#include "base/alloc.h"
#include "base/base.h"
#include "system/system.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

struct sim_datagram {
  struct queue link;
  const uv_udp_t* handle; /* NULL: sent already */
  struct sockaddr_storage to;
  socklen_t to_length;
  size_t size;
  char bytes[];
};

static size_t datagram_size(const struct msghdr* message) {
  size_t size = 0;
  for (size_t i = 0; i < message->msg_iovlen; i++)
    size += message->msg_iov[i].iov_len;
  return size;
}

static struct sim_datagram* datagram_copy(const uv_udp_t* handle,
                                          const struct msghdr* message) {
  struct sim_datagram* copy = mem_alloc(sizeof(*copy) + datagram_size(message));
  if (copy == NULL)
    return NULL;
  copy->handle = handle;
  copy->to_length = message->msg_namelen;
  if (copy->to_length > 0)
    memcpy(&copy->to, message->msg_name, copy->to_length);
  copy->size = 0;
  for (size_t i = 0; i < message->msg_iovlen; i++) {
    const struct iovec* part = &message->msg_iov[i];
    if (part->iov_len > 0)
      memcpy(copy->bytes + copy->size, part->iov_base, part->iov_len);
    copy->size += part->iov_len;
  }
  return copy;
}

/* A datagram that can't be sent is lost. */
static void datagram_send(struct sim_datagram* datagram) {
  const struct sockaddr* to =
      datagram->to_length == 0 ? NULL : (const struct sockaddr*) &datagram->to;
  if (datagram->handle == NULL)
    return;
  (void) sendto(datagram->handle->io_watcher.fd, datagram->bytes, datagram->size,
                MSG_DONTWAIT, to, datagram->to_length);
  datagram->handle = NULL;
}

/* "datagram 3 of datagram socket 1 to 127.0.0.1:80": the address of its own or that of a
 * connected socket. */
static void datagram_words(const uv_udp_t* handle, const struct msghdr* message,
                           uint64_t socket, uint64_t nth, char* words, size_t size) {
  struct sockaddr_storage to = {0};
  socklen_t length = sizeof(to);
  char address[ADDRESS_TEXT_SIZE] = "";
  if (message->msg_namelen > 0)
    memcpy(&to, message->msg_name, message->msg_namelen);
  if (message->msg_namelen > 0 ||
      getpeername(handle->io_watcher.fd, (struct sockaddr*) &to, &length) == 0)
    address_text(address, sizeof(address), &to,
                 message->msg_namelen > 0 ? message->msg_namelen : length);
  char name[60], text[120];
  snprintf(name, sizeof(name), "datagram socket %llu", (unsigned long long) socket);
  sim_described_words(handle->loop, handle, name, text, sizeof(text));
  int length_of_all =
      snprintf(words, size, "datagram %llu of %s%s%s", (unsigned long long) nth + 1, text,
               address[0] == '\0' ? "" : " to ", address);
  assert(length_of_all > 0); /* a long description is cut */
}

/* True if the datagram is kept until its time. */
static bool datagram_keep(uv_udp_t* handle, const struct msghdr* message,
                          uint64_t delay) {
  struct sim_state* sim = sim_of(handle->loop);
  struct sim_datagram* copy = datagram_copy(handle, message);
  if (copy == NULL)
    return false;
  struct sim_event event = {
      .at = world_now(sim->world) + delay, .kind = SIM_EVENT_SEND, .datagram = copy};
  if (!sim_heap_push(&sim->heap, event)) {
    mem_free(copy);
    return false;
  }
  queue_push_back(&sim->datagrams, &copy->link);
  return true;
}

/* From 1 ms to a second: behind what is sent in the meantime. */
static uint64_t datagram_delay(uint64_t number) {
  const uint64_t least = 1000000;
  uint64_t base = least << (number >> 8) % 10;
  return base + (number >> 16) % base;
}

ssize_t sim_take_datagram(uv_udp_t* handle, const struct msghdr* message) {
  uv_loop_t* loop = handle->loop;
  int fd = handle->io_watcher.fd;
  const struct sim_source* source = sim_ready_source(loop, fd);
  struct sim_question question;
  uint64_t number;
  if (source == NULL || !sim_datagram_fault(loop, source->number, &question, &number))
    return -1;
  char name[160];
  char words[240];
  datagram_words(handle, message, source->number, question.nth, name, sizeof(name));
  uint64_t fate = number % 3;
  uint64_t delay = fate == 2 ? datagram_delay(number) : 0;
  char time[40] = "";
  if (fate == 2 && !datagram_keep(handle, message, delay))
    return -1;
  snprintf(time, sizeof(time), "%.3g ms late", (double) delay / 1e6);
  snprintf(words, sizeof(words), "%s is %s", name,
           fate == 0   ? "lost"
           : fate == 1 ? "delivered twice"
                       : time);
  chooser_log(sim_of(loop)->chooser, &question, number, words);
  if (fate == 1)
    (void) sendmsg(fd, message, MSG_DONTWAIT);
  return fate == 1 ? -1 : (ssize_t) datagram_size(message);
}

void sim_datagram_due(struct sim_datagram* datagram) {
  datagram_send(datagram);
  queue_remove(&datagram->link);
  mem_free(datagram);
}

void sim_datagrams_end(const uv_udp_t* handle) {
  struct queue* all = &sim_of(handle->loop)->datagrams;
  for (struct queue* link = queue_first(all); link != NULL;
       link = queue_next(all, link)) {
    struct sim_datagram* datagram = rondo_container_of(link, struct sim_datagram, link);
    if (datagram->handle == handle)
      datagram_send(datagram);
  }
}

void sim_datagrams_free(struct sim_state* sim) {
  struct queue* link;
  while ((link = queue_first(&sim->datagrams)) != NULL) {
    queue_remove(link);
    mem_free(rondo_container_of(link, struct sim_datagram, link));
  }
}
