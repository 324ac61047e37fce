/* The summary: where a loop's time went, which callbacks took it, and what held the loop
 * up longest. With --turns, also every turn with all that happened in it. */
#include "trace_collections.h"
#include "trace_findings.h"
#include "trace_write.h"

#include "uv.h"

#include <inttypes.h>
#include <stdlib.h>

enum { CALLBACKS_SHOWN = 20, HOLDUPS_SHOWN = 5, CAUSES_SHOWN = 5, NAME_SHOWN = 120 };
enum { COUNTS_SHOWN = 32 };

/* --- the summary ------------------------------------------------------------------- */

static double share_of(uint64_t part, uint64_t all) {
  return all == 0 ? 0.0 : (double) part * 100 / (double) all;
}

static void write_share(FILE* out, const char* what, uint64_t time, uint64_t all,
                        const char* rest) {
  char text[TIME_SIZE];
  fprintf(out, "  %-13s %10s  %5.1f %%  %s\n", what, time_text(text, time),
          share_of(time, all), rest);
}

static void write_shares(FILE* out, const struct facts* facts) {
  char rest[96], longest[TIME_SIZE];
  uint64_t all = facts->length;
  snprintf(rest, sizeof(rest), "%" PRIu64 " time%s, %s at most", facts->sleeps,
           facts->sleeps == 1 ? "" : "s", time_text(longest, facts->longest_sleep));
  write_share(out, "asleep", facts->asleep, all, rest);
  snprintf(rest, sizeof(rest), "%" PRIu64 " of them", facts->callbacks);
  write_share(out, "in callbacks", facts->in_callbacks, all, rest);
  write_share(out, "turning", facts->turning, all, "the loop's own work");
  if (facts->in_scripts > 0)
    write_share(out, "script", facts->in_scripts, all, "before the loop, and its ticks");
  write_share(out, "outside", without(facts->outside, facts->in_scripts), all,
              "of uv_run");
  if (facts->outside_idle > 0)
    write_share(out, "  asleep", facts->outside_idle, all, "of that, in an outer loop");
}

static void write_phases(FILE* out, const struct facts* facts) {
  char time[TIME_SIZE], longest[TIME_SIZE];
  fprintf(out, "\n  %-13s %10s %12s %12s\n", "phase", "callbacks", "time", "longest");
  for (unsigned int kind = EVENT_TIMERS; kind <= EVENT_CLOSING; kind++) {
    if (facts->phases[kind].callbacks == 0)
      continue;
    fprintf(out, "  %-13s %10" PRIu64 " %12s %12s\n", event_names[kind],
            facts->phases[kind].callbacks, time_text(time, facts->phases[kind].time),
            time_text(longest, facts->phases[kind].longest));
  }
}

static void write_totals(FILE* out, const struct facts* facts) {
  char own[TIME_SIZE], mean[TIME_SIZE], longest[TIME_SIZE];
  fprintf(out, "\n  %10s %9s %10s %10s  %-9s callback\n", "own time", "calls", "each",
          "longest", "in turn");
  for (size_t i = 0; i < facts->total_count && i < CALLBACKS_SHOWN; i++) {
    const struct total* total = &facts->totals[i];
    const struct event* turn =
        turn_of(facts->loop, &facts->loop->events[total->longest_event]);
    char calls[24], number[24] = "-";
    if (turn != NULL)
      snprintf(number, sizeof(number), "%" PRId64, turn->detail);
    snprintf(calls, sizeof(calls), "%" PRIu64 "%s", total->calls, total->more ? "+" : "");
    time_text(mean, total->own / total->calls);
    fprintf(out, "  %10s %9s %10s %10s  %-9s ", time_text(own, total->own), calls,
            total->more ? "-" : mean,
            total->more ? "-" : time_text(longest, total->longest), number);
    write_cut(out, total->name, NAME_SHOWN);
    if (subject_matters(total->subject))
      fprintf(out, " (%.*s)", (int) kind_length(total->subject), total->subject);
    putc('\n', out);
  }
  if (facts->total_count > CALLBACKS_SHOWN)
    fprintf(out, "  and %zu more\n", facts->total_count - CALLBACKS_SHOWN);
}

static void write_holdups(FILE* out, const struct facts* facts) {
  const struct trace_loop* loop = facts->loop;
  char time[TIME_SIZE], when[TIME_SIZE];
  fputs("\n  longest times without a look at what is ready\n", out);
  for (size_t i = 0; i < HOLDUPS_SHOWN && i < facts->held_count; i++) {
    const struct stretch* held = &facts->held[i];
    fprintf(out, "  %10s  %s after the start, ", time_text(time, stretch_length(held)),
            time_text(when, loop->offset_ns + held->start));
    write_held(out, loop, held);
    write_hot_path(out, loop, held);
    putc('\n', out);
  }
}

/* The requests that took longest from their beginning to their callback. */
static void write_causes(FILE* out, const struct trace_loop* loop) {
  const struct event* longest[CAUSES_SHOWN] = {0};
  for (size_t i = 0; i < loop->event_count; i++) {
    const struct event* event = &loop->events[i];
    if (event->cause == EVENT_NONE || loop->causes[event->cause].work == EVENT_NONE)
      continue;
    for (size_t j = 0; j < CAUSES_SHOWN; j++) {
      if (longest[j] == NULL ||
          event->start - loop->causes[event->cause].begun >
              longest[j]->start - loop->causes[longest[j]->cause].begun) {
        const struct event* shorter = longest[j];
        longest[j] = event;
        if ((event = shorter) == NULL)
          break;
      }
    }
  }
  if (longest[0] != NULL)
    fputs("\n  longest on their way through the pool\n", out);
  for (size_t j = 0; j < CAUSES_SHOWN && longest[j] != NULL; j++) {
    char text[TIME_SIZE];
    uint64_t took = longest[j]->start - loop->causes[longest[j]->cause].begun;
    fprintf(out, "  %10s  ", time_text(text, took));
    write_who_named(out, loop, longest[j]);
    fputs(", ", out);
    write_cause(out, loop, longest[j]);
    putc('\n', out);
  }
}

static bool holds(const struct count* const* counts, size_t number, int32_t name) {
  for (size_t i = 0; i < number; i++)
    if (counts[i]->name == name)
      return true;
  return false;
}

/* Writes which way file requests took, and how many spins were won and lost. Each counter
 * is recorded many times; its last value counts. */
static void write_counts(FILE* out, const struct trace_loop* loop) {
  const struct count* last[COUNTS_SHOWN];
  size_t number = 0;
  for (size_t i = loop->count_count; i-- > 0 && number < COUNTS_SHOWN;) {
    const struct count* count = &loop->counts[i];
    if (count->name != EVENT_NONE && !holds(last, number, count->name))
      last[number++] = count;
  }
  if (number > 0)
    fputs("\n  counted by the loop\n", out);
  while (number-- > 0) {
    fprintf(out, "  %10" PRIu64 "  ", last[number]->value);
    write_plain(out, loop->names[last[number]->name]);
    putc('\n', out);
  }
}

/* A loop counts as busy also while its thread waits for a processor. */
static void write_processor(FILE* out, const struct facts* facts) {
  const struct cpu_share* cpu = &facts->cpu;
  if (cpu->known && facts->shown >= facts->length / 2 && cpu->used < facts->busy &&
      facts->busy - cpu->used > facts->shown / 10)
    fprintf(out, ", %.1f %% on the processor", share_of(cpu->used, facts->shown));
}

static void write_loop(FILE* out, const struct trace_loop* loop) {
  const char* name = thread_name_of(loop->process, loop->thread);
  fprintf(out, "loop %u on ", loop->number);
  write_plain(out, loop->backend);
  fprintf(out, ", thread %u", loop->thread);
  if (*name != '\0') {
    fputs(" (", out);
    write_plain(out, name);
    putc(')', out);
  }
  fputs(": ", out);
}

static void write_head(FILE* out, const struct facts* facts) {
  const struct trace_loop* loop = facts->loop;
  char time[TIME_SIZE];
  write_loop(out, loop);
  fprintf(out, "%" PRIu64 " turn%s in %s, %.1f %% busy%s", facts->turns,
          facts->turns == 1 ? "" : "s", time_text(time, facts->length),
          share_of(facts->busy, facts->shown),
          facts->shown < facts->length / 2 ? " since its first turn" : "");
  write_processor(out, facts);
  fputs("\n  ", out);
  write_verdict(out, facts, "\n  ");
  fputs("\n  ", out);
  write_waits_of(out, facts);
  putc('\n', out);
  if (collections_matter(facts))
    write_collections(out, facts);
  char begin[TIME_SIZE];
  if (loop->overwritten)
    fprintf(
        out,
        "  what came before was overwritten when the recording was full: it is the end "
        "of a longer run, from %s after its start on\n",
        time_text(begin, loop->begin_ns));
  if (loop->lost > 0)
    fprintf(out, "  %" PRIu64 " records did not fit: this is not all\n", loop->lost);
  putc('\n', out);
}

/* `beside`: another loop of the process has worked. */
static void write_summary(FILE* out, const struct facts* facts, bool beside) {
  if (facts->loop->sampled_ns != 0 && facts->loop->looks > facts->loop->looks_asleep) {
    write_sampled(out, facts);
    return;
  }
  if (facts_of_unused(facts)) {
    fprintf(out, "loop %u: nothing was called back on it\n", facts->loop->number);
    return;
  }
  if (beside && facts_of_sleeper(facts)) {
    write_loop(out, facts->loop);
    write_sleeper(out, facts);
    putc('\n', out);
    return;
  }
  write_head(out, facts);
  write_shares(out, facts);
  if (!collections_matter(facts))
    write_collections(out, facts);
  if (facts->total_count > 0) {
    write_phases(out, facts);
    write_totals(out, facts);
  }
  if (facts->held_count > 0)
    write_holdups(out, facts);
  write_late_data(out, facts);
  write_causes(out, facts->loop);
  write_lateness(out, facts->loop);
  write_waits(out, facts->loop);
  write_counts(out, facts->loop);
}

/* --- every turn ----------------------------------------------------------------------
 */

static void write_line(FILE* out, const struct trace_loop* loop,
                       const struct event* event, unsigned int depth,
                       const struct arrival* arrival) {
  char at[TIME_SIZE], took[TIME_SIZE];
  snprintf(at, sizeof(at), "%.6fs", (double) (loop->offset_ns + event->start) / 1e9);
  fprintf(out, "%13s %10s  %*s", at, time_text(took, event->duration), (int) depth * 2,
          "");
  if (event->kind == EVENT_TURN)
    fprintf(out, "turn %" PRId64, event->detail);
  else if (event->kind == EVENT_SLEEP && event->detail < 0)
    fputs("sleep until something happens", out);
  else if (event->kind == EVENT_SLEEP)
    fprintf(out, "sleep for %s at most", time_text(at, (uint64_t) event->detail));
  else if (is_work(event))
    write_who(out, loop, event);
  else
    fputs(event_names[event->kind], out);
  if (event->timer && event->detail > 0)
    fprintf(out, ", %s late", time_text(at, (uint64_t) event->detail));
  else if (event->kind == EVENT_CALLBACK && event->detail < 0)
    fprintf(out, " %s", uv_err_name_r((int) event->detail, at, sizeof(at)));
  else if (event->kind == EVENT_CALLBACK && event->detail != 0)
    fprintf(out, " %" PRId64, event->detail);
  if (arrival != NULL)
    fprintf(out, ", its data waited %s or longer", time_text(at, arrival->waited));
  if (event->unfinished)
    fputs(" (had not ended)", out);
  putc('\n', out);
}

static void write_turns(FILE* out, const struct trace_loop* loop) {
  size_t next = 0;
  fprintf(out, "\n%12s %10s\n", "second", "took");
  for (size_t i = 0; i < loop->event_count; i++) {
    const struct event* event = &loop->events[i];
    unsigned int depth = 0;
    for (const struct event* at = parent_of(loop, event); at != NULL;
         at = parent_of(loop, at))
      depth++;
    write_line(out, loop, event, depth, arrival_of(loop, (int32_t) i, &next));
  }
}

/* Sorts the main thread's loop first, if it has worked, then those of the program's other
 * threads by what was worst there; loops of helper threads come last. */
static int rank_of(const struct facts* facts) {
  bool is_main = facts->loop->thread == facts->loop->pid;
  if (facts_of_unused(facts))
    return 3;
  if (facts_of_sleeper(facts) || !facts_of_program(facts))
    return 2;
  return is_main && facts->callbacks + facts->in_scripts > 0 ? 0 : 1;
}

static int main_first(const void* left, const void* right) {
  const struct facts *a = *(struct facts*const*) left, *b = *(struct facts*const*) right;
  struct finding worst_a[FINDING_KINDS], worst_b[FINDING_KINDS];
  if (a->loop->pid != b->loop->pid)
    return a->loop < b->loop ? -1 : 1;
  if (rank_of(a) != rank_of(b))
    return rank_of(a) < rank_of(b) ? -1 : 1;
  findings_list(a, worst_a);
  findings_list(b, worst_b);
  if (worst_a[0].waited != worst_b[0].waited)
    return worst_a[0].waited > worst_b[0].waited ? -1 : 1;
  return a->loop->number < b->loop->number ? -1 : a->loop->number > b->loop->number;
}

static bool has_worked_beside(struct facts* const* all, size_t count, uint32_t pid) {
  for (size_t i = 0; i < count; i++) {
    if (all[i]->loop->pid == pid && !facts_of_unused(all[i]) && !facts_of_sleeper(all[i]))
      return true;
  }
  return false;
}

/* One sentence: what was worst for whoever waited. Of which loop is said where it isn't
 * the main thread's. */
static void write_worst(FILE* out, const struct finding* worst) {
  const struct trace_loop* loop = worst->facts->loop;
  fputs("  ", out);
  if (loop->thread != loop->pid)
    fprintf(out, "loop %u: ", loop->number);
  write_headline(out, worst);
  putc('\n', out);
}

static void write_process(FILE* out, const struct trace_process* process) {
  fprintf(out, "process %u: ", process->pid);
  write_plain(out, process->command);
  putc('\n', out);
  if (process->note != NULL)
    fprintf(out, "  %s\n", process->note);
}

/* Of several processes, that of the worst is named before all of them. */
static void write_first(FILE* out, struct facts* const* all, size_t count) {
  struct finding worst = finding_worst(all, count);
  if (all[0]->loop->pid == all[count - 1]->loop->pid)
    return;
  fputs("the worst of all is in ", out);
  write_process(out, worst.facts->loop->process);
  write_worst(out, &worst);
  putc('\n', out);
}

static void write_all(FILE* out, struct facts* const* all, size_t count, bool turns) {
  write_first(out, all, count);
  for (size_t i = 0, next = 0; i < count; i++) {
    const struct trace_loop* loop = all[i]->loop;
    if (i == next) {
      while (next < count && all[next]->loop->pid == loop->pid)
        next++;
      struct finding worst = finding_worst(all + i, next - i);
      fputs(i == 0 ? "" : "\n", out);
      write_process(out, loop->process);
      write_worst(out, &worst);
    }
    putc('\n', out);
    write_summary(out, all[i], has_worked_beside(all, count, loop->pid));
    if (turns)
      write_turns(out, loop);
  }
}

bool write_text(FILE* out, const struct trace* trace, bool turns) {
  struct facts** all = facts_of_all(trace);
  if (all == NULL)
    return false;
  if (trace->count > 1)
    qsort(all, trace->count, sizeof(struct facts*), main_first);
  write_all(out, all, trace->count, turns);
  facts_free_all(all, trace->count);
  return ferror(out) == 0;
}
