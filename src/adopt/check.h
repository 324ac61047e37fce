/* Exit statuses of a process that was started with RONDO_ADOPT=check: what would happen
 * to the program. */
#ifndef RONDO_ADOPT_CHECK_H
#define RONDO_ADOPT_CHECK_H

enum {
  CHECK_ADOPTED = 100,
  CHECK_LINKED,           /* linked with libuv.so.1, and gets Rondo's */
  CHECK_LINKED_ELSEWHERE, /* linked with libuv.so.1, and gets another one */
  CHECK_REFUSED,          /* has a libuv built in that may not be adopted */
  CHECK_NEITHER,
};

#endif
