/* The environment, and the directories it names. The C library's environment
 * can't be read while another thread changes it, and neither can this. */
#include "base/alloc.h"
#include "base/base.h"
#include "base/strings.h"
#include "system/system.h"
#include "uv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char* system_setting(const char* name) {
  return secure_getenv(name);
}

int uv_os_getenv(const char* name, char* buffer, size_t* size) {
  if (name == NULL || buffer == NULL || size == NULL || *size == 0)
    return UV_EINVAL;
  const char* value = getenv(name);
  if (value == NULL)
    return UV_ENOENT;
  return string_give(value, strlen(value), buffer, size);
}

int uv_os_setenv(const char* name, const char* value) {
  if (name == NULL || value == NULL)
    return UV_EINVAL;
  return setenv(name, value, 1) == 0 ? 0 : -errno;
}

int uv_os_unsetenv(const char* name) {
  if (name == NULL)
    return UV_EINVAL;
  return unsetenv(name) == 0 ? 0 : -errno;
}

/* Name and value share one copy of "name=value"; item->name is its start. */
static int item_copy(uv_env_item_t* item, const char* variable, const char* equals) {
  item->name = mem_strdup(variable);
  if (item->name == NULL)
    return UV_ENOMEM;
  item->value = item->name + (equals - variable) + 1;
  item->value[-1] = '\0';
  return 0;
}

int uv_os_environ(uv_env_item_t** envitems, int* count) {
  *envitems = NULL;
  *count = 0;

  size_t length = 0;
  while (environ != NULL && environ[length] != NULL)
    length++;
  uv_env_item_t* items = mem_calloc(length, sizeof(items[0]));
  if (items == NULL)
    return UV_ENOMEM;
  int used = 0;
  for (size_t i = 0; i < length; i++) {
    /* execve() passes on any string; one without "=" is not a variable. */
    const char* equals = strchr(environ[i], '=');
    if (equals == NULL)
      continue;
    if (item_copy(&items[used], environ[i], equals) != 0) {
      uv_os_free_environ(items, used);
      return UV_ENOMEM;
    }
    used++;
  }
  *envitems = items;
  *count = used;
  return 0;
}

void uv_os_free_environ(uv_env_item_t* envitems, int count) {
  for (int i = 0; i < count; i++)
    mem_free(envitems[i].name);
  mem_free(envitems);
}

int uv_os_homedir(char* buffer, size_t* size) {
  uv_passwd_t user;

  /* The environment goes before the system's user database. */
  int err = uv_os_getenv("HOME", buffer, size);
  if (err != UV_ENOENT)
    return err;
  err = uv_os_get_passwd(&user);
  if (err != 0)
    return err;
  err = string_give(user.homedir, strlen(user.homedir), buffer, size);
  uv_os_free_passwd(&user);
  return err;
}

int uv_os_tmpdir(char* buffer, size_t* size) {
  static const char* const variables[] = {"TMPDIR", "TMP", "TEMP", "TEMPDIR"};
  const char* directory = NULL;

  if (buffer == NULL || size == NULL || *size == 0)
    return UV_EINVAL;
  for (size_t i = 0; directory == NULL && i < ARRAY_LENGTH(variables); i++)
    directory = getenv(variables[i]);
  if (directory == NULL)
    directory = "/tmp";
  /* There must be room for the whole value, even for a final slash, which is then
   * removed. */
  size_t length = strlen(directory);
  int err = string_give(directory, length, buffer, size);
  if (err == 0 && length > 1 && buffer[length - 1] == '/')
    buffer[--*size] = '\0';
  return err;
}
