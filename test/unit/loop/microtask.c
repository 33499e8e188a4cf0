/* SPDX-License-Identifier: MIT */
/*
 * microtask -- next-ticks and microtasks: their order, their budget, and what
 * goes on while a chain of them does not end.
 */
#include <errno.h>

#include "support/crew.h"
#include "support/failing_allocator.h"
#include "support/loop_fixture.h"
#include "support/suite.h"
#include "weir/clock.h"
#include "weir/fd.h"
#include "weir/host/loop.h"
#include "weir/loop.h"
#include "weir/timer.h"

/* What on_breach has seen. */
static unsigned breaches;

static void on_breach(void *arg, weir_loop *told)
{
    expect(arg == &breaches);
    expect(told == loop);
    expect(weir_loop_is_owner(told));
    breaches++;
}

static void make(uint32_t budget)
{
    breaches = 0;
    loop_make(LOOP_OPTIONS(.microtask_budget = budget, .arg = &breaches,
                           .on_breach = on_breach));
}

/* order */

static void queue_both(void *arg, int status)
{
    note("callback");
    loop_microtask("m1");
    loop_tick("t1");
    loop_microtask("m2");
    loop_tick("t2");
}

CASE(microtask_runs_after_the_callback_and_all_its_ticks)
{
    loop_make(NULL);
    expect_status(weir_loop_submit(loop, queue_both, NULL), 0);
    loop_submit("next");
    loop_run();
    expect_recorded("callback t1 t2 m1 m2 next");
    loop_end();
}

static void serve_two(void *arg, int status)
{
    queue_both(arg, status);
    expect_status(weir_loop_checkpoint(loop), 0);
    expect_status(weir_loop_checkpoint(loop), 0); /* nothing is left */
    queue_both(arg, status);
}

CASE(checkpoint_in_a_callback_runs_what_is_queued)
{
    loop_make(NULL);
    expect_status(weir_loop_submit(loop, serve_two, NULL), 0);
    loop_submit("next");
    loop_run();
    expect_recorded("callback t1 t2 m1 m2 callback t1 t2 m1 m2 next");
    loop_end();
}

static void checkpoint_again(void *arg, int status)
{
    record(arg, status);
    expect_status(weir_loop_checkpoint(loop), WEIR_EREENTRANT);
}

static void queue_those_that_refuse(void *arg, int status)
{
    expect_status(weir_loop_next_tick(loop, checkpoint_again, (void *)"t"), 0);
    expect_status(weir_loop_microtask(loop, checkpoint_again, (void *)"m"), 0);
}

/* covers: weir_loop_checkpoint WEIR_EREENTRANT
 * covers: weir_loop_checkpoint -EPERM
 * covers: weir_loop_checkpoint -EINVAL */
CASE(checkpoint_elsewhere_is_refused)
{
    loop_make(NULL);
    expect_status(weir_loop_checkpoint(NULL), -EINVAL);
    expect_status(weir_loop_checkpoint(loop), -EPERM);
    expect_status(weir_loop_submit(loop, queue_those_that_refuse, NULL), 0);
    loop_run();
    expect_recorded("t m");
    loop_end();
}

static void raise_now(void *arg, int status)
{
    record(arg, status);
    weir_raise(-EIO, "on purpose");
}

static void checkpoint_that_raises(void *arg, int status)
{
    expect_status(weir_loop_microtask(loop, raise_now, (void *)"raises"), 0);
    loop_microtask("m2");
    expect_status(weir_loop_checkpoint(loop), 0);
    note("never");
}

static void on_uncaught(void *arg, weir_loop *told, const weir_uncaught *what)
{
    expect_int(what->code, -EIO);
    note("uncaught");
}

CASE(checkpoint_in_a_callback_that_raises_leaves_it)
{
    loop_make(LOOP_OPTIONS(.on_uncaught = on_uncaught));
    expect_status(weir_loop_submit(loop, checkpoint_that_raises, NULL), 0);
    loop_submit("next");
    loop_run();
    expect_recorded("raises uncaught m2 next");
    loop_end();
}

static void tick_that_queues(void *arg, int status)
{
    record(arg, status);
    loop_microtask("m-of-t");
    loop_tick("t-of-t");
}

static void microtask_that_queues(void *arg, int status)
{
    record(arg, status);
    loop_tick("t-of-m");
    loop_microtask("m-of-m");
}

static void queue_those_that_queue(void *arg, int status)
{
    expect_status(
        weir_loop_microtask(loop, microtask_that_queues, (void *)"m1"), 0);
    loop_microtask("m2");
    expect_status(weir_loop_next_tick(loop, tick_that_queues, (void *)"t1"), 0);
    loop_tick("t2");
}

/* A tick that a microtask queues waits for the end of the batch: Node 11. */
CASE(microtask_batch_is_not_broken_by_ticks)
{
    loop_make(NULL);
    expect_status(weir_loop_submit(loop, queue_those_that_queue, NULL), 0);
    loop_submit("next");
    loop_run();
    expect_recorded("t1 t2 t-of-t m1 m2 m-of-t m-of-m t-of-m next");
    loop_end();
}

static void nest(void *depth, int status)
{
    unsigned *left = depth;

    note(*left % 2 == 0 ? "m" : "t");
    if (--*left > 0)
        expect_status((*left % 2 == 0 ? weir_loop_microtask
                                      : weir_loop_next_tick)(loop, nest, depth),
                      0);
}

CASE(microtask_and_tick_that_queue_each_other_share_a_checkpoint)
{
    unsigned depth = 6;

    loop_make(NULL);
    expect_status(weir_loop_submit(loop, nest, &depth), 0);
    loop_submit("next");
    loop_run();
    expect_recorded("m t m t m t next");
    loop_end();
}

/* A checkpoint follows each kind of callback. */

static void queue_after(void *arg, int status)
{
    record(arg, status);
    loop_microtask("m");
    loop_tick("t");
}

static void queue_after_fd(void *arg, int status, int fd, unsigned events)
{
    queue_after(arg, status);
}

CASE(microtask_runs_after_every_single_callback_of_every_kind)
{
    int fds[2] = {event_open(1), event_open(1)};

    expect_status(weir_clock_freeze(0), 0);
    loop_make(NULL);
    for (int i = 0; i < 2; i++) {
        expect_status(weir_timer_start(loop, NULL, 0, WEIR_TIMER_ONCE,
                                       queue_after, (void *)"timer"),
                      0);
        expect_status(weir_loop_submit(loop, queue_after, (void *)"task"), 0);
        expect_status(weir_fd_add(loop, fds[i],
                                  WEIR_FD_READABLE | WEIR_FD_ONESHOT,
                                  queue_after_fd, (void *)"fd"),
                      0);
        expect_status(weir_fd_unref(loop, fds[i]), 0);
        expect_status(
            weir_loop_immediate(loop, queue_after, (void *)"immediate"), 0);
        expect_status(
            weir_loop_on_close_phase(loop, queue_after, (void *)"close"), 0);
    }
    loop_turns(1);
    expect_recorded("timer t m timer t m task t m task t m fd t m fd t m "
                    "immediate t m immediate t m close t m close t m");
    loop_end();
    expect_recorded("fd! t m fd! t m");
}

CASE(microtask_from_another_thread_runs_in_the_order_of_its_tasks)
{
    loop_make(NULL);
    loop_submit("a");
    loop_microtask("b");
    loop_tick("c");
    loop_submit("d");
    loop_run();
    expect_recorded("a b c d");
    loop_end();
}

/* budget */

/* A chain: each one queues the next. */
struct chain {
    int (*queue)(weir_loop *loop, weir_fn *fn, void *arg);
    uint64_t left; /* how many are still to come */
    uint64_t runs;
};

static void run_chain(void *arg, int status)
{
    struct chain *chain = arg;

    chain->runs++;
    if (chain->left == 0)
        return;
    chain->left--;
    expect_status(chain->queue(loop, run_chain, chain),
                  status == 0 ? 0 : WEIR_ECLOSED);
}

static void begin_chain(void *chain, int status)
{
    expect_status(((struct chain *)chain)->queue(loop, run_chain, chain), 0);
}

static void submit_chain(struct chain *chain)
{
    expect_status(weir_loop_submit(loop, begin_chain, chain), 0);
}

CASE(microtask_budget_is_1024_unless_told)
{
    struct chain chain = {weir_loop_microtask, UINT64_MAX, 0};

    expect_int(WEIR_LOOP_MICROTASK_BUDGET, 1024);
    make(0);
    submit_chain(&chain);
    loop_turns(1);
    expect_int(chain.runs, 1024);
    expect_int(breaches, 1);
    chain.left = 0;
    loop_end();
}

CASE(microtask_budget_that_is_just_enough_is_no_breach)
{
    struct chain chain = {weir_loop_microtask, 1023, 0};

    make(0);
    submit_chain(&chain);
    loop_turns(1);
    expect_int(chain.runs, 1024);
    expect_int(breaches, 0);
    loop_end();
}

CASE(microtask_budget_can_be_set)
{
    struct chain chain = {weir_loop_microtask, UINT64_MAX, 0};

    make(3);
    submit_chain(&chain);
    loop_turns(1);
    expect_int(chain.runs, 3);
    expect_int(breaches, 1);
    chain.left = 0;
    loop_end();
}

CASE(microtask_budget_is_shared_by_ticks)
{
    unsigned depth = 100;

    make(4);
    expect_status(weir_loop_submit(loop, nest, &depth), 0);
    loop_turns(1);
    expect_recorded("m t m t m"); /* the first is the task itself */
    expect_int(breaches, 1);
    depth = 1;
    loop_end();
}

CASE(microtask_budget_ends_a_chain_of_ticks)
{
    struct chain chain = {weir_loop_next_tick, UINT64_MAX, 0};

    make(10);
    submit_chain(&chain);
    loop_turns(1);
    expect_int(chain.runs, 10);
    expect_int(breaches, 1);
    chain.left = 0;
    loop_end();
}

CASE(microtask_without_budget_runs_all)
{
    struct chain chain = {weir_loop_microtask, 100000, 0};

    make(WEIR_LOOP_NO_BUDGET);
    submit_chain(&chain);
    loop_turns(1);
    expect_int(chain.runs, 100001);
    expect_int(breaches, 0);
    loop_end();
}

CASE(microtask_budget_may_be_exceeded_without_anybody_to_tell)
{
    struct chain chain = {weir_loop_microtask, 5000, 0};

    loop_make(NULL);
    submit_chain(&chain);
    loop_run();
    expect_int(chain.runs, 5001);
    loop_end();
}

/* Nothing else is there whose checkpoint could take up the rest. */
CASE(microtask_rest_runs_in_the_following_turns)
{
    struct chain chain = {weir_loop_microtask, 99, 0};

    make(10);
    submit_chain(&chain);
    for (unsigned turn = 1; turn <= 10; turn++) {
        loop_turns(1);
        expect_int(chain.runs, 10 * turn);
    }
    expect_int(weir_loop_timeout(loop), -1);
    expect_int(breaches, 1);
    loop_end();
}

CASE(microtask_rest_is_run_before_run_becomes_idle)
{
    struct chain chain = {weir_loop_microtask, 12345, 0};

    make(0);
    submit_chain(&chain);
    loop_run();
    expect_int(chain.runs, 12346);
    expect_int(breaches, 1);
    loop_end();
}

CASE(microtask_rest_is_run_by_shutdown)
{
    struct chain chain = {weir_loop_microtask, 12345, 0};

    make(0);
    submit_chain(&chain);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_int(chain.runs, 12346);
    expect_status(weir_loop_free(loop), 0);
}

CASE(microtask_rest_is_told_of_a_close_once)
{
    struct chain chain = {weir_loop_microtask, UINT64_MAX, 0};

    make(10);
    submit_chain(&chain);
    loop_turns(1);
    expect_int(chain.runs, 10);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_int(chain.runs, 11);
    expect_status(weir_loop_free(loop), 0);
}

CASE(microtask_breach_is_told_once_for_each_chain)
{
    struct chain first = {weir_loop_microtask, 25, 0};
    struct chain second = {weir_loop_next_tick, 25, 0};

    make(10);
    submit_chain(&first);
    loop_run();
    expect_int(first.runs, 26);
    expect_int(breaches, 1);
    submit_chain(&second);
    loop_run();
    expect_int(second.runs, 26);
    expect_int(breaches, 2);
    loop_end();
}

static void queue_letters(void *arg, int status)
{
    static const char *const words[] = {"m1", "m2", "m3", "m4", "m5"};

    for (int i = 0; i < 5; i++)
        loop_microtask(words[i]);
    loop_tick("t1");
}

CASE(microtask_rest_keeps_its_order)
{
    make(2);
    expect_status(weir_loop_submit(loop, queue_letters, NULL), 0);
    loop_run();
    expect_recorded("t1 m1 m2 m3 m4 m5");
    expect_int(breaches, 1);
    loop_end();
}

static void queue_more(void *arg, int status)
{
    record(arg, status);
    loop_microtask("m6");
}

/* What is queued later goes behind the rest. */
CASE(microtask_rest_goes_before_what_is_queued_later)
{
    make(2);
    expect_status(weir_loop_submit(loop, queue_letters, NULL), 0);
    expect_status(weir_loop_submit(loop, queue_more, (void *)"more"), 0);
    loop_run();
    expect_recorded("t1 m1 more m2 m3 m4 m5 m6");
    expect_int(breaches, 1);
    loop_end();
}

static void queue_in_breach(void *arg, weir_loop *told)
{
    note("breach");
    loop_microtask("last");
    loop_tick("tick");
}

CASE(microtask_breach_may_queue_more)
{
    loop_make(
        LOOP_OPTIONS(.microtask_budget = 4, .on_breach = queue_in_breach));
    expect_status(weir_loop_submit(loop, queue_letters, NULL), 0);
    loop_run();
    expect_recorded("t1 m1 m2 m3 breach tick m4 m5 last");
    loop_end();
}

/* Timers and descriptors are served all the same. */

static void ring(void *arg, int status)
{
    struct chain *chain = arg;

    expect_status(status, 0);
    note("timer");
    chain->left = 0;
}

CASE(microtask_chain_without_end_lets_a_timer_fire_on_time)
{
    struct chain chain = {weir_loop_microtask, UINT64_MAX, 0};
    uint64_t before;

    expect_status(weir_clock_freeze(0), 0);
    make(0);
    submit_chain(&chain);
    expect_status(weir_timer_start(loop, NULL, 10 * MILLISECOND_NS,
                                   WEIR_TIMER_ONCE, ring, &chain),
                  0);
    loop_turns(3);
    expect_recorded("");
    expect(chain.runs >= 1024);
    before = chain.runs;
    expect_status(weir_clock_advance(10 * MILLISECOND_NS), 0);
    loop_turns(1);
    expect_recorded("timer");
    expect(chain.runs - before <= 2 * 1024);
    expect_int(breaches, 1);
    loop_end();
}

static void end_chain(void *chain, int status)
{
    expect_status(status, 0);
    ((struct chain *)chain)->left = 0;
}

/* The same by the real clock: the run ends when the timer does. */
CASE(microtask_chain_without_end_lets_a_timer_fire_by_the_real_clock)
{
    struct chain chain = {weir_loop_microtask, UINT64_MAX, 0};

    make(0);
    submit_chain(&chain);
    expect_status(weir_timer_start(loop, NULL, 10 * MILLISECOND_NS,
                                   WEIR_TIMER_ONCE, end_chain, &chain),
                  0);
    loop_run();
    expect_int(chain.left, 0);
    expect_int(breaches, 1);
    loop_end();
}

static void end_chain_by_fd(void *chain, int status, int fd, unsigned events)
{
    expect_status(status, 0);
    expect_int(events, WEIR_FD_READABLE);
    ((struct chain *)chain)->left = 0;
    expect_status(weir_fd_remove(loop, fd, NULL, NULL), 0);
}

CASE(microtask_chain_without_end_lets_a_descriptor_be_served)
{
    struct chain chain = {weir_loop_next_tick, UINT64_MAX, 0};
    int fd = event_open(0);

    make(0);
    submit_chain(&chain);
    expect_status(
        weir_fd_add(loop, fd, WEIR_FD_READABLE, end_chain_by_fd, &chain), 0);
    loop_turns(2);
    expect(chain.left > 0);
    event_fill(fd);
    loop_turns(1);
    expect_int(chain.left, 0);
    loop_run();
    loop_end();
}

CASE(microtask_chain_without_end_lets_tasks_and_immediates_run)
{
    struct chain chain = {weir_loop_microtask, UINT64_MAX, 0};

    make(0);
    submit_chain(&chain);
    loop_submit("task");
    loop_immediate("immediate");
    loop_close_phase("close");
    loop_turns(1);
    expect_recorded("task immediate close");
    loop_submit("later");
    loop_turns(1);
    expect_recorded("later");
    chain.left = 0;
    loop_end();
}

/* memory */

static void queue_million(void *runs, int status)
{
    for (int i = 0; i < 1000000; i++)
        expect_status(weir_loop_microtask(loop, run_chain, runs), 0);
}

CASE(microtask_burst_of_a_million_gives_the_memory_back)
{
    struct chain chain = {weir_loop_microtask, 0, 0};
    struct failing_allocator memory;
    uint64_t before;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    make(WEIR_LOOP_NO_BUDGET);
    submit_chain(&chain);
    loop_run();
    before = memory.live_bytes;
    expect_status(weir_loop_submit(loop, queue_million, &chain), 0);
    loop_run();
    expect_int(chain.runs, 1000001);
    expect(memory.live_bytes <= before);
    loop_end();
    expect_int(memory.live, 0);
}

CASE(microtask_burst_above_the_budget_gives_the_memory_back)
{
    struct chain chain = {weir_loop_microtask, 0, 0};
    struct failing_allocator memory;
    uint64_t before;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    make(0);
    submit_chain(&chain);
    loop_run();
    before = memory.live_bytes;
    expect_status(weir_loop_submit(loop, queue_million, &chain), 0);
    loop_run();
    expect_int(chain.runs, 1000001);
    expect_int(breaches, 1);
    expect(memory.live_bytes <= before);
    loop_end();
    expect_int(memory.live, 0);
}

CASE(microtask_allocates_nothing_in_steady_state)
{
    struct failing_allocator memory;
    uint64_t calls = 0;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    make(0);
    for (int i = 0; i < 500; i++) {
        struct chain chain = {weir_loop_microtask, 100, 0};

        submit_chain(&chain);
        loop_run();
        expect_int(chain.runs, 101);
        if (i == 200)
            calls = memory.calls;
    }
    expect_int(memory.calls, calls);
    loop_end();
}

/* threads: each one runs exactly once, whoever queues it */

enum { THREADS = 4, EACH = 2000 };

static unsigned char ran[THREADS][EACH]; /* the loop's thread's */

static void mark(void *cell, int status)
{
    expect_status(status, 0);
    ++*(unsigned char *)cell;
}

static void mark_and_queue(void *cell, int status)
{
    mark(cell, status);
    expect_status(weir_loop_microtask(loop, mark, cell), 0);
}

static void queue_from_outside(struct crew *crew, unsigned id)
{
    for (int i = 0; i < EACH; i++)
        expect_status((i % 2 == 0 ? weir_loop_microtask : weir_loop_next_tick)(
                          loop, mark_and_queue, &ran[id][i]),
                      0);
}

CASE(microtask_from_many_threads_is_not_run_twice)
{
    struct runner runner;

    make(0);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    crew_run(THREADS, queue_from_outside, NULL);
    loop_end();
    expect_status(runner_join(&runner), 0);
    for (int id = 0; id < THREADS; id++)
        for (int i = 0; i < EACH; i++)
            expect_int(ran[id][i], 2);
}
