/* Announces the code that V8 has generated, and all that it will generate, in the calling
 * thread's isolate: to rondo_trace_code. */
#ifndef RONDO_NODE_ADDON_CODE_H
#define RONDO_NODE_ADDON_CODE_H

void addon_name_code(void);

#endif
