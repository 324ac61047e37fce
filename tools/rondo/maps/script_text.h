/* The text of a script: its lines, and where in them the name of a function stands.
 * Columns are counted as JavaScript does, in units of UTF-16. */
#ifndef RONDO_TOOL_SCRIPT_TEXT_H
#define RONDO_TOOL_SCRIPT_TEXT_H

#include "script_file.h"

struct script_lines {
  const char* text;
  size_t size;
  size_t* starts; /* of each line, and the size of all behind the last; NULL: no memory */
  size_t count;
};

/* `text` stays the caller's, and has to stay; `starts` is to be freed. */
void script_lines_make(struct script_lines* lines, const char* text, size_t size);

/* Columns from 0. */
struct script_spot {
  uint32_t column;      /* of the function */
  bool is_named;        /* the name that it has in the script stands */
  uint32_t name_column; /* here */
};

/* Engines give the place of what follows the name, "(" mostly. Where an engine knows no
 * column, the function is looked for by its name in its line, and found if there is one
 * only. False: it wasn't. */
bool script_spot_find(const struct script_lines* lines,
                      const struct script_function* function, struct script_spot* spot);

/* Decodes base64, up to what isn't; returns how many bytes that are. */
size_t script_base64(char* out, const char* text, size_t length);

#endif
