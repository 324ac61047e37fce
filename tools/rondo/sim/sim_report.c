/* The report on a finding, for a person to read and to paste. */
#include "sim_find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINES_SHOWN = 30, DECISIONS_SHOWN = 20 };

void sim_time_words(uint64_t ns, char* words, size_t size) {
  double seconds = (double) ns / 1e9;
  if (ns < 1000000)
    snprintf(words, size, "%.0f us", seconds * 1e6);
  else if (ns < WORLD_SECOND)
    snprintf(words, size, "%.3g ms", seconds * 1e3);
  else if (seconds < 120)
    snprintf(words, size, "%.3g s", seconds);
  else if (seconds < 7200)
    snprintf(words, size, "%.0f min", seconds / 60);
  else
    snprintf(words, size, "%.1f h", seconds / 3600);
}

void sim_date_words(uint64_t seconds, char* words, size_t size) {
  time_t date = (time_t) seconds;
  struct tm fields;
  if (gmtime_r(&date, &fields) == NULL ||
      strftime(words, size, seconds % 86400 == 0 ? "%Y-%m-%d" : "%Y-%m-%dT%H:%M:%SZ",
               &fields) == 0)
    words[0] = '\0';
}

static void output_show(const struct sim_run* run) {
  const char* end = run->output + run->output_size;
  const char* start = end;
  int lines = 0;
  while (start > run->output && lines <= LINES_SHOWN) {
    start--;
    lines += start > run->output && start[-1] == '\n';
  }
  if (start == end)
    return;
  printf("\nIts output%s:\n\n", start > run->output ? ", the end of it" : "");
  while (start < end) {
    size_t length = strcspn(start, "\n");
    printf("    %.*s\n", (int) length, start);
    start += length + (start[length] == '\n');
  }
}

/* For other decisions the words say everything. */
static bool is_delay(const struct sim_decision* decision) {
  return strchr(decision->key, '/') != NULL && /* not a choice */
         strstr(decision->key, "/fault/") == NULL &&
         strstr(decision->key, "/read/") == NULL &&
         strstr(decision->key, "/compute/") == NULL &&
         strstr(decision->key, "/write/") == NULL;
}

static void decisions_show(const struct sim_run* run) {
  size_t shown =
      run->decision_count < DECISIONS_SHOWN ? run->decision_count : DECISIONS_SHOWN;
  for (size_t i = 0; i < shown; i++) {
    char at[32], value[32];
    const struct sim_decision* decision = &run->decisions[i];
    sim_time_words(decision->at, at, sizeof(at));
    sim_time_words(decision->value, value, sizeof(value));
    printf("  - at %s: %s%s%s%s\n", at, decision->words, is_delay(decision) ? " (" : "",
           is_delay(decision) ? value : "", is_delay(decision) ? ")" : "");
  }
  if (shown < run->decision_count)
    printf("  - and %zu more\n", run->decision_count - shown);
}

void sim_find_command(const struct sim_options* options, const struct sim_run* run,
                      const char* command) {
  char date[32];
  char* choices = NULL;
  sim_date_words(options->plan.wall_start, date, sizeof(date));
  if (run->is_systematic)
    choices = sim_choices_text(run->choices, run->choice_count);
  if (choices != NULL)
    printf("    rondo %s --choices %s --date %s", command, choices, date);
  else
    printf("    rondo %s --seed %llu --date %s", command, (unsigned long long) run->seed,
           date);
  free(choices);
  if (options->faults != NULL)
    printf(options->faults[0] == '\0' ? " --faults%s" : " --faults=%s", options->faults);
  if (options->plan.expire)
    printf(" --expire");
  if (options->plan.longest_ns != 0)
    printf(" --longest %gms", (double) options->plan.longest_ns / 1e6);
  if (options->plan.match != NULL && strcmp(command, "sim") == 0)
    printf(" --match '%s'", options->plan.match);
  if (!options->plan.script)
    printf(" --");
  for (char** argument = options->plan.argv + options->plan.script; *argument != NULL;
       argument++) {
    bool plain = strpbrk(*argument, " \t\n\"'$&|;<>()*?[]\\`") == NULL;
    printf(plain ? " %s" : " '%s'", *argument);
  }
  printf("\n");
}

void sim_find_report(const struct sim_options* options,
                     const struct sim_finding* finding) {
  const struct sim_run* run = &finding->run;
  const struct sim_run* small = sim_find_smallest(finding);
  char words[160];
  sim_run_outcome_words(run, words, sizeof(words));
  if (run->is_systematic)
    printf("\nFound by choices: %s.\n", words);
  else
    printf("\nFound with seed %llu: %s.\n", (unsigned long long) run->seed, words);
  if (finding->fails_anyway) {
    printf("It fails without any decision, too: in virtual time alone.\n");
  } else if (!finding->is_proved) {
    printf("It did not fail again with the same seed: not everything that the program "
           "does is in the simulator's hands.\n");
  } else {
    if (run->is_systematic)
      printf("It takes %zu choice%s:\n\n", small->decision_count,
             small->decision_count == 1 ? "" : "s");
    else
      printf("It takes %zu of %zu decisions:\n\n", small->decision_count,
             run->decision_count);
    decisions_show(small);
  }
  if (finding->story != NULL)
    printf("\nFails when %s.\n", finding->story);
  if (!finding->repeats) {
    printf("\nNot deterministic: two runs with this seed differ from decision %zu on",
           finding->differs_at + 1);
    const char* differs = finding->differs_words[0] != NULL ? finding->differs_words[0]
                                                            : finding->differs_words[1];
    if (differs != NULL)
      printf(" (%s)", differs);
    printf(".\n");
  }
  output_show(small->output != NULL ? small : run);
  printf("\nAgain:\n\n");
  sim_find_command(options, run, "sim");
  if (options->faults == NULL && !options->plan.expire) { /* it knows no faults */
    printf("\nOne callback after the other, and back:\n\n");
    sim_find_command(options, run, "step");
  }
  if (finding->kept_failing != NULL)
    printf("\nRecordings, for rondo trace and rondo trace --compare:\n\n    %s\n",
           finding->kept_failing);
  if (finding->kept_passing != NULL)
    printf("    %s\n", finding->kept_passing);
  fflush(stdout);
}
