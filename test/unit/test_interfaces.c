/* Network interfaces: their addresses and names. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <net/if.h>
#include <string.h>

#include "uv.h"

static void the_loopback_interface_is_listed(void** state) {
  (void) state;
  uv_interface_address_t* addresses;
  int count;
  int found = 0;
  assert_int_equal(uv_interface_addresses(&addresses, &count), 0);
  for (int i = 0; i < count; i++) {
    const uv_interface_address_t* address = &addresses[i];
    int family = address->address.address4.sin_family;
    char text[INET6_ADDRSTRLEN];
    assert_true(family == AF_INET || family == AF_INET6);
    assert_true(if_nametoindex(address->name) > 0);
    if (family == AF_INET &&
        address->address.address4.sin_addr.s_addr == htonl(INADDR_LOOPBACK)) {
      assert_true(address->is_internal);
      assert_memory_equal(address->phys_addr, "\0\0\0\0\0\0", 6);
      assert_int_equal(uv_ip4_name(&address->netmask.netmask4, text, sizeof(text)), 0);
      assert_string_equal(text, "255.0.0.0");
      found++;
    }
  }
  uv_free_interface_addresses(addresses, count);
  if (found == 0) {
    skip(); /* no network at all in here */
  }
}

static void an_interface_has_a_name_for_its_number(void** state) {
  (void) state;
  struct if_nameindex* list = if_nameindex();
  assert_non_null(list);
  for (struct if_nameindex* entry = list; entry->if_index != 0; entry++) {
    char name[UV_IF_NAMESIZE] = "?";
    size_t size = 1;
    assert_int_equal(uv_if_indextoname(entry->if_index, name, &size), UV_ENOBUFS);
    assert_int_equal(size, strlen(entry->if_name) + 1);
    assert_string_equal(name, "?");
    assert_int_equal(uv_if_indextoname(entry->if_index, name, &size), 0);
    assert_string_equal(name, entry->if_name);
    assert_int_equal(size, strlen(entry->if_name));
    size = sizeof(name);
    assert_int_equal(uv_if_indextoiid(entry->if_index, name, &size), 0);
    assert_string_equal(name, entry->if_name);
  }
  if_freenameindex(list);
}

static void bad_numbers_are_refused(void** state) {
  (void) state;
  char name[UV_IF_NAMESIZE];
  size_t size = sizeof(name);
  assert_int_equal(uv_if_indextoname((unsigned) -1, name, &size), UV_ENXIO);
  assert_int_equal(uv_if_indextoname(1, NULL, &size), UV_EINVAL);
  assert_int_equal(uv_if_indextoname(1, name, NULL), UV_EINVAL);
  size = 0;
  assert_int_equal(uv_if_indextoname(1, name, &size), UV_EINVAL);
  assert_int_equal(uv_if_indextoiid(1, name, &size), UV_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_loopback_interface_is_listed),
      cmocka_unit_test(an_interface_has_a_name_for_its_number),
      cmocka_unit_test(bad_numbers_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
