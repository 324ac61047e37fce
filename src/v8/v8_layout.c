/* The constants of V8 by name: see v8_layout.h. A constant that was renamed has all its
 * names here, the newest first. */
#include "v8/v8_layout.h"

#include <stddef.h>

enum { NAMES_MOST = 4, POINTER = 8, SMI_SHIFT = 31 };

struct constant {
  size_t field; /* of struct v8_layout */
  const char* names[NAMES_MOST];
};

#define FIELD(name) offsetof(struct v8_layout, name)

static const struct constant constants[] = {
    {FIELD(frame_context), {"off_fp_context"}},
    {FIELD(frame_function), {"off_fp_function"}},
    {FIELD(map_type), {"class_Map__instance_type__uint16_t"}},
    {FIELD(context_type_first), {"FirstContextType"}},
    {FIELD(context_type_last), {"LastContextType"}},
    {FIELD(function_shared), {"class_JSFunction__shared__SharedFunctionInfo"}},
    {FIELD(shared_type), {"type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE"}},
    {FIELD(shared_name),
     {"class_SharedFunctionInfo__name_or_scope_info__Tagged_NameOrScopeInfoT_",
      "class_SharedFunctionInfo__name_or_scope_info__Tagged_Object_",
      "class_SharedFunctionInfo__name_or_scope_info__Object"}},
    {FIELD(shared_script),
     {"class_SharedFunctionInfo__script__Tagged_HeapObject_",
      "class_SharedFunctionInfo__script_or_debug_info__Tagged_HeapObject_",
      "class_SharedFunctionInfo__script_or_debug_info__HeapObject"}},
    {FIELD(script_type), {"type_Script__SCRIPT_TYPE"}},
    {FIELD(script_name), {"class_Script__name__Object"}},
    {FIELD(script_line_ends), {"class_Script__line_ends__Object"}},
    {FIELD(script_eval_position), {"class_Script__eval_from_position__SMI"}},
    {FIELD(scope_type), {"type_ScopeInfo__SCOPE_INFO_TYPE"}},
    {FIELD(scope_locals), {"scopeinfo_idx_ncontextlocals"}},
    {FIELD(scope_vars), {"scopeinfo_idx_first_vars"}},
    {FIELD(string_types_end), {"FirstNonstringType"}},
    {FIELD(string_form_mask), {"StringRepresentationMask"}},
    {FIELD(string_bytes_mask), {"StringEncodingMask"}},
    {FIELD(string_length), {"class_String__length__int32_t"}},
    {FIELD(form_cons), {"ConsStringTag"}},
    {FIELD(form_external), {"ExternalStringTag"}},
    {FIELD(form_sliced), {"SlicedStringTag"}},
    {FIELD(form_thin), {"ThinStringTag"}},
    {FIELD(form_bytes), {"OneByteStringTag"}},
    {FIELD(cons_first), {"class_ConsString__first__String"}},
    {FIELD(cons_second), {"class_ConsString__second__String"}},
    {FIELD(sliced_parent), {"class_SlicedString__parent__String"}},
    {FIELD(sliced_offset), {"class_SlicedString__offset__SMI"}},
    {FIELD(thin_actual), {"class_ThinString__actual__String"}},
    {FIELD(external_data), {"class_ExternalString__resource__Object"}},
    {FIELD(bytes_chars), {"class_SeqOneByteString__chars__char"}},
    {FIELD(words_chars), {"class_SeqTwoByteString__chars__char"}},
    {FIELD(array_length), {"class_FixedArrayBase__length__SMI"}},
    {FIELD(array_data), {"class_FixedArray__data__uintptr_t"}},
};

static bool constant_find(const struct constant* constant, v8_constant_finder find,
                          void* data, int* value) {
  for (size_t i = 0; i < NAMES_MOST && constant->names[i] != NULL; i++) {
    if (find(data, constant->names[i], value))
      return true;
  }
  return false;
}

bool v8_layout_find(struct v8_layout* layout, v8_constant_finder find, void* data) {
  int shift;
  if (!find(data, "SmiShiftSize", &shift) || shift != SMI_SHIFT)
    return false;
  for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++) {
    int* field = (int*) (void*) ((char*) layout + constants[i].field);
    if (!constant_find(&constants[i], find, data, field))
      return false;
  }
  layout->external_data += POINTER; /* behind the resource: its characters */
  layout->script_source = layout->script_name - POINTER; /* Node 16 doesn't export it */
  return true;
}
