/* The terminal: keys, size, and a page that is redrawn after each reading. */
#include "live_screen.h"
#include "live_metrics.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum key {
  KEY_NONE,
  KEY_UP,
  KEY_DOWN,
  KEY_ENTER,
  KEY_BACK,
  KEY_DUMP,
  KEY_SORT,
  KEY_HELP,
  KEY_PAUSE,
  KEY_SOONER,
  KEY_LATER,
  KEY_QUIT
};
enum order { BY_BUSY, BY_HELD, BY_PID, ORDERS };

struct screen {
  struct termios before;
  unsigned int interval_ms;
  bool help, paused;
  enum order order;
  int pid;        /* the process that is shown; 0: the list */
  int chosen_pid; /* selected in the list */
  char message[4200];
  struct live_figures* figures; /* of all processes, or of the one shown */
  struct live_ring* rings;
  size_t count;
  struct metrics plain; /* processes that nobody prepared */
};

static volatile sig_atomic_t ended, resized;

static void on_signal(int number) {
  if (number == SIGWINCH)
    resized = 1;
  else
    ended = 1;
}

/* --- the terminal ---------------------------------------------------------------------
 */

static bool terminal_take(struct screen* screen) {
  struct sigaction action = {.sa_handler = on_signal};
  if (tcgetattr(STDIN_FILENO, &screen->before) != 0)
    return false;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  sigaction(SIGWINCH, &action, NULL);
  struct termios raw = screen->before;
  raw.c_lflag &= ~(tcflag_t) (ICANON | ECHO);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  fputs("\033[?1049h\033[?25l", stdout);
  return true;
}

static void terminal_give_back(const struct screen* screen) {
  fputs("\033[?25h\033[?1049l", stdout);
  fflush(stdout);
  tcsetattr(STDIN_FILENO, TCSANOW, &screen->before);
}

static struct live_page page_begin(void) {
  struct winsize size = {0};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    size.ws_col = 80;
    size.ws_row = 24;
  }
  return (struct live_page){
      .out = stdout, .columns = size.ws_col, .rows = size.ws_row, .colours = true};
}

/* --- keys ------------------------------------------------------------------------------
 */

static enum key key_of(const char* bytes, ssize_t count) {
  if (count >= 3 && bytes[0] == '\033' && (bytes[1] == '[' || bytes[1] == 'O')) {
    switch (bytes[2]) {
    case 'A':
      return KEY_UP;
    case 'B':
      return KEY_DOWN;
    case 'C':
      return KEY_ENTER;
    case 'D':
      return KEY_BACK;
    default:
      return KEY_NONE;
    }
  }
  switch (bytes[0]) {
  case 'k':
    return KEY_UP;
  case 'j':
    return KEY_DOWN;
  case '\r':
  case '\n':
    return KEY_ENTER;
  case '\033':
  case '\177':
  case 'l':
    return KEY_BACK;
  case 'd':
    return KEY_DUMP;
  case 's':
  case 'o':
    return KEY_SORT;
  case ' ':
    return KEY_PAUSE;
  case '+':
    return KEY_SOONER;
  case '-':
    return KEY_LATER;
  case '?':
  case 'h':
    return KEY_HELP;
  case 'q':
    return KEY_QUIT;
  default:
    return KEY_NONE;
  }
}

/* --- what is shown ---------------------------------------------------------------------
 */

static void all_forget(struct screen* screen) {
  for (size_t i = 0; i < screen->count; i++) {
    live_figures_free(&screen->figures[i]);
    live_ring_close(&screen->rings[i]);
  }
  free(screen->figures);
  free(screen->rings);
  screen->figures = NULL;
  screen->rings = NULL;
  screen->count = 0;
}

/* Takes the figures that a process had at the last reading, which its rates need. */
static struct live_figures figures_taken(struct screen* screen, int pid) {
  struct live_figures found = {0};
  for (size_t i = 0; i < screen->count; i++) {
    if (screen->figures[i].pid != pid)
      continue;
    found = screen->figures[i];
    screen->figures[i] = (struct live_figures){0};
  }
  return found;
}

static void look(struct screen* screen) {
  struct live_ring* rings;
  size_t count = live_rings(&rings);
  struct live_figures* figures = calloc(count + 1, sizeof(*figures));
  if (figures == NULL)
    out_of_memory();
  for (size_t i = 0; i < count; i++) {
    figures[i] = figures_taken(screen, rings[i].pid);
    live_figures_look(&figures[i], &rings[i],
                      rings[i].pid == screen->pid ? LIVE_WINDOW_NS : 0);
  }
  if (screen->pid == 0)
    metrics_plain_only(&screen->plain, rings, count);
  all_forget(screen);
  screen->rings = rings;
  screen->figures = figures;
  screen->count = count;
}

static double rank(const struct live_figures* figures, enum order order) {
  const struct live_loop* busiest = live_busiest(figures);
  uint64_t held = 0;
  for (size_t i = 0; i < figures->loop_count; i++)
    held = figures->loops[i].held_ns > held ? figures->loops[i].held_ns : held;
  if (!figures->alive)
    return -1e18;
  switch (order) {
  case BY_HELD:
    return (double) held;
  case BY_PID:
    return -figures->pid;
  default:
    return busiest == NULL ? -1 : busiest->busy;
  }
}

/* Sorts figures and rings together; there are few. */
static void sort(struct screen* screen) {
  for (size_t i = 1; i < screen->count; i++) {
    for (size_t j = i; j > 0 && rank(&screen->figures[j], screen->order) >
                                    rank(&screen->figures[j - 1], screen->order);
         j--) {
      struct live_figures figures = screen->figures[j];
      struct live_ring ring = screen->rings[j];
      screen->figures[j] = screen->figures[j - 1];
      screen->rings[j] = screen->rings[j - 1];
      screen->figures[j - 1] = figures;
      screen->rings[j - 1] = ring;
    }
  }
}

static size_t place_of(const struct screen* screen, int pid) {
  for (size_t i = 0; i < screen->count; i++) {
    if (screen->figures[i].pid == pid)
      return i;
  }
  return SIZE_MAX;
}

static void draw_help(const struct live_page* page) {
  static const char* const lines[] = {
      "up, down   choose a process",
      "enter      show it",
      "esc, left  back to the list",
      "s          sort: busiest, held up longest, number",
      "d          write its last seconds down, as rondo dump does",
      "space      stop and go on",
      "+ -        look more often, less often",
      "q          end"};
  for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
    fprintf(page->out, "%s%.*s\033[K", i == 0 ? "" : "\n", (int) page->columns, lines[i]);
}

static void draw(struct screen* screen) {
  static const char* const orders[] = {"busiest first", "held up longest first",
                                       "by number"};
  struct live_page page = page_begin();
  size_t shown = place_of(screen, screen->pid);
  fputs("\033[H", stdout);
  page.rows -= page.rows > 3; /* the last row is for the message */
  if (screen->help) {
    draw_help(&page);
  } else if (screen->pid != 0 && shown != SIZE_MAX) {
    live_draw_process(&page, &screen->figures[shown]);
  } else {
    if (place_of(screen, screen->chosen_pid) == SIZE_MAX && screen->count > 0)
      screen->chosen_pid = screen->figures[0].pid;
    live_draw_list(&page, screen->figures, screen->count,
                   place_of(screen, screen->chosen_pid));
    live_draw_plain(&page, &screen->plain);
  }
  printf("\033[K\n\033[J\033[2m%.*s\033[0m", (int) page.columns,
         *screen->message != '\0' ? screen->message
         : screen->paused         ? "stopped: space goes on"
         : screen->pid != 0       ? "esc: list  d: dump  ?: keys  q: end"
                                  : orders[screen->order]);
  fflush(stdout);
}

/* --- what keys do
 * ----------------------------------------------------------------------- */

static void dump(struct screen* screen) {
  size_t place = place_of(screen, screen->pid != 0 ? screen->pid : screen->chosen_pid);
  char written[4096] = "";
  if (place == SIZE_MAX)
    return;
  bool good = live_ring_dump(&screen->rings[place], NULL, NULL, written, sizeof(written));
  snprintf(screen->message, sizeof(screen->message),
           good ? "written: %s (rondo trace %s)" : "%s can't be written", written,
           written);
}

static void choose(struct screen* screen, int step) {
  size_t place = place_of(screen, screen->chosen_pid);
  if (screen->count == 0 || place == SIZE_MAX)
    return;
  if (step < 0 && place > 0)
    place--;
  if (step > 0 && place + 1 < screen->count)
    place++;
  screen->chosen_pid = screen->figures[place].pid;
}

/* Returns false to quit. */
static bool key_act(struct screen* screen, enum key key) {
  *screen->message = '\0';
  bool helped = screen->help;
  screen->help = false;
  switch (key) {
  case KEY_QUIT:
    return false;
  case KEY_UP:
  case KEY_DOWN:
    choose(screen, key == KEY_UP ? -1 : 1);
    break;
  case KEY_ENTER:
    screen->pid = screen->chosen_pid;
    look(screen);
    sort(screen);
    break;
  case KEY_BACK:
    screen->pid = helped ? screen->pid : 0;
    break;
  case KEY_DUMP:
    dump(screen);
    break;
  case KEY_SORT:
    screen->order = (enum order)((screen->order + 1) % ORDERS);
    sort(screen);
    break;
  case KEY_PAUSE:
    screen->paused = !screen->paused;
    break;
  case KEY_SOONER:
    screen->interval_ms = screen->interval_ms > 100 ? screen->interval_ms / 2 : 50;
    break;
  case KEY_LATER:
    screen->interval_ms = screen->interval_ms < 60000 ? screen->interval_ms * 2 : 60000;
    break;
  case KEY_HELP:
    screen->help = !helped;
    break;
  case KEY_NONE:
    break;
  }
  return true;
}

/* Handles keys until the next reading is due. Returns false to quit. */
static bool keys_take(struct screen* screen, uint64_t due) {
  for (;;) {
    uint64_t now = live_now_ns();
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    int timeout = now >= due ? 0 : (int) ((due - now) / 1000000) + 1;
    int ready = poll(&input, 1, timeout);
    if (ended)
      return false;
    if (ready == 0 || (ready < 0 && errno != EINTR))
      return true;
    if (ready > 0) {
      char bytes[16];
      ssize_t count = read(STDIN_FILENO, bytes, sizeof(bytes));
      if (count <= 0)
        return false; /* the terminal is gone */
      if (!key_act(screen, key_of(bytes, count)))
        return false;
    }
    resized = 0;
    draw(screen);
  }
}

int live_screen(const char* pid, unsigned int interval_ms) {
  struct screen screen = {.interval_ms = interval_ms};
  struct live_ring ring;
  if (pid != NULL) {
    if (!live_ring_find(&ring, pid))
      return 1;
    screen.pid = screen.chosen_pid = ring.pid;
    live_ring_close(&ring);
  }
  if (!terminal_take(&screen))
    return 1;
  look(&screen); /* rates need two readings */
  bool going = keys_take(&screen, live_now_ns() + 200000000);
  while (going) {
    if (!screen.paused)
      look(&screen);
    sort(&screen);
    draw(&screen);
    going = keys_take(&screen, live_now_ns() + (uint64_t) screen.interval_ms * 1000000);
  }
  terminal_give_back(&screen);
  all_forget(&screen);
  metrics_free(&screen.plain);
  return 0;
}
