/* `rondo dump PID`: saves the ring of a process, whether the process runs, hangs or was
 * killed. */
#include "live_command.h"
#include "live_ring.h"
#include "options.h"

#include <stdio.h>

static const char usage[] =
    "usage: rondo dump [-o file.rtrace] PID\n"
    "\n"
    "Writes down the last seconds of a process that is recorded (rondo exec --record,\n"
    "RONDO_RECORD), also of one that hangs or was killed. rondo trace shows the "
    "file.\n";

int dump_main(int argc, char** argv) {
  const char* output = NULL;
  const struct option table[] = {{.name = "--output",
                                  .letter = "-o",
                                  .value = "FILE",
                                  .text = &output,
                                  .help = "where it goes; rondo-PID.rtrace by default"},
                                 {0}};
  const struct command_line line = {
      .name = "rondo dump", .usage = usage, .options = table, .refusal = 9};
  int count = argc - 1;
  int code = options_gather(&line, &count, argv + 1);
  if (code != OPTIONS_GOOD)
    return code;
  if (count != 1)
    return options_refuse(&line, "which process?", "");
  struct live_ring ring;
  char written[4096] = "";
  if (!live_ring_find(&ring, argv[1]))
    return 1;
  bool good = live_ring_dump(&ring, output, NULL, written, sizeof(written));
  live_ring_close(&ring);
  if (good)
    fprintf(stderr, "rondo: the recording is in %s\n", written);
  return good ? 0 : 1;
}
