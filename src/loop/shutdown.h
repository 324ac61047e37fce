/* A room that keeps something for the whole process (a pool, a table of signals)
 * registers a function here, once, which uv_library_shutdown calls to free it. */
#ifndef RONDO_SHUTDOWN_H
#define RONDO_SHUTDOWN_H

void library_at_shutdown(void (*call)(void));

#endif
