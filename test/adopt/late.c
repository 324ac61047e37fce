/* A program that has run for a while before librondo-adopt.so comes, as one would whose
 * loader initialises it late: loads it by hand, after having made a loop, or started a
 * thread, or taken all addresses nearby ("crowd"), or limited its memory to so many pages
 * more than it has ("limit"), or none of these. */
#include <dlfcn.h>
#include <stdbool.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <uv.h>

static uv_sem_t hold;

static void wait_for_end(void* argument) {
  (void) argument;
  uv_sem_wait(&hold);
}

/* Takes every page between the mappings within 2 GiB of this program, and some more. */
static void crowd(void) {
  enum { MAPPINGS = 1000 };
  static uintptr_t starts[MAPPINGS], ends[MAPPINGS];
  size_t count = 0;
  uintptr_t own = (uintptr_t) &hold;
  uintptr_t reach = (uintptr_t) 1 << 32;
  uintptr_t next = own > reach ? (own - reach) & ~(uintptr_t) 0xffff : 0x10000;
  FILE* maps = fopen("/proc/self/maps", "re");
  char line[512];
  while (maps != NULL && count < MAPPINGS && fgets(line, sizeof(line), maps) != NULL)
    count += sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &starts[count], &ends[count]) == 2;
  if (maps != NULL)
    fclose(maps);
  for (size_t i = 0; i < count && next < own + reach; i++) {
    if (starts[i] > next)
      mmap((void*) next, starts[i] - next, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (ends[i] > next)
      next = ends[i];
  }
}

static void limit(const char* pages) {
  long used = 0;
  FILE* sizes = fopen("/proc/self/statm", "re");
  if (sizes == NULL || fscanf(sizes, "%ld", &used) != 1)
    abort();
  fclose(sizes);
  rlim_t most = (rlim_t) (used + atol(pages)) * (rlim_t) sysconf(_SC_PAGESIZE);
  struct rlimit limits = {most, most};
  if (setrlimit(RLIMIT_AS, &limits) != 0)
    abort();
}

int main(int argc, char** argv) {
  static uv_loop_t loop;
  uv_thread_t thread;
  if (argc < 3)
    return 1;
  bool makes_loop = strcmp(argv[1], "loop") == 0;
  bool starts_thread = strcmp(argv[1], "thread") == 0;
  if (makes_loop)
    uv_loop_init(&loop);
  if (strcmp(argv[1], "default") == 0)
    uv_loop_close(uv_default_loop()), uv_default_loop();
  if (starts_thread) {
    uv_sem_init(&hold, 0);
    uv_thread_create(&thread, wait_for_end, NULL);
  }
  if (strcmp(argv[1], "crowd") == 0)
    crowd();
  if (strcmp(argv[1], "limit") == 0)
    limit(argv[3]);
  if (dlopen(argv[2], RTLD_NOW) == NULL)
    puts(dlerror());
  printf("libuv %s\n", uv_version_string());
  if (starts_thread) {
    uv_sem_post(&hold);
    uv_thread_join(&thread);
  }
  return 7;
}
