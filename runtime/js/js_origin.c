/* From which line of the program a request comes, for `rondo sim`: it asks with
 * RONDO_SIM_ORIGINS when a finding is described, and names the line in its words. */
#include "js.h"

#include "rondo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The place in a line of a stack, "name@/app/a.js:4:7", without the column; NULL if that
 * is none of the program's files. */
static char* line_place(char* line) {
  char* at = strchr(line, '@');
  char* place = at == NULL ? line : at + 1;
  if (strncmp(place, "file://", 7) == 0)
    place += 7;
  char* column = strrchr(place, ':');
  if (place[0] != '/' || column == NULL)
    return NULL;
  *column = '\0';
  return strrchr(place, ':') == NULL ? NULL : place;
}

/* Relative to the current directory if it is inside. */
static const char* place_shortened(const char* place) {
  char folder[4096];
  if (getcwd(folder, sizeof(folder)) == NULL)
    return place;
  size_t length = strlen(folder);
  bool is_inside = strncmp(place, folder, length) == 0 && place[length] == '/';
  return is_inside ? place + length + 1 : place;
}

char* js_origin(void) {
  static int wanted = -1;
  if (wanted < 0)
    wanted = getenv("RONDO_SIM_ORIGINS") != NULL;
  if (!wanted)
    return NULL;
  JSObjectRef error = JSObjectMakeError(js.ctx, 0, NULL, NULL);
  char* stack = error == NULL ? NULL : js_utf8(js_get(error, "stack"), NULL);
  char* found = NULL;
  char* rest = stack;
  for (char* line; found == NULL && (line = strsep(&rest, "\n")) != NULL;) {
    const char* place = line_place(line);
    if (place != NULL)
      found = strdup(place_shortened(place));
  }
  free(stack);
  return found;
}

void js_origin_report(const char* place) {
  if (place != NULL)
    rondo_sim_origin(js.loop, place);
}
