/* Commands for processes that are recorded into a ring; each is a main function. */
#ifndef RONDO_TOOL_LIVE_COMMAND_H
#define RONDO_TOOL_LIVE_COMMAND_H

int dump_main(int argc, char** argv);
int why_main(int argc, char** argv);
int top_main(int argc, char** argv);

/* Reports what is wrong with a command line, and its usage; returns the exit code.
 * Without `argument` the process id is missing. */
int live_bad_usage(const char* command, const char* usage, const char* argument);

#endif
