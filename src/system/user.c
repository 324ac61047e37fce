/* Users and groups, from the system's name service. Each result is one block of memory
 * with its strings behind it. */
#include "base/alloc.h"
#include "uv.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

/* The buffer isn't grown beyond this: no real entry is so large. */
#define ENTRY_SIZE_MAX ((size_t) 16 << 20)

/* Copies a string, which may be NULL, to *next and moves *next past it. */
static char* put_string(char** next, const char* string) {
  char* copy = *next;
  size_t size = string == NULL ? 1 : strlen(string) + 1;
  memcpy(copy, string == NULL ? "" : string, size);
  *next += size;
  return copy;
}

static size_t string_size(const char* string) {
  return string == NULL ? 1 : strlen(string) + 1;
}

static int passwd_copy(uv_passwd_t* pwd, const struct passwd* entry) {
  char* next = mem_alloc(string_size(entry->pw_name) + string_size(entry->pw_dir) +
                         string_size(entry->pw_shell));
  if (next == NULL)
    return UV_ENOMEM;
  pwd->username = put_string(&next, entry->pw_name);
  pwd->homedir = put_string(&next, entry->pw_dir);
  pwd->shell = put_string(&next, entry->pw_shell);
  pwd->uid = entry->pw_uid;
  pwd->gid = entry->pw_gid;
  return 0;
}

/* Looks an entry up with `buffer` for its strings and copies it to `result`.
 * Returns 0, a UV_E… code, or ERANGE when the buffer is too small. */
typedef int (*entry_lookup)(unsigned id, char* buffer, size_t size, void* result);

/* Looks up with ever larger buffers until the entry fits. */
static int entry_find(entry_lookup lookup, unsigned id, void* result) {
  char* buffer = NULL;
  int err = ERANGE;

  for (size_t size = 2048; err == ERANGE && size <= ENTRY_SIZE_MAX; size *= 2) {
    char* grown = mem_realloc(buffer, size);
    if (grown == NULL)
      break;
    buffer = grown;
    err = lookup(id, buffer, size, result);
  }
  mem_free(buffer);
  return err == ERANGE ? UV_ENOMEM : err;
}

static int passwd_lookup(unsigned id, char* buffer, size_t size, void* result) {
  struct passwd entry;
  struct passwd* found = NULL;
  int err;

  do {
    err = getpwuid_r(id, &entry, buffer, size, &found);
  } while (err == EINTR);
  if (err != 0)
    return err == ERANGE ? ERANGE : -err;
  return found == NULL ? UV_ENOENT : passwd_copy(result, found);
}

int uv_os_get_passwd2(uv_passwd_t* pwd, uv_uid_t uid) {
  return pwd == NULL ? UV_EINVAL : entry_find(passwd_lookup, uid, pwd);
}

int uv_os_get_passwd(uv_passwd_t* pwd) {
  return uv_os_get_passwd2(pwd, geteuid());
}

void uv_os_free_passwd(uv_passwd_t* pwd) {
  if (pwd == NULL)
    return;
  mem_free(pwd->username); /* where the block starts */
  pwd->username = NULL;
  pwd->shell = NULL;
  pwd->homedir = NULL;
}

static int group_copy(uv_group_t* group, const struct group* entry) {
  size_t members = 0;
  size_t size = string_size(entry->gr_name);
  for (; entry->gr_mem[members] != NULL; members++)
    size += string_size(entry->gr_mem[members]);
  size += (members + 1) * sizeof(char*);

  char** block = mem_alloc(size);
  if (block == NULL)
    return UV_ENOMEM;
  char* next = (char*) (block + members + 1);
  for (size_t i = 0; i < members; i++)
    block[i] = put_string(&next, entry->gr_mem[i]);
  block[members] = NULL;
  group->members = block;
  group->groupname = put_string(&next, entry->gr_name);
  group->gid = entry->gr_gid;
  return 0;
}

static int group_lookup(unsigned id, char* buffer, size_t size, void* result) {
  struct group entry;
  struct group* found = NULL;
  int err;

  do {
    err = getgrgid_r(id, &entry, buffer, size, &found);
  } while (err == EINTR);
  if (err != 0)
    return err == ERANGE ? ERANGE : -err;
  return found == NULL ? UV_ENOENT : group_copy(result, found);
}

int uv_os_get_group(uv_group_t* group, uv_uid_t gid) {
  return group == NULL ? UV_EINVAL : entry_find(group_lookup, gid, group);
}

void uv_os_free_group(uv_group_t* group) {
  if (group == NULL)
    return;
  mem_free(group->members); /* where the block starts */
  group->members = NULL;
  group->groupname = NULL;
}
