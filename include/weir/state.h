/* SPDX-License-Identifier: MIT */
/*
 * weir/state.h -- a state machine in one atomic word.
 *
 * Threads race for a move; one of them makes it.  A table of the moves that
 * are allowed may be given at init: debug builds check each move against it
 * and abort with file and line at one that is not there, release builds do
 * not look.
 *
 *     enum { OFF, ON, GONE };
 *     static const uint64_t next[] = {
 *         [OFF] = 1u << ON, [ON] = 1u << OFF | 1u << GONE, [GONE] = 0};
 *     static const weir_state_table moves = {3, next};
 *     weir_state state;
 *     if (weir_state_init(&state, OFF, &moves) != 0) ...
 *     if (weir_state_try_transition(&state, OFF, ON)) ...   one caller only
 */
#ifndef WEIR_STATE_H
#define WEIR_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* next[from] has bit `to` set for each move from -> to.  States are 0 to
 * count - 1, 64 at the most. */
typedef struct weir_state_table {
    uint32_t count;
    const uint64_t *next;
} weir_state_table;

/* 128 bytes with the word in the middle: whatever the alignment, nothing
 * else shares its cache line. */
typedef struct weir_state {
    const weir_state_table *table_; /* const after init */
    unsigned char before_[56];
    struct {
        uint64_t v_;
    } word_; /* any thread, state/P1 */
    unsigned char after_[56];
} weir_state;

/**
 * Begin in state `initial`.  Without a table every move is allowed.
 *
 * Thread   one, before the others know the state
 * Owns     borrows the table for as long as the state is used
 * Returns  0, -EINVAL (no such state in the table, or the table has none or
 *          more than 64 states); -EINVAL leaves the state as it was
 */
WEIR_API WEIR_CHECKED int weir_state_init(weir_state *state, uint64_t initial,
                                          const weir_state_table *table);

/**
 * The state now.
 *
 * Thread   any
 * Orders   sees what came before the move that led here
 */
WEIR_API uint64_t weir_state_load(const weir_state *state);

/**
 * Move from -> to, if the state is `from`.  Of many callers one gets true.
 *
 * Thread   any
 * Orders   a true answer sees what came before the move that led to `from`;
 *          whoever sees `to` sees what came before this call
 */
WEIR_API WEIR_CHECKED bool
weir_state_try_transition(weir_state *state, uint64_t from, uint64_t to);

/**
 * Move to `to`, if the state is one of from[0 .. count - 1].
 *
 * Thread   any
 * Orders   as weir_state_try_transition
 */
WEIR_API WEIR_CHECKED bool weir_state_transition_any(weir_state *state,
                                                     const uint64_t *from,
                                                     size_t count, uint64_t to);

/**
 * Set a terminal state, whatever the state is now.  A thread on its way to a
 * passing state must use a transition: a store would overwrite the end.
 *
 * Thread   any
 * Orders   whoever sees `to` sees what came before this call
 */
WEIR_API void weir_state_store(weir_state *state, uint64_t to);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_STATE_H */
