/* Times, sizes and numbers on a command line: the same in every command. */
#ifndef RONDO_TOOL_VALUES_H
#define RONDO_TOOL_VALUES_H

#include <stdbool.h>
#include <stdint.h>

enum value_reading {
  VALUE_GOOD,
  VALUE_BAD,
  VALUE_BARE /* a number without a unit: two readers would take it for two values */
};

/* Reads "50ms", "1.5s" or "1m30s" as nanoseconds: decimal numbers, each with its unit
 * (ns, us, ms, s, m or min, h, d), the larger unit first. 0 needs no unit. */
enum value_reading value_time(const char* text, uint64_t* ns);

/* Reads "16M", "1.5G" or "64KiB" as bytes: B, k, M, G and T, in powers of 1024. 0 needs
 * no unit. */
enum value_reading value_size(const char* text, uint64_t* bytes);

/* Reads digits, and nothing else. */
bool value_count(const char* text, uint64_t* count);

enum { VALUE_TEXT_SIZE = 32 };

/* The shortest text that value_time or value_size reads as that value. */
const char* value_time_text(char* text, uint64_t ns);
const char* value_size_text(char* text, uint64_t bytes);

#endif
