/* The lessons: small scripts and programs, each about one rule of the loop. The first
 * line is the title, the last comment the answer. */
#ifndef RONDO_LEARN_LESSONS_H
#define RONDO_LEARN_LESSONS_H

#include <stdbool.h>
#include <stddef.h>

struct lesson {
  unsigned int number;
  char* name; /* of the file, as in "07_after_every_callback.js" */
  char* path;
  char* text;
  char* answer; /* in the text, which ends before it; "" */
};

struct lessons {
  struct lesson* list; /* by number */
  size_t count;
  char* binaries; /* the folder where those in C are, compiled; or NULL */
};

/* False if there are none where they should be. */
bool lessons_find(struct lessons* lessons);
/* The title's words. */
void lesson_title(const struct lesson* lesson, char* title, size_t size);
/* The program of a lesson in C, to be freed; NULL if it isn't compiled, or is a script.
 */
char* lesson_program(const struct lessons* lessons, const struct lesson* lesson);
bool lesson_is_script(const struct lesson* lesson);
void lessons_free(struct lessons* lessons);

#endif
