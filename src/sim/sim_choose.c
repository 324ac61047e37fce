/* How a decision is made, and where it is written down: see sim_choose.h.
 *
 * Runs differ in more than their decisions: the seed also says how much is perturbed at
 * all, which kinds are, and how long delays may get. A mix of all at once would hide the
 * bugs that need one kind alone. */
#include "sim/sim_choose.h"

#include "base/alloc.h"
#include "base/base.h"
#include "base/table.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MILLION = 1000000, KEY_SIZE = 128, LONG_OF = 64 };

struct sim_chooser {
  struct world* world;
  uint64_t path_hash;
  char path[WORLD_PATH];
  unsigned int rate[SIM_KINDS]; /* in millionths, for a source's first decisions */
  uint64_t delay_most;          /* of a long one */
  unsigned int long_ones;       /* of LONG_OF delays */
  bool some_sources;            /* only some sources are perturbed */
  int log;
  uint64_t schedule; /* a hash of everything logged */
  uint64_t* allowed; /* hashes of keys, sorted */
  size_t allowed_count;
};

static const char* const kind_names[SIM_KINDS] = {
    [SIM_WORK] = "work",       [SIM_READY] = "ready",   [SIM_TIMER] = "timer",
    [SIM_ASYNC] = "async",     [SIM_SIGNAL] = "signal", [SIM_CHILD] = "child",
    [SIM_READ] = "read",       [SIM_WRITE] = "write",   [SIM_FAULT] = "fault",
    [SIM_COMPUTE] = "compute", [SIM_EXPIRE] = "expire",
};

uint64_t sim_mix(uint64_t word) {
  return hash_number(word + UINT64_C(0x9e3779b97f4a7c15));
}

uint64_t sim_hash(uint64_t start, const char* text) {
  for (; *text != '\0'; text++)
    start = (start ^ (unsigned char) *text) * UINT64_C(0x100000001b3);
  return sim_mix(start);
}

/* --- the run's temper --------------------------------------------------------------- */

/* A race shows when one operation takes longer than the author expected others to take.
 * In most runs any source may be late; in some runs a few sources are late nearly always
 * and the others never, because delays on all sides cancel each other out. All delays of
 * a run fit into an allowance (world_late.c): the fewer of them are long, the further
 * into the run they reach. */
static void temper_set(struct sim_chooser* chooser) {
  static const unsigned int rates[] = {500000, 600000, 700000, 800000};
  static const unsigned int long_ones[] = {LONG_OF, LONG_OF, LONG_OF, LONG_OF / 8};
  static const uint64_t longest_ms[] = {400, 800, 1200, 1600};
  const struct world* world = chooser->world;
  uint64_t seed = world->seed;
  unsigned int rate = rates[sim_mix(seed ^ 1) % ARRAY_LENGTH(rates)];
  chooser->delay_most =
      longest_ms[sim_mix(seed ^ 2) % ARRAY_LENGTH(longest_ms)] * 1000000;
  chooser->some_sources = sim_mix(seed ^ 3) % 16 == 0;
  chooser->long_ones = long_ones[sim_mix(seed ^ 4) % ARRAY_LENGTH(long_ones)];
  for (unsigned int kind = 0; kind < SIM_KINDS; kind++)
    chooser->rate[kind] = sim_mix(seed ^ (0x100 + kind)) % 32 == 0 ? 0 : rate;
  /* Late timers and cut transfers are rarer in every run. */
  chooser->rate[SIM_TIMER] /= 3;
  chooser->rate[SIM_READ] /= 4;
  chooser->rate[SIM_WRITE] /= 4;
  chooser->rate[SIM_FAULT] = world->flags & WORLD_FAULTS ? world->fault_rate : 0;
  chooser->rate[SIM_EXPIRE] = world->flags & WORLD_EXPIRE ? MILLION / 8 : 0;
  if (world->flags & (WORLD_TIME_ONLY | WORLD_CHOICES))
    memset(chooser->rate, 0, sizeof(chooser->rate));
}

bool chooser_is_long(const struct sim_chooser* chooser, uint64_t number) {
  return sim_mix(number ^ 4) % LONG_OF < chooser->long_ones;
}

/* One of five ranges, each twice as long as the one before, then any length within it. */
uint64_t chooser_within(uint64_t number, uint64_t most) {
  uint64_t base = most >> (1 + number % 5);
  return base == 0 ? 1 : base + (number >> 16) % base;
}

uint64_t chooser_long(const struct sim_chooser* chooser, uint64_t number) {
  return chooser_within(number, chooser->delay_most);
}

uint64_t chooser_short(uint64_t number) {
  const uint64_t most = 4 * 1000 * 1000;
  return chooser_within(number, most);
}

uint64_t chooser_delay(const struct sim_chooser* chooser, uint64_t number) {
  return chooser_is_long(chooser, number) ? chooser_long(chooser, number)
                                          : chooser_short(number);
}

/* --- which decisions are allowed ---------------------------------------------------- */

static int by_hash(const void* one, const void* other) {
  uint64_t a = *(const uint64_t*) one, b = *(const uint64_t*) other;
  return a < b ? -1 : a > b;
}

static void allowed_read(struct sim_chooser* chooser) {
  char path[WORLD_FOLDER + 16];
  char line[KEY_SIZE];
  if (!(chooser->world->flags & WORLD_ALLOW))
    return;
  snprintf(path, sizeof(path), "%s/allow", chooser->world->folder);
  FILE* file = fopen(path, "re");
  if (file == NULL)
    return;
  while (fgets(line, sizeof(line), file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    uint64_t* grown =
        mem_realloc_array(chooser->allowed, chooser->allowed_count + 1, sizeof(*grown));
    if (grown == NULL)
      break;
    chooser->allowed = grown;
    chooser->allowed[chooser->allowed_count++] = sim_hash(0, line);
  }
  fclose(file);
  if (chooser->allowed_count > 0)
    qsort(chooser->allowed, chooser->allowed_count, sizeof(*chooser->allowed), by_hash);
}

/* The beginning of a line of the log. */
static void key_of(const struct sim_chooser* chooser, const struct sim_question* question,
                   char* key) {
  snprintf(key, KEY_SIZE, "%s/%u/%s/%016" PRIx64 "/%" PRIu64, chooser->path,
           question->loop, kind_names[question->kind], question->source, question->nth);
}

static bool is_allowed(const struct sim_chooser* chooser,
                       const struct sim_question* question) {
  char key[KEY_SIZE];
  if (!(chooser->world->flags & WORLD_ALLOW))
    return true;
  key_of(chooser, question, key);
  uint64_t hash = sim_hash(0, key);
  return chooser->allowed_count > 0 &&
         bsearch(&hash, chooser->allowed, chooser->allowed_count,
                 sizeof(*chooser->allowed), by_hash) != NULL;
}

/* --- deciding ----------------------------------------------------------------------- */

/* Whether an option gives the rate. */
static bool has_own_rate(enum sim_kind kind) {
  return kind == SIM_FAULT || kind == SIM_EXPIRE;
}

/* The more decisions a source has had, the more rarely it is perturbed: a program with a
 * few operations gets its share, and one with thousands isn't flooded with delays. */
static unsigned int rate_of(const struct sim_chooser* chooser,
                            const struct sim_question* question) {
  const uint64_t many = 48;
  uint64_t rate = chooser->rate[question->kind];
  if (chooser->some_sources && !has_own_rate(question->kind))
    return sim_mix(chooser->world->seed ^ question->source) % 8 == 0 ? 9 * MILLION / 10
                                                                     : 0;
  uint64_t least = rate / 16;
  uint64_t fading =
      has_own_rate(question->kind) ? rate : rate * many / (many + question->nth);
  return (unsigned int) (fading > least ? fading : least);
}

bool chooser_decides(struct sim_chooser* chooser, const struct sim_question* question,
                     uint64_t* number) {
  __atomic_add_fetch(&chooser->world->decisions, 1, __ATOMIC_RELAXED);
  if (chooser->rate[question->kind] == 0)
    return false;
  uint64_t word = sim_mix(chooser->world->seed ^ chooser->path_hash);
  word = sim_mix(word ^ question->loop ^ (uint64_t) question->kind << 32);
  word = sim_mix(word ^ question->source);
  word = sim_mix(word ^ question->nth);
  *number = sim_mix(word);
  return word % MILLION < rate_of(chooser, question) && is_allowed(chooser, question);
}

void chooser_log(struct sim_chooser* chooser, const struct sim_question* question,
                 uint64_t value, const char* words) {
  char key[KEY_SIZE];
  char line[KEY_SIZE + 640];
  __atomic_add_fetch(&chooser->world->perturbed, 1, __ATOMIC_RELAXED);
  key_of(chooser, question, key);
  uint64_t hash = sim_mix(sim_hash(0, key) ^ value ^ sim_mix(world_now(chooser->world)));
  __atomic_add_fetch(&chooser->schedule, hash, __ATOMIC_RELAXED);
  if (chooser->log < 0)
    return;
  int length = snprintf(line, sizeof(line), "%s\t%" PRIu64 "\t%" PRIu64 "\t%.500s\n", key,
                        world_now(chooser->world) - chooser->world->start, value, words);
  if (length > 0 && write(chooser->log, line, (size_t) length) < 0) {
    close(chooser->log);
    chooser->log = -1;
  }
}

uint64_t chooser_schedule(const struct sim_chooser* chooser) {
  return __atomic_load_n(&chooser->schedule, __ATOMIC_RELAXED);
}

/* --- life --------------------------------------------------------------------------- */

static void log_open(struct sim_chooser* chooser) {
  char path[WORLD_FOLDER + WORLD_PATH + 32];
  world_own_path(chooser->world, chooser->path);
  chooser->path_hash = sim_hash(0, chooser->path);
  chooser->log = -1;
  if (chooser->world->folder[0] == '\0')
    return;
  snprintf(path, sizeof(path), "%s/decisions.%s", chooser->world->folder, chooser->path);
  int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  chooser->log = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 400);
  if (chooser->log >= 0)
    close(fd);
  else
    chooser->log = fd;
}

struct sim_chooser* chooser_make(struct world* world) {
  struct sim_chooser* chooser = mem_calloc(1, sizeof(*chooser));
  if (chooser == NULL)
    return NULL;
  chooser->world = world;
  temper_set(chooser);
  allowed_read(chooser);
  log_open(chooser);
  return chooser;
}

void chooser_forked(struct sim_chooser* chooser) {
  if (chooser->log >= 0)
    close(chooser->log);
  log_open(chooser);
}

void chooser_free(struct sim_chooser* chooser) {
  if (chooser->log >= 0)
    close(chooser->log);
  mem_free(chooser->allowed);
  mem_free(chooser);
}
