/* SPDX-License-Identifier: MIT */
/*
 * place -- the same case twice: with calls on the loop's thread, inside a
 * callback; and with calls elsewhere.
 *
 *     PLACE_CASE(timer_start_without_id_is_accepted)     two cases: ...
 *     {                                ..._from_inside, ..._from_elsewhere
 *         loop_make(NULL);
 *         perform(call_start, &request);
 *         ...
 *     }
 */
#ifndef WEIR_TEST_SUPPORT_PLACE_H
#define WEIR_TEST_SUPPORT_PLACE_H

#include "support/loop_fixture.h"
#include "support/suite.h"

static enum place { INSIDE, ELSEWHERE } place;

#define PLACE_CASE(name)                                                       \
    static void name(void);                                                    \
    CASE(name##_from_inside)                                                   \
    {                                                                          \
        place = INSIDE;                                                        \
        name();                                                                \
    }                                                                          \
    CASE(name##_from_elsewhere)                                                \
    {                                                                          \
        place = ELSEWHERE;                                                     \
        name();                                                                \
    }                                                                          \
    static void name(void)

/* Calls fn in that place, and lets the loop take a turn: the call has arrived
 * then.  Inside, fn is a task of that turn: timers are called before it,
 * descriptors after it. */
static inline void perform(weir_fn *fn, void *arg)
{
    if (place == INSIDE)
        expect_status(weir_loop_submit(loop, fn, arg), 0);
    else
        fn(arg, 0);
    loop_turns(1);
}

#endif /* WEIR_TEST_SUPPORT_PLACE_H */
