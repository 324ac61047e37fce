/* Words that were meant: for command lines that are mistyped. */
#ifndef RONDO_TOOL_WORDS_H
#define RONDO_TOOL_WORDS_H

/* The one of `words`, which end with NULL, that differs least from `word`; NULL if even
 * that differs by more than two letters left out, put in, changed or swapped. */
const char* nearest_word(const char* word, const char* const* words);

#endif
