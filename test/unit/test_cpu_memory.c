/* Processors, load, memory, usage, and the limits of control groups, which are
 * read from a tree of files made here: no test may depend on the machine's. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system/cgroup.h"
#include "uv.h"

static void every_processor_is_described(void** state) {
  (void) state;
  uv_cpu_info_t* infos;
  int count;
  uint64_t busy = 0;
  assert_int_equal(uv_cpu_info(&infos, &count), 0);
  assert_int_equal(count, sysconf(_SC_NPROCESSORS_ONLN));
  for (int i = 0; i < count; i++) {
    assert_non_null(infos[i].model);
    assert_true(strlen(infos[i].model) > 0);
    assert_null(strchr(infos[i].model, '\n'));
    assert_true(infos[i].speed >= 0);
    busy += infos[i].cpu_times.user + infos[i].cpu_times.sys + infos[i].cpu_times.idle;
  }
  assert_true(busy > 0);
  uv_free_cpu_info(infos, count);
}

static void parallelism_follows_the_affinity(void** state) {
  (void) state;
  cpu_set_t before;
  cpu_set_t one;
  CPU_ZERO(&one);
  assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
  unsigned all = uv_available_parallelism();
  assert_in_range(all, 1, CPU_COUNT(&before));
  CPU_SET((size_t) sched_getcpu(), &one);
  assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
  assert_int_equal(uv_available_parallelism(), 1);
  assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
  assert_int_equal(uv_available_parallelism(), all);
}

static void load_is_not_negative(void** state) {
  (void) state;
  double load[3] = {-1, -1, -1};
  uv_loadavg(load);
  for (int i = 0; i < 3; i++) {
    assert_true(load[i] >= 0);
  }
}

static void memory_adds_up(void** state) {
  (void) state;
  uint64_t total = uv_get_total_memory();
  uint64_t constrained = uv_get_constrained_memory();
  uint64_t available = uv_get_available_memory();
  assert_true(uv_get_free_memory() > 0);
  assert_true(uv_get_free_memory() < total);
  assert_true(available <= total);
  if (constrained > 0) {
    assert_true(available <= constrained);
  }
}

static void resident_memory_grows_with_use(void** state) {
  (void) state;
  const size_t size = 64 << 20;
  size_t before;
  size_t after;
  assert_int_equal(uv_resident_set_memory(&before), 0);
  assert_true(before > 0);
  char* memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  assert_true(memory != MAP_FAILED);
  memset(memory, 1, size);
  assert_int_equal(uv_resident_set_memory(&after), 0);
  assert_true(after > before + size / 2);
  assert_int_equal(munmap(memory, size), 0);
}

static void burn(void* argument) {
  uv_rusage_t* usage = argument;
  volatile unsigned long counter = 0;
  do {
    for (int i = 0; i < 100000; i++) {
      counter++;
    }
    if (uv_getrusage_thread(usage) != 0) {
      abort();
    }
  } while (usage->ru_utime.tv_sec == 0 && usage->ru_utime.tv_usec < 20000);
}

/* All of it: how time is divided between the program and the kernel is estimated, for a
 * thread and for its process apart. */
static long microseconds(const uv_rusage_t* usage) {
  return (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000 +
         usage->ru_utime.tv_usec + usage->ru_stime.tv_usec;
}

static void usage_is_counted_by_thread_and_process(void** state) {
  (void) state;
  uv_rusage_t own;
  uv_rusage_t other;
  uv_rusage_t process;
  uv_rusage_t after;
  uv_thread_t thread;
  assert_int_equal(uv_getrusage_thread(&own), 0);
  assert_int_equal(uv_thread_create(&thread, burn, &other), 0);
  assert_int_equal(uv_thread_join(&thread), 0);
  assert_int_equal(uv_getrusage_thread(&after), 0);
  assert_true(microseconds(&other) >= 20000);
  assert_true(microseconds(&after) - microseconds(&own) < 20000); /* it slept */
  assert_int_equal(uv_getrusage(&process), 0);
  assert_true(process.ru_maxrss > 0);
  assert_true(process.ru_minflt > 0);
  assert_true(microseconds(&process) >= microseconds(&other));
  assert_in_range(process.ru_utime.tv_usec, 0, 999999);
}

/* A tree of files that stands in for /proc and /sys. */
static char root[64];

static int make_root(void** state) {
  (void) state;
  strcpy(root, "/tmp/rondo-groups-XXXXXX");
  return mkdtemp(root) == NULL;
}

static int remove_root(void** state) {
  (void) state;
  char command[128];
  snprintf(command, sizeof(command), "rm -r '%s'", root);
  return system(command);
}

static void put(const char* path, const char* content) {
  char name[512];
  snprintf(name, sizeof(name), "%s/%s", root, path);
  for (char* slash = name + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL;
       slash++) {
    *slash = '\0';
    mkdir(name, 0700);
    *slash = '/';
  }
  FILE* file = fopen(name, "w");
  assert_non_null(file);
  fputs(content, file);
  fclose(file);
}

static void without_groups_there_is_no_limit(void** state) {
  (void) state;
  struct group_memory memory;
  group_memory_read(root, &memory);
  assert_false(memory.found);
  assert_true(group_processors(root) == 0);

  put("proc/self/cgroup", "garbage\n\n:::\n12:cpuset:/\n");
  group_memory_read(root, &memory);
  assert_false(memory.found);
  assert_true(group_processors(root) == 0);
}

static void version_2_is_read_up_to_the_root(void** state) {
  (void) state;
  struct group_memory memory;
  put("proc/self/cgroup", "0::/outer/inner\n");
  put("sys/fs/cgroup/outer/memory.max", "1000000\n");
  put("sys/fs/cgroup/outer/memory.high", "max\n");
  put("sys/fs/cgroup/outer/memory.current", "990000\n");
  put("sys/fs/cgroup/outer/memory.stat", "anon 5\nfile 9\ninactive_file 40000\n");
  put("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  put("sys/fs/cgroup/outer/inner/memory.high", "800000\n");
  put("sys/fs/cgroup/outer/inner/memory.current", "100000\n");
  group_memory_read(root, &memory);
  assert_true(memory.found);
  assert_int_equal(memory.limit, 800000);
  assert_int_equal(memory.left, 50000);

  put("sys/fs/cgroup/outer/cpu.max", "150000 100000\n");
  put("sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n");
  assert_true(group_processors(root) == 1.5);
  put("sys/fs/cgroup/outer/inner/cpu.max", "50000 100000\n");
  assert_true(group_processors(root) == 0.5);
}

static void no_limit_is_told_from_no_groups(void** state) {
  (void) state;
  struct group_memory memory;
  put("proc/self/cgroup", "0::/\n");
  put("sys/fs/cgroup/memory.max", "max\n");
  group_memory_read(root, &memory);
  assert_true(memory.found);
  assert_true(memory.limit == GROUP_UNLIMITED);
  assert_true(memory.left == GROUP_UNLIMITED);

  put("proc/self/cgroup", "4:memory:/\n0::/\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  group_memory_read(root, &memory);
  assert_true(memory.found);
  assert_true(memory.limit == GROUP_UNLIMITED);
}

static void version_1_is_read_where_it_is_mounted(void** state) {
  (void) state;
  struct group_memory memory;
  put("proc/self/cgroup", "9:name=systemd:/\n4:memory:/a\n2:cpu,cpuacct:/b/c\n0::/\n");
  put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "5000000\n");
  put("sys/fs/cgroup/memory/a/memory.soft_limit_in_bytes", "9223372036854771712\n");
  put("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "6000000\n");
  group_memory_read(root, &memory);
  assert_true(memory.found);
  assert_int_equal(memory.limit, 5000000);
  assert_int_equal(memory.left, 0);
  put("sys/fs/cgroup/memory/a/memory.stat",
      "cache 7\ninactive_file 1\ntotal_inactive_file 2000000\n");
  group_memory_read(root, &memory);
  assert_int_equal(memory.left, 1000000);

  put("sys/fs/cgroup/cpu,cpuacct/b/cpu.cfs_quota_us", "300000\n");
  put("sys/fs/cgroup/cpu,cpuacct/b/cpu.cfs_period_us", "100000\n");
  put("sys/fs/cgroup/cpu,cpuacct/b/c/cpu.cfs_quota_us", "-1\n");
  put("sys/fs/cgroup/cpu,cpuacct/b/c/cpu.cfs_period_us", "100000\n");
  assert_true(group_processors(root) == 3);
}

static void a_container_sees_its_group_at_the_top(void** state) {
  (void) state;
  struct group_memory memory;
  put("proc/self/cgroup", "4:memory:/docker/0123\n2:cpu:/docker/0123\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "7000000\n");
  put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n");
  put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "25000\n");
  group_memory_read(root, &memory);
  assert_int_equal(memory.limit, 7000000);
  assert_true(group_processors(root) == 2);
}

static void nonsense_in_the_files_is_no_limit(void** state) {
  (void) state;
  struct group_memory memory;
  put("proc/self/cgroup", "0::/a\n");
  put("sys/fs/cgroup/a/memory.max", "lots\n");
  put("sys/fs/cgroup/a/cpu.max", "100000 0\n");
  group_memory_read(root, &memory);
  assert_false(memory.found);
  assert_true(group_processors(root) == 0);
  put("sys/fs/cgroup/a/cpu.max", "");
  assert_true(group_processors(root) == 0);
}

#define with_root(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_processor_is_described),
      cmocka_unit_test(parallelism_follows_the_affinity),
      cmocka_unit_test(load_is_not_negative),
      cmocka_unit_test(memory_adds_up),
      cmocka_unit_test(resident_memory_grows_with_use),
      cmocka_unit_test(usage_is_counted_by_thread_and_process),
      with_root(without_groups_there_is_no_limit),
      with_root(version_2_is_read_up_to_the_root),
      with_root(no_limit_is_told_from_no_groups),
      with_root(version_1_is_read_where_it_is_mounted),
      with_root(a_container_sees_its_group_at_the_top),
      with_root(nonsense_in_the_files_is_no_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
