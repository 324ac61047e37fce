/* Processors: what they are, how busy they are, and how many of them this
 * process can really use. */
#include "base/alloc.h"
#include "base/base.h"
#include "base/strings.h"
#include "system/cgroup.h"
#include "system/system.h"
#include "uv.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The processors that are online, with their numbers, which may have gaps. */
struct cpus {
  uv_cpu_info_t* infos;
  unsigned* numbers;
  int count;
};

/* The line after this one; NULL at the end. */
static const char* next_line(const char* line) {
  line = strchr(line, '\n');
  return line != NULL && line[1] != '\0' ? line + 1 : NULL;
}

static bool starts_with(const char* text, const char* prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* A line of /proc/stat about one processor, not about all of them. */
static bool is_cpu_line(const char* line) {
  return starts_with(line, "cpu") && line[3] >= '0' && line[3] <= '9';
}

static uint64_t ticks_to_milliseconds(unsigned long long ticks) {
  long per_second = sysconf(_SC_CLK_TCK);
  return ticks * 1000 / (uint64_t) (per_second > 0 ? per_second : 100);
}

/* "cpu3 user nice system idle iowait irq softirq …", in ticks */
static void parse_times(const char* line, unsigned* number,
                        struct uv_cpu_times_s* times) {
  char* next;
  uint64_t columns[6];

  *number = (unsigned) strtoul(line + 3, &next, 10);
  for (size_t i = 0; i < ARRAY_LENGTH(columns); i++)
    columns[i] = ticks_to_milliseconds(strtoull(next, &next, 10));
  *times = (struct uv_cpu_times_s){.user = columns[0],
                                   .nice = columns[1],
                                   .sys = columns[2],
                                   .idle = columns[3],
                                   .irq = columns[5]};
}

static int read_times(struct cpus* cpus) {
  char* text;
  ssize_t length = system_read_whole_file("/proc/stat", &text);
  if (length < 0)
    return (int) length;

  size_t count = 0;
  for (const char* line = text; line != NULL; line = next_line(line))
    count += is_cpu_line(line);
  cpus->infos = mem_calloc(count, sizeof(cpus->infos[0]));
  cpus->numbers = mem_calloc(count, sizeof(cpus->numbers[0]));
  if (cpus->infos == NULL || cpus->numbers == NULL) {
    mem_free(text);
    return UV_ENOMEM;
  }
  for (const char* line = text; line != NULL; line = next_line(line)) {
    if (is_cpu_line(line)) {
      int i = cpus->count++;
      parse_times(line, &cpus->numbers[i], &cpus->infos[i].cpu_times);
    }
  }
  mem_free(text);
  return 0;
}

static uv_cpu_info_t* find_cpu(struct cpus* cpus, unsigned number) {
  for (int i = 0; i < cpus->count; i++)
    if (cpus->numbers[i] == number)
      return &cpus->infos[i];
  return NULL;
}

/* "key	: value": the value, where the line has this key. */
static const char* value_of(const char* line, const char* key) {
  if (!starts_with(line, key))
    return NULL;
  line += strlen(key);
  line += strspn(line, "\t ");
  if (*line != ':')
    return NULL;
  line++;
  return line + strspn(line, " ");
}

/* Reads the models' names and, where the kernel gives it here, the current speed. */
static int read_models(struct cpus* cpus) {
  char* text;
  uv_cpu_info_t* cpu = NULL;
  int err = 0;

  if (system_read_whole_file("/proc/cpuinfo", &text) < 0)
    return 0;
  for (const char* line = text; line != NULL; line = next_line(line)) {
    const char* value;
    if ((value = value_of(line, "processor")) != NULL) {
      cpu = find_cpu(cpus, (unsigned) strtoul(value, NULL, 10));
    } else if (cpu == NULL) {
      continue;
    } else if ((value = value_of(line, "model name")) != NULL && cpu->model == NULL) {
      cpu->model = mem_strndup(value, strcspn(value, "\n"));
      if (cpu->model == NULL) {
        err = UV_ENOMEM;
        break;
      }
    } else if ((value = value_of(line, "cpu MHz")) != NULL) {
      cpu->speed = (int) strtol(value, NULL, 10);
    }
  }
  mem_free(text);
  return err;
}

/* The speed from frequency scaling, in kHz, is more exact than /proc/cpuinfo. */
static void read_speed(unsigned number, uv_cpu_info_t* cpu) {
  char path[128];
  char text[32];
  snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq",
           number);
  if (system_read_file(path, text, sizeof(text)) > 0)
    cpu->speed = (int) (strtol(text, NULL, 10) / 1000);
}

static int read_cpus(struct cpus* cpus) {
  int err = read_times(cpus);
  if (err == 0)
    err = read_models(cpus);
  for (int i = 0; err == 0 && i < cpus->count; i++) {
    read_speed(cpus->numbers[i], &cpus->infos[i]);
    if (cpus->infos[i].model == NULL) {
      cpus->infos[i].model = mem_strdup("unknown");
      err = cpus->infos[i].model == NULL ? UV_ENOMEM : 0;
    }
  }
  return err;
}

int uv_cpu_info(uv_cpu_info_t** cpu_infos, int* count) {
  struct cpus cpus = {0};

  *cpu_infos = NULL;
  *count = 0;
  int err = read_cpus(&cpus);
  mem_free(cpus.numbers);
  if (err != 0) {
    uv_free_cpu_info(cpus.infos, cpus.count);
    return err;
  }
  *cpu_infos = cpus.infos;
  *count = cpus.count;
  return 0;
}

void uv_free_cpu_info(uv_cpu_info_t* cpu_infos, int count) {
  for (int i = 0; i < count; i++)
    mem_free(cpu_infos[i].model);
  mem_free(cpu_infos);
}

/* How many processors the calling thread may run on. */
static unsigned processors_allowed(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return (unsigned) CPU_COUNT(&set);
  /* The machine has more processors than the set has room for. */
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (unsigned) online : 1;
}

unsigned int uv_available_parallelism(void) {
  unsigned count = processors_allowed();
  double quota = group_processors("");

  /* A quota of two and a half processors keeps three threads busy. */
  if (quota > 0 && quota < count) {
    unsigned whole = (unsigned) quota;
    count = quota > whole ? whole + 1 : whole;
  }
  return count > 0 ? count : 1;
}

/* 0: not asked yet. Without a quota until a thread of the pool has read the files. */
static _Atomic unsigned int processors_known;
static _Atomic bool processors_learnt;

unsigned int system_processors(void) {
  unsigned int known = atomic_load_explicit(&processors_known, memory_order_relaxed);
  if (known > 0)
    return known;
  unsigned int allowed = processors_allowed();
  assert(allowed > 0);
  if (atomic_compare_exchange_strong(&processors_known, &known, allowed))
    known = allowed;
  return known;
}

void system_processors_learn(void) {
  if (!atomic_load_explicit(&processors_learnt, memory_order_relaxed) &&
      !atomic_exchange(&processors_learnt, true))
    atomic_store_explicit(&processors_known, uv_available_parallelism(),
                          memory_order_relaxed);
}

void system_pretend_one_processor(bool pretend) {
  atomic_store(&processors_learnt, pretend);
  atomic_store_explicit(&processors_known, pretend ? 1 : 0, memory_order_relaxed);
}

void uv_loadavg(double avg[3]) {
  char text[128];
  double loads[3];
  const char* position = text;

  /* /proc/loadavg first: container managers put the container's own load there. */
  if (system_read_file("/proc/loadavg", text, sizeof(text)) > 0 &&
      string_decimal(&position, &loads[0]) && string_decimal(&position, &loads[1]) &&
      string_decimal(&position, &loads[2])) {
    memcpy(avg, loads, sizeof(loads));
    return;
  }
  if (getloadavg(avg, 3) != 3)
    memset(avg, 0, sizeof(loads));
}
