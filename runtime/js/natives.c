/* The list of native modules: what `native(name)` in runtime/lib can ask for. Each is
 * made when it is first asked for. */
#include "js.h"

const js_native_t js_natives[] = {
    {"encoding", native_encoding},
    {"os", native_os},
    {"process", native_process},
    {"script", native_script},
    {"signals", native_signals},
    {"stdio", native_stdio},
    {"timers", native_timers},
    {"util", native_util},
    {NULL, NULL},
};
