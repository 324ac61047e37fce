/* Memory: what the machine has, what is free, what this process may have and
 * what it uses. */
#include "base/base.h"
#include "system/cgroup.h"
#include "system/system.h"
#include "uv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

/* A line of /proc/meminfo, in bytes; 0 if there is none. */
static uint64_t meminfo_read(const char* key) {
  char text[4096];
  if (system_read_file("/proc/meminfo", text, sizeof(text)) <= 0)
    return 0;
  const char* line = strstr(text, key);
  return line != NULL ? strtoull(line + strlen(key), NULL, 10) * 1024 : 0;
}

uint64_t uv_get_free_memory(void) {
  struct sysinfo info;
  /* "Available" includes the caches that the kernel can drop; "free" of sysinfo()
   * doesn't. */
  uint64_t available = meminfo_read("MemAvailable:");
  if (available != 0)
    return available;
  return sysinfo(&info) == 0 ? (uint64_t) info.freeram * info.mem_unit : 0;
}

uint64_t uv_get_total_memory(void) {
  struct sysinfo info;
  uint64_t total = meminfo_read("MemTotal:");
  if (total != 0)
    return total;
  return sysinfo(&info) == 0 ? (uint64_t) info.totalram * info.mem_unit : 0;
}

/* 0 where no limit can be set, UINT64_MAX where one can be set and isn't. */
uint64_t uv_get_constrained_memory(void) {
  struct group_memory memory;
  group_memory_read("", &memory);
  return memory.found ? memory.limit : 0;
}

uint64_t uv_get_available_memory(void) {
  struct group_memory memory;
  group_memory_read("", &memory);
  return u64_min(uv_get_free_memory(), memory.left);
}

int uv_resident_set_memory(size_t* rss) {
  char text[256];
  ssize_t length = system_read_file("/proc/self/statm", text, sizeof(text));
  if (length < 0)
    return (int) length;
  /* "total resident …", in pages */
  const char* resident = strchr(text, ' ');
  if (resident == NULL)
    return UV_EINVAL;
  *rss = strtoul(resident, NULL, 10) * system_page_size();
  return 0;
}
