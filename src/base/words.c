/* Suggestions for mistyped words: see words.h. */
#include "base/words.h"

#include <string.h>

enum { LONGEST = 24, FAR = 3 };

static unsigned int least_of(unsigned int a, unsigned int b, unsigned int c) {
  unsigned int lower = a < b ? a : b;
  return lower < c ? lower : c;
}

/* The number of letters to change; two swapped neighbours count as one. */
static unsigned int word_distance(const char* left, const char* right) {
  unsigned int rows[3][LONGEST + 1];
  size_t n = strlen(left), m = strlen(right);
  if (n > LONGEST || m > LONGEST)
    return FAR;
  for (size_t j = 0; j <= m; j++)
    rows[0][j] = (unsigned int) j;
  for (size_t i = 1; i <= n; i++) {
    unsigned int* row = rows[i % 3];
    const unsigned int *before = rows[(i + 2) % 3], *two_before = rows[(i + 1) % 3];
    row[0] = (unsigned int) i;
    for (size_t j = 1; j <= m; j++) {
      row[j] = least_of(before[j] + 1, row[j - 1] + 1,
                        before[j - 1] + (left[i - 1] != right[j - 1]));
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1])
        row[j] = least_of(row[j], two_before[j - 2] + 1, row[j]);
    }
  }
  return rows[n % 3][m];
}

const char* nearest_word(const char* word, const char* const* words) {
  const char* nearest = NULL;
  unsigned int best = FAR;
  for (; *words != NULL; words++) {
    unsigned int far = word_distance(word, *words);
    if (far < best && far < strlen(*words)) {
      best = far;
      nearest = *words;
    }
  }
  return nearest;
}
