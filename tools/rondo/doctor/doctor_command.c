/* `rondo doctor [program]`: what this machine allows, and what is done without the rest;
 * with a program, whether it can be put on Rondo and looked into. A report of a bug
 * begins with what this prints. */
#include "doctor_command.h"
#include "doctor.h"
#include "options.h"
#include "trace_write.h"

#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "usage: rondo doctor [options] [program]\n"
    "\n"
    "Shows what this machine allows: the kernel's features (since when, what is done\n"
    "without them, who forbids them), limits and settings, the backend and why. With a\n"
    "program: whether it would run on Rondo, and whether its stacks can be read. "
    "Nothing\n"
    "is changed, and the program isn't run.\n";

enum { BAD_ARGUMENT = 9, NOT_FOUND = 127 };

struct report {
  struct doctor_facts facts;
  struct doctor_result* results; /* one for each feature */
  const char* name;              /* of the program, or NULL */
  struct doctor_program program;
};

static struct report report; /* large */

/* --- text ----------------------------------------------------------------------------
 */

static void print_facts(void) {
  for (size_t i = 0; i < report.facts.count; i++) {
    const struct doctor_fact* fact = &report.facts.list[i];
    printf("  %-24s %s\n", fact->name, fact->text);
    if (fact->worry[0] != '\0')
      printf("  %-24s ! %s\n", "", fact->worry);
  }
}

static void print_features(void) {
  for (size_t i = 0; i < doctor_feature_count; i++) {
    const struct doctor_feature* feature = &doctor_features[i];
    const struct doctor_result* result = &report.results[i];
    printf("  %-9s  %-32s %-7s %s\n", doctor_state_word(result->state), feature->name,
           feature->since, feature->use);
    if (result->state != DOCTOR_WORKS)
      printf("  %-9s  ! %s\n  %-9s  without it: %s\n", "", result->by, "",
             feature->without);
  }
}

static void print_program(void) {
  const struct doctor_program* program = &report.program;
  printf("\nthe program %s\n", report.name);
  if (!program->found) {
    printf("  there is no such program\n");
    return;
  }
  printf("  %-24s %s%s\n", "file", program->look.program,
         program->look.is_script ? " (the program is a script: this runs it)" : "");
  printf("  %-24s %s\n", "runs on Rondo", program->adopted ? "yes" : "no");
  printf("  %-24s %s\n", "why", program->loops);
  printf("  %-24s %s\n", "stacks", program->stacks);
}

static void print_text(void) {
  printf("rondo %s (libuv %s)\n\nthis machine\n", RONDO_RELEASE, RONDO_VERSION);
  print_facts();
  printf("\nfeatures of the kernel (state, name, since Linux, its use)\n");
  print_features();
  if (report.name != NULL)
    print_program();
}

/* --- JSON ----------------------------------------------------------------------------
 */

static void json_text(const char* before, const char* name, const char* text) {
  printf("%s\"%s\":", before, name);
  write_string(stdout, text);
}

static void json_facts(void) {
  printf(",\n\"machine\":[");
  for (size_t i = 0; i < report.facts.count; i++) {
    const struct doctor_fact* fact = &report.facts.list[i];
    json_text(i == 0 ? "\n {" : ",\n {", "name", fact->name);
    json_text(",", "text", fact->text);
    if (fact->worry[0] != '\0')
      json_text(",", "worry", fact->worry);
    putchar('}');
  }
  putchar(']');
}

static void json_features(void) {
  printf(",\n\"features\":[");
  for (size_t i = 0; i < doctor_feature_count; i++) {
    const struct doctor_feature* feature = &doctor_features[i];
    const struct doctor_result* result = &report.results[i];
    json_text(i == 0 ? "\n {" : ",\n {", "name", feature->name);
    json_text(",", "since", feature->since);
    json_text(",", "use", feature->use);
    json_text(",", "without", feature->without);
    json_text(",", "state", doctor_state_word(result->state));
    printf(",\"works\":%s", result->state == DOCTOR_WORKS ? "true" : "false");
    if (result->state != DOCTOR_WORKS)
      json_text(",", "by", result->by);
    if (result->err != 0)
      printf(",\"errno\":%d", result->err);
    putchar('}');
  }
  putchar(']');
}

static void json_program(void) {
  const struct doctor_program* program = &report.program;
  json_text(",\n\"program\":{", "name", report.name);
  printf(",\"found\":%s", program->found ? "true" : "false");
  if (program->found) {
    json_text(",", "file", program->look.program);
    printf(",\"adopted\":%s", program->adopted ? "true" : "false");
    json_text(",", "why", program->loops);
    printf(",\"unwinds\":%s,\"names\":%s", program->can_unwind ? "true" : "false",
           program->has_names ? "true" : "false");
    json_text(",", "stacks", program->stacks);
  }
  putchar('}');
}

static void print_json(void) {
  json_text("{", "rondo", RONDO_RELEASE);
  json_text(",", "libuv", RONDO_VERSION);
  json_facts();
  json_features();
  if (report.name != NULL)
    json_program();
  puts("}");
}

/* --- the command ---------------------------------------------------------------------
 */

static bool examine(void) {
  report.results = calloc(doctor_feature_count, sizeof(*report.results));
  if (report.results == NULL) {
    fputs("rondo doctor: no memory\n", stderr);
    return false;
  }
  for (size_t i = 0; i < doctor_feature_count; i++)
    doctor_try(&doctor_features[i], &report.results[i]);
  doctor_look(&report.facts, &report.results[doctor_rings - doctor_features]);
  if (report.name != NULL)
    doctor_examine(&report.program, report.name);
  return true;
}

int doctor_main(int argc, char** argv) {
  bool json = false;
  const struct option table[] = {option_flag("--json", &json, "the same as JSON"), {0}};
  const struct command_line line = {
      .name = "rondo doctor", .usage = usage, .options = table, .refusal = BAD_ARGUMENT};
  int count = argc - 1;
  int code = options_gather(&line, &count, argv + 1);
  if (code == OPTIONS_GOOD && count > 1)
    code = options_refuse(&line, "one program at a time: ", argv[2]);
  if (code != OPTIONS_GOOD)
    return code;
  report.name = count > 0 ? argv[1] : NULL;
  if (!examine())
    return 1;
  if (json)
    print_json();
  else
    print_text();
  free(report.results);
  if (report.name == NULL)
    return 0;
  return !report.program.found ? NOT_FOUND : report.program.adopted ? 0 : 1;
}
