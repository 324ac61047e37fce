/* The page's data, and the film: all steps of a run as one page, which needs nothing
 * else. Beside the run there are those with another outcome, if they were looked for. */
#include "step_film.h"

#include "step_else.h"
#include "step_outcomes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

extern const char film_page[];

enum { FILE_SIZE_MOST = 1 << 20, FILM_STEPS_MOST = 20000 };

void film_text(FILE* out, const char* text, size_t length) {
  putc('"', out);
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char) text[i];
    if (c == '"' || c == '\\')
      fprintf(out, "\\%c", c);
    else if (c < ' ' || c == '<')
      fprintf(out, "\\u%04x", c);
    else
      putc(c, out);
  }
  putc('"', out);
}

static void film_string(FILE* out, const char* text) {
  film_text(out, text, strlen(text));
}

/* JSON already; a < can only stand in one of its strings. */
static void film_json(FILE* out, const char* json) {
  for (; *json != '\0'; json++) {
    if (*json == '<')
      fputs("\\u003c", out);
    else
      putc(*json, out);
  }
}

char* film_choices(const struct step_schedule* schedule) {
  return schedule->is_drawn ? NULL : sim_choices_text(schedule->choices, schedule->count);
}

/* --- sources ------------------------------------------------------------------------ */

static void files_add(struct film_files* files, const char* path) {
  for (size_t i = 0; i < files->count; i++) {
    if (strcmp(files->paths[i], path) == 0)
      return;
  }
  char* copy = files->count < FILM_FILES_MOST ? strdup(path) : NULL;
  if (copy != NULL)
    files->paths[files->count++] = copy;
}

void film_files_free(struct film_files* files) {
  while (files->count > 0)
    free(files->paths[--files->count]);
}

static void film_file(FILE* out, const char* path) {
  char* text = malloc(FILE_SIZE_MOST);
  FILE* file = fopen(path, "re");
  size_t length = file == NULL || text == NULL ? 0 : fread(text, 1, FILE_SIZE_MOST, file);
  film_text(out, text == NULL ? "" : text, length);
  free(text);
  if (file != NULL)
    fclose(file);
}

void film_sources(FILE* out, const struct film_files* files, size_t from) {
  putc('{', out);
  for (size_t i = from; i < files->count; i++) {
    fputs(i == from ? "" : ",", out);
    film_string(out, files->paths[i]);
    putc(':', out);
    film_file(out, files->paths[i]);
  }
  putc('}', out);
}

/* --- steps -------------------------------------------------------------------------- */

/* The other things that could have come at the choices that led to this step. */
static void film_others(FILE* out, struct step_world* world, size_t index) {
  size_t from = step_points_from(world, index), to = world->record.steps[index].points;
  const struct sim_points* points = step_world_points(world, to);
  bool is_first = true;
  for (size_t i = from; i < to && i < points->count; i++) {
    const struct sim_point* point = &points->list[i];
    for (uint32_t k = 0; k < point->count; k++) {
      if (k == point->chosen)
        continue;
      fputs(is_first ? ",\"others\":[" : ",", out);
      film_string(out, point->words[k]);
      is_first = false;
    }
  }
  if (!is_first)
    putc(']', out);
}

static void film_step(FILE* out, struct step_world* world, struct film_files* files,
                      size_t index, bool is_first) {
  char function[1024], path[1024];
  unsigned int line;
  const struct step* step = &world->record.steps[index];
  uint64_t from = index == 0 ? 0 : world->record.steps[index - 1].output;
  uint64_t to = step->output > world->output_size ? world->output_size : step->output;
  fprintf(out,
          "%s{\"n\":%llu,\"what\":\"%s\",\"process\":\"%s\",\"loop\":%u,\"at\":%llu,"
          "\"turn\":%llu,\"phase\":\"%s\",\"q\":%zu,\"name\":",
          is_first ? "" : ",\n", (unsigned long long) index + 1,
          step_kind_word(step->kind), step->process, step->loop,
          (unsigned long long) step->at, (unsigned long long) step->turn, step->phase,
          step->queues_number);
  film_string(out, step->name);
  fputs(",\"subject\":", out);
  film_string(out, step->subject);
  if (step->by != 0)
    fprintf(out, ",\"by\":%llu", step_shown(&world->record, step->by));
  if (step->kind == STEP_END)
    fprintf(out, ",\"of\":%llu", step_shown(&world->record, step->of));
  if (step_is_own(&world->record, index)) {
    fputs(",\"own\":true", out);
    film_others(out, world, index);
  }
  if (to > from) {
    fputs(",\"printed\":", out);
    film_text(out, world->output + from, (size_t) (to - from));
  }
  putc('}', out);
  if (step->kind == STEP_SCRIPT && step->name[0] == '/')
    files_add(files, step->name);
  else if (step_place(step, function, path, sizeof(path), &line))
    files_add(files, path);
}

static unsigned int lanes_count(const struct step_record* record) {
  for (size_t i = 1; i < record->count; i++) {
    if (record->steps[i].loop != record->steps[0].loop ||
        strcmp(record->steps[i].process, record->steps[0].process) != 0)
      return 2;
  }
  return 1;
}

static void film_end(FILE* out, const struct step_world* world) {
  char outcome[160];
  size_t count = world->record.count;
  uint64_t shown = count == 0 ? 0 : world->record.steps[count - 1].output;
  step_world_outcome(world, outcome, sizeof(outcome));
  fputs(",\"outcome\":", out);
  film_string(out, strcmp(outcome, "passed") == 0 ? "exit status 0" : outcome);
  fprintf(out, ",\"over\":%s,\"lanes\":%u,\"rest\":", world->is_over ? "true" : "false",
          lanes_count(&world->record));
  bool has_rest = world->is_over && world->output != NULL && world->output_size > shown;
  film_text(out, has_rest ? world->output + shown : "",
            has_rest ? world->output_size - (size_t) shown : 0);
}

void film_run(FILE* out, struct step_world* world, struct film_files* files,
              const struct film_known* known, const char* label) {
  const struct step_record* record = &world->record;
  char* choices = film_choices(&world->schedule);
  bool is_first = true;
  fputs("{\"label\":", out);
  film_string(out, label);
  if (choices != NULL)
    fprintf(out, ",\"choices\":\"%s\"", choices);
  else
    fprintf(out, ",\"seed\":%llu", (unsigned long long) world->schedule.seed);
  free(choices);
  film_end(out, world);
  fputs(",\"queues\":[", out);
  if (known->queues == 0)
    fputs("{}", out);
  for (size_t i = known->steps; i < record->count; i++) {
    if (!record->steps[i].owns_queues)
      continue;
    fputs(is_first && known->queues > 0 ? "" : ",\n", out);
    film_json(out, record->steps[i].queues);
    is_first = false;
  }
  fputs("],\"steps\":[", out);
  for (size_t i = known->steps; i < record->count; i++)
    film_step(out, world, files, i, i == known->steps);
  fputs("]}", out);
}

/* --- the page ----------------------------------------------------------------------- */

/* A film asks for nothing from anywhere; the live page asks its own server. */
bool film_page_write(FILE* out, const char* data, size_t length, bool is_live) {
  static const char place[] = "/*FILM*/", connect[] = "/*CONNECT*/";
  const char* before = strstr(film_page, connect);
  const char* found = before == NULL ? NULL : strstr(before, place);
  if (found == NULL)
    return false;
  fwrite(film_page, 1, (size_t) (before - film_page), out);
  fputs(is_live ? "'self'" : "'none'", out);
  before += sizeof(connect) - 1;
  fwrite(before, 1, (size_t) (found - before), out);
  fwrite(data, 1, length, out);
  fputs(found + sizeof(place) - 1, out);
  return ferror(out) == 0;
}

/* The run of another outcome, from its start to its end. */
static void film_other(FILE* out, const struct step_world* world,
                       struct film_files* files, const struct step_outcome* outcome) {
  const struct film_known nothing = {0};
  struct step_world other;
  if (step_world_start(&other, &world->options, &outcome->schedule, world->stop)) {
    (void) step_world_reach(&other, FILM_STEPS_MOST - 1);
    if (other.record.count > 0) {
      fputs(",\n", out);
      film_run(out, &other, files, &nothing, outcome->words);
    }
  }
  step_world_end(&other);
}

static void film_write(FILE* out, struct step_world* world, const char* title,
                       unsigned int outcomes_most) {
  const struct film_known nothing = {0};
  struct film_files files = {0};
  struct step_outcomes outcomes = {0};
  fputs("{\"title\":", out);
  film_string(out, title);
  fputs(",\"runs\":[", out);
  film_run(out, world, &files, &nothing, step_outcomes_usual);
  if (outcomes_most > 1 && world->is_over && !world->schedule.is_drawn)
    step_outcomes_find(&outcomes, world, outcomes_most);
  for (size_t i = 0; i < outcomes.count && !*world->stop; i++)
    film_other(out, world, &files, &outcomes.list[i]);
  fprintf(out, "],\"complete\":%s,\"files\":", outcomes.is_complete ? "true" : "false");
  film_sources(out, &files, 0);
  putc('}', out);
  step_outcomes_free(&outcomes);
  film_files_free(&files);
}

bool step_film(struct step_world* world, const char* path, const char* title,
               unsigned int outcomes_most) {
  char* data = NULL;
  size_t length = 0;
  bool goes_on = step_world_reach(world, FILM_STEPS_MOST - 1);
  if (world->record.count == 0)
    return false;
  if (goes_on && !world->is_over)
    fprintf(stderr, "rondo step: the film has the first %d steps; the program goes on\n",
            FILM_STEPS_MOST);
  FILE* memory = open_memstream(&data, &length);
  FILE* out = memory == NULL ? NULL : fopen(path, "we");
  if (out != NULL)
    film_write(memory, world, title, outcomes_most);
  bool is_whole = memory != NULL && fclose(memory) == 0 && out != NULL &&
                  film_page_write(out, data, length, false);
  if (out != NULL && fclose(out) != 0)
    is_whole = false;
  if (!is_whole)
    fprintf(stderr, "rondo step: %s: %s\n", path, strerror(errno));
  free(data);
  return is_whole;
}
