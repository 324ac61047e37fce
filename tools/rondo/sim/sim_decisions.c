/* The decisions of a run, read from the files that its processes have left: one line for
 * each decision that a hash of the seed made, or one for each point of a systematic run.
 */
#include "sim_handle_names.h"
#include "sim_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* To be freed; NULL without memory. */
static char* left_path(const struct sim_run* run, const char* name) {
  char* path = NULL;
  return asprintf(&path, "%s/%s", run->folder, name) < 0 ? NULL : path;
}

/* The tab-separated fields of a line, in place. */
static bool decision_parse(char* line, struct sim_decision* decision) {
  char* rest = line;
  char* key = strsep(&rest, "\t");
  char* at = strsep(&rest, "\t");
  char* value = strsep(&rest, "\t");
  if (at == NULL || value == NULL || rest == NULL)
    return false;
  rest[strcspn(rest, "\n")] = '\0';
  *decision = (struct sim_decision){.key = strdup(key),
                                    .words = strdup(rest),
                                    .at = strtoull(at, NULL, 10),
                                    .value = strtoull(value, NULL, 10)};
  return decision->key != NULL && decision->words != NULL;
}

/* "0.2" is the second child that the program started, and "0.2.1" that one's first. */
static void decision_place(struct sim_decision* decision, const char* process) {
  const char* child = strncmp(process, "0.", 2) == 0 ? process + 2 : NULL;
  char* words = NULL;
  if (child != NULL && asprintf(&words, "in child %s: %s", child, decision->words) >= 0) {
    free(decision->words);
    decision->words = words;
  }
}

void sim_decisions_read(struct sim_run* run, const char* name) {
  const char* process = name + strlen("decisions.");
  struct sim_names names = {0};
  char* described = left_path(run, name);
  if (described != NULL) { /* names.PATH is shorter */
    snprintf(strrchr(described, '/'), strlen(name) + 2, "/names.%s", process);
    sim_names_read(&names, described);
  }
  free(described);
  char* path = left_path(run, name);
  FILE* file = path == NULL ? NULL : fopen(path, "re");
  char* line = NULL;
  size_t size = 0;
  free(path);
  while (file != NULL && getline(&line, &size, file) > 0) {
    struct sim_decision decision;
    struct sim_decision* grown =
        realloc(run->decisions, (run->decision_count + 1) * sizeof(*grown));
    if (grown == NULL)
      break;
    run->decisions = grown;
    if (!decision_parse(line, &decision))
      continue;
    sim_names_put(&names, &decision.words);
    decision_place(&decision, process);
    snprintf(decision.process, sizeof(decision.process), "%s", process);
    run->decisions[run->decision_count++] = decision;
  }
  sim_names_free(&names);
  free(line);
  if (file != NULL)
    fclose(file);
}

/* The descriptions that a process gave its handles, in place of their numbers. */
static void choice_name(const struct sim_run* run, struct sim_decision* decision) {
  struct sim_names names = {0};
  char* described = NULL;
  if (asprintf(&described, "%s/names.%s", run->folder, decision->process) < 0)
    return;
  sim_names_read(&names, described);
  sim_names_put(&names, &decision->words);
  sim_names_free(&names);
  free(described);
}

/* The alternatives that a systematic run took at its points, other than the first, are
 * its decisions. */
void sim_decisions_of_choices(struct sim_run* run) {
  char* path = left_path(run, "choices");
  if (path != NULL && run->is_systematic)
    sim_points_read(&run->points, path);
  free(path);
  for (size_t i = 0; i < run->points.count; i++) {
    const struct sim_point* point = &run->points.list[i];
    if (point->chosen == 0)
      continue;
    struct sim_decision* grown =
        realloc(run->decisions, (run->decision_count + 1) * sizeof(*grown));
    if (grown == NULL)
      return;
    run->decisions = grown;
    struct sim_decision decision = {.at = point->at, .value = point->chosen};
    snprintf(decision.process, sizeof(decision.process), "%.*s",
             (int) strcspn(point->place, "/"), point->place);
    decision.words = sim_point_words(point);
    if (asprintf(&decision.key, "%zu:%u", i, point->chosen) < 0)
      decision.key = NULL;
    if (decision.words == NULL || decision.key == NULL) {
      free(decision.words);
      free(decision.key);
      return;
    }
    choice_name(run, &decision);
    decision_place(&decision, decision.process);
    run->decisions[run->decision_count++] = decision;
  }
}
