/* SPDX-License-Identifier: MIT */
/*
 * gate -- the lifecycle, call by call, and the answer to every misuse.
 * Waiting is in gate_wait.c, what only a sharded gate has in gate_sharded.c.
 */
#include "weir/gate.h"

#include <errno.h>
#include <string.h>

#include "support/crew.h"
#include "support/gate_fixture.h"
#include "support/suite.h"

GATE_CASE(gate_begins_in_INIT)
{
    gate_make(kind);
    expect_int(weir_gate_phase(&gate), WEIR_PHASE_INIT);
    expect_int(weir_gate_inflight(&gate), 0);
}

CASE(gate_is_plain_unless_told)
{
    weir_gate_options options = {.size = sizeof(options)};

    gate_make(NULL);
    expect(!weir_gate_is_sharded(&gate));
    gate_make(&options);
    expect(!weir_gate_is_sharded(&gate));
}

/* covers: weir_gate_init -EINVAL */
CASE(gate_init_with_options_without_a_size_is_refused)
{
    static const size_t sizes[] = {0, 1, sizeof(size_t) - 1};
    weir_gate before;

    memset(&gate, 0xa5, sizeof(gate));
    before = gate;
    for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        weir_gate_options options = {.size = sizes[i], .sharded = true};

        expect_status(weir_gate_init(&gate, NULL, NULL, &options), -EINVAL);
        expect_int(memcmp(&gate, &before, sizeof(gate)), 0);
    }
}

/* start */

GATE_CASE(gate_start_makes_it_RUNNING)
{
    gate_make(kind);
    expect_status(weir_gate_start(&gate), 0);
    expect_int(weir_gate_phase(&gate), WEIR_PHASE_RUNNING);
}

/* covers: weir_gate_start -EALREADY */
GATE_CASE(gate_start_twice_is_refused)
{
    gate_make_running(kind);
    expect_status(weir_gate_start(&gate), -EALREADY);
    expect_int(weir_gate_phase(&gate), WEIR_PHASE_RUNNING);
}

/* covers: weir_gate_start -EALREADY */
GATE_CASE(gate_start_while_draining_is_refused)
{
    gate_make_draining(kind);
    expect_status(weir_gate_start(&gate), -EALREADY);
    expect_int(weir_gate_phase(&gate), WEIR_PHASE_DRAINING);
}

/* covers: weir_gate_start -EALREADY */
GATE_CASE(gate_start_after_close_is_refused)
{
    gate_make_closed(kind);
    expect_status(weir_gate_start(&gate), -EALREADY);
    expect_int(weir_gate_phase(&gate), WEIR_PHASE_CLOSED);
}

/* enter and exit */

/* covers: weir_gate_enter WEIR_ECLOSED */
GATE_CASE(gate_enter_before_start_is_refused)
{
    gate_make(kind);
    expect_status(weir_gate_enter(&gate), WEIR_ECLOSED);
    expect_int(weir_gate_phase(&gate), WEIR_PHASE_INIT);
    expect_int(weir_gate_inflight(&gate), 0);
}

GATE_CASE(gate_enter_refused_before_start_leaves_nothing_behind)
{
    gate_make(kind);
    expect_status(weir_gate_enter(&gate), WEIR_ECLOSED);
    expect_status(weir_gate_start(&gate), 0);
    expect_status(weir_gate_drain(&gate), 0);
    expect_closed_once();
}

GATE_CASE(gate_enter_while_running_is_admitted)
{
    gate_make_running(kind);
    expect_status(weir_gate_enter(&gate), 0);
    expect_int(weir_gate_phase(&gate), WEIR_PHASE_RUNNING);
}

/* covers: weir_gate_enter WEIR_ECLOSED */
GATE_CASE(gate_enter_while_draining_is_refused)
{
    gate_make_draining(kind);
    expect_status(weir_gate_enter(&gate), WEIR_ECLOSED);
    expect_int(weir_gate_phase(&gate), WEIR_PHASE_DRAINING);
    expect_int(weir_gate_inflight(&gate), 1);
}

/* covers: weir_gate_enter WEIR_ECLOSED */
GATE_CASE(gate_enter_after_close_is_refused)
{
    gate_make_closed(kind);
    expect_status(weir_gate_enter(&gate), WEIR_ECLOSED);
    expect_int(weir_gate_phase(&gate), WEIR_PHASE_CLOSED);
    expect_int(weir_gate_inflight(&gate), 0);
}

GATE_CASE(gate_enter_refused_while_draining_does_not_keep_it_open)
{
    gate_make_draining(kind);
    for (int i = 0; i < 1000; i++)
        expect_status(weir_gate_enter(&gate), WEIR_ECLOSED);
    weir_gate_exit(&gate);
    expect_closed_once();
}

/* covers: weir_gate_enter -EOVERFLOW */
CASE(gate_enter_of_a_full_gate_is_refused)
{
    gate_make_running(NULL);
    gate.word_.v_ += (uint64_t)WEIR_GATE_LIMIT << 32; /* see gate.c, Shape */
    expect_int(weir_gate_inflight(&gate), WEIR_GATE_LIMIT);
    expect_status(weir_gate_enter(&gate), -EOVERFLOW);
    expect_int(weir_gate_inflight(&gate), WEIR_GATE_LIMIT);
    expect_int(weir_gate_phase(&gate), WEIR_PHASE_RUNNING);
}

CASE(gate_enter_after_an_exit_from_a_full_gate_is_admitted)
{
    gate_make_running(NULL);
    gate.word_.v_ += (uint64_t)WEIR_GATE_LIMIT << 32;
    weir_gate_exit(&gate);
    expect_status(weir_gate_enter(&gate), 0);
    expect_status(weir_gate_enter(&gate), -EOVERFLOW);
}

CASE(gate_drain_of_a_full_gate_counts_them_all)
{
    gate_make_running(NULL);
    gate.word_.v_ += (uint64_t)WEIR_GATE_LIMIT << 32;
    expect_status(weir_gate_drain(&gate), 0);
    expect_int(weir_gate_inflight(&gate), WEIR_GATE_LIMIT);
    weir_gate_exit(&gate);
    expect_int(weir_gate_inflight(&gate), WEIR_GATE_LIMIT - 1);
    expect_int(weir_gate_phase(&gate), WEIR_PHASE_DRAINING);
}

GATE_CASE(gate_inflight_counts_who_is_inside)
{
    gate_make_running(kind);
    for (int i = 1; i <= 10; i++) {
        expect_status(weir_gate_enter(&gate), 0);
        expect_int(weir_gate_inflight(&gate), i);
    }
    for (int i = 9; i >= 5; i--) {
        weir_gate_exit(&gate);
        expect_int(weir_gate_inflight(&gate), i);
    }
    expect_status(weir_gate_drain(&gate), 0);
    for (int i = 5; i >= 0; i--) {
        expect_int(weir_gate_inflight(&gate), i);
        if (i > 0)
            weir_gate_exit(&gate);
    }
}

/* drain */

/* covers: weir_gate_drain WEIR_ENOTSTARTED */
GATE_CASE(gate_drain_before_start_is_refused)
{
    gate_make(kind);
    expect_status(weir_gate_drain(&gate), WEIR_ENOTSTARTED);
    expect_int(weir_gate_phase(&gate), WEIR_PHASE_INIT);
    expect_int(closed.times, 0);
}

GATE_CASE(gate_drain_refused_before_start_leaves_it_usable)
{
    gate_make(kind);
    expect_status(weir_gate_drain(&gate), WEIR_ENOTSTARTED);
    expect_status(weir_gate_start(&gate), 0);
    expect_status(weir_gate_enter(&gate), 0);
    weir_gate_exit(&gate);
    expect_status(weir_gate_drain(&gate), 0);
    expect_closed_once();
}

GATE_CASE(gate_drain_with_work_inside_is_DRAINING)
{
    gate_make_running(kind);
    expect_status(weir_gate_enter(&gate), 0);
    expect_status(weir_gate_drain(&gate), 0);
    expect_int(weir_gate_phase(&gate), WEIR_PHASE_DRAINING);
    expect_int(closed.times, 0);
}

GATE_CASE(gate_drain_of_an_empty_gate_closes_it_before_it_returns)
{
    gate_make_running(kind);
    expect_status(weir_gate_drain(&gate), 0);
    expect_int(weir_gate_phase(&gate), WEIR_PHASE_CLOSED);
    expect_closed_once();
}

GATE_CASE(gate_drain_after_all_work_left_closes_it)
{
    gate_make_running(kind);
    for (int i = 0; i < 100; i++) {
        expect_status(weir_gate_enter(&gate), 0);
        weir_gate_exit(&gate);
    }
    expect_status(weir_gate_drain(&gate), 0);
    expect_closed_once();
}

/* covers: weir_gate_drain -EALREADY */
GATE_CASE(gate_drain_while_draining_is_refused)
{
    gate_make_draining(kind);
    expect_status(weir_gate_drain(&gate), -EALREADY);
    expect_int(weir_gate_phase(&gate), WEIR_PHASE_DRAINING);
}

/* covers: weir_gate_drain -EALREADY */
GATE_CASE(gate_drain_after_close_is_refused)
{
    gate_make_closed(kind);
    expect_status(weir_gate_drain(&gate), -EALREADY);
    expect_closed_once();
}

GATE_CASE(gate_last_exit_closes_it_before_it_returns)
{
    gate_make_running(kind);
    expect_status(weir_gate_enter(&gate), 0);
    expect_status(weir_gate_enter(&gate), 0);
    expect_status(weir_gate_drain(&gate), 0);
    weir_gate_exit(&gate);
    expect_int(closed.times, 0);
    weir_gate_exit(&gate);
    expect_int(weir_gate_phase(&gate), WEIR_PHASE_CLOSED);
    expect_closed_once();
}

/* on_closed */

GATE_CASE(gate_on_closed_finds_the_gate_CLOSED)
{
    gate_make_closed(kind);
    expect_int(closed.phase, WEIR_PHASE_CLOSED);
}

GATE_CASE(gate_on_closed_gets_its_argument)
{
    gate_make_closed(kind);
    expect(closed.arg == &closed);
}

GATE_CASE(gate_without_on_closed_closes)
{
    expect_status(weir_gate_init(&gate, NULL, NULL, kind), 0);
    expect_status(weir_gate_start(&gate), 0);
    expect_status(weir_gate_enter(&gate), 0);
    expect_status(weir_gate_drain(&gate), 0);
    weir_gate_exit(&gate);
    expect_int(weir_gate_phase(&gate), WEIR_PHASE_CLOSED);
}

static void exit_gate(struct crew *crew, unsigned id)
{
    weir_gate_exit(&gate);
    expect(pthread_equal(closed.thread, pthread_self()));
}

GATE_CASE(gate_on_closed_runs_on_the_thread_that_closes)
{
    gate_make_draining(kind);
    crew_run(1, exit_gate, NULL);
    expect_closed_once();
}

GATE_CASE(gate_drain_may_be_followed_by_free_in_on_closed)
{
    weir_gate *heap = gate_make_freed_when_closed(kind);

    expect_status(weir_gate_drain(heap), 0);
    expect_closed_once();
}

GATE_CASE(gate_exit_may_be_followed_by_free_in_on_closed)
{
    weir_gate *heap = gate_make_freed_when_closed(kind);

    expect_status(weir_gate_enter(heap), 0);
    expect_status(weir_gate_drain(heap), 0);
    weir_gate_exit(heap);
    expect_closed_once();
}

/* fini */

/* covers: weir_gate_fini -EBUSY */
GATE_CASE(gate_fini_while_running_is_refused)
{
    gate_make_running(kind);
    expect_status(weir_gate_fini(&gate), -EBUSY);
    expect_status(weir_gate_enter(&gate), 0);
    expect_int(weir_gate_inflight(&gate), 1);
}

/* covers: weir_gate_fini -EBUSY */
GATE_CASE(gate_fini_while_draining_is_refused)
{
    gate_make_draining(kind);
    expect_status(weir_gate_fini(&gate), -EBUSY);
    weir_gate_exit(&gate);
    expect_closed_once();
}

GATE_CASE(gate_fini_before_start_is_accepted)
{
    gate_make(kind);
    expect_status(weir_gate_fini(&gate), 0);
    expect(!weir_gate_is_sharded(&gate));
}

GATE_CASE(gate_fini_after_close_is_accepted)
{
    gate_make_closed(kind);
    expect_status(weir_gate_fini(&gate), 0);
    expect(!weir_gate_is_sharded(&gate));
}

GATE_CASE(gate_after_fini_can_be_used_again)
{
    gate_make_closed(kind);
    expect_status(weir_gate_fini(&gate), 0);
    closed.times = 0;
    gate_make_running(kind);
    expect_status(weir_gate_enter(&gate), 0);
    expect_status(weir_gate_drain(&gate), 0);
    weir_gate_exit(&gate);
    expect_closed_once();
}

/* threads */

static void enter_gate(struct crew *crew, unsigned id)
{
    expect_status(weir_gate_enter(&gate), 0);
}

static void leave_gate(struct crew *crew, unsigned id)
{
    weir_gate_exit(&gate);
}

GATE_CASE(gate_exit_on_another_thread_counts)
{
    gate_make_running(kind);
    expect_status(weir_gate_enter(&gate), 0);
    crew_run(1, enter_gate, NULL);
    expect_int(weir_gate_inflight(&gate), 2);
    crew_run(2, leave_gate, NULL);
    expect_int(weir_gate_inflight(&gate), 0);
    expect_status(weir_gate_drain(&gate), 0);
    expect_closed_once();
}

GATE_CASE(gate_exit_on_another_thread_closes)
{
    gate_make_running(kind);
    expect_status(weir_gate_enter(&gate), 0);
    expect_status(weir_gate_drain(&gate), 0);
    crew_run(1, leave_gate, NULL);
    expect_closed_once();
}

/* All meet inside, so that a hundred threads live at once. */
static void enter_and_meet(struct crew *crew, unsigned id)
{
    expect_status(weir_gate_enter(&gate), 0);
    crew_meet(crew);
    if (id == 0)
        expect_int(weir_gate_inflight(&gate), crew->size);
    crew_meet(crew);
    if (id == 1)
        expect_status(weir_gate_drain(&gate), 0);
    weir_gate_exit(&gate);
}

GATE_CASE(gate_counts_more_threads_than_there_are_shards)
{
    gate_make_running(kind);
    crew_run(100, enter_and_meet, NULL);
    expect_closed_once();
}

struct tally {
    unsigned won; /* atomic */
};

static void start_once(struct crew *crew, unsigned id)
{
    struct tally *tally = crew->context;
    int err = weir_gate_start(&gate);

    if (err == 0)
        __atomic_fetch_add(&tally->won, 1, __ATOMIC_RELAXED);
    else
        expect_status(err, -EALREADY);
}

GATE_CASE(gate_start_is_won_by_one_of_many)
{
    struct tally tally = {0};

    gate_make(kind);
    crew_run(8, start_once, &tally);
    expect_int(tally.won, 1);
    expect_int(weir_gate_phase(&gate), WEIR_PHASE_RUNNING);
}

static void drain_once(struct crew *crew, unsigned id)
{
    struct tally *tally = crew->context;
    int err = weir_gate_drain(&gate);

    if (err == 0)
        __atomic_fetch_add(&tally->won, 1, __ATOMIC_RELAXED);
    else
        expect_status(err, -EALREADY);
}

GATE_CASE(gate_drain_is_won_by_one_of_many)
{
    struct tally tally = {0};

    gate_make_running(kind);
    crew_run(8, drain_once, &tally);
    expect_int(tally.won, 1);
    expect_closed_once();
}

/* misuse */

CASE_ABORTS(plain_gate_exit_before_start_aborts, "gate.c",
            "weir_gate_exit without weir_gate_enter")
{
    gate_make(NULL);
    weir_gate_exit(&gate);
}

CASE_ABORTS(plain_gate_exit_without_enter_aborts, "gate.c",
            "weir_gate_exit without weir_gate_enter")
{
    gate_make_running(NULL);
    expect_status(weir_gate_enter(&gate), 0);
    weir_gate_exit(&gate);
    weir_gate_exit(&gate);
}

/* With others inside, one exit too many looks like one of theirs: it is the
 * last of them that finds the gate closed. */
CASE_ABORTS(plain_gate_exit_too_many_while_draining_aborts_at_the_last,
            "gate.c", "weir_gate_exit without weir_gate_enter")
{
    gate_make_running(NULL);
    expect_status(weir_gate_enter(&gate), 0);
    expect_status(weir_gate_enter(&gate), 0);
    expect_status(weir_gate_drain(&gate), 0);
    for (int i = 0; i < 3; i++)
        weir_gate_exit(&gate);
}

CASE_ABORTS(plain_gate_exit_after_close_aborts, "gate.c",
            "weir_gate_exit without weir_gate_enter")
{
    gate_make_closed(NULL);
    weir_gate_exit(&gate);
}

CASE_ABORTS(plain_gate_exit_after_a_refused_enter_aborts, "gate.c",
            "weir_gate_exit without weir_gate_enter")
{
    gate_make_closed(NULL);
    expect_status(weir_gate_enter(&gate), WEIR_ECLOSED);
    weir_gate_exit(&gate);
}
