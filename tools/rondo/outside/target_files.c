/* Descriptors of another process: see target_files.h. Sockets are found in the tables of
 * the target's own network namespace, which /proc/PID/net shows. */
#include "target_files.h"
#include "trace_model.h"

#include "base/address.h"

#include <dirent.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct socket_row {
  uint64_t inode;
  char* text;
};

struct sockets {
  struct socket_row* list;
  size_t count, capacity;
};

static void socket_add(struct sockets* sockets, uint64_t inode, const char* text) {
  if (inode == 0)
    return;
  sockets->list = array_grow(sockets->list, sockets->count, &sockets->capacity,
                             sizeof(*sockets->list));
  sockets->list[sockets->count++] =
      (struct socket_row){inode, text_copy(text, strlen(text))};
}

/* "0100007F:1F90" or 32 digits and a port: words in the machine's order. */
static bool inet_parse(struct sockaddr_storage* address, const char* text) {
  size_t digits = strcspn(text, ":");
  uint32_t words[4] = {0};
  if ((digits != 8 && digits != 32) || text[digits] != ':')
    return false;
  for (size_t i = 0; i < digits / 8; i++) {
    char word[9] = "";
    memcpy(word, text + i * 8, 8);
    words[i] = (uint32_t) strtoul(word, NULL, 16);
  }
  uint16_t port = htons((uint16_t) strtoul(text + digits + 1, NULL, 16));
  *address = (struct sockaddr_storage){0};
  if (digits == 8) {
    struct sockaddr_in* in = (struct sockaddr_in*) (void*) address;
    in->sin_family = AF_INET;
    in->sin_port = port;
    memcpy(&in->sin_addr, words, 4);
  } else {
    struct sockaddr_in6* in = (struct sockaddr_in6*) (void*) address;
    in->sin6_family = AF_INET6;
    in->sin6_port = port;
    memcpy(&in->sin6_addr, words, 16);
  }
  return true;
}

static uint16_t port_of(const struct sockaddr_storage* address) {
  return address->ss_family == AF_INET
             ? ((const struct sockaddr_in*) (const void*) address)->sin_port
             : ((const struct sockaddr_in6*) (const void*) address)->sin6_port;
}

static void inet_read(struct sockets* sockets, const struct target* target,
                      const char* name) {
  char path[64], line[512], own[ADDRESS_TEXT_SIZE], peer[ADDRESS_TEXT_SIZE];
  char texts[2][64], whole[2 * ADDRESS_TEXT_SIZE + 40];
  snprintf(path, sizeof(path), "/proc/%d/net/%s", target->pid, name);
  FILE* file = fopen(path, "re");
  while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
    struct sockaddr_storage addresses[2];
    unsigned long long inode;
    unsigned int state;
    if (sscanf(line, "%*s %63s %63s %x %*s %*s %*s %*s %*s %llu", texts[0], texts[1],
               &state, &inode) != 4 ||
        !inet_parse(&addresses[0], texts[0]) || !inet_parse(&addresses[1], texts[1]))
      continue;
    address_text(own, sizeof(own), &addresses[0],
                 inet_address_length((struct sockaddr*) &addresses[0]));
    address_text(peer, sizeof(peer), &addresses[1],
                 inet_address_length((struct sockaddr*) &addresses[1]));
    bool has_peer = port_of(&addresses[1]) != 0;
    snprintf(whole, sizeof(whole), "%s%s%s%s", own, has_peer ? " - " : "",
             has_peer ? peer : "",
             name[0] != 't'              ? ""
             : state == 2                ? ", not yet connected"
             : state == 8                ? ", which the other side has closed"
             : state != 1 && state != 10 ? ", which is closed"
                                         : "");
    socket_add(sockets, inode, whole);
  }
  if (file != NULL)
    fclose(file);
}

static void unix_read(struct sockets* sockets, const struct target* target) {
  char path[64], line[512];
  snprintf(path, sizeof(path), "/proc/%d/net/unix", target->pid);
  FILE* file = fopen(path, "re");
  while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
    unsigned long long inode;
    int at = 0;
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%*s %*s %*s %*s %*s %*s %llu %n", &inode, &at) == 1 && at > 0 &&
        line[at] != '\0')
      socket_add(sockets, inode, line + at);
  }
  if (file != NULL)
    fclose(file);
}

static int by_inode(const void* left, const void* right) {
  const struct socket_row *a = left, *b = right;
  return a->inode < b->inode ? -1 : a->inode > b->inode;
}

static void sockets_read(struct sockets* sockets, const struct target* target) {
  static const char* const names[] = {"tcp", "tcp6", "udp", "udp6"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
    inet_read(sockets, target, names[i]);
  unix_read(sockets, target);
  if (sockets->count > 1)
    qsort(sockets->list, sockets->count, sizeof(*sockets->list), by_inode);
}

static int by_fd(const void* left, const void* right) {
  const struct target_file *a = left, *b = right;
  return a->fd < b->fd ? -1 : a->fd > b->fd;
}

void files_read(struct target_files* files, const struct target* target) {
  char path[64], link[4200];
  size_t capacity = 0;
  const struct dirent* entry;
  struct sockets sockets = {0};
  *files = (struct target_files){0};
  if (target->core != NULL)
    return;
  snprintf(path, sizeof(path), "/proc/%d/fd", target->pid);
  DIR* list = opendir(path);
  files->known = list != NULL;
  if (list == NULL)
    return;
  if (!target->is_brief)
    sockets_read(&sockets, target);
  while ((entry = readdir(list)) != NULL) {
    if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
      continue;
    snprintf(path, sizeof(path), "/proc/%d/fd/%.12s", target->pid, entry->d_name);
    ssize_t length = readlink(path, link, sizeof(link) - 1);
    link[length < 0 ? 0 : length] = '\0';
    struct socket_row key = {0}, *found = NULL;
    unsigned long long inode;
    if (sscanf(link, "socket:[%llu]", &inode) == 1 && sockets.count > 0) {
      key.inode = inode;
      found = bsearch(&key, sockets.list, sockets.count, sizeof(key), by_inode);
    }
    const char* text = found == NULL ? link : found->text;
    files->list = array_grow(files->list, files->count, &capacity, sizeof(*files->list));
    files->list[files->count++] =
        (struct target_file){.fd = (int) strtol(entry->d_name, NULL, 10),
                             .text = text_copy(text, strlen(text))};
  }
  closedir(list);
  for (size_t i = 0; i < sockets.count; i++)
    free(sockets.list[i].text);
  free(sockets.list);
  if (files->count > 1)
    qsort(files->list, files->count, sizeof(*files->list), by_fd);
}

void files_free(struct target_files* files) {
  for (size_t i = 0; i < files->count; i++)
    free(files->list[i].text);
  free(files->list);
  *files = (struct target_files){0};
}

struct target_file* file_of(const struct target_files* files, int fd) {
  const struct target_file key = {.fd = fd};
  return files->count == 0 ? NULL
                           : bsearch(&key, files->list, files->count, sizeof(key), by_fd);
}

bool file_is_epoll(const struct target_files* files, int fd) {
  const struct target_file* file = file_of(files, fd);
  return file != NULL && strcmp(file->text, "anon_inode:[eventpoll]") == 0;
}
