// Work that would block the loop is done by the pool's threads; the loop turns meanwhile.
// Shown: uv_queue_work, what each of its two callbacks may touch, and that the second is
// on the loop's thread, so that a sum needs no lock.
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

enum { PARTS = 4 };

struct part {
  uv_work_t request;
  unsigned long first;
  unsigned long last;
  unsigned long primes; // written by the pool's thread, read after it is done
};

static unsigned long sum;
static int parts_left = PARTS;

// On a thread of the pool: nothing of the loop may be touched here.
static void count_primes(uv_work_t* request) {
  struct part* part = (struct part*) request;
  for (unsigned long number = part->first; number < part->last; number++) {
    unsigned long divisor = 2;
    while (divisor * divisor <= number && number % divisor != 0) {
      divisor++;
    }
    part->primes += divisor * divisor > number;
  }
}

// On the loop's thread.
static void on_counted(uv_work_t* request, int status) {
  if (status != 0) {
    fprintf(stderr, "work: %s\n", uv_strerror(status));
    exit(1);
  }
  sum += ((struct part*) request)->primes;
  if (--parts_left == 0) {
    printf("%lu primes below 40002\n", sum);
  }
}

int main(void) {
  uv_loop_t* loop = uv_default_loop();
  struct part parts[PARTS] = {0};
  for (unsigned long i = 0; i < PARTS; i++) {
    parts[i].first = 2 + i * 10000;
    parts[i].last = parts[i].first + 10000;
    uv_queue_work(loop, &parts[i].request, count_primes, on_counted);
  }
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) == 0 ? 0 : 1;
}
