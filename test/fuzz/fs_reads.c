/* Reads whose result is known beforehand. */
#include "fs_reads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* --- Sources ---------------------------------------------------------------------- */

static const int64_t sizes[] = {0, 17, 4096, 10000, 65536, 100001, 300000, 300000};
enum { FILES = sizeof(sizes) / sizeof(sizes[0]) };

static void source_path(struct chain* chain, int number, char* path, size_t size) {
  snprintf(path, size, "c%d/source%d", chain->number, number);
}

void source_open(struct chain* chain, struct source* sources, int number) {
  char path[64];
  source_path(chain, number, path, sizeof(path));
  struct source* source = &sources[number];
  source->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  source->position = 0;
  source->closing = false;
  expect(source->fd >= 0);
}

static void make_file(struct chain* chain, struct source* sources, int number) {
  struct source* source = &sources[number];
  source->bytes = calloc(1, SOURCE_MOST);
  source->size = sizes[number];
  expect(source->bytes != NULL);
  for (int64_t i = 0; i < source->size; i++)
    source->bytes[i] = (char) (i / 7 + i % 251 + number);
  source_open(chain, sources, number);
  expect(pwrite(source->fd, source->bytes, (size_t) source->size, 0) == source->size);
}

static void open_odd_ones(struct chain* chain, struct source* odd) {
  char path[64];
  snprintf(path, sizeof(path), "c%d/big", chain->number);
  odd[0].fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
  odd[1].fd = open(path, O_WRONLY | O_CLOEXEC);
  odd[2].fd = open(path, O_PATH | O_CLOEXEC);
  odd[3].fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  odd[4].fd = open("/proc/version", O_RDONLY | O_CLOEXEC);
  odd[5].fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  odd[6].fd = dup(chain->files[0]); /* a pipe */
  odd[7].fd = -1;
}

void sources_make(struct chain* chain, struct source* sources) {
  memset(sources, 0, SOURCES * sizeof(*sources));
  for (int i = 0; i < FILES; i++)
    make_file(chain, sources, i);
  open_odd_ones(chain, sources + FILES);
}

void sources_end(struct source* sources) {
  for (int i = 0; i < SOURCES; i++) {
    if (sources[i].fd >= 0)
      close(sources[i].fd);
    free(sources[i].bytes);
  }
}

void source_make_cold(struct source* source) {
  expect(fdatasync(source->fd) == 0);
  expect(posix_fadvise(source->fd, source->size / 3, 0, POSIX_FADV_DONTNEED) == 0);
}

void source_write(struct chain* chain, struct source* source) {
  size_t size = 1 + pick(chain, 3000);
  int64_t at = pick(chain, SOURCE_MOST - 3001);
  if (at > source->size)
    at = source->size;
  for (size_t i = 0; i < size; i++)
    source->bytes[at + (int64_t) i] = (char) ('A' + pick(chain, 26));
  expect(pwrite(source->fd, source->bytes + at, size, at) == (ssize_t) size);
  if (source->size < at + (int64_t) size)
    source->size = at + (int64_t) size;
}

void source_truncated(struct source* source) {
  int64_t before = source->size;
  source->size = source->other_size;
  source->other_size = before;
  source->truncating = false;
  if (source->size < before)
    memset(source->bytes + source->size, 0, (size_t) (before - source->size));
}

/* --- What is asked for ------------------------------------------------------------ */

static struct source* choose_source(struct reader* reader, struct source* sources,
                                    struct source* favourite) {
  if (favourite != NULL && !favourite->closing && roll(&reader->seed, 40) > 0)
    return favourite;
  for (;;) {
    unsigned int odd = roll(&reader->seed, 12) == 0 ? FILES : 0;
    struct source* source = &sources[odd + roll(&reader->seed, FILES)];
    if (!source->closing)
      return source;
  }
}

static size_t choose_length(struct reader* reader, enum length length) {
  uint64_t* seed = &reader->seed;
  if (length == MIXED)
    length = roll(seed, 30) == 0 ? LENGTHS : (enum length) roll(seed, MIXED);
  switch (length) {
  case SHORT:
    return roll(seed, roll(seed, 2) == 0 ? 100 : 4096);
  case PAGES:
    return 512 * (size_t) (1 + roll(seed, roll(seed, 8) == 0 ? 40 : 8));
  default:
    return roll(seed, 200000);
  }
}

static int64_t choose_offset(struct reader* reader) {
  static const int64_t far[] = {INT64_C(1) << 50, INT64_MAX, INT64_MAX - 4096, INT32_MAX};
  uint64_t* seed = &reader->seed;
  unsigned int end = (unsigned int) reader->source->size + 1;
  switch (roll(seed, 16)) {
  case 0:
    return far[roll(seed, 4)];
  case 1:
    return end - 1;
  case 2:
    return roll(seed, SOURCE_MOST);
  case 3:
  case 4:
  case 5:
  case 6:
    return 4096 * (int64_t) roll(seed, end / 4096 + 1);
  default:
    return roll(seed, end);
  }
}

static void choose_vectors(struct reader* reader, size_t size) {
  uint64_t* seed = &reader->seed;
  unsigned int count = roll(seed, 3) > 0 ? 1 : 1 + roll(seed, 5);
  if (roll(seed, 20) == 0)
    count = VECTORS_MOST;
  reader->count = count;
  reader->size = size;
  expect(posix_memalign((void**) &reader->memory, 4096, size + 1) == 0);
  memset(reader->memory, '-', size);
  char* base = reader->memory;
  for (unsigned int i = 0; i < count; i++) {
    size_t rest = size - (size_t) (base - reader->memory);
    size_t part = i + 1 == count ? rest : roll(seed, (unsigned int) rest / 2 + 1);
    reader->vectors[i] = uv_buf_init(base, (unsigned int) part);
    base += part;
  }
}

/* A directory refuses even nothing by the first call, not by the second. */
static ssize_t ask(const struct reader* reader, const struct iovec* vectors) {
  int fd = reader->source->fd;
  ssize_t answer = reader->count == 1
                       ? pread(fd, reader->given, reader->size, reader->offset)
                       : preadv(fd, vectors, (int) reader->count, reader->offset);
  return answer < 0 ? uv_translate_sys_error(errno) : answer;
}

/* The same into other memory, for what isn't known otherwise. /dev/zero gives less while
 * a signal waits for the thread, be it one of the kernel's own: so twice the same. */
static void ask_first(struct reader* reader) {
  expect(posix_memalign((void**) &reader->given, 4096, reader->size + 1) == 0);
  struct iovec vectors[VECTORS_MOST];
  for (unsigned int i = 0; i < reader->count; i++) {
    vectors[i].iov_base = reader->given + (reader->vectors[i].base - reader->memory);
    vectors[i].iov_len = reader->vectors[i].len;
  }
  ssize_t before;
  reader->answer = ask(reader, vectors);
  do {
    before = reader->answer;
    reader->answer = ask(reader, vectors);
  } while (reader->answer != before);
}

void reader_choose(struct reader* reader, struct source* sources,
                   struct source* favourite, enum length length) {
  struct source* source = choose_source(reader, sources, favourite);
  reader->source = source;
  reader->offset = reader->start = choose_offset(reader);
  reader->cancelled = reader->closed = reader->lost = false;
  reader->truncated = source->truncating;
  reader->given = NULL;
  choose_vectors(reader, choose_length(reader, length));
  if (source->bytes == NULL || reader->offset > SOURCE_MOST) {
    ask_first(reader);
  } else if (roll(&reader->seed, 20) == 0 && !source->positioned) {
    source->positioned = true;
    reader->offset = -1;
    reader->start = source->position;
  }
}

int reader_begin(struct reader* reader, uv_loop_t* loop, uv_fs_cb cb) {
  reader->under_way = true;
  reader->request.data = reader;
  return uv_fs_read(loop, &reader->request, reader->source->fd, reader->vectors,
                    reader->count, reader->offset, cb);
}

/* --- What came of it -------------------------------------------------------------- */

static ssize_t known_answer(const struct reader* reader, int64_t size) {
  int64_t there = size > reader->start ? size - reader->start : 0;
  return there < (int64_t) reader->size ? (ssize_t) there : (ssize_t) reader->size;
}

static bool untouched(const struct reader* reader, size_t from) {
  for (size_t i = from; i < reader->size; i++) {
    if (reader->memory[i] != '-')
      return false;
  }
  return true;
}

static bool has_bytes(const struct reader* reader, ssize_t count) {
  return count <= 0 || memcmp(reader->memory, reader->source->bytes + reader->start,
                              (size_t) count) == 0;
}

/* Between what the file had before and what it has after, or less if it was cancelled
 * when it had got its first part. Bytes that aren't there both times may be anything. */
static bool good_though_truncated(const struct reader* reader, ssize_t result) {
  ssize_t one = known_answer(reader, reader->source->size);
  ssize_t other = known_answer(reader, reader->source->other_size);
  ssize_t least = reader->cancelled ? 0 : one < other ? one : other;
  return result >= least && result <= (one < other ? other : one) &&
         has_bytes(reader, least);
}

/* A thread may have been slower than the close, also with the second part of a read. */
static bool good_though_closed(const struct reader* reader, ssize_t result) {
  if (reader->lost)
    return true;
  if (result == UV_EBADF)
    return untouched(reader, 0);
  return reader->given == NULL && result > 0 &&
         result <= known_answer(reader, reader->source->size) &&
         has_bytes(reader, result);
}

static bool is_good(const struct reader* reader, ssize_t result) {
  if (reader->cancelled && result == UV_ECANCELED)
    return untouched(reader, 0);
  if (reader->closed && good_though_closed(reader, result))
    return true;
  if (reader->given != NULL)
    return result == reader->answer &&
           (result < 0 || memcmp(reader->memory, reader->given, (size_t) result) == 0);
  if (reader->truncated)
    return good_though_truncated(reader, result);
  ssize_t all = known_answer(reader, reader->source->size);
  return (reader->cancelled ? result > 0 && result < all : result == all) &&
         has_bytes(reader, result) && untouched(reader, (size_t) result);
}

void reader_check(const struct reader* reader) {
  ssize_t result = uv_fs_get_result(&reader->request);
  const struct source* source = reader->source;
  bool good = uv_fs_get_type(&reader->request) == UV_FS_READ && is_good(reader, result);
  if (!good)
    fprintf(stderr,
            "read %zd of %zu at %lld (%lld) in %u parts%s%s%s, answer %zd; the file has "
            "%lld (%lld)%s\n",
            result, reader->size, (long long) reader->start, (long long) reader->offset,
            reader->count, reader->cancelled ? ", cancelled" : "",
            reader->closed ? ", closed" : "", reader->truncated ? ", truncated" : "",
            reader->given == NULL ? 0 : reader->answer, (long long) source->size,
            (long long) source->other_size, source->closing ? ", closing" : "");
  expect(good);
}

void reader_end(struct reader* reader) {
  ssize_t result = uv_fs_get_result(&reader->request);
  reader->under_way = false;
  if (reader->offset < 0) {
    reader->source->positioned = false;
    reader->source->position += result > 0 ? result : 0;
  }
  uv_fs_req_cleanup(&reader->request);
  free(reader->memory);
  free(reader->given);
}
