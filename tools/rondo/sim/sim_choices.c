/* Reading and writing choices: see sim_choices.h. */
#include "sim_choices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tab-separated: number, taken, time, kind, place, and the alternatives. */
static bool point_parse(char* line, struct sim_point* point) {
  enum { HEAD = 5 };
  char* head[HEAD];
  char* rest = line;
  line[strcspn(line, "\n")] = '\0';
  for (int i = 0; i < HEAD; i++)
    head[i] = strsep(&rest, "\t");
  if (rest == NULL)
    return false;
  uint32_t count = 1;
  for (const char* at = rest; *at != '\0'; at++)
    count += *at == '\t';
  *point = (struct sim_point){.chosen = (uint32_t) strtoul(head[1], NULL, 10),
                              .at = strtoull(head[2], NULL, 10),
                              .kind = strdup(head[3]),
                              .place = strdup(head[4]),
                              .words = calloc(count, sizeof(char*))};
  while (point->words != NULL && rest != NULL) {
    char* words = strdup(strsep(&rest, "\t"));
    if (words == NULL)
      break;
    point->words[point->count++] = words;
  }
  return point->words != NULL && point->kind != NULL && point->place != NULL &&
         point->count == count && point->chosen < count;
}

static void point_free(struct sim_point* point) {
  for (uint32_t i = 0; i < point->count; i++)
    free(point->words[i]);
  free(point->words);
  free(point->kind);
  free(point->place);
}

void sim_points_read(struct sim_points* points, const char* path) {
  FILE* file = fopen(path, "re");
  char* line = NULL;
  size_t size = 0;
  while (file != NULL && getline(&line, &size, file) > 0) {
    struct sim_point* grown = realloc(points->list, (points->count + 1) * sizeof(*grown));
    if (grown == NULL)
      break;
    points->list = grown;
    if (!point_parse(line, &grown[points->count])) {
      point_free(&grown[points->count]);
      break; /* the rest would have other numbers */
    }
    points->count++;
  }
  free(line);
  if (file != NULL)
    fclose(file);
}

void sim_points_free(struct sim_points* points) {
  for (size_t i = 0; i < points->count; i++)
    point_free(&points->list[i]);
  free(points->list);
  *points = (struct sim_points){0};
}

char* sim_point_words(const struct sim_point* point) {
  const char* taken = point->words[point->chosen];
  const char* first = point->words[0];
  char* text = NULL;
  int length;
  if (strcmp(point->kind, "time") == 0 || strstr(taken, ", and reported later") != NULL)
    length = asprintf(&text, "%s", taken);
  else if (strcmp(point->kind, "poll") == 0)
    length = asprintf(&text, "%s comes in the same poll", taken);
  else if (strcmp(first, taken) == 0)
    length = asprintf(&text, "another %s comes first", taken);
  else
    length = asprintf(&text, "%s comes before %s", taken, first);
  return length < 0 ? NULL : text;
}

bool sim_choices_parse(const char* text, struct world_choice* choices, size_t* count) {
  *count = 0;
  if (strcmp(text, "-") == 0)
    return true;
  while (*count < WORLD_TAKEN) {
    char* end;
    unsigned long point = strtoul(text, &end, 10);
    bool is_good = end != text && *end == ':' && point < UINT32_MAX &&
                   (*count == 0 || point > choices[*count - 1].point);
    const char* second = end + 1;
    unsigned long taken = is_good ? strtoul(second, &end, 10) : 0;
    if (!is_good || *text < '0' || *text > '9' || *second < '0' || *second > '9' ||
        taken > UINT32_MAX)
      return false;
    choices[(*count)++] = (struct world_choice){(uint32_t) point, (uint32_t) taken};
    if (*end == '\0')
      return true;
    if (*end != ',')
      return false;
    text = end + 1;
  }
  return false;
}

char* sim_choices_text(const struct world_choice* choices, size_t count) {
  const size_t each = 24;
  char* text = malloc(count * each + 2);
  if (text == NULL)
    return NULL;
  snprintf(text, 2, "-");
  char* at = text;
  for (size_t i = 0; i < count; i++)
    at += snprintf(at, each, "%s%u:%u", i == 0 ? "" : ",", choices[i].point,
                   choices[i].alternative);
  return text;
}
