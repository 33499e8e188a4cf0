/* SPDX-License-Identifier: MIT */
/*
 * guest -- one thread in all roles: what each call answers in which order.
 */
#include "weir/host/guest.h"

#include <errno.h>

#include "base/atomic.h"
#include "support/loop_fixture.h"
#include "support/suite.h"

static weir_guest guest;
static weir_task task;
static unsigned runs;
static int64_t deadline_ns;

static void on_task(weir_task *ran, int status)
{
    runs++;
}

static void begin(void)
{
    loop_make(NULL);
    weir_guest_init(&guest, loop);
    task = (weir_task){.run = on_task};
    runs = 0;
}

/* A loop that is held does not become idle. */
static void expect_idle(void)
{
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
}

static void finish(void)
{
    expect_idle();
    expect_status(weir_loop_free(loop), 0);
}

static void expect_unlocked(void)
{
    expect_int(load_relaxed(&guest.lock_.word_), 0);
}

/* Else the next call would never return. */
CASE(guest_is_left_unlocked_by_each_call)
{
    begin();
    expect_unlocked();
    expect(!weir_guest_take(&guest, &deadline_ns));
    expect_unlocked();
    expect_int(weir_guest_drain(&guest, -1),
               WEIR_GUEST_FIRST | WEIR_GUEST_TELL);
    expect_unlocked();
    expect(weir_guest_is_draining(&guest));
    expect_unlocked();
    expect(weir_guest_take(&guest, &deadline_ns));
    expect_unlocked();
    expect(weir_guest_end(&guest));
    expect_unlocked();
    finish();
}

CASE(guest_posts_until_its_loop_ends)
{
    begin();
    expect(weir_guest_post(&guest, &task));
    expect_idle();
    expect_int(runs, 1);
    expect(weir_guest_lose_loop(&guest));
    expect(!weir_guest_post(&guest, &task));
    expect_idle();
    expect_int(runs, 1);
    finish();
}

CASE(guest_that_has_ended_still_posts)
{
    begin();
    expect(weir_guest_end(&guest));
    expect(weir_guest_post(&guest, &task));
    expect_idle();
    expect_int(runs, 1);
    finish();
}

CASE(guest_does_not_post_to_a_loop_that_refuses)
{
    begin();
    expect_status(weir_loop_close(loop, -1), 0);
    expect(!weir_guest_post(&guest, &task));
    expect_status(weir_loop_free(loop), 0);
}

CASE(guest_tells_its_first_drain_and_earlier_deadlines)
{
    begin();
    expect(!weir_guest_is_draining(&guest));
    expect_int(weir_guest_drain(&guest, -1),
               WEIR_GUEST_FIRST | WEIR_GUEST_TELL);
    expect(weir_guest_is_draining(&guest));
    expect_int(weir_guest_drain(&guest, 90),
               0); /* not taken yet: one telling */
    expect(weir_guest_take(&guest, &deadline_ns));
    expect_int(deadline_ns, 90);
    expect_int(weir_guest_drain(&guest, -1), 0);
    expect_int(weir_guest_drain(&guest, 90), 0);
    expect_int(weir_guest_drain(&guest, 91), 0);
    expect_int(weir_guest_drain(&guest, 89), WEIR_GUEST_TELL);
    expect(weir_guest_take(&guest, &deadline_ns));
    expect_int(deadline_ns, 89);
    expect_int(weir_guest_drain(&guest, 0), WEIR_GUEST_TELL);
    expect(weir_guest_end(&guest));
    finish();
}

CASE(guest_without_a_deadline_has_none)
{
    begin();
    expect_int(weir_guest_drain(&guest, -1),
               WEIR_GUEST_FIRST | WEIR_GUEST_TELL);
    expect(weir_guest_take(&guest, &deadline_ns));
    expect_int(deadline_ns, -1);
    expect(weir_guest_end(&guest));
    finish();
}

CASE(guest_has_nothing_to_take_before_a_drain)
{
    begin();
    expect(!weir_guest_take(&guest, &deadline_ns));
    finish();
}

CASE(guest_keeps_its_loop_running_once)
{
    begin();
    expect(weir_guest_hold(&guest));
    expect(weir_guest_hold(&guest));
    expect_int(weir_guest_drain(&guest, 5), WEIR_GUEST_FIRST | WEIR_GUEST_TELL);
    expect_int(weir_loop_report(loop, NULL, 0, 0), 1);
    expect(weir_guest_end(&guest));
    expect_int(weir_loop_report(loop, NULL, 0, 0), 0);
    finish();
}

/* covers: weir_guest_drain -EALREADY */
CASE(guest_ends_once)
{
    begin();
    expect_int(weir_guest_drain(&guest, 5), WEIR_GUEST_FIRST | WEIR_GUEST_TELL);
    expect(weir_guest_end(&guest));
    expect(!weir_guest_end(&guest));
    expect(!weir_guest_lose_loop(&guest));
    expect_int(weir_guest_drain(&guest, 1), -EALREADY);
    expect(!weir_guest_hold(&guest));
    expect(!weir_guest_take(&guest, &deadline_ns));
    expect(weir_guest_is_draining(&guest));
    finish();
}

CASE(guest_whose_loop_ends_lets_it_go)
{
    begin();
    expect(weir_guest_hold(&guest));
    expect(weir_guest_lose_loop(&guest));
    expect(!weir_guest_hold(&guest));
    expect_int(weir_guest_drain(&guest, -1), -EALREADY);
    finish();
}
