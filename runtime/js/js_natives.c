/* The list of native modules, for `native(name)` in runtime/lib. A module is made when it
 * is first asked for. */
#include "js.h"

const struct js_native js_natives[] = {
    {"contexts", native_contexts},
    {"credentials", native_credentials},
    {"crypto", native_crypto},
    {"dns", native_dns},
    {"encoding", native_encoding},
    {"fs", native_fs},
    {"handle", native_handle},
    {"http", native_http},
    {"names", native_names},
    {"os", native_os},
    {"process", native_process},
    {"prompt", native_prompt},
    {"script", native_script},
    {"signals", native_signals},
    {"spawn", native_spawn},
    {"stdio", native_stdio},
    {"stream", native_stream},
    {"timers", native_timers},
    {"tls", native_tls},
    {"udp", native_udp},
    {"util", native_util},
    {"zlib", native_zlib},
    {NULL, NULL},
};
