/* The summary of a loop that was looked at from outside: shares of looks, not sums of
 * time. Only the processor's time is exact, which the kernel counts. */
#include "trace_samples.h"
#include "trace_write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_SHOWN = 15, HELD_SHOWN = 5, NAME_SHOWN = 120 };

static double share_of(uint64_t part, uint64_t all) {
  return all == 0 ? 0.0 : (double) part * 100 / (double) all;
}

/* --- by function ----------------------------------------------------------------------
 */

struct row {
  int32_t name;
  uint64_t count;
};

static int most_first(const void* left, const void* right) {
  const struct row *a = left, *b = right;
  return a->count < b->count ? 1 : a->count > b->count ? -1 : a->name - b->name;
}

static void write_rows(FILE* out, const struct trace_loop* loop, struct row* rows,
                       const char* what) {
  qsort(rows, loop->name_count, sizeof(*rows), most_first);
  if (loop->name_count == 0 || rows[0].count == 0)
    return;
  fprintf(out, "\n  %7s %9s  %s\n", "looks", "of all", what);
  for (size_t i = 0; i < loop->name_count && i < ROWS_SHOWN && rows[i].count > 0; i++) {
    fprintf(out, "  %7" PRIu64 " %7.1f %%  ", rows[i].count,
            share_of(rows[i].count, loop->looks));
    write_cut(out, loop->names[rows[i].name], NAME_SHOWN);
    putc('\n', out);
  }
}

static struct row* rows_make(const struct trace_loop* loop) {
  struct row* rows = calloc(loop->name_count + 1, sizeof(*rows));
  if (rows == NULL)
    out_of_memory();
  for (size_t i = 0; i < loop->name_count; i++)
    rows[i].name = (int32_t) i;
  return rows;
}

static void row_count(const struct trace_loop* loop, struct row* rows, int32_t name) {
  if (name >= 0 && (size_t) name < loop->name_count)
    rows[name].count++;
}

/* Functions of the program with all that they call: each once a look, however deep. */
static void write_functions(FILE* out, const struct trace_loop* loop) {
  struct row *own = rows_make(loop), *with_callees = rows_make(loop);
  for (size_t i = 0; i < loop->sample_count; i++) {
    const struct stack_sample* sample = &loop->samples[i];
    const int32_t* frames = loop->frames + sample->first;
    if (sample->count > 0)
      row_count(loop, own, frames[0]);
    for (uint32_t j = 0; j < sample->count; j++) {
      bool again = false;
      for (uint32_t k = 0; k < j && !again; k++)
        again = frames[k] == frames[j];
      if (!again && frames[j] >= 0 && (size_t) frames[j] < loop->name_count &&
          name_is_of_program(loop->names[frames[j]]))
        row_count(loop, with_callees, frames[j]);
    }
  }
  write_rows(out, loop, with_callees, "in the program's function, with all it calls");
  write_rows(out, loop, own, "in the function itself");
  free(own);
  free(with_callees);
}

/* --- the loop -------------------------------------------------------------------------
 */

void write_sampled_waits(FILE* out, const struct trace_loop* loop) {
  char time[TIME_SIZE];
  fprintf(out,
          "sampled, every %s, %" PRIu64 " times: ", time_text(time, loop->sampled_ns),
          loop->looks);
  if (loop->is_loopless)
    fputs("it was seen to run no loop", out);
  else
    fprintf(out, "asleep in %.1f %% of the looks",
            share_of(loop->looks_asleep, loop->looks));
  if (loop->looks_collecting > 0)
    fprintf(out, ", collecting garbage in %.1f %%",
            share_of(loop->looks_collecting, loop->looks));
}

static void write_held_sampled(FILE* out, const struct facts* facts) {
  const struct trace_loop* loop = facts->loop;
  char time[TIME_SIZE], when[TIME_SIZE];
  bool first = true;
  for (size_t i = 0; i < facts->held_count && i < HELD_SHOWN; i++) {
    const struct stretch* held = &facts->held[i];
    if (held->starting || stretch_length(held) < 2 * loop->sampled_ns)
      continue;
    if (first)
      fprintf(out, "\n  longest times without a look at what is ready, to within %s\n",
              time_text(time, loop->sampled_ns));
    first = false;
    fprintf(out, "  %10s  %s after the start, ", time_text(time, stretch_length(held)),
            time_text(when, loop->offset_ns + held->start));
    write_held(out, loop, held);
    write_hot_path(out, loop, held);
    putc('\n', out);
  }
}

void write_sampled(FILE* out, const struct facts* facts) {
  const struct trace_loop* loop = facts->loop;
  const char* name = thread_name_of(loop->process, loop->thread);
  if (loop->is_loopless)
    fprintf(out, "thread %u", loop->thread);
  else
    fprintf(out, "loop %u on %s, thread %u", loop->number, loop->backend, loop->thread);
  if (*name != '\0') {
    fputs(" (", out);
    write_plain(out, name);
    putc(')', out);
  }
  fputs("\n  ", out);
  write_sampled_waits(out, loop);
  if (facts->cpu.known)
    fprintf(out, "; %.1f %% of the time on the processor, which is exact",
            share_of(facts->cpu.used, loop->end_ns));
  putc('\n', out);
  write_held_sampled(out, facts);
  write_functions(out, loop);
}
