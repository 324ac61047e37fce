/* All steps as JSON, one object in a line: for tests, and for other programs. */
#include "step.h"

#include "sim_json.h"

#include <string.h>

static void json_field(const char* key, const char* text) {
  printf(",\"%s\":", key);
  sim_json_text(text, strlen(text));
}

static void json_step(const struct step_world* world, size_t index) {
  const struct step* step = &world->record.steps[index];
  uint64_t before = index == 0 ? 0 : world->record.steps[index - 1].output;
  uint64_t most = world->output_size;
  uint64_t from = before > most ? most : before;
  uint64_t to = step->output > most ? most : step->output;
  char function[1024], file[1024];
  unsigned int line;
  printf("{\"step\":%llu,\"what\":\"%s\",\"process\":\"%s\",\"loop\":%u,\"atNs\":%llu,"
         "\"turn\":%llu,\"phase\":\"%s\",\"depth\":%u",
         (unsigned long long) index + 1, step_kind_word(step->kind), step->process,
         step->loop, (unsigned long long) step->at, (unsigned long long) step->turn,
         step->phase, step->depth);
  if (step_place(step, function, file, sizeof(file), &line)) {
    json_field("name", function);
    json_field("file", file);
    printf(",\"line\":%u", line);
  } else
    json_field("name", step->name);
  json_field("subject", step->subject);
  if (step->closes)
    printf(",\"closes\":true");
  if (step_is_own(&world->record, index))
    printf(",\"own\":true");
  if (step->by != 0)
    printf(",\"by\":%llu", step_shown(&world->record, step->by));
  if (step->of != 0)
    printf(",\"of\":%llu", step_shown(&world->record, step->of));
  if (step->kind == STEP_SLEEP && step->timeout >= 0)
    printf(",\"forNs\":%lld", (long long) step->timeout);
  printf(",\"printed\":");
  sim_json_text(world->output == NULL ? "" : world->output + from,
                to > from ? (size_t) (to - from) : 0);
  printf(",\"queues\":%s}\n", step->queues);
}

void step_json(const struct step_world* world) {
  char outcome[160];
  const struct step_record* record = &world->record;
  for (size_t i = 0; i < record->count; i++)
    json_step(world, i);
  uint64_t shown = record->count == 0 ? 0 : record->steps[record->count - 1].output;
  step_world_outcome(world, outcome, sizeof(outcome));
  printf("{\"what\":\"outcome\"");
  json_field("outcome", outcome);
  printf(",\"complete\":%s,\"printed\":",
         world->is_over && !world->is_lost ? "true" : "false");
  if (world->output != NULL && shown < world->output_size)
    sim_json_text(world->output + shown, world->output_size - (size_t) shown);
  else
    printf("\"\"");
  printf("}\n");
}
