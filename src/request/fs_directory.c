/* Directories: created, removed, and listed, at once (scandir) or piece by piece
 * (opendir, readdir, closedir). "." and ".." are never listed. */
#include "base/own_fd.h"
#include "request/fs.h"

#include "base/alloc.h"
#include "base/base.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uv_dirent_type_t fs_entry_type(unsigned char type) {
  switch (type) {
  case DT_REG:
    return UV_DIRENT_FILE;
  case DT_DIR:
    return UV_DIRENT_DIR;
  case DT_LNK:
    return UV_DIRENT_LINK;
  case DT_FIFO:
    return UV_DIRENT_FIFO;
  case DT_SOCK:
    return UV_DIRENT_SOCKET;
  case DT_CHR:
    return UV_DIRENT_CHAR;
  case DT_BLK:
    return UV_DIRENT_BLOCK;
  default:
    return UV_DIRENT_UNKNOWN;
  }
}

/* The next entry. NULL at the end, with *err 0, and on an error, with *err set. */
static const struct dirent* fs_next_entry(DIR* dir, int* err) {
  for (;;) {
    errno = 0;
    const struct dirent* entry = readdir(dir);
    *err = entry == NULL ? -errno : 0;
    if (entry == NULL)
      return NULL;
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      return entry;
  }
}

ssize_t fs_do_mkdir(uv_fs_t* req) {
  return fs_result(mkdir(req->path, req->mode));
}

ssize_t fs_do_mkdtemp(uv_fs_t* req) {
  return mkdtemp((char*) (uintptr_t) req->path) == NULL ? -errno : 0;
}

ssize_t fs_do_rmdir(uv_fs_t* req) {
  return fs_result(rmdir(req->path));
}

/* --- scandir --------------------------------------------------------------------- */

/* A whole directory in two blocks: all names in one, and the entries that point to them
 * in the other. The request's nbufs counts what uv_fs_scandir_next has handed out. */
struct listing {
  uv_dirent_t* entries;
  size_t count;
  size_t room;
  char* names;
  size_t names_size;
  size_t names_room;
};

static void listing_free(struct listing* listing) {
  if (listing == NULL)
    return;
  mem_free(listing->entries);
  mem_free(listing->names);
  mem_free(listing);
}

/* While the block of names may still be reallocated, an entry holds an offset into it. */
static int listing_add(struct listing* listing, const struct dirent* entry) {
  size_t size = strlen(entry->d_name) + 1;
  if (listing->names_size + size > listing->names_room) {
    size_t room = size_max(4096, listing->names_room * 2);
    char* names = mem_realloc(listing->names, room);
    if (names == NULL)
      return UV_ENOMEM;
    listing->names = names;
    listing->names_room = room;
  }
  if (listing->count == listing->room) {
    size_t room = size_max(64, listing->room * 2);
    uv_dirent_t* entries = mem_realloc_array(listing->entries, room, sizeof(*entries));
    if (entries == NULL)
      return UV_ENOMEM;
    listing->entries = entries;
    listing->room = room;
  }
  uv_dirent_t* added = &listing->entries[listing->count++];
  added->name = (const char*) (uintptr_t) listing->names_size;
  added->type = fs_entry_type(entry->d_type);
  memcpy(listing->names + listing->names_size, entry->d_name, size);
  listing->names_size += size;
  return 0;
}

static int listing_order(const void* a, const void* b) {
  return strcmp(((const uv_dirent_t*) a)->name, ((const uv_dirent_t*) b)->name);
}

static void listing_finish(struct listing* listing) {
  for (size_t i = 0; i < listing->count; i++)
    listing->entries[i].name = listing->names + (uintptr_t) listing->entries[i].name;
  if (listing->count > 1)
    qsort(listing->entries, listing->count, sizeof(listing->entries[0]), listing_order);
}

static int listing_read(struct listing* listing, DIR* dir) {
  int err;
  const struct dirent* entry;
  while ((entry = fs_next_entry(dir, &err)) != NULL) {
    err = listing_add(listing, entry);
    if (err != 0)
      return err;
  }
  return err;
}

/* Sorted by the bytes of the names, so that the order depends on no locale. */
ssize_t fs_do_scandir(uv_fs_t* req) {
  DIR* dir = own_fd_list_folder(req->path);
  if (dir == NULL)
    return -errno;
  struct listing* listing = mem_calloc(1, sizeof(*listing));
  int err = listing == NULL ? UV_ENOMEM : listing_read(listing, dir);
  closedir(dir);
  if (err != 0 ||
      listing->count == 0) { /* an empty directory has no list: req->ptr is NULL */
    listing_free(listing);
    return err;
  }
  req->nbufs = 0;
  listing_finish(listing);
  req->ptr = listing;
  return (ssize_t) listing->count;
}

int uv_fs_scandir_next(uv_fs_t* req, uv_dirent_t* ent) {
  if (req == NULL || ent == NULL)
    return UV_EINVAL;
  if (req->result < 0)
    return (int) req->result;
  struct listing* listing = req->ptr;
  if (listing == NULL)
    return UV_EOF;
  if (req->nbufs >= listing->count) {
    /* As in libuv: programs that scan to the end may omit uv_fs_req_cleanup. */
    fs_free_listing(req);
    req->ptr = NULL;
    return UV_EOF;
  }
  *ent = listing->entries[req->nbufs++];
  return 0;
}

void fs_free_listing(uv_fs_t* req) {
  listing_free(req->ptr);
}

/* --- opendir, readdir, closedir -------------------------------------------------- */

ssize_t fs_do_opendir(uv_fs_t* req) {
  uv_dir_t* dir = mem_calloc(1, sizeof(*dir));
  if (dir == NULL)
    return UV_ENOMEM;
  dir->dir = own_fd_list_folder(req->path);
  if (dir->dir == NULL) {
    int err = -errno;
    mem_free(dir);
    return err;
  }
  req->ptr = dir;
  return 0;
}

static void fs_free_names(uv_dirent_t* entries, size_t count) {
  for (size_t i = 0; i < count; i++) {
    mem_free((void*) (uintptr_t) entries[i].name);
    entries[i].name = NULL;
  }
}

ssize_t fs_do_readdir(uv_fs_t* req) {
  uv_dir_t* dir = req->ptr;
  size_t count = 0;
  while (count < dir->nentries) {
    int err;
    const struct dirent* entry = fs_next_entry(dir->dir, &err);
    if (entry == NULL && err == 0)
      break;
    const char* name = entry == NULL ? NULL : mem_strdup(entry->d_name);
    if (name == NULL) {
      fs_free_names(dir->dirents, count);
      return err != 0 ? err : UV_ENOMEM;
    }
    dir->dirents[count].name = name;
    dir->dirents[count].type = fs_entry_type(entry->d_type);
    count++;
  }
  return (ssize_t) count;
}

ssize_t fs_do_closedir(uv_fs_t* req) {
  uv_dir_t* dir = req->ptr;
  if (dir->dir != NULL)
    closedir(dir->dir);
  mem_free(dir);
  req->ptr = NULL;
  return 0;
}

/* Frees the names that a readdir returned; the directory stays open. */
void fs_free_entries(uv_fs_t* req) {
  uv_dir_t* dir = req->ptr;
  if (req->result > 0 && dir->dirents != NULL)
    fs_free_names(dir->dirents, (size_t) req->result);
}

/* --- The interface --------------------------------------------------------------- */

int uv_fs_mkdir(uv_loop_t* loop, uv_fs_t* req, const char* path, int mode, uv_fs_cb cb) {
  int err = fs_begin_path(loop, req, UV_FS_MKDIR, path, cb);
  if (err != 0)
    return err;
  req->mode = (mode_t) mode;
  return fs_start(req);
}

int uv_fs_mkdtemp(uv_loop_t* loop, uv_fs_t* req, const char* tpl, uv_fs_cb cb) {
  int err = fs_begin_path(loop, req, UV_FS_MKDTEMP, tpl, cb);
  return err != 0 ? err : fs_start(req);
}

int uv_fs_rmdir(uv_loop_t* loop, uv_fs_t* req, const char* path, uv_fs_cb cb) {
  int err = fs_begin_path(loop, req, UV_FS_RMDIR, path, cb);
  return err != 0 ? err : fs_start(req);
}

int uv_fs_scandir(uv_loop_t* loop, uv_fs_t* req, const char* path, int flags,
                  uv_fs_cb cb) {
  int err = fs_begin_path(loop, req, UV_FS_SCANDIR, path, cb);
  if (err != 0)
    return err;
  req->flags = flags;
  return fs_start(req);
}

int uv_fs_opendir(uv_loop_t* loop, uv_fs_t* req, const char* path, uv_fs_cb cb) {
  int err = fs_begin_path(loop, req, UV_FS_OPENDIR, path, cb);
  return err != 0 ? err : fs_start(req);
}

int uv_fs_readdir(uv_loop_t* loop, uv_fs_t* req, uv_dir_t* dir, uv_fs_cb cb) {
  int err = fs_begin(loop, req, UV_FS_READDIR, cb);
  if (err != 0)
    return err;
  if (dir == NULL || dir->dir == NULL || dir->dirents == NULL)
    return UV_EINVAL;
  req->ptr = dir;
  return fs_start(req);
}

int uv_fs_closedir(uv_loop_t* loop, uv_fs_t* req, uv_dir_t* dir, uv_fs_cb cb) {
  int err = fs_begin(loop, req, UV_FS_CLOSEDIR, cb);
  if (err != 0)
    return err;
  if (dir == NULL)
    return UV_EINVAL;
  req->ptr = dir;
  return fs_start(req);
}
