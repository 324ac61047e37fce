/* A process's memory, mappings and threads: see target.h. */
#include "target.h"

#include "live_task.h"
#include "target_core.h"
#include "trace_model.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* --- memory ---------------------------------------------------------------------------
 */

/* Where process_vm_readv is forbidden or unknown, the file in /proc gives the same. */
static bool read_by_file(int pid, uint64_t address, void* to, size_t size) {
  char path[48];
  snprintf(path, sizeof(path), "/proc/%d/mem", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  ssize_t got = pread(fd, to, size, (off_t) address);
  close(fd);
  return got == (ssize_t) size;
}

bool target_read(const struct target* target, uint64_t address, void* to, size_t size) {
  if (size > UINT64_MAX - address || address >> 47 != 0)
    return false;
  if (target->core != NULL)
    return core_read(target->core, address, to, size);
  struct iovec here = {to, size}, there = {(void*) (uintptr_t) address, size};
  ssize_t got = process_vm_readv(target->pid, &here, 1, &there, 1, 0);
  if (got == (ssize_t) size)
    return true;
  return got < 0 && (errno == ENOSYS || errno == EPERM) &&
         read_by_file(target->pid, address, to, size);
}

bool target_word(const struct target* target, uint64_t address, uint64_t* value) {
  return target_read(target, address, value, sizeof(*value));
}

bool target_number(const struct target* target, uint64_t address, uint32_t* value) {
  return target_read(target, address, value, sizeof(*value));
}

/* A text may end just before memory that can't be read: it is read by small pieces. */
bool target_text(const struct target* target, uint64_t address, char* text, size_t size) {
  enum { PIECE = 64 };
  size_t length = 0;
  while (length + 1 < size) {
    size_t piece = PIECE - (address + length) % PIECE;
    piece = piece < size - 1 - length ? piece : size - 1 - length;
    if (!target_read(target, address + length, text + length, piece))
      return false;
    const char* end = memchr(text + length, '\0', piece);
    if (end != NULL) {
      length = (size_t) (end - text);
      break;
    }
    length += piece;
  }
  text[length] = '\0';
  for (size_t i = 0; i < length; i++) {
    unsigned char byte = (unsigned char) text[i];
    if (byte < 0x20 || byte == 0x7f || byte == 0xc0 || byte >= 0xf8)
      return false;
  }
  return true;
}

const struct mapping* target_map(const struct target* target, uint64_t address) {
  size_t low = 0, high = target->map_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (target->maps[middle].end <= address)
      low = middle + 1;
    else
      high = middle;
  }
  const struct mapping* map = &target->maps[low];
  return low < target->map_count && map->start <= address ? map : NULL;
}

const struct target_thread* target_thread(const struct target* target, int tid) {
  for (size_t i = 0; i < target->thread_count; i++) {
    if (target->threads[i].tid == tid)
      return &target->threads[i];
  }
  return NULL;
}

/* --- mappings -------------------------------------------------------------------------
 */

/* "7f0a1000-7f0a2000 r-xp 00001000 fe:01 4711   /usr/lib/libuv.so.1" */
static bool map_parse(struct mapping* map, char* line) {
  char rights[8];
  unsigned long long start, end, offset, inode;
  int path = 0;
  if (sscanf(line, "%llx-%llx %7s %llx %*s %llu %n", &start, &end, rights, &offset,
             &inode, &path) < 5 ||
      path == 0 || end <= start)
    return false;
  line[strcspn(line, "\n")] = '\0';
  *map = (struct mapping){.start = start,
                          .end = end,
                          .offset = offset,
                          .readable = rights[0] == 'r',
                          .writable = rights[1] == 'w',
                          .executable = rights[2] == 'x',
                          .inode = inode,
                          .path = text_copy(line + path, strlen(line + path))};
  return true;
}

static void maps_free(struct target* target) {
  for (size_t i = 0; i < target->map_count; i++)
    free(target->maps[i].path);
  free(target->maps);
  target->maps = NULL;
  target->map_count = 0;
}

void target_maps_read(struct target* target) {
  char path[48], *line = NULL;
  size_t room = 0, capacity = 0;
  maps_free(target);
  snprintf(path, sizeof(path), "/proc/%d/maps", target->pid);
  FILE* file = fopen(path, "re");
  while (file != NULL && getline(&line, &room, file) > 0) {
    target->maps =
        array_grow(target->maps, target->map_count, &capacity, sizeof(*target->maps));
    target->map_count += map_parse(&target->maps[target->map_count], line);
  }
  free(line);
  if (file != NULL)
    fclose(file);
}

/* --- threads --------------------------------------------------------------------------
 */

/* Of a thread that is blocked in a system call the kernel shows the call, its arguments,
 * and where the thread is. Such a call keeps rbp and the rest, but they aren't shown. */
static void thread_call_read(const struct target* target, struct target_thread* thread) {
  char text[256];
  unsigned long long values[8];
  long call;
  thread->is_blocked = false;
  thread->registers = (struct unwind_state){0};
  if (task_read(target->pid, (uint32_t) thread->tid, "syscall", text, sizeof(text)) <= 0)
    return;
  if (sscanf(text, "%ld 0x%llx 0x%llx 0x%llx 0x%llx 0x%llx 0x%llx 0x%llx 0x%llx", &call,
             &values[0], &values[1], &values[2], &values[3], &values[4], &values[5],
             &values[6], &values[7]) != 9)
    return;
  thread->is_blocked = true;
  thread->call = call;
  for (int i = 0; i < 6; i++)
    thread->arguments[i] = values[i];
  thread->registers = (struct unwind_state){.exact = true};
  unwind_set(&thread->registers, UNWIND_STACK, values[6]);
  unwind_set(&thread->registers, UNWIND_PLACE, values[7]);
}

uint64_t thread_cpu_ns(int pid, int tid) {
  char text[256];
  unsigned long long cpu = 0;
  if (task_read(pid, (uint32_t) tid, "schedstat", text, sizeof(text)) > 0)
    (void) sscanf(text, "%llu", &cpu);
  return cpu;
}

void target_thread_read(const struct target* target, struct target_thread* thread) {
  char text[256];
  uint32_t tid = (uint32_t) thread->tid;
  thread->state = task_state(target->pid, tid);
  if (task_read(target->pid, tid, "comm", text, sizeof(text)) > 0)
    snprintf(thread->name, sizeof(thread->name), "%.*s", (int) strcspn(text, "\n"), text);
  thread->cpu_ns = thread_cpu_ns(target->pid, thread->tid);
  thread_call_read(target, thread);
}

static int by_tid(const void* left, const void* right) {
  const struct target_thread *a = left, *b = right;
  return a->tid < b->tid ? -1 : a->tid > b->tid;
}

static void threads_free(struct target* target) {
  for (size_t i = 0; i < target->thread_count; i++)
    free(target->threads[i].copy);
  free(target->threads);
  target->threads = NULL;
  target->thread_count = 0;
}

void target_threads_read(struct target* target) {
  char path[48];
  size_t capacity = 0;
  const struct dirent* entry;
  if (target->core != NULL)
    return;
  threads_free(target);
  snprintf(path, sizeof(path), "/proc/%d/task", target->pid);
  DIR* list = opendir(path);
  while (list != NULL && (entry = readdir(list)) != NULL) {
    if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
      continue;
    target->threads = array_grow(target->threads, target->thread_count, &capacity,
                                 sizeof(*target->threads));
    struct target_thread* thread = &target->threads[target->thread_count++];
    *thread = (struct target_thread){.tid = (int) strtol(entry->d_name, NULL, 10)};
    target_thread_read(target, thread);
  }
  if (list != NULL)
    closedir(list);
  if (target->thread_count > 1)
    qsort(target->threads, target->thread_count, sizeof(*target->threads), by_tid);
}

/* --- all of it ------------------------------------------------------------------------
 */

static void command_read(struct target* target) {
  char path[48], text[1024];
  snprintf(path, sizeof(path), "/proc/%d/cmdline", target->pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
  if (fd >= 0)
    close(fd);
  while (length > 0 && text[length - 1] == '\0')
    length--;
  for (ssize_t i = 0; i < length; i++)
    text[i] = text[i] == '\0' ? ' ' : text[i];
  target->command = text_copy(text, length < 0 ? 0 : (size_t) length);
}

bool target_open(struct target* target, int pid) {
  char why_not[TARGET_WHY_NOT];
  if (target_try(target, pid, why_not))
    return true;
  fprintf(stderr, "rondo: %s\n", why_not);
  return false;
}

bool target_try(struct target* target, int pid, char* why_not) {
  *target = (struct target){.pid = pid};
  if (!target_access(pid, &target->tracer, why_not))
    return false;
  command_read(target);
  target_maps_read(target);
  target_threads_read(target);
  images_find(target);
  return true;
}

void target_close(struct target* target) {
  images_free(target);
  maps_free(target);
  threads_free(target);
  free(target->command);
  if (target->core != NULL)
    core_close(target->core);
  *target = (struct target){0};
}
