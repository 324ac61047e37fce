/* Figures of a recorded process: see live_figures.h. */
#include "live_figures.h"
#include "live_task.h"
#include "live_title.h"
#include "live_words.h"
#include "trace_facts.h"
#include "trace_write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- life --------------------------------------------------------------------------- */

static void strings_free(struct live_figures* figures) {
  for (size_t i = 0; i < figures->loop_count; i++) {
    free(figures->loops[i].in);
    free(figures->loops[i].last.who);
    free(figures->loops[i].worst.who);
  }
  figures->loop_count = 0;
}

void live_figures_free(struct live_figures* figures) {
  strings_free(figures);
  free(figures->program);
  free(figures->title);
  free(figures->command_line);
  free(figures->command);
  *figures = (struct live_figures){0};
}

const struct live_loop* live_busiest(const struct live_figures* figures) {
  const struct live_loop* busiest = NULL;
  for (size_t i = 0; i < figures->loop_count; i++) {
    const struct live_loop* loop = &figures->loops[i];
    if (busiest == NULL || loop->busy > busiest->busy ||
        (loop->busy == busiest->busy && loop->turns > busiest->turns))
      busiest = loop;
  }
  return busiest;
}

/* --- the board ------------------------------------------------------------------------
 */

/* A memory stream, for text that is returned as a string. */
struct text {
  char* bytes;
  size_t length;
  FILE* out;
};

static void text_begin(struct text* text) {
  text->out = open_memstream(&text->bytes, &text->length);
  if (text->out == NULL)
    out_of_memory();
}

static char* text_end(struct text* text) {
  fclose(text->out);
  return text->bytes;
}

static void count_kind(struct live_kind_count* list, size_t* count, uint64_t subject,
                       uint64_t age) {
  char name[sizeof(list->kind)];
  const char* prefix;
  const char* kind = live_kind(subject, &prefix);
  size_t i;
  snprintf(name, sizeof(name), "%s%s", prefix, kind);
  for (i = 0; i < *count && strcmp(list[i].kind, name) != 0; i++)
    continue;
  if (i == FIGURES_KINDS)
    return;
  if (i == *count) {
    list[(*count)++] = (struct live_kind_count){.count = 0};
    memcpy(list[i].kind, name, sizeof(name));
  }
  list[i].count++;
  list[i].oldest_ns = age > list[i].oldest_ns ? age : list[i].oldest_ns;
}

static void count_table(struct live_figures* figures, const struct board_loop* live) {
  for (size_t i = 0; i < BOARD_ENTRIES; i++) {
    struct board_entry entry = board_entry_at(live, i);
    uint64_t age = board_age_ns(&entry, figures->now_ns);
    if (entry.subject == 0)
      continue;
    if ((entry.subject >> TRACE_SUBJECT_SHIFT & 0xff) < TRACE_SUBJECT_REQ)
      count_kind(figures->handles, &figures->handle_kinds, entry.subject, age);
    else
      count_kind(figures->requests, &figures->request_kinds, entry.subject, age);
  }
}

/* Total time asleep, including the current sleep. */
static uint64_t slept_by(const struct board_loop* live, uint64_t now, uint64_t* looked) {
  *looked = __atomic_load_n(&live->looked_ns, __ATOMIC_ACQUIRE);
  uint64_t slept = live->slept_ns;
  uint64_t since = *looked & ~BOARD_ASLEEP;
  if ((*looked & BOARD_ASLEEP) != 0 && now > since)
    slept += now - since;
  return slept;
}

static void loop_rates(struct live_loop* loop, struct live_before* before,
                       const struct board_loop* live, uint64_t now, uint64_t since) {
  uint64_t looked;
  uint64_t slept = slept_by(live, now, &looked);
  double passed = since == 0 ? 0 : (double) (now - since);
  if (before->number == live->number && passed > 0 && slept >= before->slept_ns) {
    double asleep = (double) (slept - before->slept_ns) / passed;
    loop->busy = asleep > 1 ? 0 : 1 - asleep;
    loop->turns = (double) (live->turns - before->turns) / (passed / 1e9);
  }
  loop->asleep = (looked & BOARD_ASLEEP) != 0;
  loop->held_ns = live_held_ns(live, now);
  loop->never_ran = looked == 0;
  if (loop->never_ran)
    loop->busy = 0;
  *before = (struct live_before){live->number, live->turns, slept, looked};
}

static void look_at_board(struct live_figures* figures, const struct live_ring* ring,
                          const struct trace* names) {
  const struct board* board = ring->board;
  figures->handle_kinds = figures->request_kinds = 0;
  figures->pool_working = board->pool_working;
  figures->pool_waiting = board->pool_waiting;
  figures->stalls = board->stalls;
  for (size_t i = 0; i < BOARD_LOOPS; i++) {
    const struct board_loop* live = live_place(ring, i);
    if (live == NULL)
      continue;
    struct live_loop* loop = &figures->loops[figures->loop_count++];
    *loop = (struct live_loop){.number = live->number,
                               .thread = live->thread,
                               .handles = live->handles,
                               .requests = live->requests};
    memcpy(loop->backend, live->backend, sizeof(live->backend));
    if (ring->alive)
      loop_rates(loop, &figures->before[i], live, figures->now_ns, figures->since_ns);
    count_table(figures, live);
    if (!loop->asleep && live->depth > 0 && names->process_count > 0) {
      struct text text;
      text_begin(&text);
      live_write_open(text.out, names, live);
      loop->in = text_end(&text);
    }
  }
}

/* --- the ring --------------------------------------------------------------------------
 */

static void held_take(struct live_held* held, const struct trace_loop* loop,
                      const struct stretch* stretch) {
  struct text text;
  text_begin(&text);
  write_held(text.out, loop, stretch);
  held->who = text_end(&text);
  held->length_ns = stretch_length(stretch);
  held->at_ns = loop->start_ns + stretch->end;
}

/* Of the longest stretches, stores the worst and the latest. */
static void take_held(struct live_loop* figures, const struct facts* facts) {
  const struct stretch* last = NULL;
  for (size_t i = 0; i < facts->held_count; i++) {
    const struct stretch* held = &facts->held[i];
    if (held->starting || held->unnoticed || stretch_length(held) < 1000000)
      continue;
    last = last == NULL || held->start > last->start ? held : last;
  }
  if (facts->worst != NULL)
    held_take(&figures->worst, facts->loop, facts->worst);
  if (last != NULL)
    held_take(&figures->last, facts->loop, last);
}

static void take_waits(struct live_loop* figures, const struct trace* trace,
                       size_t number) {
  struct facts* facts = facts_make(trace, number);
  if (facts == NULL)
    out_of_memory();
  figures->waits_known = facts->shown > 0;
  figures->wait_p50 = facts->wait_p50;
  figures->wait_p90 = facts->wait_p90;
  figures->wait_p99 = facts->wait_p99;
  figures->wait_worst = facts->wait_worst;
  facts_free(facts);
}

static struct live_loop* loop_of(struct live_figures* figures, uint32_t number) {
  for (size_t i = 0; i < figures->loop_count; i++) {
    if (figures->loops[i].number == number)
      return &figures->loops[i];
  }
  return NULL;
}

static void look_into_ring(struct live_figures* figures, struct trace* trace,
                           uint64_t window_ns) {
  uint64_t end = 0;
  for (size_t i = 0; i < trace->count; i++) {
    const struct trace_loop* loop = &trace->loops[i];
    struct live_loop* figure = loop_of(figures, loop->number);
    struct facts* facts = facts_make(trace, i);
    if (facts == NULL)
      out_of_memory();
    if (figure != NULL && loop->event_count > 0) {
      take_held(figure, facts);
      snprintf(figure->thread_name, sizeof(figure->thread_name), "%s",
               thread_name_of(loop->process, loop->thread));
      double span = (double) (loop->end_ns - loop->events[0].start) / 1e9;
      figures->span = span > figures->span ? span : figures->span;
    }
    facts_free(facts);
    end = loop->offset_ns + loop->end_ns > end ? loop->offset_ns + loop->end_ns : end;
  }
  if (end > window_ns)
    (void) trace_cut(trace, end - window_ns,
                     end); /* if that fails, the waits are those of the whole ring */
  for (size_t i = 0; i < trace->count; i++) {
    struct live_loop* figure = loop_of(figures, trace->loops[i].number);
    if (figure != NULL && trace->loops[i].event_count > 0)
      take_waits(figure, trace, i);
  }
}

/* --- both ------------------------------------------------------------------------------
 */

static void note_history(struct live_figures* figures) {
  const struct live_loop* busiest = live_busiest(figures);
  if (figures->history == FIGURES_HISTORY) {
    memmove(figures->busy_history, figures->busy_history + 1,
            (FIGURES_HISTORY - 1) * sizeof(figures->busy_history[0]));
    memmove(figures->wait_history, figures->wait_history + 1,
            (FIGURES_HISTORY - 1) * sizeof(figures->wait_history[0]));
    figures->history--;
  }
  figures->busy_history[figures->history] = busiest == NULL ? 0 : busiest->busy;
  figures->wait_history[figures->history++] = busiest == NULL ? 0 : busiest->wait_p99;
}

/* Without a window, names aren't read: that takes a while, and the list of all processes
 * doesn't show them. */
void live_figures_look(struct live_figures* figures, const struct live_ring* ring,
                       uint64_t window_ns) {
  struct trace trace = {0};
  strings_free(figures);
  figures->pid = ring->pid;
  figures->alive = ring->alive;
  figures->stopped = ring->alive && task_is_stopped(ring->pid);
  if (figures->program == NULL) {
    const char* command = ring->header->command;
    figures->program = text_copy(live_program(ring), strlen(live_program(ring)));
    figures->command = text_copy(command, sizeof(ring->header->command));
    figures->title = live_title(command, sizeof(ring->header->command));
    figures->command_line = live_command_line(command, sizeof(ring->header->command));
    for (size_t i = 0; i + 1 < sizeof(ring->header->command); i++) {
      if (figures->command[i] == '\0' && command[i + 1] != '\0')
        figures->command[i] = ' ';
    }
  }
  figures->since_ns = figures->now_ns;
  figures->span = 0;
  const char* problem = window_ns > 0 ? live_ring_read(ring, &trace) : NULL;
  figures->now_ns = live_now_ns();
  look_at_board(figures, ring, &trace);
  if (window_ns > 0 && problem == NULL)
    look_into_ring(figures, &trace, window_ns);
  if (figures->since_ns != 0)
    note_history(figures);
  trace_free(&trace);
}

/* --- JSON ------------------------------------------------------------------------------
 */

static void write_kinds(FILE* out, const char* name, const struct live_kind_count* list,
                        size_t count) {
  fprintf(out, ",\"%s\":{", name);
  for (size_t i = 0; i < count; i++) {
    fputs(i == 0 ? "" : ",", out);
    write_string(out, list[i].kind);
    fprintf(out, ":{\"count\":%u,\"oldest_ns\":%" PRIu64 "}", list[i].count,
            list[i].oldest_ns);
  }
  putc('}', out);
}

static void write_held_json(FILE* out, const char* name, const struct live_held* held,
                            uint64_t now) {
  if (held->at_ns == 0)
    return;
  fprintf(out, ",\"%s\":{\"length_ns\":%" PRIu64 ",\"ago_ns\":%" PRIu64 ",\"who\":", name,
          held->length_ns, now > held->at_ns ? now - held->at_ns : 0);
  write_string(out, held->who);
  putc('}', out);
}

static void write_loop_json(FILE* out, const struct live_loop* loop, uint64_t now) {
  fprintf(out, "{\"number\":%u,\"thread\":%u,\"backend\":", loop->number, loop->thread);
  write_string(out, loop->backend);
  fputs(",\"thread_name\":", out);
  write_string(out, loop->thread_name);
  fprintf(out,
          ",\"turns_per_second\":%.1f,\"busy\":%.4f,\"handles\":%u,\"requests\":%u,"
          "\"asleep\":%s,\"never_ran\":%s,\"held_ns\":%" PRIu64,
          loop->turns, loop->busy, loop->handles, loop->requests,
          loop->asleep ? "true" : "false", loop->never_ran ? "true" : "false",
          loop->held_ns);
  if (loop->in != NULL) {
    fputs(",\"in\":", out);
    write_string(out, loop->in);
  }
  if (loop->waits_known)
    fprintf(out,
            ",\"waits_ns\":{\"p50\":%" PRIu64 ",\"p90\":%" PRIu64 ",\"p99\":%" PRIu64
            ",\"worst\":%" PRIu64 "}",
            loop->wait_p50, loop->wait_p90, loop->wait_p99, loop->wait_worst);
  write_held_json(out, "held_last", &loop->last, now);
  write_held_json(out, "held_worst", &loop->worst, now);
  putc('}', out);
}

void live_figures_json(FILE* out, const struct live_figures* figures) {
  fprintf(out, "{\"pid\":%d,\"alive\":%s,\"stopped\":%s,\"program\":", figures->pid,
          figures->alive ? "true" : "false", figures->stopped ? "true" : "false");
  write_string(out, figures->program);
  fputs(",\"command\":", out);
  write_string(out, figures->command);
  fprintf(out, ",\"span_s\":%.3f,\"stalls\":%u,\"loops\":[", figures->span,
          figures->stalls);
  for (size_t i = 0; i < figures->loop_count; i++) {
    fputs(i == 0 ? "" : ",", out);
    write_loop_json(out, &figures->loops[i], figures->now_ns);
  }
  putc(']', out);
  write_kinds(out, "handles", figures->handles, figures->handle_kinds);
  write_kinds(out, "requests", figures->requests, figures->request_kinds);
  fprintf(out, ",\"pool\":{\"working\":%u,\"waiting\":%u}", figures->pool_working,
          figures->pool_waiting);
  fputs(",\"history\":{\"busy\":[", out);
  for (size_t i = 0; i < figures->history; i++)
    fprintf(out, "%s%.3f", i == 0 ? "" : ",", figures->busy_history[i]);
  fputs("],\"p99_ns\":[", out);
  for (size_t i = 0; i < figures->history; i++)
    fprintf(out, "%s%" PRIu64, i == 0 ? "" : ",", figures->wait_history[i]);
  fputs("]}}", out);
}
