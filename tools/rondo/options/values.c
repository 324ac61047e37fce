/* Times, sizes and numbers on a command line: see values.h. */
#include "values.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

struct value_unit {
  const char* name;
  uint64_t size;
};

/* Largest first; of several names for one unit, the usual one first. */
static const struct value_unit times[] = {{"d", 86400000000000},
                                          {"h", 3600000000000},
                                          {"m", 60000000000},
                                          {"min", 60000000000},
                                          {"s", 1000000000},
                                          {"ms", 1000000},
                                          {"us", 1000},
                                          {"µs", 1000},
                                          {"ns", 1},
                                          {NULL, 0}};

static const struct value_unit sizes[] = {{"T", UINT64_C(1) << 40},
                                          {"TiB", UINT64_C(1) << 40},
                                          {"G", 1 << 30},
                                          {"GiB", 1 << 30},
                                          {"M", 1 << 20},
                                          {"MiB", 1 << 20},
                                          {"k", 1 << 10},
                                          {"KiB", 1 << 10},
                                          {"B", 1},
                                          {NULL, 0}};

static bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

/* False if the sum is too large. */
static bool add_units(uint64_t* sum, uint64_t count, uint64_t size) {
  uint64_t product;
  return !__builtin_mul_overflow(count, size, &product) &&
         !__builtin_add_overflow(*sum, product, sum);
}

/* Reads digits and moves *at behind them. False if there are none or too many. */
static bool take_digits(const char** at, uint64_t* number) {
  *number = 0;
  if (!is_digit(**at))
    return false;
  for (; is_digit(**at); ++*at) {
    uint64_t digit = (uint64_t) (**at - '0');
    if (__builtin_mul_overflow(*number, 10, number) ||
        __builtin_add_overflow(*number, digit, number))
      return false;
  }
  return true;
}

/* The unit that `at` begins with, `length` letters long. */
static const struct value_unit* unit_find(const struct value_unit* units, const char* at,
                                          size_t length, bool any_case) {
  for (; units->name != NULL; units++) {
    if (strlen(units->name) == length &&
        (any_case ? strncasecmp(units->name, at, length)
                  : strncmp(units->name, at, length)) == 0)
      return units;
  }
  return NULL;
}

/* The part of a unit that the digits behind the point are, to the nearest. */
static uint64_t fraction_of(uint64_t size, const char* digits, size_t count) {
  double fraction = 0;
  for (size_t i = count; i > 0; i--)
    fraction = (fraction + digits[i - 1] - '0') / 10;
  return (uint64_t) (fraction * (double) size + 0.5);
}

/* Reads a decimal number and its unit, which for sizes may have any case. */
static enum value_reading part_read(const char** at, const struct value_unit* units,
                                    uint64_t* sum, uint64_t* size) {
  uint64_t whole;
  if (!take_digits(at, &whole))
    return VALUE_BAD;
  const char* fraction = **at == '.' ? ++*at : NULL;
  size_t places = fraction == NULL ? 0 : strspn(fraction, "0123456789");
  if (fraction != NULL && places == 0)
    return VALUE_BAD;
  *at += places;
  if (**at == '\0')
    return VALUE_BARE;
  *at += **at == ' ';
  size_t length = strcspn(*at, "0123456789. ");
  const struct value_unit* unit = unit_find(units, *at, length, units == sizes);
  if (unit == NULL || unit->size >= *size || !add_units(sum, whole, unit->size))
    return VALUE_BAD;
  *at += length;
  *size = unit->size;
  return add_units(sum, fraction_of(unit->size, fraction, places), 1) ? VALUE_GOOD
                                                                      : VALUE_BAD;
}

static enum value_reading value_read(const char* text, const struct value_unit* units,
                                     uint64_t* value) {
  uint64_t sum = 0, size = UINT64_MAX;
  const char* at = text;
  if (strcmp(text, "0") != 0) {
    do {
      enum value_reading reading = part_read(&at, units, &sum, &size);
      if (reading != VALUE_GOOD)
        return at != text && reading == VALUE_BARE && size == UINT64_MAX ? VALUE_BARE
                                                                         : VALUE_BAD;
    } while (*at != '\0');
  }
  *value = sum;
  return VALUE_GOOD;
}

enum value_reading value_time(const char* text, uint64_t* ns) {
  return value_read(text, times, ns);
}

enum value_reading value_size(const char* text, uint64_t* bytes) {
  return value_read(text, sizes, bytes);
}

bool value_count(const char* text, uint64_t* count) {
  return take_digits(&text, count) && *text == '\0';
}

static const char* value_text(char* text, uint64_t value,
                              const struct value_unit* units) {
  while (units[1].name != NULL && (value == 0 || value % units->size != 0))
    units++;
  snprintf(text, VALUE_TEXT_SIZE, "%llu%s", (unsigned long long) (value / units->size),
           value == 0 ? "" : units->name);
  return text;
}

const char* value_time_text(char* text, uint64_t ns) {
  return value_text(text, ns, times);
}

const char* value_size_text(char* text, uint64_t bytes) {
  return value_text(text, bytes, sizes);
}
