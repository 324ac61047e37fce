/* The commands of `rondo step`. */
#include "step_else.h"
#include "step_input.h"
#include "step_move.h"
#include "step_show.h"

#include "base/words.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ELSE_RUNS = 200, DRAWN_RUNS = 40, AROUND = 5, LIST_AROUND = 10 };

struct terminal {
  struct step_world* world;
  struct sim_options options; /* of the present choices */
  size_t at;
  struct step_lane lane;
  struct step_others others; /* at `others_at` */
  size_t others_at;
  bool colours;
  char last[400]; /* an empty line repeats it */
};

/* Ctrl-C stops at the next callback; a second one, on an empty line, ends nothing by
 * itself: `quit` does. */
static volatile sig_atomic_t interrupts;

static void interrupted(int number) {
  (void) number;
  interrupts++;
}

static const char* const words[] = {
    "back",    "choose", "check",   "else",   "first",   "handle", "help",
    "history", "pid",    "in",      "last",   "list",    "load",   "next",
    "output",  "phase",  "queue",   "queues", "quit",    "save",   "show",
    "source",  "step",   "go",      "turn",   "until",   "why",    "timers",
    "pending", "idle",   "prepare", "poll",   "closing", "ticks",  "microtasks",
    "empty",   "time",   NULL};

static void help(void) {
  puts(
      "  next, n, →       the next callback of the program's own\n"
      "  step, s          the next beginning or end, also of the engine's own\n"
      "  phase, p         the first callback in the next phase\n"
      "  turn, t          the first callback in the next turn\n"
      "  until WHAT, u    file:line (the function that holds it), output TEXT, time "
      "10ms,\n"
      "                   handle tcp 2, timers empty, timers not empty, timers > 2,\n"
      "                   poll has a.txt\n"
      "  back, b, ←       as next, backwards; also: back step, back phase, back turn,\n"
      "                   back until WHAT\n"
      "  first, last      the beginning, the end\n"
      "  go N             step N\n"
      "  show             this step again\n"
      "  list             the steps around it\n"
      "  queue NAME, q NAME   one queue, or all: timers pending idle prepare poll check\n"
      "                   closing ticks microtasks\n"
      "  source, output   the code around; all that was printed so far, with its steps\n"
      "  why              what has begun this, up to the main script\n"
      "  else             what else could have come now, in other schedules\n"
      "  choose N         take another of these, and go on from there\n"
      "  save FILE, load FILE   the choices\n"
      "  in 0.1, in all   show the steps of one process alone\n"
      "  check            run it again, and compare all steps so far\n"
      "  pid              the processes' numbers, for a debugger: gdb -p NUMBER\n"
      "  history, help, quit");
}

/* --- moving ------------------------------------------------------------------------ */

static void show_here(struct terminal* terminal) {
  if (terminal->at < terminal->world->record.count)
    step_show(terminal->world, terminal->at, terminal->colours);
}

static void show_end(const struct terminal* terminal) {
  char outcome[160];
  step_world_outcome(terminal->world, outcome, sizeof(outcome));
  if (terminal->world->is_over) {
    step_show_rest(terminal->world);
    printf("The program is over: %s.\n",
           strcmp(outcome, "passed") == 0 ? "exit status 0" : outcome);
  } else if (terminal->world->record.count >= STEPS_MOST)
    puts("These are as many steps as are kept.");
  else
    puts("Stopped here.");
}

static bool goal_read(struct step_move* move, const char* word, const char* rest) {
  static const struct {
    const char *word, *key;
    enum step_goal goal;
  } goals[] = {{"next", "n", GOAL_CALLBACK},
               {"step", "s", GOAL_ANY},
               {"phase", "p", GOAL_PHASE},
               {"turn", "t", GOAL_TURN}};
  for (size_t i = 0; i < sizeof(goals) / sizeof(goals[0]); i++) {
    if (strcmp(word, goals[i].word) == 0 || strcmp(word, goals[i].key) == 0) {
      move->goal = goals[i].goal;
      return true;
    }
  }
  return (strcmp(word, "until") == 0 || strcmp(word, "u") == 0) &&
         step_move_until(move, rest);
}

static void move_to(struct terminal* terminal, const struct step_move* move) {
  bool is_there = step_move(terminal->world, &terminal->lane, &terminal->at, move);
  step_world_progress_end(terminal->world);
  if (!is_there) {
    if (move->is_back)
      puts("There is no such step before.");
    else
      show_end(terminal);
  }
  show_here(terminal);
}

static void go_to(struct terminal* terminal, const char* rest) {
  char* end;
  unsigned long long number = strtoull(rest, &end, 10);
  if (end == rest || *end != '\0' || number == 0) {
    puts("Which step? go 12");
    return;
  }
  if (!step_world_reach(terminal->world, (size_t) number - 1)) {
    show_end(terminal);
    number = terminal->world->record.count;
  }
  terminal->at = number == 0 ? 0 : (size_t) number - 1;
  show_here(terminal);
}

static void lane_set(struct terminal* terminal, const char* rest) {
  char* slash;
  if (strcmp(rest, "all") == 0 || *rest == '\0') {
    terminal->lane = (struct step_lane){0};
    return;
  }
  snprintf(terminal->lane.process, sizeof(terminal->lane.process), "%s", rest);
  slash = strchr(terminal->lane.process, '/');
  terminal->lane.loop = slash == NULL ? 0 : (unsigned int) strtoul(slash + 1, NULL, 10);
  if (slash != NULL)
    *slash = '\0';
}

/* --- choices ----------------------------------------------------------------------- */

/* Begins again with another schedule, at the program's own step of that rank. The
 * schedule may be one of what is freed here. */
static void choices_take(struct terminal* terminal, const struct step_schedule* schedule,
                         size_t rank) {
  struct step_world* world = terminal->world;
  const volatile sig_atomic_t* stop = world->stop;
  struct step_world before = *world;
  bool is_started = step_world_start(world, &terminal->options, schedule, stop);
  step_world_end(&before);
  step_others_free(&terminal->others);
  if (!is_started) {
    puts("The program can't be started again.");
    return;
  }
  world->has_progress = isatty(STDERR_FILENO);
  terminal->at = step_own_at(world, rank);
  step_world_progress_end(world);
  if (terminal->at >= world->record.count && terminal->at > 0)
    terminal->at = world->record.count - 1;
  show_here(terminal);
}

/* As on the command line of `rondo step` and `rondo sim`; to be freed. */
static char* schedule_words(const struct step_schedule* schedule) {
  char* choices = NULL;
  char* text = NULL;
  int length = -1;
  if (schedule->is_drawn)
    length = asprintf(&text, "--seed %llu", (unsigned long long) schedule->seed);
  else if ((choices = sim_choices_text(schedule->choices, schedule->count)) != NULL)
    length = asprintf(&text, "--choices %s", choices);
  free(choices);
  return length < 0 ? NULL : text;
}

static void else_show(struct terminal* terminal) {
  struct step_others* others = &terminal->others;
  bool is_drawn = terminal->world->schedule.is_drawn;
  step_others_free(others);
  step_others_find(others, terminal->world, terminal->at,
                   is_drawn ? DRAWN_RUNS : ELSE_RUNS, isatty(STDERR_FILENO));
  terminal->others_at = terminal->at;
  for (size_t i = 0; i < others->count; i++)
    printf("  %zu  %s%s\n", i + 1, others->list[i].title,
           others->list[i].is_ours ? "  (here)" : "");
  if (others->is_complete && others->count == 1)
    puts("  Nothing else: with the same callbacks before, this is what comes.");
  else if (others->is_complete)
    puts("  With the same callbacks before, these are all that could come here.");
  else
    printf("  In %u schedules, of which %u were the same up to here; there may be "
           "more.\n",
           others->tried, others->alike);
}

static void choose(struct terminal* terminal, const char* rest) {
  char* end;
  unsigned long long number = strtoull(rest, &end, 10);
  if (terminal->others.count == 0 || terminal->others_at != terminal->at)
    else_show(terminal);
  if (end == rest || number == 0 || number > terminal->others.count) {
    puts("Which of these? choose 2");
    return;
  }
  const struct step_other* other = &terminal->others.list[number - 1];
  if (other->is_ours) {
    puts("That is what comes here.");
    return;
  }
  char* text = schedule_words(&other->schedule);
  printf("Another schedule: rondo step %s, or rondo sim %s.\n", text == NULL ? "" : text,
         text == NULL ? "" : text);
  free(text);
  choices_take(terminal, &other->schedule, step_own_rank(terminal->world, terminal->at));
}

static void choices_save(const struct terminal* terminal, const char* path) {
  FILE* file = *path == '\0' ? NULL : fopen(path, "we");
  char* text = schedule_words(&terminal->world->schedule);
  if (*path == '\0') {
    puts("Into which file? save choices.txt");
    free(text);
    return;
  }
  if (file != NULL) /* "seed 7" or "choices 0:1,4:2" */
    fprintf(file, "rondo step choices 1\n%s\n", text == NULL ? "" : text + 2);
  if (file == NULL || fclose(file) != 0)
    printf("%s can't be written: %s\n", path, strerror(errno));
  else
    printf("Again: rondo step --choices @%s, or rondo sim --choices @%s\n", path, path);
  free(text);
}

static void choices_load(struct terminal* terminal, const char* path) {
  struct sim_options read = {0};
  struct step_schedule schedule = {0};
  char given[PATH_MAX];
  if (*path == '\0') {
    puts("Which file? load choices.txt");
    return;
  }
  snprintf(given, sizeof(given), "@%s", path);
  if (access(path, R_OK) != 0)
    printf("%s: %s\n", path, strerror(errno));
  else if (!sim_choices_take(given, &read))
    printf("%s isn't a file of choices\n", path);
  else {
    schedule = (struct step_schedule){.is_drawn = read.seed_given,
                                      .seed = read.first_seed,
                                      .choices = read.choices,
                                      .count = read.choice_count};
    choices_take(terminal, &schedule, 0);
  }
  sim_options_free(&read);
}

static void check(const struct terminal* terminal) {
  size_t same = step_world_check(terminal->world);
  if (same == terminal->world->record.count)
    printf("The same %zu steps again.\n", same);
  else
    printf("This run isn't repeatable: another one differs at step %zu.\n", same + 1);
}

/* --- commands ---------------------------------------------------------------------- */

static void queue_show(const struct terminal* terminal, const char* name) {
  for (size_t i = 0; i < STEP_QUEUE_COUNT; i++) {
    if (strcmp(step_queue_names[i], name) == 0) {
      step_show_queues(terminal->world, terminal->at, name);
      return;
    }
  }
  if (*name != '\0') {
    printf("There is no queue %s.\n", name);
    return;
  }
  for (size_t i = 0; i < STEP_QUEUE_COUNT; i++)
    step_show_queues(terminal->world, terminal->at, step_queue_names[i]);
}

static void list_around(const struct terminal* terminal) {
  size_t from = terminal->at > LIST_AROUND ? terminal->at - LIST_AROUND : 0;
  for (size_t i = from;
       i <= terminal->at + LIST_AROUND && i < terminal->world->record.count; i++)
    step_show_line(terminal->world, i, i == terminal->at);
}

/* For a debugger: gdb -p 4711. */
static void processes_show(const struct terminal* terminal) {
  const struct world* world = terminal->world->run.world;
  bool has = false;
  for (uint32_t i = 0; world != NULL && i < world->process_high; i++) {
    const struct world_process* process = &world->processes[i];
    if (terminal->world->is_over || process->state == PROCESS_FREE)
      continue;
    printf("  process %s is %d\n", process->path, process->pid);
    has = true;
  }
  if (!has)
    puts("  There is no process any more.");
}

static void unknown(const char* word) {
  const char* meant = nearest_word(word, words);
  if (meant != NULL)
    printf("There is no command %s; did you mean %s?\n", word, meant);
  else
    printf("There is no command %s; help lists them.\n", word);
}

static bool is_word(const char* given, const char* word, const char* key) {
  return strcmp(given, word) == 0 || (key != NULL && strcmp(given, key) == 0);
}

/* Commands that show something and move nothing. False: the command is none of these. */
static bool command_shows(struct terminal* terminal, const char* word, const char* rest) {
  const struct step* here = &terminal->world->record.steps[terminal->at];
  if (is_word(word, "help", "?"))
    help();
  else if (is_word(word, "show", "w"))
    show_here(terminal);
  else if (is_word(word, "list", NULL))
    list_around(terminal);
  else if (is_word(word, "queue", "q") || is_word(word, "queues", NULL))
    queue_show(terminal, rest);
  else if (is_word(word, "source", NULL))
    step_show_source(here, AROUND);
  else if (is_word(word, "output", "o"))
    step_show_output(terminal->world, terminal->at);
  else if (is_word(word, "why", NULL))
    step_show_why(terminal->world, terminal->at);
  else if (is_word(word, "else", NULL))
    else_show(terminal);
  else if (is_word(word, "history", NULL))
    step_input_history();
  else if (is_word(word, "check", NULL))
    check(terminal);
  else if (is_word(word, "pid", NULL))
    processes_show(terminal);
  else
    return false;
  return true;
}

static void command(struct terminal* terminal, char* line) {
  char* rest = line + strcspn(line, " ");
  struct step_move move = {0};
  if (*rest != '\0')
    *rest++ = '\0';
  rest += strspn(rest, " ");
  if (command_shows(terminal, line, rest))
    return;
  if (is_word(line, "back", "b")) {
    char* word = *rest == '\0' ? "next" : rest;
    char* behind = rest + strcspn(rest, " ");
    if (*behind != '\0')
      *behind++ = '\0';
    move.is_back = true;
    if (goal_read(&move, word, behind))
      move_to(terminal, &move);
    else
      puts("Back to what? back, back phase, back turn, back until …");
  } else if (goal_read(&move, line, rest))
    move_to(terminal, &move);
  else if (is_word(line, "until", "u"))
    puts("Until what? app.js:12, output TEXT, time 10ms, handle tcp 2, timers empty,\n"
         "timers not empty, timers > 2, poll has a.txt");
  else if (is_word(line, "first", "f") || is_word(line, "last", "l")) {
    move = (struct step_move){.goal = GOAL_END, .is_back = line[0] == 'f'};
    move_to(terminal, &move);
    if (line[0] == 'l')
      show_end(terminal);
  } else if (is_word(line, "go", "g"))
    go_to(terminal, rest);
  else if (is_word(line, "in", NULL))
    lane_set(terminal, rest);
  else if (is_word(line, "choose", "c"))
    choose(terminal, rest);
  else if (is_word(line, "save", NULL))
    choices_save(terminal, rest);
  else if (is_word(line, "load", NULL))
    choices_load(terminal, rest);
  else
    unknown(line);
}

static void prompt_write(const struct terminal* terminal, char* prompt, size_t size) {
  snprintf(prompt, size, "(step %zu) ", terminal->at + 1);
}

int step_terminal(struct step_world* world) {
  struct terminal terminal = {.world = world,
                              .options = world->options,
                              .colours =
                                  isatty(STDOUT_FILENO) && getenv("NO_COLOR") == NULL};
  struct sigaction action = {.sa_handler = interrupted};
  char prompt[64];
  sigaction(SIGINT, &action, NULL);
  world->stop = &interrupts;
  world->has_progress = isatty(STDERR_FILENO);
  if (!step_world_reach(world, 0))
    return 2;
  show_here(&terminal);
  for (;;) {
    interrupts = 0;
    prompt_write(&terminal, prompt, sizeof(prompt));
    char* line = step_input_line(prompt, words);
    if (line == NULL || is_word(line, "quit", "exit")) {
      free(line);
      break;
    }
    bool is_again = line[strspn(line, " ")] == '\0';
    char text[sizeof(terminal.last)];
    snprintf(text, sizeof(text), "%s",
             is_again ? terminal.last : line + strspn(line, " "));
    snprintf(terminal.last, sizeof(terminal.last), "%s", text);
    free(line);
    if (text[0] != '\0' && world->record.count > 0)
      command(&terminal, text);
  }
  step_others_free(&terminal.others);
  step_input_free();
  return 0;
}
