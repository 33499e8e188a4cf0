/* SPDX-License-Identifier: MIT */
/*
 * buffer -- the last events of one thread, which any thread can read.
 *
 *     weir__buffer_write(ring, &event);                 its thread; never waits
 *     count = weir__buffer_read(ring, &from, events, 64);    any thread
 *
 * A full ring overwrites its oldest event.  The writer does not know of
 * readers: a reader discards what was overwritten while it copied.
 */
#ifndef WEIR_SRC_BUFFER_H
#define WEIR_SRC_BUFFER_H

#include <stddef.h>
#include <stdint.h>

#include "base/atomic.h"

enum { WEIR__EVENT_WORDS = 4 };

/* 32 bytes; what the words mean is recorder.h's. */
struct weir__event_words {
    uint64_t word[WEIR__EVENT_WORDS];
};

struct weir__buffer {
    _Alignas(CACHE_APART) atomic(uint64_t) written; /* events so far: P2 */
    uint64_t mask;                                  /* const */
    struct {
        atomic(uint64_t) word[WEIR__EVENT_WORDS]; /* P1 */
    } slot[];
};

/* Create a ring with room for `events`, a power of two.  NULL: no memory. */
struct weir__buffer *weir__buffer_new(uint64_t events);
void weir__buffer_free(struct weir__buffer *ring);

/* Append an event.  Thread: the writer. */
static inline void weir__buffer_write(struct weir__buffer *ring,
                                      const struct weir__event_words *event)
{
    uint64_t at = load_relaxed(&ring->written); /* relaxed: own */

    /* buffer/P1 release: publishes `written`, whose value condemns the event
     * that this one replaces */
    store_release(&ring->slot[at & ring->mask].word[0], event->word[0]);
    /* buffer/P1 release: as above, for a reader that gets only this word */
    store_release(&ring->slot[at & ring->mask].word[1], event->word[1]);
    /* buffer/P1 release: as above */
    store_release(&ring->slot[at & ring->mask].word[2], event->word[2]);
    /* buffer/P1 release: as above */
    store_release(&ring->slot[at & ring->mask].word[3], event->word[3]);
    /* buffer/P2 release: publishes the event */
    store_release(&ring->written, at + 1);
}

/* Copy at most `capacity` events, the oldest first, beginning with number
 * *from.  Events that are gone are skipped.  Returns how many were copied; 0
 * means that there are no newer ones.  *from becomes the number of the event
 * after the last one, so that the next call continues there.  Thread: any. */
size_t weir__buffer_read(const struct weir__buffer *ring, uint64_t *from,
                         struct weir__event_words *events, size_t capacity);

#endif /* WEIR_SRC_BUFFER_H */
