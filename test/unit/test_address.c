/* IP addresses as text and back. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <net/if.h>
#include <string.h>

#include "uv.h"

static void ipv4_text_becomes_an_address(void** state) {
  (void) state;
  struct sockaddr_in address;
  assert_int_equal(uv_ip4_addr("127.0.0.1", 8080, &address), 0);
  assert_int_equal(address.sin_family, AF_INET);
  assert_int_equal(address.sin_port, htons(8080));
  assert_int_equal(address.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
  assert_int_equal(uv_ip4_addr("255.255.255.255", 0, &address), 0);
}

static void bad_ipv4_text_is_refused(void** state) {
  (void) state;
  static const char* const bad[] = {"",          "255",        "1.2.3",     "1.2.3.4.5",
                                    "256.0.0.1", "2555.0.0.0", "1.2.3.x",   "1.2.3.4 ",
                                    " 1.2.3.4",  "1..2.3",     "1.2.3.4.",  "0x7f.0.0.1",
                                    "1.2.3.-4",  "1.2.3*4",    "1.2.3.4%lo"};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    struct sockaddr_in address;
    unsigned char bytes[4] = {1, 2, 3, 4};
    assert_int_equal(uv_ip4_addr(bad[i], 1, &address), UV_EINVAL);
    assert_int_equal(uv_inet_pton(AF_INET, bad[i], bytes), UV_EINVAL);
    assert_memory_equal(bytes, "\1\2\3\4", 4);
  }
}

static void ipv6_text_is_taken_with_and_without_a_zone(void** state) {
  (void) state;
  static const char* const good[] = {
      "::",
      "::1",
      "fe80::1",
      "fe80::",
      "1:2:3:4:5:6:7:8",
      "fe80:0:0:0:2acf:daff:fedd:342a",
      "fe80:0:0:0:2acf:daff:1.2.3.4",
      "::ffff:10.0.0.1",
      "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255",
  };
  static const char* const zones[] = {"", "%", "%en1", "%%%%", "%en1:1.2.3.4"};
  for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
    struct in6_addr plain;
    assert_int_equal(uv_inet_pton(AF_INET6, good[i], &plain), 0);
    for (size_t z = 0; z < sizeof(zones) / sizeof(zones[0]); z++) {
      struct in6_addr zoned;
      char text[128];
      snprintf(text, sizeof(text), "%s%s", good[i], zones[z]);
      assert_int_equal(uv_inet_pton(AF_INET6, text, &zoned), 0);
      assert_memory_equal(&zoned, &plain, sizeof(plain));
    }
  }
}

static void bad_ipv6_text_is_refused(void** state) {
  (void) state;
  static const char* const bad[] = {
      "",
      "%lo",
      ":",
      ":::1",
      "1::2::3",
      "abcde::1",
      "g::1",
      "1:2:3:4:5:6:7",
      "1:2:3:4:5:6:7:8:9",
      "1:2:3:4:5:6:7:1.2.3.4",
      "fe80:0:0:2acf:daff:1.2.3.4.5",
      "127.0.0.1",
      "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255.255",
      "00000000000000000000000000000000000000000000000000000000000::1",
  };
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    struct sockaddr_in6 address;
    struct in6_addr bytes = {.s6_addr = {42}};
    assert_int_equal(uv_ip6_addr(bad[i], 1, &address), UV_EINVAL);
    assert_int_equal(uv_inet_pton(AF_INET6, bad[i], &bytes), UV_EINVAL);
    assert_int_equal(bytes.s6_addr[0], 42);
  }
}

static void the_zone_becomes_the_scope(void** state) {
  (void) state;
  struct sockaddr_in6 address;
  assert_int_equal(uv_ip6_addr("fe80::1%lo", 443, &address), 0);
  assert_int_equal(address.sin6_family, AF_INET6);
  assert_int_equal(address.sin6_port, htons(443));
  assert_int_equal(address.sin6_scope_id, if_nametoindex("lo"));
  assert_int_equal(uv_ip6_addr("fe80::1%no-such-interface", 443, &address), 0);
  assert_int_equal(address.sin6_scope_id, 0);
}

static void addresses_become_text(void** state) {
  (void) state;
  struct sockaddr_in address4;
  struct sockaddr_in6 address6;
  char text[INET6_ADDRSTRLEN];

  assert_int_equal(uv_ip4_addr("192.168.0.1", 80, &address4), 0);
  assert_int_equal(uv_ip4_name(&address4, text, sizeof(text)), 0);
  assert_string_equal(text, "192.168.0.1");
  text[0] = '\0';
  assert_int_equal(uv_ip_name((struct sockaddr*) &address4, text, sizeof(text)), 0);
  assert_string_equal(text, "192.168.0.1");

  assert_int_equal(uv_ip6_addr("fe80:0:0:0:2acf:daff:fedd:342a%lo", 80, &address6), 0);
  assert_int_equal(uv_ip6_name(&address6, text, sizeof(text)), 0);
  assert_string_equal(text, "fe80::2acf:daff:fedd:342a");
  text[0] = '\0';
  assert_int_equal(uv_ip_name((struct sockaddr*) &address6, text, sizeof(text)), 0);
  assert_string_equal(text, "fe80::2acf:daff:fedd:342a");
}

static void text_that_does_not_fit_is_not_written(void** state) {
  (void) state;
  char text[16] = "?";
  assert_int_equal(uv_inet_ntop(AF_INET, "\xFF\xFF\xFF\xFF", text, 15), UV_ENOSPC);
  assert_int_equal(uv_inet_ntop(AF_INET, "\xFF\xFF\xFF\xFF", text, 0), UV_ENOSPC);
  assert_string_equal(text, "?");
  assert_int_equal(uv_inet_ntop(AF_INET, "\xFF\xFF\xFF\xFF", text, 16), 0);
  assert_string_equal(text, "255.255.255.255");
}

static void other_families_are_refused(void** state) {
  (void) state;
  struct sockaddr address = {.sa_family = AF_UNIX};
  char bytes[16] = {0};
  char text[64];
  assert_int_equal(uv_ip_name(&address, text, sizeof(text)), UV_EAFNOSUPPORT);
  assert_int_equal(uv_inet_ntop(42, bytes, text, sizeof(text)), UV_EAFNOSUPPORT);
  assert_int_equal(uv_inet_pton(42, "127.0.0.1", bytes), UV_EAFNOSUPPORT);
  assert_int_equal(uv_inet_pton(AF_INET, NULL, bytes), UV_EINVAL);
  assert_int_equal(uv_inet_pton(AF_INET6, "::1", NULL), UV_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ipv4_text_becomes_an_address),
      cmocka_unit_test(bad_ipv4_text_is_refused),
      cmocka_unit_test(ipv6_text_is_taken_with_and_without_a_zone),
      cmocka_unit_test(bad_ipv6_text_is_refused),
      cmocka_unit_test(the_zone_becomes_the_scope),
      cmocka_unit_test(addresses_become_text),
      cmocka_unit_test(text_that_does_not_fit_is_not_written),
      cmocka_unit_test(other_families_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
