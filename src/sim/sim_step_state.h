/* The steps of one loop, inside. */
#ifndef RONDO_SIM_STEP_STATE_H
#define RONDO_SIM_STEP_STATE_H

#include "sim/sim_state.h"
#include "sim/sim_step.h"
#include "rondo.h"

#include <stdarg.h>

/* Text that grows; `is_short` when memory was not enough for it. */
struct step_text {
  char* bytes;
  size_t used, size;
  bool is_short;
};

void step_text_add(struct step_text* text, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
/* A JSON string with its quotes. */
void step_text_string(struct step_text* text, const char* string);
/* A function: "file+0x12" of the file it was loaded from; nothing for NULL. */
void step_text_function(struct step_text* text, const char* key, void (*function)(void));

/* The facts known of the object at an address. */
struct step_object {
  uint64_t key;    /* address and kind; 0: a free place */
  uint32_t number; /* of a handle, among those of its kind */
  uint64_t by;     /* the step that has begun it; 0: none */
};

/* Something in a queue of the engine's. */
struct step_item {
  uint64_t key, by, due_ms, order;
  unsigned int flags;
  char* name;
};

struct step_queue {
  struct step_item* items;
  size_t count, capacity;
};

enum { STEP_DEPTH = 64 };

struct sim_step {
  uint64_t last; /* the number of the last line */
  unsigned int depth;
  uint64_t open[STEP_DEPTH]; /* the numbers of the open spans */
  int phase;
  uint64_t turn; /* 0: before the first */
  uint64_t order;
  unsigned int known; /* RONDO_STEP_KNOWS_… of the engine */
  struct step_queue queues[RONDO_STEP_QUEUES];
  bool in_script;    /* the outermost span is rondo_step_script's */
  uint64_t taken_by; /* who had queued what was taken last; 0: it isn't known */

  /* The span that has begun and isn't written: its name may still come. */
  struct {
    bool is_open;
    bool is_idle;    /* nothing to show if it changes nothing */
    bool is_nothing; /* and it has changed nothing */
    bool is_engines; /* what it calls was in a queue of the engine's */
    uint64_t by;
    struct step_text line;
    char* name;
  } pending;
  struct step_text content; /* of the queues, when it was last written */
  struct step_text line;

  struct step_object* objects;
  size_t object_count, object_capacity;
  uint32_t numbers[UV_HANDLE_TYPE_MAX];
};

/* --- sim_step_items.c --- */
/* The object's entry, made if need be; NULL without memory. */
struct step_object* step_object(struct sim_step* step, uint64_t key);
uint64_t step_object_key(uint64_t subject);
void step_items_write(const struct sim_step* step, struct step_text* text,
                      uint64_t start_ns);
void step_items_free(struct sim_step* step);

/* --- sim_step_queues.c --- */
/* "timer 3" */
void step_handle_words(struct sim_step* step, const uv_handle_t* handle, char* words,
                       size_t size);
void step_queues_write(uv_loop_t* loop, struct sim_step* step, struct step_text* text);

/* --- sim_step.c --- */
void step_settle(uv_loop_t* loop, struct sim_step* step);
/* The loop's steps; NULL if it has none: it isn't the program's, or there is no memory.
 */
struct sim_step* step_of(uv_loop_t* loop);
/* The same, also before the loop is known to be the program's. */
struct sim_step* step_make(struct sim_state* sim);
void step_handle_made(struct sim_state* sim, const uv_handle_t* handle);
void sim_step_close(struct sim_state* sim);

#endif
