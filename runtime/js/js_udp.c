/* native('udp'): datagram sockets. Messages and finished sends are reported through
 * functions that JavaScript sets once; their first argument is the handle's owner. */
#include "js_address.h"
#include "js_contexts.h"
#include "js_stream.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64 * 1024 };

struct udp_send {
  uv_udp_send_t uv;
  JSValueRef request;
  JSValueRef kept;
  char* copy; /* of memory that may move, or NULL */
  JSObjectRef context;
};

static JSObjectRef on_message_js, on_sent_js;

/* setCallbacks(onmessage(owner, count, bytes, address), onsent(owner, status, request))
 */
static JSValueRef set_callbacks(JS_ARGS) {
  JS_UNUSED;
  on_message_js = js_arg_function(argc, argv, 0);
  on_sent_js = js_arg_function(argc, argv, 1);
  if (on_message_js != NULL)
    js_keep(on_message_js);
  if (on_sent_js != NULL)
    js_keep(on_sent_js);
  return js_undefined();
}

/* udp(owner): a token */
static JSValueRef udp_new(JS_ARGS) {
  JS_UNUSED;
  struct js_handle* handle = js_handle_new(js_arg_object(argc, argv, 0));
  int err = handle != NULL ? uv_udp_init(js.loop, &handle->uv.udp) : UV_ENOMEM;
  return js_handle_answer(handle, err, "socket", exception);
}

/* open(token, fd) */
static int udp_open(struct js_handle* handle, size_t argc, const JSValueRef argv[]) {
  return uv_udp_open(&handle->uv.udp, js_arg_int(argc, argv, 1, -1));
}

/* bind(token, address, port, flags) */
static int udp_bind(struct js_handle* handle, size_t argc, const JSValueRef argv[]) {
  struct sockaddr_storage address;
  int err = js_address_arg(argc, argv, 1, &address);
  if (err < 0)
    return err;
  return uv_udp_bind(&handle->uv.udp, (const struct sockaddr*) &address,
                     (unsigned) js_arg_int(argc, argv, 3, 0));
}

/* connect(token, address, port) */
static int udp_connect(struct js_handle* handle, size_t argc, const JSValueRef argv[]) {
  struct sockaddr_storage address;
  int err = js_address_arg(argc, argv, 1, &address);
  return err < 0 ? err
                 : uv_udp_connect(&handle->uv.udp, (const struct sockaddr*) &address);
}

/* disconnect(token) */
static int udp_disconnect(struct js_handle* handle, size_t argc,
                          const JSValueRef argv[]) {
  (void) argc, (void) argv;
  return uv_udp_connect(&handle->uv.udp, NULL);
}

/* ---- receiving -------------------------------------------------------------------- */

static char* block;

static void receive_alloc(uv_handle_t* uv, size_t suggested, uv_buf_t* buffer) {
  (void) uv;
  (void) suggested;
  if (block == NULL)
    block = malloc(BLOCK);
  *buffer = uv_buf_init(block, block != NULL ? BLOCK : 0);
}

static void on_message(uv_udp_t* uv, ssize_t count, const uv_buf_t* buffer,
                       const struct sockaddr* from, unsigned flags) {
  struct js_handle* handle = uv->data;
  JSValueRef bytes = js_undefined(), address = js_undefined();
  (void) flags;
  if ((count == 0 && from == NULL) || on_message_js == NULL)
    return;
  if (count >= 0) {
    char* copy = malloc(count > 0 ? (size_t) count : 1);
    if (copy == NULL)
      return; /* no memory: the datagram is dropped, as datagrams may be */
    if (count > 0)
      memcpy(copy, buffer->base, (size_t) count);
    bytes = js_bytes_take(copy, (size_t) count);
    struct sockaddr_storage sender = {0};
    memcpy(&sender, from,
           from->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6)
                                       : sizeof(struct sockaddr_in));
    address = js_address_value(&sender);
  }
  JSValueRef arguments[] = {handle->owner, js_number((double) count), bytes, address};
  js_context_next(handle->context);
  js_call_scoped(on_message_js, NULL, 4, arguments);
}

static int udp_receive_start(struct js_handle* handle, size_t argc,
                             const JSValueRef argv[]) {
  (void) argc, (void) argv;
  int err = uv_udp_recv_start(&handle->uv.udp, receive_alloc, on_message);
  return err == UV_EALREADY ? 0 : err;
}

static int udp_receive_stop(struct js_handle* handle, size_t argc,
                            const JSValueRef argv[]) {
  (void) argc, (void) argv;
  return uv_udp_recv_stop(&handle->uv.udp);
}

/* ---- sending ------------------------------------------------------------------------
 */

static void on_sent(uv_udp_send_t* uv, int status) {
  struct udp_send* send = (struct udp_send*) uv;
  struct js_handle* handle = uv->handle->data;
  JSValueRef arguments[] = {handle->owner, js_number(status), send->request};
  js_drop(send->request);
  js_drop(send->kept);
  js_context_next(send->context);
  js_context_end(send->context);
  free(send->copy);
  free(send);
  if (on_sent_js != NULL)
    js_call_scoped(on_sent_js, NULL, 3, arguments);
}

/* send(token, view, request, address, port): returns an error, 0 if the datagram waits
 * (then the request is called back), 1 if it is sent. Without an address it goes to the
 * connected peer. */
static JSValueRef udp_send(JS_ARGS) {
  JS_UNUSED;
  struct js_handle* handle = js_handle_arg(argc, argv, 0);
  struct sockaddr_storage address;
  uint8_t* bytes;
  size_t length;
  bool addressed = argc > 3 && JSValueIsString(js.ctx, argv[3]);
  if (handle == NULL)
    return stream_status(UV_EBADF);
  if (!js_bytes(js_arg(argc, argv, 1), &bytes, &length))
    return stream_status(UV_EINVAL);
  int err = addressed ? js_address_arg(argc, argv, 3, &address) : 0;
  if (err < 0)
    return stream_status(err);
  uv_buf_t buffer = js_buf(bytes, length);
  err = uv_udp_try_send(&handle->uv.udp, &buffer, 1,
                        addressed ? (const struct sockaddr*) &address : NULL);
  if (err != UV_EAGAIN && err != UV_ENOSYS)
    return stream_status(err < 0 ? err : 1);
  struct udp_send* send = calloc(1, sizeof(*send));
  if (send == NULL)
    return stream_status(UV_ENOMEM);
  if (length > 0 && js_bytes_may_move(argv[1])) {
    send->copy = malloc(length);
    if (send->copy == NULL) {
      free(send);
      return stream_status(UV_ENOMEM);
    }
    memcpy(send->copy, bytes, length);
    buffer.base = send->copy;
  }
  err = uv_udp_send(&send->uv, &handle->uv.udp, &buffer, 1,
                    addressed ? (const struct sockaddr*) &address : NULL, on_sent);
  if (err < 0) {
    free(send->copy);
    free(send);
    return stream_status(err);
  }
  send->kept = argv[1];
  send->request = js_arg(argc, argv, 2);
  js_keep(send->kept);
  js_keep(send->request);
  send->context = js_context_capture("UDPSENDWRAP", handle->context);
  return stream_status(0);
}

/* ---- options ------------------------------------------------------------------------
 */

static JSValueRef udp_name(size_t argc, const JSValueRef argv[],
                           int (*ask)(const uv_udp_t*, struct sockaddr*, int*)) {
  struct js_handle* handle = js_handle_arg(argc, argv, 0);
  struct sockaddr_storage address;
  int length = sizeof(address);
  int err = UV_EBADF;
  if (handle != NULL)
    err = ask(&handle->uv.udp, (struct sockaddr*) &address, &length);
  return js_address_answer(err, &address);
}

/* sockName(token), peerName(token): an address, or a negative error */
static JSValueRef udp_sock_name(JS_ARGS) {
  JS_UNUSED;
  return udp_name(argc, argv, uv_udp_getsockname);
}

static JSValueRef udp_peer_name(JS_ARGS) {
  JS_UNUSED;
  return udp_name(argc, argv, uv_udp_getpeername);
}

/* setBroadcast, setTTL, setMulticastTTL, setMulticastLoopback (token, value) */
static int udp_broadcast(struct js_handle* handle, size_t argc, const JSValueRef argv[]) {
  return uv_udp_set_broadcast(&handle->uv.udp, js_arg_bool(argc, argv, 1));
}

static int udp_ttl(struct js_handle* handle, size_t argc, const JSValueRef argv[]) {
  return uv_udp_set_ttl(&handle->uv.udp, js_arg_int(argc, argv, 1, 0));
}

static int udp_multicast_ttl(struct js_handle* handle, size_t argc,
                             const JSValueRef argv[]) {
  return uv_udp_set_multicast_ttl(&handle->uv.udp, js_arg_int(argc, argv, 1, 0));
}

static int udp_multicast_loop(struct js_handle* handle, size_t argc,
                              const JSValueRef argv[]) {
  return uv_udp_set_multicast_loop(&handle->uv.udp, js_arg_bool(argc, argv, 1));
}

/* setMulticastInterface(token, address) */
static int udp_multicast_interface(struct js_handle* handle, size_t argc,
                                   const JSValueRef argv[]) {
  char* text = js_arg_utf8(argc, argv, 1);
  int err = UV_ENOMEM;
  if (text != NULL)
    err = uv_udp_set_multicast_interface(&handle->uv.udp, text);
  free(text);
  return err;
}

/* membership(token, group, interface or undefined, join, source or undefined) */
static int udp_membership(struct js_handle* handle, size_t argc,
                          const JSValueRef argv[]) {
  bool has_interface = argc > 2 && JSValueIsString(js.ctx, argv[2]);
  bool has_source = argc > 4 && JSValueIsString(js.ctx, argv[4]);
  char* group = js_arg_utf8(argc, argv, 1);
  char* interface = has_interface ? js_arg_utf8(argc, argv, 2) : NULL;
  char* source = has_source ? js_arg_utf8(argc, argv, 4) : NULL;
  uv_membership way = js_arg_bool(argc, argv, 3) ? UV_JOIN_GROUP : UV_LEAVE_GROUP;
  int err;
  if (group == NULL || (has_interface && interface == NULL) ||
      (has_source && source == NULL))
    err = UV_ENOMEM;
  else if (has_source)
    err = uv_udp_set_source_membership(&handle->uv.udp, group, interface, source, way);
  else
    err = uv_udp_set_membership(&handle->uv.udp, group, interface, way);
  free(group);
  free(interface);
  free(source);
  return err;
}

/* bufferSize(token, size, receive): the present size, or a negative error */
static int udp_buffer_size(struct js_handle* handle, size_t argc,
                           const JSValueRef argv[]) {
  int size = js_arg_int(argc, argv, 1, 0);
  int err = js_arg_bool(argc, argv, 2) ? uv_recv_buffer_size(&handle->uv.handle, &size)
                                       : uv_send_buffer_size(&handle->uv.handle, &size);
  return err < 0 ? err : size;
}

/* queued(token): [bytes, datagrams] that wait to be sent */
static JSValueRef udp_queued(JS_ARGS) {
  JS_UNUSED;
  struct js_handle* handle = js_handle_arg(argc, argv, 0);
  size_t bytes = handle != NULL ? uv_udp_get_send_queue_size(&handle->uv.udp) : 0;
  size_t count = handle != NULL ? uv_udp_get_send_queue_count(&handle->uv.udp) : 0;
  JSValueRef values[] = {js_number((double) bytes), js_number((double) count)};
  return js_array(2, values);
}

void native_udp(JSObjectRef exports) {
  static const struct handle_method handle_methods[] = {
      {"open", udp_open},
      {"bind", udp_bind},
      {"connect", udp_connect},
      {"disconnect", udp_disconnect},
      {"receiveStart", udp_receive_start},
      {"receiveStop", udp_receive_stop},
      {"setBroadcast", udp_broadcast},
      {"setTTL", udp_ttl},
      {"setMulticastTTL", udp_multicast_ttl},
      {"setMulticastLoopback", udp_multicast_loop},
      {"setMulticastInterface", udp_multicast_interface},
      {"membership", udp_membership},
      {"bufferSize", udp_buffer_size},
      {NULL, NULL},
  };
  static const struct js_method methods[] = {
      {"setCallbacks", set_callbacks},
      {"udp", udp_new},
      {"send", udp_send},
      {"sockName", udp_sock_name},
      {"peerName", udp_peer_name},
      {"queued", udp_queued},
      {NULL, NULL},
  };
  js_handle_methods(exports, handle_methods);
  js_methods(exports, methods);
}
