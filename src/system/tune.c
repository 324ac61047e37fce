/* The setting RONDO_TUNE: see tune.h. */
#include "system/tune.h"

#include "base/base.h"
#include "base/words.h"
#include "system/system.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

unsigned int tune_switched_off;

enum { TUNE_WORD_SIZE = 40 };

static const char every[] = "-all";

/* The order is that of enum tune. */
static const char* const tune_words[] = {"-helper",     "-ring-wait", "-work-spin",
                                         "-async-spin", "-pool-spin", "-sized-reads",
                                         every,         NULL};

static void tune_report(const char* word) {
  char dashed[1 + TUNE_WORD_SIZE];
  snprintf(dashed, sizeof(dashed), "-%s", word);
  const char* meant = nearest_word(*word == '-' ? word : dashed, tune_words);
  debug_report("RONDO_TUNE: %s switches nothing off%s%s%s; the words are -helper, "
               "-ring-wait, -work-spin, -async-spin, -pool-spin, -sized-reads and -all",
               word, meant == NULL ? "" : " (did you mean ", meant == NULL ? "" : meant,
               meant == NULL ? "" : "?)");
}

static unsigned int tune_bits(const char* word) {
  for (unsigned int i = 0; tune_words[i] != NULL; i++) {
    if (strcmp(tune_words[i], word) == 0)
      return tune_words[i] == every ? (1u << TUNE_COUNT) - 1 : 1u << i;
  }
  tune_report(word);
  return 0;
}

_Static_assert(ARRAY_LENGTH(tune_words) == TUNE_COUNT + 2,
               "a word for each mechanism, one for all, and the end");

unsigned int tune_parse(const char* setting) {
  unsigned int off = 0;
  while (*setting != '\0') {
    char word[TUNE_WORD_SIZE];
    size_t length = strcspn(setting, ", ");
    if (length > 0) {
      snprintf(word, sizeof(word), "%.*s", (int) size_min(length, sizeof(word) - 1),
               setting);
      off |= tune_bits(word);
    }
    setting += length + (setting[length] != '\0');
  }
  return off;
}

static void tune_read_setting(void) {
  const char* setting = system_setting("RONDO_TUNE");
  if (setting != NULL)
    tune_switched_off = tune_parse(setting);
}

void tune_read(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, tune_read_setting);
}
