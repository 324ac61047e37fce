/* Objects and strings of V8: see v8_heap.h. A string's characters are bytes or UTF-16, in
 * the string itself or outside of the heap; or the string is made of others: a part of
 * one, two joined, or a name for one. */
#include "v8/v8_heap.h"

#include <string.h>

enum {
  OBJECT_TAG = 1, /* the lowest two bits of a pointer to an object */
  TAG_MASK = 3,
  SMALL_SHIFT = 32, /* of a small integer, whose lowest bit is 0 */
  MOVES_MOST = 3,
  NESTED_MOST = 16,
  BLOCK = 4096,
  TEXT_LONGEST = 64 << 20,
};

bool v8_read_word(const struct v8_heap* heap, uintptr_t address, uintptr_t* word) {
  return heap->read(heap->data, address, word, sizeof(*word));
}

bool v8_small_integer(uintptr_t word, int64_t* value) {
  *value = (int64_t) word >> SMALL_SHIFT;
  return (word & (((uintptr_t) 1 << SMALL_SHIFT) - 1)) == 0;
}

/* An object begins with its map. Where the collector has moved the object away, its new
 * address stands there, without a tag. */
bool v8_object_open(const struct v8_heap* heap, uintptr_t word, uintptr_t* address,
                    int* type) {
  uintptr_t map;
  uint16_t found;
  for (int moves = 0; moves < MOVES_MOST; moves++) {
    if ((word & TAG_MASK) != OBJECT_TAG || word >> 47 != 0)
      return false;
    *address = word - OBJECT_TAG;
    if (!v8_read_word(heap, *address, &map))
      return false;
    if ((map & TAG_MASK) == OBJECT_TAG) {
      uintptr_t place = map - OBJECT_TAG + (uintptr_t) heap->layout.map_type;
      if (!heap->read(heap->data, place, &found, sizeof(found)))
        return false;
      *type = found;
      return true;
    }
    word = map | OBJECT_TAG;
  }
  return false;
}

/* --- where the characters are --------------------------------------------------------
 */

/* A row of characters: of one byte, or of two. */
struct characters {
  uintptr_t address;
  int64_t length;
  bool bytes;
};

static bool field_read(const struct v8_heap* heap, uintptr_t object, int field,
                       uintptr_t* word) {
  return v8_read_word(heap, object + (uintptr_t) field, word);
}

static bool is_string(const struct v8_heap* heap, uintptr_t word, uintptr_t* address,
                      int* type, int64_t* length) {
  int32_t count;
  if (!v8_object_open(heap, word, address, type) ||
      *type >= heap->layout.string_types_end ||
      !heap->read(heap->data, *address + (uintptr_t) heap->layout.string_length, &count,
                  sizeof(count)) ||
      count < 0)
    return false;
  *length = count;
  return true;
}

/* The characters of a string that has them in one row, which all but joined ones have;
 * *second is set to the other half of a joined one. */
static bool string_open(const struct v8_heap* heap, uintptr_t word,
                        struct characters* row, uintptr_t* second) {
  const struct v8_layout* layout = &heap->layout;
  int64_t from = 0, length, offset;
  uintptr_t object, part;
  int type;
  *second = 0;
  for (int depth = 0; depth < NESTED_MOST; depth++) {
    if (!is_string(heap, word, &object, &type, &length))
      return false;
    row->length = depth == 0 ? length : row->length;
    row->bytes = (type & layout->string_bytes_mask) == layout->form_bytes;
    int width = row->bytes ? 1 : 2;
    int form = type & layout->string_form_mask;
    if (form == layout->form_thin) {
      if (!field_read(heap, object, layout->thin_actual, &word))
        return false;
    } else if (form == layout->form_sliced) {
      if (!field_read(heap, object, layout->sliced_parent, &word) ||
          !field_read(heap, object, layout->sliced_offset, &part) ||
          !v8_small_integer(part, &offset) || offset < 0)
        return false;
      from += offset;
    } else if (form == layout->form_cons) {
      uintptr_t other;
      if (!field_read(heap, object, layout->cons_second, second) ||
          !field_read(heap, object, layout->cons_first, &word) ||
          !is_string(heap, word, &other, &type, &row->length))
        return false;
    } else if (form == layout->form_external) {
      row->address = 0;
      return field_read(heap, object, layout->external_data, &row->address) &&
             (row->address += (uintptr_t) (from * width)) > BLOCK;
    } else {
      row->address =
          object + (uintptr_t) (row->bytes ? layout->bytes_chars : layout->words_chars) +
          (uintptr_t) (from * width);
      return true;
    }
  }
  return false;
}

/* --- as UTF-8 --------------------------------------------------------------------------
 */

struct text {
  char* at;
  size_t left; /* without the terminator */
};

static bool text_put(struct text* text, uint32_t unit) {
  unsigned char bytes[4];
  size_t count = unit < 0x80 ? 1 : unit < 0x800 ? 2 : unit < 0x10000 ? 3 : 4;
  static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
  if (count > text->left)
    return false;
  for (size_t i = count - 1; i > 0; i--) {
    bytes[i] = (unsigned char) (0x80 | (unit & 0x3f));
    unit >>= 6;
  }
  bytes[0] = (unsigned char) (first[count] | unit);
  memcpy(text->at, bytes, count);
  text->at += count;
  text->left -= count;
  return true;
}

/* Control characters would break the lines in which names are shown. */
static bool text_add(const struct v8_heap* heap, const struct characters* row,
                     struct text* text) {
  unsigned char block[512];
  size_t width = row->bytes ? 1 : 2;
  uint32_t high = 0;
  for (int64_t at = 0; at < row->length && text->left > 0;) {
    size_t left = (size_t) (row->length - at);
    size_t count = left < sizeof(block) / width ? left : sizeof(block) / width;
    if (!heap->read(heap->data, row->address + (uintptr_t) at * width, block,
                    count * width))
      return false;
    for (size_t i = 0; i < count; i++) {
      uint32_t unit =
          width == 1 ? block[i] : (uint32_t) (block[2 * i] | block[2 * i + 1] << 8);
      if ((unit & 0xfc00) == 0xd800) {
        high = unit;
        continue;
      }
      if ((unit & 0xfc00) == 0xdc00 && high != 0)
        unit = 0x10000 + ((high & 0x3ff) << 10) + (unit & 0x3ff);
      high = 0;
      if (!text_put(text, unit < ' ' || unit == 0x7f ? ' ' : unit))
        return true;
    }
    at += (int64_t) count;
  }
  return true;
}

bool v8_string_read(const struct v8_heap* heap, uintptr_t word, char* text, size_t size) {
  struct text out = {text, size - 1};
  struct characters row;
  for (int parts = 0; word != 0 && parts < NESTED_MOST; parts++) {
    uintptr_t second;
    if (!string_open(heap, word, &row, &second) || !text_add(heap, &row, &out))
      return false;
    word = second;
  }
  *out.at = '\0';
  return true;
}

/* --- lines -----------------------------------------------------------------------------
 */

/* A line ends with LF, CR, CR LF, U+2028 or U+2029. */
static long lines_in(const unsigned char* block, size_t count, size_t width, bool* cr) {
  long lines = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t unit =
        width == 1 ? block[i] : (uint32_t) (block[2 * i] | block[2 * i + 1] << 8);
    lines += unit == '\r' || (unit == '\n' && !*cr) || unit == 0x2028 || unit == 0x2029;
    *cr = unit == '\r';
  }
  return lines;
}

/* Sources are in one row; the empty half that a joined string has after it was flattened
 * doesn't count. */
long v8_string_lines(const struct v8_heap* heap, uintptr_t word, int64_t position) {
  unsigned char block[BLOCK];
  struct characters row;
  uintptr_t second;
  bool cr = false;
  long lines = 0;
  if (!string_open(heap, word, &row, &second) || position > row.length ||
      position > TEXT_LONGEST)
    return -1;
  size_t width = row.bytes ? 1 : 2;
  for (int64_t at = 0; at < position;) {
    size_t left = (size_t) (position - at);
    size_t count = left < sizeof(block) / width ? left : sizeof(block) / width;
    if (!heap->read(heap->data, row.address + (uintptr_t) at * width, block,
                    count * width))
      return -1;
    lines += lines_in(block, count, width, &cr);
    at += (int64_t) count;
  }
  return lines;
}
