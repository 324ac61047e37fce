/* Resources that the process, or one thread of it, has used so far. */
#include "uv.h"

#include <errno.h>
#include <sys/resource.h>

static int usage_of(int who, uv_rusage_t* rusage) {
  struct rusage usage;

  if (getrusage(who, &usage) != 0)
    return -errno;
  *rusage = (uv_rusage_t){
      .ru_utime = {.tv_sec = usage.ru_utime.tv_sec, .tv_usec = usage.ru_utime.tv_usec},
      .ru_stime = {.tv_sec = usage.ru_stime.tv_sec, .tv_usec = usage.ru_stime.tv_usec},
      .ru_maxrss = (uint64_t) usage.ru_maxrss,
      .ru_ixrss = (uint64_t) usage.ru_ixrss,
      .ru_idrss = (uint64_t) usage.ru_idrss,
      .ru_isrss = (uint64_t) usage.ru_isrss,
      .ru_minflt = (uint64_t) usage.ru_minflt,
      .ru_majflt = (uint64_t) usage.ru_majflt,
      .ru_nswap = (uint64_t) usage.ru_nswap,
      .ru_inblock = (uint64_t) usage.ru_inblock,
      .ru_oublock = (uint64_t) usage.ru_oublock,
      .ru_msgsnd = (uint64_t) usage.ru_msgsnd,
      .ru_msgrcv = (uint64_t) usage.ru_msgrcv,
      .ru_nsignals = (uint64_t) usage.ru_nsignals,
      .ru_nvcsw = (uint64_t) usage.ru_nvcsw,
      .ru_nivcsw = (uint64_t) usage.ru_nivcsw,
  };
  return 0;
}

int uv_getrusage(uv_rusage_t* rusage) {
  return usage_of(RUSAGE_SELF, rusage);
}

int uv_getrusage_thread(uv_rusage_t* rusage) {
  return usage_of(RUSAGE_THREAD, rusage);
}
