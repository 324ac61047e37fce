/* Whether a round of reads is shared with a helper (fs_read.c).
 *
 * A helper pays only on a processor of its own. Where other programs take the processors,
 * the helper is kept from them with a batch in its hands, and the loop has to wait for it
 * as long as a time slice takes: the gain of hundreds of rounds. So the first
 * milliseconds are not shared either, until the loop's own thread has kept its processor
 * for a while. Three signs show that no processor is free: the helper began late, it was
 * interrupted for somebody else, or the loop had to wait. After a sign rounds are not
 * shared for a while, which doubles if the next sign comes before enough rounds have gone
 * well. A pause doesn't end while the loop's own thread loses its processor to others
 * again and again. */
#ifndef RONDO_FS_SHARING_H
#define RONDO_FS_SHARING_H

#include "uv.h"

#include <stdbool.h>
#include <stdint.h>

struct fs_sharing {
  struct rondo_backoff chance; /* for helpers that came, and found nothing left */
  uint64_t until_ns;           /* the end of the pause, 0 if there is none */
  uint64_t pause_ns;           /* how long the last pause was */
  unsigned int gone_well;      /* batches since the last sign */
  long switches;               /* fs_sharing_switches when the pause began */
};

/* With the first read. */
void fs_sharing_begin(struct fs_sharing* sharing, uint64_t now_ns);
/* To be asked once for a round: takes a chance of the back-off. */
bool fs_sharing_take_chance(struct fs_sharing* sharing, uint64_t now_ns);
/* A batch came back in time. */
void fs_sharing_won(struct fs_sharing* sharing);
/* The helper found nothing left. */
void fs_sharing_lost(struct fs_sharing* sharing);
/* A sign that no processor is free for a helper. */
void fs_sharing_pause(struct fs_sharing* sharing, uint64_t now_ns);

/* How often the calling thread has lost its processor to another one so far. */
long fs_sharing_switches(void);

#endif
