/* SPDX-License-Identifier: MIT */
/*
 * pulse -- what a loop shows of itself while it runs.
 *
 *     the loop's thread                      the watcher
 *     weir__pulse_begin(pulse, ...)          weir__pulse_look(pulse, &sight)
 *     callback
 *     weir__pulse_end(pulse)
 *     weir__pulse_prepare_sleep(pulse)            weir__pulse_is_asleep(pulse)
 *     sleep
 *     if (weir__pulse_finish_sleep(pulse))
 *         wake the watcher
 *
 * Showing a callback takes five plain stores.  pulse.c explains the words.
 */
#ifndef WEIR_SRC_PULSE_H
#define WEIR_SRC_PULSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/atomic.h"
#include "weir/task.h"

#ifdef WEIR_SMALL
enum { WEIR__SUBJECT_WORDS = 2 };
#else
enum { WEIR__SUBJECT_WORDS = 16 };
#endif
enum { WEIR__SUBJECT_BYTES = 8 * WEIR__SUBJECT_WORDS };

/* Whether the loop sleeps, and whether it must then announce that it gets
 * up. */
enum weir__pulse_rest {
    WEIR__PULSE_AWAKE,
    WEIR__PULSE_ASLEEP,
    WEIR__PULSE_UNWATCHED
};

struct weir__pulse {
    /* The loop's thread writes these, any thread reads them. */
    atomic(uint64_t) beat;     /* callbacks begun: P1 */
    atomic(const char *) name; /* P3 */
    atomic(int64_t) since_ns;  /* of the turn, or of the callback; 0: unknown.
                                    P3 */
    atomic(const void *) from; /* where it was submitted; NULL: unknown */
    atomic(uint32_t) kind;     /* weir_kind + 1; 0: none.  P2 */
    atomic(uint64_t) turn;     /* turns begun; a count */
    atomic(uint64_t) thread;   /* the kernel's ID of the loop's thread */
    atomic(uint64_t) written;  /* subjects, twice; odd: being written.  P4 */
    atomic(uint64_t) subject[WEIR__SUBJECT_WORDS]; /* P4 */
    /* Both sides write these. */
    atomic(uint32_t) rest; /* enum weir__pulse_rest */
    /* How a block ended: the loop's thread. */
    atomic(uint64_t) ended_beat; /* P5 */
    atomic(int64_t) ended_ns;    /* on the real clock: P5 */
    /* The loop's thread writes it, any thread reads it. */
    atomic(uint64_t) memory; /* bytes that its language uses; 0: it has none */
};

/* What the watcher saw. */
struct weir__sight {
    uint64_t beat, turn;
    const char *name;
    int64_t since_ns;
    weir_kind kind;
    bool is_running; /* a callback is running; otherwise only `turn` counts */
};

void weir__pulse_init(struct weir__pulse *pulse);

/* ---- the loop's thread ---- */

/* Show that a callback begins. */
static inline void weir__pulse_begin(struct weir__pulse *pulse, weir_kind kind,
                                     const char *name, int64_t since_ns)
{
    /* pulse/P1 release: publishes that the last callback has ended.  relaxed:
     * own */
    store_release(&pulse->beat, load_relaxed(&pulse->beat) + 1);
    /* pulse/P3 release: publishes `beat`, which disowns older sights */
    store_release(&pulse->name, name);
    /* pulse/P3 release: as above */
    store_release(&pulse->since_ns, since_ns);
    /* pulse/P2 release: publishes name and since_ns */
    store_release(&pulse->kind, (uint32_t)kind + 1);
}

static inline void weir__pulse_end(struct weir__pulse *pulse)
{
    store_relaxed(&pulse->kind, 0); /* relaxed: the next P1 publishes it */
}

/* Show another kind while the same callback runs: its microtasks. */
static inline void weir__pulse_kind(struct weir__pulse *pulse, uint32_t kind)
{
    /* pulse/P2 release: as in begin, for a reader that gets this one */
    store_release(&pulse->kind, kind);
}

/* Show another name while the same callback runs. */
static inline void weir__pulse_name(struct weir__pulse *pulse, const char *name)
{
    /* pulse/P3 release: as in begin; and the text, which may be new */
    store_release(&pulse->name, name);
}

/* Show what the callback works on.  A longer text is cut, between characters
 * of UTF-8.  A size of 0 means nothing. */
void weir__pulse_set_subject(struct weir__pulse *pulse, const char *text,
                             size_t size);

/* Show that the loop sleeps, after it has decided to. */
static inline void weir__pulse_prepare_sleep(struct weir__pulse *pulse)
{
    store_relaxed(&pulse->rest, WEIR__PULSE_ASLEEP); /* relaxed: one word */
}

/* Show that it no longer sleeps.  Returns true if the caller must wake the
 * watcher. */
static inline bool weir__pulse_finish_sleep(struct weir__pulse *pulse)
{
    /* relaxed: one word decides */
    return swap_relaxed(&pulse->rest, WEIR__PULSE_AWAKE) ==
           WEIR__PULSE_UNWATCHED;
}

/* Show when the callback with this number ended. */
void weir__pulse_set_ended(struct weir__pulse *pulse, int64_t now_ns);

/* ---- any thread ---- */

/* Read what runs.  Returns false if that changed meanwhile. */
bool weir__pulse_look(const struct weir__pulse *pulse,
                      struct weir__sight *sight);

/* Copy what the callback works on, with a NUL.  The text belongs to the
 * callback that weir__pulse_look returns before and after.  Returns false, with
 * an empty text, if it changed meanwhile. */
bool weir__pulse_subject(const struct weir__pulse *pulse,
                         char text[WEIR__SUBJECT_BYTES + 1]);

/* Read when the callback with this number ended; 0: unknown. */
int64_t weir__pulse_ended(const struct weir__pulse *pulse, uint64_t beat);

/* Whether the loop sleeps.  If so, it announces when it wakes up: the watcher
 * need not look at it again before that.  Thread: the watcher. */
bool weir__pulse_is_asleep(struct weir__pulse *pulse);

#endif /* WEIR_SRC_PULSE_H */
