/* Which step comes next: see step_move.h. */
#include "step_move.h"

#include "step_show.h"

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

static bool is_of_line(const struct step* step, const char* file, unsigned int line) {
  char function[1024], place[1024];
  unsigned int first;
  if (step->kind == STEP_END ||
      !step_place(step, function, place, sizeof(place), &first) || first != line)
    return false;
  size_t length = strlen(file), whole = strlen(place);
  return length <= whole && strcmp(place + whole - length, file) == 0 &&
         (length == whole || place[whole - length - 1] == '/');
}

static bool becomes_empty(const struct step_record* record, size_t index,
                          const char* queue) {
  struct step_entries entries;
  step_entries_read(&entries, &record->steps[index]);
  bool is_empty = step_queue_is_empty(&entries, queue);
  step_entries_free(&entries);
  return is_empty;
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
    return is_of_line(step, move->text, move->line);
  case GOAL_OUTPUT:
    return has_printed(world, index, move->text);
  case GOAL_TIME:
    return move->is_back ? step->at <= move->time_ns : step->at >= move->time_ns;
  case GOAL_HANDLE:
    return strcmp(step->subject, move->text) == 0;
  case GOAL_EMPTY:
    return becomes_empty(&world->record, index, move->text);
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

static bool is_queue(const char* word) {
  for (size_t i = 0; i < STEP_QUEUE_COUNT; i++) {
    if (strcmp(step_queue_names[i], word) == 0)
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
  } else if ((rest = strstr(text, " empty")) != NULL && rest[6] == '\0') {
    move->goal = GOAL_EMPTY;
    snprintf(move->text, sizeof(move->text), "%.*s", (int) (rest - text), text);
    return is_queue(move->text);
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
