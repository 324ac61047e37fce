/* `rondo top`: all recorded processes of the user, and one of them live: in the terminal,
 * as lines, as JSON, or as a page (live_web.c). */
#include "live_command.h"
#include "live_screen.h"
#include "live_web.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
    "usage: rondo top [options] [PID]\n"
    "\n"
    "Shows the processes of this user that are recorded (rondo exec --record,\n"
    "RONDO_RECORD), or one of them live: turns, how busy each loop is, how long one "
    "waits\n"
    "for it, who held it up, what is in flight, the pool. Keys: ? lists them.\n"
    "\n"
    "  --once           print it once, and end; also where there is no terminal\n"
    "  --json           the same as JSON\n"
    "  --interval time  between two looks, such as 500ms; 1s by default\n"
    "  --web            serve it as a page on this machine only, with the picture\n"
    "  --port number    of that page; any that is free by default\n"
    "  -h, --help       print this\n";

struct top_options {
  bool once, json, web;
  unsigned int interval_ms;
  unsigned int port;
  const char* pid;
};

/* Reads "500ms", "2s" or "2"; 0 if it is none of these. */
static unsigned int interval_read(const char* text) {
  char* unit;
  double number = strtod(text, &unit);
  double ms = strcmp(unit, "ms") == 0 ? number : number * 1000;
  bool good = unit != text &&
              (*unit == '\0' || strcmp(unit, "s") == 0 || strcmp(unit, "ms") == 0);
  return good && ms >= 50 && ms <= 3600000 ? (unsigned int) ms : 0;
}

static bool value_take(struct top_options* options, const char* option,
                       const char* value) {
  if (value == NULL)
    return false;
  if (strncmp(option, "--interval", 10) == 0)
    return (options->interval_ms = interval_read(value)) > 0;
  char* end;
  options->port = (unsigned int) strtoul(value, &end, 10);
  return *value >= '0' && *value <= '9' && *end == '\0' && options->port < 65536;
}

static bool is_named(const char* argument, const char* name) {
  size_t length = strlen(name);
  return strncmp(argument, name, length) == 0 &&
         (argument[length] == '\0' || argument[length] == '=');
}

/* Returns -1 to continue, or the exit code. */
static int options_read(struct top_options* options, int argc, char** argv) {
  for (int i = 1; i < argc; i++) {
    const char* argument = argv[i];
    if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
      fputs(usage, stdout);
      return 0;
    }
    if (is_named(argument, "--interval") || is_named(argument, "--port")) {
      const char* equals = strchr(argument, '=');
      const char* value = equals != NULL ? equals + 1 : i + 1 < argc ? argv[++i] : NULL;
      if (!value_take(options, argument, value))
        return live_bad_usage("top", usage, argv[i]);
    } else if (strcmp(argument, "--once") == 0) {
      options->once = true;
    } else if (strcmp(argument, "--json") == 0) {
      options->json = true;
    } else if (strcmp(argument, "--web") == 0) {
      options->web = true;
    } else if (argument[0] == '-' || options->pid != NULL) {
      return live_bad_usage("top", usage, argument);
    } else {
      options->pid = argument;
    }
  }
  return -1;
}

static void nap(unsigned int ms) {
  struct timespec time = {ms / 1000, (long) (ms % 1000) * 1000000};
  nanosleep(&time, NULL);
}

/* --- once
 * -------------------------------------------------------------------------------
 */

/* Reads twice, since rates are computed from the difference. */
static int once_all(const struct top_options* options) {
  struct live_ring* rings;
  size_t count = live_rings(&rings);
  struct live_figures* figures = calloc(count + 1, sizeof(*figures));
  if (figures == NULL)
    return 1;
  for (size_t i = 0; i < count; i++)
    live_figures_look(&figures[i], &rings[i], 0);
  if (count > 0)
    nap(options->interval_ms);
  for (size_t i = 0; i < count; i++)
    live_figures_look(&figures[i], &rings[i], options->json ? LIVE_WINDOW_NS : 0);
  if (options->json) {
    fputs("{\"processes\":[", stdout);
    for (size_t i = 0; i < count; i++) {
      fputs(i == 0 ? "\n" : ",\n", stdout);
      live_figures_json(stdout, &figures[i]);
    }
    fputs("]}\n", stdout);
  } else {
    struct live_page page = {.out = stdout, .columns = 200, .rows = UINT16_MAX};
    live_draw_list(&page, figures, count, SIZE_MAX);
  }
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
  nap(options->interval_ms);
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
  struct top_options options = {.interval_ms = 1000};
  int code = options_read(&options, argc, argv);
  if (code >= 0)
    return code;
  if (options.web)
    return live_web(options.pid, options.port, options.interval_ms);
  if (options.once || options.json || !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO))
    return options.pid == NULL ? once_all(&options) : once_one(&options);
  return live_screen(options.pid, options.interval_ms);
}
