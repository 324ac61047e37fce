/* Subjects and their numbers: see trace_subjects.h. */
#include "trace_subjects.h"

#include "uv.h"

#include <stdio.h>
#include <stdlib.h>

static const char* const fs_names[] = {
    [UV_FS_CUSTOM] = "custom",       [UV_FS_OPEN] = "open",
    [UV_FS_CLOSE] = "close",         [UV_FS_READ] = "read",
    [UV_FS_WRITE] = "write",         [UV_FS_SENDFILE] = "sendfile",
    [UV_FS_STAT] = "stat",           [UV_FS_LSTAT] = "lstat",
    [UV_FS_FSTAT] = "fstat",         [UV_FS_FTRUNCATE] = "ftruncate",
    [UV_FS_UTIME] = "utime",         [UV_FS_FUTIME] = "futime",
    [UV_FS_ACCESS] = "access",       [UV_FS_CHMOD] = "chmod",
    [UV_FS_FCHMOD] = "fchmod",       [UV_FS_FSYNC] = "fsync",
    [UV_FS_FDATASYNC] = "fdatasync", [UV_FS_UNLINK] = "unlink",
    [UV_FS_RMDIR] = "rmdir",         [UV_FS_MKDIR] = "mkdir",
    [UV_FS_MKDTEMP] = "mkdtemp",     [UV_FS_RENAME] = "rename",
    [UV_FS_SCANDIR] = "scandir",     [UV_FS_LINK] = "link",
    [UV_FS_SYMLINK] = "symlink",     [UV_FS_READLINK] = "readlink",
    [UV_FS_CHOWN] = "chown",         [UV_FS_FCHOWN] = "fchown",
    [UV_FS_REALPATH] = "realpath",   [UV_FS_COPYFILE] = "copyfile",
    [UV_FS_LCHOWN] = "lchown",       [UV_FS_OPENDIR] = "opendir",
    [UV_FS_READDIR] = "readdir",     [UV_FS_CLOSEDIR] = "closedir",
    [UV_FS_STATFS] = "statfs",       [UV_FS_MKSTEMP] = "mkstemp",
    [UV_FS_LUTIME] = "lutime"};

static const char* const node_names[] = {[TRACE_NODE_TIMEOUT] = "timeout",
                                         [TRACE_NODE_IMMEDIATE] = "immediate",
                                         [TRACE_NODE_FUNCTION] = "function"};

const char* subject_kind_name(unsigned int kind, const char** prefix) {
  const char* name = NULL;
  *prefix = "";
  if (kind >= TRACE_SUBJECT_NODE) {
    kind -= TRACE_SUBJECT_NODE;
    if (kind < sizeof(node_names) / sizeof(node_names[0]))
      name = node_names[kind];
  } else if (kind >= TRACE_SUBJECT_FS) {
    kind -= TRACE_SUBJECT_FS;
    *prefix = "fs_";
    if (kind < sizeof(fs_names) / sizeof(fs_names[0]))
      name = fs_names[kind];
  } else if (kind >= TRACE_SUBJECT_REQ) {
    name = uv_req_type_name((uv_req_type) (kind - TRACE_SUBJECT_REQ));
  } else {
    name = uv_handle_type_name((uv_handle_type) kind);
  }
  return name == NULL ? "something" : name;
}

static uint64_t key_of(uint64_t word) {
  return word & (((uint64_t) 1 << TRACE_SUBJECT_LAST_SHIFT) - 1);
}

static struct subject* find(const struct subjects* subjects, uint64_t key) {
  size_t place = (size_t) (key * 0x9e3779b97f4a7c15u >> 32) & (subjects->capacity - 1);
  while (subjects->table[place].key != 0 && subjects->table[place].key != key)
    place = (place + 1) & (subjects->capacity - 1);
  return &subjects->table[place];
}

static void grow(struct subjects* subjects) {
  if ((subjects->count + 1) * 2 <= subjects->capacity)
    return;
  struct subjects bigger = *subjects;
  bigger.capacity = subjects->capacity == 0 ? 256 : subjects->capacity * 2;
  bigger.table = calloc(bigger.capacity, sizeof(*bigger.table));
  if (bigger.table == NULL)
    out_of_memory();
  for (size_t i = 0; i < subjects->capacity; i++) {
    if (subjects->table[i].key != 0)
      *find(&bigger, subjects->table[i].key) = subjects->table[i];
  }
  free(subjects->table);
  *subjects = bigger;
}

static int32_t name_add(struct subjects* subjects, struct trace_loop* loop,
                        unsigned int kind) {
  char text[64];
  const char* prefix;
  const char* name = subject_kind_name(kind, &prefix);
  int length =
      snprintf(text, sizeof(text), "%s%s %u", prefix, name, ++subjects->numbers[kind]);
  loop->subjects = array_grow(loop->subjects, loop->subject_count,
                              &loop->subject_capacity, sizeof(char*));
  loop->subjects[loop->subject_count] = text_copy(text, (size_t) length);
  return (int32_t) loop->subject_count++;
}

static struct subject* find_or_add(struct subjects* subjects, uint64_t key) {
  grow(subjects);
  struct subject* subject = find(subjects, key);
  if (subject->key == 0) {
    subjects->count++;
    *subject = (struct subject){key, EVENT_NONE, EVENT_NONE};
  }
  return subject;
}

int32_t subject_index(struct subjects* subjects, struct trace_loop* loop, uint64_t word) {
  uint64_t key = key_of(word);
  if (key == 0)
    return EVENT_NONE;
  struct subject* subject = find_or_add(subjects, key);
  if (subject->index == EVENT_NONE)
    subject->index =
        name_add(subjects, loop, (unsigned int) (key >> TRACE_SUBJECT_SHIFT) & 0xff);
  int32_t index = subject->index;
  if (key != (word & ~((uint64_t) 0xfe << TRACE_SUBJECT_LAST_SHIFT)))
    /* Closed: the next object at this address is another one. */
    subject->index = EVENT_NONE;
  return index;
}

void subject_begun(struct subjects* subjects, uint64_t word, int32_t cause) {
  if (key_of(word) != 0)
    find_or_add(subjects, key_of(word))->cause = cause;
}

int32_t subject_cause(const struct subjects* subjects, uint64_t word) {
  if (subjects->capacity == 0 || key_of(word) == 0)
    return EVENT_NONE;
  const struct subject* subject = find(subjects, key_of(word));
  return subject->key == 0 ? EVENT_NONE : subject->cause;
}

/* A handle that was never seen stays unseen. */
void subject_gone(struct subjects* subjects, uint64_t word) {
  if (subjects->capacity == 0)
    return;
  struct subject* subject = find(subjects, key_of(word));
  if (subject->key != 0)
    subject->index = EVENT_NONE;
}

void subjects_free(struct subjects* subjects) {
  free(subjects->table);
}
