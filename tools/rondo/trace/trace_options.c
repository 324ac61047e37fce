/* The command line of `rondo trace`. */
#include "trace_options.h"

#include "exec.h"
#include "options.h"

#include <stdio.h>

static const char usage[] =
    "usage: rondo trace [options] script.js [arguments]\n"
    "       rondo trace [options] -- program [arguments]\n"
    "       rondo trace [options] file.rtrace... | -\n"
    "       rondo trace --compare before.rtrace after.rtrace\n"
    "       rondo trace [options] --attach PID\n"
    "\n"
    "Runs a script, or a program that uses libuv on Rondo's library, and shows what its\n"
    "event loops did: every turn, phase, callback, tick and microtask. Or shows what "
    "was\n"
    "recorded before, with --keep or RONDO_TRACE; or looks at a process that runs "
    "already,\n"
    "from outside: any program with libuv, many times a second. Without an option for\n"
    "the form, that is a picture: one HTML file, to be opened in a browser.\n";

enum { BAD_ARGUMENT = 9 };

/* Where options stand: before the first operand, or between operands. */
enum place { AHEAD, BETWEEN };

static int attach_options_check(const struct command_line* line, struct options* options,
                                bool is_last) {
  if (!is_last)
    return options_refuse(line, "--attach looks at a process: it takes no program", "");
  if (options->keep || options->turns || options->form == COMPARISON)
    return options_refuse(line,
                          "nothing is recorded with --attach, it is sampled: it takes no "
                          "--keep, --turns or --compare",
                          "");
  options->for_ns = options->for_ns == 0 ? 10000000000 : options->for_ns;
  options->every_ns = options->every_ns == 0 ? 10000000 : options->every_ns;
  return OPTIONS_GOOD;
}

/* Returns OPTIONS_GOOD, or the exit code to end with. *at is the index of the first
 * operand, or the number of operands. */
static int table_read(struct options* options, enum place place, int argc, char** argv,
                      int* at) {
  int* form = &options->form;
  const struct option table[] = {
      option_one_of("--text", form, TEXT, "a summary in words, on standard error"),
      {.name = "--turns",
       .one_of = form,
       .chosen = TEXT,
       .flag = &options->turns,
       .help = "the same, and every turn"},
      option_one_of("--json", form, JSON, "Chrome's trace events, for ui.perfetto.dev"),
      option_one_of("--compare", form, COMPARISON,
                    "what got slower from one recording to the other, in words"),
      {.name = "--output",
       .letter = "-o",
       .value = "FILE",
       .text = &options->output,
       .help = "where it goes; - is standard output"},
      option_flag("--keep", &options->keep,
                  "also keep the recording: rondo-trace-PID.rtrace"),
      option_time("--from", &options->from_ns, 0, 0,
                  "show only what is later, such as 1.2s"),
      option_time("--to", &options->to_ns, 0, 0,
                  "show only what is earlier, such as 1250ms"),
      option_size("--limit", &options->limit,
                  "of a process's recording, such as 64M or 2G; 256M by default"),
      option_choice("--backend", "uring|epoll", &options->backend,
                    "what the loops sleep on"),
      option_count("--attach", &options->attach, 1, INT32_MAX,
                   "the number of a process to look at, whoever started it"),
      option_time("--for", &options->for_ns, 1000000, 3600000000000,
                  "how long; 10s by default"),
      option_time("--every", &options->every_ns, 1000000, 1000000000,
                  "how often; every 10ms by default"),
      option_flag("--verbose", &options->verbose,
                  "report which libuv a program has, and how it got it"),
      {0}};
  const struct command_line line = {
      .name = "rondo trace", .usage = usage, .options = table, .refusal = BAD_ARGUMENT};
  int code = place == AHEAD ? options_read(&line, argc, argv, at, &options->program)
                            : options_gather(&line, at, argv);
  if (code != OPTIONS_GOOD)
    return code;
  if (options->from_ns >= options->to_ns)
    return options_refuse(&line, "--from is not before --to: nothing is in between", "");
  if (options->attach != 0)
    return attach_options_check(&line, options, place == AHEAD && *at >= argc);
  if (options->for_ns != 0 || options->every_ns != 0)
    return options_refuse(&line, "--for and --every belong to --attach PID", "");
  if (place == AHEAD && *at >= argc)
    return options_refuse(&line, "which script or program?", "");
  if (place == BETWEEN && options->form == COMPARISON && *at != 2)
    return options_refuse(&line, "--compare needs two recordings, before and after", "");
  return OPTIONS_GOOD;
}

int trace_options_read(struct options* options, int argc, char** argv) {
  int next = 1;
  options->to_ns = UINT64_MAX;
  int code = table_read(options, AHEAD, argc, argv, &next);
  if (code != OPTIONS_GOOD)
    return -code;
  if (!exec_set_backend(options->backend) || (options->verbose && !exec_set_verbose())) {
    fputs("rondo: no memory\n", stderr);
    return -1;
  }
  return next;
}

int trace_options_gather(struct options* options, int* count, char** argv) {
  int code = table_read(options, BETWEEN, *count, argv, count);
  return code == OPTIONS_GOOD ? 0 : code;
}
