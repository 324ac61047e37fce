/* Judging schedules by the words of their choices: see sim_rank.h. */
#include "sim_rank.h"

#include <stdlib.h>
#include <string.h>

/* Found by trial with the known races of test/sim/races. */
enum {
  COST_CHOICE = 100,
  COST_MEETS = 90,
  COST_TIMER = 70, /* all that could come is slower than the next timer */
  COST_LATE = 40,
  COST_LATE_TIMER = 20,
  COST_LATE_MEETS = 15,
  COST_AGAIN = 35,
  COST_AGAIN_TIMER = 25
};

static const char later[] = " is done, and reported later";

static uint64_t hash_bytes(uint64_t hash, const char* text, size_t length) {
  for (size_t i = 0; i < length; i++)
    hash = (hash ^ (unsigned char) text[i]) * UINT64_C(0x100000001b3);
  return (hash ^ hash >> 29) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Without what follows the thing itself. */
static size_t thing_length(const char* words) {
  const char* end = strstr(words, later);
  return end == NULL ? strlen(words) : (size_t) (end - words);
}

static uint64_t hash_thing(const char* words) {
  return hash_bytes(1, words, thing_length(words));
}

/* Alternatives that are neither work nor a descriptor nor a send. */
static bool is_thing(const char* words) {
  static const char* const others[] = {"the loop's next timer", "what other threads",
                                       "the rest of the turn"};
  for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
    if (strncmp(words, others[i], strlen(others[i])) == 0)
      return false;
  }
  return strstr(words, later) == NULL;
}

/* --- paths -------------------------------------------------------------------------- */

struct rank_path {
  const char* at;
  size_t length;
};

static struct rank_path path_of(const char* words) {
  const char* at = strchr(words, '\'');
  const char* end = at == NULL ? NULL : strchr(at + 1, '\'');
  if (end == NULL)
    return (struct rank_path){0};
  return (struct rank_path){at + 1, (size_t) (end - at - 1)};
}

static bool is_within(struct rank_path path, struct rank_path folder) {
  return folder.length > 0 && path.length >= folder.length &&
         memcmp(path.at, folder.at, folder.length) == 0 &&
         (path.length == folder.length || path.at[folder.length] == '/');
}

static bool changes_files(const char* words) {
  static const char* const readers[] = {"stat",   "lstat",    "fstat",
                                        "read ",  "readlink", "scandir",
                                        "access", "realpath", "close"};
  for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
    if (strncmp(words, readers[i], strlen(readers[i])) == 0)
      return false;
  }
  return true;
}

static bool does_meet(const char* one, const char* other) {
  struct rank_path a = path_of(one), b = path_of(other);
  return (is_within(a, b) || is_within(b, a)) &&
         (changes_files(one) || changes_files(other));
}

/* --- keys --------------------------------------------------------------------------- */

/* But for paths and numbers: operations of one kind are alike. Lengths of time are kept.
 */
static uint64_t hash_kind(uint64_t hash, const char* words) {
  bool is_time = strstr(words, " ms") != NULL;
  for (const char* at = words; *at != '\0';) {
    const char* end = *at == '\'' ? strchr(at + 1, '\'') : NULL;
    size_t digits = is_time ? 0 : strspn(at, "0123456789");
    if (end != NULL || digits > 0) {
      hash = hash_bytes(hash, "#", 1);
      at = end != NULL ? end + 1 : at + digits;
    } else
      hash = hash_bytes(hash, at++, 1);
  }
  return hash;
}

static bool table_reserve(struct sim_rank_table* table) {
  if (table->count * 2 < table->capacity)
    return true;
  size_t capacity = table->capacity == 0 ? 1024 : table->capacity * 2;
  struct sim_rank_place* grown = calloc(capacity, sizeof(*grown));
  if (grown == NULL)
    return false;
  for (size_t i = 0; i < table->capacity; i++) {
    size_t at = (size_t) table->places[i].key & (capacity - 1);
    while (grown[at].count != 0)
      at = (at + 1) & (capacity - 1);
    if (table->places[i].count != 0)
      grown[at] = table->places[i];
  }
  free(table->places);
  table->places = grown;
  table->capacity = capacity;
  return true;
}

/* How often the key was met before. */
static uint32_t table_count(struct sim_rank_table* table, uint64_t key) {
  if (!table_reserve(table))
    return 0;
  size_t at = (size_t) key & (table->capacity - 1);
  while (table->places[at].count != 0 && table->places[at].key != key)
    at = (at + 1) & (table->capacity - 1);
  table->count += table->places[at].count == 0;
  table->places[at].key = key;
  return table->places[at].count++;
}

void rank_table_free(struct sim_rank_table* table) {
  free(table->places);
  *table = (struct sim_rank_table){0};
}

/* --- ranks -------------------------------------------------------------------------- */

static bool is_late(const struct sim_rank* rank, const char* words) {
  uint64_t hash = hash_thing(words);
  for (uint32_t i = 0; i < rank->late_count; i++) {
    if (rank->late[i] == hash)
      return true;
  }
  return false;
}

static void late_add(struct sim_rank* rank, const char* words) {
  if (is_late(rank, words))
    return;
  if (rank->late_count == RANK_LATE_MOST) { /* the oldest goes */
    memmove(rank->late, rank->late + 1, sizeof(rank->late) - sizeof(rank->late[0]));
    rank->late_count--;
  }
  rank->late[rank->late_count++] = hash_thing(words);
}

/* Whether the alternative takes what was late, or leaves late what was, and no more. */
static bool is_about_late(const struct sim_rank* parent, const struct sim_point* point,
                          uint32_t taken) {
  bool has = false;
  if (parent->late_count == 0)
    return false;
  if (is_thing(point->words[taken]))
    return is_late(parent, point->words[taken]);
  for (uint32_t i = 0; i < taken; i++) {
    if (!is_thing(point->words[i]))
      continue;
    has = true;
    if (!is_late(parent, point->words[i]))
      return false;
  }
  return has;
}

static bool is_timer(const char* words) {
  static const char timer[] = "the loop's next timer";
  return strncmp(words, timer, sizeof(timer) - 1) == 0;
}

static uint64_t choice_cost(bool late, bool meets, bool timer) {
  if (late)
    return meets ? COST_LATE_MEETS : timer ? COST_LATE_TIMER : COST_LATE;
  return timer ? COST_TIMER : meets ? COST_MEETS : COST_CHOICE;
}

struct sim_rank rank_of(struct sim_rank_table* table, const struct sim_rank* parent,
                        const struct sim_point* point, uint32_t taken) {
  struct sim_rank rank = *parent;
  const char* words = point->words[taken];
  bool meets = strstr(words, later) != NULL;
  for (uint32_t i = 0; i < taken && !meets; i++)
    meets =
        is_thing(words) && is_thing(point->words[i]) && does_meet(words, point->words[i]);
  bool late = is_about_late(parent, point, taken);
  rank.key =
      hash_kind(hash_kind(hash_kind(parent->key, point->kind), point->words[0]), words) +
      meets + 2 * (uint64_t) late;
  rank.cost = parent->cost + choice_cost(late, meets, is_timer(words)) +
              (uint64_t) (is_timer(words) ? COST_AGAIN_TIMER : COST_AGAIN) *
                  table_count(table, rank.key);
  if (strstr(words, later) != NULL)
    late_add(&rank, words);
  for (uint32_t i = 0; i < taken && strcmp(point->kind, "next") == 0; i++) {
    if (is_thing(point->words[i]))
      late_add(&rank, point->words[i]);
  }
  return rank;
}
