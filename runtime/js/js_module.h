/* Objects beside librondo-js.so that have a library of their own behind them, loaded when
 * a program first requires the module that needs them. What such an object exports begins
 * with MODULE_INTERFACE, a number that the build makes of the headers between the two:
 * one that was built from other headers is refused. */
#ifndef RONDO_JS_MODULE_H
#define RONDO_JS_MODULE_H

#include <stddef.h>

enum { MODULE_PROBLEM = 4096 + 256 };

/* The address of `symbol` in the object of this name, or NULL with the reason in
 * `problem`. */
const void* js_module_load(const char* name, const char* symbol, char* problem,
                           size_t size);

#endif
