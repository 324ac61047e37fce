/* native('script'): source text to functions, for the module loader, and the embedded
 * files of runtime/lib. */
#include "js.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void* key, const void* item) {
  return strcmp(key, ((const struct js_embedded*) item)->name);
}

static const struct js_embedded* find_embedded(const char* name) {
  return bsearch(name, js_embedded, js_embedded_count, sizeof(*js_embedded), by_name);
}

JSValueRef script_embedded(const char* name, JSValueRef* exception) {
  const struct js_embedded* file = find_embedded(name);
  char url[256] = "node:";
  if (file == NULL)
    return js_undefined();
  strncat(url, name, sizeof(url) - 6);
  JSStringRef address = JSStringCreateWithUTF8CString(url);
  JSStringRef source = JSStringCreateWithUTF8CString(file->source);
  JSValueRef value = JSEvaluateScript(js.ctx, source, NULL, address, 1, exception);
  JSStringRelease(source);
  JSStringRelease(address);
  return value != NULL ? value : js_undefined();
}

/* embedded(name) → the value of the file, or undefined if there is none */
static JSValueRef embedded(JS_ARGS) {
  (void) ctx, (void) function, (void) self;
  char* name = js_arg_utf8(argc, argv, 0);
  JSValueRef value = name != NULL ? script_embedded(name, exception) : js_undefined();
  free(name);
  return value;
}

static JSValueRef has_embedded(JS_ARGS) {
  JS_UNUSED;
  char* name = js_arg_utf8(argc, argv, 0);
  bool found = name != NULL && find_embedded(name) != NULL;
  free(name);
  return js_boolean(found);
}

/* evaluate(source, file name, first line) → the value of the program */
static JSValueRef evaluate(JS_ARGS) {
  (void) ctx, (void) function, (void) self;
  JSStringRef source = JSValueToStringCopy(js.ctx, js_arg(argc, argv, 0), exception);
  if (source == NULL)
    return js_undefined();
  JSStringRef url = JSValueToStringCopy(js.ctx, js_arg(argc, argv, 1), exception);
  JSValueRef value = NULL;
  if (url != NULL) {
    value = JSEvaluateScript(js.ctx, source, NULL, url, js_arg_int(argc, argv, 2, 1),
                             exception);
    JSStringRelease(url);
  }
  JSStringRelease(source);
  return value != NULL ? value : js_undefined();
}

void native_script(JSObjectRef exports) {
  static const struct js_method methods[] = {
      {"embedded", embedded},
      {"hasEmbedded", has_embedded},
      {"evaluate", evaluate},
      {NULL, NULL},
  };
  js_methods(exports, methods);
}
