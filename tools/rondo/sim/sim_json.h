/* JSON on standard output. */
#ifndef RONDO_SIM_JSON_H
#define RONDO_SIM_JSON_H

#include "sim_options.h"

#include <stddef.h>

/* A string with its quotes. Each byte that isn't UTF-8 becomes U+FFFD. */
void sim_json_text(const char* text, size_t length);
/* The beginning of a result: which part of the search it is, and whether all schedules of
 * that part were tried. */
void sim_json_part(const struct sim_options* options, bool is_complete);

#endif
