/* Reads JavaScript as far as it takes to see where functions begin and end: brackets,
 * with strings, templates, comments and regular expressions left out. A bracket "{" is a
 * function's body behind "=>", or behind ")" whose "(" doesn't follow a word such as
 * "if". */
#include "step_source.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 1000, SOURCE_MOST = 8 << 20 };

struct bracket {
  char kind; /* "(", "[", "{", or "`": "${" of a template */
  bool is_function;
  unsigned int head; /* of a function: its first line */
  unsigned int line;
  bool is_control; /* "(" behind "if" and its kin */
};

struct scan {
  const char *at, *end;
  unsigned int line, wanted, found;
  struct bracket stack[DEPTH_MOST];
  unsigned int depth;
  char last; /* the last character that counts; 'a' for a word */
  char word[16];
  unsigned int word_line;
  /* The last bracket "(" that was closed, and whether "=>" came last. */
  struct bracket closed;
  bool is_arrow, is_broken;
};

static bool is_control(const char* word) {
  static const char* const words[] = {"if", "for", "while", "switch", "catch", "with"};
  for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
    if (strcmp(word, words[i]) == 0)
      return true;
  }
  return false;
}

/* Whether "/" begins a regular expression: behind an operator, or a word such as
 * "return". */
static bool may_be_pattern(const struct scan* scan) {
  static const char* const words[] = {"return", "typeof", "case", "in", "of", "await"};
  if (scan->last == ')' || scan->last == ']' || scan->last == '}')
    return scan->last == ')' && scan->closed.is_control;
  if (scan->last != 'a')
    return true;
  for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
    if (strcmp(scan->word, words[i]) == 0)
      return true;
  }
  return false;
}

static void skip_until(struct scan* scan, char quote) {
  bool in_class = false;
  for (scan->at++; scan->at < scan->end; scan->at++) {
    char c = *scan->at;
    scan->line += c == '\n';
    if (c == '\\' && scan->at + 1 < scan->end) {
      scan->at++;
      scan->line += *scan->at == '\n';
    } else if (quote == '/' && (c == '[' || c == ']'))
      in_class = c == '[';
    else if ((c == quote && !in_class) || (c == '\n' && quote != '`'))
      break; /* only templates have lines: otherwise it was none */
  }
  scan->at++;
  scan->last = 'a';
  scan->word[0] = '\0';
}

static void push(struct scan* scan, struct bracket bracket) {
  if (scan->depth == DEPTH_MOST)
    scan->is_broken = true;
  else
    scan->stack[scan->depth++] = bracket;
}

/* Goes on in a template, up to its end or to what is computed in it. */
static void template_go(struct scan* scan) {
  for (; scan->at < scan->end; scan->at++) {
    char c = *scan->at;
    scan->line += c == '\n';
    if (c == '\\' && scan->at + 1 < scan->end) {
      scan->at++;
      scan->line += *scan->at == '\n';
    } else if (c == '`') {
      scan->at++;
      break;
    } else if (c == '$' && scan->at + 1 < scan->end && scan->at[1] == '{') {
      scan->at += 2;
      push(scan, (struct bracket){.kind = '`', .line = scan->line});
      scan->last = '{';
      return;
    }
  }
  scan->last = 'a';
  scan->word[0] = '\0';
}

static void word_take(struct scan* scan) {
  size_t length = 0;
  const char* from = scan->at;
  while (from + length < scan->end &&
         (isalnum((unsigned char) from[length]) || from[length] == '_' ||
          from[length] == '$' || (unsigned char) from[length] >= 0x80))
    length++;
  snprintf(scan->word, sizeof(scan->word), "%.*s",
           length >= sizeof(scan->word) ? 0 : (int) length, from);
  scan->word_line = scan->line;
  scan->at += length;
  scan->last = 'a';
}

static void open_bracket(struct scan* scan, char kind) {
  struct bracket bracket = {.kind = kind, .line = scan->line};
  if (kind == '(')
    bracket.is_control = scan->last == 'a' && is_control(scan->word);
  if (kind == '{' &&
      (scan->is_arrow || (scan->last == ')' && !scan->closed.is_control))) {
    bracket.is_function = true;
    bracket.head = scan->closed.line;
  }
  push(scan, bracket);
  scan->at++;
  scan->last = kind;
}

/* The first function that ends and holds the line is the innermost. */
static void close_bracket(struct scan* scan) {
  scan->last = *scan->at++;
  if (scan->depth == 0)
    return;
  struct bracket bracket = scan->stack[--scan->depth];
  if (bracket.kind == '`') {
    template_go(scan);
    return;
  }
  if (scan->last == ')')
    scan->closed = bracket;
  if (bracket.is_function && scan->found == 0 && bracket.head <= scan->wanted &&
      scan->wanted <= scan->line)
    scan->found = bracket.head;
}

static void scan_one(struct scan* scan) {
  char c = *scan->at;
  char next = scan->at + 1 < scan->end ? scan->at[1] : '\0';
  bool was_arrow = scan->is_arrow;
  if (isspace((unsigned char) c)) {
    scan->line += c == '\n';
    scan->at++;
    return;
  }
  if (c == '/' && next == '/') {
    while (scan->at < scan->end && *scan->at != '\n')
      scan->at++;
    return;
  }
  if (c == '/' && next == '*') {
    for (scan->at += 2; scan->at + 1 < scan->end && memcmp(scan->at, "*/", 2) != 0;
         scan->at++)
      scan->line += *scan->at == '\n';
    scan->at += scan->at + 1 < scan->end ? 2 : 1;
    return;
  }
  scan->is_arrow = c == '{' && was_arrow;
  if (isalnum((unsigned char) c) || c == '_' || c == '$' || (unsigned char) c >= 0x80)
    word_take(scan);
  else if (c == '"' || c == '\'' || (c == '/' && may_be_pattern(scan)))
    skip_until(scan, c);
  else if (c == '`') {
    scan->at++;
    template_go(scan);
  } else if (c == '(' || c == '[' || c == '{')
    open_bracket(scan, c);
  else if (c == ')' || c == ']' || c == '}')
    close_bracket(scan);
  else if (c == '=' && next == '>') {
    if (scan->last == 'a') /* one parameter, without brackets */
      scan->closed = (struct bracket){.line = scan->word_line};
    scan->at += 2;
    scan->is_arrow = true;
    scan->last = '>';
  } else {
    scan->last = c;
    scan->at++;
  }
}

unsigned int step_source_function(const char* path, unsigned int line) {
  FILE* file = fopen(path, "re");
  char* text = file == NULL ? NULL : malloc(SOURCE_MOST);
  struct scan* scan = calloc(1, sizeof(*scan));
  unsigned int found = 0;
  if (text != NULL && scan != NULL) {
    size_t length = fread(text, 1, SOURCE_MOST, file);
    *scan = (struct scan){
        .at = text, .end = text + length, .line = 1, .wanted = line, .last = ';'};
    while (scan->at < scan->end && scan->found == 0 && !scan->is_broken)
      scan_one(scan);
    found = scan->found;
  }
  free(scan);
  free(text);
  if (file != NULL)
    fclose(file);
  return found;
}
