/* An intrusive hash table: the links are part of the things that are kept, so
 * taking something out never fails and only growing allocates.
 *
 * The table knows hashes, not keys. To find something, walk what table_find()
 * and table_next() give for the key's hash and compare the keys. A table of
 * zeroes is an empty one. */
#ifndef RONDO_BASE_TABLE_H
#define RONDO_BASE_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct table_link {
  struct table_link* next;
  uint64_t hash;
};

struct table {
  struct table_link** buckets;
  size_t size; /* a power of two, or 0 */
  size_t count;
};

/* Makes room for one more. UV_ENOMEM only if there is no table yet: a crowded table is
 * slow but still correct. */
int table_reserve(struct table* table);

/* Precondition: a table_reserve() that succeeded. */
void table_insert(struct table* table, struct table_link* link, uint64_t hash);
void table_remove(struct table* table, struct table_link* link);

struct table_link* table_find(const struct table* table, uint64_t hash);
struct table_link* table_next(const struct table_link* link);

/* Any link of the table, NULL in an empty one. */
struct table_link* table_any(const struct table* table);

/* Frees the buckets; the table must be empty, and can be used again. */
void table_free(struct table* table);

/* Spreads the bits of a number, such as a pointer or a small counter: the finalizer of
 * splitmix64 (public domain). Every bit of the number reaches every bit of the hash. */
static inline uint64_t hash_number(uint64_t number) {
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
  return number ^ (number >> 31);
}
/* Continues from `seed`, so that keys of several parts can be hashed. */
uint64_t hash_string(uint64_t seed, const char* string);

#endif
