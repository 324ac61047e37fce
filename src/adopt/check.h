/* How a process ends that was started with RONDO_ADOPT=check: which way the program goes.
 */
#ifndef RONDO_ADOPT_CHECK_H
#define RONDO_ADOPT_CHECK_H

enum {
  CHECK_ADOPTED = 100,
  CHECK_LINKED,           /* with libuv.so.1, and takes ours */
  CHECK_LINKED_ELSEWHERE, /* and takes another */
  CHECK_REFUSED,          /* it has a libuv built in that may not be adopted */
  CHECK_NEITHER,
};

#endif
