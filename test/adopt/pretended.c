/* A program whose libuv is made up, to be refused for one reason or another: of another
 * version, of another size, with a function nobody knows, without one that could be
 * asked. It writes a line if uv_run is still its own. As a PLUGIN it is a shared object
 * that may be adopted, and says whether it was. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

/* From our headers, by way of the compiler's command line. */
#ifndef VERSION
#define VERSION 0x12c02
#endif
#ifndef LOOP_SIZE
#define LOOP_SIZE 848
#endif

#ifndef HIDDEN
#define EXPORT __attribute__((visibility("default"), noipa))
#else
#define EXPORT __attribute__((visibility("hidden"), noipa))
#endif

#include SIZES /* handle_sizes and req_sizes, as libuv has them */

#ifndef WITHOUT_LOOP_SIZE
EXPORT size_t uv_loop_size(void) {
#ifdef ENDS_WHEN_ASKED
  abort();
#endif
  return LOOP_SIZE;
}
#endif

EXPORT unsigned int uv_version(void) {
#ifdef ENDS_WHEN_ASKED
  abort();
#endif
  return VERSION;
}

#ifndef WITHOUT_HANDLE_SIZE
EXPORT size_t uv_handle_size(int kind) {
#ifdef ODD_HANDLE
  if (kind == ODD_HANDLE)
    return 8;
#endif
  return kind < 1 || kind > 16 ? (size_t) -1 : handle_sizes[kind];
}
#endif

#ifndef WITHOUT_REQ_SIZE
EXPORT size_t uv_req_size(int kind) {
#ifdef ODD_REQ
  if (kind == ODD_REQ)
    return 8;
#endif
  return kind < 1 || kind > 10 ? (size_t) -1 : req_sizes[kind];
}
#endif

#ifdef UNKNOWN
EXPORT int UNKNOWN(void) {
  return 1;
}
#endif

#ifdef INDIRECT
static int indirect_target(void) {
  return 1;
}
EXPORT int uv_loop_alive(void);
static int (*indirect_choose(void))(void) {
  return indirect_target;
}
EXPORT int uv_loop_alive(void) __attribute__((ifunc("indirect_choose")));
#endif

#ifdef FOLDED
EXPORT int uv_is_active(void) {
  return 1;
}
EXPORT int uv_is_closing(void) __attribute__((alias("uv_is_active")));
#endif

EXPORT int uv_run(void) {
  static const char text[] = "its own loop\n";
  epoll_ctl(-1, EPOLL_CTL_ADD, -1, NULL); /* what every libuv asks the C library for */
  return (int) write(1, text, sizeof(text) - 1);
}

#ifdef TIGHT
/* Three bytes with neighbours on both sides: no jump fits, but a short one does. */
__asm__(".text\n.globl uv_backend_fd\n.type uv_backend_fd, @function\n"
        "uv_backend_fd: xor %eax, %eax\n ret\n.size uv_backend_fd, . - uv_backend_fd\n"
        ".globl uv_hrtime\n.type uv_hrtime, @function\n"
        "uv_hrtime: .rept 40\n nop\n.endr\n mov $1, %eax\n ret\n"
        ".size uv_hrtime, . - uv_hrtime\n"
        ".globl uv_tty_set_vterm_state\n.type uv_tty_set_vterm_state, @function\n"
        "uv_tty_set_vterm_state: ret\n"
        ".size uv_tty_set_vterm_state, . - uv_tty_set_vterm_state\n"
        ".globl uv_default_loop\n.type uv_default_loop, @function\n"
        "uv_default_loop: xor %eax, %eax\n ret\n nop\n nop\n nop\n nop\n"
        ".size uv_default_loop, . - uv_default_loop\n");
void* uv_default_loop(void);
int uv_backend_fd(void*);
unsigned long uv_hrtime(void);
void uv_tty_set_vterm_state(int);
#endif
#ifdef NO_TEXT
__asm__(".data\n.globl uv_backend_fd\n.type uv_backend_fd, @function\n"
        "uv_backend_fd: .rept 16\n .byte 0x90\n.endr\n"
        ".size uv_backend_fd, . - uv_backend_fd\n.text\n");
#endif
#ifdef TOO_TIGHT
__asm__(".text\n.globl uv_backend_fd\n.type uv_backend_fd, @function\n"
        ".rept 300\n push %rax\n.endr\n"
        "uv_backend_fd: xor %eax, %eax\n ret\n.size uv_backend_fd, . - uv_backend_fd\n"
        ".rept 300\n push %rax\n.endr\n");
#endif

#if defined(PLUGIN)
/* It works once it is a real one: then the loop is there and can be closed. */
EXPORT void* uv_default_loop(void) {
  return NULL;
}
EXPORT int uv_loop_close(void* loop) {
  return loop == NULL ? -1 : -2;
}

__attribute__((constructor)) static void plugin_start(void) {
  printf("constructor: %s\n", uv_default_loop() == NULL ? "its own" : "adopted");
}

__attribute__((visibility("default"))) void plugin_run(void) {
  printf("closed: %d\n", uv_loop_close(uv_default_loop()));
  fflush(stdout);
}
#elif defined(TIGHT)
int main(void) {
  void* loop = uv_default_loop();
  uv_tty_set_vterm_state(0);
  printf("loop %d fd %d time %d\n", loop != NULL, uv_backend_fd(loop) > 0,
         uv_hrtime() > 1);
  return 7;
}
#else
int main(void) {
  uv_run();
  return 7;
}
#endif
