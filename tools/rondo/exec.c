/* `rondo exec -- program arguments`: runs a program that exists on Rondo's libuv.so.1.
 *
 * The loader is told to look where our library is first, so any program that is linked
 * with libuv takes it, and so do its children. A program that carries its own copy of
 * libuv can't be helped; where that can be found out before it starts, it is said. */
#include "exec.h"

#include "trace_model.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* As a shell answers. */
enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

static const char usage[] =
    "usage: rondo exec [--backend uring|epoll] [--] program [arguments]\n"
    "\n"
    "Runs a program that uses libuv on Rondo's library instead.\n";

/* Where the library is: beside the command in a build, in a lib folder beside its folder
 * once installed. */
static bool find_library(char* directory) {
  static const char* const places[] = {"", ("/../lib/" RONDO_MULTIARCH), "/../lib",
                                       "/../lib64"};
  char own[PATH_MAX];
  char candidate[PATH_MAX + 64];
  ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
  if (length <= 0)
    return false;
  own[length] = '\0';
  *strrchr(own, '/') = '\0';
  for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
    snprintf(candidate, sizeof(candidate), "%s%s/libuv.so.1", own, places[i]);
    if (access(candidate, R_OK) != 0 || realpath(candidate, directory) == NULL)
      continue;
    *strrchr(directory, '/') = '\0';
    return true;
  }
  return false;
}

static int prepend_path(const char* directory) {
  const char* old = getenv("LD_LIBRARY_PATH");
  size_t size = strlen(directory) + (old == NULL ? 0 : strlen(old)) + 2;
  char* value = malloc(size);
  if (value == NULL)
    return -1;
  snprintf(value, size, "%s%s%s", directory, old == NULL || *old == '\0' ? "" : ":",
           old == NULL ? "" : old);
  int err = setenv("LD_LIBRARY_PATH", value, 1);
  free(value);
  return err;
}

/* The program as execvp would find it. */
static bool find_program(const char* name, char* path, size_t size) {
  if (strchr(name, '/') != NULL)
    return snprintf(path, size, "%s", name) < (int) size && access(path, X_OK) == 0;
  const char* folders = getenv("PATH");
  while (folders != NULL && *folders != '\0') {
    size_t length = strcspn(folders, ":");
    if (snprintf(path, size, "%.*s/%s", (int) length, folders, name) < (int) size &&
        access(path, X_OK) == 0)
      return true;
    folders += length + (folders[length] == ':');
  }
  return false;
}

bool exec_finds(const char* name) {
  char path[PATH_MAX];
  return find_program(name, path, sizeof(path));
}

/* Asks the loader, which doesn't run the program, what it would load. Says something only
 * if it is sure: a script, or a program that loads libuv later, is not its business. */
static void check_effect(const char* program, const char* directory) {
  int pipes[2];
  if (pipe2(pipes, O_CLOEXEC) != 0)
    return;
  pid_t child = fork();
  if (child == 0) {
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(pipes[1], 1);
    dup2(nothing, 2);
    execl(RONDO_LOADER, RONDO_LOADER, "--list", program, (char*) NULL);
    _exit(1);
  }
  close(pipes[1]);
  FILE* list = fdopen(pipes[0], "r");
  char line[PATH_MAX + 128];
  bool linked = false;
  bool ours = false;
  while (list != NULL && fgets(line, sizeof(line), list) != NULL) {
    if (strstr(line, "libuv.so.1 =>") == NULL)
      continue;
    linked = true;
    ours = strstr(line, directory) != NULL;
  }
  if (list != NULL)
    fclose(list);
  int status = 1;
  if (child > 0)
    waitpid(child, &status, 0);
  if (linked && !ours)
    fprintf(stderr,
            "rondo: %s insists on another libuv.so.1 (a run path in the program?)\n",
            program);
  else if (!linked && symbol_is_defined(program, "uv_run"))
    fprintf(stderr,
            "rondo: %s has a libuv of its own built in, which nothing can take the place "
            "of\n",
            program);
  else if (!linked && status == 0)
    fprintf(stderr,
            "rondo: %s is not linked with libuv.so.1: it loads it later, carries its own "
            "copy, or does without\n",
            program);
}

static int bad_usage(const char* problem, const char* argument) {
  fprintf(stderr, "rondo exec: %s%s\n%s", problem, argument, usage);
  return 9;
}

bool exec_set_backend(const char* name) {
  bool known = strcmp(name, "uring") == 0 || strcmp(name, "epoll") == 0;
  return known && setenv("RONDO_BACKEND", name, 1) == 0;
}

bool exec_prepare(const char* name) {
  char directory[PATH_MAX];
  char program[PATH_MAX];
  if (!find_library(directory)) {
    fputs(
        "rondo: there is no libuv.so.1 beside this command: run make, or make install\n",
        stderr);
    return false;
  }
  if (prepend_path(directory) != 0) {
    fputs("rondo: no memory\n", stderr);
    return false;
  }
  if (find_program(name, program, sizeof(program)))
    check_effect(program, directory);
  return true;
}

int exec_become(char** argv) {
  execvp(argv[0], argv);
  fprintf(stderr, "rondo: %s: %s\n", argv[0], strerror(errno));
  return errno == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
}

int exec_main(int argc, char** argv) {
  int next = 1;
  for (; next < argc && argv[next][0] == '-'; next++) {
    if (strcmp(argv[next], "--") == 0) {
      next++;
      break;
    }
    if (strcmp(argv[next], "--help") == 0 || strcmp(argv[next], "-h") == 0) {
      fputs(usage, stdout);
      return 0;
    }
    if (strcmp(argv[next], "--backend") != 0)
      return bad_usage("bad option: ", argv[next]);
    if (next + 1 >= argc)
      return bad_usage("an argument is missing after ", argv[next]);
    if (!exec_set_backend(argv[++next]))
      return bad_usage("no such backend: ", argv[next]);
  }
  if (next >= argc)
    return bad_usage("which program?", "");
  return exec_prepare(argv[next]) ? exec_become(argv + next) : 1;
}
