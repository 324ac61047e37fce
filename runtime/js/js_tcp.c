/* TCP handles: making, binding, connecting, options, addresses. */
#include "js_address.h"
#include "js_stream.h"

#include <stdlib.h>
#include <string.h>

/* tcp(owner): a token */
static JSValueRef tcp_new(JS_ARGS) {
  JS_UNUSED;
  struct js_handle* handle = js_handle_new(js_arg_object(argc, argv, 0));
  int err = handle != NULL ? uv_tcp_init(js.loop, &handle->uv.tcp) : UV_ENOMEM;
  return js_handle_answer(handle, err, "socket", exception);
}

/* tcpOpen(token, fd) */
static int tcp_open(struct js_handle* handle, size_t argc, const JSValueRef argv[]) {
  return uv_tcp_open(&handle->uv.tcp, js_arg_int(argc, argv, 1, -1));
}

/* bind(token, address, port, flags) */
static int tcp_bind(struct js_handle* handle, size_t argc, const JSValueRef argv[]) {
  struct sockaddr_storage address;
  int err = js_address_arg(argc, argv, 1, &address);
  if (err < 0)
    return err;
  return uv_tcp_bind(&handle->uv.tcp, (const struct sockaddr*) &address,
                     (unsigned) js_arg_int(argc, argv, 3, 0));
}

/* connect(token, address, port, request) */
static int tcp_connect(struct js_handle* handle, size_t argc, const JSValueRef argv[]) {
  struct sockaddr_storage address;
  int err = js_address_arg(argc, argv, 1, &address);
  if (err < 0)
    return err;
  struct stream_connect* connect = js_connect_new(handle, js_arg(argc, argv, 3));
  if (connect == NULL)
    return UV_ENOMEM;
  err = uv_tcp_connect(&connect->uv, &handle->uv.tcp, (const struct sockaddr*) &address,
                       js_stream_connected);
  if (err < 0)
    js_connect_free(connect);
  return err;
}

/* noDelay(token, on) */
static int tcp_nodelay(struct js_handle* handle, size_t argc, const JSValueRef argv[]) {
  return uv_tcp_nodelay(&handle->uv.tcp, js_arg_bool(argc, argv, 1));
}

/* keepAlive(token, on, delay in seconds) */
static int tcp_keepalive(struct js_handle* handle, size_t argc, const JSValueRef argv[]) {
  return uv_tcp_keepalive(&handle->uv.tcp, js_arg_bool(argc, argv, 1),
                          (unsigned) js_arg_int(argc, argv, 2, 0));
}

/* reset(token, callback): closes with a reset instead of an orderly end */
static int tcp_reset(struct js_handle* handle, size_t argc, const JSValueRef argv[]) {
  if (uv_is_closing(&handle->uv.handle))
    return UV_EBADF;
  int err = uv_tcp_close_reset(&handle->uv.tcp, js_handle_closed);
  if (err == 0)
    js_handle_on_closed(handle, js_arg_function(argc, argv, 1));
  return err;
}

static JSValueRef tcp_name(size_t argc, const JSValueRef argv[],
                           int (*ask)(const uv_tcp_t*, struct sockaddr*, int*)) {
  struct js_handle* handle = js_handle_arg(argc, argv, 0);
  struct sockaddr_storage address;
  int length = sizeof(address);
  int err = UV_EBADF;
  if (handle != NULL)
    err = ask(&handle->uv.tcp, (struct sockaddr*) &address, &length);
  return js_address_answer(err, &address);
}

/* sockName(token), peerName(token): an address, or a negative error */
static JSValueRef tcp_sock_name(JS_ARGS) {
  JS_UNUSED;
  return tcp_name(argc, argv, uv_tcp_getsockname);
}

static JSValueRef tcp_peer_name(JS_ARGS) {
  JS_UNUSED;
  return tcp_name(argc, argv, uv_tcp_getpeername);
}

/* isIP(text): 4, 6 or 0 */
static JSValueRef tcp_is_ip(JS_ARGS) {
  JS_UNUSED;
  char* text = js_arg_utf8(argc, argv, 0);
  struct sockaddr_in6 six;
  struct sockaddr_in four;
  int version = 0;
  if (text == NULL)
    return js_number(0);
  if (uv_ip4_addr(text, 0, &four) == 0)
    version = 4;
  else if (strchr(text, ':') != NULL && uv_ip6_addr(text, 0, &six) == 0)
    version = 6;
  free(text);
  return js_number(version);
}

void js_tcp_add(JSObjectRef exports) {
  static const struct handle_method handle_methods[] = {
      {"tcpOpen", tcp_open},
      {"bind", tcp_bind},
      {"connect", tcp_connect},
      {"noDelay", tcp_nodelay},
      {"keepAlive", tcp_keepalive},
      {"reset", tcp_reset},
      {NULL, NULL},
  };
  static const struct js_method methods[] = {
      {"tcp", tcp_new},
      {"sockName", tcp_sock_name},
      {"peerName", tcp_peer_name},
      {"isIP", tcp_is_ip},
      {NULL, NULL},
  };
  js_handle_methods(exports, handle_methods);
  js_methods(exports, methods);
}
