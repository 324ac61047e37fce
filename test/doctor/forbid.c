/* forbid EPERM|ENOSYS|KILL NUMBER... -- program: runs a program under a seccomp filter
 * that answers these system calls with an error, or ends who makes them. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { CALLS_MOST = 30 };

static struct sock_filter filter[2 * CALLS_MOST + 2];
static unsigned short length;

static void add(unsigned short code, unsigned int value, unsigned char no) {
  filter[length++] = (struct sock_filter){code, 0, no, value};
}

static unsigned int answer_of(const char* word) {
  if (strcmp(word, "KILL") == 0)
    return SECCOMP_RET_KILL_PROCESS;
  return SECCOMP_RET_ERRNO | (strcmp(word, "EPERM") == 0 ? EPERM : ENOSYS);
}

int main(int argc, char** argv) {
  int next = 2;
  if (argc < 4)
    return 2;
  add(BPF_LD | BPF_W | BPF_ABS, (unsigned int) offsetof(struct seccomp_data, nr), 0);
  for (; next < argc && strcmp(argv[next], "--") != 0 && next < CALLS_MOST; next++) {
    add(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int) atoi(argv[next]), 1);
    add(BPF_RET | BPF_K, answer_of(argv[1]), 0);
  }
  add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0);
  struct sock_fprog program = {length, filter};
  if (next + 1 >= argc || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    perror("forbid");
    return 2;
  }
  execvp(argv[next + 1], argv + next + 1);
  perror(argv[next + 1]);
  return 2;
}
