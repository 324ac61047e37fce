/* /proc/self/maps, and the path of the program's file, which is found there if nowhere
 * else. A chroot may have no /proc. */
#include "base/own_fd.h"
#include "object.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

bool mappings_open(struct mappings* mappings) {
  mappings->length = mappings->next = 0;
  mappings->fd = own_fd_raise(open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
  return mappings->fd >= 0;
}

void mappings_close(struct mappings* mappings) {
  close(mappings->fd);
}

/* The next line, without its end; NULL at the end of the file. */
static char* mappings_line(struct mappings* mappings) {
  for (;;) {
    char* line = mappings->text + mappings->next;
    char* end = memchr(line, '\n', mappings->length - mappings->next);
    if (end != NULL) {
      *end = '\0';
      mappings->next = (size_t) (end - mappings->text) + 1;
      return line;
    }
    mappings->length -= mappings->next;
    memmove(mappings->text, line, mappings->length);
    mappings->next = 0;
    ssize_t got = read(mappings->fd, mappings->text + mappings->length,
                       sizeof(mappings->text) - mappings->length);
    if (got <= 0)
      return NULL;
    mappings->length += (size_t) got;
  }
}

static const char* maps_read_address(const char* text, uintptr_t* value) {
  *value = 0;
  for (;; text++) {
    unsigned int digit = (unsigned char) *text;
    if (digit >= '0' && digit <= '9')
      digit -= '0';
    else if (digit >= 'a' && digit <= 'f')
      digit -= 'a' - 10;
    else
      return text;
    *value = *value * 16 + digit;
  }
}

bool mappings_next(struct mappings* mappings, struct mapping* mapping) {
  const char* line = mappings_line(mappings);
  if (line == NULL)
    return false;
  line = maps_read_address(line, &mapping->start);
  line = maps_read_address(line + (*line == '-'), &mapping->end);
  while (*line == ' ')
    line++;
  snprintf(mapping->access, sizeof(mapping->access), "%.4s", line);
  /* skip access, offset, device and inode */
  for (int i = 0; i < 4; i++) {
    line += strcspn(line, " ");
    line += strspn(line, " ");
  }
  snprintf(mapping->path, sizeof(mapping->path), "%s", line);
  return true;
}

/* --- the program's file ------------------------------------------------------------ */

static bool path_from_maps(struct adopt_object* object) {
  static struct mappings mappings;
  static struct mapping mapping;
  if (!mappings_open(&mappings))
    return false;
  bool found = false;
  while (!found && mappings_next(&mappings, &mapping))
    found = mapping.start <= object->low && object->low < mapping.end;
  mappings_close(&mappings);
  if (!found || mapping.path[0] != '/')
    return false;
  memcpy(object->path, mapping.path, sizeof(object->path));
  return true;
}

/* The kernel's own link is the quickest. If the loader was run as a command, which shows
 * by its having no base, the link leads to the loader. */
static bool path_from_link(struct adopt_object* object) {
  if (getauxval(AT_BASE) == 0)
    return false;
  ssize_t length = readlink("/proc/self/exe", object->path, sizeof(object->path) - 1);
  object->path[length < 0 ? 0 : length] = '\0';
  return object->path[0] == '/';
}

bool object_find_path(struct adopt_object* object) {
  if (object->path[0] != '\0' || path_from_link(object) || path_from_maps(object))
    return true;
  const char* executed = (const char*) getauxval(AT_EXECFN);
  if (!object->is_program || executed == NULL)
    return false;
  snprintf(object->path, sizeof(object->path), "%s", executed);
  return true;
}
