/* A step in the terminal: when it is, what runs, its source, the queues, the output. */
#include "step_show.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void step_show_time(uint64_t ns, char* text, size_t size) {
  if (ns % 1000000 == 0)
    snprintf(text, size, "%" PRIu64 " ms", ns / 1000000);
  else
    snprintf(text, size, "%.3f ms", (double) ns / 1e6);
}

/* Text of the program's: nothing in it moves the cursor. */
static void print_safely(const char* text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char) text[i];
    if (c == '\t' || c >= ' ')
      putchar(c == 0x7f ? '?' : c);
    else
      printf("^%c", c + '@');
  }
}

static void print_text(const char* text) {
  print_safely(text, strlen(text));
}

/* --- one line ---------------------------------------------------------------------- */

static const char* kind_sign(const struct step* step) {
  return step->kind == STEP_END ? "end of" : step->kind == STEP_SLEEP ? "sleeps" : "runs";
}

void step_show_line(const struct step_world* world, size_t index, bool is_here) {
  const struct step* step = &world->record.steps[index];
  char title[700], when[40];
  step_title(step, title, sizeof(title));
  step_show_time(step->at, when, sizeof(when));
  printf("%s %5zu  %-10s %-8s %*s%s ", is_here ? ">" : " ", index + 1, when, step->phase,
         (int) step->depth * 2, "", kind_sign(step));
  print_text(title);
  putchar('\n');
}

/* --- source ------------------------------------------------------------------------ */

void step_show_source(const struct step* step, unsigned int around) {
  char function[1024], file[1024];
  char* text = NULL;
  size_t size = 0;
  unsigned int line, number = 0;
  FILE* source = NULL;
  if (step_place(step, function, file, sizeof(file), &line))
    source = fopen(file, "re");
  ssize_t length;
  while (source != NULL && (length = getline(&text, &size, source)) > 0) {
    number++;
    if (number + around < line || number > line + around)
      continue;
    size_t shown = (size_t) length - (text[length - 1] == '\n');
    printf("  %s %4u | ", number == line ? ">" : " ", number);
    print_safely(text, shown > 100 ? 100 : shown);
    putchar('\n');
  }
  free(text);
  if (source != NULL)
    fclose(source);
}

/* --- queues ------------------------------------------------------------------------ */

static void entry_show(const struct step_world* world, const struct step* at,
                       const struct step_entry* entry) {
  char due[40];
  (void) world;
  printf("    ");
  print_text(entry->label);
  if (entry->is_timer && entry->due > at->at) {
    step_show_time(entry->due - at->at, due, sizeof(due));
    printf(", in %s", due);
  } else if (entry->is_timer)
    printf(", due");
  if (entry->detail[0] != '\0') {
    printf(", ");
    print_text(entry->detail);
  }
  printf("%s%s\n", entry->repeats ? ", repeats" : "",
         entry->unref ? ", doesn't keep the loop alive" : "");
}

void step_show_queues(const struct step_world* world, size_t index, const char* only) {
  const struct step* step = &world->record.steps[index];
  struct step_entries entries;
  step_entries_read(&entries, step);
  for (size_t i = 0; i < STEP_QUEUE_COUNT; i++) {
    const char* queue = step_queue_names[i];
    bool is_unknown = entries.unknown[i];
    bool is_engines = strcmp(queue, "ticks") == 0 || strcmp(queue, "microtasks") == 0;
    if ((only != NULL && strcmp(only, queue) != 0) ||
        (is_engines && !entries.has_engine && !is_unknown))
      continue;
    bool is_empty = step_queue_is_empty(&entries, queue);
    if (is_empty || is_unknown) {
      if (only != NULL || is_unknown)
        printf("  %-11s%s\n", queue, is_unknown ? "not known" : "empty");
      continue;
    }
    printf("  %s\n", queue);
    for (size_t k = 0; k < entries.count; k++) {
      const struct step_entry* entry = &entries.list[k];
      if (strcmp(entry->queue, queue) == 0 && !entry->engines)
        entry_show(world, step, entry);
    }
  }
  step_entries_free(&entries);
}

/* --- why --------------------------------------------------------------------------- */

enum { CHAIN_MOST = 20 };

/* The step that has begun a callback; of a function inside a callback, the step that has
 * begun that callback. */
static uint64_t cause_of(const struct step_record* record, const struct step* step) {
  const struct step* inner = step;
  while (inner->by == 0 && inner->depth > 0) {
    const struct step* outer = inner;
    while (outer > record->steps &&
           (outer->kind == STEP_END || outer->kind == STEP_SLEEP ||
            outer->depth >= inner->depth || outer->loop != inner->loop ||
            strcmp(outer->process, inner->process) != 0))
      outer--;
    if (outer->depth >= inner->depth)
      return 0;
    inner = outer;
  }
  return inner->by;
}

/* Whether the process has run more than one loop. */
static bool has_loops(const struct step_record* record, const struct step* step) {
  for (size_t i = 0; i < record->count; i++) {
    if (record->steps[i].loop != step->loop &&
        strcmp(record->steps[i].process, step->process) == 0)
      return true;
  }
  return false;
}

void step_show_why(const struct step_world* world, size_t index) {
  const struct step_record* record = &world->record;
  const struct step* step = &record->steps[index];
  char title[700];
  if (step->kind == STEP_END) {
    size_t begin = step_find(record, step->of);
    if (begin < record->count)
      step = &record->steps[begin];
  }
  step_title(step, title, sizeof(title));
  printf("  ");
  print_text(title);
  printf("%s%s%s\n", step->subject[0] == '\0' ? "" : ", ", step->subject,
         step->closes ? ", its close callback" : "");
  uint64_t by = cause_of(record, step);
  for (int i = 0; i < CHAIN_MOST && by != 0; i++, by = cause_of(record, step)) {
    size_t cause = step_find(record, by);
    if (cause >= record->count || record->steps[cause].number != by)
      break;
    step = &record->steps[cause];
    step_title(step, title, sizeof(title));
    printf("  was begun by ");
    print_text(title);
    printf(" (step %zu)\n", cause + 1);
  }
  if (by == 0 && step->kind != STEP_SCRIPT && step->kind != STEP_SLEEP)
    printf("  that was begun outside of all callbacks, or by what isn't known\n");
}

/* --- output ------------------------------------------------------------------------ */

static void output_lines(const struct step_world* world, uint64_t from, uint64_t to,
                         const char* sign) {
  const char* text = world->output;
  if (to > world->output_size)
    to = world->output_size;
  while (text != NULL && from < to) {
    const char* end = memchr(text + from, '\n', (size_t) (to - from));
    size_t length =
        end == NULL ? (size_t) (to - from) : (size_t) (end - text - (long) from);
    printf("  %s ", sign);
    print_safely(text + from, length);
    putchar('\n');
    from += length + 1;
  }
}

void step_show_output(const struct step_world* world, size_t index) {
  const struct step_record* record = &world->record;
  for (size_t i = 1; i <= index; i++) {
    const struct step* step = &record->steps[i];
    char sign[32];
    snprintf(sign, sizeof(sign), "%5zu |", i + 1);
    if (step->output > record->steps[i - 1].output)
      output_lines(world, record->steps[i - 1].output, step->output, sign);
  }
  uint64_t shown = record->count == 0 ? 0 : record->steps[record->count - 1].output;
  if (index + 1 == record->count && world->is_over)
    output_lines(world, shown, world->output_size, "  end |");
}

void step_show_rest(const struct step_world* world) {
  const struct step_record* record = &world->record;
  uint64_t shown = record->count == 0 ? 0 : record->steps[record->count - 1].output;
  if (world->is_over)
    output_lines(world, shown, world->output_size, "printed at the end:");
}

/* --- all --------------------------------------------------------------------------- */

static void wheel_show(const struct step* step, bool colours) {
  printf(" ");
  for (size_t i = 0; i < 7; i++) {
    bool is_here = strcmp(step_queue_names[i], step->phase) == 0;
    printf(is_here && colours ? " \033[7m %s \033[0m"
           : is_here          ? " [%s]"
                              : " %s",
           step_queue_names[i]);
  }
  putchar('\n');
}

static void words_show(const struct step* step) {
  char title[700], when[40];
  step_title(step, title, sizeof(title));
  if (step->kind == STEP_SLEEP) {
    printf("the loop waits in its poll");
    if (step->timeout > 0) {
      step_show_time((uint64_t) step->timeout, when, sizeof(when));
      printf(", for at most %s", when);
    }
    putchar('\n');
    return;
  }
  printf("%s ", step->kind == STEP_END ? "has run:" : "runs next:");
  print_text(title);
  if (step->subject[0] != '\0' && strcmp(step->subject, title) != 0)
    printf("  (%s%s)", step->subject, step->closes ? ", closed" : "");
  putchar('\n');
}

void step_show(const struct step_world* world, size_t index, bool colours) {
  const struct step* step = &world->record.steps[index];
  char when[40];
  step_show_time(step->at, when, sizeof(when));
  printf("step %zu, %s, ", index + 1, when);
  if (step->turn > 0)
    printf("turn %llu", (unsigned long long) step->turn);
  else
    printf("before the first turn");
  if (strcmp(step->process, "0") != 0)
    printf(", process %s", step->process);
  if (has_loops(&world->record, step))
    printf(", loop %u", step->loop);
  putchar('\n');
  if (step->phase[0] != '\0')
    wheel_show(step, colours);
  words_show(step);
  step_show_source(step, 1);
  step_show_queues(world, index, NULL);
  if (index > 0)
    output_lines(world, world->record.steps[index - 1].output, step->output, "printed:");
}
