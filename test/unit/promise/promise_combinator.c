/* SPDX-License-Identifier: MIT */
/*
 * promise_combinator -- all, all_settled, any, race: what they become, and what
 * they refuse.  promise_order.c shows when.
 */
#include <stdio.h>
#include <string.h>

#include "support/crew.h"
#include "support/promise_fixture.h"

typedef int combine_fn(weir_promise **result, weir_loop *loop,
                       weir_promise *const *promises, size_t count);

static combine_fn *const combinators[] = {weir_promise_all,
                                          weir_promise_all_settled,
                                          weir_promise_any, weir_promise_race};

/* Notes "OK: 1 2" or "ENONE: !EIO !EPERM" of outcomes, "OK = 1" of a value. */
static void note_value(const weir_value *value, bool has_outcomes)
{
    char text[256];
    int at = snprintf(text, sizeof(text), "%s", weir_error_name(value->code));

    if (!has_outcomes && value->data != NULL)
        at += snprintf(text + at, sizeof(text) - at, "=%d", number_of(value));
    for (size_t i = 0;
         has_outcomes && i < ((weir_outcomes *)value->data)->count; i++) {
        weir_outcome one = ((weir_outcomes *)value->data)->at[i];

        at += one.state == WEIR_PROMISE_FULFILLED
                  ? snprintf(text + at, sizeof(text) - at, ",%d",
                             *(int *)one.data)
                  : snprintf(text + at, sizeof(text) - at, ",!%s",
                             weir_error_name(one.code));
    }
    note(text);
}

static weir_result see_outcomes(void *arg, const weir_value *value)
{
    note_value(value, true);
    return weir_pass();
}

static weir_result see_value(void *arg, const weir_value *value)
{
    note_value(value, false);
    return weir_give(nothing());
}

static weir_result see_either(void *arg, const weir_value *value)
{
    note_value(value, value->code == WEIR_ENONE);
    return weir_give(nothing());
}

/* ---- three promises, settled in another order ---- */

static weir_promise *three[3];

static void combine_three(combine_fn *combine, weir_then_fn *fulfilled,
                          weir_then_fn *on_rejected)
{
    weir_promise *result;

    for (int i = 0; i < 3; i++)
        three[i] = pending();
    expect_status(combine(&result, loop, three, 3), 0);
    expect_status(weir_promise_resolve(result, nothing()), -EALREADY);
    expect_status(weir_promise_then(result, fulfilled, on_rejected, NULL, NULL),
                  0);
    drop(result);
}

static void fulfil(int i)
{
    expect_status(weir_promise_resolve(three[i], counted(i)), 0);
    drop(three[i]);
}

static void refuse(int i, int code)
{
    expect_status(weir_promise_reject(three[i], weir_value_error(code)), 0);
    drop(three[i]);
}

#define SCENE(name, words)                                                     \
    static void scene_##name(void);                                            \
    CASE(name)                                                                 \
    {                                                                          \
        loop_make(NULL);                                                       \
        inside(scene_##name);                                                  \
        expect_recorded(words);                                                \
        loop_end();                                                            \
        expect_int(values_out, 0);                                             \
    }                                                                          \
    static void scene_##name(void)

SCENE(all_gives_the_values_in_the_order_of_the_promises, "OK,0,1,2")
{
    combine_three(weir_promise_all, see_outcomes, see_value);
    fulfil(2), fulfil(0), fulfil(1);
}

SCENE(all_is_rejected_as_the_first_that_is, "EIO")
{
    combine_three(weir_promise_all, see_outcomes, see_value);
    fulfil(2), refuse(1, -EIO), refuse(0, -EPERM);
}

SCENE(all_settled_gives_every_outcome, "OK,0,!EIO,2")
{
    combine_three(weir_promise_all_settled, see_outcomes, see_value);
    fulfil(2), refuse(1, -EIO), fulfil(0);
}

SCENE(any_is_fulfilled_as_the_first_that_is, "OK=2")
{
    combine_three(weir_promise_any, see_value, see_either);
    refuse(1, -EIO), fulfil(2), fulfil(0);
}

SCENE(any_of_rejected_ones_gives_all_reasons, "ENONE,!EIO,!EPERM,!EPIPE")
{
    combine_three(weir_promise_any, see_value, see_either);
    refuse(2, -EPIPE), refuse(0, -EIO), refuse(1, -EPERM);
}

SCENE(race_is_settled_as_the_first_that_is, "OK=1")
{
    combine_three(weir_promise_race, see_value, see_value);
    fulfil(1), refuse(0, -EIO), fulfil(2);
}

SCENE(race_is_rejected_as_the_first_that_is, "EIO")
{
    combine_three(weir_promise_race, see_value, see_value);
    refuse(0, -EIO), fulfil(1), fulfil(2);
}

SCENE(combinator_of_a_promise_twice_counts_it_twice, "OK,7,7")
{
    weir_promise *p = pending();
    weir_promise *const both[] = {p, p};
    weir_promise *result;

    expect_status(weir_promise_all(&result, loop, both, 2), 0);
    expect_status(weir_promise_then(result, see_outcomes, NULL, NULL, NULL), 0);
    expect_status(weir_promise_resolve(p, counted(7)), 0);
    drop(result);
    drop(p);
}

/* Nobody can settle them any more: all hears of it. */
SCENE(combinator_does_not_keep_promises_pending, "EABANDONED")
{
    combine_three(weir_promise_all, see_outcomes, see_value);
    for (int i = 0; i < 3; i++)
        drop(three[i]);
}

SCENE(race_of_none_is_abandoned_with_its_last_reference, "EABANDONED")
{
    weir_promise *result;

    expect_status(weir_promise_race(&result, loop, NULL, 0), 0);
    expect_status(weir_promise_catch(result, see_value, NULL, NULL), 0);
    drop(result);
}

/* ---- the outcomes outlive everything ---- */

static weir_promise *kept;

static void scene_keep(void)
{
    combine_three(weir_promise_all_settled, NULL, NULL);
    expect_status(weir_promise_all_settled(&kept, loop, three, 3), 0);
    for (int i = 0; i < 3; i++)
        fulfil(i);
}

CASE(combinator_keeps_the_values_of_its_outcomes_past_the_end)
{
    const weir_outcomes *outcomes;

    loop_make(NULL);
    inside(scene_keep);
    loop_end();
    outcomes = weir_promise_value(kept)->data;
    expect_int(outcomes->count, 3);
    for (int i = 0; i < 3; i++)
        expect_int(*(int *)outcomes->at[i].data, i);
    expect_int(values_out, 3);
    drop(kept);
    expect_int(values_out, 0);
}

/* ---- refused ---- */

/* covers: weir_promise_all -EINVAL
 * covers: weir_promise_all_settled -EINVAL
 * covers: weir_promise_any -EINVAL
 * covers: weir_promise_race -EINVAL
 * covers: weir_promise_all -EXDEV
 * covers: weir_promise_all_settled -EXDEV
 * covers: weir_promise_any -EXDEV
 * covers: weir_promise_race -EXDEV */
static weir_promise *foreign;

static void scene_refused(void)
{
    weir_promise *mine = pending();
    weir_promise *const with_null[] = {mine, NULL};
    weir_promise *const with_foreign[] = {mine, foreign};
    weir_promise *none = NULL;

    for (int i = 0; i < 4; i++) {
        expect_status(combinators[i](NULL, loop, &mine, 1), -EINVAL);
        expect_status(combinators[i](&none, NULL, &mine, 1), -EINVAL);
        expect_status(combinators[i](&none, loop, NULL, 1), -EINVAL);
        expect_status(combinators[i](&none, loop, &mine, SIZE_MAX), -EINVAL);
        expect_status(combinators[i](&none, loop, with_null, 2), -EINVAL);
        expect_status(combinators[i](&none, loop, with_foreign, 2), -EXDEV);
    }
    expect(none == NULL);
    drop(mine);
}

CASE(combinator_refuses_null_and_promises_of_other_loops)
{
    weir_loop *other;

    loop_make(NULL);
    expect_status(weir_loop_new(&other, NULL), 0);
    expect_status(weir_promise_new(&foreign, other), 0);
    inside(scene_refused);
    drop(foreign);
    expect_status(weir_loop_free(other), 0);
    loop_end();
}

/* covers: weir_promise_all -EPERM
 * covers: weir_promise_all_settled -EPERM
 * covers: weir_promise_any -EPERM
 * covers: weir_promise_race -EPERM */
CASE(combinator_is_refused_on_another_thread)
{
    weir_promise *p, *none = NULL;

    loop_make(NULL);
    p = pending();
    for (int i = 0; i < 4; i++)
        expect_status(combinators[i](&none, loop, &p, 1), -EPERM);
    expect(none == NULL);
    drop(p);
    loop_end();
}
