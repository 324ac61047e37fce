/* Files in all ways that the library has (page cache, ring, pool), one request after the
 * other, whatever became of the one before; sixteen reads are in flight together. */
#include "mixed.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SIZE = 65536, READS = 16, PIECE = SIZE / READS };

static struct {
  uv_fs_t req;
  uv_fs_t reads[READS];
  uv_file fd;
  uv_file direct;
  int step;
  int reads_left;
} files;

static char content[SIZE] __attribute__((aligned(4096)));

static void file_next(void);

static void on_file(uv_fs_t* req) {
  request_answered();
  if (req->fs_type == UV_FS_OPEN && req->result >= 0)
    *(uv_file*) req->data = (uv_file) req->result;
  uv_fs_req_cleanup(req);
  file_next();
}

static void on_read(uv_fs_t* req) {
  request_answered();
  uv_fs_req_cleanup(req);
  if (--files.reads_left == 0)
    file_next();
}

static int file_open(uv_file* fd, const char* path, int flags) {
  *fd = -1;
  files.req.data = fd;
  return uv_fs_open(&mixed_loop, &files.req, path, flags, 0600, on_file);
}

/* All answered at once with an error: the next step is the caller's. */
static int file_read_pieces(void) {
  files.reads_left = READS;
  for (int i = 0; i < READS; i++) {
    uv_buf_t buf = uv_buf_init(content + i * PIECE, PIECE);
    if (!request_begun(uv_fs_read(&mixed_loop, &files.reads[i], files.fd, &buf, 1,
                                  i * PIECE, on_read)))
      files.reads_left--;
  }
  return files.reads_left == 0 ? UV_EIO : 0;
}

static int file_read_cold(void) {
  posix_fadvise(files.fd, 0, 0, POSIX_FADV_DONTNEED);
  return file_read_pieces();
}

/* Steps that begin several requests count them by themselves. */
static bool is_counted_by_itself(int step) {
  return step == 3 || step == 4;
}

static int file_step(int step) {
  uv_loop_t* loop = &mixed_loop;
  uv_fs_t* req = &files.req;
  uv_buf_t buf = uv_buf_init(content, SIZE);
  switch (step) {
  case 0:
    return file_open(&files.fd, "data", O_RDWR | O_CREAT | O_TRUNC);
  case 1:
    return uv_fs_write(loop, req, files.fd, &buf, 1, 0, on_file);
  case 2:
    return uv_fs_fsync(loop, req, files.fd, on_file);
  case 3:
    return file_read_cold();
  case 4:
    return file_read_pieces();
  case 5:
    return uv_fs_read(loop, req, files.fd, &buf, 1, -1, on_file);
  case 6:
    return uv_fs_fdatasync(loop, req, files.fd, on_file);
  case 7:
    return uv_fs_fstat(loop, req, files.fd, on_file);
  case 8:
    return uv_fs_stat(loop, req, "data", on_file);
  case 9:
    return uv_fs_lstat(loop, req, "missing", on_file);
  case 10:
    return file_open(&files.direct, "data", O_RDWR | O_DIRECT);
  case 11:
    return uv_fs_read(loop, req, files.direct, &buf, 1, 0, on_file);
  case 12:
    return uv_fs_write(loop, req, files.direct, &buf, 1, 0, on_file);
  case 13:
    return uv_fs_close(loop, req, files.direct, on_file);
  case 14:
    return uv_fs_ftruncate(loop, req, files.fd, 4096, on_file);
  case 15:
    return uv_fs_copyfile(loop, req, "data", "copy", 0, on_file);
  case 16:
    return uv_fs_sendfile(loop, req, files.fd, files.fd, 0, 1024, on_file);
  case 17:
    return uv_fs_chmod(loop, req, "data", 0640, on_file);
  case 18:
    return uv_fs_futime(loop, req, files.fd, 1.0, 2.0, on_file);
  case 19:
    return uv_fs_access(loop, req, "data", R_OK, on_file);
  case 20:
    return uv_fs_link(loop, req, "data", "hard", on_file);
  case 21:
    return uv_fs_unlink(loop, req, "hard", on_file);
  case 22:
    return uv_fs_close(loop, req, files.fd, on_file);
  default:
    return 1;
  }
}

static void file_next(void) {
  for (;;) {
    int step = files.step++;
    int result = file_step(step);
    if (result == 1) {
      part_over(PART_FILES);
      return;
    }
    if (is_counted_by_itself(step) ? result == 0 : request_begun(result))
      return;
  }
}

void files_begin(void) {
  file_next();
}

/* --- directories ----------------------------------------------------------------- */

static struct {
  uv_fs_t req;
  uv_dir_t* dir;
  uv_dirent_t entries[8];
  int step;
} folders;

static void folder_next(void);

static void on_folder(uv_fs_t* req) {
  uv_dirent_t entry;
  request_answered();
  if (req->fs_type == UV_FS_OPENDIR && req->result >= 0)
    folders.dir = req->ptr;
  if (req->fs_type == UV_FS_SCANDIR)
    while (uv_fs_scandir_next(req, &entry) == 0)
      ;
  uv_fs_req_cleanup(req);
  folder_next();
}

static int folder_read(void) {
  folders.dir->dirents = folders.entries;
  folders.dir->nentries = 8;
  return uv_fs_readdir(&mixed_loop, &folders.req, folders.dir, on_folder);
}

static int folder_step(int step) {
  uv_loop_t* loop = &mixed_loop;
  uv_fs_t* req = &folders.req;
  if (folders.dir == NULL && (step == 5 || step == 6))
    return UV_EBADF;
  switch (step) {
  case 0:
    return uv_fs_mkdir(loop, req, "folder", 0700, on_folder);
  case 1:
    return uv_fs_symlink(loop, req, "nowhere", "folder/link", 0, on_folder);
  case 2:
    return uv_fs_readlink(loop, req, "folder/link", on_folder);
  case 3:
    return uv_fs_scandir(loop, req, "folder", 0, on_folder);
  case 4:
    return uv_fs_opendir(loop, req, "folder", on_folder);
  case 5:
    return folder_read();
  case 6:
    return uv_fs_closedir(loop, req, folders.dir, on_folder);
  case 7:
    return uv_fs_realpath(loop, req, "folder", on_folder);
  case 8:
    return uv_fs_rename(loop, req, "folder/link", "folder/other", on_folder);
  case 9:
    return uv_fs_unlink(loop, req, "folder/other", on_folder);
  case 10:
    return uv_fs_rmdir(loop, req, "folder", on_folder);
  case 11:
    return uv_fs_mkdtemp(loop, req, "madeXXXXXX", on_folder);
  case 12:
    return uv_fs_statfs(loop, req, ".", on_folder);
  default:
    return 1;
  }
}

static void folder_next(void) {
  int result;
  while ((result = folder_step(folders.step++)) != 1)
    if (request_begun(result))
      return;
  part_over(PART_DIRECTORIES);
}

void directories_begin(void) {
  folder_next();
}
