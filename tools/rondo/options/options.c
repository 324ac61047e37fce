/* Reads command lines by a table: see options.h. */
#include "options.h"

#include "values.h"
#include "base/words.h"

#include <stdio.h>
#include <string.h>

enum { NAMES_MOST = 64, OPTION_NAME_SIZE = 64 };

/* --- rows of a table ------------------------------------------------------------------
 */

struct option option_flag(const char* name, bool* flag, const char* help) {
  return (struct option){.name = name, .flag = flag, .help = help};
}

struct option option_one_of(const char* name, int* one_of, int chosen, const char* help) {
  return (struct option){.name = name, .one_of = one_of, .chosen = chosen, .help = help};
}

struct option option_time(const char* name, uint64_t* ns, uint64_t least, uint64_t most,
                          const char* help) {
  return (struct option){.name = name,
                         .value = "TIME",
                         .time_ns = ns,
                         .least = least,
                         .most = most,
                         .help = help};
}

struct option option_size(const char* name, uint64_t* size, const char* help) {
  return (struct option){
      .name = name, .value = "SIZE", .size = size, .least = 1, .help = help};
}

struct option option_count(const char* name, uint64_t* count, uint64_t least,
                           uint64_t most, const char* help) {
  return (struct option){.name = name,
                         .value = "N",
                         .count = count,
                         .least = least,
                         .most = most,
                         .help = help};
}

struct option option_text(const char* name, const char* value, const char** text,
                          const char* help) {
  return (struct option){.name = name, .value = value, .text = text, .help = help};
}

struct option option_choice(const char* name, const char* words, const char** choice,
                            const char* help) {
  return (struct option){.name = name, .value = words, .choice = choice, .help = help};
}

/* --- refusals -------------------------------------------------------------------------
 */

int options_refuse(const struct command_line* line, const char* problem,
                   const char* argument) {
  fprintf(stderr, "%s: %s%s (%s --help)\n", line->name, problem, argument, line->name);
  return line->refusal;
}

/* "rondo exec: --stall 50: problem (rondo exec --help)" */
static int value_refuse(const struct command_line* line, const struct option* option,
                        const char* text, const char* problem) {
  fprintf(stderr, "%s: %s %s: %s (%s --help)\n", line->name, option->name, text, problem,
          line->name);
  return line->refusal;
}

/* --- values ---------------------------------------------------------------------------
 */

static int value_refuse_bare(const struct command_line* line, const struct option* option,
                             const char* text) {
  bool time = option->time_ns != NULL;
  fprintf(stderr, "%s: %s %s: %s%s or %s%s?\n", line->name, option->name, text, text,
          time ? "ms" : "k", text, time ? "s" : "M");
  return line->refusal;
}

static bool is_within(const struct option* option, uint64_t value) {
  return value >= option->least && (option->most == 0 || value <= option->most);
}

static int value_refuse_range(const struct command_line* line,
                              const struct option* option, const char* text) {
  char least[VALUE_TEXT_SIZE], most[VALUE_TEXT_SIZE], problem[2 * VALUE_TEXT_SIZE + 32];
  const char* (*write)(char*, uint64_t) =
      option->time_ns != NULL ? value_time_text : value_size_text;
  write(least, option->least);
  write(most, option->most);
  snprintf(problem, sizeof(problem), option->most == 0 ? "at least %s" : "from %s to %s",
           least, most);
  return value_refuse(line, option, text, problem);
}

static int quantity_take(const struct command_line* line, const struct option* option,
                         const char* text) {
  uint64_t value;
  bool time = option->time_ns != NULL;
  enum value_reading reading = time ? value_time(text, &value) : value_size(text, &value);
  if (reading == VALUE_BARE)
    return value_refuse_bare(line, option, text);
  if (reading == VALUE_BAD)
    return value_refuse(line, option, text,
                        time ? "no such time, as 50ms, 1.5s and 1m30s are"
                             : "no such size, as 512k, 64M and 2G are");
  if (!is_within(option, value))
    return value_refuse_range(line, option, text);
  *(time ? option->time_ns : option->size) = value;
  return OPTIONS_GOOD;
}

static int count_take(const struct command_line* line, const struct option* option,
                      const char* text) {
  char problem[96];
  uint64_t value;
  if (value_count(text, &value) && is_within(option, value)) {
    *option->count = value;
    return OPTIONS_GOOD;
  }
  snprintf(problem, sizeof(problem), "a number from %llu to %llu is expected",
           (unsigned long long) option->least,
           (unsigned long long) (option->most == 0 ? UINT64_MAX : option->most));
  return value_refuse(line, option, text, problem);
}

static int choice_take(const struct command_line* line, const struct option* option,
                       const char* text) {
  char problem[96];
  size_t length = strlen(text);
  for (const char* word = option->value; *word != '\0';) {
    size_t word_length = strcspn(word, "|");
    if (word_length == length && memcmp(word, text, length) == 0) {
      *option->choice = text;
      return OPTIONS_GOOD;
    }
    word += word_length + (word[word_length] == '|');
  }
  snprintf(problem, sizeof(problem), "one of %s is expected", option->value);
  return value_refuse(line, option, text, problem);
}

static int value_take(const struct command_line* line, const struct option* option,
                      const char* text) {
  if (option->time_ns != NULL || option->size != NULL)
    return quantity_take(line, option, text);
  if (option->count != NULL)
    return count_take(line, option, text);
  if (option->choice != NULL)
    return choice_take(line, option, text);
  if (option->take != NULL && !option->take(text, option->into))
    return value_refuse(line, option, text, option->problem);
  if (option->text != NULL && *text == '\0' && !option->blank)
    return options_refuse(line, "a value is missing after ", option->name);
  if (option->text != NULL)
    *option->text = text;
  return OPTIONS_GOOD;
}

/* --- options --------------------------------------------------------------------------
 */

static bool is_option(const char* argument) {
  return argument[0] == '-' && argument[1] != '\0';
}

static bool is_help(const char* argument) {
  return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

/* The option that the first `length` letters of an argument name, or NULL. */
static const struct option* option_find(const struct command_line* line,
                                        const char* argument, size_t length) {
  for (const struct option* option = line->options; option->name != NULL; option++) {
    if ((strlen(option->name) == length && memcmp(option->name, argument, length) == 0) ||
        (option->letter != NULL && strlen(option->letter) == length &&
         memcmp(option->letter, argument, length) == 0))
      return option;
  }
  return NULL;
}

static int option_unknown(const struct command_line* line, const char* argument,
                          size_t length) {
  const char* names[NAMES_MOST] = {"--help"};
  char name[OPTION_NAME_SIZE];
  size_t count = 1;
  for (const struct option* option = line->options; option->name != NULL; option++) {
    if (count + 1 < NAMES_MOST)
      names[count++] = option->name;
  }
  snprintf(name, sizeof(name), "%.*s", (int) length, argument);
  const char* meant = nearest_word(name, names);
  if (meant == NULL)
    return options_refuse(line, "bad option: ", argument);
  fprintf(stderr, "%s: bad option: %s; did you mean %s?\n", line->name, argument, meant);
  return line->refusal;
}

/* The option at argv[*next]; *next moves to its value if that is an argument of its own.
 */
static int option_take(const struct command_line* line, int argc, char** argv,
                       int* next) {
  const char* argument = argv[*next];
  const char* equals = strncmp(argument, "--", 2) == 0 ? strchr(argument, '=') : NULL;
  size_t length = equals == NULL ? strlen(argument) : (size_t) (equals - argument);
  if (is_help(argument)) {
    options_help(line);
    return 0;
  }
  const struct option* option = option_find(line, argument, length);
  if (option == NULL)
    return option_unknown(line, argument, length);
  const char* text = equals == NULL ? NULL : equals + 1;
  if (text != NULL && option->value == NULL)
    return value_refuse(line, option, text, "the option has no value");
  if (text == NULL && option->value != NULL && !option->optional) {
    if (*next + 1 >= argc)
      return options_refuse(line, "a value is missing after ", argument);
    text = argv[++*next];
  }
  int code = text == NULL ? OPTIONS_GOOD : value_take(line, option, text);
  if (code == OPTIONS_GOOD && option->flag != NULL)
    *option->flag = true;
  if (code == OPTIONS_GOOD && option->one_of != NULL)
    *option->one_of = option->chosen;
  return code;
}

int options_read(const struct command_line* line, int argc, char** argv, int* next,
                 bool* dashes) {
  for (; *next < argc && is_option(argv[*next]); ++*next) {
    if (strcmp(argv[*next], "--") == 0) {
      ++*next;
      if (dashes != NULL)
        *dashes = true;
      break;
    }
    int code = option_take(line, argc, argv, next);
    if (code != OPTIONS_GOOD)
      return code;
  }
  return OPTIONS_GOOD;
}

int options_gather(const struct command_line* line, int* count, char** argv) {
  int operands = 0, next = 0;
  bool dashes = false;
  while (next < *count) {
    int code = dashes ? OPTIONS_GOOD : options_read(line, *count, argv, &next, &dashes);
    if (code != OPTIONS_GOOD)
      return code;
    if (next < *count)
      argv[operands++] = argv[next++];
  }
  *count = operands;
  return OPTIONS_GOOD;
}

/* --- help -----------------------------------------------------------------------------
 */

enum { HEAD_MOST = 22, COLUMNS = 88 };

static int head_write(char* head, const struct option* option) {
  bool valued = option->value != NULL;
  return snprintf(head, 128, "%s%s%s%s%s%s", option->letter == NULL ? "" : option->letter,
                  option->letter == NULL ? "" : ", ", option->name,
                  option->optional ? "[="
                  : valued         ? " "
                                   : "",
                  valued ? option->value : "", option->optional ? "]" : "");
}

/* Where the explanations begin: behind the longest of the heads that aren't too long. */
static int help_column(const struct command_line* line) {
  char head[128];
  int column = (int) strlen("-h, --help");
  for (const struct option* option = line->options; option->name != NULL; option++) {
    int length = head_write(head, option);
    if (option->help != NULL && length > column && length <= HEAD_MOST)
      column = length;
  }
  return column + 4;
}

/* Writes one option, its explanation broken into lines between words. */
static void help_write(const char* head, const char* help, int column) {
  int at = printf("  %s", head);
  if (at + 2 > column) {
    putchar('\n');
    at = 0;
  }
  at += printf("%*s", column - at, "");
  for (bool first = true; *help != '\0'; first = false) {
    int length = (int) strcspn(help, " ");
    if (!first && at + 1 + length > COLUMNS)
      at = printf("\n%*s", column, "") - 1;
    else if (!first)
      at += printf(" ");
    at += printf("%.*s", length, help);
    help += length + (help[length] == ' ');
  }
  putchar('\n');
}

void options_help(const struct command_line* line) {
  char head[128];
  int column = help_column(line);
  fputs(line->usage, stdout);
  putchar('\n');
  for (const struct option* option = line->options; option->name != NULL; option++) {
    head_write(head, option);
    if (option->help != NULL)
      help_write(head, option->help, column);
  }
  help_write("-h, --help", "print this", column);
  if (line->remark != NULL)
    printf("\n%s", line->remark);
}
