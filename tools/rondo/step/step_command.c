/* The command: starts the program in a world that stands still behind each step. */
#include "step_command.h"

#include "exec.h"
#include "options.h"
#include "sim_command.h"
#include "sim_folder.h"
#include "step.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOTHING_SHOWN = 2 };

static const char usage[] =
    "usage: rondo step [options] script.js [arguments]\n"
    "       rondo step [options] -- program [arguments]\n"
    "\n"
    "Walks through a program, one callback after the other, forwards and backwards, and\n"
    "shows what is in every queue of its loop. Time stands still meanwhile.\n";

static const char remark[] =
    "Commands come from the terminal, or from a pipe; \"help\" lists them.\n"
    "The exit status is 0 unless nothing could be shown (2).\n";

struct step_options {
  struct sim_options sim;
  const char* film;
  uint64_t outcomes, port;
  bool json, web;
};

enum { OUTCOMES = 8, OUTCOMES_MOST = 100, PORT_MOST = 65535 };

static int step_options_read(struct step_options* options, int argc, char** argv,
                             int* next) {
  struct sim_plan* plan = &options->sim.plan;
  bool program = false;
  const struct option table[] = {
      {.name = "--seed",
       .value = "S",
       .count = &options->sim.first_seed,
       .flag = &options->sim.seed_given,
       .help = "the schedule that rondo sim found with this seed; unless given, nothing "
               "is late and computing takes no time"},
      {.name = "--choices",
       .value = "LIST",
       .take = sim_choices_take,
       .into = &options->sim,
       .problem = "no list such as 7:2,11:1, nor -, nor @ and a file of saved choices",
       .help = "the schedule of these choices, as rondo orders and \"choose\" name them; "
               "@FILE: those that \"save\" has written"},
      option_text("--input", "FILE", &plan->input,
                  "the program's standard input; empty unless given"),
      option_text("--film", "FILE", &options->film,
                  "write all steps as a page that needs nothing else"),
      option_count("--outcomes", &options->outcomes, 1, OUTCOMES_MOST,
                   "so many other outcomes in the film at most, 8 unless given; 1: this "
                   "run alone"),
      option_flag("--web", &options->web,
                  "the same as a page, live, at an address of this machine"),
      option_count("--port", &options->port, 0, PORT_MOST,
                   "of that address; any that is free unless given"),
      option_flag("--json", &options->json, "write all steps, one JSON object in a line"),
      {.name = "--date",
       .value = "DATE",
       .take = sim_date_take,
       .into = &plan->wall_start,
       .problem = sim_date_problem,
       .help = "when the run begins, in UTC; the coming midnight unless given"},
      option_time("--longest", &plan->longest_ns, 1, 0,
                  "no delay is longer, as with rondo sim"),
      option_time("--timeout", &plan->limit_ns, 1, 0,
                  "end when so much virtual time has passed"),
      option_time("--patience", &plan->patience_ns, 1, 0,
                  "give up after so much real time without a step, 60s unless given"),
      {0}};
  const struct command_line line = {.name = "rondo step",
                                    .usage = usage,
                                    .remark = remark,
                                    .options = table,
                                    .refusal = NOTHING_SHOWN};
  int code = options_read(&line, argc, argv, next, &program);
  if (code == OPTIONS_GOOD && *next >= argc)
    code = options_refuse(&line, "which script or program?", "");
  if (code == OPTIONS_GOOD && options->sim.seed_given && options->sim.choices != NULL)
    code =
        options_refuse(&line, "a schedule is that of a seed or of choices, not both", "");
  if (code == OPTIONS_GOOD && plan->input != NULL && access(plan->input, R_OK) != 0)
    code = options_refuse(&line, "this file can't be read:", plan->input);
  plan->script = !program;
  plan->steps = true;
  return code;
}

static int step_run(const struct step_options* options, const char* title,
                    const volatile sig_atomic_t* stop) {
  struct step_world world;
  int code = 0;
  const struct step_schedule schedule = {.is_drawn = options->sim.seed_given,
                                         .seed = options->sim.first_seed,
                                         .choices = options->sim.choices,
                                         .count = options->sim.choice_count};
  if (!step_world_start(&world, &options->sim, &schedule, stop)) {
    step_world_end(&world);
    return NOTHING_SHOWN;
  }
  if (options->json || options->film != NULL) {
    if (options->json) {
      step_world_run(&world);
      step_json(&world);
    }
    if (options->film != NULL &&
        !step_film(&world, options->film, title, (unsigned int) options->outcomes))
      code = NOTHING_SHOWN;
  } else if (options->web)
    code = step_web(&world, title, (unsigned int) options->port);
  else
    code = step_terminal(&world);
  if (world.record.count == 0) {
    fputs("rondo step: the program had no step: it ran no loop of Rondo's\n", stderr);
    code = NOTHING_SHOWN;
  } else if (world.is_lost)
    fputs("rondo step: some steps couldn't be written: there is not enough memory\n",
          stderr);
  step_world_end(&world);
  return code;
}

int step_main(int argc, char** argv) {
  struct step_options options = {.outcomes = OUTCOMES};
  int next = 1;
  sim_options_defaults(&options.sim);
  int code = step_options_read(&options, argc, argv, &next);
  if (code != OPTIONS_GOOD)
    return code;
  const char* title = argv[next];
  const volatile sig_atomic_t* stop = sim_prepare("step", &options.sim, argv, next);
  if (stop == NULL)
    return NOTHING_SHOWN;
  exec_report_origins();
  if (!options.sim.plan.script) {
    options.sim.plan.argv = exec_name_functions(options.sim.plan.argv);
    exec_report_queues(); /* Node calls hooks in the order of the scripts */
  }
  code = step_run(&options, title, stop);
  sim_options_free(&options.sim);
  sim_folder_guard_end();
  return code;
}
