/* SPDX-License-Identifier: MIT */
/*
 * gate -- the laws of the gate, under every interleaving.
 *
 * Each worker marks its work as begun and as done with plain stores.  Whoever
 * learns that the gate is closed (on_closed, a waiter, finish) reads all the
 * marks with plain loads: a missing order is a data race, and work that still
 * runs is a failed assertion.
 */
#include "weir/gate.h"

#include <errno.h>
#include <stdio.h>

#include "model.h"

enum { WORKERS = 3, NEVER = 0, BEGUN = 1, ENDED = 2 };

static weir_gate the_gate;
static weir_gate *gate = &the_gate;
static int work[WORKERS];    /* NEVER, BEGUN, ENDED */
static int prepared;         /* what came before the start */
static int closed;           /* how often on_closed was called */
static int drains;           /* how many drains returned 0 */
static atomic(int) refusing; /* a drain has returned 0 */

static void show_word(char *text, size_t size, uint64_t word)
{
    static const char *const phases[] = {"INIT", "RUNNING", "DRAINING", "?"};
    uint32_t left = (uint32_t)word >> 4;
    const char *phase = phases[word & 3];

    if ((word & 3) == WEIR_PHASE_DRAINING)
        snprintf(text, size, "%s %u%s", left == 0 ? "CLOSED" : phase, left,
                 (word & 4) != 0 ? " W" : "");
    else
        snprintf(text, size, "%s %d%s%s", phase, (int)(word >> 32),
                 (word & 4) != 0 ? " W" : "", (word & 8) != 0 ? " F" : "");
}

static void expect_all_work_ended(void)
{
    for (int i = 0; i < WORKERS; i++)
        model_assert(plain_load(&work[i]) != BEGUN);
}

static void on_closed(void *arg)
{
    model_assert(arg == &work);
    model_assert(closed == 0);
    closed++;
    expect_all_work_ended();
}

static void init(bool is_sharded)
{
    weir_gate_options options = {sizeof(options), is_sharded};

    model_show(&gate->word_, "gate", show_word);
    model_assert(weir_gate_init(gate, on_closed, &work, &options) == 0);
    model_assert(weir_gate_is_sharded(gate) == is_sharded);
}

static void start(void)
{
    plain_store(&prepared, 1);
    model_assert(weir_gate_start(gate) == 0);
}

static void init_plain(void)
{
    init(false);
}

static void init_sharded(void)
{
    init(true);
}

static void start_plain(void)
{
    init(false);
    start();
}

static void start_sharded(void)
{
    init(true);
    start();
}

static void do_work(unsigned self)
{
    model_assert(plain_load(&prepared) == 1);
    plain_store(&work[self], BEGUN);
    plain_store(&work[self], ENDED);
}

static void worker(void)
{
    unsigned self = model_self();
    bool is_late = load_acquire(&refusing) != 0;
    int err;

    err = weir_gate_enter(gate);
    if (err == WEIR_ECLOSED)
        return;
    model_assert(err == 0 && !is_late);
    do_work(self);
    weir_gate_exit(gate);
}

/* Enters without a look at `refusing`: fewer steps, more threads. */
static void quick_worker(void)
{
    int err = weir_gate_enter(gate);

    if (err != 0)
        return;
    do_work(model_self());
    weir_gate_exit(gate);
}

static void drainer(void)
{
    int err = weir_gate_drain(gate);

    model_assert(err == 0 || err == -EALREADY);
    if (err == 0) {
        drains++;
        store_release(&refusing, 1);
    }
}

static void quick_drainer(void)
{
    int err = weir_gate_drain(gate);

    model_assert(err == 0 || err == -EALREADY);
    drains += err == 0;
}

static void starter(void)
{
    start();
}

/* May come before the start; then it is refused, and tries no more. */
static void early_drainer(void)
{
    int err = weir_gate_drain(gate);

    model_assert(err == 0 || err == WEIR_ENOTSTARTED);
    drains += err == 0;
}

static void waiter(void)
{
    model_assert(weir_gate_wait(gate, -1) == 0);
    model_assert(weir_gate_phase(gate) == WEIR_PHASE_CLOSED);
    expect_all_work_ended();
}

static void timed_waiter(void)
{
    int err = weir_gate_wait(gate, 1);

    model_assert(err == 0 || err == -ETIMEDOUT);
    if (err == 0)
        expect_all_work_ended();
}

static void watcher(void)
{
    weir_phase first = weir_gate_phase(gate);
    weir_phase second = weir_gate_phase(gate);

    model_assert(first <= second);
    if (second == WEIR_PHASE_CLOSED)
        expect_all_work_ended();
}

static void expect_closed_once(void)
{
    model_assert(drains == 1);
    model_assert(closed == 1);
    model_assert(weir_gate_phase(gate) == WEIR_PHASE_CLOSED);
    model_assert(weir_gate_inflight(gate) == 0);
    expect_all_work_ended();
    model_assert(weir_gate_fini(gate) == 0);
}

static void expect_closed_if_drained(void)
{
    model_assert(closed == drains);
    if (drains == 0) {
        model_assert(weir_gate_drain(gate) == 0);
        model_assert(closed == 1);
    }
    model_assert(weir_gate_fini(gate) == 0);
}

/* --- work that was admitted before the race; on_closed frees the gate ----- */

static int admitted_in_setup;

static void free_gate(void *arg)
{
    expect_all_work_ended();
    closed++;
    model_assert(weir_gate_fini(arg) == 0);
    model_free(arg);
    gate = NULL;
}

static void admit_two(bool is_sharded)
{
    weir_gate_options options = {sizeof(options), is_sharded};

    gate = model_alloc(sizeof(*gate));
    model_show(&gate->word_, "gate", show_word);
    model_assert(weir_gate_init(gate, free_gate, gate, &options) == 0);
    start();
    for (; admitted_in_setup < 2; admitted_in_setup++)
        model_assert(weir_gate_enter(gate) == 0);
}

static void admit_two_plain(void)
{
    admit_two(false);
}

static void admit_two_sharded(void)
{
    admit_two(true);
}

static void leaver(void)
{
    weir_gate *mine = gate;

    do_work(model_self());
    weir_gate_exit(mine);
}

/* Enters itself, so that its shard counts; the gate lives until it exits, as
 * the two of setup may not have left; so it enters only if it is not late. */
static void expect_freed(void)
{
    model_assert(closed == 1);
}

/* A straggler: its exit is counted, the gate is freed, and its shards belong
 * to another gate before it looks at the seal. */
static weir_gate next_gate;

static void free_and_begin_again(void *arg)
{
    weir_gate_options options = {sizeof(options), true};

    free_gate(arg);
    model_assert(weir_gate_init(&next_gate, NULL, NULL, &options) == 0);
    model_assert(weir_gate_start(&next_gate) == 0);
    model_assert(weir_gate_enter(&next_gate) == 0);
    model_assert(weir_gate_drain(&next_gate) == 0);
    model_assert(weir_gate_inflight(&next_gate) == 1);
}

static weir_gate *first_gate;

static void straggler_setup(void)
{
    weir_gate_options options = {sizeof(options), true};

    gate = first_gate = model_alloc(sizeof(*gate));
    model_assert(weir_gate_init(gate, free_and_begin_again, gate, &options) ==
                 0);
    start();
    model_assert(weir_gate_enter(gate) == 0); /* counted in the word */
}

static void straggler(void)
{
    weir_gate_exit(first_gate);
}

static void straggler_drains(void)
{
    model_assert(weir_gate_drain(first_gate) == 0);
}

static void straggler_finish(void)
{
    model_assert(closed == 1);
    model_assert(weir_gate_inflight(&next_gate) == 1);
    weir_gate_exit(&next_gate);
    model_assert(weir_gate_phase(&next_gate) == WEIR_PHASE_CLOSED);
}

static const struct model_case cases[] = {
    {"plain_worker_and_drainer_close_once", .setup = start_plain,
     .threads = {T(worker), T(drainer)}, .finish = expect_closed_once},
    {"plain_enter_after_a_drain_returned_is_refused", .setup = start_plain,
     .threads = {T(worker), T(worker), T(drainer), T(drainer)},
     .finish = expect_closed_once},
    {"plain_watcher_sees_phases_in_order", .setup = start_plain,
     .threads = {T(quick_worker), T(quick_worker), T(quick_drainer),
                 T(watcher)},
     .finish = expect_closed_once},
    {"plain_start_races_with_enter_and_drain", .setup = init_plain,
     .threads = {T(quick_worker), T(quick_worker), T(starter),
                 T(early_drainer)},
     .finish = expect_closed_if_drained},
    {"plain_timed_waiter_may_give_up", .setup = start_plain, .spurious = 1,
     .threads = {T(worker), T(drainer), T(timed_waiter)},
     .finish = expect_closed_once},
    {"plain_spurious_failures_and_wakes_change_nothing", .setup = start_plain,
     .spurious = 2, .threads = {T(worker), T(drainer), T(waiter)},
     .finish = expect_closed_once},
    {"plain_on_closed_may_free_the_gate", .setup = admit_two_plain,
     .may_delay = true, .threads = {T(leaver), T(leaver), T(quick_drainer)},
     .finish = expect_freed},
    {"sharded_worker_and_drainer_close_once", .setup = start_sharded,
     .threads = {T(worker), T(drainer)}, .finish = expect_closed_once},
    {"sharded_start_races_with_enter_and_drain", .setup = init_sharded,
     .threads = {T(quick_worker), T(starter), T(early_drainer)},
     .finish = expect_closed_if_drained},
    {"sharded_worker_drainer_and_waiter", .setup = start_sharded,
     .threads = {T(worker), T(drainer), T(waiter)},
     .finish = expect_closed_once},
    {"sharded_on_closed_may_free_the_gate", .setup = admit_two_sharded,
     .may_delay = true, .threads = {T(leaver), T(leaver), T(quick_drainer)},
     .finish = expect_freed},
    {"sharded_straggler_does_not_touch_the_next_gate", .setup = straggler_setup,
     .may_delay = true, .threads = {T(straggler), T(straggler_drains)},
     .finish = straggler_finish},
    {"sharded_two_workers_two_drainers", .setup = start_sharded,
     .threads = {T(quick_worker), T(quick_worker), T(quick_drainer),
                 T(quick_drainer)},
     .finish = expect_closed_once},
    /* The largest. */
    {"sharded_two_workers_two_drainers_one_waiter", .setup = start_sharded,
     .is_long = true,
     .threads = {T(quick_worker), T(quick_worker), T(quick_drainer),
                 T(quick_drainer), T(waiter)},
     .finish = expect_closed_once},
    {"sharded_three_workers_one_drainer", .setup = start_sharded,
     .threads = {T(quick_worker), T(quick_worker), T(quick_worker),
                 T(quick_drainer)},
     .finish = expect_closed_once, .brief_bound = 2},
    {"plain_three_workers_two_drainers_one_waiter", .setup = start_plain,
     .threads = {T(quick_worker), T(quick_worker), T(quick_worker),
                 T(quick_drainer), T(quick_drainer), T(waiter)},
     .finish = expect_closed_once, .brief_bound = 1},
};

MODEL_CASES(cases)
