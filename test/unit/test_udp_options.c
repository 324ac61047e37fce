/* UDP options and multicast groups, over IPv4 and IPv6. The groups are joined on the
 * loopback, so that no network is needed. */
#include "udp_test.h"

#include <net/if.h>

static int option(const uv_udp_t* handle, int level, int name) {
  int value = -1;
  socklen_t length = sizeof value;
  assert_int_equal(0, getsockopt(handle->io_watcher.fd, level, name, &value, &length));
  return value;
}

static void options_need_a_socket(void** state) {
  uv_udp_t handle;
  (void) state;
  assert_int_equal(0, uv_udp_init(&loop, &handle));
  assert_int_equal(UV_EBADF, uv_udp_set_ttl(&handle, 1));
  assert_int_equal(UV_EBADF, uv_udp_set_broadcast(&handle, 1));
  assert_int_equal(UV_EBADF, uv_udp_set_multicast_ttl(&handle, 32));
  assert_int_equal(UV_EINVAL, uv_udp_set_multicast_ttl(&handle, -1));
  assert_int_equal(UV_EBADF, uv_udp_set_multicast_loop(&handle, 1));
  assert_int_equal(UV_EBADF, uv_udp_set_multicast_interface(&handle, "0.0.0.0"));
  assert_int_equal(UV_EBADF, uv_udp_set_multicast_interface(&handle, NULL));
  close_now(&handle);
}

static void check_options(int family, int level, int ttl, int multicast_ttl, int looped) {
  uv_udp_t handle;
  if (uv_udp_init_ex(&loop, &handle, (unsigned int) family) != 0)
    skip();
  for (int value = 1; value <= 255; value++) {
    assert_int_equal(0, uv_udp_set_ttl(&handle, value));
    assert_int_equal(value, option(&handle, level, ttl));
    assert_int_equal(0, uv_udp_set_multicast_ttl(&handle, value));
    assert_int_equal(value, option(&handle, level, multicast_ttl));
  }
  assert_int_equal(0, uv_udp_set_multicast_ttl(&handle, 0));
  assert_int_equal(UV_EINVAL, uv_udp_set_multicast_ttl(&handle, 256));
  assert_int_equal(UV_EINVAL, uv_udp_set_ttl(&handle, 0));
  assert_int_equal(UV_EINVAL, uv_udp_set_ttl(&handle, -1));
  assert_int_equal(UV_EINVAL, uv_udp_set_ttl(&handle, 256));
  for (int on = 0; on <= 1; on++) {
    assert_int_equal(0, uv_udp_set_multicast_loop(&handle, on));
    assert_int_equal(on, option(&handle, level, looped));
    assert_int_equal(0, uv_udp_set_broadcast(&handle, on));
    assert_int_equal(on, option(&handle, SOL_SOCKET, SO_BROADCAST));
  }
  assert_int_equal(0, uv_udp_set_multicast_interface(&handle, NULL));
  assert_int_equal(UV_EINVAL, uv_udp_set_multicast_interface(&handle, "not an address"));
  close_now(&handle);
}

static void options_of_ip4(void** state) {
  (void) state;
  check_options(AF_INET, IPPROTO_IP, IP_TTL, IP_MULTICAST_TTL, IP_MULTICAST_LOOP);
}

static void options_of_ip6(void** state) {
  (void) state;
  check_options(AF_INET6, IPPROTO_IPV6, IPV6_UNICAST_HOPS, IPV6_MULTICAST_HOPS,
                IPV6_MULTICAST_LOOP);
}

static void membership_refuses_bad_arguments(void** state) {
  uv_udp_t handle;
  (void) state;
  assert_int_equal(0, uv_udp_init(&loop, &handle));
  assert_int_equal(UV_EINVAL,
                   uv_udp_set_membership(&handle, "nonsense", NULL, UV_JOIN_GROUP));
  assert_int_equal(
      UV_EINVAL, uv_udp_set_membership(&handle, "239.255.0.1", NULL, (uv_membership) 7));
  assert_int_equal(-1, handle.io_watcher.fd); /* nothing was made */
  assert_int_equal(UV_EINVAL, uv_udp_set_membership(&handle, "239.255.0.1", "nonsense",
                                                    UV_JOIN_GROUP));
  assert_int_equal(UV_EINVAL, uv_udp_set_source_membership(&handle, "239.255.0.1", NULL,
                                                           "::1", UV_JOIN_GROUP));
  close_now(&handle);
}

static char buffer[65536];
static int received;

static void take_buffer(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  (void) handle;
  (void) suggested;
  *buf = uv_buf_init(buffer, sizeof buffer);
}

static void count_ping(uv_udp_t* handle, ssize_t nread, const uv_buf_t* buf,
                       const struct sockaddr* addr, unsigned int flags) {
  (void) handle;
  (void) flags;
  assert_true(nread >= 0);
  if (addr != NULL) {
    assert_memory_equal("PING", buf->base, 4);
    received++;
  }
}

static int deliveries(uv_udp_t* sender, const struct sockaddr* group) {
  uv_buf_t buf = uv_buf_init("PING", 4);
  received = 0;
  int result = uv_udp_try_send(sender, &buf, 1, group);
  if (result == UV_ENETUNREACH)
    return -1; /* no route for groups on this machine */
  assert_int_equal(4, result);
  for (int i = 0; i < 20 && received == 0; i++) {
    uv_run(&loop, UV_RUN_NOWAIT);
    uv_sleep(1);
  }
  return received;
}

static void groups_of_ip4(void** state) {
  struct sockaddr_in addr;
  struct sockaddr_in group;
  int length = sizeof addr;
  uv_udp_t receiver;
  uv_udp_t sender;
  (void) state;

  assert_int_equal(0, uv_ip4_addr("0.0.0.0", 0, &addr));
  assert_int_equal(0, uv_udp_init(&loop, &receiver));
  assert_int_equal(0, uv_udp_bind(&receiver, (const struct sockaddr*) &addr, 0));
  assert_int_equal(0, uv_udp_getsockname(&receiver, (struct sockaddr*) &addr, &length));
  assert_int_equal(0, uv_udp_recv_start(&receiver, take_buffer, count_ping));
  assert_int_equal(0, uv_ip4_addr("239.255.0.1", ntohs(addr.sin_port), &group));
  assert_int_equal(0, uv_udp_init_ex(&loop, &sender, AF_INET));
  assert_int_equal(0, uv_udp_set_multicast_interface(&sender, "127.0.0.1"));

  assert_int_equal(
      0, uv_udp_set_membership(&receiver, "239.255.0.1", "127.0.0.1", UV_JOIN_GROUP));
  assert_int_equal(1, deliveries(&sender, (const struct sockaddr*) &group));
  assert_int_equal(
      0, uv_udp_set_membership(&receiver, "239.255.0.1", "127.0.0.1", UV_LEAVE_GROUP));
  assert_int_equal(UV_EADDRNOTAVAIL, uv_udp_set_membership(&receiver, "239.255.0.1",
                                                           "127.0.0.1", UV_LEAVE_GROUP));

  assert_int_equal(0, uv_udp_set_source_membership(&receiver, "239.255.0.1", "127.0.0.1",
                                                   "127.0.0.1", UV_JOIN_GROUP));
  assert_int_equal(1, deliveries(&sender, (const struct sockaddr*) &group));
  assert_int_equal(0, uv_udp_set_source_membership(&receiver, "239.255.0.1", "127.0.0.1",
                                                   "127.0.0.1", UV_LEAVE_GROUP));
  assert_int_equal(0, uv_udp_set_source_membership(&receiver, "239.255.0.1", "127.0.0.1",
                                                   "127.0.0.9", UV_JOIN_GROUP));
  assert_int_equal(0, deliveries(&sender, (const struct sockaddr*) &group));
  close_now(&sender);
  close_now(&receiver);
}

static void groups_of_ip6(void** state) {
  struct sockaddr_in6 addr;
  struct sockaddr_in6 group;
  int length = sizeof addr;
  char interface[64];
  uv_udp_t receiver;
  uv_udp_t sender;
  (void) state;

  assert_int_equal(0, uv_ip6_addr("::", 0, &addr));
  assert_int_equal(0, uv_udp_init(&loop, &receiver));
  if (uv_udp_bind(&receiver, (const struct sockaddr*) &addr, UV_UDP_IPV6ONLY) != 0) {
    close_now(&receiver);
    skip();
  }
  snprintf(interface, sizeof interface, "::1%%%s", "lo");
  assert_int_equal(0, uv_udp_getsockname(&receiver, (struct sockaddr*) &addr, &length));
  assert_int_equal(0, uv_udp_recv_start(&receiver, take_buffer, count_ping));
  assert_int_equal(0, uv_ip6_addr("ff02::4242", ntohs(addr.sin6_port), &group));
  assert_int_equal(0, uv_udp_init_ex(&loop, &sender, AF_INET6));
  int err = uv_udp_set_multicast_interface(&sender, interface);
  if (err == 0)
    err = uv_udp_set_membership(&receiver, "ff02::4242", interface, UV_JOIN_GROUP);
  if (err == 0) {
    assert_int_not_equal(0, deliveries(&sender, (const struct sockaddr*) &group));
    assert_int_equal(
        0, uv_udp_set_membership(&receiver, "ff02::4242", interface, UV_LEAVE_GROUP));
    assert_int_not_equal(1, deliveries(&sender, (const struct sockaddr*) &group));
    assert_int_equal(0, uv_udp_set_source_membership(&receiver, "ff02::4242", interface,
                                                     "::1", UV_JOIN_GROUP));
    assert_int_equal(0, uv_udp_set_source_membership(&receiver, "ff02::4242", interface,
                                                     "::1", UV_LEAVE_GROUP));
  }
  close_now(&sender);
  close_now(&receiver);
}

/* A dual-stack socket hears IPv4 as well, unless it was bound for IPv6 only. */
static void ip6_only_is_ip6_only(void** state) {
  (void) state;
  for (unsigned int flags = 0; flags <= UV_UDP_IPV6ONLY; flags++) {
    struct sockaddr_in6 addr;
    struct sockaddr_in destination;
    int length = sizeof addr;
    uv_udp_t receiver;
    uv_udp_t sender;
    assert_int_equal(0, uv_ip6_addr("::", 0, &addr));
    assert_int_equal(0, uv_udp_init(&loop, &receiver));
    if (uv_udp_bind(&receiver, (const struct sockaddr*) &addr, flags) != 0) {
      close_now(&receiver);
      skip();
    }
    assert_int_equal(0, uv_udp_getsockname(&receiver, (struct sockaddr*) &addr, &length));
    assert_int_equal(0, uv_ip4_addr("127.0.0.1", ntohs(addr.sin6_port), &destination));
    assert_int_equal(0, uv_udp_recv_start(&receiver, take_buffer, count_ping));
    assert_int_equal(0, uv_udp_init(&loop, &sender));
    assert_int_equal(flags == 0 ? 1 : 0,
                     deliveries(&sender, (const struct sockaddr*) &destination));
    close_now(&sender);
    close_now(&receiver);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      udp_test(options_need_a_socket), udp_test(options_of_ip4),
      udp_test(options_of_ip6),        udp_test(membership_refuses_bad_arguments),
      udp_test(groups_of_ip4),         udp_test(groups_of_ip6),
      udp_test(ip6_only_is_ip6_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
