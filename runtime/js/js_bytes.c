/* The memory of typed arrays, DataViews and ArrayBuffers, for C to read and write without
 * copying. How the engine's interface treats each kind is found out once, when the engine
 * is opened, with arrays made here, never with what a program happens to pass first. */
#include "js.h"

#include <stdlib.h>
#include <string.h>

static struct {
  bool of_view;      /* the engine's pointer is that of the view, not of its buffer */
  JSObjectRef bytes; /* turns a view that the interface doesn't know into a Uint8Array */
} known;

/* DataView and the newest typed arrays have no type in the engine's C interface. The
 * getters are saved, and nothing is looked up later, because a program may define
 * properties of the same names on views or prototypes. */
static const char VIEW_AS_BYTES[] =
    "((Uint8Array, isView, caller, getter) => {"
    "  const { prototype } = DataView, array = "
    "Object.getPrototypeOf(Uint8Array.prototype);"
    "  const get = (holder, name) => caller.call(caller.bind, caller,"
    "    getter(holder, name).get);"
    "  const buffer = get(prototype, 'buffer'), arrayBuffer = get(array, 'buffer');"
    "  const offset = get(prototype, 'byteOffset'), arrayOffset = get(array, "
    "'byteOffset');"
    "  const length = get(prototype, 'byteLength'), arrayLength = get(array, "
    "'byteLength');"
    "  return (value) => {"
    "    if (!isView(value)) return undefined;"
    "    try { return new Uint8Array(buffer(value), offset(value), length(value)); }"
    "    catch {}"
    "    try { return new Uint8Array(arrayBuffer(value), arrayOffset(value), "
    "arrayLength(value)); }"
    "    catch {}"
    "    return new Uint8Array(0);" /* detached, or beyond the end of its buffer */
    "  };"
    "})(Uint8Array, ArrayBuffer.isView, Function.prototype.call,"
    "  Object.getOwnPropertyDescriptor)";

static void bytes_free(void* bytes, void* context) {
  (void) context;
  free(bytes);
}

static void bytes_leave(void* bytes, void* context) {
  (void) bytes;
  (void) context;
}

/* The engine's pointer to a typed array is that of the whole buffer in some versions and
 * of the view in others. */
static int pointer_settle(void) {
  static uint8_t memory[2];
  JSObjectRef buffer = JSObjectMakeArrayBufferWithBytesNoCopy(
      js.ctx, memory, sizeof(memory), bytes_leave, NULL, NULL);
  if (buffer == NULL)
    return UV_ENOMEM;
  JSObjectRef view = JSObjectMakeTypedArrayWithArrayBufferAndOffset(
      js.ctx, kJSTypedArrayTypeUint8Array, buffer, 1, 1, NULL);
  if (view == NULL)
    return UV_ENOMEM;
  const uint8_t* pointer = JSObjectGetTypedArrayBytesPtr(js.ctx, view, NULL);
  known.of_view = pointer == memory + 1;
  return known.of_view || pointer == memory ? 0 : UV_ENOTSUP;
}

int js_bytes_open(void) {
  JSStringRef script = JSStringCreateWithUTF8CString(VIEW_AS_BYTES);
  JSValueRef made = JSEvaluateScript(js.ctx, script, NULL, NULL, 1, NULL);
  JSStringRelease(script);
  if (made == NULL || !JSValueIsObject(js.ctx, made))
    return UV_ENOTSUP;
  js_keep(made);
  known.bytes = (JSObjectRef) (uintptr_t) made;
  return pointer_settle();
}

static void typed_array_bytes(JSObjectRef view, uint8_t** bytes, size_t* length) {
  /* The offset is read last: taking the pointer pins the buffer, and a view without a
   * buffer gets one then. */
  *bytes = JSObjectGetTypedArrayBytesPtr(js.ctx, view, NULL);
  *length = JSObjectGetTypedArrayByteLength(js.ctx, view, NULL);
  if (*bytes == NULL)
    *length = 0; /* detached */
  else if (!known.of_view)
    *bytes += JSObjectGetTypedArrayByteOffset(js.ctx, view, NULL);
}

/* The interface gives the buffer of a WebAssembly memory only through a view of it. */
static void buffer_bytes(JSObjectRef buffer, uint8_t** bytes, size_t* length) {
  *bytes = JSObjectGetArrayBufferBytesPtr(js.ctx, buffer, NULL);
  *length = JSObjectGetArrayBufferByteLength(js.ctx, buffer, NULL);
  if (*bytes != NULL || *length == 0)
    return;
  JSObjectRef view = JSObjectMakeTypedArrayWithArrayBuffer(
      js.ctx, kJSTypedArrayTypeUint8Array, buffer, NULL);
  *length = 0;
  if (view != NULL)
    typed_array_bytes(view, bytes, length);
}

/* A Uint8Array over the same memory, or NULL if the value is no view. */
static JSObjectRef other_view(JSValueRef value) {
  if (!JSValueIsObject(js.ctx, value))
    return NULL;
  JSValueRef view = JSObjectCallAsFunction(js.ctx, known.bytes, NULL, 1, &value, NULL);
  return view != NULL && JSValueIsObject(js.ctx, view) ? (JSObjectRef) (uintptr_t) view
                                                       : NULL;
}

bool js_bytes(JSValueRef value, uint8_t** bytes, size_t* length) {
  JSTypedArrayType type = JSValueGetTypedArrayType(js.ctx, value, NULL);
  JSObjectRef object = (JSObjectRef) (uintptr_t) value;
  if (type == kJSTypedArrayTypeNone && (object = other_view(value)) == NULL)
    return false;
  if (type == kJSTypedArrayTypeArrayBuffer)
    buffer_bytes(object, bytes, length);
  else
    typed_array_bytes(object, bytes, length);
  return true;
}

/* Only for a WebAssembly memory does the interface give the bytes of a view but not those
 * of its buffer. */
bool js_bytes_may_move(JSValueRef value) {
  JSTypedArrayType type = JSValueGetTypedArrayType(js.ctx, value, NULL);
  JSObjectRef object = (JSObjectRef) (uintptr_t) value;
  if (type == kJSTypedArrayTypeNone && (object = other_view(value)) == NULL)
    return false;
  if (type != kJSTypedArrayTypeArrayBuffer)
    object = JSObjectGetTypedArrayBuffer(js.ctx, object, NULL);
  return object != NULL && JSObjectGetArrayBufferBytesPtr(js.ctx, object, NULL) == NULL;
}

JSValueRef js_bytes_take(void* bytes, size_t length) {
  JSValueRef exception = NULL;
  JSObjectRef array = JSObjectMakeTypedArrayWithBytesNoCopy(
      js.ctx, kJSTypedArrayTypeUint8Array, bytes, length, bytes_free, NULL, &exception);
  return array != NULL ? array : js_undefined();
}

JSValueRef js_shared(JSTypedArrayType type, void* bytes, size_t length) {
  return JSObjectMakeTypedArrayWithBytesNoCopy(js.ctx, type, bytes, length, bytes_leave,
                                               NULL, NULL);
}
