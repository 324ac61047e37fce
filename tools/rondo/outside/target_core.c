/* Core files: see target_core.h. The file is mapped; everything in it is checked against
 * its size before it is read. Memory that the file lacks because it was mapped from a
 * program or a library, and not changed, is read there, if the file is still the same. */
#include "target_core.h"
#include "core_unpack.h"
#include "trace_model.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/procfs.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <unistd.h>

struct core_segment {
  uint64_t start, size, offset; /* of what the file has */
  uint64_t whole;               /* what was mapped */
  uint32_t rights;
};

/* A part of a file that was mapped, by the core file's list. */
struct core_mapped {
  uint64_t start, end, offset;
  const char* path; /* in the core file */
};

struct core_file {
  const unsigned char* bytes;
  size_t size;
  struct core_segment* segments; /* by address */
  size_t segment_count;
  struct core_mapped* mapped;
  size_t mapped_count, mapped_capacity;
  int signal;
};

/* --- memory ---------------------------------------------------------------------------
 */

static const struct core_segment* segment_of(const struct core_file* core,
                                             uint64_t address) {
  size_t low = 0, high = core->segment_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (core->segments[middle].start + core->segments[middle].whole <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low < core->segment_count && core->segments[low].start <= address
             ? &core->segments[low]
             : NULL;
}

/* The file may have been replaced since: only the process's own bytes would show it. For
 * code and constants of the same path this is the best that is known. */
static bool read_mapped(const struct core_file* core, uint64_t address, void* to,
                        size_t size) {
  for (size_t i = 0; i < core->mapped_count; i++) {
    const struct core_mapped* mapped = &core->mapped[i];
    if (address < mapped->start || address >= mapped->end || size > mapped->end - address)
      continue;
    int fd = open(mapped->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
      return false;
    ssize_t got = pread(fd, to, size, (off_t) (mapped->offset + address - mapped->start));
    close(fd);
    return got == (ssize_t) size;
  }
  return false;
}

bool core_read(const struct core_file* core, uint64_t address, void* to, size_t size) {
  unsigned char* at = to;
  while (size > 0) {
    const struct core_segment* segment = segment_of(core, address);
    if (segment == NULL)
      return read_mapped(core, address, at, size);
    uint64_t within = address - segment->start;
    uint64_t part = segment->whole - within;
    part = part < size ? part : size;
    if (within < segment->size) {
      part = part < segment->size - within ? part : segment->size - within;
      memcpy(at, core->bytes + segment->offset + within, part);
    } else if ((segment->rights & PF_W) != 0 || !read_mapped(core, address, at, part)) {
      return false; /* what the program may have written isn't in its files */
    }
    at += part;
    address += part;
    size -= part;
  }
  return true;
}

uint64_t core_missing(const struct core_file* core) {
  uint64_t missing = 0;
  for (size_t i = 0; i < core->segment_count; i++) {
    if ((core->segments[i].rights & PF_W) != 0)
      missing += core->segments[i].whole - core->segments[i].size;
  }
  return missing;
}

int core_signal(const struct core_file* core) {
  return core->signal;
}

/* --- the file -------------------------------------------------------------------------
 */

static int by_start_of(const void* left, const void* right) {
  const struct core_segment *a = left, *b = right;
  return a->start < b->start ? -1 : a->start > b->start;
}

/* A file that was cut short has segments beyond its end. */
static void segment_add(struct core_file* core, const Elf64_Phdr* header) {
  uint64_t size = header->p_filesz < header->p_memsz ? header->p_filesz : header->p_memsz;
  if (header->p_memsz > UINT64_MAX - header->p_vaddr)
    return;
  if (header->p_offset >= core->size)
    size = 0;
  else if (size > core->size - header->p_offset)
    size = core->size - header->p_offset;
  core->segments[core->segment_count++] = (struct core_segment){
      header->p_vaddr, size, header->p_offset, header->p_memsz, header->p_flags};
}

static void mapped_add(struct core_file* core, const uint64_t* row, uint64_t page,
                       const char* path) {
  core->mapped = array_grow(core->mapped, core->mapped_count, &core->mapped_capacity,
                            sizeof(*core->mapped));
  core->mapped[core->mapped_count++] =
      (struct core_mapped){row[0], row[1], row[2] * page, path};
}

/* NT_FILE: a count, the page's size, rows of three words, then the paths. */
static void files_note(struct core_file* core, const unsigned char* data, size_t size) {
  uint64_t head[2], row[3];
  if (size < sizeof(head))
    return;
  memcpy(head, data, sizeof(head));
  if (head[0] > (size - sizeof(head)) / sizeof(row) || head[1] == 0 || head[1] > 1 << 30)
    return;
  const char* path = (const char*) data + sizeof(head) + head[0] * sizeof(row);
  const char* end = (const char*) data + size;
  for (uint64_t i = 0; i < head[0]; i++) {
    const char* next = memchr(path, '\0', (size_t) (end - path));
    if (next == NULL)
      return;
    memcpy(row, data + sizeof(head) + i * sizeof(row), sizeof(row));
    if (row[1] > row[0])
      mapped_add(core, row, head[1], path);
    path = next + 1;
  }
}

#if defined(__x86_64__)
static void thread_note(struct target* target, struct core_file* core,
                        const unsigned char* data, size_t size, size_t* capacity) {
  struct elf_prstatus status;
  struct user_regs_struct all;
  if (size < sizeof(status))
    return;
  memcpy(&status, data, sizeof(status));
  memcpy(&all, &status.pr_reg, sizeof(all));
  target->threads = array_grow(target->threads, target->thread_count, capacity,
                               sizeof(*target->threads));
  struct target_thread* thread = &target->threads[target->thread_count++];
  *thread = (struct target_thread){.tid = status.pr_pid, .state = 0};
  const uintptr_t values[] = {all.rax, all.rdx, all.rcx, all.rbx, all.rsi, all.rdi,
                              all.rbp, all.rsp, all.r8,  all.r9,  all.r10, all.r11,
                              all.r12, all.r13, all.r14, all.r15, all.rip};
  thread->registers.exact = true;
  for (unsigned int i = 0; i < sizeof(values) / sizeof(values[0]); i++)
    unwind_set(&thread->registers, i, values[i]);
  /* Behind the instruction that enters the kernel the call's number and arguments are in
   * registers; the number is lost if the call has begun to return. */
  if ((int64_t) all.orig_rax >= 0) {
    const uint64_t arguments[] = {all.rdi, all.rsi, all.rdx, all.r10, all.r8, all.r9};
    thread->is_blocked = true;
    thread->call = (long) all.orig_rax;
    memcpy(thread->arguments, arguments, sizeof(arguments));
  }
  if (target->thread_count == 1)
    core->signal = status.pr_cursig;
}
#else
static void thread_note(struct target* target, struct core_file* core,
                        const unsigned char* data, size_t size, size_t* capacity) {
  (void) target, (void) core, (void) data, (void) size, (void) capacity;
}
#endif

static void process_note(struct target* target, const unsigned char* data, size_t size) {
  struct elf_prpsinfo info;
  if (size < sizeof(info))
    return;
  memcpy(&info, data, sizeof(info));
  target->pid = info.pr_pid;
  free(target->command);
  target->command =
      text_copy(info.pr_psargs, strnlen(info.pr_psargs, sizeof(info.pr_psargs)));
}

static void notes_read(struct target* target, struct core_file* core, uint64_t offset,
                       uint64_t size, size_t* capacity) {
  if (offset > core->size)
    return;
  size = size < core->size - offset ? size : core->size - offset;
  const unsigned char* at = core->bytes + offset;
  while (size >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;
    memcpy(&note, at, sizeof(note));
    uint64_t name = ((uint64_t) note.n_namesz + 3) & ~(uint64_t) 3;
    uint64_t data = ((uint64_t) note.n_descsz + 3) & ~(uint64_t) 3;
    uint64_t whole = sizeof(note) + name + data;
    if (sizeof(note) + name + note.n_descsz > size)
      return;
    const unsigned char* body = at + sizeof(note) + name;
    if (note.n_type == NT_PRSTATUS)
      thread_note(target, core, body, note.n_descsz, capacity);
    else if (note.n_type == NT_PRPSINFO)
      process_note(target, body, note.n_descsz);
    else if (note.n_type == NT_FILE)
      files_note(core, body, note.n_descsz);
    if (whole >= size)
      return;
    at += whole;
    size -= whole;
  }
}

static const char* headers_read(struct target* target, struct core_file* core) {
  Elf64_Ehdr head;
  size_t threads = 0;
  if (core->size < sizeof(head) || memcmp(core->bytes, ELFMAG, SELFMAG) != 0)
    return "is no core file";
  memcpy(&head, core->bytes, sizeof(head));
  if (head.e_type != ET_CORE || head.e_ident[EI_CLASS] != ELFCLASS64)
    return "is no core file of a 64-bit program";
#if defined(__x86_64__)
  if (head.e_machine != EM_X86_64)
    return "is a core file of another kind of processor";
#endif
  uint64_t count = head.e_phnum;
  if (count == PN_XNUM && head.e_shoff <= core->size - sizeof(Elf64_Shdr)) {
    Elf64_Shdr first; /* more mappings than fit into the header's number */
    memcpy(&first, core->bytes + head.e_shoff, sizeof(first));
    count = first.sh_info;
  }
  if (head.e_phoff > core->size ||
      count > (core->size - head.e_phoff) / sizeof(Elf64_Phdr))
    return "has lost its beginning, or is damaged";
  core->segments = calloc(count + 1, sizeof(*core->segments));
  if (core->segments == NULL)
    out_of_memory();
  for (uint64_t i = 0; i < count; i++) {
    Elf64_Phdr header;
    memcpy(&header, core->bytes + head.e_phoff + i * sizeof(header), sizeof(header));
    if (header.p_type == PT_NOTE)
      notes_read(target, core, header.p_offset, header.p_filesz, &threads);
    else if (header.p_type == PT_LOAD && header.p_memsz > 0)
      segment_add(core, &header);
  }
  qsort(core->segments, core->segment_count, sizeof(*core->segments), by_start_of);
  return target->thread_count == 0 ? "has no threads in it" : NULL;
}

/* --- mappings -------------------------------------------------------------------------
 */

static void maps_make(struct target* target, const struct core_file* core) {
  target->maps = calloc(core->segment_count + 1, sizeof(*target->maps));
  if (target->maps == NULL)
    out_of_memory();
  for (size_t i = 0; i < core->segment_count; i++) {
    const struct core_segment* segment = &core->segments[i];
    const char* path = "";
    uint64_t offset = 0;
    char magic[SELFMAG];
    for (size_t j = 0; j < core->mapped_count; j++) {
      const struct core_mapped* mapped = &core->mapped[j];
      if (segment->start < mapped->start || segment->start >= mapped->end)
        continue;
      path = mapped->path;
      offset = mapped->offset + segment->start - mapped->start;
    }
    /* Code of the kernel's: it has no file, and begins as one. */
    if (*path == '\0' && (segment->rights & PF_X) != 0 && segment->whole <= 1 << 16 &&
        core_read(core, segment->start, magic, sizeof(magic)) &&
        memcmp(magic, ELFMAG, SELFMAG) == 0)
      path = "[vdso]";
    target->maps[target->map_count++] =
        (struct mapping){.start = segment->start,
                         .end = segment->start + segment->whole,
                         .offset = offset,
                         .readable = true,
                         .writable = (segment->rights & PF_W) != 0,
                         .executable = (segment->rights & PF_X) != 0,
                         .path = text_copy(path, strlen(path))};
  }
}

static int by_begin(const void* left, const void* right) {
  const struct mapping *a = left, *b = right;
  return a->start < b->start ? -1 : a->start > b->start;
}

/* gcore leaves out what is mapped from files and can't be written, code above all: only
 * the list of files has it. */
static void maps_complete(struct target* target, const struct core_file* core) {
  size_t known = target->map_count;
  size_t capacity = core->segment_count + 1; /* never 0 */
  for (size_t i = 0; i < core->mapped_count; i++) {
    const struct core_mapped* mapped = &core->mapped[i];
    bool is_there = false;
    for (size_t j = 0; j < known && !is_there; j++)
      is_there =
          target->maps[j].start < mapped->end && mapped->start < target->maps[j].end;
    if (is_there)
      continue;
    if (target->map_count == capacity) {
      capacity += capacity / 2 + 1;
      void* list = realloc(target->maps, capacity * sizeof(*target->maps));
      if (list == NULL)
        out_of_memory();
      target->maps = list;
    }
    target->maps[target->map_count++] =
        (struct mapping){.start = mapped->start,
                         .end = mapped->end,
                         .offset = mapped->offset,
                         .readable = true,
                         .executable = true,
                         .path = text_copy(mapped->path, strlen(mapped->path))};
  }
  qsort(target->maps, target->map_count, sizeof(*target->maps), by_begin);
}

/* False after a line on standard error. */
static bool core_map(struct core_file* core, const char* path) {
  struct stat status;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd >= 0 && !core_unpack(&fd, path))
    return false;
  if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
      status.st_size > 0) {
    void* bytes = mmap(NULL, (size_t) status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    core->bytes = bytes == MAP_FAILED ? NULL : bytes;
    core->size = (size_t) status.st_size;
  }
  if (fd >= 0)
    close(fd);
  if (core->bytes == NULL)
    fprintf(stderr, "rondo: %s can't be read\n", path);
  return core->bytes != NULL;
}

bool target_open_core(struct target* target, const char* path) {
  struct core_file* core = calloc(1, sizeof(*core));
  if (core == NULL)
    out_of_memory();
  *target = (struct target){.core = core};
  if (!core_map(core, path)) {
    target_close(target);
    return false;
  }
  const char* problem = headers_read(target, core);
  if (problem != NULL) {
    fprintf(stderr, "rondo: %s %s\n", path, problem);
    target_close(target);
    return false;
  }
  if (target->command == NULL)
    target->command = text_copy("", 0);
  maps_make(target, core);
  maps_complete(target, core);
  images_find(target);
  return true;
}

void core_close(struct core_file* core) {
  if (core->bytes != NULL)
    munmap((void*) (uintptr_t) core->bytes, core->size);
  free(core->segments);
  free(core->mapped);
  free(core);
}
