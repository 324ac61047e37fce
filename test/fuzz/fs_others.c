/* What isn't about files: addresses and names, random bytes, and what the system tells
 * into buffers that may be too small. */
#include "fs_fuzz.h"

#include <arpa/inet.h>
#include <limits.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 300 };

static void print_outcome(struct chain* chain, const char* what, int err) {
  fprintf(chain->log, "%d.%d %s %s", chain->number, ++chain->serial, what,
          err < 0 ? uv_err_name(err) : "0");
}

static void print_bytes(FILE* log, const void* bytes, size_t size) {
  const unsigned char* b = bytes;
  fputc(' ', log);
  for (size_t i = 0; i < size; i++)
    fprintf(log, "%02x", b[i]);
}

/* --- Addresses -------------------------------------------------------------------- */

static const char* const texts[] = {
    "127.0.0.1",
    "0.0.0.0",
    "255.255.255.255",
    "256.0.0.1",
    "1.2.3",
    "01.2.3.4",
    "1.2.3.4 ",
    "",
    "::",
    "::1",
    "fe80::1%lo",
    "fe80::1%1",
    "fe80::1%",
    "1::2::3",
    "::ffff:1.2.3.4",
    "12345::",
    ":1",
    "2001:db8::8:800:200c:417a",
    "1:2:3:4:5:6:7:8",
    "1:2:3:4:5:6:7:8:9",
    "::%lo",
    "1.2.3.4.5",
    "0x7f.1",
    "fe80::1%none",
    "::1.2.3.256",
    "1:2:3:4:5:6:7::",
    "::FFFF:ABCD",
    "1..2.3",
    "-1.2.3.4",
    "fe80::1%99999999999",
};
enum { TEXTS = sizeof(texts) / sizeof(texts[0]) };

static void names_of(struct chain* chain, const struct sockaddr_storage* address) {
  static const size_t sizes[] = {0, 1, 5, 10, 16, 46, 100};
  char text[ROOM] = "untouched";
  size_t size = sizes[pick(chain, 7)];
  int err = address->ss_family == AF_INET
                ? uv_ip4_name((const struct sockaddr_in*) address, text, size)
                : uv_ip6_name((const struct sockaddr_in6*) address, text, size);
  fprintf(chain->log, " name in %zu %s ", size, err < 0 ? uv_err_name(err) : "0");
  print_text(chain->log, err == 0 ? text : "");
}

static void act_address(struct chain* chain) {
  const char* text = texts[pick(chain, TEXTS)];
  int port = pick(chain, 4) == 0 ? 70000 : (int) pick(chain, 65536);
  struct sockaddr_storage address;
  memset(&address, 0, sizeof(address));
  bool six = pick(chain, 2) == 0;
  int err = six ? uv_ip6_addr(text, port, (struct sockaddr_in6*) &address)
                : uv_ip4_addr(text, port, (struct sockaddr_in*) &address);
  print_outcome(chain, six ? "ip6_addr" : "ip4_addr", err);
  print_text(chain->log, text);
  if (err == 0) {
    print_bytes(chain->log, &address,
                six ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in));
    names_of(chain, &address);
  }
  fputc('\n', chain->log);
}

static void act_inet(struct chain* chain) {
  static const int families[] = {AF_INET, AF_INET6, AF_UNIX, 999};
  static const size_t sizes[] = {0, 1, 8, 16, 46, 64};
  unsigned char raw[16];
  char text[ROOM] = "untouched";
  const char* from = texts[pick(chain, TEXTS)];
  int family = families[pick(chain, 4)];
  memset(raw, 0xee, sizeof(raw));
  int err = uv_inet_pton(family, from, raw);
  print_outcome(chain, "inet_pton", err);
  fprintf(chain->log, " %d ", family);
  print_text(chain->log, from);
  print_bytes(chain->log, raw, err == 0 ? sizeof(raw) : 0);
  for (int i = 0; i < 16; i++)
    raw[i] = pick(chain, 2) == 0 ? 0 : (unsigned char) pick(chain, 256);
  size_t size = sizes[pick(chain, 6)];
  err = uv_inet_ntop(family, raw, text, size);
  fprintf(chain->log, " ntop in %zu %s ", size, err < 0 ? uv_err_name(err) : "0");
  print_text(chain->log, err == 0 ? text : "");
  fputc('\n', chain->log);
}

static void act_interface(struct chain* chain) {
  static const unsigned int indexes[] = {0, 1, 9999, UINT_MAX};
  char name[ROOM] = "untouched";
  size_t size = pick(chain, 4);
  if (size == 3)
    size = sizeof(name);
  unsigned int index = indexes[pick(chain, 4)];
  bool iid = pick(chain, 2) == 0;
  int err =
      iid ? uv_if_indextoiid(index, name, &size) : uv_if_indextoname(index, name, &size);
  print_outcome(chain, iid ? "indextoiid" : "indextoname", err);
  fprintf(chain->log, " %u size %zu ", index, size);
  print_text(chain->log, err == 0 ? name : "");
  fputc('\n', chain->log);
}

static void act_resolve(struct chain* chain) {
  static const int flags[] = {AI_NUMERICHOST, AI_NUMERICHOST | AI_NUMERICSERV,
                              AI_NUMERICHOST | AI_PASSIVE, AI_NUMERICHOST | 0x40000000};
  static const int families[] = {AF_UNSPEC, AF_INET, AF_INET6, 77};
  static const int types[] = {0, SOCK_STREAM, SOCK_DGRAM, 99};
  static const char* const services[] = {NULL, "80", "", "70000", "no-such-service",
                                         "-1"};
  struct addrinfo hints = {.ai_flags = flags[pick(chain, 4)],
                           .ai_family = families[pick(chain, 4)],
                           .ai_socktype = types[pick(chain, 4)]};
  const char* node = pick(chain, 6) == 0 ? NULL : texts[pick(chain, TEXTS)];
  const char* service = services[pick(chain, 6)];
  uv_getaddrinfo_t request;
  int err = uv_getaddrinfo(chain->loop, &request, NULL, node, service, &hints);
  print_outcome(chain, "getaddrinfo", err);
  print_text(chain->log, node);
  print_text(chain->log, service);
  fprintf(chain->log, " %x %d %d", (unsigned) hints.ai_flags, hints.ai_family,
          hints.ai_socktype);
  if (err == 0) {
    for (const struct addrinfo* a = request.addrinfo; a != NULL; a = a->ai_next) {
      fprintf(chain->log, " %d/%d/%d", a->ai_family, a->ai_socktype, a->ai_protocol);
      print_bytes(chain->log, a->ai_addr, a->ai_addrlen);
    }
    uv_freeaddrinfo(request.addrinfo);
  }
  fputc('\n', chain->log);
}

static void act_name(struct chain* chain) {
  static const int flags[] = {NI_NUMERICHOST | NI_NUMERICSERV,
                              NI_NUMERICHOST | NI_NUMERICSERV | NI_DGRAM,
                              NI_NUMERICHOST | NI_NUMERICSERV | 0x4000};
  struct sockaddr_storage address;
  memset(&address, 0, sizeof(address));
  if (uv_ip4_addr("127.0.0.9", (int) pick(chain, 65536),
                  (struct sockaddr_in*) &address) != 0 ||
      pick(chain, 2) == 0)
    uv_ip6_addr("2001:db8::7", 80, (struct sockaddr_in6*) &address);
  if (pick(chain, 6) == 0)
    address.ss_family = AF_UNIX;
  uv_getnameinfo_t request;
  int err = uv_getnameinfo(chain->loop, &request, NULL, (struct sockaddr*) &address,
                           flags[pick(chain, 3)]);
  print_outcome(chain, "getnameinfo", err);
  if (err == 0)
    fprintf(chain->log, " %s %s", request.host, request.service);
  fputc('\n', chain->log);
}

/* --- The system ------------------------------------------------------------------- */

static void act_random(struct chain* chain) {
  static const size_t sizes[] = {0, 1, 256, 1000, (size_t) INT_MAX + 1, SIZE_MAX};
  unsigned char bytes[1000];
  size_t size = sizes[pick(chain, 6)];
  unsigned int flags = pick(chain, 4) == 0 ? 1 + pick(chain, 8) : 0;
  memset(bytes, 0, sizeof(bytes));
  int err =
      uv_random(pick(chain, 2) == 0 ? NULL : chain->loop, NULL, bytes, size, flags, NULL);
  int set = 0;
  for (size_t i = 0; i < sizeof(bytes); i++)
    set += bytes[i] != 0;
  print_outcome(chain, "random", err);
  fprintf(chain->log, " size %zu flags %u %s\n", size, flags,
          size < 100 || (err == 0 && set > (int) size / 2) ? "good" : "none");
}

static int ask(int which, char* text, size_t* size) {
  switch (which) {
  case 0:
    return uv_os_homedir(text, size);
  case 1:
    return uv_os_tmpdir(text, size);
  case 2:
    return uv_cwd(text, size);
  case 3:
    return uv_os_gethostname(text, size);
  case 4:
    return uv_os_getenv("FUZZED", text, size);
  case 5:
    return uv_os_getenv("NEVER_SET", text, size);
  default:
    return uv_exepath(text, size);
  }
}

static void change_environment(struct chain* chain) {
  static const char* const names[] = {"HOME", "TMPDIR", "TMP", "FUZZED", "", "A=B"};
  static const char* const values[] = {"", "/", "/some/where", "/ends/in/a/slash/", "x"};
  const char* name = names[pick(chain, 6)];
  const char* value = values[pick(chain, 5)];
  bool set = pick(chain, 3) != 0;
  print_outcome(chain, set ? "setenv" : "unsetenv",
                set ? uv_os_setenv(name, value) : uv_os_unsetenv(name));
  fprintf(chain->log, " '%s' '%s'\n", name, value);
}

static void act_ask(struct chain* chain) {
  static const char* const names[] = {"homedir", "tmpdir", "cwd",    "hostname",
                                      "getenv",  "unset",  "exepath"};
  char text[4096];
  int which = (int) pick(chain, 7);
  size_t whole = sizeof(text);
  /* The environment belongs to all: another chain would see the change or not. */
  if (chain->alone && pick(chain, 2) == 0)
    change_environment(chain);
  else if (!chain->alone && which != 2 && which != 3 && which != 6)
    return;
  int err = ask(which, text, &whole);
  print_outcome(chain, names[which], err);
  fprintf(chain->log, " size %zu ", whole);
  print_text(chain->log, err == 0 ? text : "");
  size_t sizes[] = {0, 1, whole / 2, whole, whole + 1, whole + 2};
  size_t size = sizes[pick(chain, 6)];
  size_t asked = size;
  if (size > sizeof(text))
    size = asked = sizeof(text);
  err = ask(which, text, &size);
  fprintf(chain->log, " in %zu %s size %zu ", asked, err < 0 ? uv_err_name(err) : "0",
          size);
  print_text(chain->log, err == 0 ? text : "");
  fputc('\n', chain->log);
}

static void act_errors(struct chain* chain) {
  char text[ROOM] = "untouched";
  int code = pick(chain, 4) == 0 ? -(int) pick(chain, 5000) : -(int) pick(chain, 140);
  size_t size = 1 + pick(chain, 60);
  if (code == UV_ENODATA || code == UV_EUNATCH || code == UV_ENOEXEC)
    return; /* libuv 1.44 has no names for them */
  print_outcome(chain, "error", 0);
  uv_err_name_r(code, text, size);
  fprintf(chain->log, " %d translated %d name %s", code, uv_translate_sys_error(-code),
          text);
  uv_strerror_r(code, text, size);
  fprintf(chain->log, " text %s\n", text);
}

/* A request of a kind that can't be cancelled. */
static void act_cancel(struct chain* chain) {
  static const uv_req_type types[] = {UV_CONNECT, UV_WRITE, UV_SHUTDOWN, UV_UDP_SEND,
                                      UV_REQ};
  uv_req_t request;
  memset(&request, 0, sizeof(request));
  request.type = types[pick(chain, 5)];
  print_outcome(chain, "cancel", uv_cancel(&request));
  fprintf(chain->log, " %s\n", uv_req_type_name(request.type));
}

void other_act(struct chain* chain) {
  static void (*const acts[])(struct chain * chain) = {
      act_address, act_inet, act_interface, act_resolve, act_name,
      act_random,  act_ask,  act_errors,    act_ask,     act_cancel,
  };
  acts[pick(chain, sizeof(acts) / sizeof(acts[0]))](chain);
}
