/* `rondo learn`: argv[0] is "learn". Returns an exit code. */
#ifndef RONDO_LEARN_COMMAND_H
#define RONDO_LEARN_COMMAND_H

int learn_main(int argc, char** argv);

#endif
