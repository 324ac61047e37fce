/* Runs a program under a seccomp filter that forbids io_uring, as container
 * runtimes do: each of its three system calls answers EPERM.  A library that
 * chooses its backend at run time must notice and work without it.
 *
 *     no_io_uring PROGRAM [ARGUMENT...]
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#else
#error "no_io_uring: name this machine's AUDIT_ARCH here"
#endif

#define LOAD(field)                                                                      \
  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define JUMP_IF_EQUAL(value, yes, no)                                                    \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (yes), (no))
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, (value))

static int forbid_io_uring(void) {
  /* System call numbers mean nothing on a foreign architecture: let it pass. */
  struct sock_filter instructions[] = {
      LOAD(arch),
      JUMP_IF_EQUAL(NATIVE_ARCH, 0, 4),
      LOAD(nr),
      JUMP_IF_EQUAL(SYS_io_uring_setup, 3, 0),
      JUMP_IF_EQUAL(SYS_io_uring_enter, 2, 0),
      JUMP_IF_EQUAL(SYS_io_uring_register, 1, 0),
      RETURN(SECCOMP_RET_ALLOW),
      RETURN(SECCOMP_RET_ERRNO | EPERM),
  };
  struct sock_fprog program = {
      .len = sizeof(instructions) / sizeof(instructions[0]),
      .filter = instructions,
  };
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: no_io_uring PROGRAM [ARGUMENT...]\n");
    return 2;
  }
  if (forbid_io_uring() != 0) {
    fprintf(stderr, "no_io_uring: the kernel refuses the filter: %s\n", strerror(errno));
    return 2;
  }
  execvp(argv[1], argv + 1);
  fprintf(stderr, "no_io_uring: %s: %s\n", argv[1], strerror(errno));
  return 127;
}
