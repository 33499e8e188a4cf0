/* SPDX-License-Identifier: MIT */
/*
 * promise_fixture -- promises of a loop, and handlers that record their calls.
 *
 *     static void scene(void)
 *     {
 *         then_note(resolved(), "a");          on the loop's thread
 *     }
 *     loop_make(NULL);
 *     inside(scene);
 *     expect_recorded("a");
 *
 * Functions here consume the reference of a promise that they take, and return
 * a reference with each promise that they return.  `keep` adds a reference.
 */
#ifndef WEIR_TEST_SUPPORT_PROMISE_FIXTURE_H
#define WEIR_TEST_SUPPORT_PROMISE_FIXTURE_H

#include <errno.h>
#include <stdlib.h>

#include "support/loop_fixture.h"
#include "support/suite.h"
#include "weir/loop.h"
#include "weir/promise.h"

static inline void call_scene(void *arg, int status)
{
    expect_status(status, 0);
    (*(void (**)(void))arg)();
}

/* Call the scene in a callback of the loop, and run the loop until it is
 * idle. */
static inline void inside(void (*scene)(void))
{
    expect_status(weir_loop_submit(loop, call_scene, &scene), 0);
    loop_run();
}

/* ---- values, and how many have not been freed ---- */

static int values_out;

static inline void free_counted(void *data)
{
    values_out--;
    free(data);
}

static inline weir_value counted(int number)
{
    int *data = malloc(sizeof(*data));

    expect(data != NULL);
    *data = number;
    values_out++;
    return weir_value_of(data, free_counted);
}

static inline int number_of(const weir_value *value)
{
    expect(value != NULL && value->data != NULL);
    return *(const int *)value->data;
}

static inline weir_value nothing(void)
{
    return weir_value_of(NULL, NULL);
}

/* ---- promises ---- */

static inline weir_promise *pending(void)
{
    weir_promise *promise = NULL;

    expect_status(weir_promise_new(&promise, loop), 0);
    expect(promise != NULL);
    return promise;
}

static inline weir_promise *resolved(void)
{
    weir_promise *promise = pending();

    expect_status(weir_promise_resolve(promise, nothing()), 0);
    return promise;
}

static inline weir_promise *rejected(int code)
{
    weir_promise *promise = pending();

    expect_status(weir_promise_reject(promise, weir_value_error(code)), 0);
    return promise;
}

static inline weir_promise *keep(weir_promise *promise)
{
    return weir_promise_ref(promise);
}

static inline void drop(weir_promise *promise)
{
    weir_promise_unref(promise);
}

/* ---- handlers ---- */

static inline weir_result note_it(void *word, const weir_value *value)
{
    note(word);
    return weir_give(nothing());
}

static inline weir_result note_and_pass(void *word, const weir_value *value)
{
    note(word);
    return weir_pass();
}

/* Replace a promise by the one derived from it. */
static inline weir_promise *then_call(weir_promise *promise, weir_then_fn *fn,
                                      void *arg)
{
    weir_promise *derived = NULL;

    expect_status(weir_promise_then(promise, fn, NULL, arg, &derived), 0);
    drop(promise);
    return derived;
}

static inline weir_promise *catch_call(weir_promise *promise, weir_then_fn *fn,
                                       void *arg)
{
    weir_promise *derived = NULL;

    expect_status(weir_promise_catch(promise, fn, arg, &derived), 0);
    drop(promise);
    return derived;
}

static inline weir_promise *finally_call(weir_promise *promise,
                                         weir_finally_fn *fn, void *arg)
{
    weir_promise *derived = NULL;

    expect_status(weir_promise_finally(promise, fn, arg, &derived), 0);
    drop(promise);
    return derived;
}

static inline weir_promise *then_note(weir_promise *promise, const char *word)
{
    return then_call(promise, note_it, (void *)(uintptr_t)word);
}

static inline weir_promise *catch_note(weir_promise *promise, const char *word)
{
    return catch_call(promise, note_it, (void *)(uintptr_t)word);
}

/* A clock for the order of microtasks.  It notes "1" in the next microtask, "2"
 * in one that is queued behind all jobs queued by then, and so on, so that
 * other jobs can be ordered against it. */
static inline void clock_of(int count)
{
    static const char *const hours[] = {"1", "2", "3", "4", "5",
                                        "6", "7", "8", "9", "10"};
    weir_promise *promise = resolved();

    for (int i = 0; i < count; i++)
        promise = then_note(promise, hours[i]);
    drop(promise);
}

#endif /* WEIR_TEST_SUPPORT_PROMISE_FIXTURE_H */
