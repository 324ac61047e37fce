/* Answers of the page's server: see live_answer.h. */
#include "live_answer.h"
#include "live_screen.h"
#include "trace_write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

extern const char trace_page[];

/* The largest number of events in a picture, since a browser draws it every second. */
enum { DRAWN_MOST = 60000 };

static struct live_figures* figures_of(struct live_answers* answers, int pid) {
  for (size_t i = 0; i < answers->count; i++) {
    if (answers->figures[i].pid == pid)
      return &answers->figures[i];
  }
  answers->figures = array_grow(answers->figures, answers->count, &answers->capacity,
                                sizeof(*answers->figures));
  answers->figures[answers->count] = (struct live_figures){.pid = pid};
  return &answers->figures[answers->count++];
}

static bool ring_of(struct live_ring* ring, int pid) {
  struct live_ring* list;
  size_t count = live_rings(&list);
  bool found = false;
  for (size_t i = 0; i < count; i++) {
    if (!found && list[i].pid == pid) {
      *ring = list[i];
      found = true;
    } else {
      live_ring_close(&list[i]);
    }
  }
  free(list);
  return found;
}

/* --- the picture
 * ------------------------------------------------------------------------
 */

/* Reads the last seconds, or less if too much happened in them. */
static const char* picture_read(struct trace* trace, const struct live_ring* ring,
                                uint64_t* window) {
  const char* problem = live_ring_read(ring, trace);
  if (problem != NULL)
    return problem;
  uint64_t end = 0, from = 0;
  for (size_t i = 0; i < trace->count; i++) {
    const struct trace_loop* loop = &trace->loops[i];
    end = loop->offset_ns + loop->end_ns > end ? loop->offset_ns + loop->end_ns : end;
  }
  from = end > LIVE_WINDOW_NS ? end - LIVE_WINDOW_NS : 0;
  for (size_t i = 0; i < trace->count; i++) {
    const struct trace_loop* loop = &trace->loops[i];
    size_t first = loop->event_count;
    while (first > 0 && loop->events[first - 1].start + loop->offset_ns >= from)
      first--;
    if (loop->event_count - first > DRAWN_MOST) {
      const struct event* event = &loop->events[loop->event_count - DRAWN_MOST];
      from = event->start + loop->offset_ns;
    }
  }
  if (from > 0 && !trace_cut(trace, from, end))
    out_of_memory();
  *window = end - from;
  return NULL;
}

/* Writes the page of `rondo trace` without data, but with the address to get the data
 * from. */
static void write_page(FILE* out, unsigned int interval_ms) {
  static const char policy[] = "default-src 'none';";
  static const char element[] = "<script id=\"trace\"";
  static const char mark[] = "/*TRACE*/";
  const char* first = strstr(trace_page, policy);
  const char* second = strstr(trace_page, element);
  const char* third = strstr(trace_page, mark);
  if (first == NULL || second == NULL || third == NULL)
    return;
  fwrite(trace_page, 1, (size_t) (first - trace_page), out);
  fprintf(out, "%s connect-src 'self';", policy);
  first += strlen(policy);
  fwrite(first, 1, (size_t) (second - first), out);
  fprintf(out, "%s data-live=\"now\" data-interval=\"%u\"", element, interval_ms);
  second += strlen(element);
  fwrite(second, 1, (size_t) (third - second), out);
  fputs(third + strlen(mark), out);
}

static void write_now(FILE* out, struct live_answers* answers,
                      const struct live_ring* ring) {
  struct trace trace = {0};
  struct live_figures* figures = figures_of(answers, ring->pid);
  live_figures_look(figures, ring, LIVE_WINDOW_NS);
  fputs("{\"figures\":", out);
  live_figures_json(out, figures);
  uint64_t window = 0;
  const char* problem = picture_read(&trace, ring, &window);
  if (problem == NULL) {
    fprintf(out, ",\"window_ns\":%" PRIu64 ",\"trace\":", window);
    write_model(out, &trace);
  }
  putc('}', out);
  trace_free(&trace);
}

/* --- the list
 * --------------------------------------------------------------------------- */

static const char list_page[] =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "connect-src 'self'; script-src 'unsafe-inline'; style-src 'unsafe-inline'\">"
    "<meta name=\"color-scheme\" content=\"light dark\"><title>rondo top</title>"
    "<style>body{font:14px/1.5 system-ui,sans-serif;margin:20px}"
    "td,th{padding:3px 14px 3px 0;text-align:left}td.n{text-align:right}</style>"
    "<h1>rondo top</h1><table id=\"list\"></table><script>'use strict';"
    "const cell=(text,n)=>{const td=document.createElement('td');td.textContent=text;"
    "if(n)td.className='n';return td};"
    "const head=()=>{const tr=document.createElement('tr');"
    "for(const name of ['process','program','loops','turns/s','busy','in flight']){"
    "const th=document.createElement('th');th.textContent=name;tr.append(th)}return tr};"
    "const row=(p)=>{const tr=document.createElement('tr');const "
    "a=document.createElement("
    "'a');a.href=p.pid+'/';a.textContent=p.pid;const td=document.createElement('td');"
    "td.append(a);const sum=(f)=>p.loops.reduce((s,l)=>s+f(l),0);"
    "tr.append(td,cell(p.command),cell(p.loops.length,1),"
    "cell(sum((l)=>l.turns_per_second).toFixed(0),1),"
    "cell((100*Math.max(0,...p.loops.map((l)=>l.busy))).toFixed(1)+' %',1),"
    "cell(sum((l)=>l.requests),1));return tr};"
    "const look=async()=>{try{const all=await(await fetch('all')).json();"
    "document.getElementById('list').replaceChildren(head(),...all.processes.map(row))}"
    "catch(error){document.title='rondo top: ended'}setTimeout(look,1000)};look()"
    "</script></html>";

static void write_all(FILE* out, struct live_answers* answers) {
  struct live_ring* rings;
  size_t count = live_rings(&rings);
  fputs("{\"processes\":[", out);
  for (size_t i = 0; i < count; i++) {
    struct live_figures* figures = figures_of(answers, rings[i].pid);
    live_figures_look(figures, &rings[i], 0);
    fputs(i == 0 ? "" : ",", out);
    live_figures_json(out, figures);
    live_ring_close(&rings[i]);
  }
  fputs("]}", out);
  free(rings);
}

/* --- paths
 * ------------------------------------------------------------------------------ */

static void answer_process(struct live_answers* answers, struct live_answer* answer,
                           const char* path, FILE* out) {
  struct live_ring ring;
  char* rest;
  long pid = strtol(path, &rest, 10);
  bool known = (strcmp(rest, "/") == 0 || strcmp(rest, "/now") == 0) && pid > 0;
  if (!known || !ring_of(&ring, (int) pid))
    return;
  answer->status = "200 OK";
  answer->type = rest[1] == '\0' ? "text/html" : "application/json";
  if (rest[1] == '\0')
    write_page(out, answers->interval_ms);
  else
    write_now(out, answers, &ring);
  live_ring_close(&ring);
}

void live_answer_make(struct live_answers* answers, struct live_answer* answer,
                      const char* path) {
  FILE* out = open_memstream(&answer->bytes, &answer->length);
  if (out == NULL)
    out_of_memory();
  if (*path == '\0' && answers->pid != 0) {
    answer->status = "302 Found";
    snprintf(answer->location, sizeof(answer->location), "%d/", answers->pid);
  } else if (*path == '\0') {
    answer->status = "200 OK";
    answer->type = "text/html";
    fputs(list_page, out);
  } else if (strcmp(path, "all") == 0) {
    answer->status = "200 OK";
    answer->type = "application/json";
    write_all(out, answers);
  } else {
    answer_process(answers, answer, path, out);
  }
  fclose(out);
}
