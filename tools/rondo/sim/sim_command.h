/* `rondo sim`: argv[0] is "sim". Returns an exit code. */
#ifndef RONDO_SIM_COMMAND_H
#define RONDO_SIM_COMMAND_H

int sim_main(int argc, char** argv);

#endif
