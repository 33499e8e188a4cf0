/* SPDX-License-Identifier: MIT */
/*
 * buffer -- a seqlock for each slot, with one counter for all of them.
 *
 * Shape     Slots of four words, and the number of events written so far.
 *           Event n goes to slot n modulo the size.  The writer fills the slot
 *           and then increments the counter, so at most one event, number
 *           `written`, is incomplete.  It replaces event `written` - size.
 *
 *               the writer                  a reader
 *               slot = event n   (P1)       n = written          (P2)
 *               written = n + 1  (P2)       copy slots           (P1)
 *                                           discard the events before
 *                                           written + 1 - size
 *
 * Roles     write   the ring's thread
 *           read    any thread, any number of them
 * Progress  write is wait-free and takes five stores.  read is wait-free, but
 *           may get nothing from a writer that laps it.
 *
 * Shared state
 *   written   the writer stores it, readers load it                    P1 P2
 *   word[]    the same                                                 P1 P2
 *
 * Pairs
 *   P1  write: store of a word, release  -->  read: load of it, acquire
 *       Hands over `written`: a reader that got a word of event n sees `written`
 *       of at least n afterwards, and so discards event n - size, whose slot the
 *       word is in.  The usual seqlock has a fence instead of these orders.  Here
 *       each word has its own, because a reader may get any one of them alone.
 *   P2  write: store of written, release  -->  read: load of it, acquire
 *       Hands over the complete event.
 *
 * Not paired, on purpose
 *   read: second load of written, relaxed.  P1 orders it.
 *
 * Why no torn event   If a copied slot has words of two events, n - size and n,
 *                   or n - size and later ones, then P1 makes the second load of
 *                   `written` return at least n, and the event is discarded.  If
 *                   all words are those of n, the event is discarded for the same
 *                   reason.  A slot cannot have words of older events, by P2.
 *
 * Tested by  test/model/trace/buffer.c, test/stress/trace/buffer.c,
 *            test/unit/trace/recorder.c
 */
#include "trace/buffer.h"

#include <string.h>

#include "base/memory.h"

static size_t bytes_of(uint64_t events)
{
    const struct weir__buffer *ring = NULL;

    return sizeof(*ring) + events * sizeof(ring->slot[0]);
}

struct weir__buffer *weir__buffer_new(uint64_t events)
{
    struct weir__buffer *ring =
        weir__memory_alloc(bytes_of(events), CACHE_APART);

    if (ring == NULL)
        return NULL;
    set_unshared(&ring->written, 0);
    ring->mask = events - 1;
    return ring;
}

void weir__buffer_free(struct weir__buffer *ring)
{
    if (ring != NULL)
        weir__memory_free(ring, bytes_of(ring->mask + 1));
}

/* The number of the oldest event that a slot holds if `written` is this. */
static uint64_t oldest_of(const struct weir__buffer *ring, uint64_t written)
{
    uint64_t size = ring->mask + 1;

    return written + 1 > size ? written + 1 - size : 0;
}

static struct weir__event_words copy(const struct weir__buffer *ring,
                                     uint64_t at)
{
    struct weir__event_words event;

    for (unsigned i = 0; i < WEIR__EVENT_WORDS; i++)
        /* buffer/P1 acquire: receives `written` as it was before this word */
        event.word[i] = load_acquire(&ring->slot[at & ring->mask].word[i]);
    return event;
}

size_t weir__buffer_read(const struct weir__buffer *ring, uint64_t *from,
                         struct weir__event_words *events, size_t capacity)
{
    /* buffer/P2 acquire: receives the events before it */
    uint64_t end = load_acquire(&ring->written);
    uint64_t first = oldest_of(ring, end), oldest;
    size_t gone;

    if (first < *from)
        first = *from;
    if (end > first + capacity)
        end = first + capacity;
    for (uint64_t at = first; at < end; at++)
        events[at - first] = copy(ring, at);
    oldest = oldest_of(ring, load_relaxed(&ring->written)); /* relaxed: P1 */
    gone = oldest > first ? (size_t)(oldest - first) : 0;
    if (first + gone >= end) {
        *from = first + gone > *from ? first + gone : *from;
        return 0;
    }
    *from = end;
    memmove(events, events + gone, (end - first - gone) * sizeof(*events));
    return (size_t)(end - first - gone);
}
