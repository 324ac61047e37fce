/* How a recorded process is called on a screen: by the script that it runs, where there
 * is one, since the path of an interpreter says nothing and fills a line. */
#ifndef RONDO_TOOL_LIVE_TITLE_H
#define RONDO_TOOL_LIVE_TITLE_H

#include <stddef.h>

/* `command`: the arguments, each with a NUL behind it, and an empty one at the end.
 * "server.js (node)", or the program's name. To be freed. */
char* live_title(const char* command, size_t size);
/* The arguments in a line, the program without its folders. To be freed. */
char* live_command_line(const char* command, size_t size);

#endif
