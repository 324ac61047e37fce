/* Users, groups, and the names of the host. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "uv.h"

/* No system hands this number out. */
#define NOBODY_AT_ALL 3999999999u

static void the_current_user_is_the_effective_one(void** state) {
  (void) state;
  const struct passwd* expected = getpwuid(geteuid());
  uv_passwd_t user;
  if (expected == NULL) {
    skip(); /* this user is in no list */
  }
  assert_int_equal(uv_os_get_passwd(&user), 0);
  assert_string_equal(user.username, expected->pw_name);
  assert_string_equal(user.homedir, expected->pw_dir);
  assert_string_equal(user.shell, expected->pw_shell);
  assert_int_equal(user.uid, geteuid());
  assert_int_equal(user.gid, expected->pw_gid);
  uv_os_free_passwd(&user);
}

static void any_user_can_be_asked_for(void** state) {
  (void) state;
  uv_passwd_t user;
  assert_int_equal(uv_os_get_passwd2(&user, 0), 0);
  assert_string_equal(user.username, "root");
  assert_int_equal(user.uid, 0);
  uv_os_free_passwd(&user);
  assert_null(user.username);
  assert_null(user.shell);
  assert_null(user.homedir);
  uv_os_free_passwd(&user);
  uv_os_free_passwd(NULL);
}

static void a_user_who_is_not_there_is_not_found(void** state) {
  (void) state;
  uv_passwd_t user;
  assert_int_equal(uv_os_get_passwd2(&user, NOBODY_AT_ALL), UV_ENOENT);
  assert_int_equal(uv_os_get_passwd(NULL), UV_EINVAL);
  assert_int_equal(uv_os_get_passwd2(NULL, 0), UV_EINVAL);
}

static void groups_have_their_members(void** state) {
  (void) state;
  struct group* expected;
  int count = 0;
  setgrent();
  while ((expected = getgrent()) != NULL && count++ < 100) {
    uv_group_t group;
    char name[256];
    size_t members = 0;
    snprintf(name, sizeof(name), "%s", expected->gr_name);
    while (expected->gr_mem[members] != NULL) {
      members++;
    }
    assert_int_equal(uv_os_get_group(&group, expected->gr_gid), 0);
    assert_string_equal(group.groupname, name);
    assert_int_equal(group.gid, expected->gr_gid);
    for (size_t i = 0; i < members; i++) {
      assert_string_equal(group.members[i], expected->gr_mem[i]);
    }
    assert_null(group.members[members]);
    uv_os_free_group(&group);
    assert_null(group.members);
    assert_null(group.groupname);
    uv_os_free_group(&group);
  }
  endgrent();
  uv_os_free_group(NULL);
}

static void a_group_that_is_not_there_is_not_found(void** state) {
  (void) state;
  uv_group_t group;
  assert_int_equal(uv_os_get_group(&group, NOBODY_AT_ALL), UV_ENOENT);
  assert_int_equal(uv_os_get_group(NULL, 0), UV_EINVAL);
}

static void the_host_name_is_given_whole_or_not_at_all(void** state) {
  (void) state;
  char expected[UV_MAXHOSTNAMESIZE];
  char name[UV_MAXHOSTNAMESIZE] = "?";
  size_t size = 1;
  assert_int_equal(gethostname(expected, sizeof(expected)), 0);
  assert_int_equal(uv_os_gethostname(name, &size), UV_ENOBUFS);
  assert_int_equal(size, strlen(expected) + 1);
  assert_string_equal(name, "?");
  assert_int_equal(uv_os_gethostname(name, &size), 0);
  assert_int_equal(size, strlen(expected));
  assert_string_equal(name, expected);

  assert_int_equal(uv_os_gethostname(NULL, &size), UV_EINVAL);
  assert_int_equal(uv_os_gethostname(name, NULL), UV_EINVAL);
  size = 0;
  assert_int_equal(uv_os_gethostname(name, &size), UV_EINVAL);
}

static void the_kernel_tells_its_name(void** state) {
  (void) state;
  struct utsname expected;
  uv_utsname_t name;
  assert_int_equal(uname(&expected), 0);
  assert_int_equal(uv_os_uname(&name), 0);
  assert_string_equal(name.sysname, expected.sysname);
  assert_string_equal(name.release, expected.release);
  assert_string_equal(name.version, expected.version);
  assert_string_equal(name.machine, expected.machine);
  assert_int_equal(uv_os_uname(NULL), UV_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_current_user_is_the_effective_one),
      cmocka_unit_test(any_user_can_be_asked_for),
      cmocka_unit_test(a_user_who_is_not_there_is_not_found),
      cmocka_unit_test(groups_have_their_members),
      cmocka_unit_test(a_group_that_is_not_there_is_not_found),
      cmocka_unit_test(the_host_name_is_given_whole_or_not_at_all),
      cmocka_unit_test(the_kernel_tells_its_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
