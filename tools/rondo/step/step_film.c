/* The film: all steps of a run as one page, which needs nothing else. */
#include "step.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

extern const char film_page[];

enum { FILES_MOST = 64, FILE_SIZE_MOST = 1 << 20 };

/* Text as JSON inside of a script element: nothing in it ends the element. */
static void film_text(FILE* out, const char* text, size_t length) {
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

/* --- sources --------------------------------------------------------------------------
 */

struct film_files {
  char* paths[FILES_MOST];
  size_t count;
};

static void files_add(struct film_files* files, const char* path) {
  for (size_t i = 0; i < files->count; i++) {
    if (strcmp(files->paths[i], path) == 0)
      return;
  }
  char* copy = files->count < FILES_MOST ? strdup(path) : NULL;
  if (copy != NULL)
    files->paths[files->count++] = copy;
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

static void film_sources(FILE* out, const struct step_record* record) {
  struct film_files files = {0};
  char function[1024], path[1024];
  unsigned int line;
  const char* main = "";
  for (size_t i = 0; i < record->count; i++) {
    const struct step* step = &record->steps[i];
    if (step->kind == STEP_SCRIPT && step->name[0] == '/') {
      main = *main == '\0' ? step->name : main;
      files_add(&files, step->name);
    } else if (step_place(step, function, path, sizeof(path), &line))
      files_add(&files, path);
  }
  fputs(",\"main\":", out);
  film_string(out, main);
  fputs(",\"files\":{", out);
  for (size_t i = 0; i < files.count; i++) {
    fputs(i == 0 ? "" : ",", out);
    film_string(out, files.paths[i]);
    putc(':', out);
    film_file(out, files.paths[i]);
    free(files.paths[i]);
  }
  putc('}', out);
}

/* --- steps ----------------------------------------------------------------------------
 */

static void film_step(FILE* out, const struct step_world* world, size_t index) {
  const struct step* step = &world->record.steps[index];
  uint64_t from = index == 0 ? 0 : world->record.steps[index - 1].output;
  uint64_t to = step->output > world->output_size ? world->output_size : step->output;
  fprintf(out,
          "%s{\"n\":%llu,\"what\":\"%s\",\"process\":\"%s\",\"loop\":%u,\"at\":%llu,"
          "\"turn\":%llu,\"phase\":\"%s\",\"q\":%zu,\"name\":",
          index == 0 ? "" : ",\n", (unsigned long long) index + 1,
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
  if (step_is_own(&world->record, index))
    fputs(",\"own\":true", out);
  if (to > from) {
    fputs(",\"printed\":", out);
    film_text(out, world->output + from, (size_t) (to - from));
  }
  putc('}', out);
}

static void film_steps(FILE* out, const struct step_world* world) {
  const struct step_record* record = &world->record;
  fputs(",\"queues\":[{}", out);
  for (size_t i = 0; i < record->count; i++) {
    if (record->steps[i].owns_queues) {
      fputs(",\n", out);
      film_json(out, record->steps[i].queues);
    }
  }
  fputs("],\"steps\":[", out);
  for (size_t i = 0; i < record->count; i++)
    film_step(out, world, i);
  putc(']', out);
}

static unsigned int lanes_count(const struct step_record* record) {
  for (size_t i = 1; i < record->count; i++) {
    if (record->steps[i].loop != record->steps[0].loop ||
        strcmp(record->steps[i].process, record->steps[0].process) != 0)
      return 2;
  }
  return 1;
}

static void film_write(FILE* out, const struct step_world* world, const char* title) {
  char outcome[160];
  uint64_t shown = world->record.steps[world->record.count - 1].output;
  step_world_outcome(world, outcome, sizeof(outcome));
  fputs("{\"title\":", out);
  film_string(out, title);
  fputs(",\"outcome\":", out);
  film_string(out, strcmp(outcome, "passed") == 0 ? "exit status 0" : outcome);
  fprintf(out, ",\"lanes\":%u,\"rest\":", lanes_count(&world->record));
  film_text(out, world->output == NULL ? "" : world->output + shown,
            world->output != NULL && world->output_size > shown
                ? world->output_size - (size_t) shown
                : 0);
  film_sources(out, &world->record);
  film_steps(out, world);
  putc('}', out);
}

bool step_film(const struct step_world* world, const char* path, const char* title) {
  static const char place[] = "/*FILM*/";
  const char* found = strstr(film_page, place);
  FILE* out = world->record.count == 0 || found == NULL ? NULL : fopen(path, "we");
  if (world->record.count == 0)
    return false;
  if (out != NULL) {
    fwrite(film_page, 1, (size_t) (found - film_page), out);
    film_write(out, world, title);
    fputs(found + sizeof(place) - 1, out);
  }
  bool is_whole = out != NULL && !ferror(out);
  if (out != NULL && fclose(out) != 0)
    is_whole = false;
  if (!is_whole)
    fprintf(stderr, "rondo step: %s: %s\n", path, strerror(errno));
  return is_whole;
}
