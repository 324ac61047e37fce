/* The path that most samples of a stretch share: see trace_samples.h. */
#include "trace_samples.h"
#include "trace_held.h"
#include "trace_words.h"

#include <stdlib.h>
#include <string.h>

enum { PATH_SHOWN = 6 };

void samples_add(struct trace_loop* loop, uint64_t at, const uint32_t* names,
                 size_t count) {
  loop->samples = array_grow(loop->samples, loop->sample_count, &loop->sample_capacity,
                             sizeof(*loop->samples));
  loop->samples[loop->sample_count++] =
      (struct stack_sample){at, loop->frame_count, (uint32_t) count};
  for (size_t i = 0; i < count; i++) {
    loop->frames = array_grow(loop->frames, loop->frame_count, &loop->frame_capacity,
                              sizeof(*loop->frames));
    loop->frames[loop->frame_count++] = (int32_t) (names[i] - 1);
  }
}

static uint64_t sample_time(const struct trace_record* record, uint64_t first_ns) {
  return record->number > first_ns ? record->number - first_ns : 0;
}

static void sample_take(struct trace_loop* loop, uint64_t at,
                        const struct trace_record* record) {
  samples_add(loop, at, (const uint32_t*) (const void*) (record + 1),
              (size_t) record->detail / sizeof(uint32_t));
}

void samples_take(struct trace_loop* loop, uint64_t first_ns, uint64_t now,
                  const struct trace_record* record) {
  uint64_t at = sample_time(record, first_ns);
  if (record->detail > 0) {
    sample_take(loop, at, record);
    return;
  }
  loop->engine = array_grow(loop->engine, loop->engine_count, &loop->engine_capacity,
                            sizeof(*loop->engine));
  loop->engine[loop->engine_count++] = (struct engine_time){at, now};
}

static bool engine_sampled(const struct trace_loop* loop, uint64_t at) {
  for (size_t i = loop->engine_count; i > 0; i--) {
    if (at >= loop->engine[i - 1].from && at <= loop->engine[i - 1].to)
      return true;
  }
  return false;
}

size_t samples_read(struct trace_loop* loop, const struct trace_record* records,
                    size_t count, uint64_t first_ns, uint64_t* last) {
  size_t i = 0;
  while (i < count && (records[i].when & 0xff) == TRACE_SAMPLE) {
    uint64_t at = sample_time(&records[i], first_ns);
    long text = record_text(&records[i], count - i - 1);
    if (text < 0 || at > TRACE_CENTURY_NS)
      break;
    if (!engine_sampled(loop, at))
      sample_take(loop, at, &records[i]);
    *last = at > *last ? at : *last;
    i += 1 + (size_t) text;
  }
  return i;
}

static int by_time(const void* left, const void* right) {
  const struct stack_sample *a = left, *b = right;
  return a->at < b->at ? -1 : a->at > b->at;
}

void samples_sort(struct trace_loop* loop) {
  if (loop->sample_count > 1)
    qsort(loop->samples, loop->sample_count, sizeof(*loop->samples), by_time);
}

static const char* frame_name(const struct trace_loop* loop, int32_t frame) {
  return frame < 0 || (size_t) frame >= loop->name_count ? "?" : loop->names[frame];
}

const char* sample_frame(const struct trace_loop* loop, const struct stack_sample* sample,
                         size_t depth) {
  if (depth >= sample->count)
    return NULL;
  return frame_name(loop, loop->frames[sample->first + sample->count - 1 - depth]);
}

/* The name that most samples on the path have at this depth; *most: how many. */
static const char* common_frame(const struct trace_loop* loop, const bool* on_path,
                                size_t first, size_t last, size_t depth, size_t* most) {
  const char* best = NULL;
  *most = 0;
  for (size_t i = first; i < last; i++) {
    const char* name =
        on_path[i - first] ? sample_frame(loop, &loop->samples[i], depth) : NULL;
    size_t count = 0;
    if (name == NULL || (best != NULL && strcmp(name, best) == 0))
      continue;
    for (size_t j = i; j < last; j++) {
      const char* other =
          on_path[j - first] ? sample_frame(loop, &loop->samples[j], depth) : NULL;
      count += other != NULL && strcmp(name, other) == 0;
    }
    if (count > *most) {
      *most = count;
      best = name;
    }
  }
  return best;
}

/* "parse /app/server.js:12": a function of a script, of Node's own or of Rondo's. */
static bool has_line(const char* name) {
  const char* place = strrchr(name, ' ');
  const char* line = strrchr(name, ':');
  return place != NULL && line != NULL && line > place && line[1] >= '0' &&
         line[1] <= '9';
}

/* Not Node's own functions or Rondo's. */
static bool is_of_script(const char* name) {
  const char* place = strrchr(name, ' ');
  return has_line(name) && strncmp(place + 1, "node:", 5) != 0 &&
         strstr(place, "/rondo-node.js:") == NULL &&
         strstr(place, "/rondo-nvim.lua:") == NULL;
}

static bool sample_is_of_script(const struct trace_loop* loop,
                                const struct stack_sample* sample) {
  for (size_t depth = 0; depth < sample->count; depth++) {
    if (is_of_script(sample_frame(loop, sample, depth)))
      return true;
  }
  return false;
}

/* Which samples are counted for a path. */
enum counted { COUNT_ALL, COUNT_SCRIPTED, COUNT_DEEP };

static bool sample_counts(const struct trace_loop* loop,
                          const struct stack_sample* sample, enum counted which,
                          uint32_t deepest) {
  switch (which) {
  case COUNT_SCRIPTED:
    return sample_is_of_script(loop, sample);
  case COUNT_DEEP:
    return sample->count * 2 >= deepest;
  default:
    return true;
  }
}

static uint32_t samples_deepest(const struct trace_loop* loop, size_t first,
                                size_t last) {
  uint32_t deepest = 0;
  for (size_t i = first; i < last; i++)
    deepest = loop->samples[i].count > deepest ? loop->samples[i].count : deepest;
  return deepest;
}

/* From the outermost frame inwards, as long as half of the counted samples agree. */
static void path_follow(struct hot_path* path, const struct trace_loop* loop,
                        size_t first, size_t last, enum counted which) {
  uint32_t deepest = samples_deepest(loop, first, last);
  bool* on_path = malloc(last - first);
  size_t most;
  if (on_path == NULL)
    out_of_memory();
  path->counted = 0;
  for (size_t i = first; i < last; i++) {
    on_path[i - first] = sample_counts(loop, &loop->samples[i], which, deepest);
    path->counted += on_path[i - first];
  }
  path->agreeing = path->counted;
  for (path->length = 0; path->length < PATH_MOST; path->length++) {
    const char* name = common_frame(loop, on_path, first, last, path->length, &most);
    if (name == NULL || most * 2 <= path->counted)
      break;
    for (size_t i = first; i < last; i++) {
      const char* own = sample_frame(loop, &loop->samples[i], path->length);
      on_path[i - first] = on_path[i - first] && own != NULL && strcmp(own, name) == 0;
    }
    path->frames[path->length] = name;
    path->agreeing = most;
  }
  free(on_path);
}

/* An address without a file or a name. */
static bool is_unknown(const char* name) {
  return strncmp(name, "0x", 2) == 0 || strcmp(name, "?") == 0;
}

static bool sample_has(const struct trace_loop* loop, const struct stack_sample* sample,
                       const char* name) {
  for (size_t depth = 0; depth < sample->count; depth++) {
    if (strcmp(sample_frame(loop, sample, depth), name) == 0)
      return true;
  }
  return false;
}

/* The script's function that is on the stack in most samples; *most: in how many. */
static const char* common_function(const struct trace_loop* loop, size_t first,
                                   size_t last, size_t* most) {
  const char* best = NULL;
  *most = 0;
  for (size_t i = first; i < last; i++) {
    for (size_t depth = 0; depth < loop->samples[i].count; depth++) {
      const char* name = sample_frame(loop, &loop->samples[i], depth);
      size_t count = 0;
      if (!is_of_script(name) || (best != NULL && strcmp(name, best) == 0))
        continue;
      for (size_t j = i; j < last; j++)
        count += sample_has(loop, &loop->samples[j], name);
      if (count > *most) {
        *most = count;
        best = name;
      }
    }
  }
  return best;
}

/* For a script's function, the file's name without its folders. */
void frame_write(FILE* out, const char* name) {
  const char* place = is_of_script(name) ? strrchr(name, ' ') : NULL;
  const char* file = place == NULL ? NULL : strrchr(place, '/');
  if (file == NULL) {
    write_short(out, name);
    return;
  }
  fprintf(out, "%.*s ", (int) (place - name), name);
  write_plain(out, file + 1);
}

/* The engine's own frames, between the script's and Rondo's, are of no use to a reader.
 */
static bool is_of_engine(const char* name) {
  return strncmp(name, "Builtin:", 8) == 0 || strncmp(name, "v8::", 4) == 0;
}

/* Whether any of its frames would be shown. */
static bool path_has_names(const struct hot_path* path) {
  for (size_t i = 0; i < path->length; i++) {
    if (is_of_script(path->frames[i]) ||
        (!is_unknown(path->frames[i]) && !is_of_engine(path->frames[i])))
      return true;
  }
  return false;
}

static bool path_is_of_script(const struct hot_path* path) {
  for (size_t i = 0; i < path->length; i++) {
    if (is_of_script(path->frames[i]))
      return true;
  }
  return false;
}

/* The script's functions are what a reader can change. If most samples have none, because
 * their walk ended early or because an engine reports stacks of its own as well, the
 * samples that have some decide. */
static void path_choose(struct hot_path* path, const struct trace_loop* loop,
                        size_t first, size_t last) {
  size_t most;
  path_follow(path, loop, first, last, COUNT_ALL);
  if (path_is_of_script(path))
    return;
  const char* function = common_function(loop, first, last, &most);
  if (function == NULL) {
    if (!path_has_names(path))
      path_follow(path, loop, first, last, COUNT_DEEP);
    return;
  }
  path_follow(path, loop, first, last, COUNT_SCRIPTED);
  if (path_is_of_script(path))
    return;
  path->frames[0] = function;
  path->length = 1;
  path->agreeing = most;
  path->counted = last - first;
}

bool hot_path_find(struct hot_path* path, const struct trace_loop* loop, uint64_t from,
                   uint64_t to) {
  size_t first = 0, last;
  while (first < loop->sample_count && loop->samples[first].at < from)
    first++;
  for (last = first; last < loop->sample_count && loop->samples[last].at <= to;)
    last++;
  if (last == first)
    return false;
  path_choose(path, loop, first, last);
  path->samples = last - first;
  path->scripted = path_is_of_script(path);
  return true;
}

size_t frames_shared(const struct trace_loop* loop, const struct stack_sample* sample,
                     const struct hot_path* path) {
  size_t depth = 0;
  while (depth < path->length && depth < sample->count &&
         strcmp(sample_frame(loop, sample, depth), path->frames[depth]) == 0)
    depth++;
  return depth;
}

const char* hot_path_function(const struct hot_path* path) {
  for (size_t i = path->length; i > 0; i--) {
    if (is_of_script(path->frames[i - 1]))
      return path->frames[i - 1];
  }
  return NULL;
}

void hot_path_write_function(FILE* out, const struct hot_path* path) {
  const char* function = hot_path_function(path);
  const char* innermost = path->length == 0 ? NULL : path->frames[path->length - 1];
  if (function == NULL && innermost != NULL && has_line(innermost)) {
    write_short(out, innermost);
    fputs(" or a function that was compiled into it, called by ", out);
  } else if (function != NULL) {
    frame_write(out, function);
    fputs(", called by ", out);
  }
}

/* Whether a frame says what a script was doing. V8's way into its own C++ doesn't, nor an
 * address, nor what a sample or two happened to find, since the next would be elsewhere.
 */
static bool is_evidence(const struct hot_path* path, const char* name) {
  enum { SAMPLES_FEW = 3 };
  if (path->agreeing < SAMPLES_FEW)
    return is_of_script(name);
  return has_line(name) ||
         (strncmp(name, "Builtin:", 8) != 0 && strstr(name, "+0x") == NULL);
}

/* The fact that a collector is at work says more than the details: which function it is
 * in, which of its locks it waits for. */
static bool is_of_collector(const char* name) {
  return strncmp(name, "v8::internal::Heap::CollectGarbage", 34) == 0 ||
         strncmp(name, "v8::internal::Heap::PerformGarbageCollection", 44) == 0 ||
         strncmp(name, "JSC::Heap::collect", 18) == 0;
}

/* The number of frames up to the collector; 0 if it isn't on the path. */
static size_t path_to_collector(const struct hot_path* path) {
  for (size_t i = 0; i < path->length; i++) {
    if (is_of_collector(path->frames[i]))
      return i;
  }
  return 0;
}

/* Writes the innermost frame that says something, and the script's functions that led to
 * it; without any, the frames around it. */
void hot_path_write(FILE* out, const struct hot_path* path, const char* before) {
  const char* last = "";
  size_t shown = 0;
  if (!path_has_names(path))
    return;
  size_t collector = path_to_collector(path);
  if (collector > 0) {
    fputs(before, out);
    fputs("garbage collection", out);
    shown++;
  }
  for (size_t i = collector > 0 ? collector : path->length; i > 0 && shown < PATH_SHOWN;
       i--) {
    const char* name = path->frames[i - 1];
    bool left_out = is_of_engine(name);
    if (path->scripted)
      left_out = shown > 0 ? !is_of_script(name) : !is_evidence(path, name);
    if (is_unknown(name) || left_out ||
        strcmp(name, last) == 0) /* skips repeated names, as in a recursion */
      continue;
    last = name;
    fputs(shown++ == 0 ? before : " <- ", out);
    frame_write(out, name);
  }
  fprintf(out, " (%zu of %zu samples%s)", path->agreeing, path->counted,
          path->counted < path->samples && path->scripted ? " in the script" : "");
}

void write_hot_path(FILE* out, const struct trace_loop* loop,
                    const struct stretch* stretch) {
  struct hot_path path;
  if (taker_path_find(&path, loop, stretch))
    hot_path_write(out, &path, "\n              in ");
}
