/* Walking the tree of choices: see sim_tree.h.
 *
 * A node is a list of choices; its run takes the first alternative behind the last of
 * them. So the children of a run are, for each point behind that, each of the other
 * alternatives; and each list is tried once. */
#include "sim_tree.h"

#include <stdlib.h>
#include <string.h>

/* On a busy machine even the kernel may be late, with a datagram for example: a run that
 * differs is tried again, so often. */
enum { NODES_MOST = 2000000, TRIES_MOST = 3 };

struct sim_node {
  unsigned int tries;
  struct sim_rank rank;
  uint64_t
      expected; /* hash of the points up to the last choice, as its parent had them */
  size_t count;
  struct world_choice choices[];
};

/* But for long numbers, such as a port that the kernel chose. */
static uint64_t hash_text(uint64_t hash, const char* text) {
  const size_t is_long = 4;
  while (*text != '\0') {
    size_t digits = strspn(text, "0123456789");
    unsigned char byte = digits >= is_long ? '#' : (unsigned char) *text;
    hash = (hash ^ byte) * UINT64_C(0x100000001b3);
    text += digits >= is_long ? digits : 1;
  }
  return hash * 31;
}

static uint64_t hash_point(uint64_t hash, const struct sim_point* point) {
  hash = hash_text(hash, point->place) + point->count;
  for (uint32_t i = 0; i < point->count; i++)
    hash = hash_text(hash, point->words[i]);
  return hash;
}

/* --- which is next ------------------------------------------------------------------ */

/* Of two of one cost that was found first comes first. */
static bool is_before(const struct sim_tree* tree, size_t one, size_t other) {
  uint64_t a = tree->nodes[one]->rank.cost, b = tree->nodes[other]->rank.cost;
  return a != b ? a < b : one < other;
}

static void heap_push(struct sim_tree* tree, size_t node) {
  size_t at = tree->waiting++;
  for (; at > 0 && is_before(tree, node, tree->heap[(at - 1) / 2]); at = (at - 1) / 2)
    tree->heap[at] = tree->heap[(at - 1) / 2];
  tree->heap[at] = node;
}

static size_t heap_pop(struct sim_tree* tree) {
  size_t first = tree->heap[0], last = tree->heap[--tree->waiting], at = 0;
  for (;;) {
    size_t child = 2 * at + 1;
    if (child + 1 < tree->waiting &&
        is_before(tree, tree->heap[child + 1], tree->heap[child]))
      child++;
    if (child >= tree->waiting || !is_before(tree, tree->heap[child], last))
      break;
    tree->heap[at] = tree->heap[child];
    at = child;
  }
  tree->heap[at] = last;
  return first;
}

/* --- schedules ---------------------------------------------------------------------- */

/* Room for one more, in both lists: they grow at powers of two. */
static bool tree_reserve(struct sim_tree* tree) {
  if (tree->nodes != NULL && (tree->count & (tree->count + 1)) != 0)
    return true;
  size_t capacity = 2 * (tree->count + 1);
  struct sim_node** nodes = realloc(tree->nodes, capacity * sizeof(struct sim_node*));
  if (nodes != NULL)
    tree->nodes = nodes;
  size_t* heap = realloc(tree->heap, capacity * sizeof(*heap));
  if (heap != NULL)
    tree->heap = heap;
  return nodes != NULL && heap != NULL;
}

static void tree_add(struct sim_tree* tree, const struct sim_node* parent,
                     struct world_choice choice, uint64_t expected,
                     const struct sim_rank* rank) {
  size_t count = parent == NULL ? 0 : parent->count + 1;
  struct sim_node* node = NULL;
  if (tree->count < NODES_MOST && count <= WORLD_TAKEN && tree_reserve(tree))
    node = malloc(sizeof(*node) + count * sizeof(node->choices[0]));
  if (node == NULL) {
    tree->is_broken = true;
    return;
  }
  node->tries = 1;
  node->expected = expected;
  node->count = count;
  memset(&node->rank, 0, sizeof(node->rank));
  if (rank != NULL)
    node->rank = *rank;
  if (parent != NULL) {
    memcpy(node->choices, parent->choices, parent->count * sizeof(choice));
    node->choices[count - 1] = choice;
  }
  tree->nodes[tree->count] = node;
  heap_push(tree, tree->count++);
}

bool tree_begin(struct sim_tree* tree, unsigned int shard, unsigned int shards) {
  *tree = (struct sim_tree){.shard = shard, .shards = shards};
  tree_add(tree, NULL, (struct world_choice){0}, 0, NULL);
  return !tree->is_broken;
}

void tree_take(struct sim_tree* tree, struct sim_run* run) {
  run->node = heap_pop(tree);
  const struct sim_node* node = tree->nodes[run->node];
  run->is_systematic = true;
  run->choices = node->choices;
  run->choice_count = node->count;
  tree->under_way++;
}

/* Each part of a search tries the run without choices, and of the others those whose
 * first choice is its own. */
static bool is_ours(const struct sim_tree* tree, const struct sim_node* parent,
                    struct world_choice choice) {
  if (tree->shards < 2 || parent->count > 0)
    return true;
  uint64_t hash = ((uint64_t) choice.point * 64 + choice.alternative + 1) *
                  UINT64_C(0x9e3779b97f4a7c15);
  return (hash >> 32) % tree->shards == tree->shard - 1;
}

static void tree_expand(struct sim_tree* tree, const struct sim_node* node,
                        const struct sim_points* points, size_t from, uint64_t hash) {
  for (size_t i = from; i < points->count; i++) {
    const struct sim_point* point = &points->list[i];
    hash = hash_point(hash, point);
    for (uint32_t other = 1; other < point->count; other++) {
      struct world_choice choice = {(uint32_t) i, other};
      if (!is_ours(tree, node, choice))
        continue;
      const struct sim_rank rank = rank_of(&tree->ranks, &node->rank, point, other);
      tree_add(tree, node, choice, hash, &rank);
    }
  }
}

/* The same choices once more, as a node of its own. */
static void tree_again(struct sim_tree* tree, const struct sim_node* node) {
  size_t count = node->count, size = sizeof(*node) + count * sizeof(node->choices[0]);
  size_t at = tree->count;
  if (count == 0 || node->tries == TRIES_MOST) {
    tree->unequal++;
    return;
  }
  struct sim_node* parent = malloc(size);
  if (parent == NULL) {
    tree->is_broken = true;
    return;
  }
  memcpy(parent, node, size);
  parent->count--;
  tree_add(tree, parent, node->choices[count - 1], node->expected, &node->rank);
  free(parent);
  if (tree->count > at)
    tree->nodes[at]->tries = node->tries + 1;
}

void tree_learn(struct sim_tree* tree, const struct sim_run* run) {
  const struct sim_node* node = tree->nodes[run->node];
  uint64_t hash = 0;
  size_t from = node->count == 0 ? 0 : node->choices[node->count - 1].point + (size_t) 1;
  tree->under_way--;
  tree->is_cut |= run->is_cut;
  for (size_t i = 0; i < from && i < run->points.count; i++)
    hash = hash_point(hash, &run->points.list[i]);
  if (run->is_off_path || from > run->points.count || hash != node->expected) {
    tree_again(tree, node);
    return;
  }
  tree_expand(tree, node, &run->points, from, hash);
}

bool tree_is_complete(const struct sim_tree* tree) {
  return tree->count > 0 && !tree_has_next(tree) && tree->under_way == 0 &&
         tree->unequal == 0 && !tree->is_cut && !tree->is_broken;
}

void tree_free(struct sim_tree* tree) {
  for (size_t i = 0; i < tree->count; i++)
    free(tree->nodes[i]);
  free(tree->nodes);
  free(tree->heap);
  rank_table_free(&tree->ranks);
}
