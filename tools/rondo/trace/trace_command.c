/* `rondo trace`: runs a script or a program with the recorder on and shows what its loops
 * did, as a picture, as Chrome's trace events or as text; or shows a saved recording. */
#include "trace_command.h"

#include "attach.h"
#include "exec.h"
#include "script_file.h"
#include "trace_options.h"
#include "trace_run.h"
#include "trace_write.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BAD_ARGUMENT = 9 };

static const char suffix[] = ".rtrace";

static bool has_suffix(const char* path) {
  size_t length = strlen(path), end = strlen(suffix);
  return length >= end && strcmp(path + length - end, suffix) == 0;
}

/* Reads the first eight bytes of a file, or fewer if it is shorter. */
static void begins(const char* path, char* bytes) {
  FILE* file = fopen(path, "rb");
  if (file == NULL)
    return;
  (void) !fread(bytes, 1, 8, file);
  fclose(file);
}

/* Recognises a recording by its name or its first bytes. A pipe can only be a recording.
 */
static bool is_recording(const char* path) {
  char magic[8] = {0};
  struct stat status;
  if (has_suffix(path) || strcmp(path, "-") == 0)
    return true;
  if (stat(path, &status) == 0 && S_ISFIFO(status.st_mode))
    return true;
  begins(path, magic);
  return memcmp(magic, TRACE_MAGIC, sizeof(magic)) == 0;
}

/* A program, by its file or its name, needs another usage; a missing script is reported
 * as missing. */
static int not_a_script(const char* path) {
  char magic[8] = {0};
  bool found = access(path, R_OK) == 0;
  if (found)
    begins(path, magic);
  if (found && memcmp(magic, "\177ELF", 4) != 0)
    return 0;
  if (found || (errno == ENOENT && exec_finds(path)))
    fprintf(stderr, "rondo: %s is a program, not a script: rondo trace -- %s\n", path,
            path);
  else
    fprintf(stderr, "rondo: %s: %s\n", path, strerror(errno));
  return found ? 126 : 127;
}

/* A file that this command has written before may be replaced; any other file is most
 * likely named by mistake. True for such a file, which has been reported. */
static bool would_destroy(const char* path) {
  static const char* const ours[] = {"<!doctype", "{\"displayTimeUnit", "process ",
                                     "loop "};
  char head[32] = {0};
  struct stat status;
  FILE* file;
  if (path == NULL || strcmp(path, "-") == 0 || stat(path, &status) != 0 ||
      !S_ISREG(status.st_mode) || status.st_size == 0 ||
      (file = fopen(path, "rb")) == NULL)
    return false;
  (void) !fread(head, 1, sizeof(head) - 1, file);
  fclose(file);
  for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
    if (strncmp(head, ours[i], strlen(ours[i])) == 0)
      return false;
  }
  fprintf(
      stderr,
      "rondo: %s is there already, and not written by rondo trace: remove it, or name "
      "another file\n",
      path);
  return true;
}

/* --- writing ----------------------------------------------------------------------- */

static void report_place(const struct options* options, const char* path) {
  static const char* const what[] = {"the picture is", "the events are", "the summary is",
                                     "the comparison is"};
  if (strcmp(path, "-") != 0)
    fprintf(stderr, "rondo: %s in %s\n", what[options->form], path);
}

/* Cuts the trace to --from and --to, if they are given. */
static bool part_chosen(const struct options* options, struct trace* trace) {
  bool whole = options->from_ns == 0 && options->to_ns == UINT64_MAX;
  uint64_t end = 0;
  size_t left = 0;
  for (size_t i = 0; i < trace->count; i++) {
    uint64_t loop_end = trace->loops[i].offset_ns + trace->loops[i].end_ns;
    end = loop_end > end ? loop_end : end;
  }
  if (whole)
    return true;
  if (!trace_cut(trace, options->from_ns, options->to_ns)) {
    fputs("rondo: no memory for this trace\n", stderr);
    return false;
  }
  for (size_t i = 0; i < trace->count; i++)
    left += trace->loops[i].event_count;
  char text[TIME_SIZE];
  if (left == 0)
    fprintf(stderr,
            "rondo: nothing was recorded between --from and --to: all of it is %s\n",
            time_text(text, end));
  return left > 0;
}

static bool write_form(const struct trace* trace, const struct options* options,
                       FILE* out) {
  switch (options->form) {
  case PICTURE:
    return write_picture(out, trace);
  case JSON:
    return write_events(out, trace);
  case COMPARISON:
  case TEXT:
    break;
  }
  return write_text(out, trace, options->turns);
}

static bool write_to(const struct trace* trace, const struct options* options,
                     const char* path) {
  bool standard = strcmp(path, "-") == 0;
  FILE* out = standard ? stdout : fopen(path, "w");
  bool good = out != NULL && write_form(trace, options, out);
  struct stat file;
  bool ours =
      out != NULL && !standard && fstat(fileno(out), &file) == 0 && S_ISREG(file.st_mode);
  good = out != NULL && (standard ? fflush(out) : fclose(out)) == 0 && good;
  int err = errno;
  if (good) {
    report_place(options, path);
    return true;
  }
  if (ours)
    unlink(path);   /* an incomplete file is useless */
  if (err != EPIPE) /* a reader that closes the pipe has seen enough */
    fprintf(stderr, "rondo: %s: %s\n", standard ? "standard output" : path,
            strerror(err));
  errno = err;
  return false;
}

/* --- a recording ------------------------------------------------------------------- */

/* "x.rtrace" gives "x.html"; a recording without a name is named after its process. */
static void name_after(char* name, size_t size, const char* recording, uint32_t pid,
                       enum form form) {
  const char* kind = form == JSON ? "json" : "html";
  struct stat status;
  int length =
      (int) strlen(recording) - (has_suffix(recording) ? (int) strlen(suffix) : 0);
  if (stat(recording, &status) == 0 && S_ISREG(status.st_mode))
    snprintf(name, size, "%.*s.%s", length, recording, kind);
  else
    snprintf(name, size, "rondo-trace-%u.%s", pid, kind);
}

/* Source maps that couldn't be used. */
static void report_scripts(void) {
  const char* problem;
  while ((problem = script_problem_next()) != NULL) {
    fputs("rondo: ", stderr);
    write_plain(stderr, problem);
    putc('\n', stderr);
  }
}

/* Adds a recording; reports what is wrong with it. True if nothing is. */
static bool read_recording(struct trace* trace, const char* name) {
  const char* path = strcmp(name, "-") == 0 ? "/dev/stdin" : name;
  const char* problem = trace_read(trace, path);
  if (problem == NULL && trace->damaged)
    problem = "damaged, or cut short; what could be read is shown";
  if (problem != NULL)
    fprintf(stderr, "rondo: %s: %s\n", path, problem);
  trace->damaged = false;
  report_scripts();
  return problem == NULL;
}

static int compare_recordings(const struct options* options, char** paths) {
  struct trace traces[2] = {0};
  int code = 1;
  for (int i = 0; i < 2; i++) {
    if (!read_recording(&traces[i], paths[i]) && traces[i].count == 0)
      return 1;
    trace_sort(&traces[i]);
  }
  if (part_chosen(options, &traces[0]) && part_chosen(options, &traces[1])) {
    FILE* out = options->output == NULL || strcmp(options->output, "-") == 0
                    ? stdout
                    : fopen(options->output, "w");
    code =
        out != NULL && write_comparison(out, &traces[0], &traces[1]) && fflush(out) == 0
            ? 0
            : 1;
    if (code != 0)
      fprintf(stderr, "rondo: %s: %s\n",
              options->output == NULL ? "standard output" : options->output,
              strerror(errno));
  }
  trace_free(&traces[0]);
  trace_free(&traces[1]);
  return code;
}

static int show_recordings(const struct options* options, int count, char** paths) {
  struct trace trace = {0};
  char name[4096];
  bool good = true;
  for (int i = 0; i < count; i++)
    good = read_recording(&trace, paths[i]) && good;
  if (trace.count == 0)
    return 1;
  trace_sort(&trace);
  if (!part_chosen(options, &trace)) {
    trace_free(&trace);
    return 1;
  }
  name_after(name, sizeof(name), paths[0], trace.loops[0].pid, (enum form) options->form);
  const char* path = options->output;
  if (path == NULL)
    path = options->form == TEXT ? "-" : name;
  signal(SIGPIPE, SIG_IGN);
  good = !would_destroy(path) && write_to(&trace, options, path) && good;
  trace_free(&trace);
  return good ? 0 : 1;
}

/* --- a program --------------------------------------------------------------------- */

/* Ends this process the way the program ended. */
static int leave_as(int status) {
  if (!WIFSIGNALED(status))
    return WEXITSTATUS(status);
  struct rlimit none = {0, 0}; /* the program's core file is wanted, not this one's */
  sigset_t all;
  setrlimit(RLIMIT_CORE, &none);
  fflush(NULL);
  signal(WTERMSIG(status), SIG_DFL);
  sigemptyset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  raise(WTERMSIG(status));
  return 128 + WTERMSIG(status);
}

/* Less room than an empty recording takes, or no file can be made. */
static bool is_full(const char* folder) {
  enum { EMPTY_RECORDING = 1 << 20 };
  struct statvfs room;
  return statvfs(folder, &room) == 0 &&
         (room.f_bavail < EMPTY_RECORDING / room.f_frsize ||
          (room.f_files > 0 && room.f_favail == 0));
}

static bool show_run(const struct options* options, const struct trace_run* run,
                     struct trace* trace) {
  char name[64];
  bool never_began = WIFEXITED(run->status) && WEXITSTATUS(run->status) >= 126;
  if (trace->count == 0 && never_began)
    return false; /* this has been reported */
  if (trace->count == 0 && is_full(run->folder)) {
    fprintf(stderr,
            "rondo: nothing was traced: there is no space left for a recording in %s "
            "(cure: TMPDIR=a folder with room)\n",
            run->folder);
    return true; /* the program ran as it would have without us */
  }
  if (trace->count == 0) {
    fprintf(
        stderr,
        "rondo: nothing was traced: %s made no loop on Rondo's library. It does without "
        "libuv, carries its own copy, or never came that far\n",
        run->argv[0]);
    return false;
  }
  if (!part_chosen(options, trace))
    return false;
  if (options->form == TEXT && options->output == NULL) {
    fflush(stdout);
    return write_text(stderr, trace, options->turns);
  }
  snprintf(name, sizeof(name), "rondo-trace-%d.%s", run->pid,
           options->form == JSON ? "json" : "html");
  return write_to(trace, options, options->output == NULL ? name : options->output);
}

/* The recording is kept even if the output can't be written. */
static void report_rescued(struct trace_run* run) {
  fprintf(stderr, "rondo: what was recorded is still there: rondo trace %s/*.rtrace*\n",
          run->folder);
  free(run->folder);
  run->folder = NULL;
}

static int run_and_show(const struct options* options, char** argv) {
  struct trace_run run = {
      .argv = argv, .script = !options->program, .limit = options->limit};
  struct trace trace = {0};
  char keep[64];
  if (!trace_run(&run)) {
    trace_run_forget(&run);
    return run.status;
  }
  snprintf(keep, sizeof(keep), "rondo-trace-%d.rtrace", run.pid);
  bool kept = trace_collect(&run, &trace, options->keep ? keep : NULL);
  report_scripts();
  if (kept && options->keep && trace.count > 0)
    fprintf(stderr, "rondo: the recording is in %s\n", keep);
  bool good = show_run(options, &run, &trace) && kept;
  if (!good && trace.count > 0 && errno != EPIPE)
    report_rescued(&run);
  trace_run_forget(&run);
  trace_free(&trace);
  int code = leave_as(run.status);
  return code == 0 && !good ? 1 : code;
}

/* --- a process that runs ----------------------------------------------------------- */

static int attach_and_show(const struct options* options) {
  const struct attach_options how = {(int) options->attach, options->for_ns,
                                     options->every_ns};
  struct trace trace = {0};
  char name[64];
  const char* path = options->output;
  snprintf(name, sizeof(name), "rondo-trace-%d.%s", how.pid,
           options->form == JSON ? "json" : "html");
  if (path == NULL)
    path = options->form == TEXT ? "-" : name;
  bool good = !would_destroy(path) && outside_attach(&trace, &how);
  report_scripts();
  signal(SIGPIPE, SIG_IGN);
  good = good && part_chosen(options, &trace) && write_to(&trace, options, path);
  trace_free(&trace);
  return good ? 0 : 1;
}

int trace_main(int argc, char** argv) {
  struct options options = {0};
  int next = trace_options_read(&options, argc, argv);
  if (next <= 0)
    return -next;
  if (options.attach != 0)
    return attach_and_show(&options);
  if (!options.program && (options.form == COMPARISON || is_recording(argv[next]))) {
    int count = argc - next;
    int code = trace_options_gather(&options, &count, argv + next);
    if (code != 0)
      return code;
    return options.form == COMPARISON ? compare_recordings(&options, argv + next)
                                      : show_recordings(&options, count, argv + next);
  }
  if (options.form == COMPARISON) {
    fputs("rondo trace: --compare needs two recordings, not a program\n", stderr);
    return BAD_ARGUMENT;
  }
  int code = options.program ? 0 : not_a_script(argv[next]);
  if (code != 0)
    return code;
  if (would_destroy(options.output))
    return 1;
  if (options.program)
    return run_and_show(&options, argv + next);
  static char name[] = "rondo"; /* argv[0] for the runtime */
  argv[next - 1] = name;
  return run_and_show(&options, argv + next - 1);
}
