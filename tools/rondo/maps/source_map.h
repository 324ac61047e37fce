/* Source maps, version 3, also those in sections: which place of a bundle was written
 * where, and under which name. A map comes from a file that anybody may have written: all
 * its contents are checked, and what it may take of memory is bounded. */
#ifndef RONDO_TOOL_SOURCE_MAP_H
#define RONDO_TOOL_SOURCE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source_map;

struct source_place {
  const char* source; /* as the map has it, behind its sourceRoot */
  uint32_t line;      /* from 1 */
  const char* name;   /* what is called so there, or NULL */
  bool exact;         /* it begins at the place asked for, not before */
};

/* NULL, and *problem says what is wrong with the map. */
struct source_map* source_map_read(const char* bytes, size_t size, const char** problem);
void source_map_free(struct source_map* map);
/* The place that this one of the bundle was made from; line from 1, column from 0, in
 * units of UTF-16. False: nothing is known. */
bool source_map_find(const struct source_map* map, uint32_t line, uint32_t column,
                     struct source_place* place);

#endif
