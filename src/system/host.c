/* Names: of this host and of its kernel. */
#include "base/strings.h"
#include "uv.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

int uv_os_gethostname(char* buffer, size_t* size) {
  char name[UV_MAXHOSTNAMESIZE];

  if (buffer == NULL || size == NULL || *size == 0)
    return UV_EINVAL;
  if (gethostname(name, sizeof(name)) != 0)
    return -errno;
  /* The call may leave out the terminator of a long name. */
  name[sizeof(name) - 1] = '\0';
  return string_give(name, strlen(name), buffer, size);
}

int uv_os_uname(uv_utsname_t* buffer) {
  struct utsname name;

  if (buffer == NULL)
    return UV_EINVAL;
  memset(buffer, 0, sizeof(*buffer));
  if (uname(&name) != 0)
    return -errno;
  string_copy(buffer->sysname, name.sysname, sizeof(buffer->sysname));
  string_copy(buffer->release, name.release, sizeof(buffer->release));
  string_copy(buffer->version, name.version, sizeof(buffer->version));
  string_copy(buffer->machine, name.machine, sizeof(buffer->machine));
  return 0;
}
