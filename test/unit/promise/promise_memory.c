/* SPDX-License-Identifier: MIT */
/*
 * promise_memory -- each allocation fails once: what was accepted is called, what
 * was refused has had no effect, nothing leaks.  And what a promise costs when
 * there have been some before.
 */
#include "promise/promise.h"
#include "support/failing_fixture.h"
#include "support/promise_fixture.h"

/* ---- each call, with the next allocation failing ---- */

static void fail_next(void)
{
    memory.fail_at = memory.calls + 1;
}

static int then_nothing(weir_thenable *thenable, weir_promise *promise)
{
    return weir_promise_resolve(promise, nothing());
}

static weir_thenable thenable = {then_nothing};

static weir_result finally_nothing(void *arg)
{
    return weir_pass();
}

static void ignore_rejection(void *arg, weir_loop *told,
                             const weir_rejection *what)
{
}

static void make(void)
{
    begin();
    loop_make(LOOP_OPTIONS(.on_rejection = ignore_rejection));
}

/* covers: weir_promise_new -ENOMEM
 * covers: weir_promise_then -ENOMEM
 * covers: weir_promise_catch -ENOMEM
 * covers: weir_promise_finally -ENOMEM
 * covers: weir_promise_follow_thenable -ENOMEM
 * covers: weir_promise_id -ENOMEM */
CASE(promise_calls_from_elsewhere_fail_clean_without_memory)
{
    weir_promise *p, *none = NULL;
    uint64_t id = 0;

    make();
    p = pending();
    fail_next();
    expect_status(weir_promise_new(&none, loop), -ENOMEM);
    fail_next();
    expect_status(weir_promise_then(p, note_it, NULL, NULL, &none), -ENOMEM);
    fail_next();
    expect_status(weir_promise_catch(p, note_it, NULL, &none), -ENOMEM);
    fail_next();
    expect_status(weir_promise_finally(p, finally_nothing, NULL, &none),
                  -ENOMEM);
    fail_next();
    expect_status(weir_promise_follow_thenable(p, &thenable), -ENOMEM);
    fail_next();
    expect_status(weir_promise_id(p, &id), -ENOMEM);
    expect(none == NULL && id == 0);
    expect_status(weir_promise_resolve(p, nothing()), 0);
    drop(p);
    end();
}

/* covers: weir_promise_all -ENOMEM
 * covers: weir_promise_all_settled -ENOMEM
 * covers: weir_promise_any -ENOMEM
 * covers: weir_promise_race -ENOMEM */
static void scene_combinators(void)
{
    weir_promise *none = NULL;
    weir_promise *p = pending();

    fail_next();
    expect_status(weir_promise_all(&none, loop, &p, 1), -ENOMEM);
    fail_next();
    expect_status(weir_promise_all_settled(&none, loop, &p, 1), -ENOMEM);
    fail_next();
    expect_status(weir_promise_any(&none, loop, &p, 1), -ENOMEM);
    fail_next();
    expect_status(weir_promise_race(&none, loop, &p, 1), -ENOMEM);
    expect(none == NULL);
    drop(p);
}

CASE(promise_combinators_fail_clean_without_memory)
{
    make();
    inside(scene_combinators);
    end();
}

/* ---- a sweep: the nth allocation of a scene fails ---- */

static int accepted, called, given, asked;

static int then_asked(weir_thenable *self, weir_promise *promise)
{
    int err = weir_promise_resolve(promise, nothing());

    asked++;
    return err == -EALREADY ? 0 : err; /* without memory for a resolver */
}

static weir_thenable given_thenable = {then_asked};

static weir_result give_thenable(void)
{
    given++;
    return weir_give_thenable(&given_thenable);
}

static weir_result count_it(void *arg, const weir_value *value)
{
    called++;
    return weir_give(nothing());
}

static weir_result count_and_ask(void *arg, const weir_value *value)
{
    called++;
    return give_thenable();
}

static weir_result count_finally(void *arg)
{
    called++;
    return arg == NULL ? weir_pass() : give_thenable();
}

static weir_result count_finally_promise(void *promise)
{
    called++;
    return weir_give_promise(promise);
}

/* Counts it, and lets go of what was made, which is NULL again. */
static bool accept(int err, weir_promise **made)
{
    expect(err == 0 || err == -ENOMEM);
    expect((err == 0) == (*made != NULL));
    if (err != 0)
        return false;
    accepted++;
    drop(*made);
    *made = NULL;
    return true;
}

static weir_promise *try_new(void)
{
    weir_promise *made = NULL;
    int err = weir_promise_new(&made, loop);

    expect(err == 0 || err == -ENOMEM);
    return made;
}

static void try_then(weir_promise *promise)
{
    weir_promise *made = NULL;

    (void)accept(weir_promise_then(promise, count_it, count_it, NULL, &made),
                 &made);
}

static void try_finally(weir_promise *p)
{
    weir_promise *made = NULL, *q = try_new();

    (void)accept(weir_promise_finally(p, count_finally, NULL, &made), &made);
    (void)accept(weir_promise_finally(p, count_finally, &thenable, &made),
                 &made);
    if (q == NULL)
        return;
    if (!accept(weir_promise_finally(p, count_finally_promise, keep(q), &made),
                &made))
        drop(q);
    expect_status(weir_promise_resolve(q, nothing()), 0);
    drop(q);
}

static void try_combinators(weir_promise *p)
{
    weir_promise *const two[] = {p, p};
    weir_promise *made = NULL;

    if (!weir_loop_is_owner(loop))
        return;
    if (weir_promise_all(&made, loop, two, 2) == 0)
        try_then(made);
    drop(made);
    made = NULL;
    if (weir_promise_any(&made, loop, two, 2) == 0)
        drop(made);
}

static void try_thenable(void)
{
    weir_promise *made = try_new();

    if (made != NULL && weir_promise_follow_thenable(made, &thenable) == 0)
        try_then(made);
    drop(made);
}

static void scene_sweep(void)
{
    weir_promise *made = NULL, *p = try_new();
    uint64_t id;

    if (p == NULL)
        return;
    for (int i = 0; i < 80; i++) /* more than the first ring and block hold */
        try_then(p);
    (void)accept(weir_promise_then(p, count_and_ask, count_it, NULL, &made),
                 &made);
    try_finally(p);
    try_combinators(p);
    (void)!weir_promise_id(p, &id);
    try_thenable();
    expect_status(weir_promise_resolve(p, counted(1)), 0);
    drop(p);
}

static void call_sweep(void *arg, int status)
{
    expect_status(status, 0);
    scene_sweep();
}

static void sweep(bool is_inside)
{
    uint64_t calls;

    for (uint64_t n = 1;; n++) {
        make();
        accepted = called = given = asked = 0;
        if (is_inside)
            expect_status(weir_loop_submit(loop, call_sweep, NULL), 0);
        memory.fail_at = memory.calls + n;
        calls = memory.calls;
        if (!is_inside)
            scene_sweep();
        loop_run();
        calls = memory.calls - calls;
        memory.fail_at = 0;
        end();
        expect_int(called, accepted);
        expect_int(asked, given);
        expect_int(values_out, 0);
        if (calls < n)
            return; /* none failed any more */
    }
}

CASE_WITHIN(promise_survives_each_failing_allocation_inside, 60)
{
    sweep(true);
}

CASE_WITHIN(promise_survives_each_failing_allocation_elsewhere, 60)
{
    sweep(false);
}

/* ---- what is used again ---- */

#ifndef WEIR_SMALL
static void one_round(void)
{
    weir_promise *p = resolved();

    for (int i = 0; i < 100; i++)
        p = then_call(p, NULL, NULL);
    drop(p);
}

CASE(promise_memory_is_used_again)
{
    uint64_t before;

    make();
    inside(one_round);
    before = memory.calls;
    for (int i = 0; i < 100; i++)
        inside(one_round);
    expect_int(memory.calls, before);
    end();
}
#endif

/* Many at once, then none: the blocks go back, but for a few. */
enum { MANY = 100000 };

static void scene_burst(void)
{
    static weir_promise *many[MANY];
    uint64_t before = memory.live_bytes;

    for (int i = 0; i < MANY; i++)
        many[i] = pending();
    expect(memory.live_bytes > before + MANY * 100);
    for (int i = 0; i < MANY; i++)
        drop(many[i]);
    expect(memory.live_bytes < before + 400000);
}

CASE(promise_memory_of_a_burst_is_given_back)
{
    make();
    inside(scene_burst);
    end();
}

/* counts have an end, and nobody gets there */

static void ref_too_often(void *arg, int status)
{
    weir_promise *p = arg;

    p->refs = WEIR__PROMISE_REFS - 1; /* as if so many had been taken */
    (void)weir_promise_ref(p);
    (void)weir_promise_ref(p);
}

CASE_ABORTS(promise_with_too_many_refs_aborts, "promise.c", "too many refs")
{
    loop_make(NULL);
    expect_status(weir_loop_submit(loop, ref_too_often, pending()), 0);
    loop_run();
}

static void *ref_outside(void *p)
{
    return weir_promise_ref(p);
}

CASE_ABORTS(promise_with_too_many_refs_of_others_aborts, "settle.c",
            "too many refs")
{
    weir_promise *p;
    pthread_t thread;

    loop_make(NULL);
    p = pending();
    set_unshared(&p->away, 2 * WEIR__PROMISE_REFS - 2);
    for (int i = 0; i < 2; i++) {
        expect_int(pthread_create(&thread, NULL, ref_outside, p), 0);
        expect_int(pthread_join(thread, NULL), 0);
    }
}
