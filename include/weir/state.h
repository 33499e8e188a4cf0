/* SPDX-License-Identifier: MIT */
/*
 * weir/state.h -- a state machine in one atomic word.
 *
 * Threads race for a transition, and one of them makes it.  A table of the
 * allowed transitions may be given at init.  Debug builds check each transition
 * against it, and abort with file and line if it is missing.  Release builds do
 * not check.
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

/* next[from] has bit `to` set for each allowed transition from -> to.  States
 * are 0 to count - 1, and at most 64. */
typedef struct weir_state_table {
    uint32_t count;
    const uint64_t *next;
} weir_state_table;

/* 128 bytes with the word in the middle, so that nothing else shares its cache
 * line, whatever the alignment. */
typedef struct weir_state {
    const weir_state_table *table_; /* const after init */
    unsigned char before_[56];
    struct {
        uint64_t v_;
    } word_; /* any thread, state/P1 */
    unsigned char after_[56];
} weir_state;

/**
 * Initialize a state machine in state `initial`.  Without a table every
 * transition is allowed.
 *
 * Thread   one, before other threads know the state
 * Owns     borrows the table for as long as the state is used
 * Returns  0, -EINVAL (the table does not have this state, or has no states or
 *          more than 64); -EINVAL leaves the state unchanged
 */
WEIR_API WEIR_CHECKED int weir_state_init(weir_state *state, uint64_t initial,
                                          const weir_state_table *table);

/**
 * Get the current state of a state machine.
 *
 * Thread   any
 * Orders   sees everything before the transition to this state
 */
WEIR_API uint64_t weir_state_load(const weir_state *state);

/**
 * Make a transition from one state to another.  The state becomes `to` if it is
 * `from`.  The result says whether this call made the transition.  Of several
 * callers, one gets true.
 *
 * Thread   any
 * Orders   true: sees everything before the transition to `from`; a thread that
 *          sees `to` sees everything before this call
 */
WEIR_API WEIR_CHECKED bool
weir_state_try_transition(weir_state *state, uint64_t from, uint64_t to);

/**
 * Make a transition from any of several states.  The state becomes `to` if it
 * is one of from[0 .. count - 1].  The result says whether this call made the
 * transition.
 *
 * Thread   any
 * Orders   true: sees everything before the transition to the state that it
 *          left; a thread that sees `to` sees everything before this call
 */
WEIR_API WEIR_CHECKED bool weir_state_transition_any(weir_state *state,
                                                     const uint64_t *from,
                                                     size_t count, uint64_t to);

/**
 * Set a terminal state, whatever the current state is.  To set a state that is
 * not terminal, use a transition: a store could overwrite a terminal state.
 *
 * Thread   any
 * Orders   a thread that sees `to` sees everything before this call
 */
WEIR_API void weir_state_store(weir_state *state, uint64_t to);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_STATE_H */
