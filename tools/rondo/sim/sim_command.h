/* `rondo sim`: argv[0] is "sim". Returns an exit code. */
#ifndef RONDO_SIM_COMMAND_H
#define RONDO_SIM_COMMAND_H

#include <signal.h>

struct sim_options;

int sim_main(int argc, char** argv);

/* For commands that run programs as `rondo sim` does: argv[next] is the script or the
 * program. Catches the signals that end the command; the flag that they set, or NULL
 * after a line on standard error. Afterwards, sim_folder_guard_end. */
const volatile sig_atomic_t* sim_prepare(const char* command, struct sim_options* options,
                                         char** argv, int next);

#endif
