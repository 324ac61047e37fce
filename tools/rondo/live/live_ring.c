/* Finds rings and copies them while they are written: see live_ring.h. */
#include "live_ring.h"

#include "live_copy.h"
#include "trace_write.h"

#include "trace/ring.h"
#include "trace/sequence.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <time.h>

uint64_t live_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
}

/* --- finding ----------------------------------------------------------------------- */

/* Pages for which the file has no memory are read, not looked at in the mapping: a look
 * would take memory, and end by SIGBUS where there is none. */
static bool ring_is_begun(int fd) {
  char magic[sizeof(TRACE_MAGIC) - 1] = "";
  return pread(fd, magic, sizeof(magic), 0) == (ssize_t) sizeof(magic) &&
         memcmp(magic, TRACE_MAGIC, sizeof(magic)) == 0;
}

static bool ring_map(struct live_ring* ring, int fd) {
  const size_t least = TRACE_HEADER_SIZE + BOARD_SIZE;
  struct stat status;
  if (!ring_is_begun(fd) || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != geteuid() || (size_t) status.st_size < least)
    return false;
  ring->size = (size_t) status.st_size;
  ring->inode = status.st_ino;
  ring->memory = mmap(NULL, ring->size, PROT_READ, MAP_SHARED, fd, 0);
  if (ring->memory == MAP_FAILED) {
    ring->memory = NULL;
    return false;
  }
  return true;
}

/* Sizes are those of the file; a chunk of a recorder has 64 KiB. */
static bool ring_is_good(const struct live_ring* ring) {
  const size_t first = TRACE_HEADER_SIZE + BOARD_SIZE, chunk_most = 16 << 20;
  const struct trace_header* header = ring->header;
  return header->version == TRACE_VERSION &&
         header->record_size == sizeof(struct trace_record) &&
         header->board_size == BOARD_SIZE && ring->board->layout == BOARD_LAYOUT &&
         header->chunk_size >= TRACE_HEADER_SIZE && header->chunk_size % 8 == 0 &&
         header->chunk_size <= chunk_most && header->chunk_size <= ring->size - first &&
         ring->board->filled <= ring->size && header->pid > 0 && header->pid <= INT_MAX;
}

static bool ring_open_fd(struct live_ring* ring, int fd, const char* path) {
  *ring = (struct live_ring){0};
  if (!ring_map(ring, fd)) {
    close(fd);
    return false;
  }
  ring->fd = fd;
  ring->header = (const void*) ring->memory;
  ring->board = (const void*) (ring->memory + TRACE_HEADER_SIZE);
  ring->path = text_copy(path, strlen(path));
  if (!ring_is_good(ring)) {
    live_ring_close(ring);
    return false;
  }
  ring->chunk_size = ring->header->chunk_size;
  ring->program =
      text_copy(ring->header->program,
                strnlen(ring->header->program, sizeof(ring->header->program)));
  ring->pid = (int) ring->header->pid;
  ring->alive = ring->board->pid_namespace != ring_pid_namespace() ||
                ring_process_start(ring->pid) == ring->board->process_start;
  return true;
}

bool live_ring_open(struct live_ring* ring, const char* path) {
  *ring = (struct live_ring){0};
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  return fd >= 0 && ring_open_fd(ring, fd, path);
}

bool live_ring_take(struct live_ring* ring, int fd) {
  char link[48], path[RING_PATH_SIZE];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof(path) - 1);
  path[length < 0 ? 0 : length] = '\0';
  return ring_open_fd(ring, fd, path);
}

void live_ring_close(struct live_ring* ring) {
  if (ring->memory != NULL) {
    munmap((void*) (uintptr_t) ring->memory, ring->size);
    close(ring->fd);
  }
  free(ring->path);
  free(ring->program);
  *ring = (struct live_ring){0};
}

static int by_life(const void* left, const void* right) {
  const struct live_ring *a = left, *b = right;
  if (a->alive != b->alive)
    return a->alive ? -1 : 1;
  return a->pid < b->pid ? -1 : a->pid > b->pid;
}

size_t live_rings(struct live_ring** list) {
  char folder[RING_PATH_SIZE], path[RING_PATH_SIZE + 300];
  size_t count = 0, capacity = 0;
  *list = NULL;
  for (int turn = 0; turn < RING_FOLDERS; turn++) {
    const struct dirent* entry;
    if (!ring_folder(folder, turn, getenv("XDG_RUNTIME_DIR")) ||
        !ring_folder_is_safe(folder))
      continue;
    DIR* entries = opendir(folder);
    while (entries != NULL && (entry = readdir(entries)) != NULL) {
      if (strstr(entry->d_name, ".ring") == NULL)
        continue;
      snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
      *list = array_grow(*list, count, &capacity, sizeof(**list));
      struct live_ring* ring = &(*list)[count];
      if (!live_ring_open(ring, path))
        continue;
      bool twice = false; /* two of the folders may be the same */
      for (size_t i = 0; i < count; i++)
        twice = twice || (*list)[i].inode == ring->inode;
      if (twice)
        live_ring_close(ring);
      else
        count++;
    }
    if (entries != NULL)
      closedir(entries);
  }
  if (count > 1)
    qsort(*list, count, sizeof(**list), by_life);
  return count;
}

static void report_unrecorded(const char* pid) {
  char path[64];
  struct stat status;
  snprintf(path, sizeof(path), "/proc/%.20s", pid);
  if (stat(path, &status) != 0)
    fprintf(stderr,
            access("/proc/self", F_OK) == 0
                ? "rondo: there is no process %s, and no ring of one\n"
                : "rondo: process %s can't be found: /proc is not mounted\n",
            pid);
  else if (status.st_uid != geteuid())
    fprintf(stderr,
            "rondo: process %s is another user's: only that user can look into it\n",
            pid);
  else
    fprintf(stderr,
            "rondo: process %s is not recorded. Start the program with rondo exec "
            "--record -- program, or with RONDO_RECORD=16M on Rondo's library\n",
            pid);
}

bool live_ring_of(struct live_ring* ring, int pid) {
  struct live_ring* list;
  bool found = false;
  size_t count = live_rings(&list);
  for (size_t i = 0; i < count; i++) {
    if (!found && list[i].pid == pid) {
      *ring = list[i];
      found = true;
    } else {
      live_ring_close(&list[i]);
    }
  }
  free(list);
  return found;
}

bool live_ring_find(struct live_ring* ring, const char* pid) {
  char* end;
  long number = strtol(pid, &end, 10);
  if (*pid < '0' || *pid > '9' || *end != '\0') {
    fprintf(stderr, "rondo: %s is no process's number\n", pid);
    return false;
  }
  if (number <= INT_MAX && live_ring_of(ring, (int) number))
    return true;
  report_unrecorded(pid);
  return false;
}

/* --- the board ---------------------------------------------------------------------- */

/* False while the sample is being written. */
static bool sample_copy(struct board_sample* to, const struct board_sample* from) {
  for (int i = 0; i < 100; i++) {
    uint32_t before = sequence_read_begin(&from->sequence);
    memcpy(to, from, sizeof(*to));
    if (sequence_read_end(&from->sequence, before))
      return to->count > 0 && to->count <= (to->is_bare ? BOARD_PLACES : BOARD_FRAMES);
  }
  return false;
}

/* A place that was never used has no memory, and isn't touched: see ring_is_begun. */
const struct board_loop* live_place(const struct live_ring* ring, size_t place) {
  const struct board* board = ring->board;
  if (place >= __atomic_load_n(&board->places, __ATOMIC_ACQUIRE) ||
      place >= BOARD_LOOPS || board->loops[place].number == 0)
    return NULL;
  return &board->loops[place];
}

/* The contents are another process's: counts are bounded, and texts end. */
static void loop_copy(struct board_loop* to, const struct board_loop* from) {
  memcpy(to, from, sizeof(*to));
  to->depth = to->depth < BOARD_SPANS ? to->depth : BOARD_SPANS;
  to->alive_count = to->alive_count < BOARD_ALIVE ? to->alive_count : BOARD_ALIVE;
  to->backend[sizeof(to->backend) - 1] = '\0';
  for (size_t i = 0; i < BOARD_ALIVE; i++)
    to->alive[i].about[BOARD_ABOUT - 1] = '\0';
}

struct board* live_board_copy(const struct live_ring* ring) {
  const struct board* from = ring->board;
  struct board* to = calloc(1, BOARD_SIZE);
  if (to == NULL)
    return NULL;
  memcpy(to, from, offsetof(struct board, samples));
  if (to->object_count > BOARD_OBJECTS)
    to->object_count = 0;
  for (size_t i = 0; i < BOARD_OBJECTS; i++)
    to->objects[i].path[BOARD_PATH - 1] = '\0';
  for (size_t i = 0; i < BOARD_LOOPS; i++) {
    const struct board_loop* place = live_place(ring, i);
    if (place != NULL)
      loop_copy(&to->loops[i], place);
  }
  for (size_t i = 0; i < BOARD_SAMPLES; i++) {
    if (!sample_copy(&to->samples[i], &from->samples[i]))
      to->samples[i].number = 0;
  }
  return to;
}

const struct board_sample* live_sample_next(const struct board* board, size_t place,
                                            uint64_t looked_ns, size_t* at) {
  while (*at < BOARD_SAMPLES) {
    const struct board_sample* sample =
        &board->samples[(board->sampled + (*at)++) % BOARD_SAMPLES];
    if (sample->number != 0 && sample->loop == place && sample->stretch_ns == looked_ns)
      return sample;
  }
  return NULL;
}

/* --- copying ------------------------------------------------------------------------ */

/* A chunk that the program has begun to reuse meanwhile is left out. */
static void copy_chunk(struct ring_copy* copy, size_t from) {
  const struct trace_chunk* chunk = (const void*) (copy->ring->memory + from);
  /* Pairs with stream_take, which stores it last. */
  uint64_t sequence = __atomic_load_n(&chunk->sequence, __ATOMIC_ACQUIRE);
  if (sequence == 0)
    return;
  memcpy(copy->bytes + copy->used, chunk, copy->chunk_size);
  __atomic_thread_fence(__ATOMIC_ACQUIRE); /* with the fence of ring_take_old */
  if (__atomic_load_n(&chunk->sequence, __ATOMIC_RELAXED) != sequence)
    return;
  ring_copy_chunk(copy, copy->used)->sequence = sequence;
  copy->sequence = sequence > copy->sequence ? sequence : copy->sequence;
  copy->used += copy->chunk_size;
}

/* The time of the last record in a chunk; records may be followed by text. */
static uint64_t chunk_last(const struct ring_copy* copy, struct trace_chunk* chunk) {
  const struct trace_record* records = ring_chunk_records(chunk);
  size_t count = ring_chunk_capacity(copy);
  uint64_t last = 0;
  for (size_t i = 0; i < count && records[i].when != 0; i++) {
    unsigned int kind = records[i].when & 0xff;
    uint64_t when = records[i].when >> TRACE_TIME_SHIFT;
    last = when > last ? when : last;
    bool has_text = kind == TRACE_WAITS || kind == TRACE_SAMPLE || kind == TRACE_ARRIVED;
    long text = has_text ? record_text(&records[i], count - i - 1) : 0;
    if (text < 0)
      break;
    i += (size_t) text;
  }
  return last;
}

/* The newest chunk of a loop; NULL if there is none. */
static struct trace_chunk* loop_chunk(struct ring_copy* copy, uint32_t number) {
  struct trace_chunk* found = NULL;
  for (size_t at = TRACE_HEADER_SIZE; at < copy->used; at += copy->chunk_size) {
    struct trace_chunk* chunk = ring_copy_chunk(copy, at);
    if (chunk->kind == TRACE_STREAM_LOOP && chunk->number == number &&
        (found == NULL || chunk->sequence > found->sequence))
      found = chunk;
  }
  return found;
}

static size_t write_stack(struct trace_record* record, const struct board_sample* sample,
                          uint64_t start) {
  size_t bytes = sample->count * sizeof(sample->names[0]);
  memcpy(record + 1, sample->names, bytes);
  *record =
      (struct trace_record){(sample->when_ns - start) << TRACE_TIME_SHIFT | TRACE_SAMPLE,
                            sample->when_ns - start, 0, (int32_t) bytes};
  return 1 + (bytes + sizeof(*record) - 1) / sizeof(*record);
}

enum {
  RECORDS_OF_STACK = 2 + BOARD_FRAMES * sizeof(uint32_t) / sizeof(struct trace_record)
};

/* A sleep is in the stream when it is over. How long it may last isn't on the board. */
static size_t write_sleep(struct trace_record* record, const struct board_loop* live,
                          uint64_t start, uint64_t last) {
  uint64_t since = live->looked_ns & ~BOARD_ASLEEP;
  if ((live->looked_ns & BOARD_ASLEEP) == 0 || since < start + last)
    return 0;
  *record = (struct trace_record){(since - start) << TRACE_TIME_SHIFT | TRACE_SLEEP,
                                  UINT64_MAX, live->requests, detail_of(live->handles)};
  return 1;
}

/* Adds what is only on the board: the open spans or the current sleep, and the samples
 * since the last poll. */
static void add_open(struct ring_copy* copy, const struct board_loop* live) {
  struct trace_chunk* newest = loop_chunk(copy, live->number);
  uint64_t start = copy->ring->header->start_ns;
  if (newest == NULL)
    return;
  uint64_t last = chunk_last(copy, newest);
  size_t used = 0;
  struct trace_chunk head = *newest;
  struct trace_chunk* chunk = ring_copy_add(copy, TRACE_STREAM_LOOP);
  uint64_t sequence = chunk->sequence;
  *chunk = head;
  chunk->sequence = sequence;
  struct trace_record* records = ring_chunk_records(chunk);
  uint32_t depth = live->depth < BOARD_SPANS ? live->depth : BOARD_SPANS;
  for (uint32_t i = live->written; i < depth; i++) {
    const struct board_span* span = &live->open[i];
    uint64_t begin = span->begin_ns > start ? span->begin_ns - start : 0;
    if (begin < last || span->kind >= TRACE_KINDS)
      continue;
    records[used++] =
        (struct trace_record){begin << TRACE_TIME_SHIFT | span->kind, span->subject,
                              span->name, detail_of(span->detail)};
  }
  used += write_sleep(&records[used], live, start, last);
  size_t place = (size_t) (live - copy->board->loops), at = 0;
  const struct board_sample* sample;
  while ((sample = live_sample_next(copy->board, place, live->looked_ns, &at)) != NULL) {
    if (sample->when_ns > start + last &&
        used + RECORDS_OF_STACK <= ring_chunk_capacity(copy))
      used += write_stack(&records[used], sample, start);
  }
  if (used == 0)
    copy->used -= copy->chunk_size;
}

static void note_last(struct ring_copy* copy, uint64_t when) {
  uint64_t start = copy->ring->header->start_ns;
  if (when > start && when - start > copy->last_ns)
    copy->last_ns = when - start;
}

static void add_live(struct ring_copy* copy) {
  for (size_t i = 0; i < BOARD_LOOPS; i++) {
    const struct board_loop* live = &copy->board->loops[i];
    if (live->number == 0)
      continue;
    note_last(copy, live->looked_ns & ~BOARD_ASLEEP);
    add_open(copy, live);
  }
  for (size_t i = 0; i < BOARD_SAMPLES; i++) {
    if (copy->board->samples[i].number != 0)
      note_last(copy, copy->board->samples[i].when_ns);
  }
}

/* The part of a ring that is wanted. */
struct ring_wish {
  struct board* names_of; /* NULL, or a board: only the names, for what is on it */
  uint32_t loop;          /* 0, or a loop's number: only its chunks, */
  uint64_t from;          /* from that sequence on; */
  bool with_names;        /* and the names, and the samples */
};

static bool chunk_is_wanted(const struct ring_wish* wish,
                            const struct trace_chunk* chunk) {
  if (wish->names_of != NULL)
    return chunk->kind == TRACE_STREAM_DEFINITIONS;
  if (wish->with_names && chunk->kind == TRACE_STREAM_DEFINITIONS)
    return true;
  return wish->loop == 0 ||
         (chunk->kind == TRACE_STREAM_LOOP && chunk->number == wish->loop &&
          chunk->sequence >= wish->from);
}

static size_t ring_filled(const struct live_ring* ring) {
  size_t filled = __atomic_load_n(&ring->board->filled, __ATOMIC_ACQUIRE);
  size_t first = TRACE_HEADER_SIZE + BOARD_SIZE;
  return filled > ring->size || filled < first ? first : filled;
}

static void copy_chunks(struct ring_copy* copy, const struct ring_wish* wish) {
  size_t filled = ring_filled(copy->ring);
  for (size_t at = TRACE_HEADER_SIZE + BOARD_SIZE; at + copy->chunk_size <= filled;
       at += copy->chunk_size) {
    const struct trace_chunk* chunk = (const void*) (copy->ring->memory + at);
    if (copy->used + copy->chunk_size <= copy->capacity && chunk_is_wanted(wish, chunk))
      copy_chunk(copy, at);
  }
}

/* Room for what is added, and no more than needed: new memory is dear. */
static size_t capacity_wanted(const struct live_ring* ring,
                              const struct ring_wish* wish) {
  size_t filled = ring_filled(ring), chunks = BOARD_LOOPS + 3;
  for (size_t at = TRACE_HEADER_SIZE + BOARD_SIZE; at + ring->chunk_size <= filled;
       at += ring->chunk_size)
    chunks += chunk_is_wanted(wish, (const void*) (ring->memory + at));
  return TRACE_HEADER_SIZE + chunks * ring->chunk_size;
}

/* Of a copy, leaves one loop, and without names no samples, which would need them. */
static void board_keep(struct board* board, uint32_t loop, bool with_names) {
  for (size_t i = 0; i < BOARD_LOOPS; i++) {
    if (board->loops[i].number != loop)
      board->loops[i].number = 0;
  }
  for (size_t i = 0; i < BOARD_SAMPLES && !with_names; i++)
    board->samples[i].number = 0;
}

static char* ring_copy(const struct live_ring* ring, size_t* size,
                       const struct ring_wish* wish) {
  bool names_only = wish->names_of != NULL;
  struct ring_copy copy = {.ring = ring, .chunk_size = ring->chunk_size};
  size_t added = (BOARD_LOOPS + 3) * ring->chunk_size;
  copy.capacity = capacity_wanted(ring, wish);
  copy.bytes = malloc(copy.capacity);
  /* Before what it refers to. */
  copy.board = names_only ? wish->names_of : live_board_copy(ring);
  if (copy.bytes == NULL || copy.board == NULL) {
    free(copy.bytes);
    if (!names_only)
      free(copy.board);
    return NULL;
  }
  memcpy(copy.bytes, ring->memory, TRACE_HEADER_SIZE);
  copy.used = TRACE_HEADER_SIZE;
  copy.capacity -= added;
  copy_chunks(&copy, wish);
  copy.capacity += added;
  if (wish->loop != 0)
    board_keep(copy.board, wish->loop, wish->with_names);
  if ((wish->loop == 0 || wish->with_names) && copy.used > TRACE_HEADER_SIZE)
    ring_copy_name_samples(&copy, copy.board);
  if (copy.used > TRACE_HEADER_SIZE && !names_only)
    add_live(&copy);
  struct trace_header* header = (struct trace_header*) (void*) copy.bytes;
  header->board_size = 0;
  header->chunk_size = (uint32_t) ring->chunk_size;
  header->length = copy.used;
  header->end_ns = ring->alive ? live_now_ns() - header->start_ns : copy.last_ns;
  *size = copy.used;
  if (!names_only)
    free(copy.board);
  return copy.bytes;
}

char* live_ring_copy(const struct live_ring* ring, size_t* size) {
  const struct ring_wish all = {0};
  return ring_copy(ring, size, &all);
}

/* The processor's time of a stretch may be in a record that covers the time before it, so
 * the chunk before belongs to it, too. */
static char* copy_loop(const struct live_ring* ring, uint32_t number, uint64_t since_ns,
                       bool with_names, size_t* size) {
  const uint64_t margin = 1000000000;
  uint64_t start = ring->header->start_ns;
  uint64_t since = since_ns > start + margin ? since_ns - start - margin : 0;
  struct ring_wish wish = {.loop = number, .with_names = with_names};
  size_t filled = ring_filled(ring);
  for (size_t at = TRACE_HEADER_SIZE + BOARD_SIZE; at + ring->chunk_size <= filled;
       at += ring->chunk_size) {
    const struct trace_chunk* chunk = (const void*) (ring->memory + at);
    const struct trace_record* first = (const void*) (chunk + 1);
    uint64_t when = first->when >> TRACE_TIME_SHIFT;
    if (chunk->kind == TRACE_STREAM_LOOP && chunk->number == number && when <= since &&
        chunk->sequence > wish.from)
      wish.from = chunk->sequence;
  }
  return ring_copy(ring, size, &wish);
}

char* live_ring_copy_loop(const struct live_ring* ring, uint32_t number,
                          uint64_t since_ns, size_t* size) {
  return copy_loop(ring, number, since_ns, false, size);
}

char* live_ring_copy_named(const struct live_ring* ring, uint32_t number,
                           uint64_t since_ns, size_t* size) {
  return copy_loop(ring, number, since_ns, true, size);
}

void live_names_read(const struct live_ring* ring, struct board* board,
                     struct trace* trace) {
  const struct ring_wish wish = {.names_of = board};
  size_t size;
  char* bytes = ring_copy(ring, &size, &wish);
  if (bytes == NULL)
    out_of_memory();
  (void) trace_read_bytes(trace, bytes,
                          size); /* a recording without loops is reported as empty */
  free(bytes);
}

const char* live_ring_read(const struct live_ring* ring, struct trace* trace) {
  size_t size;
  char* bytes = live_ring_copy(ring, &size);
  if (bytes == NULL)
    out_of_memory();
  const char* problem = trace_read_bytes(trace, bytes, size);
  free(bytes);
  if (problem == NULL)
    trace_sort(trace);
  return problem;
}

const char* live_name(const struct trace* trace, uint32_t number) {
  const struct trace_process* process =
      trace->process_count == 0 ? NULL : trace->processes[0];
  return process == NULL || number == 0 || number > process->name_count
             ? ""
             : process->names[number - 1];
}
