/* Before and after a spawn: checks the caller's options, allocates all memory that the
 * child will need, and undoes everything if the spawn fails. */
#include "handle/spawn.h"
#include "base/alloc.h"
#include "base/base.h"
#include "handle/descriptor.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static int plan_check(const uv_process_options_t* options) {
  /* The last flag is a newer libuv's, and for other systems only. */
  const unsigned int known =
      UV_PROCESS_SETUID | UV_PROCESS_SETGID | UV_PROCESS_WINDOWS_VERBATIM_ARGUMENTS |
      UV_PROCESS_DETACHED | UV_PROCESS_WINDOWS_HIDE | UV_PROCESS_WINDOWS_HIDE_CONSOLE |
      UV_PROCESS_WINDOWS_HIDE_GUI | UV_PROCESS_WINDOWS_FILE_PATH_EXACT_NAME | 1u << 8;

  if (options->file == NULL || (options->flags & ~known))
    return UV_EINVAL;
  if (options->stdio_count < 0 || (options->stdio_count > 0 && options->stdio == NULL))
    return UV_EINVAL;
  return 0;
}

/* The file is searched for where the child would search: in the child's PATH. */
const char* spawn_search_path(const char* file, char** env) {
  if (file[0] == '\0' || strchr(file, '/') != NULL)
    return NULL;
  for (; env != NULL && *env != NULL; env++)
    if (strncmp(*env, "PATH=", 5) == 0)
      return *env + 5;
  return "/bin:/usr/bin";
}

size_t spawn_candidate_size(const char* file, const char* path) {
  return path == NULL ? 0 : strlen(path) + strlen(file) + 2;
}

/* sh, the script's name, and the arguments that follow the program's name. */
static char** plan_shell_args(char** args) {
  size_t count = 0;
  while (args[count] != NULL)
    count++;
  char** shell_args = mem_calloc(count + 3, sizeof(*shell_args));
  if (shell_args == NULL)
    return NULL;
  shell_args[0] = "/bin/sh";
  for (size_t i = 1; i < count; i++)
    shell_args[i + 1] = args[i];
  return shell_args;
}

static void plan_free(struct spawn_plan* plan) {
  mem_free(plan->scratch);
  mem_free(plan->shell_args);
  mem_free(plan->candidate);
}

static int plan_alloc(struct spawn_plan* plan) {
  const char* file = plan->options->file;
  plan->candidate_size = spawn_candidate_size(file, plan->path);
  plan->scratch = mem_calloc(2 * (size_t) plan->fd_count, sizeof(*plan->scratch));
  plan->shell_args = plan_shell_args(plan->args);
  if (plan->path != NULL)
    plan->candidate = mem_alloc(plan->candidate_size);
  if (plan->scratch == NULL || plan->shell_args == NULL ||
      (plan->path != NULL && plan->candidate == NULL)) {
    plan_free(plan);
    return UV_ENOMEM;
  }
  return 0;
}

static void plan_set_descriptors(struct spawn_plan* plan,
                                 const struct spawn_pair* pairs) {
  int* fds = plan->scratch + plan->fd_count;
  for (int i = 0; i < plan->fd_count; i++)
    fds[i] = i < plan->options->stdio_count ? pairs[i].child : -1;
  plan->fds = fds;
}

int spawn_begin(struct spawn* spawn, const uv_process_options_t* options, void* stack) {
  int err = plan_check(options);
  if (err != 0)
    return err;

  char* only_file[2] = {(char*) (uintptr_t) options->file, NULL};
  struct spawn_plan plan = {
      .options = options,
      .args = options->args != NULL ? options->args : only_file,
      .env = options->env != NULL ? options->env : environ,
      .fd_count = int_max(options->stdio_count, STDERR_FILENO + 1),
  };
  plan.path = spawn_search_path(options->file, plan.env);
  err = plan_alloc(&plan);
  if (err != 0)
    return err;

  spawn->options = options;
  spawn->pairs = mem_calloc((size_t) plan.fd_count, sizeof(*spawn->pairs));
  err = spawn->pairs == NULL ? UV_ENOMEM : spawn_stdio_open(options, spawn->pairs);
  if (err == 0) {
    plan_set_descriptors(&plan, spawn->pairs);
    spawn->pid = spawn_run(&plan, stack, &spawn->pidfd);
    spawn_stdio_close_child_ends(options, spawn->pairs);
    /* The streams stay open, as those of a child that ended at once: Node starts to read
     * them before it checks whether there is a child. */
    err = spawn->pid < 0 ? spawn->pid : 0;
  }
  if (err != 0)
    mem_free(spawn->pairs);
  plan_free(&plan);
  return err;
}

void spawn_commit(struct spawn* spawn) {
  mem_free(spawn->pairs);
}

void spawn_abort(struct spawn* spawn) {
  kill(spawn->pid, SIGKILL);
  spawn_reap(spawn->pid);
  if (spawn->pidfd != -1)
    descriptor_close(spawn->pidfd);
  spawn_stdio_undo(spawn->options, spawn->pairs);
  mem_free(spawn->pairs);
}
