/* Places in scripts, in the names of a recording: "parse /app/server.js:12:9". Where the
 * script is a bundle with a source map, the name and the place are those that the
 * function was written with. Otherwise the column goes, unless the line alone says too
 * little: in a script that was made of few long lines, and where two functions of one
 * name stand in one line. */
#ifndef RONDO_TOOL_TRACE_PLACES_H
#define RONDO_TOOL_TRACE_PLACES_H

#include "trace_model.h"

/* The place that a source map gives for one such name, to be freed; NULL: nothing.
 * `loaded_ns`: see script_origin_find. */
char* place_written(const char* name, uint64_t loaded_ns);
/* For the names of a process, once all of them are read. */
void places_read(struct trace_process* process);

#endif
