/* One piece of work for the thread pool, embedded in every request that may use it.
 * Its fields belong to the pool; programs only need its size. */
#ifndef UV_THREADPOOL_H
#define UV_THREADPOOL_H

struct uv_loop_s;

struct uv__work {
  void (*work)(struct uv__work* w);             /* runs on a thread of the pool */
  void (*done)(struct uv__work* w, int status); /* runs on the loop's thread */
  struct uv_loop_s* loop;
  void* wq[2];
};

#endif
