/* Which step comes next: see step_move.h. */
#include "step_move.h"

#include "step_show.h"
#include "step_source.h"

#include <stdlib.h>
#include <string.h>

static bool is_in_lane(const struct step_lane* lane, const struct step* step) {
  return (lane->process[0] == '\0' || strcmp(lane->process, step->process) == 0) &&
         (lane->loop == 0 || lane->loop == step->loop);
}

static bool has_printed(const struct step_world* world, size_t index, const char* text) {
  uint64_t from = index == 0 ? 0 : world->record.steps[index - 1].output;
  uint64_t to = world->record.steps[index].output;
  if (to > world->output_size)
    to = world->output_size;
  return to > from &&
         memmem(world->output + from, (size_t) (to - from), text, strlen(text)) != NULL;
}

/* Whether the file is the one that was named, or ends with it. */
static bool is_file(const char* path, const char* name) {
  size_t length = strlen(name), whole = strlen(path);
  return length <= whole && strcmp(path + whole - length, name) == 0 &&
         (length == whole || path[whole - length - 1] == '/');
}

/* Whether a step runs the function that holds the line: it begins there, or before. */
static bool does_hold_line(const struct step* step, const struct step_move* move) {
  char function[1024], place[1024];
  unsigned int first;
  if (step->kind == STEP_END || step->kind == STEP_MICROTASKS)
    return false;
  if (step->kind == STEP_SCRIPT)
    return is_file(step->name, move->text) &&
           step_source_function(step->name, move->line) == 0;
  return step_place(step, function, place, sizeof(place), &first) &&
         is_file(place, move->text) && first <= move->line &&
         (first == move->line || first == step_source_function(place, move->line));
}

static bool does_queue_hold(const struct step_record* record, size_t index,
                            const struct step_move* move) {
  struct step_entries entries;
  size_t count = 0, named = 0;
  bool is_known = true;
  step_entries_read(&entries, &record->steps[index]);
  for (size_t i = 0; i < STEP_QUEUE_COUNT; i++)
    is_known &= !entries.unknown[i] || strcmp(step_queue_names[i], move->queue) != 0;
  for (size_t i = 0; i < entries.count; i++) {
    const struct step_entry* entry = &entries.list[i];
    if (strcmp(entry->queue, move->queue) != 0 || entry->engines)
      continue;
    count++;
    named += strstr(entry->label, move->text) != NULL;
  }
  step_entries_free(&entries);
  switch (move->compare) {
  case QUEUE_IS:
    return is_known && count == move->number;
  case QUEUE_IS_NOT:
    return is_known && count != move->number;
  case QUEUE_OVER:
    return count > move->number;
  case QUEUE_UNDER:
    return is_known && count < move->number;
  default:
    return named > 0;
  }
}

/* Whether the queue's state holds at this step and didn't at the step before, on the way
 * there. */
static bool does_queue_become(const struct step_record* record, size_t index,
                              const struct step_move* move) {
  size_t before = move->is_back ? index + 1 : index - 1;
  return does_queue_hold(record, index, move) &&
         (before >= record->count || !does_queue_hold(record, before, move));
}

static bool is_goal(const struct step_world* world, size_t index,
                    const struct step_move* move, const struct step* from) {
  const struct step* step = &world->record.steps[index];
  switch (move->goal) {
  case GOAL_ANY:
    return true;
  case GOAL_CALLBACK:
    return step_is_own(&world->record, index);
  case GOAL_PHASE:
    return step_is_own(&world->record, index) &&
           (step->phase != from->phase || step->turn != from->turn);
  case GOAL_TURN:
    return step_is_own(&world->record, index) && step->turn != from->turn;
  case GOAL_LINE:
    return does_hold_line(step, move);
  case GOAL_OUTPUT:
    return has_printed(world, index, move->text);
  case GOAL_TIME:
    return move->is_back ? step->at <= move->time_ns : step->at >= move->time_ns;
  case GOAL_HANDLE:
    return strcmp(step->subject, move->text) == 0;
  case GOAL_QUEUE:
    return does_queue_become(&world->record, index, move);
  default:
    return false;
  }
}

static bool move_back(struct step_world* world, const struct step_lane* lane,
                      size_t* index, const struct step_move* move) {
  const struct step* from = &world->record.steps[*index];
  for (size_t i = *index; i-- > 0;) {
    if (is_in_lane(lane, &world->record.steps[i]) && is_goal(world, i, move, from)) {
      *index = i;
      return true;
    }
  }
  *index = 0;
  return move->goal == GOAL_END;
}

bool step_move(struct step_world* world, const struct step_lane* lane, size_t* index,
               const struct step_move* move) {
  if (world->record.count == 0)
    return false;
  if (move->is_back)
    return move_back(world, lane, index, move);
  struct step from = world->record.steps[*index];
  if (move->goal == GOAL_END && world->until_ns == 0)
    step_world_run(world);
  size_t first = (move->seen > *index ? move->seen : *index) + 1;
  for (size_t i = first; step_world_reach(world, i); i++) {
    if (is_in_lane(lane, &world->record.steps[i]) && is_goal(world, i, move, &from)) {
      *index = i;
      return true;
    }
  }
  *index = world->record.count - 1;
  return move->goal == GOAL_END;
}

/* --- what "until" says ------------------------------------------------------------- */

static bool time_read(const char* text, uint64_t* ns) {
  static const struct {
    const char* unit;
    double ns;
  } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 6e10}, {"", 1e6}};
  char* end;
  double value = strtod(text, &end);
  end += strspn(end, " ");
  for (size_t i = 0; end != text && i < sizeof(units) / sizeof(units[0]); i++) {
    if (strcmp(end, units[i].unit) == 0 && value >= 0 && value < 1e9) {
      *ns = (uint64_t) (value * units[i].ns);
      return true;
    }
  }
  return false;
}

/* "timers empty" and its kin. */
static bool queue_read(struct step_move* move, const char* text) {
  static const struct {
    const char* word;
    enum step_compare compare;
  } words[] = {{"empty", QUEUE_IS}, {"not empty", QUEUE_IS_NOT},
               {">", QUEUE_OVER},   {"<", QUEUE_UNDER},
               {"=", QUEUE_IS},     {"has", QUEUE_HAS}};
  size_t length = strcspn(text, " ");
  snprintf(move->queue, sizeof(move->queue), "%.*s", length > 15 ? 0 : (int) length,
           text);
  move->goal = GOAL_QUEUE;
  const char* rest = text + length + strspn(text + length, " ");
  for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
    size_t used = strlen(words[i].word);
    if (strncmp(rest, words[i].word, used) != 0)
      continue;
    const char* value = rest + used + strspn(rest + used, " ");
    char* end = NULL;
    move->compare = words[i].compare;
    if (move->compare == QUEUE_HAS) {
      snprintf(move->text, sizeof(move->text), "%s", value);
      return *value != '\0';
    }
    if (strstr(words[i].word, "empty") != NULL)
      return *value == '\0';
    move->number = (size_t) strtoull(value, &end, 10);
    return end != value && *end == '\0' && *value != '-';
  }
  return false;
}

static bool is_queue(const char* text) {
  size_t length = strcspn(text, " ");
  for (size_t i = 0; i < STEP_QUEUE_COUNT; i++) {
    if (strlen(step_queue_names[i]) == length &&
        strncmp(step_queue_names[i], text, length) == 0)
      return true;
  }
  return false;
}

static const char* behind(const char* text, const char* word) {
  size_t length = strlen(word);
  return strncmp(text, word, length) == 0 && text[length] == ' ' ? text + length + 1
                                                                 : NULL;
}

bool step_move_until(struct step_move* move, const char* text) {
  const char* rest;
  char* colon;
  if ((rest = behind(text, "output")) != NULL && *rest != '\0')
    move->goal = GOAL_OUTPUT;
  else if ((rest = behind(text, "handle")) != NULL && *rest != '\0')
    move->goal = GOAL_HANDLE;
  else if ((rest = behind(text, "time")) != NULL) {
    move->goal = GOAL_TIME;
    return time_read(rest, &move->time_ns);
  } else if (is_queue(text)) {
    return queue_read(move, text);
  } else {
    snprintf(move->text, sizeof(move->text), "%s", text);
    colon = strrchr(move->text, ':');
    move->goal = GOAL_LINE;
    move->line = colon == NULL ? 0 : (unsigned int) strtoul(colon + 1, NULL, 10);
    if (colon != NULL)
      *colon = '\0';
    return colon != NULL && move->line > 0 && move->text[0] != '\0';
  }
  snprintf(move->text, sizeof(move->text), "%s", rest);
  return true;
}
