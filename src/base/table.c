/* An intrusive hash table: see table.h. */
#include "base/table.h"

#include "base/alloc.h"
#include "base/base.h"
#include "uv.h"

enum { TABLE_FIRST_SIZE = 16 };

static struct table_link** table_bucket(const struct table* table, uint64_t hash) {
  return &table->buckets[hash & (table->size - 1)];
}

static void table_push(struct table* table, struct table_link* link) {
  struct table_link** head = table_bucket(table, link->hash);
  link->next = *head;
  *head = link;
}

int table_reserve(struct table* table) {
  if (table->count < table->size)
    return 0;
  struct table grown = {.size = table->size == 0 ? TABLE_FIRST_SIZE : table->size * 2,
                        .count = table->count};
  grown.buckets = mem_calloc(grown.size, sizeof(struct table_link*));
  if (grown.buckets == NULL)
    return table->size == 0 ? UV_ENOMEM : 0;
  for (size_t i = 0; i < table->size; i++) {
    while (table->buckets[i] != NULL) {
      struct table_link* link = table->buckets[i];
      table->buckets[i] = link->next;
      table_push(&grown, link);
    }
  }
  mem_free(table->buckets);
  *table = grown;
  return 0;
}

void table_insert(struct table* table, struct table_link* link, uint64_t hash) {
  assert(table->size > 0);
  link->hash = hash;
  table_push(table, link);
  table->count++;
}

void table_remove(struct table* table, struct table_link* link) {
  struct table_link** place = table_bucket(table, link->hash);
  while (*place != link) {
    assert(*place != NULL);
    place = &(*place)->next;
  }
  *place = link->next;
  table->count--;
}

static struct table_link* with_hash(struct table_link* link, uint64_t hash) {
  while (link != NULL && link->hash != hash)
    link = link->next;
  return link;
}

struct table_link* table_find(const struct table* table, uint64_t hash) {
  return table->size == 0 ? NULL : with_hash(*table_bucket(table, hash), hash);
}

struct table_link* table_next(const struct table_link* link) {
  return with_hash(link->next, link->hash);
}

struct table_link* table_any(const struct table* table) {
  for (size_t i = 0; table->count > 0 && i < table->size; i++)
    if (table->buckets[i] != NULL)
      return table->buckets[i];
  return NULL;
}

void table_free(struct table* table) {
  assert(table->count == 0);
  mem_free(table->buckets);
  *table = (struct table){0};
}

/* FNV-1a, then spread: names are short. */
uint64_t hash_string(uint64_t seed, const char* string) {
  uint64_t hash = seed ^ 0xcbf29ce484222325u;
  for (; *string != '\0'; string++)
    hash = (hash ^ (unsigned char) *string) * 0x100000001b3u;
  return hash_number(hash);
}
