/* SPDX-License-Identifier: MIT */
/*
 * place -- run the same case twice: with calls from a callback on the loop's
 * thread, and with calls from a thread unrelated to the loop.
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

#include <pthread.h>

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

struct place_call {
    weir_fn *fn;
    void *arg;
};

static inline void *place_body(void *arg)
{
    struct place_call *call = arg;

    call->fn(call->arg, 0);
    return NULL;
}

static inline void call_elsewhere(weir_fn *fn, void *arg)
{
    struct place_call call = {fn, arg};
    pthread_t thread;

    expect_int(pthread_create(&thread, NULL, place_body, &call), 0);
    expect_int(pthread_join(thread, NULL), 0);
}

/* Call fn in the place of the case, then run one turn of the loop, after which
 * the call has taken effect.  If the place is inside, fn is a task of that
 * turn: timers run before it, descriptors after it. */
static inline void perform(weir_fn *fn, void *arg)
{
    if (place == INSIDE)
        expect_status(weir_loop_submit(loop, fn, arg), 0);
    else
        call_elsewhere(fn, arg);
    loop_turns(1);
}

#endif /* WEIR_TEST_SUPPORT_PLACE_H */
