/* Addresses: text and port from JavaScript, objects to JavaScript. */
#include "js_address.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int js_address_arg(size_t argc, const JSValueRef argv[], size_t index,
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

/* A link-local address is meaningful only with its link: "fe80::1%eth0". */
static void address_add_scope(const struct sockaddr_in6* in, char* text, size_t size) {
  char name[IF_NAMESIZE];
  size_t length = strlen(text);
  if (IN6_IS_ADDR_LINKLOCAL(&in->sin6_addr) && in->sin6_scope_id > 0 &&
      if_indextoname(in->sin6_scope_id, name) != NULL)
    snprintf(text + length, size - length, "%%%s", name);
}

JSValueRef js_address_value(const struct sockaddr_storage* address) {
  char text[INET6_ADDRSTRLEN + IF_NAMESIZE + 1] = "";
  JSObjectRef object = js_object();
  int port;
  if (address->ss_family == AF_INET) {
    const struct sockaddr_in* in = (const struct sockaddr_in*) address;
    uv_ip4_name(in, text, sizeof(text));
    port = ntohs(in->sin_port);
  } else if (address->ss_family == AF_INET6) {
    const struct sockaddr_in6* in = (const struct sockaddr_in6*) address;
    uv_ip6_name(in, text, sizeof(text));
    address_add_scope(in, text, sizeof(text));
    port = ntohs(in->sin6_port);
  } else {
    return js_null();
  }
  js_set_string(object, "address", text);
  js_set_string(object, "family", address->ss_family == AF_INET ? "IPv4" : "IPv6");
  js_set_number(object, "port", port);
  return object;
}

JSValueRef js_address_answer(int err, const struct sockaddr_storage* address) {
  return err == 0 ? js_address_value(address) : js_number(err);
}
