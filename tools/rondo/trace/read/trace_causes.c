/* Matches the pool's work with the requests it was done for. A thread records the address
 * of the work it runs; the loop records the request that it has begun, which contains
 * that work. The last request begun at that address, before the thread took the work, is
 * the one. */
#include "trace_model.h"

#include "uv.h"

#include <stdlib.h>

/* --- records ---------------------------------------------------------------------- */

/* Finds the open work of a thread; up to 1024 threads may be working. */
static struct work* open_work(struct trace_process* process,
                              const struct trace_record* record) {
  const size_t most = 4096;
  size_t looked_at = 0;
  for (size_t i = process->work_count; i > 0 && looked_at < most; i--, looked_at++) {
    struct work* work = &process->works[i - 1];
    if (work->unfinished && work->thread == (uint32_t) record->detail)
      return work;
  }
  return NULL;
}

static void work_begin(struct trace_process* process, const struct trace_record* record,
                       uint64_t time) {
  process->works = array_grow(process->works, process->work_count,
                              &process->work_capacity, sizeof(*process->works));
  process->works[process->work_count++] =
      (struct work){.start = time,
                    .address = record->number,
                    .thread = (uint32_t) record->detail,
                    .waiting = record->name,
                    .loop = EVENT_NONE,
                    .cause = EVENT_NONE,
                    .unfinished = true};
}

static void work_end(struct trace_process* process, const struct trace_record* record,
                     uint64_t time) {
  struct work* work = open_work(process, record);
  if (work == NULL)
    return;
  work->duration = time > work->start ? time - work->start : 0;
  work->unfinished = false;
}

size_t process_work(struct trace_process* process, const struct trace_record* records,
                    size_t count) {
  size_t i = 0;
  for (; i < count; i++) {
    uint64_t time = records[i].when >> TRACE_TIME_SHIFT;
    unsigned int kind = records[i].when & 0xff;
    if (time > TRACE_CENTURY_NS || (kind != TRACE_WORK && kind != TRACE_WORK_END))
      break;
    if (kind == TRACE_WORK)
      work_begin(process, &records[i], time);
    else
      work_end(process, &records[i], time);
  }
  return i;
}

/* --- whose it was ------------------------------------------------------------------ */

struct begun {
  uint64_t address; /* of the work in the request */
  uint64_t time;    /* since the process's start */
  int32_t loop, cause;
};

/* The offset of the work in a request of that kind; 0: it has none. */
static size_t work_offset(uint64_t key) {
  unsigned int kind = (unsigned int) (key >> TRACE_SUBJECT_SHIFT) & 0xff;
  if (kind >= TRACE_SUBJECT_FS && kind < TRACE_SUBJECT_NODE)
    return offsetof(uv_fs_t, work_req);
  switch ((int) kind - TRACE_SUBJECT_REQ) {
  case UV_WORK:
    return offsetof(uv_work_t, work_req);
  case UV_GETADDRINFO:
    return offsetof(uv_getaddrinfo_t, work_req);
  case UV_GETNAMEINFO:
    return offsetof(uv_getnameinfo_t, work_req);
  case UV_RANDOM:
    return offsetof(uv_random_t, work_req);
  default:
    return 0;
  }
}

static int by_address(const void* left, const void* right) {
  const struct begun *a = left, *b = right;
  if (a->address != b->address)
    return a->address < b->address ? -1 : 1;
  return a->time < b->time ? -1 : a->time > b->time;
}

static size_t collect(const struct trace* trace, const struct trace_process* process,
                      struct begun** list) {
  size_t count = 0, capacity = 0;
  const uint64_t places = ((uint64_t) 1 << TRACE_SUBJECT_SHIFT) - 1;
  for (size_t i = 0; i < trace->count; i++) {
    const struct trace_loop* loop = &trace->loops[i];
    for (size_t j = 0; loop->process == process && j < loop->cause_count; j++) {
      const struct cause* cause = &loop->causes[j];
      if (work_offset(cause->key) == 0)
        continue;
      *list = array_grow(*list, count, &capacity, sizeof(**list));
      (*list)[count++] = (struct begun){
          (cause->key & places) + work_offset(cause->key),
          cause->begun + (loop->start_ns - process->start_ns), (int32_t) i, (int32_t) j};
    }
  }
  return count;
}

/* The last request at that address that was begun before. The loop's clock and the pool's
 * may differ by some microseconds, and a thread may take work as soon as it is begun. */
static const struct begun* begun_before(const struct begun* list, size_t count,
                                        const struct work* work) {
  const uint64_t apart_ns = 20000;
  size_t low = 0, high = count;
  struct begun wanted = {.address = work->address, .time = work->start + apart_ns};
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (by_address(&list[middle], &wanted) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && list[low - 1].address == work->address ? &list[low - 1] : NULL;
}

static void join_process(struct trace* trace, struct trace_process* process) {
  struct begun* list = NULL;
  size_t count = process->work_count == 0 ? 0 : collect(trace, process, &list);
  if (count > 1)
    qsort(list, count, sizeof(*list), by_address);
  for (size_t i = 0; count > 0 && i < process->work_count; i++) {
    struct work* work = &process->works[i];
    const struct begun* begun = begun_before(list, count, work);
    if (begun == NULL)
      continue;
    work->loop = begun->loop;
    work->cause = begun->cause;
    trace->loops[begun->loop].causes[begun->cause].work = (int32_t) i;
  }
  free(list);
}

void trace_join_works(struct trace* trace) {
  for (size_t i = 0; i < trace->process_count; i++)
    join_process(trace, trace->processes[i]);
}

const char* thread_name_of(const struct trace_process* process, uint32_t thread) {
  for (size_t i = process->thread_count; i > 0; i--) {
    if (process->threads[i - 1].thread == thread)
      return process->threads[i - 1].name;
  }
  return "";
}
