/* A line editor of what stepping needs: history with the arrows up and down, completion
 * with Tab, and keys that are commands by themselves on an empty line: the arrow to the
 * right is "next", the arrow to the left "back". */
#include "step_input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { LINE_MOST = 1000, HISTORY_MOST = 500 };

enum key {
  KEY_END = 0,
  KEY_INTERRUPT = 3,
  KEY_CLOSE = 4,
  KEY_ERASE = 8,
  KEY_TAB = 9,
  KEY_KILL = 21,
  KEY_DELETE = 127,
  KEY_UP = 1000,
  KEY_DOWN,
  KEY_RIGHT,
  KEY_LEFT,
  KEY_OTHER
};

static char* history[HISTORY_MOST];
static size_t history_count;

bool step_input_is_terminal(void) {
  return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static void history_add(const char* line) {
  bool is_again = history_count > 0 && strcmp(history[history_count - 1], line) == 0;
  if (*line == '\0' || is_again)
    return;
  if (history_count == HISTORY_MOST) {
    free(history[0]);
    memmove(history, history + 1, (HISTORY_MOST - 1) * sizeof(history[0]));
    history_count--;
  }
  char* copy = strdup(line);
  if (copy != NULL)
    history[history_count++] = copy;
}

void step_input_history(void) {
  for (size_t i = 0; i < history_count; i++)
    printf("  %s\n", history[i]);
}

void step_input_free(void) {
  while (history_count > 0)
    free(history[--history_count]);
}

/* --- keys -------------------------------------------------------------------------- */

static int byte_read(void) {
  unsigned char byte;
  ssize_t n;
  do
    n = read(STDIN_FILENO, &byte, 1);
  while (n < 0 && errno == EINTR);
  return n == 1 ? byte : KEY_END;
}

static int key_read(void) {
  int byte = byte_read();
  if (byte != 27)
    return byte;
  int kind = byte_read();
  if (kind != '[' && kind != 'O')
    return KEY_OTHER;
  switch (byte_read()) {
  case 'A':
    return KEY_UP;
  case 'B':
    return KEY_DOWN;
  case 'C':
    return KEY_RIGHT;
  case 'D':
    return KEY_LEFT;
  default:
    return KEY_OTHER;
  }
}

static void line_draw(const char* prompt, const char* line) {
  printf("\r\033[K%s%s", prompt, line);
  fflush(stdout);
}

/* Completes the last word as far as all words that begin so agree. */
static void line_complete(char* line, const char* const* words) {
  char* space = strrchr(line, ' ');
  char* word = space == NULL ? line : space + 1;
  size_t length = strlen(word), common = 0;
  const char* found = NULL;
  for (size_t i = 0; words[i] != NULL; i++) {
    if (strncmp(words[i], word, length) != 0)
      continue;
    size_t same = 0;
    while (found != NULL && same < common && words[i][same] == found[same])
      same++;
    common = found == NULL ? strlen(words[i]) : same;
    found = found == NULL ? words[i] : found;
  }
  size_t room = LINE_MOST - (size_t) (word - line);
  if (found != NULL && common > length && common + 2 < room)
    snprintf(word, room, "%.*s", (int) common, found);
}

/* True when the line is whole; `*is_end` when there will be no other. */
static bool line_key(char* line, int key, size_t* at, bool* is_end,
                     const char* const* words) {
  size_t length = strlen(line);
  if (key == '\n' || key == '\r')
    return true;
  if (key == KEY_END || (key == KEY_CLOSE && length == 0)) {
    *is_end = true;
    return true;
  }
  if (length == 0 && (key == KEY_RIGHT || key == KEY_LEFT)) {
    snprintf(line, LINE_MOST, "%s", key == KEY_RIGHT ? "next" : "back");
    return true;
  }
  if (key == KEY_UP && *at > 0)
    snprintf(line, LINE_MOST, "%s", history[--*at]);
  else if (key == KEY_DOWN && *at < history_count)
    snprintf(line, LINE_MOST, "%s", ++*at < history_count ? history[*at] : "");
  else if ((key == KEY_ERASE || key == KEY_DELETE) && length > 0) {
    while (length > 1 && ((unsigned char) line[length - 1] & 0xc0) == 0x80)
      length--;
    line[length - 1] = '\0';
  } else if (key == KEY_KILL || key == KEY_INTERRUPT)
    line[0] = '\0';
  else if (key == KEY_TAB)
    line_complete(line, words);
  else if (key >= ' ' && key < 256 && key != KEY_DELETE && length + 1 < LINE_MOST) {
    line[length] = (char) key;
    line[length + 1] = '\0';
  }
  return false;
}

static char* line_edit(const char* prompt, const char* const* words) {
  char line[LINE_MOST] = "";
  size_t at = history_count;
  struct termios before, raw;
  bool is_end = false;
  if (tcgetattr(STDIN_FILENO, &before) != 0)
    return NULL;
  raw = before;
  raw.c_lflag &= ~(tcflag_t) (ICANON | ECHO);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
  do
    line_draw(prompt, line);
  while (!line_key(line, key_read(), &at, &is_end, words));
  line_draw(prompt, line);
  tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
  putchar('\n');
  return is_end ? NULL : strdup(line);
}

/* --- lines ------------------------------------------------------------------------- */

static char* line_of_pipe(void) {
  char* line = NULL;
  size_t size = 0;
  ssize_t length = getline(&line, &size, stdin);
  if (length < 0) {
    free(line);
    return NULL;
  }
  line[strcspn(line, "\r\n")] = '\0';
  return line;
}

char* step_input_line(const char* prompt, const char* const* words) {
  fflush(stdout);
  char* line = step_input_is_terminal() ? line_edit(prompt, words) : line_of_pipe();
  if (line != NULL)
    history_add(line);
  return line;
}
