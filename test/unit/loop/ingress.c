/* SPDX-License-Identifier: MIT */
/*
 * ingress -- the word of the queue, step by step: what each call does in each
 * of the eight states.
 */
#include "loop/ingress.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "base/clock.h"
#include "support/crew.h"
#include "support/suite.h"

static struct weir__ingress in;
static weir_task tasks[4];

static void make_awake(void)
{
    memset(&in, 0xa5, sizeof(in));
    weir__ingress_init(&in);
}

static void make_running(void)
{
    make_awake();
    expect_status(weir__ingress_claim(&in), 0);
}

static void make_asleep(enum weir__sleep_on on)
{
    make_running();
    expect(weir__ingress_prepare_sleep(&in, on, false));
}

static void make_terminating(void)
{
    bool is_mine;

    make_running();
    expect_int(weir__ingress_close(&in, NULL, &is_mine), WEIR__WAKE_NOBODY);
    expect(!is_mine);
}

static void make_terminating_asleep(enum weir__sleep_on on)
{
    make_terminating();
    expect(weir__ingress_prepare_sleep(&in, on, true));
}

static void make_terminated(void)
{
    make_terminating();
    expect(weir__ingress_terminate(&in));
}

#define expect_state(state) expect_int(weir__ingress_look(&in), state)

static int push(unsigned i)
{
    return weir__ingress_push(&in, &tasks[i], WEIR__OUTSIDER);
}

/* Drains the first `count` of the tasks, in their order. */
static void expect_drained(unsigned count)
{
    uint64_t counted = 100;
    struct weir__tasks got = weir__ingress_drain(&in, &counted);

    expect_int(counted, 100 + count);
    for (unsigned i = 0; i < count; i++)
        expect(weir__tasks_pop(&got) == &tasks[i]);
    expect(weir__tasks_is_empty(&got));
}

/* push and drain */

CASE(ingress_begins_AWAKE_and_empty)
{
    make_awake();
    expect_state(WEIR__AWAKE);
    expect(!weir__ingress_has_news(&in, false));
    expect_drained(0);
}

CASE(ingress_drain_returns_tasks_in_the_order_of_push)
{
    make_running();
    for (unsigned i = 0; i < 4; i++)
        expect_int(push(i), WEIR__WAKE_NOBODY);
    expect(weir__ingress_has_news(&in, false));
    expect_drained(4);
    expect_drained(0);
    expect_state(WEIR__RUNNING);
}

CASE(ingress_push_before_claim_is_kept)
{
    make_awake();
    expect_int(push(0), WEIR__WAKE_NOBODY);
    expect_state(WEIR__AWAKE);
    expect_status(weir__ingress_claim(&in), 0);
    expect_state(WEIR__RUNNING);
    expect_int(push(1), WEIR__WAKE_NOBODY);
    expect_drained(2);
}

CASE(ingress_task_may_be_pushed_again_after_drain)
{
    make_running();
    for (int i = 0; i < 3; i++) {
        expect_int(push(0), WEIR__WAKE_NOBODY);
        expect_drained(1);
    }
}

CASE(ingress_push_to_a_sleeper_asks_for_one_wake)
{
    make_asleep(WEIR__SLEEP_ON_FUTEX);
    expect_state(WEIR__SLEEPING);
    expect_int(push(0), WEIR__WAKE_FUTEX);
    expect_state(WEIR__RUNNING);
    expect_int(push(1), WEIR__WAKE_NOBODY);
    expect_drained(2);
}

CASE(ingress_push_to_a_sleeper_in_the_poller_asks_for_that)
{
    make_asleep(WEIR__SLEEP_ON_POLLER);
    expect_state(WEIR__SLEEPING_IN_POLLER);
    expect_int(push(0), WEIR__WAKE_POLLER);
    expect_state(WEIR__RUNNING);
    expect_int(push(1), WEIR__WAKE_NOBODY);
    expect_drained(2);
}

CASE(ingress_push_after_the_end_has_begun_is_refused)
{
    make_terminating();
    expect_status(push(0), WEIR_ECLOSED);
    make_terminating_asleep(WEIR__SLEEP_ON_FUTEX);
    expect_status(push(0), WEIR_ECLOSED);
    expect_state(WEIR__TERMINATING_ASLEEP);
    make_terminating_asleep(WEIR__SLEEP_ON_POLLER);
    expect_status(push(0), WEIR_ECLOSED);
    expect_state(WEIR__TERMINATING_IN_POLLER);
    make_terminated();
    expect_status(push(0), WEIR_ECLOSED);
    expect_state(WEIR__TERMINATED);
}

CASE(ingress_lets_in_what_is_expected_until_TERMINATED)
{
    make_terminating();
    expect_int(weir__ingress_push(&in, &tasks[0], WEIR__EXPECTED),
               WEIR__WAKE_NOBODY);
    expect_state(WEIR__TERMINATING);
    expect_drained(1);
    make_terminated();
    expect_status(weir__ingress_push(&in, &tasks[0], WEIR__EXPECTED),
                  WEIR_ECLOSED);
}

CASE(ingress_wakes_a_sleeper_for_what_is_expected)
{
    make_terminating_asleep(WEIR__SLEEP_ON_FUTEX);
    expect_int(weir__ingress_push(&in, &tasks[0], WEIR__EXPECTED),
               WEIR__WAKE_FUTEX);
    expect_state(WEIR__TERMINATING);
    make_terminating_asleep(WEIR__SLEEP_ON_POLLER);
    expect_int(weir__ingress_push(&in, &tasks[0], WEIR__EXPECTED),
               WEIR__WAKE_POLLER);
    expect_state(WEIR__TERMINATING);
    expect_drained(1);
}

/* close */

CASE(ingress_close_of_what_nobody_runs_makes_it_the_callers)
{
    bool is_mine = false;

    make_awake();
    expect_int(push(0), WEIR__WAKE_NOBODY);
    expect_int(weir__ingress_close(&in, &tasks[1], &is_mine),
               WEIR__WAKE_NOBODY);
    expect(is_mine);
    expect_state(WEIR__TERMINATING);
    expect_drained(2);
}

CASE(ingress_close_of_a_running_loop_wakes_nobody)
{
    bool is_mine = true;

    make_running();
    expect_int(push(0), WEIR__WAKE_NOBODY);
    expect_int(weir__ingress_close(&in, NULL, &is_mine), WEIR__WAKE_NOBODY);
    expect(!is_mine);
    expect_state(WEIR__TERMINATING);
    expect(weir__ingress_has_news(&in, false));
    expect_drained(1);
    expect(weir__ingress_has_news(&in, false)); /* of the end */
    expect(!weir__ingress_has_news(&in, true));
}

CASE(ingress_close_wakes_a_sleeper)
{
    bool is_mine = true;

    make_asleep(WEIR__SLEEP_ON_FUTEX);
    expect_int(weir__ingress_close(&in, NULL, &is_mine), WEIR__WAKE_FUTEX);
    expect(!is_mine);
    expect_state(WEIR__TERMINATING);
    make_asleep(WEIR__SLEEP_ON_POLLER);
    expect_int(weir__ingress_close(&in, &tasks[0], &is_mine),
               WEIR__WAKE_POLLER);
    expect_state(WEIR__TERMINATING);
    expect_drained(1);
}

CASE(ingress_close_again_adds_its_task)
{
    bool is_mine = true;

    make_terminating();
    expect_int(weir__ingress_close(&in, &tasks[0], &is_mine),
               WEIR__WAKE_NOBODY);
    expect(!is_mine);
    expect_drained(1);
    make_terminating_asleep(WEIR__SLEEP_ON_FUTEX);
    expect_int(weir__ingress_close(&in, &tasks[0], &is_mine), WEIR__WAKE_FUTEX);
    expect(!is_mine);
    expect_state(WEIR__TERMINATING);
    expect_drained(1);
}

CASE(ingress_close_after_TERMINATED_is_refused)
{
    bool is_mine = false;

    make_terminated();
    expect_status(weir__ingress_close(&in, &tasks[0], &is_mine), WEIR_ECLOSED);
    expect(!is_mine);
    expect_state(WEIR__TERMINATED);
    expect_drained(0);
}

/* claim and leave */

CASE(ingress_claim_of_what_another_has_is_refused)
{
    make_running();
    expect_status(weir__ingress_claim(&in), -EBUSY);
    make_asleep(WEIR__SLEEP_ON_FUTEX);
    expect_status(weir__ingress_claim(&in), -EBUSY);
    expect_state(WEIR__SLEEPING);
    make_asleep(WEIR__SLEEP_ON_POLLER);
    expect_status(weir__ingress_claim(&in), -EBUSY);
    make_terminating();
    expect_status(weir__ingress_claim(&in), -EBUSY);
    make_terminated();
    expect_status(weir__ingress_claim(&in), WEIR_ECLOSED);
}

CASE(ingress_leave_makes_it_AWAKE)
{
    make_running();
    expect(weir__ingress_leave(&in, true));
    expect_state(WEIR__AWAKE);
    expect_status(weir__ingress_claim(&in), 0);
    expect(weir__ingress_leave(&in, false));
    expect_state(WEIR__AWAKE);
}

CASE(ingress_leave_with_tasks_is_refused_if_asked)
{
    make_running();
    expect_int(push(0), WEIR__WAKE_NOBODY);
    expect(!weir__ingress_leave(&in, true));
    expect_state(WEIR__RUNNING);
    expect(weir__ingress_leave(&in, false));
    expect_state(WEIR__AWAKE);
    expect_status(weir__ingress_claim(&in), 0);
    expect_drained(1);
}

CASE(ingress_leave_after_the_end_has_begun_is_refused)
{
    make_terminating();
    expect(!weir__ingress_leave(&in, true));
    expect(!weir__ingress_leave(&in, false));
    expect_state(WEIR__TERMINATING);
}

/* sleep */

CASE(ingress_prepare_sleep_with_a_task_is_refused)
{
    make_running();
    expect_int(push(0), WEIR__WAKE_NOBODY);
    expect(!weir__ingress_prepare_sleep(&in, WEIR__SLEEP_ON_FUTEX, false));
    expect(!weir__ingress_prepare_sleep(&in, WEIR__SLEEP_ON_POLLER, false));
    expect_state(WEIR__RUNNING);
    expect_drained(1);
    expect(weir__ingress_prepare_sleep(&in, WEIR__SLEEP_ON_FUTEX, false));
}

CASE(ingress_prepare_sleep_without_knowing_of_the_end_is_refused)
{
    make_terminating();
    expect(!weir__ingress_prepare_sleep(&in, WEIR__SLEEP_ON_FUTEX, false));
    expect(!weir__ingress_prepare_sleep(&in, WEIR__SLEEP_ON_POLLER, false));
    expect_state(WEIR__TERMINATING);
    expect(weir__ingress_prepare_sleep(&in, WEIR__SLEEP_ON_FUTEX, true));
    expect_state(WEIR__TERMINATING_ASLEEP);
}

CASE(ingress_finish_sleep_says_whether_somebody_else_did_it)
{
    bool is_mine;

    make_asleep(WEIR__SLEEP_ON_FUTEX);
    expect(weir__ingress_finish_sleep(&in));
    expect_state(WEIR__RUNNING);
    expect(!weir__ingress_finish_sleep(&in));
    make_asleep(WEIR__SLEEP_ON_POLLER);
    expect(weir__ingress_finish_sleep(&in));
    expect_state(WEIR__RUNNING);
    make_asleep(WEIR__SLEEP_ON_FUTEX);
    expect_int(push(0), WEIR__WAKE_FUTEX);
    expect(!weir__ingress_finish_sleep(&in));
    make_asleep(WEIR__SLEEP_ON_POLLER);
    expect_int(weir__ingress_close(&in, NULL, &is_mine), WEIR__WAKE_POLLER);
    expect(!weir__ingress_finish_sleep(&in));
    make_terminating_asleep(WEIR__SLEEP_ON_FUTEX);
    expect(weir__ingress_finish_sleep(&in));
    expect_state(WEIR__TERMINATING);
}

CASE(ingress_sleep_of_a_woken_loop_returns)
{
    make_asleep(WEIR__SLEEP_ON_FUTEX);
    expect_int(push(0), WEIR__WAKE_FUTEX);
    weir__ingress_sleep(&in, -1);
    expect(!weir__ingress_finish_sleep(&in));
}

CASE(ingress_sleep_ends_not_before_its_deadline)
{
    for (int64_t timeout_ns = 1; timeout_ns < 20000000; timeout_ns *= 7) {
        int64_t deadline_ns = weir__clock_real() + timeout_ns;

        make_asleep(WEIR__SLEEP_ON_FUTEX);
        weir__ingress_sleep(&in, deadline_ns);
        expect(weir__clock_real() >= deadline_ns);
        expect(weir__ingress_finish_sleep(&in));
    }
}

/* terminate */

CASE(ingress_terminate_with_a_task_is_refused)
{
    make_terminating();
    expect_int(weir__ingress_push(&in, &tasks[0], WEIR__EXPECTED),
               WEIR__WAKE_NOBODY);
    expect(!weir__ingress_terminate(&in));
    expect_state(WEIR__TERMINATING);
    expect_drained(1);
    expect(weir__ingress_terminate(&in));
    expect_state(WEIR__TERMINATED);
}

/* threads */

enum { ROUNDS = 20000 };

struct post {
    weir_task task; /* first */
    int text;       /* plain: the push hands it over */
    bool is_free;   /* atomic */
};

static void produce(struct crew *crew)
{
    struct post *posts = crew->context;

    for (int i = 0; i < ROUNDS; i++) {
        struct post *post = &posts[i % 4];
        int wake;

        while (!__atomic_load_n(&post->is_free, __ATOMIC_ACQUIRE))
            sched_yield();
        __atomic_store_n(&post->is_free, false, __ATOMIC_RELAXED);
        post->text = i;
        wake = weir__ingress_push(&in, &post->task, WEIR__OUTSIDER);
        expect(wake >= 0);
        if (wake == WEIR__WAKE_FUTEX)
            weir__ingress_wake(&in);
    }
}

static void consume(void)
{
    for (int next = 0; next < ROUNDS;) {
        uint64_t count = 0;
        struct weir__tasks got = weir__ingress_drain(&in, &count);
        weir_task *task;

        while ((task = weir__tasks_pop(&got)) != NULL) {
            struct post *post = (struct post *)task;

            expect_int(post->text, next++);
            __atomic_store_n(&post->is_free, true, __ATOMIC_RELEASE);
        }
        if (next < ROUNDS &&
            weir__ingress_prepare_sleep(&in, WEIR__SLEEP_ON_FUTEX, false)) {
            weir__ingress_sleep(&in, -1);
            (void)weir__ingress_finish_sleep(&in);
        }
    }
}

static void produce_or_consume(struct crew *crew, unsigned id)
{
    if (id == 0)
        produce(crew);
    else
        consume();
}

/* The consumer sleeps without a deadline: a lost wake is a test that hangs. */
CASE(ingress_hands_over_and_loses_no_wake)
{
    struct post posts[4];

    memset(posts, 0, sizeof(posts));
    for (int i = 0; i < 4; i++)
        posts[i].is_free = true;
    make_running();
    crew_run(2, produce_or_consume, posts);
}
