// async1, async2, async4, async8: that many threads, each with a loop of its own,
// play ping-pong with the main thread's loop through uv_async_send. async_pingpong is
// the game of two seen as time: from a send to its callback there and back again.
#include <uv.h>
#include "bench.h"

enum { MOST = 8 };

struct player {
  uv_thread_t thread;
  uv_loop_t loop;
  uv_async_t here; // on the player's loop
  uv_async_t home; // on the main loop
  long wanted;     // how many times the ball goes to and fro
  long pings;      // seen by the player
  long pongs;      // seen by the main thread
};

static void on_here(uv_async_t* here) {
  struct player* player = here->data;
  player->pings++;
  bench_uv(uv_async_send(&player->home), "send");
  if (player->pings == player->wanted) {
    uv_close((uv_handle_t*) here, NULL);
  }
}

static void on_home(uv_async_t* home) {
  struct player* player = home->data;
  if (++player->pongs == player->wanted) {
    uv_close((uv_handle_t*) home, NULL);
  } else {
    bench_uv(uv_async_send(&player->here), "send");
  }
}

static void play(void* argument) {
  struct player* player = argument;
  uv_run(&player->loop, UV_RUN_DEFAULT);
}

static void run(const char* name, int players, long each) {
  static struct player table[MOST];
  uv_loop_t loop;
  bench_uv(uv_loop_init(&loop), "loop");
  for (int i = 0; i < players; i++) {
    struct player* player = &table[i];
    memset(player, 0, sizeof *player);
    player->wanted = each;
    bench_uv(uv_loop_init(&player->loop), "loop");
    bench_uv(uv_async_init(&player->loop, &player->here, on_here), "async");
    bench_uv(uv_async_init(&loop, &player->home, on_home), "async");
    player->here.data = player->home.data = player;
    bench_uv(uv_thread_create(&player->thread, play, player), "thread");
  }

  double began = bench_seconds();
  for (int i = 0; i < players; i++) {
    bench_uv(uv_async_send(&table[i].here), "send");
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  double ended = bench_seconds();

  for (int i = 0; i < players; i++) {
    bench_uv(uv_thread_join(&table[i].thread), "join");
    bench_check(table[i].pings == each && table[i].pongs == each, "no ball was lost");
    bench_loop_close(&table[i].loop);
  }
  bench_loop_close(&loop);
  double total = (double) (players * each);
  // First, so that the processor time of the game counts for it.
  if (players == 1) {
    bench_report("async_pingpong", (ended - began) / total * 1e6, "us/op");
  }
  bench_report(name, total / (ended - began), "ops/s");
}

int main(int argc, char** argv) {
  long total = bench_argument(argc, argv, 16000);
  run("async1", 1, total);
  run("async2", 2, total / 2);
  run("async4", 4, total / 4);
  run("async8", 8, total / 8);
  return 0;
}
