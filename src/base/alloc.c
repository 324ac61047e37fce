/* Memory through the program's own allocator, if it set one. The four
 * functions are plain variables: uv_replace_allocator() must be called before
 * anything else of the library, so nothing can race with it. */
#include "base/alloc.h"

#include "uv.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uv_malloc_func allocator_malloc = malloc;
static uv_realloc_func allocator_realloc = realloc;
static uv_calloc_func allocator_calloc = calloc;
static uv_free_func allocator_free = free;

int uv_replace_allocator(uv_malloc_func malloc_func, uv_realloc_func realloc_func,
                         uv_calloc_func calloc_func, uv_free_func free_func) {
  if (malloc_func == NULL || realloc_func == NULL || calloc_func == NULL ||
      free_func == NULL)
    return UV_EINVAL;

  allocator_malloc = malloc_func;
  allocator_realloc = realloc_func;
  allocator_calloc = calloc_func;
  allocator_free = free_func;
  return 0;
}

void* mem_alloc(size_t size) {
  /* malloc(0) may give NULL, which would look like a failure. */
  return allocator_malloc(size == 0 ? 1 : size);
}

void* mem_calloc(size_t count, size_t size) {
  if (count == 0 || size == 0)
    return allocator_calloc(1, 1);
  /* A replaced calloc may neither check the product nor clear the memory: one in libuv's
   * own tests does neither. */
  if (count > SIZE_MAX / size)
    return NULL;
  void* block = allocator_calloc(count, size);
  if (block != NULL && allocator_calloc != calloc)
    memset(block, 0, count * size);
  return block;
}

void* mem_realloc(void* block, size_t size) {
  if (size == 0) {
    mem_free(block);
    return NULL;
  }
  return allocator_realloc(block, size);
}

void* mem_realloc_array(void* block, size_t count, size_t size) {
  if (size != 0 && count > SIZE_MAX / size)
    return NULL;
  return mem_realloc(block, count * size);
}

void mem_free(void* block) {
  if (block == NULL)
    return;
  int saved = errno;
  allocator_free(block);
  errno = saved;
}

/* The allocator's own address is kept in front of the block. */
void* mem_calloc_line(size_t size) {
  char* memory = mem_calloc(1, sizeof(void*) + CACHE_LINE + size);
  if (memory == NULL)
    return NULL;
  uintptr_t first = (uintptr_t) memory + sizeof(void*);
  void** block = (void**) ((first + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
  block[-1] = memory;
  return block;
}

void mem_free_line(void* block) {
  if (block != NULL)
    mem_free(((void**) block)[-1]);
}

char* mem_strdup(const char* string) {
  return mem_strndup(string, strlen(string));
}

char* mem_strndup(const char* string, size_t length) {
  size_t used = strnlen(string, length);
  char* copy = mem_alloc(used + 1);
  if (copy == NULL)
    return NULL;
  memcpy(copy, string, used);
  copy[used] = '\0';
  return copy;
}
