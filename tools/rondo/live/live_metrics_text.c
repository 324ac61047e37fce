/* Figures as Prometheus reads them: see live_metrics.h. Names are those of
 * OpenTelemetry's conventions for Node where there are such, in the form that Prometheus
 * gives them. */
#include "live_metrics.h"

#include <inttypes.h>
#include <string.h>

struct writer {
  FILE* out;
  const struct metrics* metrics;
  bool open; /* OpenMetrics: a counter's family is named without _total */
};

static void write_value(FILE* out, const char* text) {
  for (; *text != '\0'; text++) {
    if (*text == '"' || *text == '\\')
      fprintf(out, "\\%c", *text);
    else if ((unsigned char) *text < 0x20 || *text == 0x7f)
      putc(' ', out);
    else
      putc(*text, out);
  }
}

/* `unit` ends the name, or is "". */
static void write_family(const struct writer* writer, const char* name, const char* type,
                         const char* unit, const char* help) {
  bool total = strcmp(type, "counter") == 0 && !writer->open;
  fprintf(writer->out, "# HELP %s%s %s\n# TYPE %s%s %s\n", name, total ? "_total" : "",
          help, name, total ? "_total" : "", type);
  if (writer->open && *unit != '\0')
    fprintf(writer->out, "# UNIT %s %s\n", name, unit);
}

static void write_labels(FILE* out, const struct metrics_process* process,
                         const struct metrics_loop* loop) {
  fprintf(out, "{pid=\"%d\",command=\"", process->pid);
  write_value(out, process->command == NULL ? "" : process->command);
  fputs("\",service=\"", out);
  write_value(out, process->service == NULL ? "" : process->service);
  putc('"', out);
  if (loop != NULL)
    fprintf(out, ",loop=\"%u\"", loop->number);
}

/* --- loops ----------------------------------------------------------------------------
 */

enum which { RECORDED = 1, SAMPLED = 2, BOTH = 3 };

static bool is_which(const struct metrics_process* process, enum which which) {
  return process->command != NULL &&
         ((process->is_sampled ? SAMPLED : RECORDED) & which) != 0;
}

typedef double (*loop_value)(const struct metrics_loop* loop);

static void write_loops(const struct writer* writer, const char* name, const char* rest,
                        enum which which, loop_value value) {
  for (size_t i = 0; i < writer->metrics->count; i++) {
    const struct metrics_process* process = writer->metrics->list[i];
    for (size_t j = 0; j < BOARD_LOOPS && is_which(process, which); j++) {
      if (process->loops[j].number == 0)
        continue;
      fputs(name, writer->out);
      write_labels(writer->out, process, &process->loops[j]);
      fprintf(writer->out, "%s} %.9g\n", rest, value(&process->loops[j]));
    }
  }
}

static double value_active(const struct metrics_loop* loop) {
  uint64_t age = loop->never_ran ? 0 : loop->age_ns, slept = loop->slept_ns;
  return age > slept ? (double) (age - slept) / 1e9 : 0;
}
static double value_idle(const struct metrics_loop* loop) {
  return (double) loop->slept_ns / 1e9;
}
static double value_busy(const struct metrics_loop* loop) {
  return loop->busy;
}
static double value_turns(const struct metrics_loop* loop) {
  return (double) loop->turns;
}
static double value_cpu(const struct metrics_loop* loop) {
  return (double) loop->cpu_ns / 1e9;
}
static double value_run_wait(const struct metrics_loop* loop) {
  return (double) loop->wait_ns / 1e9;
}
static double value_held(const struct metrics_loop* loop) {
  return (double) loop->held_ns / 1e9;
}
static double value_handles(const struct metrics_loop* loop) {
  return loop->handles;
}
static double value_requests(const struct metrics_loop* loop) {
  return loop->requests;
}
static double value_lost(const struct metrics_loop* loop) {
  return (double) loop->lost;
}
static double value_p50(const struct metrics_loop* loop) {
  return (double) loop->recent_p50 / 1e9;
}
static double value_p90(const struct metrics_loop* loop) {
  return (double) loop->recent_p90 / 1e9;
}
static double value_p99(const struct metrics_loop* loop) {
  return (double) loop->recent_p99 / 1e9;
}
static double value_max(const struct metrics_loop* loop) {
  return (double) loop->recent_max / 1e9;
}
static double value_mean(const struct metrics_loop* loop) {
  return loop->recent_mean;
}
static double value_deviation(const struct metrics_loop* loop) {
  return loop->recent_deviation;
}

static void write_counter(const struct writer* writer, const char* name, const char* unit,
                          const char* help, enum which which, loop_value value) {
  char total[96];
  write_family(writer, name, "counter", unit, help);
  snprintf(total, sizeof(total), "%s_total", name);
  write_loops(writer, total, "", which, value);
}

static void write_gauge(const struct writer* writer, const char* name, const char* unit,
                        const char* help, enum which which, loop_value value) {
  write_family(writer, name, "gauge", unit, help);
  write_loops(writer, name, "", which, value);
}

/* --- histograms -----------------------------------------------------------------------
 */

static void write_histogram(const struct writer* writer, const char* name,
                            const struct metrics_process* process,
                            const struct metrics_loop* loop, const char* rest,
                            const struct metrics_histogram* histogram) {
  FILE* out = writer->out;
  uint64_t below = 0;
  for (size_t i = 0; i <= METRICS_BOUNDS; i++) {
    below += histogram->counts[i];
    fprintf(out, "%s_bucket", name);
    write_labels(out, process, loop);
    if (i < METRICS_BOUNDS)
      fprintf(out, "%s,le=\"%.9g\"} %" PRIu64 "\n", rest,
              (double) metrics_bounds[i] / 1e9, below);
    else
      fprintf(out, "%s,le=\"+Inf\"} %" PRIu64 "\n", rest, below);
  }
  fprintf(out, "%s_sum", name);
  write_labels(out, process, loop);
  fprintf(out, "%s} %.9g\n%s_count", rest, histogram->sum, name);
  write_labels(out, process, loop);
  fprintf(out, "%s} %" PRIu64 "\n", rest, below);
}

static void write_histograms(const struct writer* writer, const char* name,
                             const char* help, size_t offset) {
  write_family(writer, name, "histogram", "seconds", help);
  for (size_t i = 0; i < writer->metrics->count; i++) {
    const struct metrics_process* process = writer->metrics->list[i];
    for (size_t j = 0; j < BOARD_LOOPS && is_which(process, RECORDED); j++) {
      const struct metrics_loop* loop = &process->loops[j];
      if (loop->number != 0)
        write_histogram(writer, name, process, loop, "",
                        (const void*) ((const char*) loop + offset));
    }
  }
}

static void write_collections(const struct writer* writer) {
  static const char* const types[METRICS_GC] = {"minor", "major", "incremental",
                                                "weakcb"};
  char rest[48];
  write_family(writer, "v8js_gc_duration_seconds", "histogram", "seconds",
               "Garbage collections on the loop's thread.");
  for (size_t i = 0; i < writer->metrics->count; i++) {
    const struct metrics_process* process = writer->metrics->list[i];
    for (size_t j = 0; j < BOARD_LOOPS && is_which(process, RECORDED); j++) {
      const struct metrics_loop* loop = &process->loops[j];
      for (size_t k = 0; k < METRICS_GC && loop->number != 0; k++) {
        snprintf(rest, sizeof(rest), ",v8js_gc_type=\"%s\"", types[k]);
        if (loop->collected[k].count > 0)
          write_histogram(writer, "v8js_gc_duration_seconds", process, loop, rest,
                          &loop->collected[k]);
      }
    }
  }
}

/* --- processes ------------------------------------------------------------------------
 */

static void write_kinds(const struct writer* writer, const char* name, const char* help,
                        bool requests) {
  write_family(writer, name, "gauge", "", help);
  for (size_t i = 0; i < writer->metrics->count; i++) {
    const struct metrics_process* process = writer->metrics->list[i];
    const struct live_kind_count* list = requests ? process->requests : process->handles;
    size_t count = requests ? process->request_kinds : process->handle_kinds;
    for (size_t j = 0; j < count && is_which(process, BOTH); j++) {
      fputs(name, writer->out);
      write_labels(writer->out, process, NULL);
      fprintf(writer->out, ",kind=\"%s\"} %u\n", list[j].kind, list[j].count);
    }
  }
}

static void write_callbacks(const struct writer* writer) {
  write_family(writer, "rondo_callbacks", "counter", "",
               "Callbacks by kind; short: several together, of any kind.");
  for (size_t i = 0; i < writer->metrics->count; i++) {
    const struct metrics_process* process = writer->metrics->list[i];
    for (size_t j = 0; j < BOARD_LOOPS && is_which(process, RECORDED); j++) {
      const struct metrics_loop* loop = &process->loops[j];
      for (size_t k = 0; k < loop->kind_count && loop->number != 0; k++) {
        fputs("rondo_callbacks_total", writer->out);
        write_labels(writer->out, process, loop);
        fprintf(writer->out, ",kind=\"%s\"} %" PRIu64 "\n", loop->kinds[k].kind,
                loop->kinds[k].calls);
      }
    }
  }
}

static void write_stall(const struct writer* writer, const char* name,
                        const struct metrics_process* process, const char* function,
                        double value) {
  fputs(name, writer->out);
  write_labels(writer->out, process, NULL);
  fputs(",function=\"", writer->out);
  write_value(writer->out, function);
  fprintf(writer->out, "\"} %.9g\n", value);
}

static void write_stalls(const struct writer* writer, bool seconds) {
  const char* name = seconds ? "rondo_stalls_seconds" : "rondo_stalls";
  char total[48];
  snprintf(total, sizeof(total), "%s_total", name);
  write_family(writer, name, "counter", seconds ? "seconds" : "",
               seconds ? "For how long a function held a loop up for 50 ms or longer; "
                         "the ten worst, and all others as other."
                       : "How often a function held a loop up for 50 ms or longer; the "
                         "ten worst, and all others as other.");
  for (size_t i = 0; i < writer->metrics->count; i++) {
    const struct metrics_process* process = writer->metrics->list[i];
    if (!is_which(process, RECORDED))
      continue;
    for (size_t j = 0; j < METRICS_STALLS; j++) {
      const struct metrics_stall* stall = &process->stalls[j];
      if (stall->function != NULL)
        write_stall(writer, total, process, stall->function,
                    seconds ? (double) stall->held_ns / 1e9 : (double) stall->count);
    }
    write_stall(writer, total, process, "other",
                seconds ? (double) process->other_ns / 1e9
                        : (double) process->other_count);
  }
}

static void write_pool(const struct writer* writer) {
  write_family(writer, "rondo_pool_work", "gauge", "",
               "Work of the thread pool, by whether it has a thread.");
  for (size_t i = 0; i < writer->metrics->count; i++) {
    const struct metrics_process* process = writer->metrics->list[i];
    const uint32_t values[] = {process->pool_working, process->pool_waiting};
    static const char* const states[] = {"running", "waiting"};
    for (size_t j = 0; j < 2 && is_which(process, RECORDED); j++) {
      fputs("rondo_pool_work", writer->out);
      write_labels(writer->out, process, NULL);
      fprintf(writer->out, ",state=\"%s\"} %u\n", states[j], values[j]);
    }
  }
}

static void write_sources(const struct writer* writer) {
  write_family(writer, "rondo_process_loops", "gauge", "",
               "Loops of a process; source: recorded exactly, or sampled from outside.");
  for (size_t i = 0; i < writer->metrics->count; i++) {
    const struct metrics_process* process = writer->metrics->list[i];
    int loops = 0;
    if (!is_which(process, BOTH))
      continue;
    for (size_t j = 0; j < BOARD_LOOPS; j++)
      loops += process->loops[j].number != 0;
    fputs("rondo_process_loops", writer->out);
    write_labels(writer->out, process, NULL);
    fprintf(writer->out, ",source=\"%s\"} %d\n",
            process->is_sampled ? "sampled" : "recorded", loops);
  }
}

/* --- all ------------------------------------------------------------------------------
 */

static void write_delays(const struct writer* writer) {
  static const struct {
    const char *name, *help;
    loop_value value;
  } rows[] = {
      {"nodejs_eventloop_delay_p50_seconds", "median", value_p50},
      {"nodejs_eventloop_delay_p90_seconds", "90th percentile", value_p90},
      {"nodejs_eventloop_delay_p99_seconds", "99th percentile", value_p99},
      {"nodejs_eventloop_delay_max_seconds", "maximum", value_max},
      {"nodejs_eventloop_delay_mean_seconds", "mean", value_mean},
      {"nodejs_eventloop_delay_stddev_seconds", "standard deviation", value_deviation},
  };
  char help[160];
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    snprintf(help, sizeof(help),
             "What a request waits that arrives at a random moment: %s since the look "
             "before.",
             rows[i].help);
    write_gauge(writer, rows[i].name, "seconds", help, RECORDED, rows[i].value);
  }
}

static void write_times(const struct writer* writer) {
  write_family(writer, "nodejs_eventloop_time_seconds", "counter", "seconds",
               "Time that the loop was in each state.");
  write_loops(writer, "nodejs_eventloop_time_seconds_total",
              ",nodejs_eventloop_state=\"active\"", RECORDED, value_active);
  write_loops(writer, "nodejs_eventloop_time_seconds_total",
              ",nodejs_eventloop_state=\"idle\"", RECORDED, value_idle);
}

void metrics_write(FILE* out, const struct metrics* metrics, bool open) {
  const struct writer writer = {out, metrics, open};
  write_sources(&writer);
  write_times(&writer);
  write_gauge(&writer, "nodejs_eventloop_utilization_ratio", "ratio",
              "Share of the time since the look before that the loop didn't sleep.",
              RECORDED, value_busy);
  write_delays(&writer);
  write_histograms(&writer, "rondo_eventloop_wait_seconds",
                   "What a request waits that arrives at a random moment: one a "
                   "microsecond.",
                   offsetof(struct metrics_loop, waits));
  write_histograms(&writer, "rondo_eventloop_stretch_seconds",
                   "Times between two looks at what is ready, without sleep.",
                   offsetof(struct metrics_loop, stretches));
  write_histograms(&writer, "rondo_timer_late_seconds",
                   "How late timers were, of those that the ring has one by one.",
                   offsetof(struct metrics_loop, late));
  write_counter(&writer, "rondo_eventloop_turns", "", "Turns of the loop.", RECORDED,
                value_turns);
  write_counter(&writer, "rondo_eventloop_cpu_seconds", "seconds",
                "Time that the loop's thread was on a processor.", BOTH, value_cpu);
  write_counter(&writer, "rondo_eventloop_runqueue_seconds", "seconds",
                "Time that the loop's thread waited for a processor.", BOTH,
                value_run_wait);
  write_gauge(&writer, "rondo_eventloop_held_seconds", "seconds",
              "For how long the loop has not looked at what is ready, now; 0: it sleeps.",
              BOTH, value_held);
  write_gauge(&writer, "rondo_eventloop_handles", "", "Handles that keep the loop alive.",
              BOTH, value_handles);
  write_gauge(&writer, "rondo_eventloop_requests", "", "Requests in flight.", BOTH,
              value_requests);
  write_counter(&writer, "rondo_eventloop_overruns", "",
                "How often the ring was overwritten before it was read.", RECORDED,
                value_lost);
  write_stalls(&writer, false);
  write_stalls(&writer, true);
  write_callbacks(&writer);
  write_collections(&writer);
  write_kinds(&writer, "rondo_handles", "Handles by kind.", false);
  write_kinds(&writer, "rondo_requests", "Requests in flight by kind.", true);
  write_pool(&writer);
  if (open)
    fputs("# EOF\n", out);
}
