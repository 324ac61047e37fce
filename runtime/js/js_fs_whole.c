/* Whole files: readFile and writeFile as one request that goes through open, fstat, read
 * or write, and close by itself, entering JavaScript once, with the answer. The steps and
 * the errors are the same as if JavaScript had made the calls. */
#include "js_fs.h"

#include "rondo.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum whole_state {
  WHOLE_OPEN,
  WHOLE_STAT,
  WHOLE_MOVE,
  WHOLE_FLUSH,
  WHOLE_CLOSE,
  WHOLE_END
};

/* As in Node: how much is read at a time when the size isn't known, as in /proc or a
 * pipe, and at most when it is. */
enum { PIECE = 64 * 1024, READ_AT_ONCE = 512 * 1024 * 1024 };
enum {
  CACHED_MOST = 256 * 1024
}; /* files up to this size are read in one piece if they are cached */
static const double TOO_LARGE = 2147483648.0; /* 2 GiB or more is refused */

struct whole {
  struct whole* next; /* in the queue of finished requests that wait for their poll */
  uv_fs_t uv;
  struct answer answer;
  rondo_node_tick_t tick;
  enum whole_state state;
  bool reading;
  bool text;  /* answer with a string */
  bool sized; /* the size is known from fstat */
  bool own;   /* opened here, so also closed here */
  bool flush; /* sync to the disk before the close */
  uv_file file;
  int flags, mode;
  char* path;
  char* origin; /* of all its steps */
  uint8_t* bytes;
  size_t length, capacity;
  JSValueRef kept; /* the data being written, or NULL */
  int error;
  const char* failed;
  double too_large;
};

static void whole_free(struct whole* whole) {
  js_answer_drop(&whole->answer);
  if (whole->kept != NULL)
    js_drop(whole->kept);
  else
    free(whole->bytes);
  free(whole->path);
  free(whole->origin);
  free(whole);
}

static void whole_fail(struct whole* whole, const char* syscall, int err) {
  if (whole->error == 0) {
    whole->error = err;
    whole->failed = syscall;
  }
  whole->state = whole->own ? WHOLE_CLOSE : WHOLE_END;
}

static void whole_moved(struct whole* whole) {
  whole->state = whole->flush ? WHOLE_FLUSH : whole->own ? WHOLE_CLOSE : WHOLE_END;
}

/* Makes room for the next read. */
static bool whole_grow(struct whole* whole) {
  size_t capacity = whole->capacity + PIECE;
  if (whole->capacity > PIECE)
    capacity = whole->capacity * 2;
  if (whole->sized)
    capacity = whole->capacity;
  uint8_t* grown = realloc(whole->bytes, capacity > 0 ? capacity : 1);
  if (grown == NULL)
    return false;
  whole->bytes = grown;
  whole->capacity = capacity;
  return true;
}

/* Handles the result of a step and chooses the next one. */
static void whole_take(struct whole* whole, ssize_t result) {
  switch (whole->state) {
  case WHOLE_OPEN:
    if (result < 0) {
      whole_fail(whole, "open", (int) result);
      return;
    }
    whole->file = (uv_file) result;
    whole->own = true;
    whole->state = whole->reading ? WHOLE_STAT : WHOLE_MOVE;
    if (!whole->reading && whole->capacity == 0)
      whole_moved(whole);
    return;
  case WHOLE_STAT:
    if (result < 0) {
      whole_fail(whole, "fstat", (int) result);
      return;
    }
    if ((whole->uv.statbuf.st_mode & S_IFMT) == S_IFREG &&
        whole->uv.statbuf.st_size > 0) {
      whole->sized = true;
      whole->capacity = whole->uv.statbuf.st_size;
      if ((double) whole->capacity >= TOO_LARGE) {
        whole->too_large = (double) whole->capacity;
        whole_fail(whole, "read", UV_EFBIG);
        return;
      }
    }
    whole->state = WHOLE_MOVE;
    if (!whole_grow(whole))
      whole_fail(whole, "read", UV_ENOMEM);
    return;
  case WHOLE_MOVE:
    if (result < 0) {
      whole_fail(whole, whole->reading ? "read" : "write", (int) result);
      return;
    }
    whole->length += (size_t) result;
    if (whole->reading ? result == 0 || (whole->sized && whole->length == whole->capacity)
                       : whole->length == whole->capacity)
      whole_moved(whole);
    else if (whole->reading && whole->length == whole->capacity && !whole_grow(whole))
      whole_fail(whole, "read", UV_ENOMEM);
    return;
  case WHOLE_FLUSH:
    whole->state = whole->own ? WHOLE_CLOSE : WHOLE_END;
    if (result < 0)
      whole_fail(whole, "fsync", (int) result);
    return;
  case WHOLE_CLOSE:
    whole->own = false;
    if (result < 0)
      whole_fail(whole, "close", (int) result);
    whole->state = WHOLE_END;
    return;
  case WHOLE_END:
    return;
  }
}

static void whole_done(uv_fs_t* uv);

/* Starts the step of the current state; a synchronous call returns its result. */
static int whole_step(struct whole* whole, uv_fs_cb done) {
  uv_buf_t part;
  js_origin_report(whole->origin);
  switch (whole->state) {
  case WHOLE_OPEN:
    return uv_fs_open(js.loop, &whole->uv, whole->path, whole->flags, whole->mode, done);
  case WHOLE_STAT:
    return uv_fs_fstat(js.loop, &whole->uv, whole->file, done);
  case WHOLE_MOVE:
    part.base = (char*) whole->bytes + whole->length;
    part.len = whole->capacity - whole->length;
    if (part.len > READ_AT_ONCE)
      part.len = READ_AT_ONCE;
    return whole->reading
               ? uv_fs_read(js.loop, &whole->uv, whole->file, &part, 1, -1, done)
               : uv_fs_write(js.loop, &whole->uv, whole->file, &part, 1, -1, done);
  case WHOLE_FLUSH:
    return uv_fs_fsync(js.loop, &whole->uv, whole->file, done);
  case WHOLE_CLOSE:
    return uv_fs_close(js.loop, &whole->uv, whole->file, done);
  case WHOLE_END:
    break;
  }
  return 0;
}

static JSValueRef whole_error(const struct whole* whole) {
  if (whole->too_large > 0)
    return js_error("RangeError", "ERR_FS_FILE_TOO_LARGE",
                    "File size (%.0f) is greater than 2 GiB", whole->too_large);
  bool opening = strcmp(whole->failed, "open") == 0;
  return js_uv_error(whole->error, whole->failed, opening ? whole->path : NULL, NULL);
}

static JSValueRef whole_value(struct whole* whole) {
  if (!whole->reading)
    return NULL;
  if (whole->text)
    return js_string_n((const char*) whole->bytes, whole->length);
  uint8_t* bytes = whole->bytes;
  whole->bytes = NULL;
  if (whole->length < whole->capacity) {
    uint8_t* shrunk = realloc(bytes, whole->length > 0 ? whole->length : 1);
    if (shrunk != NULL)
      bytes = shrunk;
  }
  return js_fs_buffer_take(bytes, whole->length);
}

static void whole_answer(struct whole* whole) {
  JSValueRef error = whole->error != 0 ? whole_error(whole) : NULL;
  JSValueRef value = error == NULL ? whole_value(whole) : NULL;
  struct answer answer = whole->answer;
  whole->answer = (struct answer){0};
  whole_free(whole);
  js_answer_give(&answer, error, value);
}

/* Continues until a step waits or everything is done. A step that the library refuses at
 * once counts as failed. */
static void whole_go_on(struct whole* whole) {
  while (whole->state != WHOLE_END) {
    int result = whole_step(whole, whole_done);
    if (result >= 0)
      return;
    whole_take(whole, result);
  }
  whole_answer(whole);
}

static void whole_done(uv_fs_t* uv) {
  struct whole* whole = uv->data;
  ssize_t result = uv->result;
  /* Before uv_fs_req_cleanup, because the size is in the request. */
  whole_take(whole, result);
  uv_fs_req_cleanup(uv);
  whole_go_on(whole);
}

static const void* whole_refused(rondo_node_t* node, void* data) {
  (void) node;
  whole_go_on(data);
  return NULL;
}

/* ---- files that were read at once ------------------------------------------- */

/* Requests answered from the page cache. Their answers come in the poll after the next,
 * as if there had been something to wait for: an immediate that is set together with a
 * readFile always comes first. */
static struct {
  uv_async_t async;
  struct whole *fresh, *last; /* added since the async was called */
  struct whole* due;          /* to be answered when it is called again */
  bool open;
} ready;

static void on_ready(uv_async_t* async) {
  struct whole* whole = ready.due;
  ready.due = ready.fresh;
  ready.fresh = NULL;
  if (ready.due != NULL)
    uv_async_send(async);
  else
    uv_unref((uv_handle_t*) async);
  while (whole != NULL) {
    struct whole* next = whole->next;
    whole_answer(whole);
    whole = next;
  }
}

/* True if the file was read and its answer put into the queue. */
static bool whole_read_cached(struct whole* whole) {
  if (whole->path == NULL || whole->flags != O_RDONLY)
    return false;
  if (!ready.open) {
    if (uv_async_init(js.loop, &ready.async, on_ready) != 0)
      return false;
    uv_unref((uv_handle_t*) &ready.async);
    ready.open = true;
  }
  uv_buf_t content;
  if (rondo_fs_read_cached(js.loop, whole->path, CACHED_MOST, &content) != 0)
    return false;
  whole->bytes = (uint8_t*) content.base;
  whole->capacity = whole->length = content.len;
  whole->state = WHOLE_END;
  if (ready.fresh == NULL)
    ready.fresh = whole;
  else
    ready.last->next = whole;
  ready.last = whole;
  uv_ref((uv_handle_t*) &ready.async);
  uv_async_send(&ready.async);
  return true;
}

static JSValueRef whole_at_once(struct whole* whole, JSValueRef* exception) {
  JSValueRef value = NULL;
  while (whole->state != WHOLE_END) {
    int result = whole_step(whole, NULL);
    whole_take(whole, result);
    uv_fs_req_cleanup(&whole->uv);
  }
  if (whole->error != 0)
    *exception = whole_error(whole);
  else
    value = whole_value(whole);
  whole_free(whole);
  return value != NULL ? value : js_undefined();
}

static JSValueRef whole_start(struct whole* whole, JSValueRef how,
                              JSValueRef* exception) {
  JSValueRef returned = js_answer_open(&whole->answer, how);
  whole->uv.data = whole;
  if (!answer_waits(&whole->answer))
    return whole_at_once(whole, exception);
  if (whole->reading && whole_read_cached(whole))
    return returned;
  if (whole->state == WHOLE_END) {
    if (rondo_node_next_tick(js.node, &whole->tick, whole_refused, whole) < 0)
      whole_free(whole);
    return returned;
  }
  whole->origin = js_origin();
  int result = whole_step(whole, whole_done);
  if (result < 0) {
    whole_take(whole, result);
    if (rondo_node_next_tick(js.node, &whole->tick, whole_refused, whole) < 0)
      whole_free(whole);
  }
  return returned;
}

/* A request on a path, which is opened and closed, or on an open file. */
static struct whole* whole_new(JSValueRef target, JSValueRef* exception) {
  struct whole* whole = calloc(1, sizeof(*whole));
  bool is_file = JSValueIsNumber(js.ctx, target);
  if (whole != NULL && !is_file && (whole->path = js_fs_path(target)) == NULL) {
    free(whole);
    whole = NULL;
  }
  if (whole == NULL) {
    *exception = js_uv_error(UV_ENOMEM, "open", NULL, NULL);
    return NULL;
  }
  if (is_file)
    whole->file = (uv_file) JSValueToNumber(js.ctx, target, NULL);
  return whole;
}

/* readFile(path or fd, flags, text, how) */
static JSValueRef whole_read(JS_ARGS) {
  JS_UNUSED;
  struct whole* whole = whole_new(js_arg(argc, argv, 0), exception);
  if (whole == NULL)
    return js_undefined();
  whole->reading = true;
  whole->state = whole->path != NULL ? WHOLE_OPEN : WHOLE_STAT;
  whole->flags = js_arg_int(argc, argv, 1, O_RDONLY);
  whole->mode = 0666;
  whole->text = js_arg_bool(argc, argv, 2);
  return whole_start(whole, js_arg(argc, argv, 3), exception);
}

/* Keeps the data that is to be written, or a copy of it if its memory may move. False
 * without memory. */
static bool whole_hold(struct whole* whole, JSValueRef view) {
  if (whole->capacity == 0 || !js_bytes_may_move(view)) {
    whole->kept = view;
    js_keep(view);
    return true;
  }
  uint8_t* copy = malloc(whole->capacity);
  if (copy == NULL)
    return false;
  memcpy(copy, whole->bytes, whole->capacity);
  whole->bytes = copy;
  return true;
}

/* writeFile(path or fd, flags, mode, bytes, flush, how) */
static JSValueRef whole_write(JS_ARGS) {
  JS_UNUSED;
  struct whole* whole = whole_new(js_arg(argc, argv, 0), exception);
  if (whole == NULL)
    return js_undefined();
  whole->flags = js_arg_int(argc, argv, 1, O_WRONLY);
  whole->mode = js_arg_int(argc, argv, 2, 0666);
  if (js_bytes(js_arg(argc, argv, 3), &whole->bytes, &whole->capacity) &&
      !whole_hold(whole, argv[3])) {
    whole->bytes = NULL;
    whole_free(whole);
    *exception = js_uv_error(UV_ENOMEM, "write", NULL, NULL);
    return js_undefined();
  }
  whole->flush = js_arg_bool(argc, argv, 4);
  whole->state = WHOLE_MOVE;
  if (whole->path != NULL)
    whole->state = WHOLE_OPEN;
  else if (whole->capacity == 0)
    whole_moved(whole);
  return whole_start(whole, js_arg(argc, argv, 5), exception);
}

const struct js_method js_fs_whole_methods[] = {
    {"readFile", whole_read},
    {"writeFile", whole_write},
    {NULL, NULL},
};
