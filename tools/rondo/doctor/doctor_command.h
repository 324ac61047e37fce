/* `rondo doctor [program]`: argv[0] is "doctor". Returns an exit code. */
#ifndef RONDO_TOOL_DOCTOR_COMMAND_H
#define RONDO_TOOL_DOCTOR_COMMAND_H

int doctor_main(int argc, char** argv);

#endif
