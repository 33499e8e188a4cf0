/* SPDX-License-Identifier: MIT */
/*
 * microtask -- what it costs to queue one and to run it.
 *
 * microtask/chain    each microtask queues the next one
 * microtask/batch    one queues 1,000 that do nothing, and itself after them
 *
 * The floor is a ring of functions and arguments.  Queueing is a called
 * function there, too, as it is with a library.  No peer has microtasks.
 */
#include <stddef.h>

#include "bench.h"
#include "weir/loop.h"

enum { BATCH = 1000 };

static uint64_t left; /* microtasks that are yet to be queued */

/* ---- floor ---- */

enum { RING = 1024 };

static struct {
    struct {
        weir_fn *fn;
        void *arg;
    } slot[RING];
    uint64_t head, tail;
} ring;

static BENCH_ALIGNED int ring_push(weir_fn *fn, void *arg)
{
    if (ring.tail - ring.head == RING)
        return -1;
    ring.slot[ring.tail % RING].fn = fn;
    ring.slot[ring.tail % RING].arg = arg;
    ring.tail++;
    return 0;
}

static BENCH_ALIGNED void ring_run(void)
{
    while (ring.head != ring.tail) {
        uint64_t at = ring.head++ % RING;

        ring.slot[at].fn(ring.slot[at].arg, 0);
    }
}

static void nothing(void *arg, int status)
{
}

static void ring_chain(void *arg, int status)
{
    if (--left > 0 && ring_push(ring_chain, arg) != 0)
        bench_fail("the ring is full");
}

static void ring_batch(void *arg, int status)
{
    if (left == 0)
        return;
    left--;
    for (int i = 0; i < BATCH - 1; i++)
        if (ring_push(nothing, arg) != 0)
            bench_fail("the ring is full");
    if (ring_push(ring_batch, arg) != 0)
        bench_fail("the ring is full");
}

static BENCH_ALIGNED void run_ring_chain(unsigned thread, uint64_t count)
{
    left = count;
    (void)ring_push(ring_chain, NULL);
    ring_run();
}

static BENCH_ALIGNED void run_ring_batch(unsigned thread, uint64_t count)
{
    left = count / BATCH;
    (void)ring_push(ring_batch, NULL);
    ring_run();
}

/* ---- weir ---- */

static weir_loop *loop;

static bool open_with(uint32_t budget)
{
    weir_loop_options options = {.size = sizeof(options),
                                 .microtask_budget = budget};

    return weir_loop_new(&loop, &options) == 0;
}

static bool open_default(void)
{
    return open_with(0);
}

static bool open_no_budget(void)
{
    return open_with(WEIR_LOOP_NO_BUDGET);
}

static void queue(weir_fn *fn)
{
    if (weir_loop_microtask(loop, fn, NULL) != 0)
        bench_fail("weir_loop_microtask");
}

static void weir_chain(void *arg, int status)
{
    if (--left > 0)
        queue(weir_chain);
}

static void weir_batch(void *arg, int status)
{
    if (left == 0)
        return;
    left--;
    for (int i = 0; i < BATCH - 1; i++)
        queue(nothing);
    queue(weir_batch);
}

static void run_weir(weir_fn *first)
{
    queue(first);
    if (weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) != 0)
        bench_fail("weir_loop_run");
}

static BENCH_ALIGNED void run_weir_chain(unsigned thread, uint64_t count)
{
    left = count;
    run_weir(weir_chain);
}

static BENCH_ALIGNED void run_weir_batch(unsigned thread, uint64_t count)
{
    left = count / BATCH;
    run_weir(weir_batch);
}

/* ---- the tables ---- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct bench_entry chains[] = {
    {.impl = "ring of functions", .run = run_ring_chain},
    {.impl = "weir", .run = run_weir_chain, .open = open_default},
    {.impl = "weir, without a budget",
     .run = run_weir_chain,
     .open = open_no_budget},
};

static const struct bench_entry batches[] = {
    {.impl = "ring of functions", .run = run_ring_batch},
    {.impl = "weir", .run = run_weir_batch, .open = open_default},
    {.impl = "weir, without a budget",
     .run = run_weir_batch,
     .open = open_no_budget},
};

static const struct bench_workload workloads[] = {
    {.name = "microtask/chain",
     .operation = "queue a microtask from a microtask, and run it",
     .threads = 1,
     .cpu = {1},
     .batch = 50000,
     .entries = chains,
     .entry_count = COUNT(chains)},
    {.name = "microtask/batch",
     .operation = "queue and run one of 1,000 microtasks",
     .threads = 1,
     .cpu = {1},
     .batch = 50000,
     .entries = batches,
     .entry_count = COUNT(batches)},
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "microtask", workloads, COUNT(workloads));
}
