/* Questions about one program: whether its loops would be Rondo's, whether a stack of it
 * can be walked (.eh_frame has the rules) and whether the frames have names. */
#include "doctor.h"
#include "exec.h"
#include "trace_debug_files.h"

#include <elf.h>
#include <string.h>

static bool has_section(const struct elf_file* file, uint32_t type) {
  for (size_t i = 0; i < file->section_count; i++) {
    if (file->sections[i].sh_type == type && file->sections[i].sh_size > 0)
      return true;
  }
  return false;
}

static bool has_frame_rules(const struct elf_file* file) {
  const Elf64_Ehdr* header = (const void*) file->bytes;
  const Elf64_Phdr* segments = (const void*) (file->bytes + header->e_phoff);
  if (header->e_phoff % 8 != 0 || header->e_phoff > file->size ||
      (file->size - header->e_phoff) / sizeof(*segments) < header->e_phnum)
    return false;
  for (size_t i = 0; i < header->e_phnum; i++) {
    if (segments[i].p_type == PT_GNU_EH_FRAME)
      return true;
  }
  return false;
}

static void examine_stacks(struct doctor_program* program) {
  struct elf_file file, apart;
  const char* path = program->look.program;
  const char* names = "its functions have no names: it is stripped, and has no file of "
                      "symbols (cure: its debug package)";
  if (!elf_open(path, &file)) {
    snprintf(program->stacks, sizeof(program->stacks), "can't be read: no ELF file");
    return;
  }
  bool has_apart = debug_file_open(&file, path, &apart);
  program->can_unwind = has_frame_rules(&file);
  program->has_names = true;
  if (has_section(&file, SHT_SYMTAB))
    names = "its functions have names, from its own symbols";
  else if (has_apart)
    names = "its functions have names, from a file of symbols beside it";
  else if (has_section(&file, SHT_DYNSYM) && program->look.way == EXEC_ADOPTED)
    names = "the functions that it exports have names, the others their nearest";
  else
    program->has_names = false;
  snprintf(program->stacks, sizeof(program->stacks), "%s; %s",
           program->can_unwind
               ? "can be read: it has rules for its frames (.eh_frame)"
               : "can be read as far as frame pointers go: it has no .eh_frame",
           names);
  if (has_apart)
    elf_close(&apart);
  elf_close(&file);
}

static void describe_loops(struct doctor_program* program) {
  const struct exec_look* look = &program->look;
  const char* words = exec_look_words(look);
  if (words != NULL)
    snprintf(program->loops, sizeof(program->loops), "%s", words);
  else if (look->way == EXEC_UNKNOWN)
    snprintf(program->loops, sizeof(program->loops),
             "is no program that this system's loader starts: nothing is known");
  else
    snprintf(program->loops, sizeof(program->loops), "%s", look->words);
  program->loops[strcspn(program->loops, "\n")] = '\0';
}

void doctor_examine(struct doctor_program* program, const char* name) {
  char path[PATH_MAX];
  memset(program, 0, sizeof(*program));
  program->found = exec_find_program(name, path, sizeof(path));
  if (!program->found || !exec_prepare_look())
    return;
  exec_look(&program->look, path);
  program->adopted = exec_look_is_good(&program->look);
  describe_loops(program);
  examine_stacks(program);
}
