/* The identity of the process: user and group identifiers, by number or by name. Each
 * setter returns the system's error as a positive number, 0 on success. The C library
 * changes every thread of the process, the pool's too, and the kernel checks each
 * operation of a ring against the identifiers at its submission. */
#include "js.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static JSValueRef credentials_result(int result) {
  return js_number(result == 0 ? 0 : errno);
}

static unsigned credentials_id(size_t argc, const JSValueRef argv[], size_t index) {
  return (unsigned) js_arg_number(argc, argv, index, 0);
}

/* set(which, id): `which` is an index into this list. */
static int (*const credentials_setters[])(unsigned) = {setuid, seteuid, setgid, setegid};

static JSValueRef credentials_set(JS_ARGS) {
  JS_UNUSED;
  size_t which = (size_t) js_arg_number(argc, argv, 0, 0);
  if (which >= sizeof(credentials_setters) / sizeof(*credentials_setters))
    return js_number(EINVAL);
  return credentials_result(credentials_setters[which](credentials_id(argc, argv, 1)));
}

/* setgroups(id, id, ...) */
static JSValueRef credentials_setgroups(JS_ARGS) {
  JS_UNUSED;
  gid_t* groups = malloc((argc + 1) * sizeof(*groups));
  if (groups == NULL)
    return js_number(ENOMEM);
  for (size_t i = 0; i < argc; i++)
    groups[i] = credentials_id(argc, argv, i);
  JSValueRef result = credentials_result(setgroups(argc, groups));
  free(groups);
  return result;
}

/* initgroups(name, id) */
static JSValueRef credentials_initgroups(JS_ARGS) {
  JS_UNUSED;
  char* name = js_arg_utf8(argc, argv, 0);
  if (name == NULL)
    return js_number(EINVAL);
  JSValueRef result = credentials_result(initgroups(name, credentials_id(argc, argv, 1)));
  free(name);
  return result;
}

/* userId(name) → its number, undefined if there is no such user */
static JSValueRef credentials_user_id(JS_ARGS) {
  JS_UNUSED;
  char* name = js_arg_utf8(argc, argv, 0);
  const struct passwd* user = name != NULL ? getpwnam(name) : NULL;
  free(name);
  return user != NULL ? js_number(user->pw_uid) : js_undefined();
}

/* userName(id) → its name, undefined if there is no such user */
static JSValueRef credentials_user_name(JS_ARGS) {
  JS_UNUSED;
  const struct passwd* user = getpwuid(credentials_id(argc, argv, 0));
  return user != NULL ? js_string(user->pw_name) : js_undefined();
}

/* groupId(name) → its number, undefined if there is no such group */
static JSValueRef credentials_group_id(JS_ARGS) {
  JS_UNUSED;
  char* name = js_arg_utf8(argc, argv, 0);
  const struct group* group = name != NULL ? getgrnam(name) : NULL;
  free(name);
  return group != NULL ? js_number(group->gr_gid) : js_undefined();
}

/* errorText(errno) → the C library's words */
static JSValueRef credentials_error_text(JS_ARGS) {
  JS_UNUSED;
  return js_string(strerror(js_arg_int(argc, argv, 0, 0)));
}

void native_credentials(JSObjectRef exports) {
  static const struct js_method methods[] = {
      {"set", credentials_set},
      {"setgroups", credentials_setgroups},
      {"initgroups", credentials_initgroups},
      {"userId", credentials_user_id},
      {"userName", credentials_user_name},
      {"groupId", credentials_group_id},
      {"errorText", credentials_error_text},
      {NULL, NULL},
  };
  js_methods(exports, methods);
}
