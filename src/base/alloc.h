/* Memory for everyone. All of it goes through the functions that the program
 * may have set with uv_replace_allocator(), so what came from here must go
 * back through mem_free() and never through free().
 *
 * Every function returns NULL when memory ran out, and none of them aborts. */
#ifndef RONDO_BASE_ALLOC_H
#define RONDO_BASE_ALLOC_H

#include <stddef.h>

void* mem_alloc(size_t size);

/* Zeroed; NULL when count * size doesn't fit a size_t. */
void* mem_calloc(size_t count, size_t size);

/* As realloc, except that a size of 0 frees the block and gives NULL, whatever
 * the allocator makes of it. On failure the old block stays valid. */
void* mem_realloc(void* block, size_t size);

/* As mem_realloc for an array; NULL when count * size doesn't fit a size_t. */
void* mem_realloc_array(void* block, size_t count, size_t size);

/* Leaves errno as it was, so that it can stand between a failed call and the
 * look at its error. */
void mem_free(void* block);

/* Zeroed and at the begin of a cache line, for what must not touch more lines than it has
 * to. Goes back through mem_free_line(). */
enum { CACHE_LINE = 64 };
void* mem_calloc_line(size_t size);
void mem_free_line(void* block);

char* mem_strdup(const char* string);

/* At most `length` bytes of it, NUL-terminated. */
char* mem_strndup(const char* string, size_t length);

#endif
