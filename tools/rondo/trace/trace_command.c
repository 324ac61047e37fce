/* `rondo trace`: runs a script or a program with the recorder on and shows what its loops
 * did, as a picture, as Chrome's trace events or in words; or shows a recording that was
 * kept. */
#include "trace_command.h"

#include "exec.h"
#include "trace_run.h"
#include "trace_write.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usage[] =
    "usage: rondo trace [options] script.js [arguments]\n"
    "       rondo trace [options] -- program [arguments]\n"
    "       rondo trace [options] file.rtrace... | -\n"
    "\n"
    "Runs a script, or a program that uses libuv on Rondo's library, and shows what its\n"
    "event loops did: every turn, phase, callback, tick and microtask. Or shows what "
    "was\n"
    "recorded before, with --keep or RONDO_TRACE.\n"
    "\n"
    "  (no option)           a picture: one HTML file, to be opened in a browser\n"
    "  --text                a summary in words, on standard error\n"
    "  --turns               the same, and every turn\n"
    "  --json                Chrome's trace events, for ui.perfetto.dev\n"
    "  -o, --output file     where it goes; - is standard output\n"
    "  --keep                also keep the recording: rondo-trace-PID.rtrace\n"
    "  --from time, --to time  show only what lies between, such as 1.2s and 1250ms\n"
    "  --limit size          of a process's recording, such as 64M or 2G; 256M by "
    "default\n"
    "  --backend uring|epoll what the loops sleep on\n"
    "  --verbose             report which libuv a program has, and how it got it\n"
    "  -h, --help            print this\n";

enum { BAD_ARGUMENT = 9 };
enum form { PICTURE, JSON, TEXT, COMPARISON };

struct options {
  enum form form;
  bool turns;
  bool keep;
  bool program; /* behind -- */
  const char* output;
  const char* limit;
  uint64_t from_ns, to_ns; /* of the trace */
};

static int bad_argument(const char* problem, const char* argument) {
  fprintf(stderr, "rondo trace: %s%s\n%s", problem, argument, usage);
  return BAD_ARGUMENT;
}

static bool is(const char* argument, const char* name, const char* alias) {
  return strcmp(argument, name) == 0 || strcmp(argument, alias) == 0;
}

static bool is_size(const char* text) {
  size_t digits = strspn(text, "0123456789");
  text += digits;
  return digits > 0 &&
         (*text == '\0' || (strchr("KMGkmg", *text) != NULL && text[1] == '\0'));
}

/* "450ms", "1.2s", or seconds. */
static bool time_read(const char* text, uint64_t* ns) {
  static const struct {
    const char* unit;
    double size;
  } units[] = {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}};
  char* end;
  double number = strtod(text, &end);
  for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
    double size = number * units[i].size;
    if (end == text || strcmp(end, units[i].unit) != 0 || !(size >= 0) || size > 1e18)
      continue;
    *ns = (uint64_t) size;
    return true;
  }
  return false;
}

/* The value of an option, which is the next argument or stands behind a "="; NULL if
 * there is none. */
static const char* value_of(int argc, char** argv, int* next) {
  char* equals = strncmp(argv[*next], "--", 2) == 0 ? strchr(argv[*next], '=') : NULL;
  if (equals == NULL)
    return *next + 1 < argc ? argv[++*next] : NULL;
  *equals = '\0';
  return equals + 1;
}

static bool is_valued(const char* option) {
  static const char* const names[] = {"-o",        "--output", "--limit",
                                      "--backend", "--from",   "--to"};
  size_t length = strcspn(option, "=");
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    if (strlen(names[i]) == length && memcmp(names[i], option, length) == 0)
      return true;
  }
  return false;
}

/* 0, or the exit code to leave with. */
static int option_valued(struct options* options, const char* option, const char* value) {
  if (value == NULL)
    return bad_argument("an argument is missing after ", option);
  if (is(option, "--output", "-o"))
    options->output = value;
  else if (strcmp(option, "--backend") == 0 && !exec_set_backend(value))
    return bad_argument("no such backend: ", value);
  else if (strcmp(option, "--limit") == 0 && !is_size(value))
    return bad_argument("no such size: ", value);
  else if ((strcmp(option, "--from") == 0 && !time_read(value, &options->from_ns)) ||
           (strcmp(option, "--to") == 0 && !time_read(value, &options->to_ns)))
    return bad_argument("no such time: ", value);
  else if (strcmp(option, "--limit") == 0)
    options->limit = value;
  return 0;
}

/* The index of the first argument that is no option; 0 or less: the negative of the exit
 * code to leave with. */
static int options_read(struct options* options, int argc, char** argv) {
  int next = 1;
  for (; next < argc && argv[next][0] == '-' && argv[next][1] != '\0'; next++) {
    const char* option = argv[next];
    if (strcmp(option, "--") == 0) {
      options->program = true;
      next++;
      break;
    }
    if (is(option, "--help", "-h")) {
      fputs(usage, stdout);
      return 0;
    }
    int code = is_valued(option)
                   ? option_valued(options, option, value_of(argc, argv, &next))
                   : 0;
    if (code != 0)
      return -code;
    if (strcmp(option, "--json") == 0)
      options->form = JSON;
    else if (is(option, "--text", "--turns"))
      options->form = TEXT;
    else if (strcmp(option, "--keep") == 0)
      options->keep = true;
    else if (strcmp(option, "--verbose") == 0)
      exec_set_verbose();
    else if (!is_valued(option))
      return -bad_argument("bad option: ", option);
    options->turns |= strcmp(option, "--turns") == 0;
  }
  return next < argc ? next : -bad_argument("which script or program?", "");
}

static bool has_suffix(const char* text, const char* suffix) {
  size_t length = strlen(text), end = strlen(suffix);
  return length >= end && strcmp(text + length - end, suffix) == 0;
}

/* The first eight bytes of a file, as far as it has them. */
static void begins(const char* path, char* bytes) {
  FILE* file = fopen(path, "rb");
  if (file == NULL)
    return;
  (void) !fread(bytes, 1, 8, file);
  fclose(file);
}

/* By its name, or its first bytes. What comes through a pipe can only be one. */
static bool is_recording(const char* path) {
  char magic[8] = {0};
  struct stat status;
  if (has_suffix(path, ".rtrace") || strcmp(path, "-") == 0)
    return true;
  if (stat(path, &status) == 0 && S_ISFIFO(status.st_mode))
    return true;
  begins(path, magic);
  return memcmp(magic, TRACE_MAGIC, sizeof(magic)) == 0;
}

/* Of a program, its file or its name, the usage is another; scripts that are not there
 * aren't there. */
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

/* --- writing ----------------------------------------------------------------------- */

static void report_place(const struct options* options, const char* path) {
  static const char* const what[] = {"the picture is", "the events are", "the summary is",
                                     "the comparison is"};
  if (strcmp(path, "-") != 0)
    fprintf(stderr, "rondo: %s in %s\n", what[options->form], path);
}

/* Leaves what --from and --to say, if they do. */
static bool part_chosen(const struct options* options, struct trace* trace) {
  bool whole = options->from_ns == 0 && options->to_ns == UINT64_MAX;
  if (whole || trace_cut(trace, options->from_ns, options->to_ns))
    return true;
  fputs("rondo: no memory for this trace\n", stderr);
  return false;
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
    unlink(path);   /* half of it is of no use */
  if (err != EPIPE) /* who closes a pipe has seen enough */
    fprintf(stderr, "rondo: %s: %s\n", standard ? "standard output" : path,
            strerror(err));
  errno = err;
  return false;
}

/* --- a recording ------------------------------------------------------------------- */

/* "x.rtrace" gives "x.html"; what had no name is named by its process. */
static void name_after(char* name, size_t size, const char* recording, uint32_t pid,
                       enum form form) {
  const char* kind = form == JSON ? "json" : "html";
  struct stat status;
  int length = (int) strlen(recording) -
               (has_suffix(recording, ".rtrace") ? (int) strlen(".rtrace") : 0);
  if (stat(recording, &status) == 0 && S_ISREG(status.st_mode))
    snprintf(name, size, "%.*s.%s", length, recording, kind);
  else
    snprintf(name, size, "rondo-trace-%u.%s", pid, kind);
}

static int show_recordings(const struct options* options, int count, char** paths) {
  struct trace trace = {0};
  char name[4096];
  bool good = true;
  for (int i = 0; i < count; i++) {
    const char* path = strcmp(paths[i], "-") == 0 ? "/dev/stdin" : paths[i];
    const char* problem = trace_read(&trace, path);
    if (problem == NULL && trace.damaged)
      problem = "damaged, or cut short; what could be read is shown";
    if (problem != NULL)
      fprintf(stderr, "rondo: %s: %s\n", path, problem);
    good = good && problem == NULL;
    trace.damaged = false;
  }
  if (trace.count == 0)
    return 1;
  trace_sort(&trace);
  if (!part_chosen(options, &trace))
    return 1;
  name_after(name, sizeof(name), paths[0], trace.loops[0].pid, options->form);
  const char* path = options->output;
  if (path == NULL)
    path = options->form == TEXT ? "-" : name;
  signal(SIGPIPE, SIG_IGN);
  good = write_to(&trace, options, path) && good;
  trace_free(&trace);
  return good ? 0 : 1;
}

/* --- a program --------------------------------------------------------------------- */

/* As the program left, so do we. */
static int leave_as(int status) {
  if (!WIFSIGNALED(status))
    return WEXITSTATUS(status);
  struct rlimit none = {0, 0}; /* its core is of interest, ours isn't */
  sigset_t all;
  setrlimit(RLIMIT_CORE, &none);
  fflush(NULL);
  signal(WTERMSIG(status), SIG_DFL);
  sigemptyset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  raise(WTERMSIG(status));
  return 128 + WTERMSIG(status);
}

static bool show_run(const struct options* options, const struct trace_run* run,
                     struct trace* trace) {
  char name[64];
  bool never_began = WIFEXITED(run->status) && WEXITSTATUS(run->status) >= 126;
  if (trace->count == 0 && never_began)
    return false; /* that was told */
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

/* What was recorded is worth more than the place where it was to be shown. */
static void tell_rescued(struct trace_run* run) {
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
  if (kept && options->keep && trace.count > 0)
    fprintf(stderr, "rondo: the recording is in %s\n", keep);
  bool good = show_run(options, &run, &trace) && kept;
  if (!good && trace.count > 0 && errno != EPIPE)
    tell_rescued(&run);
  trace_run_forget(&run);
  trace_free(&trace);
  int code = leave_as(run.status);
  return code == 0 && !good ? 1 : code;
}

int trace_main(int argc, char** argv) {
  struct options options = {.to_ns = UINT64_MAX};
  int next = options_read(&options, argc, argv);
  if (next <= 0)
    return -next;
  if (!options.program && is_recording(argv[next]))
    return show_recordings(&options, argc - next, argv + next);
  if (options.program)
    return run_and_show(&options, argv + next);
  int code = not_a_script(argv[next]);
  if (code != 0)
    return code;
  static char name[] = "rondo"; /* what the runtime's arguments begin with */
  argv[next - 1] = name;
  return run_and_show(&options, argv + next - 1);
}
