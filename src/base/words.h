/* Suggestions for mistyped words, of a command line or a setting. */
#ifndef RONDO_BASE_WORDS_H
#define RONDO_BASE_WORDS_H

/* The one of `words`, a list that ends with NULL, that is most similar to `word`; NULL if
 * all differ by more than two letters omitted, inserted, changed or swapped. */
const char* nearest_word(const char* word, const char* const* words);

#endif
