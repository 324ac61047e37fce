/* Command lines. A command has a table of its options; the table says where a value is
 * stored, what it may be and what the help says. All commands read their options here, so
 * that a time, a size, a mistyped option and a missing value are the same in each. */
#ifndef RONDO_TOOL_OPTIONS_H
#define RONDO_TOOL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct option {
  const char* name;   /* as in "--output" */
  const char* letter; /* as in "-o", or NULL */
  const char* value;  /* the value's name in the help; NULL: the option has no value */
  bool optional;      /* the value may be missing, and comes only behind "=" */
  const char* help;   /* NULL: the help doesn't list the option */

  bool* flag;          /* set when the option is given, with or without a value */
  int *one_of, chosen; /* *one_of becomes `chosen`: of several options the last counts */
  uint64_t* time_ns;   /* between `least` and `most`, as the next two */
  uint64_t* size;
  uint64_t* count;
  uint64_t least, most; /* most 0: no limit */
  const char** text;
  bool blank;          /* the text may be empty */
  const char** choice; /* one of the words of `value`, which `|` separates */
  /* Other values: false, and the error is `problem`, if the text isn't one. */
  bool (*take)(const char* text, void* into);
  void* into;
  const char* problem;
};

/* Rows of a table for the usual kinds; a bound `most` of 0 is none. A row of another
 * kind, or with more to it, is written out. */
struct option option_flag(const char* name, bool* flag, const char* help);
struct option option_one_of(const char* name, int* one_of, int chosen, const char* help);
struct option option_time(const char* name, uint64_t* ns, uint64_t least, uint64_t most,
                          const char* help);
struct option option_size(const char* name, uint64_t* size, const char* help);
struct option option_count(const char* name, uint64_t* count, uint64_t least,
                           uint64_t most, const char* help);
struct option option_text(const char* name, const char* value, const char** text,
                          const char* help);
struct option option_choice(const char* name, const char* words, const char** choice,
                            const char* help);

struct command_line {
  const char* name;   /* as in "rondo exec" */
  const char* usage;  /* how it is called and what for: the help before the options */
  const char* remark; /* the help behind the options, or NULL */
  const struct option* options; /* ends with a name of NULL; --help is not part of it */
  int refusal;                  /* the exit code for a bad command line */
};

enum { OPTIONS_GOOD = -1 };

/* Reads options up to the first operand, from argv[*next] on, and moves *next there. `--`
 * ends them, too, and is left behind; *dashes, unless NULL, is set then. Returns
 * OPTIONS_GOOD, or the exit code to end with, after the help or an error. */
int options_read(const struct command_line* line, int argc, char** argv, int* next,
                 bool* dashes);

/* Reads options between operands, up to `--`. The operands are moved to the front of
 * argv, and *count becomes their number. Returns as options_read. */
int options_gather(const struct command_line* line, int* count, char** argv);

/* Reports what is wrong with a command line; `argument` may be "". Returns the exit code.
 */
int options_refuse(const struct command_line* line, const char* problem,
                   const char* argument);

/* Writes the help to standard output. */
void options_help(const struct command_line* line);

#endif
