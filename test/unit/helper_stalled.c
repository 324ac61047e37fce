/* A file system that can be made to answer nothing: see helper_stalled.h. */
#include "helper_stalled.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILE_NODE = 2, FOR_LONG = 3600 };

static _Atomic bool* silent; /* shared with the server */
static pid_t server;

bool stalled_allowed(void) {
  return unshare(CLONE_NEWNS) == 0 &&
         mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
         access("/dev/fuse", R_OK | W_OK) == 0;
}

/* --- The server ------------------------------------------------------------------ */

static void answer(int fuse, uint64_t unique, int error, const void* data, size_t size) {
  struct fuse_out_header header = {
      .len = (uint32_t) (sizeof(header) + (error == 0 ? size : 0)),
      .error = -error,
      .unique = unique};
  struct iovec parts[] = {{&header, sizeof(header)}, {(void*) (uintptr_t) data, size}};
  /* An interrupted question wants no answer any more. */
  (void) !writev(fuse, parts, error == 0 && size > 0 ? 2 : 1);
}

static struct fuse_attr attributes(uint64_t node) {
  bool file = node == FILE_NODE;
  return (struct fuse_attr){.ino = node,
                            .size = file ? 5 : 0,
                            .mode = file ? S_IFREG | 0644 : S_IFDIR | 0755,
                            .nlink = 1,
                            .blksize = 4096};
}

static void serve(int fuse, const struct fuse_in_header* in, const char* body) {
  struct fuse_init_out init = {.major = FUSE_KERNEL_VERSION,
                               .minor = FUSE_KERNEL_MINOR_VERSION,
                               .max_write = 4096};
  struct fuse_entry_out entry = {
      .nodeid = FILE_NODE, .entry_valid = FOR_LONG, .attr = attributes(FILE_NODE)};
  struct fuse_attr_out attr = {.attr = attributes(in->nodeid)};
  struct fuse_open_out opened = {0};
  struct fuse_statfs_out system = {.st = {.bsize = 4096, .namelen = 255}};
  switch (in->opcode) {
  case FUSE_INIT:
    answer(fuse, in->unique, 0, &init, sizeof(init));
    break;
  case FUSE_LOOKUP:
    answer(fuse, in->unique, strcmp(body, "file") == 0 ? 0 : ENOENT, &entry,
           sizeof(entry));
    break;
  case FUSE_GETATTR:
    answer(fuse, in->unique, 0, &attr, sizeof(attr));
    break;
  case FUSE_OPEN:
  case FUSE_OPENDIR:
    answer(fuse, in->unique, 0, &opened, sizeof(opened));
    break;
  case FUSE_READ:
    answer(fuse, in->unique, 0, "hello", 5);
    break;
  case FUSE_STATFS:
    answer(fuse, in->unique, 0, &system, sizeof(system));
    break;
  case FUSE_FLUSH:
  case FUSE_RELEASE:
  case FUSE_RELEASEDIR:
  case FUSE_ACCESS:
    answer(fuse, in->unique, 0, NULL, 0);
    break;
  case FUSE_FORGET:
  case FUSE_BATCH_FORGET:
  case FUSE_INTERRUPT:
    break;
  default:
    answer(fuse, in->unique, ENOSYS, NULL, 0);
  }
}

static void server_run(int fuse) {
  static char question[65536 + 4096] __attribute__((aligned(8)));
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) {
    ssize_t size = read(fuse, question, sizeof(question) - 1);
    if (size < 0 && (errno == EINTR || errno == ENOENT))
      continue;
    if (size < (ssize_t) sizeof(struct fuse_in_header))
      _exit(0); /* unmounted */
    question[size] = '\0';
    const struct fuse_in_header* in = (const void*) question;
    while (in->opcode != FUSE_INIT && atomic_load(silent))
      usleep(1000);
    serve(fuse, in, question + sizeof(*in));
  }
}

/* --- Our side -------------------------------------------------------------------- */

bool stalled_mount(const char* directory) {
  int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
  if (fuse < 0)
    return false;
  char options[100];
  snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
  if (mount("stalled", directory, "fuse.stalled", 0, options) != 0) {
    close(fuse);
    return false;
  }
  silent = mmap(NULL, sizeof(*silent), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                -1, 0);
  atomic_store(silent, false);
  fflush(NULL);
  server = fork();
  if (server == 0)
    server_run(fuse);
  close(fuse);
  return server > 0;
}

void stalled_stop_answering(void) {
  atomic_store(silent, true);
}

void stalled_answer_again(void) {
  atomic_store(silent, false);
}

void stalled_unmount(const char* directory) {
  stalled_answer_again();
  umount2(directory, MNT_DETACH);
  kill(server, SIGKILL);
  waitpid(server, NULL, 0);
  munmap(silent, sizeof(*silent));
}
