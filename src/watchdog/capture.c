/* SPDX-License-Identifier: MIT */
/*
 * capture -- one word that a question and its answer pass through.
 *
 * Shape     IDLE -> ASKED -> TAKEN -> ANSWERED -> IDLE, with the number of the
 *           question beside the state.  One CAS decides between a thread that
 *           takes the question and a watcher that withdraws it.  A signal can
 *           be delivered much later, for another question or for none: then the
 *           state, the number or the target does not match.
 * Roles     ask, wait     the watcher
 *           begin, end    the thread that was asked, perhaps in a handler
 * Progress  begin and end are wait-free.  wait ends at its deadline, or as soon
 *           as a thread that has taken the question has answered.
 *
 * Shared state
 *   word       both                                                    P1 P2
 *   target     written by ask                                          P1
 *   the rest   written between begin and end                           P2
 *
 * Pairs
 *   P1  ask: store of word, release  -->  begin: load, acquire
 *       Hands over `target`, and the memory for the answer.
 *   P2  end: store of word, release  -->  wait: load, acquire
 *       Hands over the answer.
 *
 * Tested by  test/model/watchdog/capture.c, test/unit/watchdog/live.c
 */
#include "watchdog/capture.h"

#include <errno.h>

#include "base/futex.h"

enum { IDLE, ASKED, TAKEN, ANSWERED, STATES = 3, QUESTION = 4 };

void weir__capture_init(struct weir__capture *capture)
{
    set_unshared(&capture->word, IDLE);
}

static uint32_t in_state(uint32_t word, uint32_t state)
{
    return (word & ~(uint32_t)STATES) | state;
}

void weir__capture_ask(struct weir__capture *capture, const void *target)
{
    uint32_t word = load_relaxed(&capture->word); /* relaxed: own */

    store_relaxed(&capture->target, target); /* relaxed: P1 */
    /* capture/P1 release: publishes the target, and that the last answer was
     * read */
    store_release(&capture->word, in_state(word + QUESTION, ASKED));
}

/* Sleep until the state is no longer this one, or until the deadline. */
static uint32_t wait_while(struct weir__capture *capture, uint32_t state,
                           int64_t deadline_ns)
{
    for (;;) {
        /* capture/P2 acquire: receives the answer */
        uint32_t word = load_acquire(&capture->word);

        if ((word & STATES) != state ||
            weir__futex_wait(&capture->word, word, deadline_ns,
                             WEIR__FUTEX_PRIVATE) == -ETIMEDOUT)
            return word;
    }
}

bool weir__capture_wait(struct weir__capture *capture, int64_t deadline_ns)
{
    uint32_t word = wait_while(capture, ASKED, deadline_ns);

    /* relaxed: withdraws the question; hands over nothing */
    if ((word & STATES) == ASKED &&
        cas_relaxed(&capture->word, &word, in_state(word, IDLE)))
        return false;
    (void)wait_while(capture, TAKEN, -1);
    return true;
}

bool weir__capture_is_asked(const struct weir__capture *capture)
{
    /* relaxed: a hint, which begin checks */
    return (load_relaxed(&capture->word) & STATES) == ASKED;
}

/* The target of another question may be read here, but then the word has
 * changed and the CAS fails. */
bool weir__capture_begin(struct weir__capture *capture, const void *target)
{
    /* capture/P1 acquire: receives the target */
    uint32_t word = load_acquire(&capture->word);

    if ((word & STATES) != ASKED ||
        load_relaxed(&capture->target) != target) /* relaxed: P1 */
        return false;
    /* relaxed: the load has acquired it, if it is still the same question */
    return cas_relaxed(&capture->word, &word, in_state(word, TAKEN));
}

void weir__capture_end(struct weir__capture *capture)
{
    uint32_t word = load_relaxed(&capture->word); /* relaxed: own */

    /* capture/P2 release: publishes the answer */
    store_release(&capture->word, in_state(word, ANSWERED));
    weir__futex_wake_one(&capture->word, WEIR__FUTEX_PRIVATE);
}
