/* Host names outside ASCII: see idna.h. The encoder follows the description of
 * Punycode in RFC 3492, section 6.3, whose names for the parameters are kept. */
#include "base/idna.h"

#include "base/utf8.h"
#include "uv.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum punycode { BASE = 36, TMIN = 1, TMAX = 26, SKEW = 38, DAMP = 700 };

#define INITIAL_BIAS 72
#define INITIAL_N    128

/* Where the result goes. `full` stays set once something didn't fit. */
struct output {
  char* next;
  char* end;
  bool full;
};

/* One label: the bytes between two full stops. Known to be good UTF-8. */
struct label {
  const char* start;
  const char* end;
};

static void output_put(struct output* out, char byte) {
  if (out->next == out->end) {
    out->full = true;
    return;
  }
  *out->next++ = byte;
}

static uint32_t adapt_bias(uint32_t delta, uint32_t points, bool first) {
  delta = first ? delta / DAMP : delta / 2;
  delta += delta / points;

  uint32_t k = 0;
  for (; delta > (BASE - TMIN) * TMAX / 2; k += BASE)
    delta /= BASE - TMIN;
  return k + (BASE - TMIN + 1) * delta / (delta + SKEW);
}

/* One difference as a number of variable length, lowest digit first. */
static void put_delta(struct output* out, uint32_t delta, uint32_t bias) {
  static const char digits[] = "abcdefghijklmnopqrstuvwxyz0123456789";

  for (uint32_t k = BASE;; k += BASE) {
    uint32_t threshold = k <= bias ? TMIN : k >= bias + TMAX ? TMAX : k - bias;
    if (delta < threshold) {
      output_put(out, digits[delta]);
      return;
    }
    uint32_t rest = delta - threshold;
    output_put(out, digits[threshold + rest % (BASE - threshold)]);
    delta = rest / (BASE - threshold);
  }
}

/* The smallest character of the label that is at least n. */
static uint32_t smallest_from(struct label label, uint32_t n) {
  uint32_t smallest = UTF8_INVALID;
  while (label.start < label.end) {
    uint32_t character = utf8_decode(&label.start, label.end, UTF8_STRICT);
    if (character >= n && character < smallest)
      smallest = character;
  }
  return smallest;
}

/* Writes the label's ASCII characters and counts all of its characters. */
static uint32_t put_basic(struct output* out, struct label label, uint32_t* basic) {
  uint32_t total = 0;
  *basic = 0;
  while (label.start < label.end) {
    uint32_t character = utf8_decode(&label.start, label.end, UTF8_STRICT);
    total++;
    if (character < INITIAL_N) {
      output_put(out, (char) character);
      (*basic)++;
    }
  }
  return total;
}

/* False when the differences outgrow 32 bits, which takes a label far longer
 * than any resolver's. */
static bool put_punycode(struct output* out, struct label label) {
  uint32_t basic;
  uint32_t total = put_basic(out, label, &basic);
  uint32_t handled = basic;
  uint32_t bias = INITIAL_BIAS;
  uint32_t delta = 0;
  uint32_t n = INITIAL_N;

  if (basic > 0)
    output_put(out, '-');
  while (handled < total && !out->full) {
    uint32_t next = smallest_from(label, n);
    uint64_t sum = delta + (uint64_t) (next - n) * (handled + 1);
    if (sum > UINT32_MAX - total)
      return false;
    delta = (uint32_t) sum;
    n = next;

    struct label rest = label;
    while (rest.start < rest.end) {
      uint32_t character = utf8_decode(&rest.start, rest.end, UTF8_STRICT);
      if (character < n) {
        delta++;
      } else if (character == n) {
        put_delta(out, delta, bias);
        bias = adapt_bias(delta, handled + 1, handled == basic);
        delta = 0;
        handled++;
      }
    }
    delta++;
    n++;
  }
  return true;
}

static bool put_label(struct output* out, struct label label) {
  bool ascii = true;
  for (const char* byte = label.start; byte < label.end; byte++)
    ascii = ascii && (unsigned char) *byte < 0x80;
  if (!ascii) {
    for (const char* prefix = "xn--"; *prefix != '\0'; prefix++)
      output_put(out, *prefix);
    return put_punycode(out, label);
  }
  for (const char* byte = label.start; byte < label.end; byte++)
    output_put(out, *byte);
  return true;
}

static bool is_full_stop(uint32_t character) {
  return character == '.' || character == 0x3002 || character == 0xFF0E ||
         character == 0xFF61;
}

ssize_t idna_to_ascii(const char* name, size_t length, char* ascii, size_t size) {
  struct output out = {.next = ascii, .end = ascii + size};
  const char* end = name + length;
  struct label label = {.start = name};

  /* A character takes at most four bytes and yields at least one, so a longer
   * name can't fit; this also bounds the work below. */
  if (length == 0 || length / 4 > size)
    return UV_EINVAL;
  for (const char* next = name; next < end && !out.full;) {
    const char* character_start = next;
    uint32_t character = utf8_decode(&next, end, UTF8_STRICT);
    if (character == UTF8_INVALID || character == 0)
      return UV_EINVAL;
    if (!is_full_stop(character))
      continue;
    label.end = character_start;
    if (!put_label(&out, label))
      return UV_EINVAL;
    output_put(&out, '.');
    label.start = next;
  }

  label.end = end;
  if (!out.full && !put_label(&out, label))
    return UV_EINVAL;
  output_put(&out, '\0');
  return out.full ? UV_EINVAL : out.next - ascii;
}
