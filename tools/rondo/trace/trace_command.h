/* `rondo trace`: argv[0] is "trace". Returns an exit code: the program's own, if one was
 * run. */
#ifndef RONDO_TOOL_TRACE_COMMAND_H
#define RONDO_TOOL_TRACE_COMMAND_H

int trace_main(int argc, char** argv);

#endif
