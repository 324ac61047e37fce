/* `rondo dump PID`: saves the ring of a process, whether the process runs, hangs or was
 * killed. */
#include "live_command.h"
#include "live_ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: rondo dump [-o file.rtrace] PID\n"
    "\n"
    "Writes down the last seconds of a process that is recorded (rondo exec --record,\n"
    "RONDO_RECORD), also of one that hangs or was killed. rondo trace shows the file.\n"
    "\n"
    "  -o, --output file  where it goes; rondo-PID.rtrace by default\n"
    "  -h, --help         print this\n";

int dump_main(int argc, char** argv) {
  const char *output = NULL, *pid = NULL;
  for (int i = 1; i < argc; i++) {
    bool is_output = strcmp(argv[i], "-o") == 0 || strcmp(argv[i], "--output") == 0;
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      fputs(usage, stdout);
      return 0;
    }
    if (is_output && i + 1 < argc)
      output = argv[++i];
    else if (strncmp(argv[i], "--output=", 9) == 0)
      output = argv[i] + 9;
    else if (argv[i][0] == '-' || pid != NULL)
      return live_bad_usage("dump", usage, argv[i]);
    else
      pid = argv[i];
  }
  if (pid == NULL)
    return live_bad_usage("dump", usage, NULL);
  struct live_ring ring;
  char written[4096] = "";
  if (!live_ring_find(&ring, pid))
    return 1;
  bool good = live_ring_dump(&ring, output, written, sizeof(written));
  live_ring_close(&ring);
  if (good)
    fprintf(stderr, "rondo: the recording is in %s\n", written);
  return good ? 0 : 1;
}
