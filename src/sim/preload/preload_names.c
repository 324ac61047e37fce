/* Names of temporary files and folders: the C library draws them from a generator of its
 * own. Here they come from the seed, so that a run can be compared with another line by
 * line. The last character is always a digit: names with digits are no part of what a
 * decision is about, so a name that is taken already, by an earlier run, changes nothing
 * else. */
#include "preload.h"

#include "base/table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LETTERS = 6, ATTEMPTS = 10000 };

/* The next word for a name; words of two processes differ. */
static uint64_t name_next(void) {
  static _Atomic uint64_t made;
  return hash_number(preload_process_word() + ++made);
}

static uint64_t name_drawn(void) {
  uint64_t word = 0;
  syscall(SYS_getrandom, &word, sizeof(word), 0);
  return word;
}

static void name_write(char* at, uint64_t word) {
  static const char letters[] =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (int i = 0; i < LETTERS; i++) {
    at[i] = letters[word % (i == LETTERS - 1 ? 10 : sizeof(letters) - 1)];
    word /= sizeof(letters) - 1;
  }
}

/* Makes a new file, or a folder if flags is negative. */
static int name_make(char* template, int suffix, int flags) {
  size_t length = strlen(template);
  size_t end = suffix < 0 || (size_t) suffix > length ? 0 : length - (size_t) suffix;
  if (end < LETTERS || memcmp(template + end - LETTERS, "XXXXXX", LETTERS) != 0) {
    errno = EINVAL;
    return -1;
  }
  for (int i = 0; i < ATTEMPTS; i++) {
    name_write(template + end - LETTERS,
               preload_world == NULL ? name_drawn() : name_next());
    int made = flags < 0 ? mkdir(template, 0700)
                         : open(template,
                                (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, 0600);
    if (made >= 0 && preload_world != NULL) {
      int saved = errno;
      world_note_made(preload_world, template);
      errno = saved;
    }
    if (made >= 0 || errno != EEXIST)
      return made;
  }
  return -1;
}

char* mkdtemp(char* template) {
  return name_make(template, 0, -1) < 0 ? NULL : template;
}

int mkostemps(char* template, int suffix, int flags) {
  return name_make(template, suffix, flags);
}

int mkostemp(char* template, int flags) {
  return name_make(template, 0, flags);
}

int mkstemps(char* template, int suffix) {
  return name_make(template, suffix, 0);
}

int mkstemp(char* template) {
  return name_make(template, 0, 0);
}

#ifdef __GLIBC__
/* The names for files of more than 2 GiB; on 64 bits they are the same. */
int mkstemp64(char* template) __attribute__((alias("mkstemp")));
int mkstemps64(char* template, int suffix) __attribute__((alias("mkstemps")));
int mkostemp64(char* template, int flags) __attribute__((alias("mkostemp")));
int mkostemps64(char* template, int suffix, int flags)
    __attribute__((alias("mkostemps")));
#endif
