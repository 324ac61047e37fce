/* A tree of 1,000 directories that is changed at random: a model of it, and changes made
 * to both the model and the disk, below "top" and "outside" in the working directory.
 *
 * RONDO_SEED gives another course, RONDO_LONG=60 makes tests take a minute. */
#ifndef RONDO_HELPER_CHANGES_H
#define RONDO_HELPER_CHANGES_H

#include "helper_watching.h"

/* Called with everything that must be told: the path from "top", and UV_RENAME or
 * UV_CHANGE. NULL at first. */
extern void (*changes_expect)(const char* path, int events);

/* How many were made. */
extern unsigned long changes;

/* How long a test may take: RONDO_LONG or `otherwise`. */
double changes_seconds(double otherwise);

unsigned int random_below(unsigned int limit);

/* Makes the tree. */
void tree_begin(void);

/* Any directory's path; good for the next three calls. */
const char* any_directory(void);

/* One change; perhaps none, if what was chosen can't be done. */
void change_a_file(void);
void change_a_directory(void);

#endif
