/* SPDX-License-Identifier: MIT */
/*
 * promise -- settled once, handlers called once, values freed once.
 *
 * Most cases run twice: with calls on the loop's thread, and with calls from
 * elsewhere, that go through its door.
 */
#include <stdio.h>

#include "support/place.h"
#include "support/promise_fixture.h"

/* From elsewhere each call is a task, and a checkpoint may come between a
 * rejection and its handler: promise_rejection.c is about that. */
static void ignore_rejection(void *arg, weir_loop *told,
                             const weir_rejection *what)
{
}

/* A case whose calls are made in `place`; then the loop runs until it is idle,
 * ends, and no value is left. */
static void play(void (*scene)(void), const char *words)
{
    loop_make(LOOP_OPTIONS(.on_rejection = ignore_rejection));
    if (place == INSIDE)
        inside(scene);
    else
        scene();
    loop_run();
    expect_recorded(words);
    loop_end();
    expect_recorded("");
    expect_int(values_out, 0);
}

#define SCENE(name, words)                                                     \
    static void scene_##name(void);                                            \
    PLACE_CASE(name)                                                           \
    {                                                                          \
        play(scene_##name, words);                                             \
    }                                                                          \
    static void scene_##name(void)

/* ---- what handlers get ---- */

static weir_result see_number(void *word, const weir_value *value)
{
    char text[32];

    snprintf(text, sizeof(text), "%s=%d", (char *)word, number_of(value));
    note(text);
    return weir_pass();
}

static weir_result see_code(void *word, const weir_value *value)
{
    char text[64];

    snprintf(text, sizeof(text), "%s:%s", (char *)word,
             weir_error_name(value->code));
    note(text);
    return weir_give(nothing());
}

static weir_result add_one(void *arg, const weir_value *value)
{
    return weir_give(counted(number_of(value) + 1));
}

static weir_result must_not_run(void *arg, const weir_value *value)
{
    expect(false);
    return weir_pass();
}

static weir_promise *then_both(weir_promise *promise, weir_then_fn *fulfilled,
                               weir_then_fn *rejected_fn, void *arg)
{
    weir_promise *derived = NULL;

    expect_status(
        weir_promise_then(promise, fulfilled, rejected_fn, arg, &derived), 0);
    drop(promise);
    return derived;
}

SCENE(promise_that_is_resolved_gives_its_value_to_each_handler, "a=7 b=7 c=7")
{
    weir_promise *p = pending();

    drop(then_both(keep(p), see_number, must_not_run, (void *)"a"));
    drop(then_both(keep(p), see_number, must_not_run, (void *)"b"));
    expect_status(weir_promise_resolve(p, counted(7)), 0);
    drop(then_both(p, see_number, must_not_run, (void *)"c"));
}

SCENE(promise_that_is_rejected_gives_its_reason_to_each_handler, "a:EIO b:EIO")
{
    weir_promise *p = pending();

    drop(then_both(keep(p), must_not_run, see_code, (void *)"a"));
    expect_status(weir_promise_reject(p, weir_value_error(-EIO)), 0);
    drop(then_both(p, must_not_run, see_code, (void *)"b"));
}

SCENE(promise_chain_hands_values_on, "sum=3")
{
    weir_promise *p = pending();

    expect_status(weir_promise_resolve(p, counted(1)), 0);
    p = then_call(then_call(p, add_one, NULL), add_one, NULL);
    drop(then_call(p, see_number, (void *)"sum"));
}

SCENE(promise_value_passes_through_handlers_that_are_null, "same=5")
{
    weir_promise *p = pending();

    expect_status(weir_promise_resolve(p, counted(5)), 0);
    p = catch_call(then_call(p, NULL, NULL), must_not_run, NULL);
    drop(then_call(p, see_number, (void *)"same"));
}

SCENE(promise_rejection_passes_through_then, "late:EIO")
{
    weir_promise *p = rejected(-EIO);

    p = then_call(then_call(p, must_not_run, NULL), must_not_run, NULL);
    drop(catch_call(p, see_code, (void *)"late"));
}

/* The value outlives the promise that was settled with it. */
SCENE(promise_value_lives_as_long_as_a_promise_that_took_it_over, "")
{
    weir_promise *p = pending();
    weir_promise *derived = then_call(keep(p), NULL, NULL);

    expect_status(weir_promise_resolve(p, counted(9)), 0);
    drop(p);
    if (place == ELSEWHERE) {
        loop_run();
        expect_int(number_of(weir_promise_value(derived)), 9);
        expect_int(values_out, 1);
        drop(derived);
        loop_run();
        expect_int(values_out, 0);
    } else {
        drop(derived);
    }
}

/* ---- settled once ---- */

/* covers: weir_promise_resolve -EALREADY
 * covers: weir_promise_reject -EALREADY
 * covers: weir_promise_follow -EALREADY
 * covers: weir_promise_follow_thenable -EALREADY */
static int then_never(weir_thenable *thenable, weir_promise *promise)
{
    expect(false);
    return 0;
}

SCENE(promise_that_is_settled_refuses_every_other_decision, "")
{
    static weir_thenable thenable = {then_never};
    weir_promise *p = pending();
    weir_promise *other = pending();
    weir_value spare = counted(2);

    expect_int(weir_promise_state(p), WEIR_PROMISE_PENDING);
    expect(weir_promise_value(p) == NULL);
    expect_status(weir_promise_resolve(p, counted(1)), 0);
    expect_int(weir_promise_state(p), WEIR_PROMISE_FULFILLED);
    expect_status(weir_promise_resolve(p, spare), -EALREADY);
    expect_status(weir_promise_reject(p, spare), -EALREADY);
    expect_status(weir_promise_follow(p, other), -EALREADY);
    expect_status(weir_promise_follow_thenable(p, &thenable), -EALREADY);
    expect_int(number_of(weir_promise_value(p)), 1);
    spare.free(spare.data); /* it is still ours */
    drop(p);
    drop(other);
}

SCENE(promise_that_follows_refuses_every_other_decision, "other=3")
{
    weir_promise *p = pending();
    weir_promise *other = pending();

    expect_status(weir_promise_follow(p, other), 0);
    expect_int(weir_promise_state(p), WEIR_PROMISE_PENDING);
    expect_status(weir_promise_resolve(p, nothing()), -EALREADY);
    expect_status(weir_promise_reject(p, nothing()), -EALREADY);
    expect_status(weir_promise_follow(p, other), -EALREADY);
    drop(then_call(p, see_number, (void *)"other"));
    expect_status(weir_promise_resolve(other, counted(3)), 0);
    drop(other);
}

SCENE(promise_of_then_is_nobodys_to_settle, "")
{
    weir_promise *p = pending();
    weir_promise *derived = then_call(keep(p), NULL, NULL);

    expect_status(weir_promise_resolve(derived, nothing()), -EALREADY);
    expect_status(weir_promise_reject(derived, nothing()), -EALREADY);
    expect_status(weir_promise_resolve(p, nothing()), 0);
    drop(p);
    drop(derived);
}

/* ---- misuse ---- */

/* covers: weir_promise_new -EINVAL
 * covers: weir_promise_resolve -EINVAL
 * covers: weir_promise_reject -EINVAL
 * covers: weir_promise_follow -EINVAL
 * covers: weir_promise_follow_thenable -EINVAL
 * covers: weir_promise_then -EINVAL
 * covers: weir_promise_catch -EINVAL
 * covers: weir_promise_finally -EINVAL
 * covers: weir_promise_wait -EINVAL */
SCENE(promise_calls_refuse_null, "")
{
    weir_thenable empty = {NULL};
    weir_promise *p = pending();

    expect_status(weir_promise_new(NULL, loop), -EINVAL);
    expect_status(weir_promise_new(&p, NULL), -EINVAL);
    expect_status(weir_promise_resolve(NULL, nothing()), -EINVAL);
    expect_status(weir_promise_reject(NULL, nothing()), -EINVAL);
    expect_status(weir_promise_follow(NULL, p), -EINVAL);
    expect_status(weir_promise_follow(p, NULL), -EINVAL);
    expect_status(weir_promise_follow_thenable(NULL, &empty), -EINVAL);
    expect_status(weir_promise_follow_thenable(p, NULL), -EINVAL);
    expect_status(weir_promise_follow_thenable(p, &empty), -EINVAL);
    expect_status(weir_promise_then(NULL, NULL, NULL, NULL, NULL), -EINVAL);
    expect_status(weir_promise_catch(NULL, see_code, NULL, NULL), -EINVAL);
    expect_status(weir_promise_catch(p, NULL, NULL, NULL), -EINVAL);
    expect_status(weir_promise_finally(p, NULL, NULL, NULL), -EINVAL);
    expect_status(weir_promise_wait(NULL, 0), -EINVAL);
    expect_int(weir_promise_state(p), WEIR_PROMISE_PENDING);
    expect(weir_promise_loop(p) == loop);
    drop(p);
    drop(NULL);
}

SCENE(promise_that_follows_itself_is_rejected, "self:ESELF")
{
    weir_promise *p = pending();

    drop(catch_call(keep(p), see_code, (void *)"self"));
    expect_status(weir_promise_follow(p, p), 0);
    drop(p);
}

static weir_promise *derived_of_handler;

static weir_result give_derived(void *arg, const weir_value *value)
{
    return weir_give_promise(keep(derived_of_handler));
}

SCENE(promise_that_its_handler_returns_is_rejected, "self:ESELF")
{
    derived_of_handler = then_call(resolved(), give_derived, NULL);
    drop(catch_call(derived_of_handler, see_code, (void *)"self"));
}

/* covers: weir_promise_follow -EXDEV */
CASE(promise_of_another_loop_cannot_be_followed)
{
    weir_loop *other_loop;
    weir_promise *p, *foreign;

    loop_make(NULL);
    expect_status(weir_loop_new(&other_loop, NULL), 0);
    p = pending();
    expect_status(weir_promise_new(&foreign, other_loop), 0);
    expect_status(weir_promise_follow(p, foreign), -EXDEV);
    expect_int(weir_promise_state(p), WEIR_PROMISE_PENDING);
    drop(foreign);
    drop(p);
    expect_status(weir_loop_free(other_loop), 0);
    loop_end();
}

static weir_promise *of_another_loop;

static weir_result give_foreign(void *arg, const weir_value *value)
{
    return weir_give_promise(of_another_loop);
}

CASE(promise_of_another_loop_that_a_handler_returns_rejects)
{
    weir_loop *other_loop;

    loop_make(LOOP_OPTIONS(.on_rejection = ignore_rejection));
    expect_status(weir_loop_new(&other_loop, NULL), 0);
    expect_status(weir_promise_new(&of_another_loop, other_loop), 0);
    drop(catch_call(then_call(resolved(), give_foreign, NULL), see_code,
                    (void *)"foreign"));
    loop_run();
    expect_recorded("foreign:EXDEV");
    expect_status(weir_loop_free(other_loop), 0);
    loop_end();
}

static weir_result give_null(void *arg, const weir_value *value)
{
    return arg == NULL ? weir_give_promise(NULL) : weir_give_thenable(NULL);
}

SCENE(promise_handler_that_returns_null_rejects,
      "promise:EINVAL thenable:EINVAL")
{
    drop(catch_call(then_call(resolved(), give_null, NULL), see_code,
                    (void *)"promise"));
    drop(catch_call(then_call(resolved(), give_null, (void *)"x"), see_code,
                    (void *)"thenable"));
}

CASE_ABORTS(promise_with_more_unrefs_than_refs_aborts, "settle.c",
            "more unrefs than refs")
{
    weir_promise *p, *derived;

    loop_make(NULL);
    p = pending();
    derived = then_call(keep(p), NULL, NULL);
    drop(derived);
    drop(derived);
    drop(p);
    drop(p);
    drop(p);
    loop_run();
}

/* ---- references ---- */

SCENE(promise_with_handlers_may_be_let_go_after_it_was_resolved, "kept=4")
{
    weir_promise *p = pending();

    expect_status(weir_promise_then(p, see_number, NULL, (void *)"kept", NULL),
                  0);
    expect_status(weir_promise_resolve(p, counted(4)), 0);
    drop(p);
}

SCENE(promise_that_nobody_can_settle_any_more_is_rejected,
      "abandoned:EABANDONED")
{
    weir_promise *p = pending();

    drop(catch_call(then_call(p, must_not_run, NULL), see_code,
                    (void *)"abandoned"));
}

SCENE(promise_that_nobody_waits_for_may_be_let_go, "")
{
    drop(pending());
    drop(resolved());
}

/* ---- finally ---- */

static weir_result finally_value(void *arg)
{
    return weir_give(counted(100)); /* freed, and not used */
}

static weir_result finally_error(void *arg)
{
    return weir_fail(weir_value_error(-ENOSPC));
}

SCENE(promise_finally_keeps_the_value, "kept=6")
{
    weir_promise *p = pending();

    expect_status(weir_promise_resolve(p, counted(6)), 0);
    p = finally_call(p, finally_value, NULL);
    drop(then_call(p, see_number, (void *)"kept"));
}

SCENE(promise_finally_keeps_the_reason, "kept:EIO")
{
    weir_promise *p = finally_call(rejected(-EIO), finally_value, NULL);

    drop(catch_call(p, see_code, (void *)"kept"));
}

SCENE(promise_finally_that_fails_replaces_the_outcome,
      "value:ENOSPC reason:ENOSPC")
{
    drop(catch_call(finally_call(resolved(), finally_error, NULL), see_code,
                    (void *)"value"));
    drop(catch_call(finally_call(rejected(-EIO), finally_error, NULL), see_code,
                    (void *)"reason"));
}

static weir_result finally_promise(void *promise)
{
    return weir_give_promise(promise);
}

SCENE(promise_finally_waits_for_a_promise_and_keeps_the_value, "kept=8")
{
    weir_promise *p = pending();
    weir_promise *wait = pending();

    expect_status(weir_promise_resolve(p, counted(8)), 0);
    p = finally_call(p, finally_promise, keep(wait));
    drop(then_call(p, see_number, (void *)"kept"));
    expect_status(weir_promise_resolve(wait, counted(0)), 0);
    drop(wait);
}

SCENE(promise_finally_whose_promise_is_rejected_replaces_the_outcome,
      "reason:ENOSPC")
{
    weir_promise *p =
        finally_call(rejected(-EIO), finally_promise, rejected(-ENOSPC));

    drop(catch_call(p, see_code, (void *)"reason"));
}

/* ---- thenables ---- */

struct twice {
    weir_thenable thenable; /* first */
    int returns;
};

static int then_twice(weir_thenable *thenable, weir_promise *promise)
{
    expect_status(weir_promise_resolve(promise, counted(1)), 0);
    expect_status(weir_promise_reject(promise, nothing()), -EALREADY);
    return ((struct twice *)thenable)->returns;
}

SCENE(thenable_that_calls_back_twice_and_fails_counts_once, "first=1")
{
    static struct twice twice = {{then_twice}, -EIO};
    weir_promise *p = pending();

    expect_status(weir_promise_follow_thenable(p, &twice.thenable), 0);
    drop(then_call(p, see_number, (void *)"first"));
}

static int then_fails(weir_thenable *thenable, weir_promise *promise)
{
    return -EPIPE;
}

static int then_raises(weir_thenable *thenable, weir_promise *promise)
{
    weir_raise(-EPROTO, "no");
}

static int then_forgets(weir_thenable *thenable, weir_promise *promise)
{
    return 0;
}

static void follow_and_see(weir_thenable *thenable, const char *word)
{
    weir_promise *p = pending();

    expect_status(weir_promise_follow_thenable(p, thenable), 0);
    drop(catch_call(p, see_code, (void *)(uintptr_t)word));
}

SCENE(thenable_that_fails_raises_or_forgets_rejects,
      "fails:EPIPE raises:EPROTO forgets:EABANDONED")
{
    static weir_thenable fails = {then_fails};
    static weir_thenable raises = {then_raises};
    static weir_thenable forgets = {then_forgets};

    follow_and_see(&fails, "fails");
    follow_and_see(&raises, "raises");
    follow_and_see(&forgets, "forgets");
}

/* Each gives the next one; the last one settles all of them. */
enum { DEEP = 100000 };
static int depth;
static weir_thenable deep;

static int then_deeper(weir_thenable *thenable, weir_promise *promise)
{
    if (++depth < DEEP)
        return weir_promise_follow_thenable(promise, thenable);
    return weir_promise_resolve(promise, counted(depth));
}

SCENE(thenable_that_gives_thenables_may_go_deep, "depth=100000")
{
    weir_promise *p = pending();

    depth = 0;
    deep.then = then_deeper;
    expect_status(weir_promise_follow_thenable(p, &deep), 0);
    drop(then_call(p, see_number, (void *)"depth"));
}

/* ---- handlers that raise ---- */

static weir_result raise_in_handler(void *arg, const weir_value *value)
{
    weir_raise(-EDOM, "handler");
}

static weir_result raise_in_finally(void *arg)
{
    weir_raise(-ERANGE, "finally");
}

static void no_uncaught(void *arg, weir_loop *told, const weir_uncaught *what)
{
    expect(false);
}

static void scene_raise(void)
{
    drop(catch_call(then_call(resolved(), raise_in_handler, NULL), see_code,
                    (void *)"then"));
    drop(catch_call(finally_call(resolved(), raise_in_finally, NULL), see_code,
                    (void *)"finally"));
    drop(then_note(resolved(), "next"));
}

CASE(promise_handler_that_raises_rejects_and_the_loop_goes_on)
{
    loop_make(LOOP_OPTIONS(.on_uncaught = no_uncaught));
    inside(scene_raise);
    expect_recorded("next then:EDOM finally:ERANGE");
    loop_end();
}

/* ---- waiting ---- */

/* covers: weir_promise_wait -EDEADLK */
static void scene_wait_inside(void)
{
    weir_promise *p = resolved();

    expect_status(weir_promise_wait(p, -1), -EDEADLK);
    drop(p);
}

CASE(promise_wait_on_a_loops_thread_is_refused)
{
    loop_make(NULL);
    inside(scene_wait_inside);
    loop_end();
}

/* covers: weir_promise_wait -ETIMEDOUT */
CASE(promise_wait_returns_at_its_limit)
{
    weir_promise *p;

    loop_make(NULL);
    p = pending();
    expect_status(weir_promise_wait(p, 0), -ETIMEDOUT);
    expect_status(weir_promise_wait(p, MILLISECOND_NS), -ETIMEDOUT);
    expect_status(weir_promise_resolve(p, nothing()), 0);
    expect_status(weir_promise_wait(p, 0), 0);
    expect_status(weir_promise_wait(p, -1), 0);
    drop(p);
    loop_end();
}
