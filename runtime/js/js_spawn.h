/* The common part of spawn and spawnSync: the description of a child, read from
 * JavaScript. */
#ifndef RONDO_JS_SPAWN_H
#define RONDO_JS_SPAWN_H

#include "js.h"

struct child {
  uv_process_options_t options;
  uv_stdio_container_t* stdio;
  size_t stdio_count;
};

/* Reads { file, args, env, cwd, detached, uid, gid }, where env is a list of texts
 * "name=value"; the stdio part is left to the
 * caller, who gets room for stdio_count streams. False without memory. */
bool js_child_read(struct child* child, JSObjectRef description, size_t stdio_count);
void js_child_free(struct child* child);

/* One entry of a stdio list: { type: 'ignore' | 'pipe' | 'fd' …, fd }. */
JSObjectRef js_child_stdio_at(JSObjectRef list, size_t index);
size_t js_array_length(JSObjectRef array);

#endif
