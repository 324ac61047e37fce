/* Facts that only V8 knows: the code that it generates, for sampled stacks, and where a
 * function is defined.
 *
 * V8's flags for generated code (--perf-basic-prof) write files: a map into /tmp and a
 * log into the program's working directory. V8's public interface for embedders calls
 * back instead. The interface is C++, so its functions are looked up by their mangled
 * names and the two structures are declared here, as they are in Node 16 to 26. A Node in
 * which the functions are not found has stacks without JavaScript and names without
 * places. */
#include "addon_code.h"

#include "rondo.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* --- v8::JitCodeEvent ------------------------------------------------------------------
 */

enum { CODE_ADDED = 0, CODE_MOVED = 1 };
enum { BYTE_CODE = 0 };
enum { ENUMERATE_EXISTING = 1 };

/* v8::JitCodeEvent */
struct jit_code_event {
  int type;
  int code_type;
  void* start;
  size_t size;
  void* script;
  void* user_data;
  void* wasm_source;
  union {
    struct {
      const char* text; /* without a terminator */
      size_t length;
    } name;
    void* moved_to;
    size_t line_information[3];
  };
  void* isolate;
};

/* v8::ScriptOrigin: its first fields, and room for the rest. */
struct script_origin {
  void* words[12];
};

typedef void (*jit_code_handler)(const struct jit_code_event* event);
typedef void (*collection_adder)(void* isolate, addon_collection callback, void* data,
                                 int kinds);
typedef void (*collection_remover)(void* isolate, addon_collection callback, void* data);

static struct {
  void* (*current)(void);
  void (*set_handler)(void* isolate, int options, jit_code_handler handler);
  void (*add_microtasks_done)(void* isolate, void (*done)(void* isolate, void* data),
                              void* data);
  collection_adder add_prologue, add_epilogue;
  collection_remover remove_prologue, remove_epilogue;
  /* V8's interface identifies a function by the address of a handle, as Node-API does. */
  int (*line)(const void* function);
  int (*column)(const void* function);
  struct script_origin (*origin)(const void* function);
  struct napi_value__* (*bound)(const void* function);
} engine;

static void engine_find(void* function, const char* name) {
  void* found = dlsym(RTLD_DEFAULT, name);
  memcpy(function, &found, sizeof(found));
}

/* In a mangled name: a pointer to a function that takes an isolate, v8::GCType,
 * v8::GCCallbackFlags and a pointer. */
#define GC_CALLBACK "EPFvPS0_NS_6GCTypeENS_15GCCallbackFlagsEPvE"

void addon_engine_find(void) {
  engine_find(&engine.current, "_ZN2v87Isolate10GetCurrentEv");
  engine_find(&engine.set_handler, "_ZN2v87Isolate22SetJitCodeEventHandlerENS_"
                                   "19JitCodeEventOptionsEPFvPKNS_12JitCodeEventEE");
  engine_find(&engine.add_microtasks_done,
              "_ZN2v87Isolate30AddMicrotasksCompletedCallbackEPFvPS0_PvES2_");
  engine_find(&engine.add_prologue,
              "_ZN2v87Isolate21AddGCPrologueCallback" GC_CALLBACK "S4_S2_");
  engine_find(&engine.add_epilogue,
              "_ZN2v87Isolate21AddGCEpilogueCallback" GC_CALLBACK "S4_S2_");
  engine_find(&engine.remove_prologue,
              "_ZN2v87Isolate24RemoveGCPrologueCallback" GC_CALLBACK "S4_");
  engine_find(&engine.remove_epilogue,
              "_ZN2v87Isolate24RemoveGCEpilogueCallback" GC_CALLBACK "S4_");
  engine_find(&engine.line, "_ZNK2v88Function19GetScriptLineNumberEv");
  engine_find(&engine.column, "_ZNK2v88Function21GetScriptColumnNumberEv");
  engine_find(&engine.origin, "_ZNK2v88Function15GetScriptOriginEv");
  engine_find(&engine.bound, "_ZNK2v88Function16GetBoundFunctionEv");
}

static void* isolate_current(void) {
  return engine.current == NULL ? NULL : engine.current();
}

/* --- names
 * ------------------------------------------------------------------------------ */

enum { CODE_NAME_SIZE = 512 };

static bool text_begins(const char** text, size_t* length, const char* start) {
  size_t count = strlen(start);
  if (*length < count || memcmp(*text, start, count) != 0)
    return false;
  *text += count;
  *length -= count;
  return true;
}

/* The index of ":number" at the end of the text; `length` if there is none. */
static size_t number_before(const char* text, size_t length) {
  size_t at = length;
  while (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9')
    at--;
  return at > 0 && at < length && text[at - 1] == ':' ? at - 1 : length;
}

/* Shortens "server.js:12:3" to "server.js:12"; not every V8 gives a column. */
static size_t without_column(const char* text, size_t length) {
  size_t column = number_before(text, length);
  return number_before(text, column) < column ? column : length;
}

/* The name is preceded by the tier of the code: "~", "^", "+", "*", "o*". */
static void skip_tier(const char** text, size_t* length) {
  size_t count = *length > 1 && **text == 'o' && strchr("*+", (*text)[1]) != NULL;
  while (count < *length && strchr("~*^+'", (*text)[count]) != NULL)
    count++;
  *text += count;
  *length -= count;
}

/* Only of a file is the column of use: whoever reads the recording finds the function in
 * a bundle, and in its source map, by it. */
static bool is_in_file(const char* text, size_t length) {
  return memmem(text, length, " /", 2) != NULL ||
         memmem(text, length, " file://", 8) != NULL;
}

/* Turns "JS:*parse file:///app/server.js:12:3" into "parse /app/server.js:12:3"; names
 * that aren't of a script stay as they are. */
static void code_name(char* name, const char* text, size_t length) {
  const char* url = NULL;
  if (text_begins(&text, &length, "JS:") || text_begins(&text, &length, "LazyCompile:") ||
      text_begins(&text, &length, "Function:") || text_begins(&text, &length, "Eval:") ||
      text_begins(&text, &length, "Script:")) {
    skip_tier(&text, &length);
    if (!is_in_file(text, length))
      length = without_column(text, length);
    url = memmem(text, length, " file://", 8);
  }
  const char* anonymous = length > 0 && *text == ' ' ? "(anonymous)" : "";
  if (url == NULL)
    snprintf(name, CODE_NAME_SIZE, "%s%.*s", anonymous, (int) length, text);
  else
    snprintf(name, CODE_NAME_SIZE, "%s%.*s %.*s", anonymous, (int) (url - text), text,
             (int) (length - (size_t) (url - text) - 8), url + 8);
}

static void code_event(const struct jit_code_event* event) {
  char name[CODE_NAME_SIZE];
  if (event->code_type == BYTE_CODE)
    return;
  if (event->type == CODE_ADDED) {
    size_t most = CODE_NAME_SIZE - 1;
    code_name(name, event->name.text,
              event->name.length < most ? event->name.length : most);
    rondo_trace_code(event->start, event->size, name);
  } else if (event->type == CODE_MOVED) {
    rondo_trace_code_moved(event->start, event->moved_to);
  }
}

void addon_name_code(void) {
  void* isolate = isolate_current();
  if (isolate != NULL && engine.set_handler != NULL)
    engine.set_handler(isolate, ENUMERATE_EXISTING, code_event);
}

bool addon_microtasks_watch(void (*done)(void* isolate, void* data), void* data) {
  void* isolate = isolate_current();
  if (isolate == NULL || engine.add_microtasks_done == NULL)
    return false;
  engine.add_microtasks_done(isolate, done, data);
  return true;
}

enum { ALL_KINDS = 0xff };

bool addon_collections_watch(addon_collection began, addon_collection ended, void* data) {
  void* isolate = isolate_current();
  if (isolate == NULL || engine.add_prologue == NULL || engine.add_epilogue == NULL ||
      engine.remove_prologue == NULL || engine.remove_epilogue == NULL)
    return false;
  engine.add_prologue(isolate, began, data, ALL_KINDS);
  engine.add_epilogue(isolate, ended, data, ALL_KINDS);
  return true;
}

void addon_collections_leave(addon_collection began, addon_collection ended, void* data) {
  void* isolate = isolate_current();
  if (isolate == NULL)
    return;
  engine.remove_prologue(isolate, began, data);
  engine.remove_epilogue(isolate, ended, data);
}

/* --- places
 * ----------------------------------------------------------------------------- */

/* V8 counts from 0, and returns -1 if the line isn't known. */
int addon_function_line(const struct napi_value__* function) {
  return engine.line == NULL ? 0 : engine.line(function) + 1;
}

int addon_function_column(const struct napi_value__* function) {
  return engine.column == NULL ? 0 : engine.column(function) + 1;
}

/* Until V8 12 the isolate comes before the script's name. */
struct napi_value__* addon_function_script(const struct napi_value__* function) {
  void* isolate = isolate_current();
  if (isolate == NULL || engine.origin == NULL)
    return NULL;
  struct script_origin origin = engine.origin(function);
  return origin.words[0] == isolate ? origin.words[1] : origin.words[0];
}

/* V8 returns undefined for a function that isn't bound. */
struct napi_value__* addon_function_target(const struct napi_value__* function) {
  return engine.bound == NULL ? NULL : engine.bound(function);
}
