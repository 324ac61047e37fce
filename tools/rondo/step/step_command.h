/* `rondo step`: argv[0] is the command's own file. Returns the exit code. */
#ifndef RONDO_TOOL_STEP_COMMAND_H
#define RONDO_TOOL_STEP_COMMAND_H

int step_main(int argc, char** argv);

#endif
