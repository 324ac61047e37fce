/* Descriptions of handles: see sim_handle_names.h. A decision has "\1ID\2usual words\3"
 * where a handle has been described. */
#include "sim_handle_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sim_names_read(struct sim_names* names, const char* path) {
  FILE* file = fopen(path, "re");
  char* line = NULL;
  size_t size = 0;
  while (file != NULL && getline(&line, &size, file) > 0) {
    char* words = line;
    const char* id = strsep(&words, "\t");
    struct sim_name* grown = realloc(names->names, (names->count + 1) * sizeof(*grown));
    if (grown == NULL)
      break;
    names->names = grown;
    if (words == NULL)
      continue;
    words[strcspn(words, "\n")] = '\0';
    struct sim_name name = {.id = strdup(id), .words = strdup(words)};
    if (name.id == NULL || name.words == NULL) {
      free(name.id);
      free(name.words);
      break;
    }
    names->names[names->count++] = name;
  }
  free(line);
  if (file != NULL)
    fclose(file);
}

/* The last one counts. */
static const char* name_find(const struct sim_names* names, const char* id,
                             size_t length) {
  for (size_t i = names->count; i-- > 0;) {
    if (strncmp(names->names[i].id, id, length) == 0 &&
        names->names[i].id[length] == '\0')
      return names->names[i].words;
  }
  return NULL;
}

void sim_names_put(const struct sim_names* names, char** words) {
  const char* start = strchr(*words, '\1');
  const char* middle = start == NULL ? NULL : strchr(start, '\2');
  const char* end = middle == NULL ? NULL : strchr(middle, '\3');
  char* whole = NULL;
  if (end == NULL)
    return;
  const char* name = name_find(names, start + 1, (size_t) (middle - start - 1));
  int length = name == NULL ? (int) (end - middle - 1) : (int) strlen(name);
  if (asprintf(&whole, "%.*s%.*s%s", (int) (start - *words), *words, length,
               name == NULL ? middle + 1 : name, end + 1) < 0)
    return;
  free(*words);
  *words = whole;
}

void sim_names_free(struct sim_names* names) {
  for (size_t i = 0; i < names->count; i++) {
    free(names->names[i].id);
    free(names->names[i].words);
  }
  free(names->names);
}
