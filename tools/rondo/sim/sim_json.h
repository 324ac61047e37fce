/* JSON on standard output. */
#ifndef RONDO_SIM_JSON_H
#define RONDO_SIM_JSON_H

#include <stddef.h>

/* A string with its quotes. Each byte that isn't UTF-8 becomes U+FFFD. */
void sim_json_text(const char* text, size_t length);

#endif
