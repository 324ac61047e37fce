/* Names of the code that V8 generates, for the samples of a blocked loop's stack.
 *
 * V8's flags for that (--perf-basic-prof) write files: a map into /tmp and a log into the
 * program's working directory. Its public interface for embedders calls back instead.
 * That is C++, so the two functions are looked up by their mangled names and the one
 * structure is declared here; both are the same in Node 16 to 26. A Node in which they
 * are not found has stacks without JavaScript. */
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

typedef void (*jit_code_handler)(const struct jit_code_event* event);
typedef void* (*isolate_current_function)(void);
typedef void (*isolate_set_handler_function)(void* isolate, int options,
                                             jit_code_handler handler);

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

/* Where ":number" at the end begins; `length` if there is none. */
static size_t number_before(const char* text, size_t length) {
  size_t at = length;
  while (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9')
    at--;
  return at > 0 && at < length && text[at - 1] == ':' ? at - 1 : length;
}

/* "server.js:12:3" is "server.js:12"; not every V8 has a column. */
static size_t without_column(const char* text, size_t length) {
  size_t column = number_before(text, length);
  return number_before(text, column) < column ? column : length;
}

/* The tier of the code stands before the name: "~", "^", "+", "*", "o*". */
static void skip_tier(const char** text, size_t* length) {
  size_t count = *length > 1 && **text == 'o' && strchr("*+", (*text)[1]) != NULL;
  while (count < *length && strchr("~*^+'", (*text)[count]) != NULL)
    count++;
  *text += count;
  *length -= count;
}

/* "JS:*parse file:///app/server.js:12:3" is "parse /app/server.js:12"; what isn't of a
 * script stays as it is. */
static void code_name(char* name, const char* text, size_t length) {
  const char* url = NULL;
  if (text_begins(&text, &length, "JS:") || text_begins(&text, &length, "LazyCompile:") ||
      text_begins(&text, &length, "Function:") || text_begins(&text, &length, "Eval:") ||
      text_begins(&text, &length, "Script:")) {
    skip_tier(&text, &length);
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
  isolate_current_function current;
  isolate_set_handler_function set_handler;
  void* found = dlsym(RTLD_DEFAULT, "_ZN2v87Isolate10GetCurrentEv");
  memcpy(&current, &found, sizeof(current));
  found = dlsym(RTLD_DEFAULT, "_ZN2v87Isolate22SetJitCodeEventHandlerENS_"
                              "19JitCodeEventOptionsEPFvPKNS_12JitCodeEventEE");
  memcpy(&set_handler, &found, sizeof(set_handler));
  void* isolate = current == NULL || set_handler == NULL ? NULL : current();
  if (isolate != NULL)
    set_handler(isolate, ENUMERATE_EXISTING, code_event);
}
