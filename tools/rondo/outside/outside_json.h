/* `rondo why --json` of a process that isn't recorded. */
#ifndef RONDO_TOOL_OUTSIDE_JSON_H
#define RONDO_TOOL_OUTSIDE_JSON_H

#include "outside_state.h"

#include <stdio.h>

void outside_json(FILE* out, const struct seen* seen, struct target* target,
                  struct namer* namer);

#endif
