/* Which function of a script holds a line. */
#ifndef RONDO_TOOL_STEP_SOURCE_H
#define RONDO_TOOL_STEP_SOURCE_H

/* The line on which the innermost function begins that holds this line of a script; 0:
 * no function does, or the file can't be read. */
unsigned int step_source_function(const char* path, unsigned int line);

#endif
