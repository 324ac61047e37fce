/* native('crypto'): random bytes and derived keys, at once or on a thread of the pool. */
#include "js_answer.h"
#include "js_crypto.h"

#include <stdlib.h>
#include <string.h>

enum { JOB_INPUTS = 3 };

struct job {
  uv_work_t uv;
  struct crypto_job task;
  struct answer answer;
  char* digest;
  uint8_t* inputs[JOB_INPUTS]; /* copies; the program may change or move its own */
  size_t input_lengths[JOB_INPUTS];
  JSValueRef out; /* what is given with the answer; kept */
  size_t offset;
  uint8_t* apart; /* the result, if the bytes of `out` may move; or NULL */
};

static void job_free(struct job* job) {
  for (int i = 0; i < JOB_INPUTS; i++) {
    if (job->inputs[i] != NULL)
      explicit_bzero(job->inputs[i], job->input_lengths[i]);
    free(job->inputs[i]);
  }
  if (job->apart != NULL)
    explicit_bzero(job->apart, job->task.length);
  free(job->apart);
  free(job->digest);
  free(job);
}

static bool job_input(struct job* job, int index, JSValueRef value,
                      struct crypto_bytes* input) {
  struct crypto_bytes given = js_crypto_bytes(value);
  if (given.length == 0)
    return true;
  job->inputs[index] = malloc(given.length);
  if (job->inputs[index] == NULL)
    return false;
  memcpy(job->inputs[index], given.bytes, given.length);
  job->input_lengths[index] = given.length;
  *input = (struct crypto_bytes){job->inputs[index], given.length};
  return true;
}

/* False without memory or for a part outside of the bytes. */
static bool job_output(struct job* job, size_t argc, const JSValueRef argv[]) {
  uint8_t* bytes = NULL;
  size_t length = 0;
  double offset = js_arg_number(argc, argv, 10, 0);
  double wanted = js_arg_number(argc, argv, 11, 0);
  job->out = js_arg(argc, argv, 9);
  if (!js_bytes(job->out, &bytes, &length))
    return true; /* only the parameters are checked */
  if (!(offset >= 0 && wanted >= 0 && offset + wanted <= (double) length))
    return false;
  job->offset = (size_t) offset;
  job->task.length = (size_t) wanted;
  job->task.out = bytes != NULL ? bytes + job->offset : NULL;
  if (job->task.length > 0 && js_bytes_may_move(job->out)) {
    job->apart = malloc(job->task.length);
    job->task.out = job->apart;
    return job->apart != NULL;
  }
  return true;
}

static bool job_read(struct job* job, size_t argc, const JSValueRef argv[]) {
  struct crypto_job* task = &job->task;
  task->kind = (enum crypto_job_kind) js_arg_int(argc, argv, 0, 0);
  if (!JSValueIsUndefined(js.ctx, js_arg(argc, argv, 1))) {
    job->digest = js_arg_utf8(argc, argv, 1);
    if (job->digest == NULL)
      return false;
  }
  task->digest = job->digest;
  task->iterations = (uint64_t) js_arg_number(argc, argv, 5, 0);
  task->block_size = (uint64_t) js_arg_number(argc, argv, 6, 0);
  task->parallel = (uint64_t) js_arg_number(argc, argv, 7, 0);
  task->memory_most = (uint64_t) js_arg_number(argc, argv, 8, 0);
  return job_input(job, 0, js_arg(argc, argv, 2), &task->secret) &&
         job_input(job, 1, js_arg(argc, argv, 3), &task->salt) &&
         job_input(job, 2, js_arg(argc, argv, 4), &task->info) &&
         job_output(job, argc, argv);
}

/* After the run: the result goes where it was wanted. Returns the error, or NULL. */
static JSValueRef job_result(struct job* job) {
  uint8_t* bytes;
  size_t length;
  if (job->task.failed)
    return js_crypto_error(&job->task.failure, "Operation failed");
  if (job->apart != NULL && js_bytes(job->out, &bytes, &length) &&
      length >= job->offset + job->task.length)
    memcpy(bytes + job->offset, job->apart, job->task.length);
  return NULL;
}

static void job_run(uv_work_t* uv) {
  js_crypto->run(&((struct job*) uv)->task);
}

static void job_done(uv_work_t* uv, int status) {
  struct job* job = (struct job*) uv;
  (void) status; /* nobody cancels */
  JSValueRef error = job_result(job);
  JSValueRef out = job->out;
  struct answer answer = job->answer;
  job_free(job);
  js_drop(out); /* it is on this stack, where the collector finds it */
  js_answer_give(&answer, error, error == NULL ? out : NULL);
}

/* job(kind, digest, secret, salt, info, iterations, block size, parallel, memory, out,
 * offset, length, callback): without a callback it is done at once, and an error is
 * returned */
static JSValueRef job_start(JS_ARGS) {
  JS_UNUSED;
  struct job* job = calloc(1, sizeof(*job));
  if (job == NULL || !job_read(job, argc, argv)) {
    if (job != NULL)
      job_free(job);
    *exception = js_uv_error(UV_ENOMEM, "crypto", NULL, NULL);
    return js_undefined();
  }
  JSObjectRef callback = js_arg_function(argc, argv, 12);
  if (callback == NULL) {
    js_crypto->run(&job->task);
    JSValueRef error = job_result(job);
    job_free(job);
    return error != NULL ? error : js_undefined();
  }
  static const char* const types[] = {[CRYPTO_RANDOM] = "RANDOMBYTESREQUEST",
                                      [CRYPTO_PBKDF2] = "PBKDF2REQUEST",
                                      [CRYPTO_SCRYPT] = "SCRYPTREQUEST",
                                      [CRYPTO_HKDF] = "DERIVEBITSREQUEST"};
  js_answer_open_as(&job->answer, callback, types[job->task.kind]);
  js_keep(job->out);
  char* origin = js_origin();
  js_origin_report(origin);
  free(origin);
  int err = uv_queue_work(js.loop, &job->uv, job_run, job_done);
  if (err < 0) {
    js_drop(job->out);
    js_answer_drop(&job->answer);
    job_free(job);
    *exception = js_uv_error(err, "crypto", NULL, NULL);
  }
  return js_undefined();
}

const struct js_method js_crypto_job_methods[] = {{"job", job_start}, {NULL, NULL}};
