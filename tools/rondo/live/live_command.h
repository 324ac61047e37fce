/* Commands for processes that are recorded into a ring; each is a main function. */
#ifndef RONDO_TOOL_LIVE_COMMAND_H
#define RONDO_TOOL_LIVE_COMMAND_H

int dump_main(int argc, char** argv);
int why_main(int argc, char** argv);
int top_main(int argc, char** argv);

#endif
