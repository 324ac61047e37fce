/* Mutexes, read-write locks, semaphores, conditions, barriers, one-time
 * initialisation and thread-local keys. Thin over the C library's, with errors
 * in the library's form; misuse aborts (see system.h). */
#include "base/base.h"
#include "uv.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

/* For calls that fail only if the program misuses them. */
static void must_work(int err) {
  if (err != 0)
    abort();
}

/* For the try… calls: returns 0 or UV_EBUSY; other errors abort. EAGAIN means a lock that
 * is held too many times to be counted, so it isn't available either. */
static int try_result(int err) {
  if (err == EBUSY || err == EAGAIN)
    return UV_EBUSY;
  must_work(err);
  return 0;
}

int uv_mutex_init(uv_mutex_t* handle) {
  return -pthread_mutex_init(handle, NULL);
}

int uv_mutex_init_recursive(uv_mutex_t* handle) {
  pthread_mutexattr_t attributes;
  int err = pthread_mutexattr_init(&attributes);
  if (err != 0)
    return -err;
  err = pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  if (err == 0)
    err = pthread_mutex_init(handle, &attributes);
  must_work(pthread_mutexattr_destroy(&attributes));
  return -err;
}

void uv_mutex_destroy(uv_mutex_t* handle) {
  must_work(pthread_mutex_destroy(handle));
}

void uv_mutex_lock(uv_mutex_t* handle) {
  must_work(pthread_mutex_lock(handle));
}

int uv_mutex_trylock(uv_mutex_t* handle) {
  return try_result(pthread_mutex_trylock(handle));
}

void uv_mutex_unlock(uv_mutex_t* handle) {
  must_work(pthread_mutex_unlock(handle));
}

int uv_rwlock_init(uv_rwlock_t* rwlock) {
  return -pthread_rwlock_init(rwlock, NULL);
}

void uv_rwlock_destroy(uv_rwlock_t* rwlock) {
  must_work(pthread_rwlock_destroy(rwlock));
}

void uv_rwlock_rdlock(uv_rwlock_t* rwlock) {
  must_work(pthread_rwlock_rdlock(rwlock));
}

int uv_rwlock_tryrdlock(uv_rwlock_t* rwlock) {
  return try_result(pthread_rwlock_tryrdlock(rwlock));
}

void uv_rwlock_rdunlock(uv_rwlock_t* rwlock) {
  must_work(pthread_rwlock_unlock(rwlock));
}

void uv_rwlock_wrlock(uv_rwlock_t* rwlock) {
  must_work(pthread_rwlock_wrlock(rwlock));
}

int uv_rwlock_trywrlock(uv_rwlock_t* rwlock) {
  return try_result(pthread_rwlock_trywrlock(rwlock));
}

void uv_rwlock_wrunlock(uv_rwlock_t* rwlock) {
  must_work(pthread_rwlock_unlock(rwlock));
}

int uv_sem_init(uv_sem_t* sem, unsigned int value) {
  return sem_init(sem, 0, value) == 0 ? 0 : -errno;
}

void uv_sem_destroy(uv_sem_t* sem) {
  must_work(sem_destroy(sem));
}

void uv_sem_post(uv_sem_t* sem) {
  must_work(sem_post(sem));
}

void uv_sem_wait(uv_sem_t* sem) {
  int err;
  do {
    err = sem_wait(sem);
  } while (err != 0 && errno == EINTR);
  must_work(err);
}

int uv_sem_trywait(uv_sem_t* sem) {
  int err;
  do {
    err = sem_trywait(sem);
  } while (err != 0 && errno == EINTR);
  if (err != 0 && errno == EAGAIN)
    return UV_EAGAIN;
  must_work(err);
  return 0;
}

int uv_cond_init(uv_cond_t* cond) {
  pthread_condattr_t attributes;
  int err = pthread_condattr_init(&attributes);
  if (err != 0)
    return -err;
  /* Setting the machine's clock must not change the length of a wait. */
  err = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  if (err == 0)
    err = pthread_cond_init(cond, &attributes);
  must_work(pthread_condattr_destroy(&attributes));
  return -err;
}

void uv_cond_destroy(uv_cond_t* cond) {
  must_work(pthread_cond_destroy(cond));
}

void uv_cond_signal(uv_cond_t* cond) {
  must_work(pthread_cond_signal(cond));
}

void uv_cond_broadcast(uv_cond_t* cond) {
  must_work(pthread_cond_broadcast(cond));
}

void uv_cond_wait(uv_cond_t* cond, uv_mutex_t* mutex) {
  must_work(pthread_cond_wait(cond, mutex));
}

int uv_cond_timedwait(uv_cond_t* cond, uv_mutex_t* mutex, uint64_t timeout) {
  const uint64_t second = 1000000000;
  uint64_t due = u64_add_clamped(uv_hrtime(), timeout);
  struct timespec until = {.tv_sec = (time_t) (due / second),
                           .tv_nsec = (long) (due % second)};

  int err = pthread_cond_timedwait(cond, mutex, &until);
  if (err == ETIMEDOUT)
    return UV_ETIMEDOUT;
  must_work(err);
  return 0;
}

int uv_barrier_init(uv_barrier_t* barrier, unsigned int count) {
  return -pthread_barrier_init(barrier, NULL, count);
}

void uv_barrier_destroy(uv_barrier_t* barrier) {
  must_work(pthread_barrier_destroy(barrier));
}

int uv_barrier_wait(uv_barrier_t* barrier) {
  int err = pthread_barrier_wait(barrier);
  if (err == PTHREAD_BARRIER_SERIAL_THREAD)
    return 1;
  must_work(err);
  return 0;
}

void uv_once(uv_once_t* guard, void (*callback)(void)) {
  must_work(pthread_once(guard, callback));
}

int uv_key_create(uv_key_t* key) {
  return -pthread_key_create(key, NULL);
}

void uv_key_delete(uv_key_t* key) {
  must_work(pthread_key_delete(*key));
}

void* uv_key_get(uv_key_t* key) {
  return pthread_getspecific(*key);
}

void uv_key_set(uv_key_t* key, void* value) {
  must_work(pthread_setspecific(*key, value));
}
