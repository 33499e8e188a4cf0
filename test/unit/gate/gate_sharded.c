/* SPDX-License-Identifier: MIT */
/*
 * gate_sharded -- what only a sharded gate has: shards, blocks that are used
 * again, and a count that is checked at the drain.
 */
#include <errno.h>
#include <string.h>

#include "base/membarrier.h"
#include "gate/shards.h"
#include "support/crew.h"
#include "support/failing_allocator.h"
#include "support/gate_fixture.h"
#include "support/suite.h"

CASE(gate_asked_for_shards_has_them_where_the_kernel_can)
{
    gate_make(&gate_sharded);
    expect_int(weir_gate_is_sharded(&gate), weir__membarrier_is_ready());
}

CASE(sharded_gate_counts_in_shards_while_running)
{
    uint64_t word;

    gate_need_shards();
    gate_make_running(&gate_sharded);
    word = gate.word_.v_;
    expect_status(weir_gate_enter(&gate), 0);
    expect_int(weir__shards_sum(gate.shards_), 1);
    expect(gate.word_.v_ == word);
}

static void enter_and_meet(struct crew *crew, unsigned id)
{
    expect_status(weir_gate_enter(&gate), 0);
    crew_meet(crew);
}

CASE(sharded_gate_counts_threads_without_shard_in_the_word)
{
    gate_need_shards();
    gate_make_running(&gate_sharded);
    crew_run(WEIR__SHARDS + 5, enter_and_meet, NULL);
    expect_int(weir__shards_sum(gate.shards_), WEIR__SHARDS);
    expect_int(gate.word_.v_ >> 32, 5);
    expect_int(weir_gate_inflight(&gate), WEIR__SHARDS + 5);
}

/* The snapshot of a count that is spread over shards may catch an exit whose
 * enter it has missed; it must not show as four billion. */
CASE(sharded_gate_inflight_is_never_below_zero)
{
    gate_need_shards();
    gate_make_running(&gate_sharded);
    expect(weir__shards_add(gate.shards_, -1));
    expect_int(weir_gate_inflight(&gate), 0);
}

/* covers: weir_gate_drain -EALREADY */
CASE(sharded_gate_drain_while_another_thread_folds_is_refused)
{
    gate_need_shards();
    gate_make_running(&gate_sharded);
    gate.word_.v_ |= UINT64_C(1) << 3; /* FOLDING: see gate.c, Shape */
    expect_status(weir_gate_drain(&gate), -EALREADY);
    expect_int(weir_gate_phase(&gate), WEIR_PHASE_RUNNING);
    expect_status(weir_gate_enter(&gate), 0);
}

/* covers: weir_gate_init -ENOMEM */
CASE(sharded_gate_init_fails_clean_at_each_allocation)
{
    struct failing_allocator memory;
    uint64_t n = 0;
    int err;

    gate_need_shards();
    do {
        weir_gate before;

        failing_allocator_init(&memory, ++n);
        expect_status(weir_set_allocator(&memory.hooks), 0);
        memset(&gate, 0xa5, sizeof(gate));
        before = gate;
        err = weir_gate_init(&gate, NULL, NULL, &gate_sharded);
        if (err != 0) {
            expect_status(err, -ENOMEM);
            expect_int(memcmp(&gate, &before, sizeof(gate)), 0);
            expect_int(memory.live, 0);
        }
    } while (err != 0);
    expect_int(memory.calls, n - 1);
    expect(n > 1);
    expect_status(weir_gate_start(&gate), 0);
    expect_status(weir_gate_drain(&gate), 0);
    expect_int(weir_gate_phase(&gate), WEIR_PHASE_CLOSED);
}

CASE(plain_gate_allocates_nothing)
{
    struct failing_allocator memory;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    gate_make_closed(NULL);
    expect_int(memory.calls, 0);
}

/* Blocks are let go of when their generations are used up. */
#ifdef WEIR_SMALL
enum { GATES_PER_BLOCK = 1 << 3 };
#else
enum { GATES_PER_BLOCK = 1 << 30 };
#endif

CASE(sharded_gates_one_after_another_use_one_block)
{
    enum { GATES = 1000 };
    struct failing_allocator memory;

    gate_need_shards();
    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    for (int i = 0; i < GATES; i++) {
        gate_make_closed(&gate_sharded);
        expect_status(weir_gate_fini(&gate), 0);
    }
    expect_int(closed.times, GATES);
    expect_int(memory.live, (GATES - 1) / GATES_PER_BLOCK + 1);
}

CASE(sharded_gates_at_once_have_a_block_each)
{
    static weir_gate other;

    gate_need_shards();
    gate_make_running(&gate_sharded);
    expect_status(weir_gate_init(&other, NULL, NULL, &gate_sharded), 0);
    expect_status(weir_gate_start(&other), 0);
    expect_status(weir_gate_enter(&gate), 0);
    expect_int(weir_gate_inflight(&gate), 1);
    expect_int(weir_gate_inflight(&other), 0);
}

/* misuse */

CASE_ABORTS(sharded_gate_exit_without_enter_aborts_at_the_drain, "gate.c",
            "more exits than enters")
{
    gate_need_shards();
    gate_make_running(&gate_sharded);
    weir_gate_exit(&gate);
    expect_status(weir_gate_drain(&gate), 0);
}

CASE_ABORTS(sharded_gate_exit_without_enter_in_the_word_aborts_at_the_drain,
            "gate.c", "more exits than enters")
{
    gate_need_shards();
    gate_make(&gate_sharded); /* not started: the word counts */
    weir_gate_exit(&gate);
    expect_status(weir_gate_start(&gate), 0);
    expect_status(weir_gate_drain(&gate), 0);
}

CASE_ABORTS(sharded_gate_exit_after_close_aborts, "gate.c",
            "weir_gate_exit without weir_gate_enter")
{
    gate_need_shards();
    gate_make_closed(&gate_sharded);
    weir_gate_exit(&gate);
}

CASE_ABORTS(sharded_gate_with_too_many_inside_aborts_at_the_drain, "gate.c",
            "too many inside a sharded gate")
{
    gate_need_shards();
    gate_make_running(&gate_sharded);
    expect(weir__shards_add(gate.shards_, 2 * (int)WEIR_GATE_LIMIT));
    expect_status(weir_gate_drain(&gate), 0);
}

CASE(sharded_gate_with_as_many_inside_as_it_can_tell_drains)
{
    gate_need_shards();
    gate_make_running(&gate_sharded);
    expect(weir__shards_add(gate.shards_, 2 * (int)WEIR_GATE_LIMIT - 1));
    expect_status(weir_gate_drain(&gate), 0);
    expect_int(weir_gate_inflight(&gate), 2 * WEIR_GATE_LIMIT - 1);
    expect_int(weir_gate_phase(&gate), WEIR_PHASE_DRAINING);
}
