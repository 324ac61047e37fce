/* Namespaces for one run: see sim_isolate.h.
 *
 * The superuser needs a network and a mount namespace; any other user a user namespace
 * around them, in which that user keeps its number. Neither is everywhere allowed (in
 * containers, by settings of the kernel), so each step may fail. Temporary files are an
 * overlay: the lower layer is what is there, the upper one belongs to the run. */
#include "sim_isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROOTS = 2, NOT_EXECUTED = 255 };

/* --- which folders ------------------------------------------------------------------ */

static bool is_below(const char* path, const char* root) {
  size_t length = strlen(root);
  return strncmp(path, root, length) == 0 &&
         (path[length] == '/' || path[length] == '\0');
}

/* The folders that a run gets for itself, without symbolic links: at most /tmp and
 * $TMPDIR. One in which the program is started stays shared: its files are the
 * program's results. */
static size_t roots_find(char roots[ROOTS][PATH_MAX]) {
  const char* asked[ROOTS] = {"/tmp", getenv("TMPDIR")};
  char here[PATH_MAX];
  size_t count = 0;
  if (getcwd(here, sizeof(here)) == NULL)
    return 0;
  for (size_t i = 0; i < ROOTS; i++) {
    char path[PATH_MAX];
    struct stat status;
    if (asked[i] == NULL || asked[i][0] != '/' || realpath(asked[i], path) == NULL ||
        stat(path, &status) != 0 || !S_ISDIR(status.st_mode) || strcmp(path, here) == 0 ||
        strcmp(path, "/") == 0 || strpbrk(path, ",:\\") != NULL)
      continue;
    if (count == 0 || !is_below(path, roots[0]))
      snprintf(roots[count++], PATH_MAX, "%s", path);
  }
  return count;
}

bool sim_isolate_covers(const char* path) {
  char roots[ROOTS][PATH_MAX];
  char here[PATH_MAX];
  size_t count = roots_find(roots);
  bool is_private = false;
  for (size_t i = 0; i < count; i++)
    is_private |= is_below(path, roots[i]);
  return is_private && (getcwd(here, sizeof(here)) == NULL || !is_below(path, here));
}

/* --- the user ----------------------------------------------------------------------- */

static int text_write(const char* path, const char* text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return errno;
  ssize_t length = (ssize_t) strlen(text);
  int err = write(fd, text, (size_t) length) == length ? 0 : errno;
  close(fd);
  return err;
}

static int user_map(unsigned int user, unsigned int group) {
  char line[64];
  int err = text_write("/proc/self/setgroups", "deny");
  if (err != 0 && err != ENOENT)
    return err;
  snprintf(line, sizeof(line), "%u %u 1", group, group);
  err = text_write("/proc/self/gid_map", line);
  snprintf(line, sizeof(line), "%u %u 1", user, user);
  return err != 0 ? err : text_write("/proc/self/uid_map", line);
}

static int spaces_enter(void) {
  unsigned int user = geteuid(), group = getegid();
  if (user == 0 && unshare(CLONE_NEWNET | CLONE_NEWNS) == 0)
    return 0;
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS) != 0)
    return errno;
  return user_map(user, group);
}

/* --- the network and the files ------------------------------------------------------ */

static int loopback_start(void) {
  struct ifreq request = {.ifr_name = "lo"};
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return errno;
  int err = ioctl(fd, SIOCGIFFLAGS, &request) == 0 ? 0 : errno;
  request.ifr_flags |= IFF_UP;
  if (err == 0 && ioctl(fd, SIOCSIFFLAGS, &request) != 0)
    err = errno;
  close(fd);
  return err;
}

static int layer_make(char* path, size_t size, const char* folder, const char* name,
                      size_t number, mode_t mode) {
  int length = snprintf(path, size, "%s/%s.%zu", folder, name, number);
  if (length < 0 || (size_t) length >= size)
    return ENAMETOOLONG;
  return mkdir(path, 0700) == 0 && chmod(path, mode) == 0 ? 0 : errno;
}

static int overlay_mount(const char* root, const char* folder, size_t number) {
  char upper[PATH_MAX], work[PATH_MAX], options[3 * PATH_MAX + 64];
  struct stat status;
  if (stat(root, &status) != 0)
    return errno;
  int err =
      layer_make(upper, sizeof(upper), folder, "upper", number, status.st_mode & 07777);
  if (err == 0)
    err = layer_make(work, sizeof(work), folder, "work", number, 0700);
  snprintf(options, sizeof(options), "lowerdir=%s,upperdir=%s,workdir=%s", root, upper,
           work);
  if (err == 0 && mount("overlay", root, "overlay", MS_NOSUID | MS_NODEV, options) != 0)
    err = errno;
  return err;
}

/* A folder of the machine that lies below an overlay shows there as it is. */
static int folder_keep(int fd, const char* path) {
  char source[40];
  snprintf(source, sizeof(source), "/proc/self/fd/%d", fd);
  return mount(source, path, NULL, MS_BIND | MS_REC, NULL) == 0 ? 0 : errno;
}

static int files_separate(const char* folder) {
  char roots[ROOTS][PATH_MAX];
  char here[PATH_MAX];
  size_t count = roots_find(roots);
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      getcwd(here, sizeof(here)) == NULL)
    return errno;
  int current = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  int err = current < 0 ? errno : 0;
  for (size_t i = 0; i < count && err == 0; i++) {
    /* Layers must not overlap. */
    if (is_below(folder, roots[i]))
      err = ELOOP;
    else
      err = overlay_mount(roots[i], folder, i);
    if (err == 0 && is_below(here, roots[i]))
      err = folder_keep(current, here);
  }
  if (err == 0 && chdir(here) != 0)
    err = errno;
  if (current >= 0)
    close(current);
  return err;
}

int sim_isolate_enter(const char* folder) {
  int err = spaces_enter();
  if (err == 0)
    err = loopback_start();
  return err != 0 ? err : files_separate(folder);
}

int sim_isolate_try(const char* folder) {
  int status;
  pid_t pid = fork();
  if (pid == 0) {
    int err = sim_isolate_enter(folder);
    _exit(err > 0 && err < NOT_EXECUTED ? err : err == 0 ? 0 : NOT_EXECUTED);
  }
  if (pid < 0)
    return errno;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR)
      return errno;
  }
  sim_isolate_clean(folder);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
    return EPERM; /* a filter of system calls */
  return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

/* --- the end ------------------------------------------------------------------------ */

static int layer_open(const char* path, const struct stat* status, int type,
                      struct FTW* walk) {
  (void) status, (void) walk;
  if (type == FTW_D || type == FTW_DNR)
    (void) chmod(path, 0700); /* the program may have forbidden itself */
  return 0;
}

static int layer_remove(const char* path, const struct stat* status, int type,
                        struct FTW* walk) {
  (void) status, (void) type, (void) walk;
  (void) remove(path);
  return 0;
}

void sim_isolate_clean(const char* folder) {
  static const char* const names[] = {"upper", "work"};
  const int descriptors = 16;
  const int deepest = 8; /* forbidden folders within forbidden folders */
  for (size_t i = 0; i < 2 * ROOTS; i++) {
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s.%zu", folder, names[i % 2], i / 2);
    for (int tries = 0; tries < deepest && access(path, F_OK) == 0; tries++) {
      (void) nftw(path, layer_open, descriptors, FTW_PHYS | FTW_MOUNT);
      (void) nftw(path, layer_remove, descriptors, FTW_PHYS | FTW_MOUNT | FTW_DEPTH);
    }
  }
}
