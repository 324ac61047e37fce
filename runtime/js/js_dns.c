/* native('dns'): names to addresses and back, in the pool (uv_getaddrinfo,
 * uv_getnameinfo). The answer is a list of addresses or a negative error; the error's
 * message is made in JavaScript. */
#include "js_address.h"
#include "js_answer.h"

#include <netdb.h>
#include <stdlib.h>
#include <string.h>

struct dns_lookup {
  uv_getaddrinfo_t uv;
  struct answer answer;
};

struct dns_service {
  uv_getnameinfo_t uv;
  struct answer answer;
};

/* Each address once, in the order of the result, as alternating texts and families. */
static JSValueRef list_addresses(const struct addrinfo* first) {
  JSObjectRef list = js_array(0, NULL);
  unsigned count = 0;
  for (const struct addrinfo* at = first; at != NULL; at = at->ai_next) {
    char text[INET6_ADDRSTRLEN];
    int err = UV_EINVAL;
    if (at->ai_socktype != SOCK_STREAM)
      continue; /* the same address again, for another socket type */
    if (at->ai_family == AF_INET)
      err = uv_ip4_name((const struct sockaddr_in*) at->ai_addr, text, sizeof(text));
    else if (at->ai_family == AF_INET6)
      err = uv_ip6_name((const struct sockaddr_in6*) at->ai_addr, text, sizeof(text));
    if (err < 0)
      continue;
    JSObjectSetPropertyAtIndex(js.ctx, list, count++, js_string(text), NULL);
    JSObjectSetPropertyAtIndex(js.ctx, list, count++,
                               js_number(at->ai_family == AF_INET ? 4 : 6), NULL);
  }
  return list;
}

static void on_lookup(uv_getaddrinfo_t* uv, int status, struct addrinfo* result) {
  struct dns_lookup* lookup = (struct dns_lookup*) uv;
  JSValueRef value = status < 0 ? NULL : list_addresses(result);
  JSValueRef error = status < 0 ? js_number(status) : NULL;
  struct answer answer = lookup->answer;
  uv_freeaddrinfo(result);
  free(lookup);
  js_answer_give(&answer, error, value);
}

/* lookup(host, family, hints, callback): 0 or a negative error */
static JSValueRef dns_lookup(JS_ARGS) {
  JS_UNUSED;
  char* host = js_arg_utf8(argc, argv, 0);
  struct dns_lookup* lookup = calloc(1, sizeof(*lookup));
  int err = UV_ENOMEM;
  if (host != NULL && lookup != NULL) {
    int family = js_arg_int(argc, argv, 1, 0);
    struct addrinfo hints = {
        .ai_family = family == 4   ? AF_INET
                     : family == 6 ? AF_INET6
                                   : AF_UNSPEC,
        .ai_socktype = SOCK_STREAM,
        .ai_flags = js_arg_int(argc, argv, 2, 0),
    };
    js_answer_open_as(&lookup->answer, js_arg(argc, argv, 3), "GETADDRINFOREQWRAP");
    char* origin = js_origin();
    js_origin_report(origin);
    free(origin);
    err = uv_getaddrinfo(js.loop, &lookup->uv, on_lookup, host, NULL, &hints);
    if (err < 0)
      js_answer_drop(&lookup->answer);
  }
  free(host);
  if (err < 0)
    free(lookup);
  return js_number(err);
}

static void on_service(uv_getnameinfo_t* uv, int status, const char* host,
                       const char* service) {
  struct dns_service* request = (struct dns_service*) uv;
  JSValueRef names[2] = {js_undefined(), js_undefined()};
  if (status == 0) {
    names[0] = js_string(host);
    names[1] = js_string(service);
  }
  JSValueRef value = status < 0 ? NULL : js_array(2, names);
  JSValueRef error = status < 0 ? js_number(status) : NULL;
  struct answer answer = request->answer;
  free(request);
  js_answer_give(&answer, error, value);
}

/* lookupService(address, port, callback): 0 or a negative error */
static JSValueRef dns_lookup_service(JS_ARGS) {
  JS_UNUSED;
  struct sockaddr_storage address;
  int err = js_address_arg(argc, argv, 0, &address);
  if (err < 0)
    return js_number(err);
  struct dns_service* request = calloc(1, sizeof(*request));
  if (request == NULL)
    return js_number(UV_ENOMEM);
  js_answer_open_as(&request->answer, js_arg(argc, argv, 2), "GETNAMEINFOREQWRAP");
  err = uv_getnameinfo(js.loop, &request->uv, on_service,
                       (const struct sockaddr*) &address, NI_NAMEREQD);
  if (err < 0) {
    js_answer_drop(&request->answer);
    free(request);
  }
  return js_number(err);
}

void native_dns(JSObjectRef exports) {
  static const struct js_method methods[] = {
      {"lookup", dns_lookup},
      {"lookupService", dns_lookup_service},
      {NULL, NULL},
  };
  js_methods(exports, methods);
  js_set_number(exports, "ADDRCONFIG", AI_ADDRCONFIG);
  js_set_number(exports, "ALL", AI_ALL);
  js_set_number(exports, "V4MAPPED", AI_V4MAPPED);
}
