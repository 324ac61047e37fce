/* What was found out about descriptors: see fs_facts.h. */
#include "request/fs_facts.h"

/* Numbers of descriptors are low and close to each other, so few share a place. */
enum { FACTS_KNOWN = 64 };

static const uint64_t FACTS_GOOD_FOR_NS = 1000000;

struct fact {
  uint64_t until;
  int fd;
  unsigned int facts;
};

static _Thread_local struct fact known[FACTS_KNOWN];

static struct fact* fact_of(int fd) {
  return &known[(unsigned int) fd % FACTS_KNOWN];
}

static bool fact_holds(const struct fact* fact, const uv_loop_t* loop, int fd) {
  return fact->fd == fd && loop->now_ns < fact->until;
}

unsigned int fs_facts(const uv_loop_t* loop, int fd) {
  const struct fact* fact = fact_of(fd);
  return fact_holds(fact, loop, fd) ? fact->facts : 0;
}

void fs_facts_learn(const uv_loop_t* loop, int fd, unsigned int facts) {
  struct fact* fact = fact_of(fd);
  if (fact_holds(fact, loop, fd))
    fact->facts |= facts;
  else
    *fact = (struct fact){
        .until = loop->now_ns + FACTS_GOOD_FOR_NS, .fd = fd, .facts = facts};
}

void fs_facts_forget(int fd, unsigned int facts) {
  struct fact* fact = fact_of(fd);
  if (fact->fd == fd)
    fact->facts &= ~facts;
}
