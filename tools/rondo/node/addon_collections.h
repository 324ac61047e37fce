/* Records V8's garbage collections. */
#ifndef RONDO_NODE_ADDON_COLLECTIONS_H
#define RONDO_NODE_ADDON_COLLECTIONS_H

#include "addon_napi.h"

/* watchCollections(minor, major, incremental, weak): the bits of these kinds */
napi_value addon_watch_collections(napi_env env, napi_callback_info info);

#endif
