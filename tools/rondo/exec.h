/* `rondo exec`: argv[0] is "exec". Returns an exit code if it returns at all. */
#ifndef RONDO_TOOL_EXEC_H
#define RONDO_TOOL_EXEC_H

int exec_main(int argc, char** argv);

#endif
