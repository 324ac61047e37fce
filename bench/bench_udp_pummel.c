// udp_pummel_1v1, 10v10 and 100v100: senders that send the next datagram as soon as
// the last one has left, and receivers, all on one loop. Counted are the datagrams
// that were sent; UDP may lose some, but not most.
#include <uv.h>
#include "bench.h"

enum { MOST = 100 };

struct sender {
  uv_udp_t udp;
  uv_udp_send_t request;
  struct sockaddr_in to;
};

static struct sender senders[MOST];
static uv_udp_t receivers[MOST];
static int sender_count;
static long to_send;
static long sent;
static long received;
static uv_timer_t last_call;
static char arrived[65536];
static double ended;

static void on_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buffer) {
  (void) handle;
  (void) suggested;
  *buffer = uv_buf_init(arrived, sizeof arrived);
}

static void on_receive(uv_udp_t* udp, ssize_t size, const uv_buf_t* buffer,
                       const struct sockaddr* from, unsigned flags) {
  (void) udp;
  (void) buffer;
  (void) flags;
  bench_uv((int) size, "receive");
  if (from != NULL) {
    received++;
  }
}

// What is still in the receivers' queues gets a moment to come out, not counted.
static void on_last_call(uv_timer_t* timer) {
  for (int i = 0; i < sender_count; i++) {
    uv_close((uv_handle_t*) &senders[i].udp, NULL);
    uv_close((uv_handle_t*) &receivers[i], NULL);
  }
  uv_close((uv_handle_t*) timer, NULL);
}

static void on_sent(uv_udp_send_t* request, int status);

static void send_next(struct sender* sender) {
  uv_buf_t buffer = uv_buf_init((char*) "EXPECT", 6);
  bench_uv(uv_udp_send(&sender->request, &sender->udp, &buffer, 1,
                       (const struct sockaddr*) &sender->to, on_sent),
           "send");
}

static void on_sent(uv_udp_send_t* request, int status) {
  bench_uv(status, "sent");
  sent++;
  if (to_send > 0) {
    to_send--;
    send_next(request->data);
  } else if (!uv_is_active((uv_handle_t*) &last_call)) {
    ended = bench_seconds();
    bench_uv(uv_timer_start(&last_call, on_last_call, 20, 0), "timer");
  }
}

static void run(const char* name, int pairs, long datagrams) {
  uv_loop_t loop;
  sender_count = pairs;
  sent = received = 0;
  bench_uv(uv_loop_init(&loop), "loop");
  bench_uv(uv_timer_init(&loop, &last_call), "timer");
  for (int i = 0; i < pairs; i++) {
    int length = sizeof senders[i].to;
    bench_uv(uv_ip4_addr("127.0.0.1", 0, &senders[i].to), "address");
    bench_uv(uv_udp_init(&loop, &receivers[i]), "udp");
    bench_uv(uv_udp_bind(&receivers[i], (struct sockaddr*) &senders[i].to, 0), "bind");
    bench_uv(
        uv_udp_getsockname(&receivers[i], (struct sockaddr*) &senders[i].to, &length),
        "port");
    bench_uv(uv_udp_recv_start(&receivers[i], on_alloc, on_receive), "receive start");
    bench_uv(uv_udp_init(&loop, &senders[i].udp), "udp");
    senders[i].request.data = &senders[i];
  }

  double began = bench_seconds();
  to_send = datagrams - pairs;
  for (int i = 0; i < pairs; i++) {
    send_next(&senders[i]);
  }
  uv_run(&loop, UV_RUN_DEFAULT);

  bench_check(sent == datagrams, "every datagram was sent");
  bench_check(received > datagrams / 2, "more than half of them arrived");
  bench_loop_close(&loop);
  bench_report(name, (double) datagrams / (ended - began), "ops/s");
}

int main(int argc, char** argv) {
  long datagrams = bench_argument(argc, argv, 100000);
  run("udp_pummel_1v1", 1, datagrams);
  run("udp_pummel_10v10", 10, datagrams);
  run("udp_pummel_100v100", 100, datagrams);
  return 0;
}
