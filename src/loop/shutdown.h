/* What a room keeps for the whole process (a pool, a table of signals) it registers here,
 * once, to be given back by uv_library_shutdown. */
#ifndef RONDO_SHUTDOWN_H
#define RONDO_SHUTDOWN_H

void library_at_shutdown(void (*call)(void));

#endif
