/* The choices of a run in a systematic search: what was taken where more than one thing
 * could come next, and what else there was. */
#ifndef RONDO_SIM_CHOICES_H
#define RONDO_SIM_CHOICES_H

#include "sim/world.h"

#include <stddef.h>

/* A place in a run where more than one thing could come. */
struct sim_point {
  uint32_t chosen, count;
  uint64_t at; /* since the run's begin */
  char* kind;  /* "next", "poll", "time" or "turn" */
  char* place; /* the process and its loop, as in "0.1/1" */
  char** words;
};

struct sim_points {
  struct sim_point* list;
  size_t count;
};

/* Reads the file that a run has left; what can't be read is not among them. */
void sim_points_read(struct sim_points* points, const char* path);
void sim_points_free(struct sim_points* points);
/* The alternative that was taken at a point, as a sentence. To be freed; NULL without
 * memory. */
char* sim_point_words(const struct sim_point* point);

/* "7:2,11:1" is the third alternative at point 7 and the second at 11; "-" is none. False
 * if it isn't such a list, or is too long. */
bool sim_choices_parse(const char* text, struct world_choice* choices, size_t* count);
/* The same, to be freed. */
char* sim_choices_text(const struct world_choice* choices, size_t count);

#endif
