/* Reads functions and strings of V8 in memory that another thread, or another process,
 * writes meanwhile: every pointer is read in a way that can't fault, and every object's
 * type is examined before its fields are believed. */
#ifndef RONDO_V8_HEAP_H
#define RONDO_V8_HEAP_H

#include "v8/v8_layout.h"

#include <stddef.h>

/* Copies memory; false if not all of it can be read. */
typedef bool (*v8_memory_reader)(void* data, uintptr_t address, void* to, size_t size);

struct v8_heap {
  struct v8_layout layout;
  v8_memory_reader read;
  void* data;
};

/* The three words that identify a function's code for as long as no collection moves the
 * code: while all three are the same, so is the function's name. */
struct v8_function {
  uintptr_t shared; /* the SharedFunctionInfo */
  uintptr_t name;   /* its name or its scope's description */
  uintptr_t script;
};

/* The function of a frame, from the two words that the layout gives the places of. False
 * if the frame isn't one of a JavaScript function. */
bool v8_function_of_frame(const struct v8_heap* heap, uintptr_t context,
                          uintptr_t function, struct v8_function* found);

/* "parse /app/server.js:12"; with the line where the function is defined. A function of
 * code that was made by eval or new Function has the place of the function that made it,
 * and a "(eval)" before that. False for functions of V8's own, which have no script, and
 * for what can't be read. */
bool v8_function_name(const struct v8_heap* heap, const struct v8_function* function,
                      char* text, size_t size);

/* --- v8_strings.c --- */
/* An object's first byte and its type; follows a collector that has just moved it. */
bool v8_object_open(const struct v8_heap* heap, uintptr_t word, uintptr_t* address,
                    int* type);
bool v8_read_word(const struct v8_heap* heap, uintptr_t address, uintptr_t* word);
/* A small integer; false if the word isn't one. */
bool v8_small_integer(uintptr_t word, int64_t* value);
/* As UTF-8, cut to the size. False if the word isn't a string. */
bool v8_string_read(const struct v8_heap* heap, uintptr_t word, char* text, size_t size);
/* Counts the lines that end before the position; -1 if the text can't be read. */
long v8_string_lines(const struct v8_heap* heap, uintptr_t word, int64_t position);

#endif
