/* The watcher's lines: each with the time of day, written at once, on standard error or
 * to a file. A terminal whose program draws the whole screen, or edits lines itself, is
 * left alone: the lines go to a file beside the recordings, and when the terminal is free
 * again, one line says so. */
#ifndef RONDO_TOOL_LIVE_SAY_H
#define RONDO_TOOL_LIVE_SAY_H

#include <stdbool.h>

/* Standard error is what the watcher has inherited, or the file of --stall-log if `log`
 * is not -1, which is taken over. `aside`: where lines go while the terminal is in use.
 */
void say_open(int log, const char* aside);
/* Looks at the terminal: what is written to standard error from now on, by whomever,
 * doesn't disturb its program. Before anything is reported. */
void say_aim(void);
/* "rondo: 14:03:07.123 …\n"; in a file, behind the date. The text has no line's end. */
void say(const char* text);
void say_format(const char* format, ...) __attribute__((format(printf, 1, 2)));
/* When there is nothing more to watch. */
void say_end(void);

/* "14:03:07.123", of now. */
enum { SAY_TIME_SIZE = 40 };
const char* say_time(char* text);

#endif
