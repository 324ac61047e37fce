/* The folders of runs: where they are made, that they go away also when the command is
 * killed, and what a program left in /tmp that it had made for itself. */
#ifndef RONDO_SIM_FOLDER_H
#define RONDO_SIM_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* Memory, and a disk. */
enum sim_folder_place { FOLDER_IN_MEMORY, FOLDER_ON_DISK, FOLDER_PLACES };

/* Whether there is room for a run's folder. */
bool sim_folder_has_room(enum sim_folder_place place);
/* A new folder, open and locked; its path, to be freed. NULL and errno if there is none.
 */
char* sim_folder_make(enum sim_folder_place place, int* fd);
/* With all that a run leaves in it. */
void sim_folder_remove(const char* folder);
/* Whether a run that failed may have failed because there is no room left. */
bool sim_folder_is_full(const char* folder);
/* Removes the files and folders that the run's program made by mkdtemp and its kin below
 * /tmp or $TMPDIR, and left there. */
void sim_folder_remove_made(const char* folder);

/* Removes what commands left that were killed together with their guard. */
void sim_folder_sweep(void);
/* Starts a process that removes this command's folders, and ends their runs, when the
 * command is killed; and ends it. */
void sim_folder_guard(void);
void sim_folder_guard_end(void);

#endif
