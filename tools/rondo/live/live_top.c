/* `rondo top`: all recorded processes of the user, and one of them live: in the terminal,
 * as lines, as JSON, or as a page (live_web.c). */
#include "live_command.h"
#include "live_metrics.h"
#include "live_screen.h"
#include "live_web.h"
#include "options.h"
#include "trace_write.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
    "usage: rondo top [options] [PID]\n"
    "\n"
    "Shows the processes of this user that are recorded (rondo exec --record,\n"
    "RONDO_RECORD), or one of them live: turns, how busy each loop is, how long one "
    "waits\n"
    "for it, who held it up, what is in flight, the pool. Lists others with libuv, too.\n"
    "Keys: ? lists them.\n";

struct top_options {
  bool once, json, web;
  uint64_t interval_ns;
  uint64_t port;
  const char* pid;
  const char* metrics;
};

/* Returns OPTIONS_GOOD, or the exit code. */
static int top_options_read(struct top_options* options, int argc, char** argv) {
  const struct option table[] = {
      option_flag("--once", &options->once,
                  "print it once, and end; also where there is no terminal"),
      option_flag("--json", &options->json, "the same as JSON"),
      option_time("--interval", &options->interval_ns, 50000000, 3600000000000,
                  "between two looks, such as 500ms; 1s by default"),
      option_flag("--web", &options->web,
                  "serve it as a page on this machine only, with the picture"),
      option_count("--port", &options->port, 0, 65535,
                   "of that page; any that is free by default"),
      option_text("--metrics", "ADDRESS:PORT", &options->metrics,
                  "serve the figures of all processes for Prometheus there, such as "
                  "127.0.0.1:9464"),
      {0}};
  const struct command_line line = {
      .name = "rondo top", .usage = usage, .options = table, .refusal = 9};
  int count = argc - 1;
  int code = options_gather(&line, &count, argv + 1);
  if (code == OPTIONS_GOOD && count > 1)
    code = options_refuse(&line, "one process at a time: ", argv[2]);
  options->pid = count > 0 ? argv[1] : NULL;
  if (code == OPTIONS_GOOD && options->metrics != NULL &&
      (count > 0 || options->web || options->json || options->once))
    code = options_refuse(
        &line, "--metrics serves all processes: it takes no other option, and no PID",
        "");
  return code;
}

static void nap(uint64_t ns) {
  struct timespec time = {(time_t) (ns / 1000000000), (long) (ns % 1000000000)};
  nanosleep(&time, NULL);
}

/* --- once
 * -------------------------------------------------------------------------------
 */

static void plain_json(const struct metrics* metrics) {
  const char* comma = "";
  fputs("],\"unprepared\":[", stdout);
  for (size_t i = 0; i < metrics->count; i++) {
    const struct metrics_process* process = metrics->list[i];
    const char* between = "";
    if (process->command == NULL)
      continue;
    printf("%s\n{\"pid\":%d,\"program\":", comma, process->pid);
    write_string(stdout, process->command);
    fputs(",\"loops\":[", stdout);
    for (size_t j = 0; j < BOARD_LOOPS; j++) {
      const struct metrics_loop* loop = &process->loops[j];
      if (loop->number == 0)
        continue;
      printf("%s{\"thread\":%u,\"asleep\":%s,\"held_ns\":%" PRIu64
             ",\"processor\":%.4f,\"handles\":%u,\"requests\":%u}",
             between, loop->thread, loop->asleep ? "true" : "false", loop->held_ns,
             loop->cpu_share, loop->handles, loop->requests);
      between = ",";
    }
    fputs("]}", stdout);
    comma = ",";
  }
}

/* Reads twice, since rates are computed from the difference. */
static int once_all(const struct top_options* options) {
  struct live_ring* rings;
  size_t count = live_rings(&rings);
  struct live_figures* figures = calloc(count + 1, sizeof(*figures));
  if (figures == NULL)
    return 1;
  for (size_t i = 0; i < count; i++)
    live_figures_look(&figures[i], &rings[i], 0);
  struct metrics metrics = {0};
  metrics_plain_only(&metrics, rings, count);
  nap(options->interval_ns);
  metrics_plain_only(&metrics, rings, count);
  for (size_t i = 0; i < count; i++)
    live_figures_look(&figures[i], &rings[i], options->json ? LIVE_WINDOW_NS : 0);
  if (options->json) {
    fputs("{\"processes\":[", stdout);
    for (size_t i = 0; i < count; i++) {
      fputs(i == 0 ? "\n" : ",\n", stdout);
      live_figures_json(stdout, &figures[i]);
    }
    plain_json(&metrics);
    fputs("]}\n", stdout);
  } else {
    struct live_page page = {.out = stdout, .columns = 200, .rows = UINT16_MAX};
    live_draw_list(&page, figures, count, SIZE_MAX);
    live_draw_plain(&page, &metrics);
    putchar('\n');
  }
  metrics_free(&metrics);
  for (size_t i = 0; i < count; i++) {
    live_figures_free(&figures[i]);
    live_ring_close(&rings[i]);
  }
  free(figures);
  free(rings);
  return 0;
}

static int once_one(const struct top_options* options) {
  struct live_ring ring;
  struct live_figures figures = {0};
  if (!live_ring_find(&ring, options->pid))
    return 1;
  live_figures_look(&figures, &ring, 0);
  nap(options->interval_ns);
  live_figures_look(&figures, &ring, LIVE_WINDOW_NS);
  if (options->json) {
    live_figures_json(stdout, &figures);
    putchar('\n');
  } else {
    struct live_page page = {.out = stdout, .columns = 200, .rows = UINT16_MAX};
    live_draw_process(&page, &figures);
  }
  live_figures_free(&figures);
  live_ring_close(&ring);
  return 0;
}

int top_main(int argc, char** argv) {
  struct top_options options = {.interval_ns = 1000000000};
  int code = top_options_read(&options, argc, argv);
  if (code != OPTIONS_GOOD)
    return code;
  unsigned int interval_ms = (unsigned int) (options.interval_ns / 1000000);
  if (options.metrics != NULL)
    return live_exporter(options.metrics);
  if (options.web)
    return live_web(options.pid, (unsigned int) options.port, interval_ms);
  if (options.once || options.json || !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO))
    return options.pid == NULL ? once_all(&options) : once_one(&options);
  return live_screen(options.pid, interval_ms);
}
