/* Sampled stacks: what the loop's thread was doing while it held the loop up. */
#include "trace_model.h"
#include "trace_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_MOST = 128, PATH_SHOWN = 6 };

void samples_add(struct trace_loop* loop, uint64_t at, const uint32_t* names,
                 size_t count) {
  loop->samples = array_grow(loop->samples, loop->sample_count, &loop->sample_capacity,
                             sizeof(*loop->samples));
  loop->samples[loop->sample_count++] =
      (struct stack_sample){at, loop->frame_count, (uint32_t) count};
  for (size_t i = 0; i < count; i++) {
    loop->frames = array_grow(loop->frames, loop->frame_count, &loop->frame_capacity,
                              sizeof(*loop->frames));
    loop->frames[loop->frame_count++] = (int32_t) names[i] - 1;
  }
}

static const char* frame_name(const struct trace_loop* loop, int32_t frame) {
  return frame < 0 || (size_t) frame >= loop->name_count ? "?" : loop->names[frame];
}

/* A frame of a sample, counted from the outermost; NULL beyond the innermost. */
static const char* frame_at(const struct trace_loop* loop,
                            const struct stack_sample* sample, size_t depth) {
  if (depth >= sample->count)
    return NULL;
  return frame_name(loop, loop->frames[sample->first + sample->count - 1 - depth]);
}

/* The name that most of the samples on the path have at this depth; *most: how many. */
static const char* common_frame(const struct trace_loop* loop, const bool* on_path,
                                size_t first, size_t last, size_t depth, size_t* most) {
  const char* best = NULL;
  *most = 0;
  for (size_t i = first; i < last; i++) {
    const char* name =
        on_path[i - first] ? frame_at(loop, &loop->samples[i], depth) : NULL;
    size_t count = 0;
    if (name == NULL || (best != NULL && strcmp(name, best) == 0))
      continue;
    for (size_t j = i; j < last; j++) {
      const char* other =
          on_path[j - first] ? frame_at(loop, &loop->samples[j], depth) : NULL;
      count += other != NULL && strcmp(name, other) == 0;
    }
    if (count > *most) {
      *most = count;
      best = name;
    }
  }
  return best;
}

/* "parse /app/server.js:12", but not what is Node's own, or ours in there. */
static bool is_of_script(const char* name) {
  const char* place = strrchr(name, ' ');
  const char* line = strrchr(name, ':');
  return place != NULL && line != NULL && line > place && line[1] >= '0' &&
         line[1] <= '9' && strncmp(place + 1, "node:", 5) != 0 &&
         strstr(place, "/rondo-node.js:") == NULL &&
         strstr(place, "/rondo-nvim.lua:") == NULL;
}

static bool sample_is_of_script(const struct trace_loop* loop,
                                const struct stack_sample* sample) {
  for (size_t depth = 0; depth < sample->count; depth++) {
    if (is_of_script(frame_at(loop, sample, depth)))
      return true;
  }
  return false;
}

/* From the outermost frame inwards, as long as half of the samples agree: of all, or of
 * those in which the script is. *agreeing of *counted have the whole path. */
static size_t hot_path(const struct trace_loop* loop, size_t first, size_t last,
                       bool scripted, const char** path, size_t* agreeing,
                       size_t* counted) {
  bool* on_path = malloc(last - first);
  size_t depth = 0, most;
  if (on_path == NULL)
    out_of_memory();
  *counted = 0;
  for (size_t i = first; i < last; i++) {
    on_path[i - first] = !scripted || sample_is_of_script(loop, &loop->samples[i]);
    *counted += on_path[i - first];
  }
  *agreeing = *counted;
  for (; depth < PATH_MOST; depth++) {
    const char* name = common_frame(loop, on_path, first, last, depth, &most);
    if (name == NULL || most * 2 <= *counted)
      break;
    for (size_t i = first; i < last; i++) {
      const char* own = frame_at(loop, &loop->samples[i], depth);
      on_path[i - first] = on_path[i - first] && own != NULL && strcmp(own, name) == 0;
    }
    path[depth] = name;
    *agreeing = most;
  }
  free(on_path);
  return depth;
}

/* An address that no file and no map knows. */
static bool is_unknown(const char* name) {
  return strncmp(name, "0x", 2) == 0 || strcmp(name, "?") == 0;
}

static bool sample_has(const struct trace_loop* loop, const struct stack_sample* sample,
                       const char* name) {
  for (size_t depth = 0; depth < sample->count; depth++) {
    if (strcmp(frame_at(loop, sample, depth), name) == 0)
      return true;
  }
  return false;
}

/* The script's function that was on the stack in most samples; *most: in how many. */
static const char* common_function(const struct trace_loop* loop, size_t first,
                                   size_t last, size_t* most) {
  const char* best = NULL;
  *most = 0;
  for (size_t i = first; i < last; i++) {
    for (size_t depth = 0; depth < loop->samples[i].count; depth++) {
      const char* name = frame_at(loop, &loop->samples[i], depth);
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

/* Of a script's function the file's name, not its folders. */
static void write_frame(FILE* out, const char* name) {
  const char* place = is_of_script(name) ? strrchr(name, ' ') : NULL;
  const char* file = place == NULL ? NULL : strrchr(place, '/');
  if (file == NULL) {
    write_short(out, name);
    return;
  }
  fprintf(out, "%.*s ", (int) (place - name), name);
  write_plain(out, file + 1);
}

/* The engine's own frames between the script's and ours, which nobody can act on. */
static bool is_of_engine(const char* name) {
  return strncmp(name, "Builtin:", 8) == 0 || strncmp(name, "v8::", 4) == 0;
}

/* The innermost frame, whatever it is, and the script's functions that led there; without
 * any, the frames around it. */
static void write_path(FILE* out, const char* const* path, size_t length, bool scripted) {
  size_t shown = 0;
  for (size_t i = length; i > 0 && shown < PATH_SHOWN; i--) {
    bool left_out =
        scripted ? shown > 0 && !is_of_script(path[i - 1]) : is_of_engine(path[i - 1]);
    if (is_unknown(path[i - 1]) || left_out)
      continue;
    fputs(shown++ == 0 ? "\n              in " : " <- ", out);
    write_frame(out, path[i - 1]);
  }
}

/* Whether any of it would be shown. */
static bool path_has_names(const char* const* path, size_t length, bool* scripted) {
  bool named = false;
  *scripted = false;
  for (size_t i = 0; i < length; i++) {
    *scripted |= is_of_script(path[i]);
    named |= !is_unknown(path[i]) && !is_of_engine(path[i]);
  }
  return named;
}

/* Some engines hand over stacks of their own, beside ours which don't know the script. */
void write_hot_path(FILE* out, const struct trace_loop* loop, uint64_t from,
                    uint64_t to) {
  size_t first = 0, last, agreeing, counted, most;
  const char* path[PATH_MOST];
  bool scripted;
  while (first < loop->sample_count && loop->samples[first].at < from)
    first++;
  for (last = first; last < loop->sample_count && loop->samples[last].at <= to;)
    last++;
  if (last == first)
    return;
  size_t length = hot_path(loop, first, last, false, path, &agreeing, &counted);
  bool named = path_has_names(path, length, &scripted);
  const char* function = scripted ? NULL : common_function(loop, first, last, &most);
  if (function != NULL) {
    length = hot_path(loop, first, last, true, path, &agreeing, &counted);
    named = path_has_names(path, length, &scripted);
  }
  if (function != NULL && !scripted) {
    fputs("\n              in ", out);
    write_frame(out, function);
    fprintf(out, " (%zu of %zu samples)", most, last - first);
  } else if (named || scripted) {
    write_path(out, path, length, scripted);
    fprintf(out, " (%zu of %zu samples%s)", agreeing, counted,
            counted < last - first ? " in the script" : "");
  }
}
