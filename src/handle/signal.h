/* Signal handles, for the rest of the room. */
#ifndef RONDO_SIGNAL_H
#define RONDO_SIGNAL_H

#include "uv.h"

/* As if the handle had caught its signal once more. */
void signal_feed(uv_signal_t* handle);

#endif
