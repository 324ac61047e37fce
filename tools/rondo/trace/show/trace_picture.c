/* The picture: a page that is made at build time, into which the trace is inserted. */
#include "trace_write.h"

#include <string.h>

extern const char trace_page[];

bool write_picture(FILE* out, const struct trace* trace) {
  static const char mark[] = "/*TRACE*/";
  const char* place = strstr(trace_page, mark);
  if (place == NULL)
    return false;
  fwrite(trace_page, 1, (size_t) (place - trace_page), out);
  write_model(out, trace);
  fwrite(place + strlen(mark), 1, strlen(place) - strlen(mark), out);
  return ferror(out) == 0;
}
