/* Runs a script: loads librondo-js.so, which has the engine in it. */
#ifndef RONDO_TOOL_ENGINE_H
#define RONDO_TOOL_ENGINE_H

#include "js/js_start.h"

/* Ends the process with the script's exit code. Returns an exit code if the engine can't
 * be loaded, which has been reported with the cure. */
int engine_run(const struct js_options* options);

#endif
