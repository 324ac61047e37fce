/* Folders of runs: see sim_folder.h. A folder is locked while it is used; its name has
 * the command's pid, so that the guard knows whose it is. */
#include "sim_folder.h"

#include "sim_isolate.h"
#include "sim/world.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FOLDER_PREFIX "rondo-sim-"

/* A run's own files, and a large output. */
static const unsigned long long ROOM = 8 << 20;
static const unsigned long long ROOM_LEFT = 64 << 10;

/* --- making ------------------------------------------------------------------------- */

static const char* place_path(enum sim_folder_place place) {
  const char* base = getenv("TMPDIR");
  if (place == FOLDER_IN_MEMORY)
    return "/dev/shm";
  return base == NULL || base[0] != '/' || strlen(base) > WORLD_FOLDER / 2 ? "/tmp"
                                                                           : base;
}

static bool has_room(const char* path, unsigned long long size) {
  struct statvfs space;
  return statvfs(path, &space) == 0 &&
         (unsigned long long) space.f_bavail * space.f_frsize >= size;
}

bool sim_folder_has_room(enum sim_folder_place place) {
  return access(place_path(place), W_OK | X_OK) == 0 && has_room(place_path(place), ROOM);
}

bool sim_folder_is_full(const char* folder) {
  return !has_room(folder, ROOM_LEFT);
}

char* sim_folder_make(enum sim_folder_place place, int* fd) {
  char* folder = malloc(WORLD_FOLDER);
  if (folder == NULL)
    return NULL;
  snprintf(folder, WORLD_FOLDER, "%s/" FOLDER_PREFIX "%07d-XXXXXX", place_path(place),
           (int) getpid());
  if (mkdtemp(folder) == NULL) {
    fprintf(stderr, "rondo sim: %s: %s\n", folder, strerror(errno));
    free(folder);
    return NULL;
  }
  *fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (*fd >= 0)
    flock(*fd, LOCK_EX | LOCK_NB);
  return folder;
}

/* --- removing ----------------------------------------------------------------------- */

void sim_folder_remove(const char* path) {
  const struct dirent* entry;
  sim_isolate_clean(path);
  DIR* folder = opendir(path);
  while (folder != NULL && (entry = readdir(folder)) != NULL) {
    if (entry->d_name[0] != '.')
      unlinkat(dirfd(folder), entry->d_name, 0);
  }
  if (folder != NULL)
    closedir(folder);
  rmdir(path);
}

static int made_remove(const char* path, const struct stat* status, int type,
                       struct FTW* walk) {
  (void) status, (void) type, (void) walk;
  (void) remove(path);
  return 0;
}

static bool is_temporary(const char* path) {
  const char* const roots[] = {"/tmp", getenv("TMPDIR")};
  for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
    size_t length = roots[i] == NULL ? 0 : strlen(roots[i]);
    if (length > 1 && strncmp(path, roots[i], length) == 0 && path[length] == '/' &&
        strstr(path, "/../") == NULL)
      return true;
  }
  return false;
}

/* Only what is still the file that the run made: its device and number say so. */
void sim_folder_remove_made(const char* folder) {
  const int descriptors = 16;
  char name[WORLD_FOLDER + 16];
  char* line = NULL;
  size_t size = 0;
  snprintf(name, sizeof(name), "%s/made", folder);
  FILE* file = fopen(name, "re");
  while (file != NULL && getline(&line, &size, file) > 0) {
    unsigned long long device, inode;
    struct stat status;
    line[strcspn(line, "\n")] = '\0';
    char* end;
    device = strtoull(line, &end, 10);
    inode = strtoull(end, &end, 10);
    if (*end != ' ')
      continue;
    const char* path = end + 1;
    if (!is_temporary(path) || lstat(path, &status) != 0 || status.st_dev != device ||
        status.st_ino != inode || status.st_uid != geteuid())
      continue;
    if (S_ISDIR(status.st_mode))
      (void) nftw(path, made_remove, descriptors, FTW_PHYS | FTW_MOUNT | FTW_DEPTH);
    else if (S_ISREG(status.st_mode))
      unlink(path);
  }
  free(line);
  if (file != NULL)
    fclose(file);
}

/* --- what was left ------------------------------------------------------------------ */

/* Calls `each` with the path of every folder in both places that begins like that. */
static void folders_walk(const char* prefix, void (*each)(const char* path)) {
  for (enum sim_folder_place place = 0; place < FOLDER_PLACES; place++) {
    const char* base = place_path(place);
    DIR* all = opendir(base);
    const struct dirent* entry;
    while (all != NULL && (entry = readdir(all)) != NULL) {
      char path[WORLD_FOLDER + 256];
      if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
        continue;
      snprintf(path, sizeof(path), "%s/%s", base, entry->d_name);
      each(path);
    }
    if (all != NULL)
      closedir(all);
  }
}

/* A folder that is new may be about to be locked. */
static void remove_abandoned(const char* path) {
  const time_t long_ago = time(NULL) - 60;
  struct stat status;
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd >= 0 && fstat(fd, &status) == 0 && status.st_uid == geteuid() &&
      status.st_mtime < long_ago && flock(fd, LOCK_EX | LOCK_NB) == 0) {
    sim_folder_remove_made(path);
    sim_folder_remove(path);
  }
  if (fd >= 0)
    close(fd);
}

void sim_folder_sweep(void) {
  folders_walk(FOLDER_PREFIX, remove_abandoned);
}

/* --- the guard ---------------------------------------------------------------------- */

static struct {
  pid_t pid;
  int command_end; /* of a pipe: closed when the command ends, in whatever way */
} guard = {.command_end = -1};

/* Whether the process has the world of this folder in its memory. */
static bool is_of_world(int pid, const char* folder) {
  char path[40];
  char* line = NULL;
  size_t size = 0;
  bool found = false;
  snprintf(path, sizeof(path), "/proc/%d/maps", pid);
  FILE* maps = fopen(path, "re");
  while (maps != NULL && !found && getline(&line, &size, maps) > 0)
    found = strstr(line, folder) != NULL;
  free(line);
  if (maps != NULL)
    fclose(maps);
  return found;
}

static void world_end(const char* folder) {
  char path[WORLD_FOLDER + 272];
  snprintf(path, sizeof(path), "%s/world", folder);
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  struct stat status;
  bool whole = fd >= 0 && fstat(fd, &status) == 0 &&
               status.st_size == (off_t) sizeof(struct world);
  struct world* world =
      whole ? mmap(NULL, sizeof(*world), PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
  if (fd >= 0)
    close(fd);
  if (world == MAP_FAILED)
    return;
  for (uint32_t i = 0; i < world->process_high && i < WORLD_PROCESSES; i++) {
    const struct world_process* process = &world->processes[i];
    if (process->state != PROCESS_FREE && process->pid > 1 &&
        is_of_world(process->pid, folder))
      kill(process->pid, SIGKILL);
  }
  munmap(world, sizeof(*world));
}

static void remove_own(const char* path) {
  struct stat status;
  if (lstat(path, &status) != 0 || status.st_uid != geteuid() || !S_ISDIR(status.st_mode))
    return;
  world_end(path);
  sim_folder_remove_made(path);
  sim_folder_remove(path);
}

static void guard_run(pid_t command, int end) {
  char prefix[64];
  char nothing;
  const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
  setsid();
  prctl(PR_SET_NAME, "rondo-sim-guard");
  for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
    signal(signals[i], SIG_IGN);
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3 && null >= 0; fd++)
    dup2(null, fd); /* whoever reads the command's output sees its end */
  while (read(end, &nothing, 1) < 0 && errno == EINTR) {
  }
  snprintf(prefix, sizeof(prefix), FOLDER_PREFIX "%07d-", (int) command);
  folders_walk(prefix, remove_own);
  _exit(0);
}

void sim_folder_guard(void) {
  int ends[2];
  pid_t command = getpid();
  if (pipe2(ends, O_CLOEXEC) != 0)
    return;
  fflush(NULL);
  guard.pid = fork();
  if (guard.pid == 0) {
    close(ends[1]);
    guard_run(command, ends[0]);
  }
  close(ends[0]);
  guard.command_end = ends[1];
}

void sim_folder_guard_end(void) {
  if (guard.command_end >= 0)
    close(guard.command_end);
  guard.command_end = -1;
  while (guard.pid > 0 && waitpid(guard.pid, NULL, 0) < 0 && errno == EINTR) {
  }
}
