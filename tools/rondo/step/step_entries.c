/* The queues of a step, taken apart. */
#include "step_show.h"

#include "json_reader.h"

#include <stdlib.h>
#include <string.h>

const char* const step_queue_names[STEP_QUEUE_COUNT + 1] = {
    "timers", "pending", "idle",  "prepare",    "poll",
    "check",  "closing", "ticks", "microtasks", NULL};

static uint64_t entry_number(struct json_reader* reader) {
  struct json_reader begin = *reader;
  (void) json_next(&begin);
  return json_skip(reader) ? strtoull(begin.at, NULL, 10) : 0;
}

static void entry_text(struct json_reader* reader, char* text, size_t size) {
  size_t length;
  char* value = json_string(reader, &length);
  snprintf(text, size, "%.*s", (int) size - 1, value == NULL ? "" : value);
  free(value);
}

struct entry_parts {
  char name[600], handle[64], request[400], function[300], waits[100], where[100];
};

static void entry_key(struct json_reader* reader, const char* key,
                      struct step_entry* entry, struct entry_parts* parts) {
  if (strcmp(key, "name") == 0)
    entry_text(reader, parts->name, sizeof(parts->name));
  else if (strcmp(key, "handle") == 0)
    entry_text(reader, parts->handle, sizeof(parts->handle));
  else if (strcmp(key, "request") == 0)
    entry_text(reader, parts->request, sizeof(parts->request));
  else if (strcmp(key, "fn") == 0)
    entry_text(reader, parts->function, sizeof(parts->function));
  else if (strcmp(key, "waits") == 0)
    entry_text(reader, parts->waits, sizeof(parts->waits));
  else if (strcmp(key, "where") == 0)
    entry_text(reader, parts->where, sizeof(parts->where));
  else if (strcmp(key, "due") == 0) {
    entry->due = entry_number(reader);
    entry->is_timer = true;
  } else if (strcmp(key, "by") == 0)
    entry->by = entry_number(reader);
  else {
    entry->repeats |= strcmp(key, "repeats") == 0;
    entry->unref |= strcmp(key, "unref") == 0;
    entry->engines |= strcmp(key, "engines") == 0;
    (void) json_skip(reader);
  }
}

/* A name with a place is shown as a step's. */
static void entry_words(struct step_entry* entry, const struct entry_parts* parts) {
  if (parts->request[0] != '\0') {
    snprintf(entry->label, sizeof(entry->label), "%s", parts->request);
    snprintf(entry->detail, sizeof(entry->detail), "%s", parts->where);
  } else if (parts->handle[0] != '\0') {
    snprintf(entry->label, sizeof(entry->label), "%s%s%s", parts->handle,
             parts->function[0] == '\0' ? "" : " → ", parts->function);
    if (parts->waits[0] != '\0')
      snprintf(entry->detail, sizeof(entry->detail), "waits for %s", parts->waits);
  } else {
    struct step named = {.name = (char*) (uintptr_t) parts->name, .subject = ""};
    step_title(&named, entry->label, sizeof(entry->label));
  }
  snprintf(entry->handle, sizeof(entry->handle), "%s", parts->handle);
}

static void entries_add(struct step_entries* entries, const struct step_entry* entry) {
  struct step_entry* grown =
      realloc(entries->list, (entries->count + 1) * sizeof(*grown));
  if (grown == NULL)
    return;
  entries->list = grown;
  entries->list[entries->count++] = *entry;
}

static void queue_note_unknown(struct step_entries* entries, const char* queue) {
  for (size_t i = 0; i < STEP_QUEUE_COUNT; i++)
    entries->unknown[i] |= strcmp(step_queue_names[i], queue) == 0;
}

/* A list of entries, or null if it isn't known. */
static void queue_read(struct json_reader* reader, const char* queue,
                       struct step_entries* entries) {
  bool first = true;
  if (!json_take(reader, '[')) {
    (void) json_skip(reader);
    queue_note_unknown(entries, queue);
    return;
  }
  while (json_more(reader, ']', &first)) {
    struct step_entry entry = {0};
    struct entry_parts parts = {0};
    bool first_key = true;
    if (!json_take(reader, '{'))
      return;
    while (json_more(reader, '}', &first_key)) {
      char key[32] = "";
      entry_text(reader, key, sizeof(key));
      if (!json_take(reader, ':'))
        return;
      entry_key(reader, key, &entry, &parts);
    }
    snprintf(entry.queue, sizeof(entry.queue), "%s", queue);
    entry_words(&entry, &parts);
    entries_add(entries, &entry);
  }
}

static void object_read(struct json_reader* reader, struct step_entries* entries,
                        bool is_engine) {
  bool first = true;
  if (!json_take(reader, '{')) {
    (void) json_skip(reader);
    return;
  }
  while (json_more(reader, '}', &first)) {
    char key[32] = "";
    entry_text(reader, key, sizeof(key));
    if (!json_take(reader, ':'))
      return;
    if (!is_engine && strcmp(key, "engine") == 0) {
      entries->has_engine = true;
      object_read(reader, entries, true);
    } else
      queue_read(reader,
                 strcmp(key, "immediates") == 0 ? "check"
                 : strcmp(key, "requests") == 0 ? "poll"
                                                : key,
                 entries);
  }
}

void step_entries_read(struct step_entries* entries, const struct step* step) {
  struct json_reader reader = {step->queues, step->queues + strlen(step->queues)};
  *entries = (struct step_entries){0};
  object_read(&reader, entries, false);
}

void step_entries_free(struct step_entries* entries) {
  free(entries->list);
  entries->list = NULL;
  entries->count = 0;
}

bool step_queue_is_empty(const struct step_entries* entries, const char* queue) {
  for (size_t i = 0; i < STEP_QUEUE_COUNT; i++) {
    if (entries->unknown[i] && strcmp(step_queue_names[i], queue) == 0)
      return false;
  }
  for (size_t i = 0; i < entries->count; i++) {
    if (strcmp(entries->list[i].queue, queue) == 0 && !entries->list[i].engines)
      return false;
  }
  return true;
}
