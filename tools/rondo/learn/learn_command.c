/* The command: lists the lessons, or shows one: its source with the question, then all
 * its orders, then the answer. */
#include "learn_command.h"

#include "exec.h"
#include "learn_lessons.h"
#include "options.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BAD_ARGUMENT = 2 };

static const char usage[] =
    "usage: rondo learn\n"
    "       rondo learn NUMBER\n"
    "\n"
    "Lists the lessons about the event loop, or shows one: a small program and a\n"
    "question, then every order in which it can happen, and why.\n";

static void lessons_list(const struct lessons* lessons) {
  char title[120];
  for (size_t i = 0; i < lessons->count; i++) {
    lesson_title(&lessons->list[i], title, sizeof(title));
    printf("%3u  %s\n", lessons->list[i].number, title);
  }
  printf("\n`rondo learn 1` shows the first.\n");
}

static void source_show(const struct lesson* lesson) {
  unsigned int number = 1;
  for (const char* at = lesson->text; *at != '\0'; number++) {
    int length = (int) strcspn(at, "\n");
    printf(length == 0 ? "%3u\n" : "%3u  %.*s\n", number, length, at);
    at += length + (at[length] == '\n');
  }
}

/* In a terminal there is time to think. True if the answer is a line without words. */
static bool ask(const char* question) {
  printf("\n%s ", question);
  fflush(stdout);
  int byte = getchar();
  bool is_empty = byte == '\n';
  while (byte != '\n' && byte != EOF)
    byte = getchar();
  return is_empty;
}

/* npm's package has no engine of its own: there lessons run on the user's Node. */
static bool needs_node(const struct lesson* lesson) {
  char folder[PATH_MAX], engine[PATH_MAX + 32];
  if (!lesson_is_script(lesson) || !exec_find_library(folder))
    return false;
  snprintf(engine, sizeof(engine), "%s/librondo-js.so", folder);
  return access(engine, F_OK) != 0 && exec_finds("node");
}

/* Runs another of our commands with an option, or NULL, and the program; its exit code.
 */
static int command_run(const char* command, const char* option, const char* value,
                       const struct lesson* lesson, const char* program) {
  char own[PATH_MAX];
  int status = 0;
  if (!exec_find_self(own))
    return BAD_ARGUMENT;
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    const char* words[8] = {own, command};
    int count = 2;
    if (option != NULL) {
      words[count++] = option;
      words[count++] = value;
    }
    bool has_node = program == NULL && needs_node(lesson);
    if (program != NULL || has_node)
      words[count++] = "--";
    if (has_node)
      words[count++] = "node";
    words[count] = program == NULL ? lesson->path : program;
    execv(own, (char**) (uintptr_t) words);
    _exit(127);
  }
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static void answer_show(const struct lesson* lesson) {
  printf("\n");
  for (const char* at = lesson->answer; *at != '\0';) {
    int length = (int) strcspn(at, "\n");
    int skipped = strncmp(at, "// ", 3) == 0 ? 3 : 0;
    printf("%.*s\n", length - skipped, at + skipped);
    at += length + (at[length] == '\n');
  }
}

static int lesson_show(const struct lessons* lessons, const struct lesson* lesson) {
  char* program = lesson_program(lessons, lesson);
  int code = 0;
  bool has_person = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
  bool runs = lesson_is_script(lesson) || program != NULL;
  printf("%s\n\n", lesson->path);
  source_show(lesson);
  if (runs) {
    if (has_person)
      (void) ask("What will it print? Enter shows every order.");
    printf("\n");
    code = command_run("orders", "--search", "systematic", lesson, program);
  } else {
    printf("\nCompile it (cc %s -luv -o lesson), then: rondo orders -- ./lesson\n",
           lesson->path);
  }
  if (code == 0)
    answer_show(lesson);
  if (code == 0 && runs && has_person &&
      ask("Enter steps through it (rondo step), any word ends."))
    code = command_run("step", NULL, NULL, lesson, program);
  free(program);
  return code;
}

int learn_main(int argc, char** argv) {
  static const struct option table[] = {{0}};
  static const struct command_line line = {
      .name = "rondo learn", .usage = usage, .options = table, .refusal = BAD_ARGUMENT};
  struct lessons lessons;
  int next = 1;
  int code = options_read(&line, argc, argv, &next, NULL);
  if (code != OPTIONS_GOOD)
    return code;
  if (next + 1 < argc)
    return options_refuse(&line, "one lesson at a time, not also", argv[next + 1]);
  if (!lessons_find(&lessons)) {
    fprintf(stderr, "rondo learn: the lessons are not there (share/rondo/lessons)\n");
    lessons_free(&lessons);
    return BAD_ARGUMENT;
  }
  code = BAD_ARGUMENT;
  if (next == argc) {
    lessons_list(&lessons);
    code = 0;
  } else {
    const struct lesson* lesson = NULL;
    char* end;
    unsigned long number = strtoul(argv[next], &end, 10);
    for (size_t i = 0; *end == '\0' && i < lessons.count; i++) {
      if (lessons.list[i].number == number)
        lesson = &lessons.list[i];
    }
    if (lesson != NULL)
      code = lesson_show(&lessons, lesson);
    else
      (void) options_refuse(&line, "there is no lesson", argv[next]);
  }
  lessons_free(&lessons);
  return code;
}
