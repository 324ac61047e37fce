/* The same as outside_why.c writes, as JSON: see outside_json.h. What isn't known isn't
 * there, and is never null or zero. */
#include "outside_json.h"

#include "trace_write.h"
#include "uv_owners.h"

#include <string.h>

static void json_text(FILE* out, const char* key, const char* text) {
  if (text == NULL || *text == '\0')
    return;
  fprintf(out, ",\"%s\":", key);
  write_string(out, text);
}

static void json_stack(FILE* out, const struct seen_stack* stack) {
  const struct hot_path* path = &stack->path;
  json_text(out, "phase", stack->phase);
  json_text(out, "callback", stack->callback);
  if (!stack->is_exact)
    fprintf(out, ",\"samples\":%zu,\"agreeing\":%zu", path->counted, path->agreeing);
  fputs(",\"stack\":[", out);
  for (size_t i = path->length; i > stack->shown; i--) {
    write_string(out, path->frames[i - 1]);
    fputs(i - 1 > stack->shown ? "," : "", out);
  }
  fputs("]", out);
}

static void json_handle(FILE* out, const struct seen* seen,
                        const struct seen_handle* handle) {
  fputs("{\"kind\":", out);
  write_string(out, uv_kind_name(handle->type));
  if (handle->fd >= 0)
    fprintf(out, ",\"fd\":%d", handle->fd);
  json_text(out, "about", handle->about);
  json_text(out, "class", owner_class(seen->target, handle->data));
  fputs("}", out);
}

static void json_request(FILE* out, const struct seen* seen,
                         const struct seen_request* request) {
  static const char* const places[] = {"stream", "waits for a thread", "on a thread",
                                       "done"};
  const char* owner = owner_class(seen->target, request->data);
  if (*owner == '\0' && strcmp(request->kind, "work") == 0)
    owner = owner_class(seen->target, request->address - 16);
  fputs("{\"kind\":", out);
  write_string(out, request->kind);
  json_text(out, "about", request->about);
  json_text(out, "class", owner);
  json_text(out, "place", places[request->place]);
  if (request->tid != 0)
    fprintf(out, ",\"thread\":%d", request->tid);
  fputs("}", out);
}

static void json_state(FILE* out, const struct seen* seen, struct target* target,
                       struct namer* namer, const struct seen_loop* loop) {
  struct seen_stack stack;
  struct seen_loop now;
  char call[400];
  if (loop->seen_ms != 0)
    fprintf(out, ",\"since_clock_ms\":%llu",
            (unsigned long long) (loop->seen_ms > loop->time_ms
                                      ? loop->seen_ms - loop->time_ms
                                      : 0));
  if (loop->tid == 0) {
    json_text(out, "state", "not known");
    return;
  }
  fprintf(out, ",\"thread\":%d", loop->tid);
  if (loop->is_polling) {
    json_text(out, "state",
              loop->timeout_ms == 0 || loop->is_turning ? "at work" : "asleep");
    return;
  }
  bool known = seen_stack_take(&stack, namer, target, loop->tid, loop->depth);
  bool turns = loop_prove(seen, loop->address, &now) && now.time_ms != loop->time_ms;
  bool held = loop->seen_ms != 0 && !turns && seen_clock_ms() > loop->time_ms + 10;
  json_text(out, "state",
            known && !stack.in_run ? "outside of uv_run"
            : held                 ? "not answering"
                                   : "at work");
  call_text(call, sizeof(call), seen, target_thread(target, loop->tid));
  json_text(out, "call", call);
  if (known)
    json_stack(out, &stack);
  seen_stack_free(&stack);
}

static void json_loop(FILE* out, const struct seen* seen, struct target* target,
                      struct namer* namer, const struct seen_loop* loop) {
  const char* comma = "";
  fprintf(out, "{\"number\":%zu", (size_t) (loop - seen->loops) + 1);
  json_state(out, seen, target, namer, loop);
  json_text(out, "problem", loop->problem);
  if (loop->problem == NULL) {
    fprintf(out, ",\"closing\":%zu,\"handles\":[", loop->closing_count);
    for (size_t i = 0; i < loop->handle_count; i++) {
      if (!loop->handles[i].is_active || !loop->handles[i].is_referenced)
        continue;
      fputs(comma, out);
      json_handle(out, seen, &loop->handles[i]);
      comma = ",";
    }
    fputs("]", out);
  }
  fprintf(out, ",\"requests_in_flight\":%u,\"requests\":[", loop->active_requests);
  comma = "";
  for (size_t i = 0; i < seen->request_count; i++) {
    if (seen->requests[i].loop != loop->address)
      continue;
    fputs(comma, out);
    json_request(out, seen, &seen->requests[i]);
    comma = ",";
  }
  fputs("]}", out);
}

void outside_json(FILE* out, const struct seen* seen, struct target* target,
                  struct namer* namer) {
  fprintf(out, "{\"pid\":%d,\"recorded\":false", target->pid);
  json_text(out, "command", target->command);
  json_text(out, "libuv", seen->version);
  fputs(",\"loops\":[", out);
  for (size_t i = 0; i < seen->loop_count; i++) {
    fputs(i == 0 ? "\n" : ",\n", out);
    json_loop(out, seen, target, namer, &seen->loops[i]);
  }
  fputs("]", out);
  if (seen->pool_known)
    fprintf(out, ",\"pool_threads\":%u", seen->pool_threads);
  fputs("}\n", out);
}
