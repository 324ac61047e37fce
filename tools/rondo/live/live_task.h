/* The kernel's facts about a thread of another process, in /proc/PID/task/TID. */
#ifndef RONDO_TOOL_LIVE_TASK_H
#define RONDO_TOOL_LIVE_TASK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The text of a file there, with a zero behind it; returns its length, or -1: see errno.
 */
ssize_t task_read(int pid, uint32_t thread, const char* name, char* text, size_t size);
/* 'R': on a processor, or waiting for one; zero if it isn't known. */
char task_state(int pid, uint32_t thread);
/* Whether the process is stopped, by SIGSTOP, Ctrl-Z or a debugger. */
bool task_is_stopped(int pid);

#endif
