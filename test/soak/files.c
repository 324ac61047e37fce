/* Files: a chain of requests that makes a file, syncs it, reads it back in pieces in
 * flight together, compares, renames, lists, and removes it; and a watcher of a folder
 * that must notice each file made and removed there. */
#include "soak.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_SIZE = 256 * 1024, PIECES = 16, PIECE = FILE_SIZE / PIECES };

struct files {
  struct world* world;
  uv_fs_t req;
  uv_fs_t pieces[PIECES];
  char* content;
  char path[100];
  char other[110];
  uv_file fd;
  uint64_t stream;
  int pieces_left;
  bool over;
};

static void make_file(struct files* files);

static struct files* files_of(uv_fs_t* req, const char* what) {
  struct files* files = req->data;
  if (req->result < 0)
    soak_fail("%s: %s", what, uv_strerror((int) req->result));
  uv_fs_req_cleanup(req);
  return files;
}

static void file_removed(uv_fs_t* req) {
  struct files* files = files_of(req, "unlink");
  round_done(files->world, ACTOR_FILES);
  if (ending(files->world)) {
    files->over = true;
    free(files->content);
  } else {
    make_file(files);
  }
}

static void folder_listed(uv_fs_t* req) {
  uv_dirent_t entry;
  bool found = false;
  struct files* files = req->data;
  while (uv_fs_scandir_next(req, &entry) == 0)
    found = found || strcmp(entry.name, "renamed") == 0;
  if (!found)
    soak_fail("scandir: the renamed file is missing");
  files_of(req, "scandir");
  soak_check(uv_fs_unlink(&files->world->loop, req, files->other, file_removed),
             "unlink");
}

static void file_renamed(uv_fs_t* req) {
  struct files* files = files_of(req, "rename");
  soak_check(
      uv_fs_scandir(&files->world->loop, req, files->world->folder, 0, folder_listed),
      "scandir");
}

static void file_closed(uv_fs_t* req) {
  struct files* files = files_of(req, "close");
  soak_check(
      uv_fs_rename(&files->world->loop, req, files->path, files->other, file_renamed),
      "rename");
}

static void file_statted(uv_fs_t* req) {
  if (req->result == 0 && req->statbuf.st_size != FILE_SIZE)
    soak_fail("fstat: a size of %llu", (unsigned long long) req->statbuf.st_size);
  struct files* files = files_of(req, "fstat");
  soak_check(uv_fs_close(&files->world->loop, req, files->fd, file_closed), "close");
}

static void piece_read(uv_fs_t* req) {
  if (req->result != PIECE)
    soak_fail("read: %zd of %d bytes", req->result, PIECE);
  struct files* files = files_of(req, "read");
  if (--files->pieces_left > 0)
    return;
  bytes_check(files->content, FILE_SIZE, files->stream, 0, "files");
  soak_check(uv_fs_fstat(&files->world->loop, &files->req, files->fd, file_statted),
             "fstat");
}

static void file_synced(uv_fs_t* req) {
  struct files* files = files_of(req, "fdatasync");
  memset(files->content, 0, FILE_SIZE);
  files->pieces_left = PIECES;
  for (int i = 0; i < PIECES; i++) {
    uv_buf_t buf = uv_buf_init(files->content + i * PIECE, PIECE);
    files->pieces[i].data = files;
    soak_check(uv_fs_read(&files->world->loop, &files->pieces[i], files->fd, &buf, 1,
                          i * PIECE, piece_read),
               "read");
  }
}

static void file_written(uv_fs_t* req) {
  if (req->result != FILE_SIZE)
    soak_fail("write: %zd of %d bytes", req->result, FILE_SIZE);
  struct files* files = files_of(req, "write");
  soak_check(uv_fs_fdatasync(&files->world->loop, req, files->fd, file_synced), "sync");
}

static void file_opened(uv_fs_t* req) {
  uv_file fd = (uv_file) req->result;
  struct files* files = files_of(req, "open");
  files->fd = fd;
  files->stream = soak_random(files->world);
  bytes_fill(files->content, FILE_SIZE, files->stream, 0);
  atomic_fetch_add(&bytes_written, FILE_SIZE);
  uv_buf_t buf = uv_buf_init(files->content, FILE_SIZE);
  soak_check(uv_fs_write(&files->world->loop, req, fd, &buf, 1, 0, file_written),
             "write");
}

static void make_file(struct files* files) {
  soak_check(uv_fs_open(&files->world->loop, &files->req, files->path,
                        O_RDWR | O_CREAT | O_TRUNC, 0600, file_opened),
             "open");
}

void files_begin(struct world* world) {
  struct files* files = calloc(1, sizeof(*files));
  world->actors[ACTOR_FILES] = files;
  files->world = world;
  files->req.data = files;
  files->content = malloc(FILE_SIZE);
  snprintf(files->path, sizeof(files->path), "%s/file", world->folder);
  snprintf(files->other, sizeof(files->other), "%s/renamed", world->folder);
  make_file(files);
}

bool files_end(struct world* world) {
  return ((struct files*) world->actors[ACTOR_FILES])->over;
}

/* --- watching -------------------------------------------------------------------- */

struct watch {
  struct world* world;
  uv_fs_event_t event;
  char folder[100];
  char path[120];
  bool exists;
  bool noticed;
};

static void change_noticed(uv_fs_event_t* handle, const char* name, int events,
                           int status) {
  struct watch* watch = handle->data;
  (void) events;
  soak_check(status, "fs_event");
  if (name != NULL && strcmp(name, "watched") == 0)
    watch->noticed = true;
}

/* One change at a time: the next is made when the one before was noticed. */
void watch_tick(struct world* world) {
  struct watch* watch = world->actors[ACTOR_WATCH];
  if (!watch->noticed)
    return;
  watch->noticed = false;
  round_done(world, ACTOR_WATCH);
  if (watch->exists)
    unlink(watch->path);
  else
    close(open(watch->path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  watch->exists = !watch->exists;
}

void watch_begin(struct world* world) {
  struct watch* watch = calloc(1, sizeof(*watch));
  world->actors[ACTOR_WATCH] = watch;
  watch->world = world;
  watch->noticed = true;
  snprintf(watch->folder, sizeof(watch->folder), "%s/watched", world->folder);
  snprintf(watch->path, sizeof(watch->path), "%s/watched", watch->folder);
  mkdir(watch->folder, 0700);
  watch->event.data = watch;
  soak_check(uv_fs_event_init(&world->loop, &watch->event), "uv_fs_event_init");
  watch->event.data = watch;
  soak_check(uv_fs_event_start(&watch->event, change_noticed, watch->folder, 0),
             "uv_fs_event_start");
}

bool watch_end(struct world* world) {
  struct watch* watch = world->actors[ACTOR_WATCH];
  if (!watch->noticed)
    return false;
  uv_close((uv_handle_t*) &watch->event, NULL);
  unlink(watch->path);
  rmdir(watch->folder);
  return true;
}
