/* Names for screens: see live_title.h. */
#include "live_title.h"

#include "trace_model.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* base_of(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash == NULL || slash[1] == '\0' ? path : slash + 1;
}

/* The argument behind this one; NULL: there is none. */
static const char* next_argument(const char* command, size_t size, const char* at) {
  const char* next = at + strnlen(at, size - (size_t) (at - command)) + 1;
  return next < command + size && *next != '\0' ? next : NULL;
}

/* Options of interpreters whose value is another argument. */
static bool takes_value(const char* option) {
  static const char* const options[] = {
      "-r", "--require",    "--import", "--loader", "--experimental-loader",
      "-C", "--conditions", "-m"};
  for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
    if (strcmp(option, options[i]) == 0)
      return true;
  }
  return false;
}

static bool is_script(const char* argument) {
  static const char* const ends[] = {".js",  ".mjs", ".cjs", ".ts", ".mts",
                                     ".cts", ".tsx", ".jsx", ".py", ".lua"};
  size_t length = strlen(argument);
  for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
    size_t end = strlen(ends[i]);
    if (length > end && strcmp(argument + length - end, ends[i]) == 0)
      return true;
  }
  return false;
}

static bool is_interpreter(const char* program) {
  static const char* const known[] = {"node", "rondo", "python", "bun", "deno", "lua"};
  for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
    if (strncmp(program, known[i], strlen(known[i])) == 0)
      return true;
  }
  return false;
}

/* The first argument that is no option: an interpreter's script may have any name. */
static const char* script_of(const char* command, size_t size) {
  bool interpreter = is_interpreter(base_of(command));
  for (const char* at = next_argument(command, size, command); at != NULL;
       at = next_argument(command, size, at)) {
    if (*at == '-' && takes_value(at)) {
      at = next_argument(command, size, at);
      if (at == NULL)
        return NULL;
    } else if (*at == '-' && (strcmp(at, "-e") == 0 || strcmp(at, "-p") == 0 ||
                              strcmp(at, "-c") == 0 || strcmp(at, "--eval") == 0)) {
      return NULL;
    } else if (*at != '-') {
      return interpreter || is_script(at) ? at : NULL;
    }
  }
  return NULL;
}

char* live_title(const char* command, size_t size) {
  char* copy = text_copy(command, size); /* with a NUL behind the last argument */
  const char* script = script_of(copy, size);
  char* title = NULL;
  if (script == NULL)
    title = text_copy(base_of(copy), strlen(base_of(copy)));
  else if (asprintf(&title, "%s (%s)", base_of(script), base_of(copy)) < 0)
    out_of_memory();
  free(copy);
  return title;
}

char* live_command_line(const char* command, size_t size) {
  char* line = text_copy(command, size);
  const char* base = base_of(line);
  size_t cut = (size_t) (base - line);
  memmove(line, base, size + 1 - cut);
  for (size_t i = 0; i + 1 + cut < size; i++) {
    if (line[i] == '\0' && line[i + 1] != '\0')
      line[i] = ' ';
  }
  return line;
}
