/* The findings, said of a loop first: who or what made its users wait, the longest wait
 * first, and the sentences for that. A headline is the first of them, cut to what fits
 * into two lines of a terminal. */
#ifndef RONDO_TOOL_TRACE_FINDINGS_H
#define RONDO_TOOL_TRACE_FINDINGS_H

#include "trace_facts.h"

#include <stdio.h>

enum finding_kind {
  FINDING_HELD,    /* the loop was held up, */
  FINDING_STARVED, /* or a request waited for a thread of the pool: somebody waited */
  FINDING_BUSY,    /* it was busy all the time, with many calls of one function */
  FINDING_AWAY,    /* it wasn't asked what is ready, but nothing was */
  FINDING_START,   /* the time before it first turned */
  FINDING_CALM,    /* it was never held up for long */
  FINDING_KINDS
};

struct finding {
  enum finding_kind kind;
  uint64_t waited;
  const struct facts* facts;
};

/* Writes what is to be said into `list`, of FINDING_KINDS places, the worst first;
 * returns how much it is, one at least. */
size_t findings_list(const struct facts* facts, struct finding* list);
/* The worst of several loops, such as those of a process; loops of helper threads count
 * only if there is no other. NULL in .facts: there is no loop. */
struct finding finding_worst(struct facts* const* all, size_t count);

/* How much a loop's worst counts beside that of other loops, whatever its length: nothing
 * that happens on a helper thread comes before what somebody waited for. */
int finding_weight(const struct finding* finding);

void write_finding(FILE* out, const struct finding* finding);
void write_headline(FILE* out, const struct finding* finding);
/* All findings; each but the first on a line of its own, behind `between`. A loop that
 * was never held up for long has one line. */
void write_verdict(FILE* out, const struct facts* facts, const char* between);

#endif
