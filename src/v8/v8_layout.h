/* Where V8 keeps what a reader of its memory needs to name a JavaScript frame.
 *
 * V8 exports some 460 numbers for debuggers, as data symbols named v8dbg_…: offsets in
 * frames and objects, and types. These symbols are in the dynamic table of every Node
 * from 12 on, and of Debian's libnode. Whoever has a way to find their values, by dlsym
 * in this process or in the file of another, fills a layout with them. */
#ifndef RONDO_V8_LAYOUT_H
#define RONDO_V8_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

/* Offsets are from an object's first byte, those of a frame from its frame pointer. */
struct v8_layout {
  int frame_context, frame_function;
  int map_type;
  int context_type_first, context_type_last;
  int function_shared;
  int shared_type, shared_name, shared_script;
  int script_type, script_source, script_name, script_line_ends, script_eval_position;
  int scope_type, scope_locals, scope_vars;
  int string_types_end, string_form_mask, string_bytes_mask, string_length;
  int form_cons, form_external, form_sliced, form_thin, form_bytes;
  int cons_first, cons_second, sliced_parent, sliced_offset, thin_actual, external_data;
  int bytes_chars, words_chars;
  int array_length, array_data;
};

/* Writes the value of the constant with this name; false if there is none. */
typedef bool (*v8_constant_finder)(void* data, const char* name, int* value);

/* False if a constant is missing, or V8 was built in a way that isn't known here (with
 * compressed pointers). */
bool v8_layout_find(struct v8_layout* layout, v8_constant_finder find, void* data);

#endif
