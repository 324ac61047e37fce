/* The report on the outcomes: for a person in 80 columns, or as JSON. */
#include "orders.h"

#include "sim_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 80, OUTPUT_LINES = 12, PAIRS_SHOWN = 20, DECISIONS_SHOWN = 6 };

/* Words, broken into lines that begin with so many blanks. */
static void wrapped(const char* text, int indent) {
  int at = printf("%*s", indent, "");
  while (*text != '\0') {
    int length = (int) strcspn(text, " ");
    if (at > indent && at + 1 + length > WIDTH)
      at = printf("\n%*s", indent, "") - 1;
    if (at > indent)
      at += printf(" ");
    at += printf("%.*s", length, text);
    text += length;
    text += strspn(text, " ");
  }
  printf("\n");
}

static void output_show(const struct sim_run* run, bool by_callbacks) {
  const char* at = run->output;
  const char* end = at == NULL ? NULL : at + run->output_size;
  int lines = 0;
  if (at == end)
    printf("        (%s)\n", by_callbacks ? "no callback" : "it printed nothing");
  for (; at < end && lines < OUTPUT_LINES; lines++) {
    int length = (int) strcspn(at, "\n");
    printf("        %.*s%s\n", length > WIDTH - 9 ? WIDTH - 9 : length, at,
           length > WIDTH - 9 ? "…" : "");
    at += length + 1;
  }
  if (at < end)
    printf("        …\n");
}

static void takes_show(const struct sim_finding* finding) {
  const struct sim_run* small = sim_find_smallest(finding);
  char text[1200];
  if (finding->fails_anyway) {
    wrapped("It comes without any decision, too: the runs without one differ.", 4);
    return;
  }
  if (!finding->is_proved) {
    wrapped(
        "It did not come again with the same seed: not everything that the program does "
        "is in the simulator's hands.",
        4);
    return;
  }
  if (finding->story != NULL) {
    snprintf(text, sizeof(text), "When %s.", finding->story);
    wrapped(text, 4);
  }
  for (size_t i = 0; i < small->decision_count && i < DECISIONS_SHOWN; i++) {
    if (finding->story != NULL && small->decision_count == 1)
      break; /* the sentence says it */
    snprintf(text, sizeof(text), "- %s", small->decisions[i].words);
    wrapped(text, 4);
  }
  if (small->decision_count > DECISIONS_SHOWN)
    printf("    - and %zu more\n", small->decision_count - DECISIONS_SHOWN);
}

static void outcome_show(const struct sim_options* options,
                         const struct outcomes* outcomes, size_t number) {
  const struct outcome* outcome = &outcomes->list[number];
  const struct sim_run* run = &outcome->finding.run;
  char words[160];
  printf("\n%zu.  in %u of %u schedules", number + 1, outcome->count, outcomes->runs);
  if (run->outcome != OUTCOME_PASSED) {
    sim_run_outcome_words(run, words, sizeof(words));
    printf(", %s", words);
  }
  printf("%s\n\n", number == 0 ? "; the one without any decision" : "");
  output_show(run, outcomes->by_callbacks);
  if (number == 0)
    return;
  printf("\n");
  if (options->shrink)
    takes_show(&outcome->finding);
  sim_find_command(options, run, "step");
}

static void line_show(const struct always_line* line) {
  printf("%.*s%s", line->length > 30 ? 30 : (int) line->length, line->text,
         line->length > 30 ? "…" : "");
  if (line->nth > 1)
    printf(" (%u)", line->nth);
}

static void always_show(const struct always* always, size_t outcomes) {
  int shown = 0;
  if (always->too_many) {
    printf("\nToo much was printed for a comparison of its lines.\n");
    return;
  }
  for (size_t i = 0; i < always->count; i++) {
    for (size_t k = 0; k < always->count; k++) {
      if (!always_is_next(always, i, k) || ++shown > PAIRS_SHOWN)
        continue;
      if (shown == 1)
        printf("\nAlways, in what was seen:\n\n");
      printf("    ");
      line_show(&always->lines[i]);
      printf("  before  ");
      line_show(&always->lines[k]);
      printf("\n");
    }
  }
  if (shown > PAIRS_SHOWN)
    printf("    and %d more pairs (--json has all)\n", shown - PAIRS_SHOWN);
  if (shown == 0 && outcomes > 1 && always->count > 1)
    printf("\nNo two lines are always in the same order.\n");
}

static const char* ordinal_end(unsigned int number) {
  unsigned int last = number % 10;
  bool is_teen = number / 10 % 10 == 1;
  return is_teen || last == 0 || last > 3 ? "th"
         : last == 1                      ? "st"
         : last == 2                      ? "nd"
                                          : "rd";
}

void orders_report(const struct sim_options* options, const struct outcomes* outcomes,
                   const struct always* always) {
  const char* plural = outcomes->count == 1 ? "" : "s";
  if (outcomes->part_is_complete && options->shards < 2)
    printf("%s %zu outcome%s: every order was tried, in %u schedule%s.\n",
           outcomes->count == 1 ? "There is" : "These are all", outcomes->count, plural,
           outcomes->runs, outcomes->runs == 1 ? "" : "s");
  else
    printf("%zu outcome%s in %u schedules; the last new one in the %u%s. There may be "
           "more.\n",
           outcomes->count, plural, outcomes->runs, outcomes->last_new,
           ordinal_end(outcomes->last_new));
  for (size_t i = 0; i < outcomes->count; i++)
    outcome_show(options, outcomes, i);
  always_show(always, outcomes->count);
}

/* --- JSON --------------------------------------------------------------------------- */

static void outcome_json(const struct outcome* outcome, bool is_first) {
  const struct sim_finding* finding = &outcome->finding;
  const struct sim_run* small = is_first ? &finding->run : sim_find_smallest(finding);
  char words[160];
  sim_run_outcome_words(&finding->run, words, sizeof(words));
  char* choices = NULL;
  if (finding->run.is_systematic)
    choices = sim_choices_text(finding->run.choices, finding->run.choice_count);
  printf("{\"count\":%u,\"seed\":%llu,", outcome->count,
         (unsigned long long) finding->run.seed);
  if (choices != NULL)
    printf("\"choices\":\"%s\",", choices);
  free(choices);
  printf("\"status\":");
  sim_json_text(words, strlen(words));
  printf(",\"output\":");
  sim_json_text(finding->run.output == NULL ? "" : finding->run.output,
                finding->run.output_size);
  printf(",\"proved\":%s,\"decisions\":[",
         is_first || finding->is_proved ? "true" : "false");
  for (size_t i = 0; i < small->decision_count && !is_first; i++) {
    if (i > 0)
      putchar(',');
    sim_json_text(small->decisions[i].words, strlen(small->decisions[i].words));
  }
  printf("],\"story\":");
  if (finding->story == NULL)
    printf("null");
  else
    sim_json_text(finding->story, strlen(finding->story));
  printf("}");
}

static void line_json(const struct always_line* line) {
  sim_json_text(line->text, line->length);
}

void orders_json(const struct sim_options* options, const struct outcomes* outcomes,
                 const struct always* always) {
  bool is_first = true;
  sim_json_part(options, outcomes->part_is_complete);
  printf("\"by\":\"%s\",", outcomes->by_status      ? "status"
                           : outcomes->by_callbacks ? "callbacks"
                                                    : "output");
  printf("\"schedules\":%u,\"complete\":%s,\"outcomes\":[", outcomes->runs,
         outcomes->part_is_complete && options->shards < 2 ? "true" : "false");
  for (size_t i = 0; i < outcomes->count; i++) {
    printf("%s", i == 0 ? "" : ",");
    outcome_json(&outcomes->list[i], i == 0);
  }
  printf("],\"always\":[");
  for (size_t i = 0; i < always->count; i++) {
    for (size_t k = 0; k < always->count; k++) {
      if (!always->before[i * always->count + k])
        continue;
      printf("%s[", is_first ? "" : ",");
      is_first = false;
      line_json(&always->lines[i]);
      putchar(',');
      line_json(&always->lines[k]);
      putchar(']');
    }
  }
  printf("]}\n");
}
