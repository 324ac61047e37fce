/* Lines of commands: from a terminal with history, completion and keys, or from a pipe.
 */
#ifndef RONDO_TOOL_STEP_INPUT_H
#define RONDO_TOOL_STEP_INPUT_H

#include <stdbool.h>

/* The next line, to be freed; NULL: the end of the input. `words`, which NULL ends, are
 * what Tab completes. */
char* step_input_line(const char* prompt, const char* const* words);
/* The lines typed so far, the oldest first. */
void step_input_history(void);
void step_input_free(void);
bool step_input_is_terminal(void);

#endif
