/* SPDX-License-Identifier: MIT */
/*
 * timer -- started again before it has fired.
 */
#include <errno.h>
#include <string.h>

#include "support/failing_allocator.h"
#include "support/timer_fixture.h"

static weir_timer id;
static int64_t delay_ns;
static int answer;

static void again(void *arg, int status)
{
    expect_status(status, 0);
    answer = weir_timer_again(loop, &id, delay_ns);
}

/* In a separate callback; it must be accepted. */
static void start_again(int64_t new_delay_ns)
{
    weir_timer before = id;

    delay_ns = new_delay_ns;
    expect_status(weir_loop_submit(loop, again, NULL), 0);
    loop_turns(1);
    expect_status(answer, 0);
    expect(id != before);
    expect_status(weir_timer_cancel(loop, before), -ENOENT);
}

static void start_timer(int64_t first_ns, weir_timer_repeat repeat)
{
    place = INSIDE;
    begin();
    expect_status(
        weir_timer_start(loop, &id, first_ns, repeat, record, (void *)"fired"),
        0);
    loop_turns(1);
}

CASE(timer_again_puts_it_off_each_time)
{
    start_timer(10, WEIR_TIMER_ONCE);
    for (int i = 0; i < 5; i++) {
        pass(9);
        start_again(10);
    }
    pass(9);
    expect_recorded("");
    pass(1);
    expect_recorded("fired");
    pass(100);
    expect_recorded("");
    loop_run(); /* nothing holds it */
    loop_end();
}

CASE(timer_again_may_bring_it_nearer)
{
    start_timer(1000, WEIR_TIMER_ONCE);
    start_again(10);
    pass(10);
    expect_recorded("fired");
    pass(1000);
    expect_recorded("");
    loop_end();
}

static void expect_new_period(weir_timer_repeat repeat)
{
    start_timer(10, repeat);
    pass(10);
    pass(5);
    expect_recorded("fired");
    start_again(20);
    pass(19);
    expect_recorded("");
    pass(1);
    expect_recorded("fired");
    pass(19);
    expect_recorded("");
    pass(1);
    expect_recorded("fired");
    expect_status(weir_timer_cancel(loop, id), 0);
    loop_end();
}

CASE(timer_again_gives_one_that_repeats_a_new_period)
{
    expect_new_period(WEIR_TIMER_FIXED_DELAY);
    expect_new_period(WEIR_TIMER_FIXED_RATE);
    expect_new_period(WEIR_TIMER_FIXED_RATE_CATCH_UP);
}

static void fire_and_again(void *arg, int status)
{
    record(arg, status);
    if (status == 0)
        expect_status(weir_timer_again(loop, &id, 3), 0);
}

CASE(timer_again_in_its_own_callback_counts_from_there)
{
    begin();
    expect_status(weir_timer_start(loop, &id, 10, WEIR_TIMER_FIXED_RATE,
                                   fire_and_again, (void *)"fired"),
                  0);
    loop_turns(1);
    pass(14);
    expect_recorded("fired");
    pass(2);
    expect_recorded("");
    pass(1);
    expect_recorded("fired");
    expect_status(weir_loop_close(loop, -1), 0);
    expect_recorded("fired!"); /* once: the old one is gone */
}

CASE(timer_again_keeps_its_name_and_its_hold)
{
    weir_holder holder;

    start_timer(10, WEIR_TIMER_ONCE);
    expect_status(weir_timer_set_name(loop, id, "tea"), 0);
    start_again(20);
    expect_int(weir_loop_report(loop, &holder, 1, sizeof(weir_holder)), 1);
    expect_string(holder.name, "tea");
    expect_status(weir_timer_unref(loop, id), 0);
    loop_turns(1);
    start_again(30);
    expect_int(weir_loop_report(loop, &holder, 1, sizeof(weir_holder)), 0);
    loop_run(); /* it does not hold */
    expect_status(weir_timer_ref(loop, id), 0);
    loop_turns(1);
    expect_int(weir_loop_report(loop, &holder, 1, sizeof(weir_holder)), 1);
    pass(30);
    expect_recorded("fired");
    loop_end();
}

/* ---- refused ---- */

static void expect_refused(int64_t new_delay_ns, int err)
{
    weir_timer before = id;

    delay_ns = new_delay_ns;
    expect_status(weir_loop_submit(loop, again, NULL), 0);
    loop_turns(1);
    expect_status(answer, err);
    expect(id == before);
}

/* covers: weir_timer_again -EINVAL */
/* covers: weir_timer_again -EPERM */
CASE(timer_again_that_is_refused_leaves_it_as_it_was)
{
    start_timer(10, WEIR_TIMER_FIXED_RATE);
    expect_status(weir_timer_again(NULL, &id, 10), -EINVAL);
    expect_status(weir_timer_again(loop, NULL, 10), -EINVAL);
    expect_status(weir_timer_again(loop, &id, 10), -EPERM);
    expect_refused(-1, -EINVAL);
    expect_refused(0, -EINVAL); /* it repeats */
    expect_refused(INT64_MAX, -EOVERFLOW);
    pass(10);
    expect_recorded("fired");
    expect_status(weir_timer_cancel(loop, id), 0);
    loop_end();
}

/* covers: weir_timer_again -ENOENT */
CASE(timer_again_of_one_that_is_over_is_refused)
{
    start_timer(10, WEIR_TIMER_ONCE);
    pass(10);
    expect_recorded("fired");
    expect_refused(10, -ENOENT);
    expect_status(weir_timer_start(loop, &id, 10, WEIR_TIMER_ONCE, record,
                                   (void *)"fired"),
                  0);
    expect_status(weir_timer_cancel(loop, id), 0);
    expect_refused(10, -ENOENT);
    pass(10);
    expect_recorded("");
    loop_end();
}

static struct failing_allocator memory;

/* Uses up all slots that there are: the next one needs memory. */
static void start_and_again_until_it_fails(void *arg, int status)
{
    memory.fail_at = memory.calls + 1;
    do
        answer = weir_timer_start(loop, NULL, HOUR_NS, WEIR_TIMER_ONCE, record,
                                  (void *)"other");
    while (answer == 0);
    expect_status(answer, -ENOMEM);
    memory.fail_at = memory.calls + 1;
    answer = weir_timer_again(loop, &id, 20);
}

CASE(timer_again_without_memory_leaves_it_as_it_was)
{
    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    start_timer(5, WEIR_TIMER_ONCE);
    expect_status(weir_loop_submit(loop, start_and_again_until_it_fails, NULL),
                  0);
    loop_turns(1);
    expect_status(answer, -ENOMEM);
    pass(5);
    expect_recorded("fired");
    expect_status(weir_loop_close(loop, -1), 0);
}
