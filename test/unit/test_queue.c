/* The intrusive queue: order, removal, moving, and the promise that a batch
 * which was moved away can be walked while its links come and go. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/queue.h"

struct thing {
  int number;
  void* words[2];
};

static int number_of(struct queue* link) {
  return rondo_container_of(link, struct thing, words)->number;
}

static void fill(struct queue* queue, struct thing* things, int count) {
  queue_init(queue);
  for (int i = 0; i < count; i++) {
    things[i].number = i;
    queue_push_back(queue, queue_of(things[i].words));
  }
}

static void expect(struct queue* queue, const int* numbers, size_t count) {
  size_t i = 0;
  for (struct queue* link = queue_first(queue); link != NULL;
       link = queue_next(queue, link)) {
    assert_true(i < count);
    assert_int_equal(number_of(link), numbers[i++]);
  }
  assert_int_equal(i, count);
}

#define EXPECT(queue, ...)                                                               \
  expect(queue, (const int[]){__VA_ARGS__},                                              \
         sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

static void an_empty_queue_has_no_ends(void** state) {
  (void) state;
  struct queue queue;
  queue_init(&queue);
  assert_true(queue_empty(&queue));
  assert_null(queue_first(&queue));
  assert_null(queue_last(&queue));
}

static void links_keep_the_order_they_were_pushed_in(void** state) {
  (void) state;
  struct queue queue;
  struct thing things[3];
  struct thing first = {.number = 9};

  fill(&queue, things, 3);
  EXPECT(&queue, 0, 1, 2);
  queue_push_front(&queue, queue_of(first.words));
  EXPECT(&queue, 9, 0, 1, 2);
  assert_int_equal(number_of(queue_first(&queue)), 9);
  assert_int_equal(number_of(queue_last(&queue)), 2);
}

static void a_removed_link_can_be_removed_again(void** state) {
  (void) state;
  struct queue queue;
  struct thing things[3];

  fill(&queue, things, 3);
  queue_remove(queue_of(things[1].words));
  EXPECT(&queue, 0, 2);
  assert_true(queue_empty(queue_of(things[1].words)));
  queue_remove(queue_of(things[1].words));
  EXPECT(&queue, 0, 2);

  queue_remove(queue_of(things[0].words));
  queue_remove(queue_of(things[2].words));
  assert_true(queue_empty(&queue));
}

static void moving_takes_all_and_leaves_nothing(void** state) {
  (void) state;
  struct queue queue;
  struct queue batch;
  struct thing things[3];

  fill(&queue, things, 3);
  queue_move(&queue, &batch);
  assert_true(queue_empty(&queue));
  EXPECT(&batch, 0, 1, 2);

  queue_move(&queue, &batch);
  assert_true(queue_empty(&batch));
}

static void appending_keeps_both_orders(void** state) {
  (void) state;
  struct queue one;
  struct queue two;
  struct thing a[2];
  struct thing b[2];

  fill(&one, a, 2);
  fill(&two, b, 2);
  b[0].number = 2;
  b[1].number = 3;
  queue_append(&one, &two);
  EXPECT(&one, 0, 1, 2, 3);
  assert_true(queue_empty(&two));
  queue_append(&one, &two);
  EXPECT(&one, 0, 1, 2, 3);
}

static void a_batch_may_change_while_it_is_run(void** state) {
  (void) state;
  struct queue queue;
  struct queue batch;
  struct thing things[4];
  int run[4];
  int count = 0;

  fill(&queue, things, 4);
  queue_move(&queue, &batch);
  while (!queue_empty(&batch)) {
    struct queue* link = queue_first(&batch);
    queue_remove(link);
    run[count++] = number_of(link);
    if (number_of(link) == 0) {
      queue_remove(queue_of(things[1].words));
      queue_push_back(&queue, link);
    }
  }
  assert_int_equal(count, 3);
  assert_int_equal(run[1], 2);
  assert_int_equal(run[2], 3);
  EXPECT(&queue, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_empty_queue_has_no_ends),
      cmocka_unit_test(links_keep_the_order_they_were_pushed_in),
      cmocka_unit_test(a_removed_link_can_be_removed_again),
      cmocka_unit_test(moving_takes_all_and_leaves_nothing),
      cmocka_unit_test(appending_keeps_both_orders),
      cmocka_unit_test(a_batch_may_change_while_it_is_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
