/* native('names'): names of the program's functions for the recorder of `rondo trace`,
 * and the engine's samples of functions that held the loop up. Nothing here is used, and
 * no sampler runs, unless the loop is recorded.
 *
 * The engine's own profiler knows inlined functions and the line being executed, where
 * js_frames.c knows only a function's first line. The profiler samples all the time, so
 * it is used for `rondo trace` only; its samples are dropped now and then, unless the
 * recorder asks for them after a stall. */
#include "js.h"

#include "../node/tracing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From the engine's private header; older versions don't have them. */
extern bool JSContextGroupEnableSamplingProfiler(JSContextGroupRef group)
    __attribute__((weak));
extern JSStringRef JSContextGroupTakeSamplesFromSamplingProfiler(JSContextGroupRef group)
    __attribute__((weak));

static struct {
  JSObjectRef of_call; /* (function, its first argument) → name */
  JSObjectRef samples; /* (JSON, since when in microseconds) → a line for each */
} names;

void js_name_callback(JSObjectRef function, size_t argc, const JSValueRef argv[]) {
  if (!rondo_trace_active(js.loop))
    return;
  JSValueRef arguments[] = {function, js_arg(argc, argv, 0)};
  JSValueRef value =
      names.of_call == NULL
          ? js_get(function, "name")
          : JSObjectCallAsFunction(js.ctx, names.of_call, NULL, 2, arguments, NULL);
  char* name = value == NULL ? NULL : js_utf8(value, NULL);
  if (name != NULL && *name != '\0')
    rondo_trace_name(js.loop, name);
  free(name);
}

/* --- samples -------------------------------------------------------------------------
 */

enum { FRAMES_MOST = 96 };

/* "12345\tinner /app/x.js:3\touter /app/x.js:9" */
static void write_sample(char* line) {
  const char* frames[FRAMES_MOST];
  size_t count = 0;
  char* rest;
  uint64_t us = strtoull(line, &rest, 10);
  for (char* frame = strtok_r(rest, "\t", &rest); frame != NULL && count < FRAMES_MOST;
       frame = strtok_r(NULL, "\t", &rest))
    frames[count++] = frame;
  if (count > 0)
    rondo_trace_stack(js.loop, us * 1000, frames, count);
}

static void write_samples(JSStringRef json, uint64_t from_ns) {
  JSValueRef arguments[] = {JSValueMakeString(js.ctx, json),
                            js_number((double) from_ns / 1e3)};
  JSValueRef value =
      JSObjectCallAsFunction(js.ctx, names.samples, NULL, 2, arguments, NULL);
  char* text = value == NULL ? NULL : js_utf8(value, NULL);
  char* rest = NULL;
  for (char* line = text == NULL ? NULL : strtok_r(text, "\n", &rest); line != NULL;
       line = strtok_r(NULL, "\n", &rest))
    write_sample(line);
  free(text);
}

static void take_samples(uv_loop_t* loop, uint64_t from_ns) {
  (void) loop;
  if (from_ns == UINT64_MAX || names.samples == NULL) {
    JSStringRelease(
        JSContextGroupTakeSamplesFromSamplingProfiler(JSContextGetGroup(js.ctx)));
    return;
  }
  /* Takes milliseconds, which are recorded as a span of the recorder's own. */
  int span = rondo_trace_begin(js.loop, "(rondo trace: reads the engine's samples)");
  JSStringRef json =
      JSContextGroupTakeSamplesFromSamplingProfiler(JSContextGetGroup(js.ctx));
  write_samples(json, from_ns);
  JSStringRelease(json);
  rondo_trace_end(js.loop, span);
}

/* --- life ----------------------------------------------------------------------------
 */

bool js_names_wanted(void) {
  return rondo_trace_active(js.loop) != 0;
}

void js_names_open(void) {
  /* The main script is the first step. The engine's sampling thread would look at the
   * clock, which stands still between steps. */
  if (js_step_join())
    return;
  if (js_names_wanted())
    js_frames_open();
  if (!js_names_wanted() || getenv("RONDO_TRACE") == NULL ||
      JSContextGroupEnableSamplingProfiler == NULL ||
      JSContextGroupTakeSamplesFromSamplingProfiler == NULL ||
      !JSContextGroupEnableSamplingProfiler(JSContextGetGroup(js.ctx)))
    return;
  rondo_trace_stacks_from(js.loop, take_samples);
}

/* set(nameOfCall, readSamples) */
static JSValueRef set(JS_ARGS) {
  JS_UNUSED;
  names.of_call = js_arg_function(argc, argv, 0);
  names.samples = js_arg_function(argc, argv, 1);
  if (names.of_call != NULL)
    js_keep(names.of_call);
  if (names.samples != NULL)
    js_keep(names.samples);
  return js_undefined();
}

void native_names(JSObjectRef exports) {
  static const struct js_method methods[] = {{"set", set}, {NULL, NULL}};
  js_methods(exports, methods);
  js_set(exports, "wanted", js_boolean(js_names_wanted()));
}
