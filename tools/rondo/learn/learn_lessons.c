/* Finding and reading the lessons: beside the sources, or where they were installed. */
#include "learn_lessons.h"

#include "exec.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The whole file, to be freed; NULL if it can't be read. */
static char* text_read(const char* path) {
  const size_t most = 1 << 20;
  FILE* file = fopen(path, "re");
  char* text = file == NULL ? NULL : malloc(most + 1);
  size_t size = text == NULL ? 0 : fread(text, 1, most, file);
  if (text != NULL)
    text[size] = '\0';
  if (file != NULL)
    fclose(file);
  return text;
}

static int is_lesson(const struct dirent* entry) {
  const char* end = strrchr(entry->d_name, '.');
  return strspn(entry->d_name, "0123456789") == 2 && entry->d_name[2] == '_' &&
         end != NULL && (strcmp(end, ".js") == 0 || strcmp(end, ".c") == 0);
}

static void lesson_add(struct lessons* lessons, const char* folder, const char* name) {
  struct lesson* grown =
      realloc(lessons->list, (lessons->count + 1) * sizeof(*lessons->list));
  if (grown == NULL)
    return;
  lessons->list = grown;
  struct lesson lesson = {.number = (unsigned int) strtoul(name, NULL, 10),
                          .name = strdup(name)};
  if (asprintf(&lesson.path, "%s/%s", folder, name) < 0)
    lesson.path = NULL;
  lesson.text = lesson.path == NULL ? NULL : text_read(lesson.path);
  if (lesson.name == NULL || lesson.text == NULL) {
    free(lesson.name);
    free(lesson.path);
    free(lesson.text);
    return;
  }
  char* answer = strstr(lesson.text, "\n// Answer: ");
  lesson.answer = answer == NULL ? lesson.text + strlen(lesson.text) : answer + 1;
  if (answer != NULL)
    *answer = '\0';
  grown[lessons->count++] = lesson;
}

static bool folder_read(struct lessons* lessons, const char* folder) {
  struct dirent** entries;
  int count = scandir(folder, &entries, is_lesson, alphasort);
  for (int i = 0; i < count; i++) {
    lesson_add(lessons, folder, entries[i]->d_name);
    free(entries[i]);
  }
  if (count >= 0)
    free(entries);
  return lessons->count > 0;
}

bool lessons_find(struct lessons* lessons) {
  static const char* const places[] = {"../share/rondo/lessons", "../examples/lessons"};
  char own[PATH_MAX], folder[PATH_MAX + 32];
  *lessons = (struct lessons){0};
  if (!exec_find_self(own))
    return false;
  *strrchr(own, '/') = '\0';
  for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
    snprintf(folder, sizeof(folder), "%s/%s", own, places[i]);
    char* real = realpath(folder, NULL);
    bool found = real != NULL && folder_read(lessons, real);
    free(real);
    if (!found)
      continue;
    if (asprintf(&lessons->binaries, "%s/examples/lessons", own) < 0)
      lessons->binaries = NULL;
    return true;
  }
  return false;
}

void lesson_title(const struct lesson* lesson, char* title, size_t size) {
  const char* text = lesson->text + strspn(lesson->text, "/ ");
  snprintf(title, size, "%.*s", (int) strcspn(text, "\n"), text);
}

bool lesson_is_script(const struct lesson* lesson) {
  return strcmp(strrchr(lesson->name, '.'), ".js") == 0;
}

char* lesson_program(const struct lessons* lessons, const struct lesson* lesson) {
  char* path = NULL;
  int length = (int) (strrchr(lesson->name, '.') - lesson->name);
  if (lesson_is_script(lesson) || lessons->binaries == NULL ||
      asprintf(&path, "%s/%.*s", lessons->binaries, length, lesson->name) < 0)
    return NULL;
  if (access(path, X_OK) == 0)
    return path;
  free(path);
  return NULL;
}

void lessons_free(struct lessons* lessons) {
  for (size_t i = 0; i < lessons->count; i++) {
    free(lessons->list[i].name);
    free(lessons->list[i].path);
    free(lessons->list[i].text);
  }
  free(lessons->list);
  free(lessons->binaries);
}
