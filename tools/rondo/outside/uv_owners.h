/* Whose a handle or a request is: in C++ programs such as Node an object's class is known
 * by its table of virtual functions. */
#ifndef RONDO_TOOL_UV_OWNERS_H
#define RONDO_TOOL_UV_OWNERS_H

#include "target.h"

/* The class of the object at the address, "node::TCPWrap"; "" if there is none or it
 * isn't known. Valid until the next call. */
const char* owner_class(const struct target* target, uint64_t object);

#endif
