/* SPDX-License-Identifier: MIT */
/*
 * state -- a state machine in one atomic word.
 *
 * Shape     One word.  Every transition is one compare-and-swap, so exactly one
 *           of the threads that race for it wins.
 * Roles     all functions: any thread, after init
 * Progress  try_transition and load are wait-free.  transition_any is
 *           lock-free: it retries only if another thread changed the state.
 *
 * Shared state
 *   word     any thread, atomic                                          P1
 *   table    const after init
 *
 * Pairs
 *   P1  a transition: CAS or store, release  -->  load, or the next
 *       transition, acquire
 *       A thread that sees a state sees what led to it.  A transition receives
 *       from the one before it and publishes to the one after it.  A store,
 *       which ends the machine, only publishes.
 *
 * Not paired, on purpose
 *   transition_any: first load, relaxed: a guess, checked by the CAS.
 *   A failed transition is relaxed: it returns false, and nothing is read on
 *   the strength of it.
 *
 * Tested by  test/unit/gate/state.c, test/model/gate/state.c,
 *            test/stress/gate/state.c
 */
#include "weir/state.h"

#include <errno.h>

#include "base/atomic.h"
#include "base/check.h"

_Static_assert(sizeof(weir_state) == 128, "padded to 128 bytes");

#ifndef NDEBUG
static bool is_allowed(const weir_state *state, uint64_t from, uint64_t to)
{
    const weir_state_table *table = state->table_;

    return table == NULL || (from < table->count && to < table->count &&
                             (table->next[from] >> to & 1) != 0);
}
#endif

int weir_state_init(weir_state *state, uint64_t initial,
                    const weir_state_table *table)
{
    if (table != NULL &&
        (table->count > 64 || table->next == NULL || initial >= table->count))
        return -EINVAL;
    state->table_ = table;
    set_unshared(&state->word_, initial);
    return 0;
}

uint64_t weir_state_load(const weir_state *state)
{
    /* state/P1 acquire: receives what led to this state */
    return load_acquire(&state->word_);
}

bool weir_state_try_transition(weir_state *state, uint64_t from, uint64_t to)
{
    DEBUG_CHECK(is_allowed(state, from, to), "a move that is not in the table");
    /* state/P1 acquire: receives what led to `from` */
    /* state/P1 release: publishes what led to `to` */
    return cas_acq_rel(&state->word_, &from, to);
}

static bool is_among(uint64_t value, const uint64_t *set, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (set[i] == value)
            return true;
    return false;
}

bool weir_state_transition_any(weir_state *state, const uint64_t *from,
                               size_t count, uint64_t to)
{
    /* relaxed: a guess, checked by the CAS */
    uint64_t seen = load_relaxed(&state->word_);

    do {
        if (!is_among(seen, from, count))
            return false;
        DEBUG_CHECK(is_allowed(state, seen, to),
                    "a move that is not in the table");
        /* state/P1 acquire: receives what led to `seen` */
        /* state/P1 release: publishes what led to `to` */
    } while (!cas_weak_acq_rel(&state->word_, &seen, to));
    return true;
}

void weir_state_store(weir_state *state, uint64_t to)
{
#ifndef NDEBUG
    /* relaxed: a guess; a racing transition may make it stale, which is a bug
     * as well */
    uint64_t seen = load_relaxed(&state->word_);

    CHECK(seen == to || is_allowed(state, seen, to),
          "a move that is not in the table");
#endif
    /* state/P1 release: publishes what led to `to` */
    store_release(&state->word_, to);
}
