/* Putting the parts of a search together: see sim_merge.h. Findings and outcomes keep the
 * text that the part has written; only their counts are added. */
#include "sim_merge.h"

#include "json_reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FOUND = 1, NOTHING_MERGED = 2, PARTS_MOST = 1 << 20 };

/* A part of a text; not terminated. */
struct merge_text {
  const char* at;
  size_t length;
};

struct merge_outcome {
  unsigned int count;
  size_t decisions;
  char *status, *output;
  struct merge_text rest; /* of the object, behind the count */
};

struct merge {
  char** contents; /* of the files; texts point into them */
  int read;
  bool is_of_orders, is_of_sim;
  unsigned int runs, failed;
  unsigned int shards; /* that there should be */
  bool* is_there;      /* which parts are, and have come to their end */
  struct merge_text finding;
  size_t finding_decisions;
  const char* finding_file;
  struct merge_outcome* outcomes;
  size_t outcome_count;
  struct merge_text* always; /* pairs that all files have so far */
  size_t always_count;
};

static struct merge_text text_since(const struct json_reader* reader, const char* from) {
  return (struct merge_text){from, (size_t) (reader->at - from)};
}

static bool text_same(struct merge_text one, struct merge_text other) {
  return one.length == other.length && memcmp(one.at, other.at, one.length) == 0;
}

/* The whole file, to be freed; NULL with errno. */
static char* file_read(const char* path) {
  FILE* file = fopen(path, "re");
  char* text = NULL;
  size_t size = 0;
  if (file == NULL)
    return NULL;
  ssize_t length = getdelim(&text, &size, '\0', file);
  int err = errno;
  fclose(file);
  if (length >= 0)
    return text;
  free(text);
  errno = err != 0 ? err : EINVAL;
  return NULL;
}

/* --- reading ------------------------------------------------------------------------ */

/* True if the value is `true`. */
static bool bool_take(struct json_reader* reader) {
  bool is_true = json_next(reader) == 't';
  return json_skip(reader) && is_true;
}

static size_t list_count(struct json_reader* reader) {
  bool first = true;
  size_t count = 0;
  if (!json_take(reader, '[')) {
    (void) json_skip(reader);
    return 0;
  }
  while (json_more(reader, ']', &first) && json_skip(reader))
    count++;
  return count;
}

/* [3,16] */
static void shard_read(struct json_reader* reader, unsigned int* shard,
                       unsigned int* shards) {
  bool first = true;
  unsigned int* into[] = {shard, shards};
  size_t i = 0;
  if (!json_take(reader, '['))
    return;
  while (json_more(reader, ']', &first) && i < 2 && json_natural(reader, into[i]))
    i++;
}

/* The next name of an object, with its colon; NULL at its end. */
static char* name_take(struct json_reader* reader, bool* first) {
  size_t length;
  if (!json_more(reader, '}', first))
    return NULL;
  char* name = json_string(reader, &length);
  if (name != NULL && json_take(reader, ':'))
    return name;
  free(name);
  return NULL;
}

static void outcome_add(struct merge* merge, struct merge_outcome* outcome) {
  for (size_t i = 0; i < merge->outcome_count; i++) {
    struct merge_outcome* known = &merge->outcomes[i];
    if (strcmp(known->status, outcome->status) != 0 ||
        strcmp(known->output, outcome->output) != 0)
      continue;
    known->count += outcome->count;
    if (outcome->decisions < known->decisions) {
      known->decisions = outcome->decisions;
      known->rest = outcome->rest;
    }
    return;
  }
  struct merge_outcome* grown =
      realloc(merge->outcomes, (merge->outcome_count + 1) * sizeof(*grown));
  if (grown == NULL)
    return;
  merge->outcomes = grown;
  grown[merge->outcome_count++] = *outcome;
  outcome->status = outcome->output = NULL;
}

static void outcome_read(struct merge* merge, struct json_reader* reader) {
  struct merge_outcome outcome = {0};
  bool first = true;
  char* name;
  size_t length;
  const char* behind_count = NULL;
  if (!json_take(reader, '{'))
    return;
  while ((name = name_take(reader, &first)) != NULL) {
    if (strcmp(name, "count") == 0) {
      (void) json_natural(reader, &outcome.count);
      behind_count = reader->at;
    } else if (strcmp(name, "status") == 0) {
      outcome.status = json_string(reader, &length);
    } else if (strcmp(name, "output") == 0) {
      outcome.output = json_string(reader, &length);
    } else if (strcmp(name, "decisions") == 0) {
      outcome.decisions = list_count(reader);
    } else {
      (void) json_skip(reader);
    }
    free(name);
  }
  if (behind_count != NULL && outcome.status != NULL && outcome.output != NULL) {
    outcome.rest = text_since(reader, behind_count);
    outcome_add(merge, &outcome);
  }
  free(outcome.status);
  free(outcome.output);
}

static void outcomes_read(struct merge* merge, struct json_reader* reader) {
  bool first = true;
  merge->is_of_orders = true;
  if (!json_take(reader, '['))
    return;
  while (json_more(reader, ']', &first) && json_next(reader) == '{')
    outcome_read(merge, reader);
}

/* Keeps the pairs that this file has as well. */
static void always_read(struct merge* merge, struct json_reader* reader, bool is_first) {
  struct merge_text* pairs = NULL;
  size_t count = 0, kept = 0;
  bool first = true;
  if (!json_take(reader, '['))
    return;
  while (json_more(reader, ']', &first) && json_next(reader) == '[') {
    const char* from = reader->at;
    if (!json_skip(reader))
      break;
    struct merge_text* grown = realloc(pairs, (count + 1) * sizeof(*grown));
    if (grown == NULL)
      break;
    pairs = grown;
    pairs[count++] = text_since(reader, from);
  }
  if (is_first) {
    merge->always = pairs;
    merge->always_count = count;
    return;
  }
  for (size_t i = 0; i < merge->always_count; i++) {
    bool is_here = false;
    for (size_t k = 0; k < count && !is_here; k++)
      is_here = text_same(merge->always[i], pairs[k]);
    if (is_here)
      merge->always[kept++] = merge->always[i];
  }
  merge->always_count = kept;
  free(pairs);
}

static void finding_read(struct merge* merge, struct json_reader* reader,
                         const char* file) {
  (void) json_next(reader);
  const char* from = reader->at;
  struct json_reader inside = *reader;
  size_t decisions = 0;
  bool first = true;
  char* name;
  if (!json_skip(reader) || *from != '{')
    return;
  (void) json_take(&inside, '{');
  while ((name = name_take(&inside, &first)) != NULL) {
    if (strcmp(name, "decisions") == 0)
      decisions = list_count(&inside);
    else
      (void) json_skip(&inside);
    free(name);
  }
  if (merge->finding.at != NULL && merge->finding_decisions <= decisions)
    return;
  merge->finding = text_since(reader, from);
  merge->finding_decisions = decisions;
  merge->finding_file = file;
}

static bool part_note(struct merge* merge, unsigned int shard, unsigned int shards,
                      bool is_complete) {
  if (shards < 1 || shards > PARTS_MOST || shard < 1 || shard > shards ||
      (merge->shards != 0 && merge->shards != shards))
    return false;
  if (merge->is_there == NULL)
    merge->is_there = calloc(shards, sizeof(*merge->is_there));
  merge->shards = shards;
  if (merge->is_there != NULL)
    merge->is_there[shard - 1] |= is_complete;
  return merge->is_there != NULL;
}

/* False if it isn't a result, or one of another search. */
static bool part_read(struct merge* merge, const char* file, const char* text) {
  struct json_reader reader = {.at = text, .end = text + strlen(text)};
  unsigned int runs = 0, failed = 0, shard = 0, shards = 0;
  bool first = true, is_complete = false;
  char* name;
  if (!json_take(&reader, '{'))
    return false;
  while ((name = name_take(&reader, &first)) != NULL) {
    if (strcmp(name, "runs") == 0 || strcmp(name, "schedules") == 0) {
      if (!json_natural(&reader, &runs))
        (void) json_skip(&reader); /* of `rondo sim`, a hash */
      merge->is_of_sim |= name[0] == 'r';
    } else if (strcmp(name, "failed") == 0) {
      (void) json_natural(&reader, &failed);
    } else if (strcmp(name, "shard") == 0) {
      shard_read(&reader, &shard, &shards);
    } else if (strcmp(name, "partComplete") == 0) {
      is_complete = bool_take(&reader);
    } else if (strcmp(name, "finding") == 0) {
      finding_read(merge, &reader, file);
    } else if (strcmp(name, "outcomes") == 0) {
      outcomes_read(merge, &reader);
    } else if (strcmp(name, "always") == 0) {
      always_read(merge, &reader, merge->read == 0);
    } else {
      (void) json_skip(&reader);
    }
    free(name);
  }
  merge->runs += runs;
  merge->failed += failed;
  return part_note(merge, shard, shards, is_complete) &&
         merge->is_of_orders != merge->is_of_sim;
}

/* --- the result --------------------------------------------------------------------- */

static bool merge_is_complete(const struct merge* merge) {
  for (unsigned int i = 0; i < merge->shards; i++) {
    if (!merge->is_there[i])
      return false;
  }
  return merge->shards > 0;
}

static void json_show(const struct merge* merge) {
  const char* complete = merge_is_complete(merge) ? "true" : "false";
  if (merge->is_of_sim) {
    printf("{\"runs\":%u,\"failed\":%u,\"parts\":%d,\"complete\":%s,\"finding\":%.*s}\n",
           merge->runs, merge->failed, merge->read, complete,
           merge->finding.at == NULL ? 4 : (int) merge->finding.length,
           merge->finding.at == NULL ? "null" : merge->finding.at);
    return;
  }
  printf("{\"schedules\":%u,\"parts\":%d,\"complete\":%s,\"outcomes\":[", merge->runs,
         merge->read, complete);
  for (size_t i = 0; i < merge->outcome_count; i++)
    printf("%s{\"count\":%u%.*s", i == 0 ? "" : ",", merge->outcomes[i].count,
           (int) merge->outcomes[i].rest.length, merge->outcomes[i].rest.at);
  printf("],\"always\":[");
  for (size_t i = 0; i < merge->always_count; i++)
    printf("%s%.*s", i == 0 ? "" : ",", (int) merge->always[i].length,
           merge->always[i].at);
  printf("]}\n");
}

static void words_show(const struct merge* merge) {
  const char* claim = merge_is_complete(merge) ? "These are all." : "There may be more.";
  if (merge->is_of_sim) {
    printf("%u schedules in %d files, %u failed. %s\n", merge->runs, merge->read,
           merge->failed, merge_is_complete(merge) ? "These are all schedules." : "");
    if (merge->finding_file != NULL)
      printf("The finding with the fewest decisions, %zu, is in %s.\n",
             merge->finding_decisions, merge->finding_file);
    return;
  }
  printf("%zu outcome%s in %u schedules of %d files. %s\n", merge->outcome_count,
         merge->outcome_count == 1 ? "" : "s", merge->runs, merge->read, claim);
  for (size_t i = 0; i < merge->outcome_count; i++) {
    const struct merge_outcome* outcome = &merge->outcomes[i];
    printf("\n%zu.  in %u schedules%s%s; %zu decision%s\n\n", i + 1, outcome->count,
           strcmp(outcome->status, "passed") == 0 ? "" : ", ",
           strcmp(outcome->status, "passed") == 0 ? "" : outcome->status,
           outcome->decisions, outcome->decisions == 1 ? "" : "s");
    for (const char* at = outcome->output; *at != '\0';) {
      int length = (int) strcspn(at, "\n");
      printf("        %.*s\n", length > 71 ? 71 : length, at);
      at += length + (at[length] == '\n');
    }
  }
}

static void merge_free(struct merge* merge) {
  for (size_t i = 0; i < merge->outcome_count; i++) {
    free(merge->outcomes[i].status);
    free(merge->outcomes[i].output);
  }
  for (int i = 0; i < merge->read; i++)
    free(merge->contents[i]);
  free(merge->contents);
  free(merge->outcomes);
  free(merge->always);
  free(merge->is_there);
}

int sim_merge(char** files, int count, bool json) {
  struct merge merge = {.contents = calloc((size_t) count + 1, sizeof(char*))};
  int code = merge.contents == NULL ? NOTHING_MERGED : 0;
  for (int i = 0; i < count && code == 0; i++) {
    char* text = file_read(files[i]);
    if (text == NULL) {
      fprintf(stderr, "rondo sim: %s: %s\n", files[i], strerror(errno));
      code = NOTHING_MERGED;
      break;
    }
    bool is_good = part_read(&merge, files[i], text);
    merge.contents[merge.read++] = text;
    if (!is_good) {
      fprintf(stderr, "rondo sim: %s: not a part of this search, as --json writes it\n",
              files[i]);
      code = NOTHING_MERGED;
    }
  }
  if (code == 0 && json)
    json_show(&merge);
  else if (code == 0)
    words_show(&merge);
  if (code == 0 && merge.is_of_sim && merge.failed > 0)
    code = FOUND;
  merge_free(&merge);
  return code;
}
