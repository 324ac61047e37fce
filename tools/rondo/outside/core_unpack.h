/* Core files that are compressed, as systemd keeps them: unpacked by the command that
 * belongs to the format, into a file without a name. */
#ifndef RONDO_TOOL_CORE_UNPACK_H
#define RONDO_TOOL_CORE_UNPACK_H

#include <stdbool.h>

/* Replaces the descriptor of a compressed file by one of what is in it; others are left
 * as they are. The path is for messages. False after a line on standard error; then the
 * descriptor is closed. What could be unpacked of a damaged file counts as its content.
 */
bool core_unpack(int* fd, const char* path);

#endif
