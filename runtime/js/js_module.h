/* Objects beside librondo-js.so that have a library of their own behind them, loaded when
 * a program first requires the module that needs them. */
#ifndef RONDO_JS_MODULE_H
#define RONDO_JS_MODULE_H

#include <stddef.h>

enum { MODULE_PROBLEM = 4096 + 256 };

/* The address of `symbol` in the object of this name, or NULL with the reason in
 * `problem`. */
const void* js_module_load(const char* name, const char* symbol, char* problem,
                           size_t size);

#endif
