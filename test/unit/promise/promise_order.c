/* SPDX-License-Identifier: MIT */
/*
 * promise_order -- the order of handlers against a chain that counts, which is
 * ECMAScript's.
 *
 * test/aplus/order.js has each scene again, in JavaScript, and says what a real
 * engine does; test/api/promise_order.sh compares it with what is expected here.
 */
#include "support/promise_fixture.h"

#define SCENE(name, order)                                                     \
    static void scene_##name(void);                                            \
    CASE(promise_order_##name)                                                 \
    {                                                                          \
        loop_make(NULL);                                                       \
        inside(scene_##name);                                                  \
        expect_recorded(order);                                                \
        loop_end();                                                            \
        expect_recorded("");                                                   \
    }                                                                          \
    static void scene_##name(void)

/* ---- then ---- */

SCENE(then_of_a_settled_promise, "1 a 2 3")
{
    clock_of(3);
    drop(then_note(resolved(), "a"));
}

SCENE(reactions_in_order, "1 a b c 2")
{
    weir_promise *p = pending();

    drop(then_note(keep(p), "a"));
    drop(then_note(keep(p), "b"));
    clock_of(2);
    expect_status(weir_promise_resolve(p, nothing()), 0);
    drop(then_note(p, "c"));
}

SCENE(chain, "1 a 2 b 3 c 4")
{
    clock_of(4);
    drop(then_note(then_note(then_note(resolved(), "a"), "b"), "c"));
}

SCENE(pass_through, "1 2 3 a 4 5")
{
    weir_promise *p;

    clock_of(5);
    p = then_call(then_call(resolved(), NULL, NULL), NULL, NULL);
    drop(then_note(p, "a"));
}

/* ---- adoption ---- */

static weir_result note_and_give(void *promise, const weir_value *value)
{
    note("a");
    return weir_give_promise(promise);
}

static weir_result give(void *promise, const weir_value *value)
{
    return weir_give_promise(promise);
}

SCENE(adopt_fulfilled, "1 a 2 3 4 b 5 6")
{
    clock_of(6);
    drop(then_note(then_call(resolved(), note_and_give, resolved()), "b"));
}

SCENE(adopt_rejected, "1 a 2 3 4 b 5 6")
{
    /* Made inside the handler in JavaScript; here no checkpoint comes
     * between, so it is the same. */
    clock_of(6);
    drop(catch_note(then_call(resolved(), note_and_give, rejected(-EIO)), "b"));
}

static weir_promise *awaited;

static weir_result note_and_resolve(void *arg, const weir_value *value)
{
    note("r");
    expect_status(weir_promise_resolve(awaited, nothing()), 0);
    drop(awaited);
    return weir_pass();
}

SCENE(adopt_pending, "1 2 3 r 4 5 b 6 7")
{
    weir_promise *p;

    clock_of(7);
    awaited = pending();
    drop(then_note(then_call(resolved(), give, keep(awaited)), "b"));
    p = then_call(then_call(resolved(), NULL, NULL), NULL, NULL);
    drop(then_call(p, note_and_resolve, NULL));
}

SCENE(follow, "1 q 2 3 a 4 5 6")
{
    weir_promise *p, *q;

    clock_of(6);
    q = resolved();
    p = pending();
    expect_status(weir_promise_follow(p, q), 0);
    drop(then_note(p, "a"));
    drop(then_note(q, "q"));
}

/* ---- thenables ---- */

static int then_at_once(weir_thenable *thenable, weir_promise *promise)
{
    note("t");
    return weir_promise_resolve(promise, nothing());
}

static weir_thenable at_once = {then_at_once};

static weir_promise *following(weir_thenable *thenable)
{
    weir_promise *promise = pending();

    expect_status(weir_promise_follow_thenable(promise, thenable), 0);
    return promise;
}

SCENE(thenable_sync, "1 t 2 a 3 4 5")
{
    clock_of(5);
    drop(then_note(following(&at_once), "a"));
}

static weir_result give_at_once(void *arg, const weir_value *value)
{
    return weir_give_thenable(&at_once);
}

SCENE(thenable_from_handler, "1 2 t 3 a 4 5 6")
{
    clock_of(6);
    drop(then_note(then_call(resolved(), give_at_once, NULL), "a"));
}

static int then_inner(weir_thenable *thenable, weir_promise *promise)
{
    note("u");
    return weir_promise_resolve(promise, nothing());
}

static weir_thenable inner = {then_inner};

static int then_nested(weir_thenable *thenable, weir_promise *promise)
{
    note("t");
    return weir_promise_follow_thenable(promise, &inner);
}

static weir_thenable nested = {then_nested};

SCENE(thenable_nested, "1 t 2 u 3 a 4 5 6 7")
{
    clock_of(7);
    drop(then_note(following(&nested), "a"));
}

static int then_promise(weir_thenable *thenable, weir_promise *promise)
{
    weir_promise *other = resolved();
    int err = weir_promise_follow(promise, other);

    note("t");
    drop(other);
    return err;
}

static weir_thenable gives_promise = {then_promise};

SCENE(thenable_gives_promise, "1 t 2 3 4 a 5 6 7 8")
{
    clock_of(8);
    drop(then_note(following(&gives_promise), "a"));
}

/* ---- finally ---- */

static weir_result finally_note(void *arg)
{
    note("f");
    return weir_give(nothing());
}

static weir_result finally_give(void *promise)
{
    note("f");
    return weir_give_promise(promise);
}

static weir_result finally_fail(void *arg)
{
    note("f");
    return weir_fail(weir_value_error(-EIO));
}

static weir_result finally_ask(void *thenable)
{
    note("f");
    return weir_give_thenable(thenable);
}

SCENE(finally_plain, "1 f 2 3 4 a 5 6 7 8")
{
    clock_of(8);
    drop(then_note(finally_call(resolved(), finally_note, NULL), "a"));
}

SCENE(finally_of_rejected, "1 f 2 3 4 a 5 6 7 8")
{
    clock_of(8);
    drop(catch_note(finally_call(rejected(-EIO), finally_note, NULL), "a"));
}

SCENE(finally_promise, "1 f 2 3 4 a 5 6 7 8")
{
    clock_of(8);
    drop(then_note(finally_call(resolved(), finally_give, resolved()), "a"));
}

SCENE(finally_rejected_promise, "1 f 2 3 4 a 5 6 7 8")
{
    clock_of(8);
    drop(catch_note(finally_call(resolved(), finally_give, rejected(-EIO)),
                    "a"));
}

SCENE(finally_throws, "1 f 2 a 3 4 5 6")
{
    clock_of(6);
    drop(catch_note(finally_call(resolved(), finally_fail, NULL), "a"));
}

SCENE(finally_thenable, "1 f 2 t 3 4 5 a 6 7 8 9 10")
{
    clock_of(10);
    drop(then_note(finally_call(resolved(), finally_ask, &at_once), "a"));
}

/* ---- several ---- */

typedef int combine_fn(weir_promise **result, weir_loop *loop,
                       weir_promise *const *promises, size_t count);

static weir_promise *combined(combine_fn *combine, weir_promise *first,
                              weir_promise *second)
{
    weir_promise *const both[] = {first, second};
    weir_promise *result = NULL;

    expect_status(combine(&result, loop, both, first == NULL ? 0 : 2), 0);
    drop(first);
    drop(second);
    return result;
}

SCENE(all, "1 x 2 3 a 4 5 6")
{
    weir_promise *first;

    clock_of(6);
    first = resolved();
    drop(then_note(
        combined(weir_promise_all, first, then_note(resolved(), "x")), "a"));
}

static weir_promise *left_pending;

SCENE(all_rejected, "1 2 a 3 4 5 6")
{
    clock_of(6);
    left_pending = pending();
    drop(catch_note(
        combined(weir_promise_all, keep(left_pending), rejected(-EIO)), "a"));
    drop(left_pending);
}

SCENE(all_of_none, "1 a 2 3 4")
{
    clock_of(4);
    drop(then_note(combined(weir_promise_all, NULL, NULL), "a"));
}

SCENE(all_settled, "1 x 2 3 a 4 5 6")
{
    weir_promise *first;

    clock_of(6);
    first = rejected(-EIO);
    drop(then_note(
        combined(weir_promise_all_settled, first, then_note(resolved(), "x")),
        "a"));
}

SCENE(race, "1 x 2 a 3 4 5")
{
    weir_promise *first;

    clock_of(5);
    first = then_note(resolved(), "x");
    drop(then_note(combined(weir_promise_race, first, resolved()), "a"));
}

SCENE(any, "1 2 a 3 4 5")
{
    weir_promise *first;

    clock_of(5);
    first = rejected(-EIO);
    drop(then_note(combined(weir_promise_any, first, resolved()), "a"));
}

static weir_result note_and_fail(void *arg, const weir_value *value)
{
    note("x");
    return weir_fail(weir_value_error(-EIO));
}

SCENE(any_rejected, "1 x 2 3 a 4 5")
{
    weir_promise *first;

    clock_of(5);
    first = rejected(-EIO);
    drop(catch_note(combined(weir_promise_any, first,
                             catch_call(rejected(-EIO), note_and_fail, NULL)),
                    "a"));
}

SCENE(any_of_none, "1 a 2 3 4")
{
    clock_of(4);
    drop(catch_note(combined(weir_promise_any, NULL, NULL), "a"));
}

/* ---- against ticks ---- */

static weir_result note_and_tick(void *arg, const weir_value *value)
{
    note("a");
    loop_tick("u");
    return weir_pass();
}

SCENE(ticks, "t 1 a 2 b u")
{
    loop_tick("t");
    clock_of(2);
    drop(then_note(then_call(resolved(), note_and_tick, NULL), "b"));
}
