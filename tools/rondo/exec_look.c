/* Finds out what kind of program a file is: from its first page, whether it is a script
 * or has no loader; from librondo-adopt.so, which the loader maps together with it,
 * everything else. */
#include "exec_look.h"

#include "adopt/check.h"
#include "exec_loader.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

bool exec_find_program(const char* name, char* path, size_t size) {
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

/* Reads the first page; returns its length. */
static size_t read_start(const char* path, char* start, size_t size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t length = fd < 0 ? -1 : read(fd, start, size);
  if (fd >= 0)
    close(fd);
  return length < 0 ? 0 : (size_t) length;
}

/* `#!/usr/bin/env -S node --flag`: env, its options and its settings are skipped. */
static bool script_interpreter(char* line, char* program, size_t size) {
  char* rest = NULL;
  const char* word = strtok_r(line, " \t", &rest);
  if (word == NULL)
    return false;
  const char* base = strrchr(word, '/');
  if (strcmp(base == NULL ? word : base + 1, "env") == 0) {
    do
      word = strtok_r(NULL, " \t", &rest);
    while (word != NULL && (*word == '-' || strchr(word, '=') != NULL));
  }
  return word != NULL && exec_find_program(word, program, size);
}

/* Finds what the kernel would run for a path: the interpreter of a script may be a script
 * itself. */
static size_t follow_scripts(struct exec_look* look, char* start, size_t size) {
  enum { SCRIPTS_MAX = 4 }; /* the kernel's limit */
  size_t length = read_start(look->program, start, size - 1);
  for (int i = 0; i < SCRIPTS_MAX && length > 2 && memcmp(start, "#!", 2) == 0; i++) {
    start[length] = '\0';
    start[strcspn(start, "\n")] = '\0';
    look->is_script = true;
    if (!script_interpreter(start + 2, look->program, sizeof(look->program)))
      return 0;
    length = read_start(look->program, start, size - 1);
  }
  return length;
}

/* The loader that an ELF file of this machine names; "" if it names none; NULL for any
 * other file. */
static const char* elf_loader(const char* start, size_t length) {
  const Elf64_Ehdr* header = (const void*) start;
  if (length < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EXEC_MACHINE ||
      header->e_phoff > length ||
      (length - header->e_phoff) / sizeof(Elf64_Phdr) < header->e_phnum ||
      header->e_phoff % 8 != 0)
    return NULL;
  const Elf64_Phdr* segments = (const void*) (start + header->e_phoff);
  for (size_t i = 0; i < header->e_phnum; i++) {
    if (segments[i].p_type != PT_INTERP)
      continue;
    if (segments[i].p_offset >= length || segments[i].p_filesz == 0 ||
        segments[i].p_filesz > length - segments[i].p_offset)
      return NULL;
    const char* loader = start + segments[i].p_offset;
    return loader[segments[i].p_filesz - 1] == '\0' ? loader : NULL;
  }
  return "";
}

static bool file_mentions(const char* path, const char* words) {
  struct stat status;
  bool found = false;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  if (fstat(fd, &status) == 0 && status.st_size > 0) {
    void* bytes = mmap(NULL, (size_t) status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes != MAP_FAILED) {
      found = memmem(bytes, (size_t) status.st_size, words, strlen(words) + 1) != NULL;
      munmap(bytes, (size_t) status.st_size);
    }
  }
  close(fd);
  return found;
}

static _Noreturn void probe_become(const char* loader, const char* program, int output) {
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nothing, 0);
  dup2(output, 1);
  dup2(nothing, 2);
  setenv("RONDO_ADOPT", "check", 1);
  execl(loader, loader, program, (char*) NULL);
  _exit(1);
}

static void read_words(struct exec_look* look, int fd) {
  size_t used = 0;
  ssize_t got;
  while ((got = read(fd, look->words + used, sizeof(look->words) - 1 - used)) > 0)
    used += (size_t) got;
  look->words[used] = '\0';
}

/* Lets the loader map the program with librondo-adopt.so, which reports and ends the
 * process. */
static int probe(struct exec_look* look, const char* loader) {
  int pipes[2];
  int status = -1;
  if (pipe2(pipes, O_CLOEXEC) != 0)
    return -1;
  pid_t child = fork();
  if (child == 0)
    probe_become(loader, look->program, pipes[1]);
  close(pipes[1]);
  read_words(look, pipes[0]);
  close(pipes[0]);
  if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status))
    return -1;
  return WEXITSTATUS(status);
}

static enum exec_way way_of(int code) {
  switch (code) {
  case CHECK_ADOPTED:
    return EXEC_ADOPTED;
  case CHECK_LINKED:
    return EXEC_LINKED;
  case CHECK_LINKED_ELSEWHERE:
    return EXEC_LINKED_ELSEWHERE;
  case CHECK_REFUSED:
    return EXEC_REFUSED;
  case CHECK_NEITHER:
    return EXEC_WITHOUT;
  default:
    return EXEC_UNKNOWN;
  }
}

/* For a program that gains privileges the loader ignores the environment, so
 * librondo-adopt.so can't report it. */
static bool gains_rights(const struct stat* status) {
  return ((status->st_mode & S_ISUID) != 0 && status->st_uid != geteuid()) ||
         ((status->st_mode & S_ISGID) != 0 && status->st_gid != getegid());
}

bool exec_look_outside(struct exec_look* look, const char* path) {
  _Alignas(Elf64_Phdr) static char start[4096];
  struct stat status;
  memset(look, 0, sizeof(*look));
  if (realpath(path, look->program) == NULL)
    return false;
  const char* named = elf_loader(start, follow_scripts(look, start, sizeof(start)));
  if (named == NULL)
    return false;
  if (*named == '\0') {
    look->way = EXEC_STATIC;
    return false;
  }
  if (stat(look->program, &status) == 0 && gains_rights(&status)) {
    look->way = EXEC_PRIVILEGED;
    return false;
  }
  /* Another C library may not be able to load our objects. */
  return strcmp(named, EXEC_LOADER) == 0;
}

void exec_look(struct exec_look* look, const char* path) {
  if (!exec_look_outside(look, path))
    return;
  /* Without librondo-adopt.so inside, the program would run. */
  const char* preloaded = getenv("LD_PRELOAD");
  look->way = preloaded == NULL || strstr(preloaded, "librondo-adopt.so") == NULL
                  ? EXEC_SWITCHED_OFF
                  : way_of(probe(look, EXEC_LOADER));
  /* A libuv that has lost its symbols still contains the name of an environment variable
   * that it reads. So does Rondo's command, which exports the other name. */
  if (look->way == EXEC_WITHOUT && file_mentions(look->program, "UV_THREADPOOL_SIZE"))
    look->way = file_mentions(look->program, "rondo_command") ? EXEC_OURS : EXEC_NAMELESS;
}

const char* exec_look_words(const struct exec_look* look) {
  switch (look->way) {
  case EXEC_LINKED_ELSEWHERE:
    return "insists on another libuv.so.1 (a run path in the program?)";
  case EXEC_NAMELESS:
    return "has a libuv built in that can't be adopted: it is stripped, and nothing says "
           "where its functions are (cure: a build that is not stripped, or linked with "
           "-rdynamic)";
  case EXEC_OURS:
    return "is Rondo's command: the scripts that it runs have Rondo's loop";
  case EXEC_SWITCHED_OFF:
    return "was not examined: nothing is adopted, as RONDO_ADOPT says, or because there "
           "is no librondo-adopt.so";
  case EXEC_STATIC:
    return "is linked statically: no loader can put it on another libuv";
  case EXEC_PRIVILEGED:
    return "is set-user-ID or set-group-ID: left alone";
  case EXEC_WITHOUT:
    return "is not linked with libuv and has none built in; a library that it loads, or "
           "a "
           "program that it starts, is adopted if that has one";
  default:
    return NULL;
  }
}

bool exec_look_is_good(const struct exec_look* look) {
  return look->way == EXEC_ADOPTED || look->way == EXEC_LINKED || look->way == EXEC_OURS;
}
