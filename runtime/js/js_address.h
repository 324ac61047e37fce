/* Addresses between JavaScript and the library. */
#ifndef RONDO_JS_ADDRESS_H
#define RONDO_JS_ADDRESS_H

#include "js.h"

/* Reads an address and a port, the arguments at `index` and `index` + 1: 0 or an error.
 */
int js_address_arg(size_t argc, const JSValueRef argv[], size_t index,
                   struct sockaddr_storage* out);

/* An address as JavaScript has it: { address, family, port }; null if it is none. */
JSValueRef js_address_value(const struct sockaddr_storage* address);

/* The return value of a function that asks for an address: the address, or a negative
 * error. */
JSValueRef js_address_answer(int err, const struct sockaddr_storage* address);

#endif
