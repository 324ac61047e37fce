/* The steps of a run, read from the lines that the library writes (src/sim/sim_step.c).
 * Addresses of functions become names here. */
#include "step.h"

#include "json_reader.h"
#include "trace_model.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char* const kind_words[] = {"callback",   "function", "script", "ticks",
                                         "microtasks", "end",      "sleep"};
static const char* const phases[] = {"timers", "pending", "idle",    "prepare",
                                     "poll",   "check",   "closing", ""};

const char* step_kind_word(enum step_kind kind) {
  return kind_words[kind];
}

/* --- names of functions ------------------------------------------------------------ */

/* "/lib/x.so+0x12" → "x_begin"; NULL if it isn't such a place. */
static char* function_name(const char* place) {
  const char* plus = strrchr(place, '+');
  if (plus == NULL || strncmp(plus, "+0x", 3) != 0)
    return NULL;
  char* file = strndup(place, (size_t) (plus - place));
  char* name = file == NULL ? NULL : symbol_name(file, strtoull(plus + 3, NULL, 16));
  free(file);
  return name;
}

/* The line with each "fn":"file+0x12" replaced by the function's name; to be freed. */
static char* line_named(const char* line, size_t length) {
  static const char key[] = "\"fn\":\"";
  char* text = NULL;
  size_t size;
  FILE* out = open_memstream(&text, &size);
  if (out == NULL)
    return NULL;
  const char* end = line + length;
  while (line < end) {
    const char* found = memmem(line, (size_t) (end - line), key, sizeof(key) - 1);
    const char* value = found == NULL ? end : found + sizeof(key) - 1;
    fwrite(line, 1, (size_t) (value - line), out);
    line = value;
    if (found == NULL)
      break;
    const char* quote = memchr(line, '"', (size_t) (end - line));
    char* place = strndup(line, (size_t) ((quote == NULL ? end : quote) - line));
    char* name = place == NULL ? NULL : function_name(place);
    if (name != NULL && strpbrk(name, "\"\\") == NULL)
      fputs(name, out);
    else if (place != NULL)
      fputs(place, out);
    line += place == NULL ? 0 : strlen(place);
    free(name);
    free(place);
  }
  fclose(out);
  return text;
}

/* --- lines ------------------------------------------------------------------------- */

static uint64_t read_number(struct json_reader* reader) {
  struct json_reader begin = *reader;
  (void) json_next(&begin);
  return json_skip(reader) ? strtoull(begin.at, NULL, 10) : 0;
}

static void read_text(struct json_reader* reader, char** text) {
  size_t length;
  free(*text);
  *text = json_string(reader, &length);
}

static bool read_kind(const char* word, enum step_kind* kind) {
  for (size_t i = 0; i < sizeof(kind_words) / sizeof(kind_words[0]); i++) {
    if (strcmp(word, kind_words[i]) == 0) {
      *kind = (enum step_kind) i;
      return true;
    }
  }
  return false;
}

static const char* read_phase(const char* word) {
  size_t i = 0;
  while (phases[i][0] != '\0' && strcmp(phases[i], word) != 0)
    i++;
  return phases[i];
}

struct step_line {
  struct step step;
  char* what;
  char* function;
};

static bool read_entry(struct json_reader* reader, const char* key,
                       struct step_line* line) {
  struct step* step = &line->step;
  char* text = NULL;
  if (strcmp(key, "n") == 0)
    step->number = read_number(reader);
  else if (strcmp(key, "loop") == 0)
    step->loop = (unsigned int) read_number(reader);
  else if (strcmp(key, "at") == 0)
    step->at = read_number(reader);
  else if (strcmp(key, "turn") == 0)
    step->turn = read_number(reader);
  else if (strcmp(key, "depth") == 0)
    step->depth = (unsigned int) read_number(reader);
  else if (strcmp(key, "output") == 0)
    step->output = read_number(reader);
  else if (strcmp(key, "points") == 0)
    step->points = (uint32_t) read_number(reader);
  else if (strcmp(key, "by") == 0)
    step->by = read_number(reader);
  else if (strcmp(key, "of") == 0)
    step->of = read_number(reader);
  else if (strcmp(key, "for") == 0)
    step->timeout = (int64_t) read_number(reader);
  else if (strcmp(key, "closes") == 0)
    step->closes = json_skip(reader);
  else if (strcmp(key, "what") == 0)
    read_text(reader, &line->what);
  else if (strcmp(key, "subject") == 0)
    read_text(reader, &step->subject);
  else if (strcmp(key, "fn") == 0)
    read_text(reader, &line->function);
  else if (strcmp(key, "name") == 0)
    read_text(reader, &step->name);
  else if (strcmp(key, "process") == 0 || strcmp(key, "phase") == 0) {
    read_text(reader, &text);
    if (text != NULL && key[1] == 'r')
      snprintf(step->process, sizeof(step->process), "%s", text);
    else if (text != NULL)
      step->phase = read_phase(text);
    free(text);
  } else if (strcmp(key, "queues") == 0) {
    struct json_reader begin = *reader;
    (void) json_next(&begin);
    if (!json_skip(reader))
      return false;
    free(step->queues);
    step->queues = strndup(begin.at, (size_t) (reader->at - begin.at));
    step->owns_queues = true;
  } else
    return json_skip(reader);
  return true;
}

static bool read_line(const char* text, struct step_line* line) {
  struct json_reader reader = {text, text + strlen(text)};
  bool first = true;
  if (!json_take(&reader, '{'))
    return false;
  while (json_more(&reader, '}', &first)) {
    size_t length;
    char* key = json_string(&reader, &length);
    bool is_good =
        key != NULL && json_take(&reader, ':') && read_entry(&reader, key, line);
    free(key);
    if (!is_good)
      return false;
  }
  return line->what != NULL && line->step.number != 0;
}

/* A queue that isn't written is as in the lane's last step. */
static void queues_set(struct step_record* record, struct step* step) {
  static char none[] = "{}";
  if (step->queues != NULL) {
    step->queues_number = ++record->queues_count;
    return;
  }
  step->queues = none;
  for (size_t i = record->count; i-- > 0;) {
    const struct step* before = &record->steps[i];
    if (before->loop == step->loop && strcmp(before->process, step->process) == 0) {
      step->queues = before->queues;
      step->queues_number = before->queues_number;
      return;
    }
  }
}

static void name_late(struct step_record* record, struct step_line* line) {
  size_t index = step_find(record, line->step.of);
  if (index < record->count && record->steps[index].number == line->step.of) {
    free(record->steps[index].name);
    record->steps[index].name = line->step.name;
    line->step.name = NULL;
  }
}

static void line_free(struct step_line* line) {
  free(line->what);
  free(line->function);
  free(line->step.name);
  free(line->step.subject);
  if (line->step.owns_queues)
    free(line->step.queues);
}

/* An end has the name of what it ends. */
static void end_name(const struct step_record* record, struct step* step) {
  size_t index = step_find(record, step->of);
  const struct step* begin = index < record->count ? &record->steps[index] : NULL;
  if (begin == NULL || begin->number != step->of)
    return;
  free(step->name);
  free(step->subject);
  step->name = strdup(begin->name);
  step->subject = strdup(begin->subject);
}

bool step_record_take(struct step_record* record, const char* text, size_t length) {
  struct step_line line = {.step = {.phase = "", .timeout = -1}};
  char* named = line_named(text, length);
  bool is_good = named != NULL && read_line(named, &line);
  free(named);
  if (is_good && strcmp(line.what, "name") == 0) {
    name_late(record, &line);
    line_free(&line);
    return true;
  }
  if (!is_good || !read_kind(line.what, &line.step.kind)) {
    line_free(&line);
    return false;
  }
  struct step* step = &line.step;
  if (step->name == NULL) {
    step->name = line.function;
    line.function = NULL;
  }
  if (step->name == NULL)
    step->name = strdup("");
  if (step->subject == NULL)
    step->subject = strdup("");
  if (step->kind == STEP_END)
    end_name(record, step);
  queues_set(record, step);
  record->steps =
      array_grow(record->steps, record->count, &record->capacity, sizeof(*record->steps));
  record->steps[record->count++] = *step;
  free(line.what);
  free(line.function);
  return true;
}

void step_record_free(struct step_record* record) {
  for (size_t i = 0; i < record->count; i++) {
    free(record->steps[i].name);
    free(record->steps[i].subject);
    if (record->steps[i].owns_queues)
      free(record->steps[i].queues);
  }
  free(record->steps);
  *record = (struct step_record){0};
}

/* --- questions --------------------------------------------------------------------- */

size_t step_find(const struct step_record* record, uint64_t number) {
  size_t from = 0, to = record->count;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    if (record->steps[middle].number < number)
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

unsigned long long step_shown(const struct step_record* record, uint64_t number) {
  size_t index = step_find(record, number);
  bool is_there = index < record->count && record->steps[index].number == number;
  return is_there ? index + 1 : 0;
}

bool step_same(const struct step* one, const struct step* other) {
  return one->kind == other->kind && one->at == other->at && one->turn == other->turn &&
         one->output == other->output && one->loop == other->loop &&
         strcmp(one->process, other->process) == 0 && one->phase == other->phase &&
         strcmp(one->name, other->name) == 0 &&
         strcmp(one->subject, other->subject) == 0 &&
         strcmp(one->queues, other->queues) == 0;
}

/* "a.js:4" or "a.js:4:7"; the file's name is cut off there. False: there is no number. */
static bool place_cut(char* file, unsigned int* line) {
  unsigned int count = 0;
  while (count < 2) {
    char* end;
    char* colon = strrchr(file, ':');
    if (colon == NULL || colon[1] < '0' || colon[1] > '9')
      break;
    unsigned int number = (unsigned int) strtoul(colon + 1, &end, 10);
    if (*end != '\0')
      break;
    *line = number;
    *colon = '\0';
    count++;
  }
  return count > 0 && file[0] != '\0';
}

/* The subject of a callback of Node's: "~a message from worker 1 (a.js:2, the 2nd)". */
static bool described_place(const char* name, char* function, char* file, size_t size,
                            unsigned int* line) {
  const char* open = strrchr(name, '(');
  if (open == NULL || open < name + 2)
    return false;
  snprintf(function, size, "%.*s", (int) (open - name - 2), name + 1);
  snprintf(file, size, "%.*s", (int) strcspn(open + 1, ",)"), open + 1);
  return place_cut(file, line);
}

bool step_place(const struct step* step, char* function, char* file, size_t size,
                unsigned int* line) {
  const char* space = strrchr(step->name, ' ');
  const char* place = space == NULL ? step->name : space + 1;
  *line = 0;
  if (step->name[0] == '~')
    return described_place(step->name, function, file, size, line);
  snprintf(file, size, "%s", place);
  snprintf(function, size, "%.*s", space == NULL ? 0 : (int) (space - step->name),
           step->name);
  return place_cut(file, line) && strncmp(file, "node:", 5) != 0;
}

/* In a program without an engine every callback is its own. */
bool step_is_own(const struct step_record* record, size_t index) {
  const struct step* step = &record->steps[index];
  char function[1024], file[1024];
  unsigned int line;
  if (step->kind == STEP_END || step->kind == STEP_SLEEP)
    return false;
  if (step->kind == STEP_SCRIPT || step_place(step, function, file, sizeof(file), &line))
    return step->kind != STEP_MICROTASKS || strstr(step->name, "node:") == NULL;
  if (step->kind == STEP_MICROTASKS)
    return true; /* there were some, or there would be no step */
  return step->kind == STEP_CALLBACK && strstr(step->queues, "\"engine\":") == NULL;
}

void step_title(const struct step* step, char* title, size_t size) {
  char function[1024], file[1024], folder[1024];
  unsigned int line;
  size_t length;
  if (!step_place(step, function, file, sizeof(file), &line)) {
    snprintf(title, size, "%s",
             step->kind == STEP_SCRIPT       ? "the main script"
             : step->name[0] != '\0'         ? step->name + (step->name[0] == '~')
             : step->kind == STEP_MICROTASKS ? "microtasks"
             : step->kind == STEP_TICKS      ? "ticks"
                                             : step->subject);
    return;
  }
  const char* shown = file;
  if (getcwd(folder, sizeof(folder)) != NULL && (length = strlen(folder)) > 1 &&
      strncmp(file, folder, length) == 0 && file[length] == '/')
    shown = file + length + 1;
  snprintf(title, size, "%.200s%s%.400s:%u%s",
           strncmp(function, "microtasks of", 13) == 0 ? "microtasks behind" : function,
           function[0] == '\0' ? "" : " (", shown, line, function[0] == '\0' ? "" : ")");
}
