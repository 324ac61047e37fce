/* Steps as the page takes them: all of a run for the film, or what is new for the live
 * page. */
#ifndef RONDO_TOOL_STEP_FILM_H
#define RONDO_TOOL_STEP_FILM_H

#include "step.h"

enum { FILM_FILES_MOST = 64 };

/* The sources that the steps name, in the order in which they were met. */
struct film_files {
  char* paths[FILM_FILES_MOST];
  size_t count;
};

/* How much of a run the page has already. */
struct film_known {
  size_t steps, queues;
};

/* A string with its quotes, safe inside of a script element. */
void film_text(FILE* out, const char* text, size_t length);
/* An object: the steps of a run that the page doesn't have, their queues, and how the run
 * ended. `label` says which run it is, `choices` how to have it again. */
void film_run(FILE* out, struct step_world* world, struct film_files* files,
              const struct film_known* known, const char* label);
/* An object: the text of each file from that one on. */
void film_sources(FILE* out, const struct film_files* files, size_t from);
void film_files_free(struct film_files* files);
/* The page with this object in it; false if it couldn't be written. */
bool film_page_write(FILE* out, const char* data, size_t length, bool is_live);
/* The choices, as on a command line; to be freed. */
char* film_choices(const struct step_schedule* schedule);

#endif
