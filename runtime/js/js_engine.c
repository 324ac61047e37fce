/* Runs the engine on the loop. The engine's lock is held from engine_open to the end of
 * the process. Releasing it for an instant is the microtask checkpoint; that is always
 * done from C, with no JavaScript on the stack. The engine's own tasks (WebAssembly
 * compilation, finalizers) arrive in a private GLib main context, whose descriptors and
 * timeouts are watched on the loop. Such tasks never keep the loop alive, except those
 * announced with engine_task_begin. */
#include "js_contexts.h"

#include <glib.h>
#include <stdlib.h>

/* Exported by the engine's library, but not declared in any header. */
extern void JSLock(JSContextRef ctx);
extern void JSUnlock(JSContextRef ctx);
extern void JSGlobalContextSetUnhandledRejectionCallback(JSGlobalContextRef ctx,
                                                         JSObjectRef function,
                                                         JSValueRef* exception);
extern void JSDisableGCTimer(void);

enum { MAX_DESCRIPTORS = 8, TURNS_BETWEEN_LOOKS = 64 };

struct engine_watch {
  uv_poll_t poll;
  int fd;
};

static struct {
  GMainContext* context;
  uv_prepare_t prepare; /* referenced while announced tasks are outstanding */
  uv_check_t check;
  uv_timer_t timer; /* the context's own timeout */
  struct engine_watch* watches[MAX_DESCRIPTORS];
  int watch_count;
  int due; /* something happened: run the context in the check phase */
  unsigned turns;
  unsigned tasks;
} glib;

static void watch_closed(uv_handle_t* handle) {
  free(handle->data);
}

static void watch_ready(uv_poll_t* poll, int status, int events) {
  (void) poll;
  (void) status;
  (void) events;
  glib.due = 1;
}

static void watch_add(const GPollFD* wanted) {
  struct engine_watch* watch = calloc(1, sizeof(*watch));
  int events = (wanted->events & G_IO_IN ? UV_READABLE : 0) |
               (wanted->events & G_IO_OUT ? UV_WRITABLE : 0);
  if (watch == NULL)
    return;
  watch->fd = wanted->fd;
  if (uv_poll_init(js.loop, &watch->poll, wanted->fd) != 0) {
    free(watch);
    return;
  }
  watch->poll.data = watch;
  uv_poll_start(&watch->poll, events, watch_ready);
  uv_unref((uv_handle_t*) &watch->poll);
  glib.watches[glib.watch_count++] = watch;
}

/* The set hardly ever changes (it is the context's wake-up descriptor), so it is compared
 * first and rebuilt only if it differs. */
static void watches_update(const GPollFD* fds, int count) {
  int same = count == glib.watch_count;
  for (int i = 0; same && i < count; i++)
    same = glib.watches[i]->fd == fds[i].fd;
  if (same)
    return;
  for (int i = 0; i < glib.watch_count; i++)
    uv_close((uv_handle_t*) &glib.watches[i]->poll, watch_closed);
  glib.watch_count = 0;
  for (int i = 0; i < count; i++)
    watch_add(&fds[i]);
}

static void timer_due(uv_timer_t* timer) {
  (void) timer;
  glib.due = 1;
}

/* Before the loop sleeps it must know what the context waits for. While the loop is busy
 * a look now and then is enough. */
static void before_poll(uv_prepare_t* prepare) {
  GPollFD fds[MAX_DESCRIPTORS];
  gint timeout = -1, priority = 0;
  if (uv_backend_timeout(prepare->loop) == 0 && ++glib.turns % TURNS_BETWEEN_LOOKS != 0)
    return;
  if (g_main_context_prepare(glib.context, &priority))
    timeout = 0;
  gint query_timeout = -1;
  int count =
      g_main_context_query(glib.context, priority, &query_timeout, fds, MAX_DESCRIPTORS);
  if (timeout != 0)
    timeout = query_timeout;
  watches_update(fds, count < MAX_DESCRIPTORS ? count : MAX_DESCRIPTORS);
  if (timeout == 0)
    glib.due = 1;
  if (timeout >= 0)
    uv_timer_start(&glib.timer, timer_due, (uint64_t) timeout, 0);
  else
    uv_timer_stop(&glib.timer);
}

static const void* iterate(rondo_node_t* node, void* data) {
  (void) node;
  (void) data;
  glib.due = 0;
  /* A task may make another one ready; the number of rounds is limited. */
  for (int i = 0; i < 64 && g_main_context_iteration(glib.context, FALSE); i++)
    ;
  return NULL;
}

static void after_poll(uv_check_t* check) {
  (void) check;
  if (glib.due)
    rondo_node_call(js.node, iterate, NULL);
}

void engine_drain(rondo_node_t* node, void* data) {
  (void) data;
  if (g_main_context_pending(glib.context))
    rondo_node_call(node, iterate, NULL);
}

void engine_microtasks(rondo_node_t* node, void* data) {
  (void) node;
  (void) data;
  JSUnlock(js.ctx);
  JSLock(js.ctx);
  js_context_settle();
}

void engine_on_rejection(JSObjectRef function) {
  JSValueRef exception = NULL;
  JSGlobalContextSetUnhandledRejectionCallback(js.ctx, function, &exception);
}

void engine_task_begin(void) {
  if (glib.tasks++ == 0)
    uv_ref((uv_handle_t*) &glib.prepare);
}

void engine_task_end(void) {
  if (glib.tasks > 0 && --glib.tasks == 0)
    uv_unref((uv_handle_t*) &glib.prepare);
}

static int watch_context(void) {
  int err = uv_prepare_init(js.loop, &glib.prepare);
  if (err == 0)
    err = uv_check_init(js.loop, &glib.check);
  if (err == 0)
    err = uv_timer_init(js.loop, &glib.timer);
  if (err != 0)
    return err;
  uv_prepare_start(&glib.prepare, before_poll);
  uv_check_start(&glib.check, after_poll);
  uv_unref((uv_handle_t*) &glib.prepare);
  uv_unref((uv_handle_t*) &glib.check);
  uv_unref((uv_handle_t*) &glib.timer);
  return 0;
}

/* The engine reads its settings from the environment when it starts. Tail calls keep
 * their frames, as in Node: the frames are part of a stack trace, and endless recursion
 * is an error instead of an endless loop. */
static const struct {
  const char *name, *value;
} settings[] = {{"JSC_useTailCalls", "0"},
                {"JSC_useSharedArrayBuffer", "1"},
                /* The last compiler takes long, for code that runs long: a tool that ends
                 * after seconds never gets back what its threads have taken. Eight times
                 * the engine's own threshold; a server reaches it just the same. */
                {"JSC_thresholdForFTLOptimizeAfterWarmUp", "500000"},
                {"JSC_sampleInterval", "4000"}}; /* in µs, if the engine samples at all */
enum { SETTINGS = sizeof(settings) / sizeof(settings[0]) };

static JSGlobalContextRef make_context(void) {
  bool ours[SETTINGS];
  for (size_t i = 0; i < SETTINGS; i++) {
    ours[i] = getenv(settings[i].name) == NULL;
    if (ours[i])
      setenv(settings[i].name, settings[i].value, 1);
  }
  /* Collections are triggered by allocation alone, as in Node. The engine's timer for
   * full collections needs the main run loop of a GTK program, and crashes without one.
   */
  JSDisableGCTimer();
  JSGlobalContextRef context = JSGlobalContextCreate(NULL);
  for (size_t i = 0; i < SETTINGS; i++)
    if (ours[i])
      unsetenv(settings[i].name);
  return context;
}

int engine_open(void) {
  /* The engine uses the GLib main context that is the thread's default at this moment. */
  glib.context = g_main_context_new();
  g_main_context_push_thread_default(glib.context);
  g_main_context_acquire(glib.context);
  js.ctx = make_context();
  if (js.ctx == NULL)
    return UV_ENOMEM;
  JSLock(js.ctx);
  int err = js_bytes_open();
  if (err == 0)
    err = js_call_open();
  if (err == 0)
    js_names_open();
  return err == 0 ? watch_context() : err;
}
