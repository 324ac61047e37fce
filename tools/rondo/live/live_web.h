/* `rondo top --web`: the figures as a page, on this machine only. */
#ifndef RONDO_TOOL_LIVE_WEB_H
#define RONDO_TOOL_LIVE_WEB_H

/* Serves until a signal ends it; returns the exit code. Without `pid` all recorded
 * processes are listed; `port` 0 is any free port. */
int live_web(const char* pid, unsigned int port, unsigned int interval_ms);

/* `rondo top --metrics ADDRESS:PORT`: figures for Prometheus (live_metrics.h), to whoever
 * can connect. Serves until a signal ends it; returns the exit code. */
int live_exporter(const char* place);

#endif
