/* Scripts and their maps: see script_file.h. A map is named by the script's last comment
 * "//# sourceMappingURL=", is in that comment itself (a data URL), or lies beside the
 * script as its name with ".map". */
#include "script_file.h"

#include "base/own_fd.h"
#include "script_text.h"
#include "source_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { SIZE_MOST = 256 << 20, PATH_MOST = 4096, PROBLEM_MOST = PATH_MOST + 128 };

struct script {
  struct script* next;
  char* path;
  struct stat about; /* when it was read; zeros: it wasn't there, */
  time_t looked;     /* and when that was last compared */
  char* text;        /* NULL: it has no map */
  size_t size;
  struct script_lines lines;
  struct source_map* map;
  char folder[PATH_MOST]; /* that the map's sources are relative to */
  char* problem;          /* NULL: none, or it has been reported */
};

/* Never freed: recordings that are read one after another are about the same scripts. */
static struct script* scripts;

/* --- files ----------------------------------------------------------------------------
 */

/* The whole file, to be freed; NULL: there is none, it is no ordinary one, or too large.
 */
static char* file_read(const char* path, struct stat* about, size_t* size) {
  int fd = own_fd_raise(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  char* bytes = NULL;
  *size = 0;
  if (fd >= 0 && fstat(fd, about) == 0 && S_ISREG(about->st_mode) &&
      about->st_size <= SIZE_MOST)
    bytes = malloc((size_t) about->st_size + 1);
  for (ssize_t n = 1; bytes != NULL && n > 0 && *size < (size_t) about->st_size;) {
    n = read(fd, bytes + *size, (size_t) about->st_size - *size);
    *size += n > 0 ? (size_t) n : 0;
  }
  if (fd >= 0)
    close(fd);
  return bytes;
}

static void problem_set(struct script* script, const char* path, const char* problem) {
  char text[PROBLEM_MOST];
  snprintf(text, sizeof(text), "%s: %s, so places are those of %s", path, problem,
           strrchr(script->path, '/') + 1);
  free(script->problem);
  script->problem = strdup(text);
}

/* --- where the map is
 * -------------------------------------------------------------------
 */

/* The URL of the last comment that names a map, up to the end of its line; NULL: there is
 * none. */
static const char* url_find(const struct script* script, size_t* length) {
  static const char mark[] = "# sourceMappingURL=";
  const size_t size = sizeof(mark) - 1;
  const char *end = script->text + script->size, *line_end = end;
  /* The comment is in the last line that has any text; a few lines are looked at. */
  for (int lines = 0; lines < 8 && line_end > script->text; lines++) {
    const char* line = memrchr(script->text, '\n', (size_t) (line_end - script->text));
    line = line == NULL ? script->text : line + 1;
    const char* found = memmem(line, (size_t) (line_end - line), mark, size);
    if (found != NULL) {
      const char* url = found + size;
      *length = 0;
      while (url + *length < line_end && url[*length] > ' ' && url[*length] != '*')
        ++*length;
      return url;
    }
    line_end = line > script->text ? line - 1 : script->text;
  }
  return NULL;
}

static int hex_digit(char digit) {
  return digit >= '0' && digit <= '9'   ? digit - '0'
         : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
         : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
                                        : -1;
}

/* Copies a URL's path without its escapes; false: it is too long. */
static bool url_path(char* path, size_t room, const char* url, size_t length) {
  size_t used = 0;
  for (size_t i = 0; i < length && url[i] != '?' && url[i] != '#'; i++) {
    int high = url[i] == '%' && length - i > 2 ? hex_digit(url[i + 1]) : -1;
    int low = high < 0 ? -1 : hex_digit(url[i + 2]);
    char byte = url[i];
    if (low >= 0)
      byte = (char) (high << 4 | low);
    i += low < 0 ? 0 : 2;
    if (used + 1 >= room || byte == '\0')
      return false;
    path[used++] = byte;
  }
  path[used] = '\0';
  return true;
}

static bool begins(const char* text, size_t length, const char* start) {
  return length >= strlen(start) && memcmp(text, start, strlen(start)) == 0;
}

/* Makes the path of a name in a folder, without "." and ".."; false: it is too long. */
static bool path_join(char* path, size_t room, const char* folder, const char* name) {
  char whole[2 * PATH_MOST];
  size_t used = 0;
  if (snprintf(whole, sizeof(whole), "%s%s%s", *name == '/' ? "" : folder,
               *name == '/' ? "" : "/", name) >= (int) sizeof(whole))
    return false;
  for (const char* at = whole; *at != '\0';) {
    size_t length = strcspn(at + (*at == '/'), "/") + (*at == '/');
    if ((length == 3 && memcmp(at, "/..", 3) == 0)) {
      while (used > 0 && path[--used] != '/')
        ;
    } else if (length != 1 && !(length == 2 && memcmp(at, "/.", 2) == 0)) {
      if (used + length >= room)
        return false;
      memcpy(path + used, at, length);
      used += length;
    }
    at += length;
  }
  path[used] = '\0';
  return used > 0;
}

static void folder_of(char* folder, const char* path) {
  const char* slash = strrchr(path, '/');
  snprintf(folder, PATH_MOST, "%.*s", (int) (slash - path), path);
}

/* --- reading it
 * -------------------------------------------------------------------------
 */

/* A data URL: JSON in base64 or with escapes. To be freed; NULL: it is neither. */
static char* inline_read(const char* url, size_t length, size_t* size) {
  const char* comma = memchr(url, ',', length);
  if (comma == NULL)
    return NULL;
  size_t left = length - (size_t) (comma + 1 - url);
  char* bytes = malloc(left + 1);
  bool is_base64 = memmem(url, (size_t) (comma - url), ";base64", 7) != NULL;
  if (bytes != NULL && is_base64) {
    *size = script_base64(bytes, comma + 1, left);
  } else if (bytes != NULL) {
    if (!url_path(bytes, left + 1, comma + 1, left))
      bytes[0] = '\0';
    *size = strlen(bytes);
  }
  return bytes;
}

static void map_take(struct script* script, const char* bytes, size_t size,
                     const char* path) {
  const char* problem;
  script->map = source_map_read(bytes, size, &problem);
  if (script->map == NULL)
    problem_set(script, path, problem);
}

/* A map that the script names has to be there; one beside it may be. A map is not looked
 * for on another machine. */
static void map_find(struct script* script) {
  char path[PATH_MOST], name[PATH_MOST];
  struct stat about;
  size_t length = 0, size = 0;
  const char* url = url_find(script, &length);
  folder_of(script->folder, script->path);
  if (url != NULL && begins(url, length, "data:")) {
    char* bytes = inline_read(url, length, &size);
    if (bytes == NULL)
      problem_set(script, script->path, "the map in it can't be read");
    else
      map_take(script, bytes, size, script->path);
    free(bytes);
    return;
  }
  bool is_file = url != NULL && begins(url, length, "file://");
  if (is_file)
    url += 7, length -= 7;
  bool named = url != NULL && length > 0 && memmem(url, length, "://", 3) == NULL;
  if (!named || !url_path(name, sizeof(name), url, length))
    snprintf(name, sizeof(name), "%s.map", strrchr(script->path, '/') + 1);
  if (!path_join(path, sizeof(path), script->folder, name))
    return;
  char* bytes = file_read(path, &about, &size);
  folder_of(script->folder, path);
  if (bytes != NULL)
    map_take(script, bytes, size, path);
  else if (named && access(path, F_OK) == 0)
    problem_set(script, path, "it can't be read");
  free(bytes);
}

static void script_read(struct script* script) {
  script->text = file_read(script->path, &script->about, &script->size);
  if (script->text != NULL)
    map_find(script);
  if (script->map != NULL) {
    script_lines_make(&script->lines, script->text, script->size);
    return;
  }
  free(script->text);
  script->text = NULL;
}

/* --- scripts that were read
 * -------------------------------------------------------------
 */

/* Compared once a second. */
static bool script_is_current(struct script* script) {
  struct timespec now;
  struct stat status = {0};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  if (script->looked == now.tv_sec)
    return true;
  script->looked = now.tv_sec;
  if (stat(script->path, &status) != 0)
    return true; /* the map of a script that is gone is better than none */
  const struct stat* about = &script->about;
  return status.st_dev == about->st_dev && status.st_ino == about->st_ino &&
         status.st_size == about->st_size &&
         status.st_mtim.tv_sec == about->st_mtim.tv_sec &&
         status.st_mtim.tv_nsec == about->st_mtim.tv_nsec;
}

static void script_forget(struct script* script) {
  source_map_free(script->map);
  free(script->lines.starts);
  free(script->text);
  free(script->problem);
  *script = (struct script){.next = script->next, .path = script->path};
}

/* The script that was asked for last is in front. NULL: no memory. */
static struct script* script_of(const char* path, size_t length) {
  struct script **link = &scripts, *script;
  while ((script = *link) != NULL) {
    if (strncmp(script->path, path, length) == 0 && script->path[length] == '\0')
      break;
    link = &script->next;
  }
  if (script != NULL) {
    *link = script->next;
  } else {
    script = calloc(1, sizeof(*script));
    if (script == NULL || (script->path = strndup(path, length)) == NULL) {
      free(script);
      return NULL;
    }
  }
  script->next = scripts;
  scripts = script;
  if (!script_is_current(script)) {
    time_t looked = script->looked;
    script_forget(script);
    script->looked = looked;
    script_read(script);
  }
  return script;
}

const char* script_problem_next(void) {
  static char text[PROBLEM_MOST];
  for (struct script* script = scripts; script != NULL; script = script->next) {
    if (script->problem == NULL)
      continue;
    snprintf(text, sizeof(text), "%s", script->problem);
    free(script->problem);
    script->problem = NULL;
    return text;
  }
  return NULL;
}

/* --- functions
 * --------------------------------------------------------------------------
 */

/* Bundlers call the place of a source by a scheme of their own: "webpack://name/./src/x"
 * is src/x. */
static char* source_path(const struct script* script, const char* source) {
  char path[PATH_MOST], name[PATH_MOST];
  const char* scheme = strstr(source, "://");
  if (begins(source, strlen(source), "file://")) {
    source += 7;
  } else if (scheme != NULL) {
    const char* slash = strchr(scheme + 3, '/');
    source = slash == NULL ? scheme + 3 : slash + 1;
    while (begins(source, strlen(source), "./"))
      source += 2;
    return strdup(source);
  }
  if (!url_path(name, sizeof(name), source, strlen(source)) ||
      !path_join(path, sizeof(path), script->folder, name))
    return strdup(source);
  return strdup(path);
}

/* The bundle's time of change says whether it is the one that was loaded. */
static bool script_is_that(struct script* script, uint64_t loaded_ns) {
  const struct timespec* changed = &script->about.st_mtim;
  uint64_t changed_ns =
      (uint64_t) changed->tv_sec * 1000000000u + (uint64_t) changed->tv_nsec;
  return loaded_ns == 0 || changed_ns <= loaded_ns;
}

/* The name stands where the function's own name does in the bundle, if the map says
 * anything of that very place. */
bool script_origin_find(const char* path, size_t path_length, uint64_t loaded_ns,
                        const struct script_function* function,
                        struct script_origin* origin) {
  struct script* script = script_of(path, path_length);
  struct source_place place, named;
  struct script_spot spot;
  *origin = (struct script_origin){0};
  if (script == NULL || script->map == NULL)
    return false;
  if (!script_is_that(script, loaded_ns)) {
    problem_set(script, script->path, "it has changed since the program began");
    source_map_free(script->map);
    script->map = NULL;
    return false;
  }
  bool known = script_spot_find(&script->lines, function, &spot);
  if (known && spot.is_named &&
      source_map_find(script->map, function->line, spot.name_column, &named) &&
      named.exact) {
    place = named;
    origin->name = named.name == NULL ? NULL : strdup(named.name);
  } else if (!source_map_find(script->map, function->line, known ? spot.column : 0,
                              &place)) {
    return false;
  }
  origin->path = source_path(script, place.source);
  origin->line = place.line;
  return origin->path != NULL;
}
