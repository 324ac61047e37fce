/* test: threads */
/* Names to addresses and back. None of it needs a network: "localhost" and numbers are
 * known everywhere, and a resolver of our own (getaddrinfo below takes the C library's
 * place) plays the dead server. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <netdb.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "uv.h"

enum { POOL = 4, DEAD = 8 };

/* --- The dead server ------------------------------------------------------------- */

static uv_sem_t server;
static _Atomic int asking;
static _Atomic int most_asking;

int getaddrinfo(const char* node, const char* service, const struct addrinfo* hints,
                struct addrinfo** found) {
  static int (*real)(const char*, const char*, const struct addrinfo*, struct addrinfo**);
  if (node == NULL || strcmp(node, "dead.example") != 0) {
    if (real == NULL)
      *(void**) &real = dlsym(RTLD_NEXT, "getaddrinfo");
    return real(node, service, hints, found);
  }
  int now = atomic_fetch_add(&asking, 1) + 1;
  int most = atomic_load(&most_asking);
  while (now > most && !atomic_compare_exchange_weak(&most_asking, &most, now)) {
  }
  uv_sem_wait(&server);
  atomic_fetch_sub(&asking, 1);
  return EAI_AGAIN;
}

/* --- Names to addresses ---------------------------------------------------------- */

struct answer {
  uv_getaddrinfo_t req;
  int calls;
  int status;
  bool found;
};

static void note(uv_getaddrinfo_t* req, int status, struct addrinfo* res) {
  struct answer* answer = req->data;
  assert_ptr_equal(res, req->addrinfo);
  answer->calls++;
  answer->status = status;
  answer->found = res != NULL;
  uv_freeaddrinfo(res);
}

static void a_name_becomes_addresses(void** state) {
  uv_loop_t* loop = *state;
  struct answer answer = {.req.data = &answer};
  assert_int_equal(uv_getaddrinfo(loop, &answer.req, note, "localhost", NULL, NULL), 0);
  assert_int_equal(answer.calls, 0);
  assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(answer.calls, 1);
  assert_int_equal(answer.status, 0);
  assert_true(answer.found);
}

static void without_a_callback_the_answer_is_there_on_return(void** state) {
  (void) state;
  uv_getaddrinfo_t req;
  struct addrinfo hints = {.ai_family = AF_INET,
                           .ai_socktype = SOCK_STREAM,
                           .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
  assert_int_equal(uv_getaddrinfo(NULL, &req, NULL, "127.0.0.1", "80", &hints), 0);
  assert_non_null(req.addrinfo);
  const struct sockaddr_in* address = (const void*) req.addrinfo->ai_addr;
  assert_int_equal(address->sin_family, AF_INET);
  assert_int_equal(ntohs(address->sin_port), 80);
  assert_int_equal(ntohl(address->sin_addr.s_addr), 0x7f000001);
  uv_freeaddrinfo(req.addrinfo);

  /* Only a service: an address to bind to. */
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  assert_int_equal(uv_getaddrinfo(NULL, &req, NULL, NULL, "80", &hints), 0);
  assert_non_null(req.addrinfo);
  uv_freeaddrinfo(req.addrinfo);
  uv_freeaddrinfo(NULL);
}

static void errors_have_names_of_their_own(void** state) {
  uv_loop_t* loop = *state;
  uv_getaddrinfo_t req;
  struct addrinfo numeric = {.ai_flags = AI_NUMERICHOST};
  assert_int_equal(uv_getaddrinfo(NULL, &req, NULL, "not a number", NULL, &numeric),
                   UV_EAI_NONAME);
  assert_null(req.addrinfo);

  struct addrinfo bad = {.ai_flags = 0x40000000};
  assert_int_equal(uv_getaddrinfo(NULL, &req, NULL, "localhost", NULL, &bad),
                   UV_EAI_BADFLAGS);

  struct answer answer = {.req.data = &answer};
  assert_int_equal(
      uv_getaddrinfo(loop, &answer.req, note, "not a number", NULL, &numeric), 0);
  assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(answer.status, UV_EAI_NONAME);
  assert_false(answer.found);
}

static void bad_arguments_are_refused(void** state) {
  uv_loop_t* loop = *state;
  uv_getaddrinfo_t req;
  assert_int_equal(uv_getaddrinfo(loop, &req, note, NULL, NULL, NULL), UV_EINVAL);
  assert_int_equal(uv_getaddrinfo(loop, NULL, note, "localhost", NULL, NULL), UV_EINVAL);
  assert_int_equal(uv_getaddrinfo(NULL, &req, note, "localhost", NULL, NULL), UV_EINVAL);
  assert_false(uv_loop_alive(loop));
}

/* A name that was cut would be another's. */
static void a_name_that_is_too_long_is_refused(void** state) {
  uv_loop_t* loop = *state;
  uv_getaddrinfo_t req;
  char name[1000];
  for (size_t length = 256; length < sizeof(name); length += 37) {
    memset(name, 'a', length);
    for (size_t i = 60; i < length; i += 60)
      name[i] = '.';
    name[length] = '\0';
    int err = uv_getaddrinfo(loop, &req, note, name, NULL, NULL);
    assert_true(err == UV_EINVAL || err == UV_ENAMETOOLONG);
  }
  assert_int_equal(uv_getaddrinfo(loop, &req, note, "\xff\xfe", NULL, NULL), UV_EINVAL);
  assert_int_equal(uv_getaddrinfo(loop, &req, note, "", NULL, NULL), UV_EINVAL);
  assert_false(uv_loop_alive(loop));
}

/* --- Addresses to names ---------------------------------------------------------- */

static int name_calls;
static int name_status;

static void note_name(uv_getnameinfo_t* req, int status, const char* host,
                      const char* service) {
  (void) req;
  name_calls++;
  name_status = status;
  if (status == 0) {
    assert_string_equal(host, "127.0.0.1");
    assert_string_equal(service, "80");
  } else {
    assert_null(host);
    assert_null(service);
  }
}

static void an_address_becomes_a_name(void** state) {
  uv_loop_t* loop = *state;
  uv_getnameinfo_t req;
  struct sockaddr_in address;
  assert_int_equal(uv_ip4_addr("127.0.0.1", 80, &address), 0);
  const struct sockaddr* any = (const struct sockaddr*) &address;
  const int flags = NI_NUMERICHOST | NI_NUMERICSERV;

  assert_int_equal(uv_getnameinfo(NULL, &req, NULL, any, flags), 0);
  assert_string_equal(req.host, "127.0.0.1");
  assert_string_equal(req.service, "80");

  name_calls = 0;
  assert_int_equal(uv_getnameinfo(loop, &req, note_name, any, flags), 0);
  assert_int_equal(name_calls, 0);
  assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(name_calls, 1);
  assert_int_equal(name_status, 0);

  struct sockaddr_in6 address6;
  assert_int_equal(uv_ip6_addr("::1", 53, &address6), 0);
  assert_int_equal(
      uv_getnameinfo(NULL, &req, NULL, (const struct sockaddr*) &address6, flags), 0);
  assert_string_equal(req.host, "::1");
  assert_string_equal(req.service, "53");
}

static void an_address_without_a_family_is_refused(void** state) {
  uv_loop_t* loop = *state;
  uv_getnameinfo_t req;
  struct sockaddr_in address = {.sin_family = AF_UNIX};
  const struct sockaddr* any = (const struct sockaddr*) &address;
  assert_int_equal(uv_getnameinfo(loop, &req, note_name, any, 0), UV_EINVAL);
  assert_int_equal(uv_getnameinfo(loop, &req, note_name, NULL, 0), UV_EINVAL);
  assert_int_equal(uv_getnameinfo(loop, NULL, note_name, any, 0), UV_EINVAL);
  assert_false(uv_loop_alive(loop));
}

/* --- Bad days -------------------------------------------------------------------- */

static struct answer dead[DEAD];
static int files_done;

static void release_server(void) {
  for (int i = 0; i < DEAD; i++)
    uv_sem_post(&server);
}

static void file_after(uv_fs_t* req) {
  assert_int_equal(req->result, 0);
  uv_fs_req_cleanup(req);
  if (++files_done == 8)
    release_server();
}

/* Contract A3: more look-ups than threads wait for a server that never answers, and file
 * work is done all the same. */
static void a_dead_server_never_stops_file_work(void** state) {
  uv_loop_t* loop = *state;
  uv_fs_t files[8];
  assert_int_equal(uv_sem_init(&server, 0), 0);
  files_done = 0;
  memset(dead, 0, sizeof(dead));
  for (int i = 0; i < DEAD; i++) {
    dead[i].req.data = &dead[i];
    assert_int_equal(uv_getaddrinfo(loop, &dead[i].req, note, "dead.example", NULL, NULL),
                     0);
  }
  for (int i = 0; i < 8; i++)
    assert_int_equal(uv_fs_realpath(loop, &files[i], "/", file_after), 0);
  assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  assert_int_equal(files_done, 8);
  assert_true(atomic_load(&most_asking) <= POOL / 2);
  for (int i = 0; i < DEAD; i++)
    assert_int_equal(dead[i].status, UV_EAI_AGAIN);
  uv_sem_destroy(&server);
}

static void a_waiting_look_up_can_be_cancelled(void** state) {
  uv_loop_t* loop = *state;
  uv_getnameinfo_t name;
  struct sockaddr_in address;
  assert_int_equal(uv_ip4_addr("127.0.0.1", 80, &address), 0);
  assert_int_equal(uv_sem_init(&server, 0), 0);
  memset(dead, 0, sizeof(dead));
  for (int i = 0; i < DEAD; i++) {
    dead[i].req.data = &dead[i];
    assert_int_equal(uv_getaddrinfo(loop, &dead[i].req, note, "dead.example", NULL, NULL),
                     0);
  }
  name_calls = 0;
  assert_int_equal(
      uv_getnameinfo(loop, &name, note_name, (const struct sockaddr*) &address, 0), 0);

  assert_int_equal(uv_cancel((uv_req_t*) &name), 0);
  for (int i = POOL; i < DEAD; i++)
    assert_int_equal(uv_cancel((uv_req_t*) &dead[i].req), 0);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(name_calls, 1);
  assert_int_equal(name_status, UV_EAI_CANCELED);
  for (int i = POOL; i < DEAD; i++) {
    assert_int_equal(dead[i].calls, 1);
    assert_int_equal(dead[i].status, UV_EAI_CANCELED);
    assert_false(dead[i].found);
  }
  release_server();
  assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
  uv_sem_destroy(&server);
}

static int loop_open(void** state) {
  uv_loop_t* loop = malloc(sizeof(*loop));
  *state = loop;
  return uv_loop_init(loop);
}

static int loop_shut(void** state) {
  int err = uv_loop_close(*state);
  free(*state);
  return err;
}

#define WITH_LOOP(test) cmocka_unit_test_setup_teardown(test, loop_open, loop_shut)

int main(void) {
  setenv("UV_THREADPOOL_SIZE", "4", 1);
  const struct CMUnitTest tests[] = {
      WITH_LOOP(a_name_becomes_addresses),
      WITH_LOOP(without_a_callback_the_answer_is_there_on_return),
      WITH_LOOP(errors_have_names_of_their_own),
      WITH_LOOP(bad_arguments_are_refused),
      WITH_LOOP(a_name_that_is_too_long_is_refused),
      WITH_LOOP(an_address_becomes_a_name),
      WITH_LOOP(an_address_without_a_family_is_refused),
      WITH_LOOP(a_dead_server_never_stops_file_work),
      WITH_LOOP(a_waiting_look_up_can_be_cancelled),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
