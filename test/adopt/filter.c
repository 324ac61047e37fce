/* filter mem|protect|memfd… -- program: runs a program under a seccomp filter that
 * forbids to write through /proc/self/mem (pwrite64), to make memory executable
 * (mprotect), or to make memory files. */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FILTER_MAX = 32 };

static struct sock_filter filter[FILTER_MAX];
static unsigned short length;

static void add(unsigned short code, unsigned int value, unsigned char yes,
                unsigned char no) {
  filter[length++] = (struct sock_filter){code, yes, no, value};
}

static void refuse(unsigned int call) {
  add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
  add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1 /* EPERM */, 0, 0);
}

static void refuse_execution(unsigned int call) {
  unsigned int access = (unsigned int) offsetof(struct seccomp_data, args[2]);
  add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
  add(BPF_LD | BPF_W | BPF_ABS, access, 0, 0);
  add(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1);
  add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1, 0, 0);
  add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

int main(int argc, char** argv) {
  int next = 1;
  add(BPF_LD | BPF_W | BPF_ABS, (unsigned int) offsetof(struct seccomp_data, nr), 0, 0);
  for (; next < argc && strcmp(argv[next], "--") != 0; next++) {
    if (strcmp(argv[next], "mem") == 0)
      refuse(SYS_pwrite64);
    else if (strcmp(argv[next], "memfd") == 0)
      refuse(SYS_memfd_create);
    else if (strcmp(argv[next], "protect") == 0)
      refuse_execution(SYS_mprotect);
  }
  add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
  struct sock_fprog program = {length, filter};
  if (next + 1 >= argc || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    perror("filter");
    return 1;
  }
  execvp(argv[next + 1], argv + next + 1);
  perror(argv[next + 1]);
  return 1;
}
