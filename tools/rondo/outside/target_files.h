/* The descriptors of a target, and what a person knows them by: paths, addresses. */
#ifndef RONDO_TOOL_TARGET_FILES_H
#define RONDO_TOOL_TARGET_FILES_H

#include "target.h"

struct target_file {
  int fd;
  bool is_owned; /* a handle or a loop has it; set by who finds out */
  char* text;    /* "/tmp/fifo", "127.0.0.1:80 - 127.0.0.1:4711", "pipe:[471]" */
};

struct target_files {
  struct target_file* list; /* sorted by descriptor */
  size_t count;
  bool known; /* false: a core file has none */
};

void files_read(struct target_files* files, const struct target* target);
void files_free(struct target_files* files);
struct target_file* file_of(const struct target_files* files, int fd);
bool file_is_epoll(const struct target_files* files, int fd);

#endif
