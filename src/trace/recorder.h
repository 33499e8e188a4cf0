/* SPDX-License-Identifier: MIT */
/*
 * recorder -- the rings of all threads, and what is in an event.
 *
 *     struct weir__buffer *ring = weir__recorder_join();    as the thread starts
 *     if (ring != NULL)                                   as something ends
 *         weir__recorder_add(ring, &(struct weir__recorded){...});
 *
 *     weir__recorder_note(WEIR_RECORD_SEND, NULL, address, 0);    a moment
 *
 * An event has its type, its kind and its name in one word, and its count and
 * its value in another; the other two are when it began, and how long it took,
 * in ticks.
 */
#ifndef WEIR_SRC_RECORDER_H
#define WEIR_SRC_RECORDER_H

#include <stdbool.h>

#include "base/thread.h"
#include "trace/buffer.h"
#include "weir/recorder.h"

struct weir__recorded {
    weir_record_type type;
    weir_kind kind;
    const char *name;
    uint64_t begin, ticks; /* ticks: the duration */
    uint64_t value;
    uint64_t count;
};

enum { WEIR__EVENT_BITS = 48, WEIR__EVENT_MOST = 0xffff };
#define WEIR__EVENT_VALUE ((UINT64_C(1) << WEIR__EVENT_BITS) - 1)

/* Record an event.  A name beyond 48 bits of address space is left out.
 * Thread: the ring's. */
static inline void weir__recorder_add(struct weir__buffer *ring,
                                      const struct weir__recorded *event)
{
    uint64_t name = (uintptr_t)event->name;
    uint64_t count =
        event->count < WEIR__EVENT_MOST ? event->count : WEIR__EVENT_MOST;

    weir__buffer_write(ring, &(struct weir__event_words){{
                                 event->begin,
                                 event->ticks,
                                 (name <= WEIR__EVENT_VALUE ? name : 0) |
                                     (uint64_t)event->kind << WEIR__EVENT_BITS |
                                     (uint64_t)event->type << 56,
                                 (event->value & WEIR__EVENT_VALUE) |
                                     count << WEIR__EVENT_BITS,
                             }});
}

/* Return the ring of the calling thread.  NULL: the recorder is off, there is
 * no memory, or 1024 threads have rings.  Thread: any. */
struct weir__buffer *weir__recorder_enter(void);

/* The same for the threads of loops and pools.  In the explorer's models of
 * these, the recorder is off. */
static inline struct weir__buffer *weir__recorder_join(void)
{
#ifdef WEIR_MODEL
    return NULL;
#else
    return weir__recorder_enter();
#endif
}

/* Whether to record even what is too frequent: posts, turns, settlements. */
struct weir__recording {
    atomic(uint32_t) has_everything; /* any thread */
};
extern struct weir__recording weir__recording;

static inline bool weir__recorder_has_everything(void)
{
#ifdef WEIR_MODEL
    return false;
#else
    /* relaxed: on or off */
    return __builtin_expect(load_relaxed(&weir__recording.has_everything) != 0,
                            0);
#endif
}

/* Record a moment of the calling thread, if the recorder is on. */
void weir__recorder_note(weir_record_type type, const char *name,
                         uint64_t value, uint64_t count);

#endif /* WEIR_SRC_RECORDER_H */
