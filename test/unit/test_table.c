/* The intrusive hash table: finding among equal hashes, growing, taking out, emptying. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/base.h"
#include "base/table.h"

struct thing {
  struct table_link link;
  int key;
};

static struct thing things[1000];

/* Few hashes for many keys, so that walking them is tested too. */
static uint64_t hash(int key) {
  return hash_number((uint64_t) key / 4);
}

static struct thing* find(const struct table* table, int key) {
  struct table_link* link = table_find(table, hash(key));
  while (link != NULL) {
    struct thing* thing = rondo_container_of(link, struct thing, link);
    if (thing->key == key)
      return thing;
    link = table_next(link);
  }
  return NULL;
}

static void what_is_in_is_found(void** state) {
  (void) state;
  struct table table = {0};
  assert_null(find(&table, 0));
  assert_null(table_any(&table));
  for (int i = 0; i < 1000; i++) {
    things[i].key = i;
    assert_int_equal(table_reserve(&table), 0);
    table_insert(&table, &things[i].link, hash(i));
  }
  assert_int_equal(table.count, 1000);
  assert_true(table.size >= 1000);
  for (int i = 0; i < 1000; i++)
    assert_ptr_equal(find(&table, i), &things[i]);
  assert_null(find(&table, 1000));
  for (int i = 0; i < 1000; i += 2)
    table_remove(&table, &things[i].link);
  for (int i = 0; i < 1000; i++)
    assert_ptr_equal(find(&table, i), i % 2 == 0 ? NULL : &things[i]);
  for (struct table_link* link; (link = table_any(&table)) != NULL;)
    table_remove(&table, link);
  assert_int_equal(table.count, 0);
  table_free(&table);
  assert_null(find(&table, 1));
}

static void strings_hash_by_their_bytes_and_seed(void** state) {
  (void) state;
  assert_true(hash_string(1, "name") == hash_string(1, "name"));
  assert_true(hash_string(1, "name") != hash_string(2, "name"));
  assert_true(hash_string(1, "name") != hash_string(1, "nama"));
  assert_true(hash_string(1, "\xff") != hash_string(1, ""));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_in_is_found),
      cmocka_unit_test(strings_hash_by_their_bytes_and_seed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
