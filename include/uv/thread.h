/* Threads, locks and thread-local values: a thin, uniform layer over the system's. Where
 * a function returns nothing, a failure can only be a programming error and aborts. */
#ifndef UV_THREAD_H
#define UV_THREAD_H

typedef void (*uv_thread_cb)(void* arg);

typedef enum {
  UV_THREAD_NO_FLAGS = 0x00,
  UV_THREAD_HAS_STACK_SIZE = 0x01
} uv_thread_create_flags;

typedef struct uv_thread_options_s {
  unsigned int flags;
  size_t stack_size; /* with UV_THREAD_HAS_STACK_SIZE; 0 is the default size */
} uv_thread_options_t;

enum uv_thread_priority {
  UV_THREAD_PRIORITY_LOWEST = -2,
  UV_THREAD_PRIORITY_BELOW_NORMAL = -1,
  UV_THREAD_PRIORITY_NORMAL = 0,
  UV_THREAD_PRIORITY_ABOVE_NORMAL = 1,
  UV_THREAD_PRIORITY_HIGHEST = 2
};

/* Threads */
UV_EXTERN int uv_thread_create(uv_thread_t* tid, uv_thread_cb entry, void* arg);
UV_EXTERN int uv_thread_create_ex(uv_thread_t* tid, const uv_thread_options_t* params,
                                  uv_thread_cb entry, void* arg);
UV_EXTERN int uv_thread_join(uv_thread_t* tid);
UV_EXTERN int uv_thread_detach(uv_thread_t* tid);
UV_EXTERN uv_thread_t uv_thread_self(void);
UV_EXTERN int uv_thread_equal(const uv_thread_t* t1, const uv_thread_t* t2);
/* A name too long for the system is cut. */
UV_EXTERN int uv_thread_setname(const char* name);
UV_EXTERN int uv_thread_getname(uv_thread_t* tid, char* name, size_t size);
UV_EXTERN int uv_thread_setpriority(uv_thread_t tid, int priority);
UV_EXTERN int uv_thread_getpriority(uv_thread_t tid, int* priority);
/* Masks hold one byte a cpu, and at least uv_cpumask_size of them. */
UV_EXTERN int uv_thread_setaffinity(uv_thread_t* tid, char* cpumask, char* oldmask,
                                    size_t mask_size);
UV_EXTERN int uv_thread_getaffinity(uv_thread_t* tid, char* cpumask, size_t mask_size);
UV_EXTERN int uv_thread_getcpu(void);
UV_EXTERN int uv_cpumask_size(void);

/* Thread-local values */
UV_EXTERN int uv_key_create(uv_key_t* key);
UV_EXTERN void uv_key_delete(uv_key_t* key);
UV_EXTERN void* uv_key_get(uv_key_t* key);
UV_EXTERN void uv_key_set(uv_key_t* key, void* value);

/* Runs callback once in the process, for a guard that began as UV_ONCE_INIT. */
UV_EXTERN void uv_once(uv_once_t* guard, void (*callback)(void));

/* Mutexes; the try functions return UV_EBUSY if the lock is taken */
UV_EXTERN int uv_mutex_init(uv_mutex_t* handle);
UV_EXTERN int uv_mutex_init_recursive(uv_mutex_t* handle);
UV_EXTERN void uv_mutex_destroy(uv_mutex_t* handle);
UV_EXTERN void uv_mutex_lock(uv_mutex_t* handle);
UV_EXTERN int uv_mutex_trylock(uv_mutex_t* handle);
UV_EXTERN void uv_mutex_unlock(uv_mutex_t* handle);

/* Locks for many readers or one writer */
UV_EXTERN int uv_rwlock_init(uv_rwlock_t* rwlock);
UV_EXTERN void uv_rwlock_destroy(uv_rwlock_t* rwlock);
UV_EXTERN void uv_rwlock_rdlock(uv_rwlock_t* rwlock);
UV_EXTERN int uv_rwlock_tryrdlock(uv_rwlock_t* rwlock);
UV_EXTERN void uv_rwlock_rdunlock(uv_rwlock_t* rwlock);
UV_EXTERN void uv_rwlock_wrlock(uv_rwlock_t* rwlock);
UV_EXTERN int uv_rwlock_trywrlock(uv_rwlock_t* rwlock);
UV_EXTERN void uv_rwlock_wrunlock(uv_rwlock_t* rwlock);

/* Semaphores; uv_sem_trywait returns UV_EAGAIN at zero */
UV_EXTERN int uv_sem_init(uv_sem_t* sem, unsigned int value);
UV_EXTERN void uv_sem_destroy(uv_sem_t* sem);
UV_EXTERN void uv_sem_post(uv_sem_t* sem);
UV_EXTERN void uv_sem_wait(uv_sem_t* sem);
UV_EXTERN int uv_sem_trywait(uv_sem_t* sem);

/* Condition variables; waiting may end without a signal */
UV_EXTERN int uv_cond_init(uv_cond_t* cond);
UV_EXTERN void uv_cond_destroy(uv_cond_t* cond);
UV_EXTERN void uv_cond_signal(uv_cond_t* cond);
UV_EXTERN void uv_cond_broadcast(uv_cond_t* cond);
UV_EXTERN void uv_cond_wait(uv_cond_t* cond, uv_mutex_t* mutex);
/* The timeout is relative and in nanoseconds; UV_ETIMEDOUT when it has passed. */
UV_EXTERN int uv_cond_timedwait(uv_cond_t* cond, uv_mutex_t* mutex, uint64_t timeout);

/* Barriers; one of the threads that meet gets a positive value */
UV_EXTERN int uv_barrier_init(uv_barrier_t* barrier, unsigned int count);
UV_EXTERN void uv_barrier_destroy(uv_barrier_t* barrier);
UV_EXTERN int uv_barrier_wait(uv_barrier_t* barrier);

#endif
