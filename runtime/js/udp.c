/* native('udp'): datagram sockets. The functions that JavaScript sets once hear of
 * messages and of sends that are done, with the handle's owner first. */
#include "stream.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64 * 1024 };

typedef struct {
  uv_udp_send_t uv;
  JSValueRef request;
  JSValueRef kept;
} send_t;

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

/* udp(owner, family): a token */
static JSValueRef udp_new(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_new(js_arg_object(argc, argv, 0));
  int err = handle != NULL ? uv_udp_init(js.loop, &handle->uv.udp) : UV_ENOMEM;
  if (err == 0)
    return js_handle_made(handle);
  if (handle != NULL)
    js_handle_discard(handle);
  *exception = js_uv_error(err, "socket", NULL, NULL);
  return js_undefined();
}

static int address_args(size_t argc, const JSValueRef argv[], size_t index,
                        struct sockaddr_storage* out) {
  char* text = js_arg_utf8(argc, argv, index);
  int port = js_arg_int(argc, argv, index + 1, 0);
  if (text == NULL)
    return UV_ENOMEM;
  int err = uv_ip4_addr(text, port, (struct sockaddr_in*) out);
  if (err < 0)
    err = uv_ip6_addr(text, port, (struct sockaddr_in6*) out);
  free(text);
  return err;
}

/* open(token, fd) */
static JSValueRef udp_open(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_arg(argc, argv, 0);
  if (handle == NULL)
    return stream_status(UV_EBADF);
  return stream_status(uv_udp_open(&handle->uv.udp, js_arg_int(argc, argv, 1, -1)));
}

/* bind(token, address, port, flags) */
static JSValueRef udp_bind(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_arg(argc, argv, 0);
  struct sockaddr_storage address;
  if (handle == NULL)
    return stream_status(UV_EBADF);
  int err = address_args(argc, argv, 1, &address);
  if (err == 0)
    err = uv_udp_bind(&handle->uv.udp, (const struct sockaddr*) &address,
                      (unsigned) js_arg_int(argc, argv, 3, 0));
  return stream_status(err);
}

/* connect(token, address, port), disconnect(token) */
static JSValueRef udp_connect(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_arg(argc, argv, 0);
  struct sockaddr_storage address;
  if (handle == NULL)
    return stream_status(UV_EBADF);
  int err = address_args(argc, argv, 1, &address);
  if (err == 0)
    err = uv_udp_connect(&handle->uv.udp, (const struct sockaddr*) &address);
  return stream_status(err);
}

static JSValueRef udp_disconnect(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_arg(argc, argv, 0);
  return stream_status(handle == NULL ? UV_EBADF : uv_udp_connect(&handle->uv.udp, NULL));
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
  handle_t* handle = uv->data;
  JSValueRef bytes = js_undefined(), address = js_undefined();
  (void) flags;
  if ((count == 0 && from == NULL) || on_message_js == NULL)
    return;
  if (count >= 0) {
    char* copy = malloc(count > 0 ? (size_t) count : 1);
    if (copy == NULL)
      return; /* a datagram may be lost at any time */
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
  js_call_scoped(on_message_js, NULL, 4, arguments);
}

static JSValueRef udp_receive_start(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_arg(argc, argv, 0);
  if (handle == NULL)
    return stream_status(UV_EBADF);
  int err = uv_udp_recv_start(&handle->uv.udp, receive_alloc, on_message);
  return stream_status(err == UV_EALREADY ? 0 : err);
}

static JSValueRef udp_receive_stop(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_arg(argc, argv, 0);
  return stream_status(handle == NULL ? UV_EBADF : uv_udp_recv_stop(&handle->uv.udp));
}

/* ---- sending --------------------------------------------------------------------------
 */

static void on_sent(uv_udp_send_t* uv, int status) {
  send_t* send = (send_t*) uv;
  handle_t* handle = uv->handle->data;
  JSValueRef arguments[] = {handle->owner, js_number(status), send->request};
  js_drop(send->request);
  js_drop(send->kept);
  free(send);
  if (on_sent_js != NULL)
    js_call_scoped(on_sent_js, NULL, 3, arguments);
}

/* send(token, view, request, address, port): an error, 0 if it waits (then the request is
 * told), 1 if it is sent. Without an address it goes to where the socket is connected. */
static JSValueRef udp_send(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_arg(argc, argv, 0);
  struct sockaddr_storage address;
  uint8_t* bytes;
  size_t length;
  bool addressed = argc > 3 && JSValueIsString(js.ctx, argv[3]);
  if (handle == NULL)
    return stream_status(UV_EBADF);
  if (!js_bytes(js_arg(argc, argv, 1), &bytes, &length))
    return stream_status(UV_EINVAL);
  int err = addressed ? address_args(argc, argv, 3, &address) : 0;
  if (err < 0)
    return stream_status(err);
  uv_buf_t buffer = uv_buf_init((char*) bytes, (unsigned) length);
  err = uv_udp_try_send(&handle->uv.udp, &buffer, 1,
                        addressed ? (const struct sockaddr*) &address : NULL);
  if (err != UV_EAGAIN && err != UV_ENOSYS)
    return stream_status(err < 0 ? err : 1);
  send_t* send = calloc(1, sizeof *send);
  if (send == NULL)
    return stream_status(UV_ENOMEM);
  err = uv_udp_send(&send->uv, &handle->uv.udp, &buffer, 1,
                    addressed ? (const struct sockaddr*) &address : NULL, on_sent);
  if (err < 0) {
    free(send);
    return stream_status(err);
  }
  send->kept = argv[1];
  send->request = js_arg(argc, argv, 2);
  js_keep(send->kept);
  js_keep(send->request);
  return stream_status(0);
}

/* ---- options
 * ---------------------------------------------------------------------------- */

/* sockName(token), peerName(token): an address, or a negative error */
static JSValueRef udp_sock_name(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_arg(argc, argv, 0);
  struct sockaddr_storage address;
  int length = sizeof address;
  int err = handle == NULL ? UV_EBADF
                           : uv_udp_getsockname(&handle->uv.udp,
                                                (struct sockaddr*) &address, &length);
  return err == 0 ? js_address_value(&address) : stream_status(err);
}

static JSValueRef udp_peer_name(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_arg(argc, argv, 0);
  struct sockaddr_storage address;
  int length = sizeof address;
  int err = handle == NULL ? UV_EBADF
                           : uv_udp_getpeername(&handle->uv.udp,
                                                (struct sockaddr*) &address, &length);
  return err == 0 ? js_address_value(&address) : stream_status(err);
}

/* setBroadcast, setTTL, setMulticastTTL, setMulticastLoopback (token, value) */
static JSValueRef udp_broadcast(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_arg(argc, argv, 0);
  return stream_status(
      handle == NULL ? UV_EBADF
                     : uv_udp_set_broadcast(&handle->uv.udp, js_arg_bool(argc, argv, 1)));
}

static JSValueRef udp_ttl(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_arg(argc, argv, 0);
  return stream_status(
      handle == NULL ? UV_EBADF
                     : uv_udp_set_ttl(&handle->uv.udp, js_arg_int(argc, argv, 1, 0)));
}

static JSValueRef udp_multicast_ttl(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_arg(argc, argv, 0);
  return stream_status(
      handle == NULL
          ? UV_EBADF
          : uv_udp_set_multicast_ttl(&handle->uv.udp, js_arg_int(argc, argv, 1, 0)));
}

static JSValueRef udp_multicast_loop(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_arg(argc, argv, 0);
  return stream_status(handle == NULL ? UV_EBADF
                                      : uv_udp_set_multicast_loop(
                                            &handle->uv.udp, js_arg_bool(argc, argv, 1)));
}

/* setMulticastInterface(token, address) */
static JSValueRef udp_multicast_interface(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_arg(argc, argv, 0);
  char* text = js_arg_utf8(argc, argv, 1);
  int err = handle == NULL ? UV_EBADF : UV_ENOMEM;
  if (handle != NULL && text != NULL)
    err = uv_udp_set_multicast_interface(&handle->uv.udp, text);
  free(text);
  return stream_status(err);
}

/* membership(token, group, interface or undefined, join) */
static JSValueRef udp_membership(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_arg(argc, argv, 0);
  char* group = js_arg_utf8(argc, argv, 1);
  char* interface =
      argc > 2 && JSValueIsString(js.ctx, argv[2]) ? js_arg_utf8(argc, argv, 2) : NULL;
  int err = handle == NULL ? UV_EBADF : UV_ENOMEM;
  if (handle != NULL && group != NULL)
    err = uv_udp_set_membership(&handle->uv.udp, group, interface,
                                js_arg_bool(argc, argv, 3) ? UV_JOIN_GROUP
                                                           : UV_LEAVE_GROUP);
  free(group);
  free(interface);
  return stream_status(err);
}

/* bufferSize(token, size, receive): the present size, or a negative error */
static JSValueRef udp_buffer_size(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_arg(argc, argv, 0);
  int size = js_arg_int(argc, argv, 1, 0);
  if (handle == NULL)
    return stream_status(UV_EBADF);
  int err = js_arg_bool(argc, argv, 2) ? uv_recv_buffer_size(&handle->uv.handle, &size)
                                       : uv_send_buffer_size(&handle->uv.handle, &size);
  return stream_status(err < 0 ? err : size);
}

/* queued(token): [bytes, datagrams] that wait to be sent */
static JSValueRef udp_queued(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_arg(argc, argv, 0);
  size_t bytes = handle != NULL ? uv_udp_get_send_queue_size(&handle->uv.udp) : 0;
  size_t count = handle != NULL ? uv_udp_get_send_queue_count(&handle->uv.udp) : 0;
  JSValueRef values[] = {js_number((double) bytes), js_number((double) count)};
  return js_array(2, values);
}

void native_udp(JSObjectRef exports) {
  static const js_method_t methods[] = {
      {"setCallbacks", set_callbacks},
      {"udp", udp_new},
      {"open", udp_open},
      {"bind", udp_bind},
      {"connect", udp_connect},
      {"disconnect", udp_disconnect},
      {"receiveStart", udp_receive_start},
      {"receiveStop", udp_receive_stop},
      {"send", udp_send},
      {"sockName", udp_sock_name},
      {"peerName", udp_peer_name},
      {"setBroadcast", udp_broadcast},
      {"setTTL", udp_ttl},
      {"setMulticastTTL", udp_multicast_ttl},
      {"setMulticastLoopback", udp_multicast_loop},
      {"setMulticastInterface", udp_multicast_interface},
      {"membership", udp_membership},
      {"bufferSize", udp_buffer_size},
      {"queued", udp_queued},
      {NULL, NULL},
  };
  js_methods(exports, methods);
}
