/* spawnSync: runs a child to its end on a loop of its own, while JavaScript waits. Input
 * is written, output collected; a time-out, or more output than the limit, kills the
 * child. */
#include "js_spawn.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

JSValueRef js_spawn_sync(JS_ARGS);

struct spawn_run;

struct spawn_end {
  uv_pipe_t pipe;
  struct spawn_run* run;
  uv_write_t write;
  uv_shutdown_t shutdown;
  uv_buf_t input; /* what the child reads; base is NULL for nothing */
  bool is_input, is_open;
  char* bytes; /* what the child wrote */
  size_t length, capacity;
};

struct spawn_run {
  uv_loop_t loop;
  uv_process_t process;
  uv_timer_t timer;
  struct spawn_end* ends;
  size_t count;
  double limit;  /* on all output together; 0 for none */
  double output; /* what has been read so far */
  int signal;    /* the signal that kills the child */
  int64_t status;
  int term_signal;
  int error;      /* ETIMEDOUT, ENOBUFS or the library's error */
  int pipe_error; /* of a stream */
  bool exited, timed;
};

static void end_close(struct spawn_end* end) {
  if (end->is_open && !uv_is_closing((uv_handle_t*) &end->pipe))
    uv_close((uv_handle_t*) &end->pipe, NULL);
}

/* Kills the child and stops reading. The output read so far is kept. */
static void run_stop(struct spawn_run* run, int err) {
  if (run->error == 0)
    run->error = err;
  if (!run->exited && uv_process_kill(&run->process, run->signal) < 0)
    uv_process_kill(&run->process, SIGKILL);
  for (size_t i = 0; i < run->count; i++)
    end_close(&run->ends[i]);
  if (run->timed && !uv_is_closing((uv_handle_t*) &run->timer))
    uv_close((uv_handle_t*) &run->timer, NULL);
}

static void on_timeout(uv_timer_t* timer) {
  run_stop(timer->data, UV_ETIMEDOUT);
}

static void child_exited(uv_process_t* process, int64_t status, int signal) {
  struct spawn_run* run = process->data;
  run->exited = true;
  run->status = status;
  run->term_signal = signal;
  uv_close((uv_handle_t*) process, NULL);
  if (run->timed && !uv_is_closing((uv_handle_t*) &run->timer))
    uv_close((uv_handle_t*) &run->timer, NULL);
}

static void output_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buffer) {
  struct spawn_end* end = handle->data;
  (void) suggested;
  if (end->capacity - end->length < 4096) {
    size_t capacity = end->capacity > 0 ? end->capacity * 2 : 65536;
    char* grown = realloc(end->bytes, capacity);
    if (grown == NULL) {
      *buffer = uv_buf_init(NULL, 0);
      return;
    }
    end->bytes = grown;
    end->capacity = capacity;
  }
  *buffer = js_buf(end->bytes + end->length, end->capacity - end->length);
}

static void on_output(uv_stream_t* stream, ssize_t count, const uv_buf_t* buffer) {
  struct spawn_end* end = stream->data;
  (void) buffer;
  if (count < 0) {
    if (count != UV_EOF && end->run->pipe_error == 0)
      end->run->pipe_error = (int) count;
    end_close(end);
    return;
  }
  end->length += (size_t) count;
  end->run->output += (double) count;
  if (end->run->limit > 0 && end->run->output > end->run->limit)
    run_stop(end->run, UV_ENOBUFS);
}

static void on_shutdown(uv_shutdown_t* request, int status) {
  (void) status;
  end_close(request->data);
}

static void on_written(uv_write_t* request, int status) {
  struct spawn_end* end = request->data;
  /* A child that doesn't read its input to the end is an error (EPIPE), as in Node. */
  if (status < 0 && end->run->pipe_error == 0)
    end->run->pipe_error = status;
  end->shutdown.data = end;
  if (status < 0 ||
      uv_shutdown(&end->shutdown, (uv_stream_t*) &end->pipe, on_shutdown) < 0)
    end_close(end);
}

static void end_start(struct spawn_end* end) {
  uv_stream_t* stream = (uv_stream_t*) &end->pipe;
  /* A copy: gcc 12 warns about the member as a too short object. */
  uv_buf_t input = end->input;
  end->write.data = end;
  if (!end->is_input)
    uv_read_start(stream, output_alloc, on_output);
  else if (input.base == NULL || uv_write(&end->write, stream, &input, 1, on_written) < 0)
    on_written(&end->write, 0);
}

/* Fills the stdio list: { fd } to inherit, { input } or { output: true } for a pipe,
 * null for nothing. */
static int read_stdio(struct spawn_run* run, struct child* child, JSObjectRef list) {
  for (size_t i = 0; i < run->count; i++) {
    JSObjectRef entry = js_child_stdio_at(list, i);
    struct spawn_end* end = &run->ends[i];
    uv_stdio_container_t* stdio = &child->stdio[i];
    stdio->flags = UV_IGNORE;
    if (entry == NULL)
      continue;
    JSValueRef fd = js_get(entry, "fd");
    if (JSValueIsNumber(js.ctx, fd)) {
      stdio->flags = UV_INHERIT_FD;
      stdio->data.fd = (int) JSValueToNumber(js.ctx, fd, NULL);
      continue;
    }
    int err = uv_pipe_init(&run->loop, &end->pipe, 0);
    if (err < 0)
      return err;
    uint8_t* bytes;
    size_t length;
    end->run = run;
    end->is_open = true;
    end->pipe.data = end;
    end->is_input = JSValueToBoolean(js.ctx, js_get(entry, "readable"));
    if (js_bytes(js_get(entry, "input"), &bytes, &length) && length > 0)
      end->input = js_buf(bytes, length);
    stdio->flags = UV_CREATE_PIPE | UV_READABLE_PIPE | UV_WRITABLE_PIPE;
    stdio->data.stream = (uv_stream_t*) &end->pipe;
  }
  return 0;
}

static void run_child(struct spawn_run* run, struct child* child, double timeout) {
  run->process.data = run;
  child->options.exit_cb = child_exited;
  int err = uv_spawn(&run->loop, &run->process, &child->options);
  if (err < 0) {
    run->error = err;
    run->exited = true;
    uv_close((uv_handle_t*) &run->process, NULL);
    for (size_t i = 0; i < run->count; i++)
      end_close(&run->ends[i]);
  } else {
    if (timeout > 0 && uv_timer_init(&run->loop, &run->timer) == 0) {
      run->timed = true;
      run->timer.data = run;
      uv_timer_start(&run->timer, on_timeout, (uint64_t) timeout, 0);
    }
    for (size_t i = 0; i < run->count; i++)
      if (run->ends[i].is_open)
        end_start(&run->ends[i]);
  }
  uv_run(&run->loop, UV_RUN_DEFAULT);
}

/* The result: { pid, status, signal, error, output }, with the library's numbers. */
static JSObjectRef run_result(struct spawn_run* run) {
  JSObjectRef result = js_object();
  JSObjectRef output = js_array(0, NULL);
  int err = run->error != 0 ? run->error : run->pipe_error;
  for (size_t i = 0; i < run->count; i++) {
    struct spawn_end* end = &run->ends[i];
    JSValueRef value = js_null();
    if (end->is_open && !end->is_input) {
      char* bytes = end->bytes != NULL ? end->bytes : malloc(1);
      end->bytes = NULL;
      value = js_bytes_take(bytes, end->length);
    }
    JSObjectSetPropertyAtIndex(js.ctx, output, (unsigned) i, value, NULL);
  }
  js_set_number(result, "pid", run->process.pid);
  js_set(result, "status",
         run->term_signal == 0 && run->process.pid > 0 ? js_number((double) run->status)
                                                       : js_null());
  js_set(result, "signal",
         run->term_signal > 0 ? js_number(run->term_signal) : js_null());
  js_set(result, "output", output);
  js_set_number(result, "error", err);
  return result;
}

/* spawnSync(description, stdio, timeout, limit, signal) */
JSValueRef js_spawn_sync(JS_ARGS) {
  JS_UNUSED;
  JSObjectRef description = js_arg_object(argc, argv, 0);
  JSObjectRef list = js_arg_object(argc, argv, 1);
  struct spawn_run* run = calloc(1, sizeof(*run));
  struct child child = {0};
  JSValueRef result = js_undefined();
  int err = UV_ENOMEM;
  if (run == NULL || description == NULL)
    goto done;
  run->count = js_array_length(list);
  run->ends = calloc(run->count + 1, sizeof(*run->ends));
  run->limit = js_arg_number(argc, argv, 3, 0);
  run->signal = js_arg_int(argc, argv, 4, SIGTERM);
  if (run->ends == NULL || !js_child_read(&child, description, run->count))
    goto done;
  err = uv_loop_init(&run->loop);
  if (err < 0)
    goto done;
  err = read_stdio(run, &child, list);
  if (err == 0)
    run_child(run, &child, js_arg_number(argc, argv, 2, 0));
  else
    for (size_t i = 0; i < run->count; i++)
      end_close(&run->ends[i]);
  uv_run(&run->loop, UV_RUN_DEFAULT);
  uv_loop_close(&run->loop);
  if (err == 0)
    result = run_result(run);

done:
  if (err < 0)
    *exception = js_uv_error(err, "spawnSync", NULL, NULL);
  for (size_t i = 0; run != NULL && run->ends != NULL && i < run->count; i++)
    free(run->ends[i].bytes);
  if (run != NULL)
    free(run->ends);
  free(run);
  js_child_free(&child);
  return result;
}
