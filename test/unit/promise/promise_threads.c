/* SPDX-License-Identifier: MIT */
/*
 * promise_threads -- one thread settles, others wait, and the loop's handlers
 * hear of it.
 */
#include "support/crew.h"
#include "support/promise_fixture.h"

static weir_promise *shared;

/* ---- waiting ---- */

static void wait_for_shared(struct crew *crew, unsigned id)
{
    expect_status(weir_promise_wait(shared, -1), 0);
    expect_int(number_of(weir_promise_value(shared)), 5);
}

static void await_waiters(struct crew *crew)
{
    for (unsigned i = 0; i < crew->size; i++)
        expect(await_asleep(crew->members[i].tid));
}

CASE(promise_wait_is_woken_by_a_thread_that_resolves)
{
    struct crew crew;

    loop_make(NULL); /* which nobody runs */
    shared = pending();
    crew_start(&crew, 3, wait_for_shared, NULL);
    await_waiters(&crew);
    expect_status(weir_promise_resolve(shared, counted(5)), 0);
    crew_join(&crew);
    drop(shared);
    loop_end();
    expect_int(values_out, 0);
}

static void resolve_shared(void)
{
    expect_status(weir_promise_resolve(shared, counted(5)), 0);
}

CASE(promise_wait_is_woken_by_the_loop_that_resolves)
{
    struct crew crew;

    loop_make(NULL);
    shared = pending();
    crew_start(&crew, 3, wait_for_shared, NULL);
    await_waiters(&crew);
    inside(resolve_shared);
    crew_join(&crew);
    drop(shared);
    loop_end();
    expect_int(values_out, 0);
}

static void wait_for_derived(struct crew *crew, unsigned id)
{
    weir_promise *derived = crew->context;

    expect_status(weir_promise_wait(derived, -1), 0);
    expect_int(number_of(weir_promise_value(derived)), 5);
}

CASE(promise_wait_for_what_follows_is_woken)
{
    struct crew crew;
    weir_promise *derived, *follower;

    loop_make(NULL);
    shared = pending();
    follower = pending();
    expect_status(weir_promise_follow(follower, shared), 0);
    derived = then_call(follower, NULL, NULL);
    crew_start(&crew, 2, wait_for_derived, derived);
    await_waiters(&crew);
    resolve_shared();
    loop_run();
    crew_join(&crew);
    drop(shared);
    drop(derived);
    loop_end();
    expect_int(values_out, 0);
}

static void wait_for_cancel(struct crew *crew, unsigned id)
{
    expect_status(weir_promise_wait(shared, -1), 0);
    expect_int(weir_promise_value(shared)->code, WEIR_ECANCELED);
}

CASE(promise_wait_is_woken_by_the_end_of_the_loop)
{
    for (int is_close = 0; is_close < 2; is_close++) {
        struct crew crew;

        loop_make(NULL);
        shared = pending();
        crew_start(&crew, 2, wait_for_cancel, NULL);
        await_waiters(&crew);
        expect_status(is_close ? weir_loop_close(loop, -1)
                               : weir_loop_shutdown(loop, -1),
                      0);
        crew_join(&crew);
        drop(shared);
        expect_status(weir_loop_free(loop), 0);
    }
}

/* ---- what has returned on another thread is seen ---- */

static void resolve_elsewhere(struct crew *crew, unsigned id)
{
    resolve_shared();
}

static weir_result note_number(void *word, const weir_value *value)
{
    expect_int(number_of(value), 5);
    note(word);
    return weir_pass();
}

/* Its message is in the loop's queue; the loop sees it before it has come. */
static void scene_seen(void)
{
    shared = pending();
    drop(then_call(keep(shared), note_number, (void *)"before"));
    crew_run(1, resolve_elsewhere, NULL);
    expect_int(weir_promise_state(shared), WEIR_PROMISE_FULFILLED);
    expect_status(weir_promise_reject(shared, nothing()), -EALREADY);
    drop(then_call(keep(shared), note_number, (void *)"after"));
    loop_microtask("m");
    drop(shared);
}

CASE(promise_that_another_thread_has_resolved_is_seen_at_once)
{
    loop_make(NULL);
    inside(scene_seen);
    expect_recorded("before after m");
    loop_end();
    expect_int(values_out, 0);
}

/* ---- a thread that holds the loop ---- */

static void resolve_and_let_go(struct crew *crew, unsigned id)
{
    expect_status(weir_promise_resolve(shared, counted(5)), 0);
    drop(shared);
    weir_loop_unref(loop);
}

CASE(promise_is_settled_by_a_thread_while_the_loop_sleeps)
{
    struct crew crew;

    loop_make(NULL);
    shared = pending();
    drop(then_call(keep(shared), note_number, (void *)"woken"));
    weir_loop_ref(loop);
    crew_start(&crew, 1, resolve_and_let_go, NULL);
    loop_run();
    crew_join(&crew);
    expect_recorded("woken");
    loop_end();
    expect_int(values_out, 0);
}
