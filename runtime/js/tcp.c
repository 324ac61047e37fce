/* TCP handles: making, binding, connecting, options, addresses. */
#include "stream.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

/* tcp(owner): a token */
static JSValueRef tcp_new(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_new(js_arg_object(argc, argv, 0));
  int err = handle != NULL ? uv_tcp_init(js.loop, &handle->uv.tcp) : UV_ENOMEM;
  if (err == 0)
    return js_handle_made(handle);
  if (handle != NULL)
    js_handle_discard(handle);
  *exception = js_uv_error(err, "socket", NULL, NULL);
  return js_undefined();
}

/* tcpOpen(token, fd) */
static JSValueRef tcp_open(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_arg(argc, argv, 0);
  if (handle == NULL)
    return stream_status(UV_EBADF);
  return stream_status(uv_tcp_open(&handle->uv.tcp, js_arg_int(argc, argv, 1, -1)));
}

/* The address and port in arguments 1 and 2. */
static int address_args(size_t argc, const JSValueRef argv[],
                        struct sockaddr_storage* out) {
  char* text = js_arg_utf8(argc, argv, 1);
  int port = js_arg_int(argc, argv, 2, 0);
  if (text == NULL)
    return UV_ENOMEM;
  int err = uv_ip4_addr(text, port, (struct sockaddr_in*) out);
  if (err < 0)
    err = uv_ip6_addr(text, port, (struct sockaddr_in6*) out);
  free(text);
  return err;
}

/* bind(token, address, port, flags) */
static JSValueRef tcp_bind(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_arg(argc, argv, 0);
  struct sockaddr_storage address;
  if (handle == NULL)
    return stream_status(UV_EBADF);
  int err = address_args(argc, argv, &address);
  if (err == 0)
    err = uv_tcp_bind(&handle->uv.tcp, (const struct sockaddr*) &address,
                      (unsigned) js_arg_int(argc, argv, 3, 0));
  return stream_status(err);
}

/* connect(token, address, port, request) */
static JSValueRef tcp_connect(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_arg(argc, argv, 0);
  struct sockaddr_storage address;
  if (handle == NULL)
    return stream_status(UV_EBADF);
  int err = address_args(argc, argv, &address);
  if (err < 0)
    return stream_status(err);
  connect_t* connect = js_connect_new(js_arg(argc, argv, 3));
  if (connect == NULL)
    return stream_status(UV_ENOMEM);
  err = uv_tcp_connect(&connect->uv, &handle->uv.tcp, (const struct sockaddr*) &address,
                       js_stream_connected);
  if (err < 0)
    js_connect_free(connect);
  return stream_status(err);
}

static JSValueRef tcp_nodelay(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_arg(argc, argv, 0);
  if (handle == NULL)
    return stream_status(UV_EBADF);
  return stream_status(uv_tcp_nodelay(&handle->uv.tcp, js_arg_bool(argc, argv, 1)));
}

/* keepAlive(token, on, delay in seconds) */
static JSValueRef tcp_keepalive(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_arg(argc, argv, 0);
  if (handle == NULL)
    return stream_status(UV_EBADF);
  return stream_status(uv_tcp_keepalive(&handle->uv.tcp, js_arg_bool(argc, argv, 1),
                                        (unsigned) js_arg_int(argc, argv, 2, 0)));
}

/* reset(token, callback): closes with a reset instead of an orderly end */
static JSValueRef tcp_reset(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_arg(argc, argv, 0);
  if (handle == NULL || uv_is_closing(&handle->uv.handle))
    return stream_status(UV_EBADF);
  int err = uv_tcp_close_reset(&handle->uv.tcp, js_handle_closed);
  if (err == 0)
    js_handle_on_closed(handle, js_arg_function(argc, argv, 1));
  return stream_status(err);
}

/* An address as JavaScript has it: { address, family, port }; null if there is none. */
JSValueRef js_address_value(const struct sockaddr_storage* address) {
  char text[INET6_ADDRSTRLEN + IF_NAMESIZE] = "";
  JSObjectRef object = js_object();
  int port;
  if (address->ss_family == AF_INET) {
    const struct sockaddr_in* in = (const struct sockaddr_in*) address;
    uv_ip4_name(in, text, sizeof text);
    port = ntohs(in->sin_port);
  } else if (address->ss_family == AF_INET6) {
    const struct sockaddr_in6* in = (const struct sockaddr_in6*) address;
    uv_ip6_name(in, text, sizeof text);
    port = ntohs(in->sin6_port);
  } else {
    return js_null();
  }
  js_set_string(object, "address", text);
  js_set_string(object, "family", address->ss_family == AF_INET ? "IPv4" : "IPv6");
  js_set_number(object, "port", port);
  return object;
}

/* sockName(token), peerName(token): an address, or a negative error */
static JSValueRef tcp_sock_name(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_arg(argc, argv, 0);
  struct sockaddr_storage address;
  int length = sizeof address;
  if (handle == NULL)
    return stream_status(UV_EBADF);
  int err = uv_tcp_getsockname(&handle->uv.tcp, (struct sockaddr*) &address, &length);
  return err == 0 ? js_address_value(&address) : stream_status(err);
}

static JSValueRef tcp_peer_name(JS_ARGS) {
  JS_UNUSED;
  handle_t* handle = js_handle_arg(argc, argv, 0);
  struct sockaddr_storage address;
  int length = sizeof address;
  if (handle == NULL)
    return stream_status(UV_EBADF);
  int err = uv_tcp_getpeername(&handle->uv.tcp, (struct sockaddr*) &address, &length);
  return err == 0 ? js_address_value(&address) : stream_status(err);
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

const js_method_t js_tcp_methods[] = {
    {"tcp", tcp_new},
    {"tcpOpen", tcp_open},
    {"bind", tcp_bind},
    {"connect", tcp_connect},
    {"noDelay", tcp_nodelay},
    {"keepAlive", tcp_keepalive},
    {"reset", tcp_reset},
    {"sockName", tcp_sock_name},
    {"peerName", tcp_peer_name},
    {"isIP", tcp_is_ip},
    {NULL, NULL},
};
