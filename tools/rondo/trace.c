/* `rondo trace`: runs a script or a program with the recorder on and shows what its loops
 * did, as a picture, as Chrome's trace events or in words; or shows a recording that was
 * kept. */
#include "trace.h"

#include "exec.h"
#include "trace_run.h"
#include "trace_write.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usage[] =
    "usage: rondo trace [options] script.js [arguments]\n"
    "       rondo trace [options] -- program [arguments]\n"
    "       rondo trace [options] file.rtrace...\n"
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
    "  --limit size          of a loop's recording, such as 64M or 2G; 256M by default\n"
    "  --backend uring|epoll what the loops sleep on\n"
    "  -h, --help            print this\n";

enum { BAD_ARGUMENT = 9 };
enum form { PICTURE, JSON, TEXT };

struct options {
  enum form form;
  bool turns;
  bool keep;
  bool program; /* behind -- */
  const char* output;
  const char* limit;
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

/* The index of the first argument that is no option; 0 or less: the negative of the exit
 * code to leave with. */
static int options_read(struct options* options, int argc, char** argv) {
  int next = 1;
  for (; next < argc && argv[next][0] == '-'; next++) {
    const char* option = argv[next];
    bool valued = is(option, "--output", "-o") || is(option, "--limit", "--backend");
    if (strcmp(option, "--") == 0) {
      options->program = true;
      next++;
      break;
    }
    if (is(option, "--help", "-h")) {
      fputs(usage, stdout);
      return 0;
    }
    if (valued && next + 1 >= argc)
      return -bad_argument("an argument is missing after ", option);
    const char* value = valued ? argv[++next] : "";
    if (is(option, "--output", "-o"))
      options->output = value;
    else if (strcmp(option, "--limit") == 0 && is_size(value))
      options->limit = value;
    else if (strcmp(option, "--limit") == 0)
      return -bad_argument("no such size: ", value);
    else if (strcmp(option, "--backend") == 0 && !exec_set_backend(value))
      return -bad_argument("no such backend: ", value);
    else if (strcmp(option, "--json") == 0)
      options->form = JSON;
    else if (is(option, "--text", "--turns"))
      options->form = TEXT;
    else if (strcmp(option, "--keep") == 0)
      options->keep = true;
    else if (!valued)
      return -bad_argument("bad option: ", option);
    options->turns |= strcmp(option, "--turns") == 0;
  }
  return next < argc ? next : -bad_argument("which script or program?", "");
}

static bool is_recording(const char* path) {
  char magic[8] = {0};
  FILE* file = fopen(path, "rb");
  if (file == NULL)
    return false;
  bool is_one =
      fread(magic, sizeof(magic), 1, file) == 1 && memcmp(magic, TRACE_MAGIC, 8) == 0;
  fclose(file);
  return is_one;
}

/* --- writing ----------------------------------------------------------------------- */

static size_t events_of(const struct trace* trace) {
  size_t count = 0;
  for (size_t i = 0; i < trace->count; i++)
    count += trace->loops[i].event_count;
  return count;
}

/* Tells where it is, and what isn't in it. */
static void tell(const struct trace* trace, const struct options* options,
                 const char* path) {
  static const char* const what[] = {"the picture is", "the events are",
                                     "the summary is"};
  if (strcmp(path, "-") != 0)
    fprintf(stderr, "rondo: %s in %s\n", what[options->form], path);
  if (options->form == PICTURE && events_of(trace) > PICTURE_EVENTS)
    fprintf(stderr,
            "rondo: it shows the first %d of %zu events; --text and --json know "
            "all\n",
            PICTURE_EVENTS, events_of(trace));
}

static bool write_form(const struct trace* trace, const struct options* options,
                       FILE* out) {
  switch (options->form) {
  case PICTURE:
    return write_picture(out, trace);
  case JSON:
    return write_events(out, trace);
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
  good = out != NULL && (standard ? fflush(out) : fclose(out)) == 0 && good;
  if (!good)
    fprintf(stderr, "rondo: %s: %s\n", path, strerror(errno));
  else
    tell(trace, options, path);
  return good;
}

/* --- a recording ------------------------------------------------------------------- */

/* "x.rtrace" gives "x.html". */
static void name_after(char* name, size_t size, const char* recording, enum form form) {
  const char* dot = strrchr(recording, '.');
  bool ours = dot != NULL && strcmp(dot, ".rtrace") == 0;
  int length = ours ? (int) (dot - recording) : (int) strlen(recording);
  snprintf(name, size, "%.*s.%s", length, recording, form == JSON ? "json" : "html");
}

static int show_recordings(const struct options* options, int count, char** paths) {
  struct trace trace = {0};
  char name[4096];
  for (int i = 0; i < count; i++) {
    const char* problem = trace_read(&trace, paths[i]);
    if (problem != NULL)
      fprintf(stderr, "rondo: %s %s\n", paths[i], problem);
  }
  if (trace.count == 0)
    return 1;
  trace_sort(&trace);
  name_after(name, sizeof(name), paths[0], options->form);
  const char* path = options->output;
  if (path == NULL)
    path = options->form == TEXT ? "-" : name;
  bool good = write_to(&trace, options, path);
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
                     const struct trace* trace) {
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
  if (options->form == TEXT && options->output == NULL) {
    fflush(stdout);
    return write_text(stderr, trace, options->turns);
  }
  snprintf(name, sizeof(name), "rondo-trace-%d.%s", run->pid,
           options->form == JSON ? "json" : "html");
  return write_to(trace, options, options->output == NULL ? name : options->output);
}

static int run_and_show(const struct options* options, char** argv) {
  struct trace_run run = {
      .argv = argv, .script = !options->program, .limit = options->limit};
  struct trace trace = {0};
  char keep[64];
  bool ran = trace_run(&run);
  snprintf(keep, sizeof(keep), "rondo-trace-%d.rtrace", run.pid);
  bool good = ran && trace_collect(&run, &trace, options->keep ? keep : NULL);
  trace_run_forget(&run);
  if (!ran)
    return run.status;
  if (good && options->keep && trace.count > 0)
    fprintf(stderr, "rondo: the recording is in %s\n", keep);
  good = show_run(options, &run, &trace) && good;
  trace_free(&trace);
  int code = leave_as(run.status);
  return code == 0 && !good ? 1 : code;
}

int trace_main(int argc, char** argv) {
  struct options options = {0};
  int next = options_read(&options, argc, argv);
  if (next <= 0)
    return -next;
  if (!options.program && is_recording(argv[next]))
    return show_recordings(&options, argc - next, argv + next);
  if (options.program)
    return run_and_show(&options, argv + next);
  if (access(argv[next], R_OK) != 0) {
    fprintf(stderr, "rondo: %s: %s\n", argv[next], strerror(errno));
    return 127;
  }
  static char name[] = "rondo"; /* what the runtime's arguments begin with */
  argv[next - 1] = name;
  return run_and_show(&options, argv + next - 1);
}
