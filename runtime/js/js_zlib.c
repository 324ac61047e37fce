/* native('zlib'): codecs of librondo-zlib.so (zlib/codec.h) for runtime/lib, run on a
 * thread of the pool or at once. The object is loaded here, when it is first asked for.
 *
 * JavaScript holds a token. A codec ends when it is closed or its token is collected; one
 * that is being run is closed after that. */
#include "js_contexts.h"
#include "js_module.h"
#include "zlib/codec.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Exported by the engine's library, but not declared in any header: memory that a
 * collection of the token would free. */
extern void JSReportExtraMemoryCost(JSContextRef ctx, size_t size);

/* A report brings the next collection nearer, and can't be taken back when a codec is
 * closed, as most are at once. Only where many are open may some be forgotten ones. */
enum { MANY_OPEN = 64 };
static atomic_uint open_codecs; /* a token may be finalized on another thread */

static void codec_free(struct codec* codec) {
  codec->kind->close(codec);
  atomic_fetch_sub(&open_codecs, 1);
}

static const struct codec_library* library;
static JSObjectRef on_done; /* (owner, out left, in left[, message, number, code]) */

struct zlib_work {
  uv_work_t uv;
  struct codec* codec;
  JSObjectRef token, owner;
  JSObjectRef context;
  JSValueRef in, out; /* kept until the work is done */
  uint8_t* copy;      /* of bytes that may move, or NULL */
  struct codec_step step;
  bool closed; /* meanwhile: the codec goes after the call */
};

/* The contents of a token. */
struct zlib_held {
  struct codec* codec;
  struct zlib_work* work; /* under way, or NULL */
};

static void held_finalize(JSObjectRef token) {
  struct zlib_held* held = JSObjectGetPrivate(token);
  if (held->codec != NULL)
    codec_free(held->codec);
  free(held);
}

static JSClassRef held_class(void) {
  static JSClassRef class;
  if (class == NULL) {
    JSClassDefinition definition = kJSClassDefinitionEmpty;
    definition.className = "Codec";
    definition.finalize = held_finalize;
    class = JSClassCreate(&definition);
  }
  return class;
}

/* NULL, and an exception, if the argument is no token or was closed. */
static struct zlib_held* held_arg(size_t argc, const JSValueRef argv[],
                                  JSValueRef* exception) {
  struct zlib_held* held = NULL;
  if (argc > 0 && JSValueIsObjectOfClass(js.ctx, argv[0], held_class()))
    held = JSObjectGetPrivate((JSObjectRef) (uintptr_t) argv[0]);
  if (held != NULL && held->codec != NULL && held->work == NULL)
    return held;
  *exception = js_error("Error", "ERR_INTERNAL_ASSERTION", "%s",
                        held != NULL && held->work != NULL ? "write already in progress"
                                                           : "zlib binding closed");
  return NULL;
}

/* ---- loading --------------------------------------------------------------------------
 */

/* ---- codecs
 * ----------------------------------------------------------------------------- */

static bool parameters_read(struct codec_options* options, JSObjectRef list) {
  for (unsigned i = 0; list != NULL && i < CODEC_PARAMETERS; i++) {
    JSValueRef value = JSObjectGetPropertyAtIndex(js.ctx, list, i, NULL);
    options->given[i] = value != NULL && !JSValueIsUndefined(js.ctx, value);
    if (options->given[i])
      options->parameters[i] = (uint32_t) (int64_t) js_arg_number(1, &value, 0, 0);
  }
  return true;
}

static bool dictionary_read(struct codec_options* options, JSValueRef value) {
  uint8_t* bytes;
  size_t length;
  if (!js_bytes(value, &bytes, &length) || length == 0)
    return true;
  options->dictionary = malloc(length);
  if (options->dictionary == NULL)
    return false;
  memcpy(options->dictionary, bytes, length);
  options->dictionary_size = length;
  return true;
}

/* open(mode, window bits, level, memory level, strategy, dictionary, parameters) → a
 * token, or undefined if the parameters are refused or there is no memory */
static JSValueRef zlib_open(JS_ARGS) {
  JS_UNUSED;
  struct codec_options options = {
      .mode = (enum codec_mode) js_arg_int(argc, argv, 0, 0),
      .window_bits = js_arg_int(argc, argv, 1, 0),
      .level = js_arg_int(argc, argv, 2, 0),
      .memory_level = js_arg_int(argc, argv, 3, 0),
      .strategy = js_arg_int(argc, argv, 4, 0),
  };
  struct zlib_held* held = calloc(1, sizeof(*held));
  parameters_read(&options, js_arg_object(argc, argv, 6));
  if (held == NULL || !dictionary_read(&options, js_arg(argc, argv, 5))) {
    free(held);
    return js_undefined();
  }
  const struct codec_kind* kind = library->kind(options.mode);
  held->codec = kind->open(&options);
  if (held->codec == NULL) {
    free(held);
    return js_undefined();
  }
  if (atomic_fetch_add(&open_codecs, 1) >= MANY_OPEN)
    JSReportExtraMemoryCost(js.ctx, kind->memory);
  return JSObjectMake(js.ctx, held_class(), held);
}

static void work_free(struct zlib_work* work) {
  js_context_end(work->context);
  js_drop(work->token);
  js_drop(work->owner);
  js_drop(work->in);
  js_drop(work->out);
  free(work->copy);
  free(work);
}

static void held_close(struct zlib_held* held) {
  if (held->work != NULL)
    held->work->closed = true;
  else if (held->codec != NULL)
    codec_free(held->codec);
  held->codec = NULL;
}

/* close(token): a second close does nothing */
static JSValueRef zlib_close(JS_ARGS) {
  JS_UNUSED;
  if (argc > 0 && JSValueIsObjectOfClass(js.ctx, argv[0], held_class()))
    held_close(JSObjectGetPrivate((JSObjectRef) (uintptr_t) argv[0]));
  return js_undefined();
}

/* ---- steps
 * ------------------------------------------------------------------------------ */

/* The result of a step: how much room and input are left, and the error if there is one.
 */
static size_t step_result(const struct codec* codec, const struct codec_step* step,
                          JSValueRef values[5]) {
  struct codec_error error = codec->kind->error(codec);
  values[0] = js_number(step->out_left);
  values[1] = js_number(step->in_left);
  if (error.message == NULL)
    return 2;
  values[2] = js_string(error.message);
  values[3] = js_number(error.number);
  values[4] = js_string(error.code);
  return 5;
}

/* Arguments from `index` on: bytes, offset, length. False unless the part is within. */
static bool part_arg(size_t argc, const JSValueRef argv[], size_t index, uint8_t** part,
                     uint32_t* left) {
  uint8_t* bytes = NULL;
  size_t length = 0;
  double offset = js_arg_number(argc, argv, index + 1, 0);
  double wanted = js_arg_number(argc, argv, index + 2, 0);
  *part = NULL;
  *left = 0;
  if (!js_bytes(js_arg(argc, argv, index), &bytes, &length))
    return wanted == 0;
  if (!(offset >= 0 && wanted >= 0 && wanted <= UINT32_MAX &&
        offset + wanted <= (double) length))
    return false;
  *part = bytes != NULL ? bytes + (size_t) offset : NULL;
  *left = (uint32_t) wanted;
  return true;
}

static bool step_args(size_t argc, const JSValueRef argv[], struct codec_step* step,
                      JSValueRef* exception) {
  static uint8_t nothing[1];
  uint8_t* in;
  step->flush = js_arg_int(argc, argv, 1, 0);
  if (!part_arg(argc, argv, 2, &in, &step->in_left) ||
      !part_arg(argc, argv, 5, &step->out, &step->out_left)) {
    *exception = js_error("RangeError", "ERR_OUT_OF_RANGE",
                          "A part of a buffer is outside of the buffer");
    return false;
  }
  /* The libraries refuse a pointer that leads nowhere, even for no bytes. */
  step->in = in != NULL ? in : nothing;
  if (step->out == NULL)
    step->out = nothing;
  return true;
}

/* writeSync(token, flush, in, offset, length, out, offset, length) → [out left, in left]
 * and maybe an error's message, number and code */
static JSValueRef zlib_write_sync(JS_ARGS) {
  JS_UNUSED;
  struct codec_step step;
  JSValueRef values[5];
  struct zlib_held* held = held_arg(argc, argv, exception);
  if (held == NULL || !step_args(argc, argv, &step, exception))
    return js_undefined();
  held->codec->kind->run(held->codec, &step);
  return js_array(step_result(held->codec, &step, values), values);
}

static void work_run(uv_work_t* uv) {
  struct zlib_work* work = (struct zlib_work*) uv;
  work->codec->kind->run(work->codec, &work->step);
}

static void work_done(uv_work_t* uv, int status) {
  struct zlib_work* work = (struct zlib_work*) uv;
  struct zlib_held* held = JSObjectGetPrivate(work->token);
  JSValueRef values[6] = {work->owner};
  (void) status; /* nobody cancels */
  held->work = NULL;
  size_t count = 1 + step_result(work->codec, &work->step, values + 1);
  if (work->closed)
    codec_free(work->codec);
  /* The owner is on this stack, where the collector finds it. */
  js_context_next(work->context);
  work_free(work);
  js_call_scoped(on_done, NULL, count, values);
}

static bool work_copy(struct zlib_work* work) {
  if (!js_bytes_may_move(work->in) || work->step.in_left == 0)
    return true;
  work->copy = malloc(work->step.in_left);
  if (work->copy == NULL)
    return false;
  memcpy(work->copy, work->step.in, work->step.in_left);
  work->step.in = work->copy;
  return true;
}

/* write(token, flush, in, offset, length, out, offset, length, owner): calls back what
 * setCallback got, on the loop, also if the codec is closed meanwhile */
static JSValueRef zlib_write(JS_ARGS) {
  JS_UNUSED;
  struct codec_step step;
  struct zlib_held* held = held_arg(argc, argv, exception);
  JSObjectRef owner = js_arg_object(argc, argv, 8);
  if (held == NULL || owner == NULL || !step_args(argc, argv, &step, exception))
    return js_undefined();
  struct zlib_work* work = calloc(1, sizeof(*work));
  if (work == NULL) {
    *exception = js_uv_error(UV_ENOMEM, "write", NULL, NULL);
    return js_undefined();
  }
  *work = (struct zlib_work){.codec = held->codec,
                             .token = (JSObjectRef) (uintptr_t) argv[0],
                             .owner = owner,
                             .in = argv[2],
                             .out = argv[5],
                             .step = step};
  work->context = js_context_capture("ZLIB", NULL);
  js_keep(work->token);
  js_keep(work->owner);
  js_keep(work->in);
  js_keep(work->out);
  char* origin = js_origin();
  js_origin_report(origin);
  free(origin);
  int err = work_copy(work) ? uv_queue_work(js.loop, &work->uv, work_run, work_done)
                            : UV_ENOMEM;
  if (err < 0) {
    work_free(work);
    *exception = js_uv_error(err, "write", NULL, NULL);
  } else {
    held->work = work;
  }
  return js_undefined();
}

/* ---- the rest
 * --------------------------------------------------------------------------- */

static JSValueRef error_of(const struct codec* codec) {
  struct codec_step step = {0};
  JSValueRef values[5];
  return js_array(step_result(codec, &step, values), values);
}

/* params(token, level, strategy) and reset(token) → as writeSync */
static JSValueRef zlib_params(JS_ARGS) {
  JS_UNUSED;
  struct zlib_held* held = held_arg(argc, argv, exception);
  if (held == NULL)
    return js_undefined();
  held->codec->kind->change(held->codec, js_arg_int(argc, argv, 1, 0),
                            js_arg_int(argc, argv, 2, 0));
  return error_of(held->codec);
}

static JSValueRef zlib_reset(JS_ARGS) {
  JS_UNUSED;
  struct zlib_held* held = held_arg(argc, argv, exception);
  if (held == NULL)
    return js_undefined();
  held->codec->kind->reset(held->codec);
  return error_of(held->codec);
}

static JSValueRef zlib_crc32(JS_ARGS) {
  JS_UNUSED;
  uint8_t* bytes;
  size_t length;
  if (!js_bytes(js_arg(argc, argv, 0), &bytes, &length))
    return js_undefined();
  uint32_t before = (uint32_t) js_arg_number(argc, argv, 1, 0);
  return js_number(bytes != NULL ? library->crc32(before, bytes, length) : before);
}

static JSValueRef zlib_set_callback(JS_ARGS) {
  JS_UNUSED;
  on_done = js_arg_function(argc, argv, 0);
  if (on_done != NULL)
    js_keep(on_done);
  return js_undefined();
}

void native_zlib(JSObjectRef exports) {
  static const struct js_method methods[] = {
      {"setCallback", zlib_set_callback},
      {"open", zlib_open},
      {"write", zlib_write},
      {"writeSync", zlib_write_sync},
      {"params", zlib_params},
      {"reset", zlib_reset},
      {"close", zlib_close},
      {"crc32", zlib_crc32},
      {NULL, NULL},
  };
  char problem[MODULE_PROBLEM];
  library = js_module_load("librondo-zlib.so", CODEC_LIBRARY, problem, sizeof(problem));
  if (library == NULL) {
    js_set_string(exports, "problem", problem); /* and no function that would need it */
    return;
  }
  js_methods(exports, methods);
  js_set_number(exports, "version", library->zlib_version);
}
