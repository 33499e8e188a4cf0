/* SPDX-License-Identifier: MIT */
/*
 * promise -- settled once, told once, freed once, whoever comes first.
 *
 * Each case has a loop's thread and others that settle, wait, let go, or end
 * the loop.  What must hold: one call decides, its value is what handlers and
 * waiters see, and is freed once, after its last use; a handler is called once;
 * nobody sleeps forever.
 */
#include "weir/promise.h"

#include <errno.h>

#include "model.h"
#include "promise/promise.h"
#include "weir/loop.h"

static weir_loop *loop;
static weir_promise *promise;
static int decided[MODEL_THREADS]; /* each thread's own: its call won */
static int freed;                  /* values, by their promises */
static int values[MODEL_THREADS];  /* what is behind a value: plain */
static int fulfilled, refused;     /* calls of handlers */

static void free_value(void *data)
{
    plain_store((int *)data, -1); /* after every other use of it */
    freed++;
}

static weir_value own_value(void)
{
    int *value = &values[model_self()];

    plain_store(value, 7);
    return weir_value_of(value, free_value);
}

static weir_result on_fulfilled(void *arg, const weir_value *value)
{
    model_assert(plain_load((int *)value->data) == 7);
    fulfilled++;
    return weir_pass();
}

static weir_result give_nothing(void *arg, const weir_value *value)
{
    fulfilled++;
    return weir_give(weir_value_of(NULL, NULL));
}

static weir_result on_rejected(void *arg, const weir_value *value)
{
    model_assert(value->code == WEIR_ECANCELED ||
                 value->code == WEIR_EABANDONED);
    refused++;
    return weir_give(weir_value_of(NULL, NULL));
}

static void ignore(void *arg, weir_loop *told, const weir_rejection *what)
{
}

/* ---- setups ---- */

static void make_loop(void)
{
    weir_loop_options options = {.size = sizeof(options),
                                 .on_rejection = ignore};

    model_assert(weir_loop_new(&loop, &options) == 0);
}

/* Its message has been taken: as if the loop had made it. */
static void make_promise(int references)
{
    model_assert(weir_promise_new(&promise, loop) == 0);
    while (--references > 0)
        weir_promise_ref(promise);
    model_assert(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) == 0);
}

static void init_two(void)
{
    make_loop();
    make_promise(2);
}

static void add_handler(void)
{
    model_assert(
        weir_promise_then(promise, on_fulfilled, on_rejected, NULL, NULL) == 0);
    model_assert(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) == 0);
}

static void init_handler_two(void)
{
    init_two();
    add_handler();
}

static void init_handler_two_held(void)
{
    init_handler_two();
    weir_loop_ref(loop);
    weir_loop_ref(loop);
}

static void init_two_held(void)
{
    init_two();
    weir_loop_ref(loop);
    weir_loop_ref(loop);
}

static void init_three_held(void)
{
    make_loop();
    make_promise(3);
    weir_loop_ref(loop);
    weir_loop_ref(loop);
}

/* ---- roles ---- */

static void resolve(void)
{
    int err = weir_promise_resolve(promise, own_value());

    model_assert(err == 0 || err == -EALREADY);
    decided[model_self()] = err == 0;
}

static void resolve_and_drop(void)
{
    resolve();
    weir_promise_unref(promise);
}

static void resolve_drop_and_let_go(void)
{
    resolve_and_drop();
    weir_loop_unref(loop);
}

/* Keeps its reference: there is no second message that would make up for the
 * first. */
static void resolve_and_let_go(void)
{
    resolve();
    weir_loop_unref(loop);
}

static void then_drop_and_let_go(void)
{
    int err = weir_promise_then(promise, on_fulfilled, on_rejected, NULL, NULL);

    model_assert(err == 0);
    weir_promise_unref(promise);
    weir_loop_unref(loop);
}

/* A handler of another thread's knows its own promise. */
static weir_promise *derived_of_thread;

static weir_result know_derived(void *arg, const weir_value *value)
{
    model_assert(derived_of_thread != NULL);
    return weir_pass();
}

static void init_settled_held(void)
{
    make_loop();
    make_promise(1);
    model_assert(weir_promise_resolve(promise, (weir_value){0}) == 0);
    model_assert(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) == 0);
    weir_loop_ref(loop);
}

static void derive_drop_and_let_go(void)
{
    model_assert(weir_promise_then(promise, know_derived, NULL, NULL,
                                   &derived_of_thread) == 0);
    weir_promise_unref(derived_of_thread);
    weir_promise_unref(promise);
    weir_loop_unref(loop);
}

static void wait_and_drop(void)
{
    const weir_value *value;

    model_assert(weir_promise_wait(promise, -1) == 0);
    value = weir_promise_value(promise);
    model_assert(value->code == WEIR_ECANCELED ||
                 plain_load((int *)value->data) == 7);
    weir_promise_unref(promise);
}

/* Not through the value: wait itself hands over what came before. */
static void wait_and_look(void)
{
    model_assert(weir_promise_wait(promise, -1) == 0);
    model_assert(plain_load(&values[0]) == 7);
    weir_promise_unref(promise);
}

static void drop(void)
{
    weir_promise_unref(promise);
}

static void drop_and_let_go(void)
{
    weir_promise_unref(promise);
    weir_loop_unref(loop);
}

static void run_until_idle(void)
{
    model_assert(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) == 0);
}

static void run_until_closed(void)
{
    int err = weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED);

    model_assert(err == 0 || err == WEIR_ECLOSED || err == -EBUSY);
}

static void close_and_free(void)
{
    model_assert(weir_loop_close(loop, -1) == 0);
    model_assert(weir_loop_free(loop) == 0);
}

static void close_it(void)
{
    model_assert(weir_loop_close(loop, -1) == 0);
}

static void shut_down(void)
{
    model_assert(weir_loop_shutdown(loop, -1) == 0);
}

/* ---- what the loop's thread does in a callback ---- */

static void resolve_inside(void *arg, int status)
{
    resolve_and_drop();
}

static void run_and_resolve(void)
{
    model_assert(weir_loop_submit(loop, resolve_inside, NULL) == 0);
    run_until_idle();
}

static void then_inside(void *arg, int status)
{
    model_assert(
        weir_promise_then(promise, on_fulfilled, on_rejected, NULL, NULL) == 0);
    weir_promise_unref(promise);
}

static void run_then(void)
{
    model_assert(weir_loop_submit(loop, then_inside, NULL) == 0);
    run_until_idle();
}

static void drop_inside(void *arg, int status)
{
    weir_promise_unref(promise);
}

static void run_drop(void)
{
    model_assert(weir_loop_submit(loop, drop_inside, NULL) == 0);
    run_until_idle();
}

/* ---- ends ---- */

static int all_decided(void)
{
    int sum = 0;

    for (int i = 0; i < MODEL_THREADS; i++)
        sum += decided[i];
    return sum;
}

/* All have let go: the value has been freed once, and the loop is gone. */
static void gone(void)
{
    model_assert(all_decided() <= 1);
    model_assert(freed == all_decided());
    loop = NULL;
    promise = NULL;
}

static void free_loop(void)
{
    model_assert(weir_loop_free(loop) == 0);
    gone();
}

static void settled_once(void)
{
    model_assert(all_decided() == 1);
    free_loop();
}

static void handled_once(void)
{
    int err = weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE); /* the last messages */

    model_assert(err == 0 || err == WEIR_ECLOSED);
    model_assert(fulfilled + refused == 1);
    model_assert(fulfilled == all_decided());
    free_loop();
}

static void handled_once_by_one_message(void)
{
    model_assert(fulfilled == 1);
    weir_promise_unref(promise);
    handled_once();
}

/* A close may come between the decision and the handler. */
static void told_once(void)
{
    model_assert(fulfilled + refused == 1);
    model_assert(fulfilled <= all_decided());
    free_loop();
}

static void told_once_and_gone(void)
{
    model_assert(fulfilled + refused == 1);
    gone();
}

/* ---- made while the loop ends ---- */

static void init_held(void)
{
    make_loop();
    weir_loop_ref(loop);
}

/* Refused, or settled by the end at the latest. */
static void make_one_and_wait(void)
{
    weir_promise *mine;
    int err = weir_promise_new(&mine, loop);

    model_assert(err == 0 || err == WEIR_ECLOSED);
    if (err == 0) {
        model_assert(weir_promise_wait(mine, -1) == 0);
        model_assert(weir_promise_value(mine)->code == WEIR_ECANCELED);
        weir_promise_unref(mine);
    }
    weir_loop_unref(loop);
}

/* ---- numbers ---- */

static uint64_t id;

static void init_numbered(void)
{
    make_loop();
    make_promise(1);
    model_assert(weir_promise_id(promise, &id) == 0);
}

static void find_and_drop(void)
{
    weir_promise *found;
    int err = weir_promise_find(loop, id, &found);

    model_assert(err == 0 || err == -ENOENT);
    if (err == 0)
        weir_promise_unref(found);
}

static void not_found(void)
{
    weir_promise *found;

    model_assert(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) == 0);
    model_assert(weir_promise_find(loop, id, &found) == -ENOENT);
    free_loop();
}

/* What `then` made: only its number leads to it, and it has a job. */
static void init_numbered_job(void)
{
    weir_promise *derived;

    make_loop();
    make_promise(1);
    model_assert(
        weir_promise_then(promise, give_nothing, NULL, NULL, &derived) == 0);
    model_assert(weir_promise_id(derived, &id) == 0);
    weir_promise_unref(derived);
    model_assert(weir_promise_resolve(promise, weir_value_of(NULL, NULL)) == 0);
    weir_promise_unref(promise);
}

static void run_jobs(void)
{
    model_assert(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) == 0);
    model_assert(fulfilled == 1);
}

/* Who finds it sees it settled. */
static void find_and_wait(void)
{
    weir_promise *found;

    if (weir_promise_find(loop, id, &found) != 0)
        return;
    model_assert(weir_promise_wait(found, -1) == 0);
    model_assert(weir_promise_state(found) == WEIR_PROMISE_FULFILLED);
    weir_promise_unref(found);
}

/* ---- following ---- */

static weir_promise *other;

static void init_other(void)
{
    init_handler_two();
    model_assert(weir_promise_new(&other, loop) == 0);
    weir_promise_ref(other);
    model_assert(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) == 0);
    weir_loop_ref(loop);
    weir_loop_ref(loop);
}

static void follow_and_drop(void)
{
    int err = weir_promise_follow(promise, other);

    model_assert(err == 0);
    weir_promise_unref(promise);
    weir_promise_unref(other);
    weir_loop_unref(loop);
}

static void resolve_other_and_drop(void)
{
    int err = weir_promise_resolve(other, own_value());

    model_assert(err == 0);
    decided[model_self()] = 1;
    weir_promise_unref(promise);
    weir_promise_unref(other);
    weir_loop_unref(loop);
}

/* ---- a handler that closes a circle while the loop ends ---- */

static weir_promise *circle[2];

static weir_result follow_the_last(void *arg, const weir_value *value)
{
    return weir_give_promise(weir_promise_ref(circle[1]));
}

static void init_circle(void)
{
    init_two();
    model_assert(weir_promise_then(promise, follow_the_last, follow_the_last,
                                   NULL, &circle[0]) == 0);
    model_assert(weir_promise_then(circle[0], NULL, NULL, NULL, &circle[1]) ==
                 0);
    model_assert(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) == 0);
}

static void circle_is_rejected(void)
{
    for (int i = 0; i < 2; i++) {
        model_assert(weir_promise_state(circle[i]) == WEIR_PROMISE_REJECTED);
        weir_promise_unref(circle[i]);
        circle[i] = NULL;
    }
    weir_promise_unref(promise);
    free_loop();
}

/* ---- a variant that is wrong: two words, one after the other ---- */

static atomic(uint32_t) broken_state;
static int broken_value;

static void broken_resolve(void)
{
    /* relaxed: the mistake is that nothing is claimed */
    if (load_relaxed(&broken_state) != 0)
        return;
    plain_store(&broken_value, 7);
    store_release(&broken_state, 1);
}

static const struct model_case cases[] = {
    {"settle_against_settle", .setup = init_two, .finish = settled_once,
     .preemption_bound = 3,
     .threads = {T(resolve_and_drop), T(resolve_and_drop)}},
    {"settle_against_settle_by_the_loop", .setup = init_three_held,
     .finish = settled_once, .preemption_bound = 2, .brief_bound = 1,
     .threads = {T(resolve_drop_and_let_go), T(drop_and_let_go),
                 T(run_and_resolve)}},
    {"settle_against_handlers", .setup = init_handler_two_held,
     .finish = handled_once, .preemption_bound = 2, .brief_bound = 1,
     .threads = {T(resolve_drop_and_let_go), T(resolve_drop_and_let_go),
                 T(run_until_idle)}},
    {"settle_while_a_message_is_on_its_way", .setup = init_handler_two_held,
     .finish = handled_once_by_one_message, .preemption_bound = 2,
     .threads = {T(resolve_and_let_go), T(drop_and_let_go), T(run_until_idle)}},
    {"settle_against_then_of_another_thread", .setup = init_two_held,
     .finish = handled_once, .preemption_bound = 1,
     .threads = {T(resolve_drop_and_let_go), T(then_drop_and_let_go),
                 T(run_until_idle)}},
    {"then_of_another_thread_tells_the_promise_first",
     .setup = init_settled_held, .finish = free_loop, .preemption_bound = 2,
     .threads = {T(derive_drop_and_let_go), T(run_until_idle)}},
    {"settle_against_then_of_the_loop", .setup = init_two,
     .finish = handled_once, .preemption_bound = 4,
     .threads = {T(resolve_and_drop), T(run_then)}},
    {"settle_against_wait", .setup = init_two, .finish = settled_once,
     .threads = {T(resolve_and_drop), T(wait_and_look)}},
    {"settle_by_the_loop_against_wait", .setup = init_two,
     .finish = settled_once, .preemption_bound = 3,
     .threads = {T(run_and_resolve), T(wait_and_drop)}},
    {"settle_against_close", .setup = init_handler_two, .finish = told_once,
     .preemption_bound = 2, .brief_bound = 1,
     .threads = {T(resolve_and_drop), T(close_it), T(drop)}},
    {"settle_against_shutdown", .setup = init_handler_two,
     .finish = handled_once, .preemption_bound = 1,
     .threads = {T(resolve_and_drop), T(shut_down), T(drop)}},
    {"handler_closes_a_circle_in_a_shutdown", .setup = init_circle,
     .finish = circle_is_rejected, .preemption_bound = 2,
     .threads = {T(resolve_and_drop), T(shut_down)}},
    {"settle_against_close_and_free", .setup = init_handler_two,
     .finish = told_once_and_gone, .preemption_bound = 1,
     .threads = {T(resolve_and_drop), T(close_and_free), T(drop)}},
    {"settle_against_close_of_a_running_loop", .setup = init_handler_two,
     .finish = told_once, .preemption_bound = 1, .brief_runs = 2000,
     .threads = {T(resolve_and_drop), T(close_it), T(run_until_closed),
                 T(drop)}},
    {"wait_against_close", .setup = init_two, .finish = free_loop,
     .preemption_bound = 2,
     .threads = {T(wait_and_drop), T(close_it), T(drop)}},
    {"new_against_close", .setup = init_held, .finish = free_loop,
     .preemption_bound = 3, .threads = {T(make_one_and_wait), T(close_it)}},
    {"unref_against_unref", .setup = init_two, .finish = free_loop,
     .threads = {T(drop), T(run_drop)}},
    {"unref_against_unref_and_end", .setup = init_two, .finish = gone,
     .preemption_bound = 2, .threads = {T(drop), T(drop), T(close_and_free)}},
    {"find_against_the_last_unref", .setup = init_numbered, .finish = not_found,
     .preemption_bound = 3, .threads = {T(find_and_drop), T(run_drop)}},
    {"find_against_the_job", .setup = init_numbered_job, .finish = not_found,
     .preemption_bound = 2, .threads = {T(find_and_wait), T(run_jobs)}},
    {"follow_against_settle", .setup = init_other, .finish = handled_once,
     .preemption_bound = 1,
     .threads = {T(follow_and_drop), T(resolve_other_and_drop),
                 T(run_until_idle)}},
    {"settle_against_then_of_another_thread_bound_2", .setup = init_two_held,
     .finish = handled_once, .preemption_bound = 2, .is_long = true,
     .threads = {T(resolve_drop_and_let_go), T(then_drop_and_let_go),
                 T(run_until_idle)}},
    {"settle_against_close_and_free_bound_2", .setup = init_handler_two,
     .finish = told_once_and_gone, .preemption_bound = 2, .is_long = true,
     .threads = {T(resolve_and_drop), T(close_and_free), T(drop)}},
    {"settle_against_close_of_a_running_loop_bound_2",
     .setup = init_handler_two, .finish = told_once, .preemption_bound = 2,
     .is_long = true,
     .threads = {T(resolve_and_drop), T(close_it), T(run_until_closed),
                 T(drop)}},
    {"follow_against_settle_bound_2", .setup = init_other,
     .finish = handled_once, .preemption_bound = 2, .is_long = true,
     .threads = {T(follow_and_drop), T(resolve_other_and_drop),
                 T(run_until_idle)}},
    {"broken_settle_without_a_claim_is_a_race", .expect = MODEL_RACE,
     .threads = {T(broken_resolve), T(broken_resolve)}},
};

MODEL_CASES(cases)
