/* Spans of a script's callbacks: see addon_spans.c. */
#ifndef RONDO_NODE_ADDON_SPANS_H
#define RONDO_NODE_ADDON_SPANS_H

#include "addon_napi.h"

/* spans() → an object with the functions below, for the calling environment's loop. */
napi_value addon_spans(napi_env env, napi_callback_info info);

#endif
