/* Outcomes by the order of callbacks: what a run has "printed" is then the list of its
 * callbacks, ticks and microtasks, from the steps that the library has written. */
#include "orders.h"

#include "step.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char* wanted; /* words, separated by commas; NULL: all callbacks */

void callbacks_want(const char* words) {
  wanted = words;
}

static bool is_wanted(const char* title) {
  char word[200];
  if (wanted == NULL)
    return true;
  for (const char* at = wanted; *at != '\0'; at += strcspn(at, ","), at += *at == ',') {
    snprintf(word, sizeof(word), "%.*s", (int) strcspn(at, ","), at);
    if (word[0] != '\0' && strstr(title, word) != NULL)
      return true;
  }
  return false;
}

static void record_read(struct step_record* record, const char* folder) {
  char path[PATH_MAX];
  char* line = NULL;
  size_t size = 0;
  ssize_t length;
  snprintf(path, sizeof(path), "%s/steps", folder);
  FILE* file = fopen(path, "re");
  while (file != NULL && (length = getline(&line, &size, file)) > 0)
    (void) step_record_take(record, line, (size_t) length - 1);
  free(line);
  if (file != NULL)
    fclose(file);
}

void callbacks_read(struct sim_run* run) {
  struct step_record record = {0};
  char* text = NULL;
  size_t size = 0;
  char title[700];
  FILE* out = open_memstream(&text, &size);
  if (out == NULL)
    return;
  record_read(&record, run->folder);
  for (size_t i = 0; i < record.count; i++) {
    const struct step* step = &record.steps[i];
    if (step->kind == STEP_SCRIPT || !step_is_own(&record, i))
      continue;
    step_title(step, title, sizeof(title));
    if (!is_wanted(title))
      continue;
    fputs(title, out);
    if (strcmp(step->process, "0") != 0)
      fprintf(out, ", in process %s", step->process);
    fputc('\n', out);
  }
  step_record_free(&record);
  if (fclose(out) != 0)
    return;
  free(run->output);
  run->output = text;
  run->output_size = size;
}
