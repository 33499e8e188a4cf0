/* SPDX-License-Identifier: MIT */
/*
 * ingress -- many threads at one queue.  Every task runs once, on the loop's
 * thread, after those that its producer has sent before; and no wake is lost:
 * a lost one shows as a case that does not end by its deadline.
 *
 * WEIR_SEED sets what the producers choose.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "base/parker.h"
#include "support/crew.h"
#include "support/effort.h"
#include "support/loop_fixture.h"
#include "support/random.h"
#include "support/suite.h"
#include "weir/metrics.h"

/* ---- a crowd, and one loop ---- */

enum { PRODUCERS = 100, TASKS = 10000 };

struct item {
    weir_task task;
    struct producer *producer;
    unsigned number; /* plain: the queue hands it over */
};

struct producer {
    _Alignas(128) struct item items[TASKS];
    unsigned ran; /* loop only */
};

struct crowd {
    struct producer *producers;
    uint64_t seed;
    pthread_t runner;
    unsigned left; /* atomic: producers that are not through */
};

static struct crowd crowd;

static void run_item(weir_task *task, int status)
{
    struct item *item = (struct item *)task;

    expect_status(status, 0);
    expect(pthread_equal(pthread_self(), crowd.runner));
    expect(weir_loop_current() == loop);
    expect_int(item->number, item->producer->ran++);
}

static void run_submitted(void *item, int status)
{
    run_item(item, status);
}

static void send(struct item *item, uint64_t way)
{
    item->task = (weir_task){.run = run_item};
    if (way == 0)
        expect_status(weir_loop_submit(loop, run_submitted, item), 0);
    else if (way == 1)
        expect_status(weir_loop_dispatch(loop, run_submitted, item), 0);
    else
        expect_status(weir_loop_post(loop, &item->task), 0);
}

static void produce(struct producer *producer, unsigned id)
{
    struct random random = {crowd.seed + id};

    /* Or it might be shut down before it was ever run. */
    while (weir_loop_state(loop) == WEIR_LOOP_AWAKE)
        sched_yield();
    for (unsigned i = 0; i < TASKS; i++) {
        producer->items[i].producer = producer;
        producer->items[i].number = i;
        send(&producer->items[i], random_below(&random, 4));
    }
    if (__atomic_sub_fetch(&crowd.left, 1, __ATOMIC_RELAXED) == 0)
        expect_status(weir_loop_shutdown(loop, -1), 0);
}

static void run_or_produce(struct crew *crew, unsigned id)
{
    if (id == PRODUCERS)
        crowd.runner = pthread_self();
    crew_meet(crew);
    if (id == PRODUCERS)
        expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), 0);
    else
        produce(&crowd.producers[id], id);
}

static void expect_all_ran_once(void)
{
    weir_metrics metrics = {.size = sizeof(metrics)};

    for (unsigned id = 0; id < PRODUCERS; id++)
        expect_int(crowd.producers[id].ran, TASKS);
    expect_status(weir_loop_metrics(loop, &metrics), 0);
    expect_int(metrics.tasks, PRODUCERS * TASKS);
    expect_int(metrics.wakes_sent + metrics.wakes_saved, PRODUCERS * TASKS);
    expect_int(metrics.queue_depth, 0);
}

static void race_crowd(weir_fd_mode fd_mode)
{
    effort_spare_the_sanitizer();
    loop_make(LOOP_OPTIONS(.fd_mode = fd_mode, .metrics = true));
    crowd = (struct crowd){.seed = random_seed(), .left = PRODUCERS};
    crowd.producers = aligned_alloc(128, PRODUCERS * sizeof(struct producer));
    expect(crowd.producers != NULL);
    for (unsigned id = 0; id < PRODUCERS; id++)
        crowd.producers[id].ran = 0;
    crew_run(PRODUCERS + 1, run_or_produce, NULL);
    expect_all_ran_once();
    free(crowd.producers);
    loop_end();
}

STRESS_CASE(loop_on_a_futex_runs_all_of_a_crowd_once_and_in_order)
{
    race_crowd(WEIR_FD_MODE_NEVER);
}

STRESS_CASE(loop_in_the_poller_runs_all_of_a_crowd_once_and_in_order)
{
    race_crowd(WEIR_FD_MODE_ALWAYS);
}

/* ---- a loop that goes to sleep after each task ---- */

enum { VISITORS = 3, VISITS = 20000, RUNNERS = 2, DELAY_NS = 3000 };

/* Sends one task at a time, and waits until it has run. */
struct visitor {
    _Alignas(128) weir_task task;
    struct weir__parker parker;
    unsigned seen; /* loop only, while a task is on its way */
};

struct house {
    struct visitor visitors[VISITORS];
    uint64_t seed;
    unsigned left; /* atomic: visitors that are not through */
};

static struct house house;

static void welcome(struct visitor *visitor, int status)
{
    expect_status(status, 0);
    expect(weir_loop_is_owner(loop));
    visitor->seen++;
    weir__parker_unpark(&visitor->parker);
}

static void welcome_post(weir_task *task, int status)
{
    welcome((struct visitor *)task, status);
}

static void welcome_submit(void *visitor, int status)
{
    welcome(visitor, status);
}

/* Busy, and about as long as the loop takes to go to sleep. */
static void dawdle(struct random *random)
{
    int64_t end_ns = effort_now() + (int64_t)random_below(random, DELAY_NS);

    while (effort_now() < end_ns)
        ;
}

/* Returns whether it was the last of all visitors. */
static bool visit(unsigned id)
{
    struct visitor *visitor = &house.visitors[id];
    struct random random = {house.seed + id};
    const unsigned visits = effort_steps(VISITS);

    for (unsigned i = 0; i < visits; i++) {
        dawdle(&random);
        if (random_below(&random, 2) == 0)
            expect_status(weir_loop_post(loop, &visitor->task), 0);
        else
            expect_status(weir_loop_submit(loop, welcome_submit, visitor), 0);
        weir__parker_park(&visitor->parker);
        expect_int(visitor->seen, i + 1);
    }
    return __atomic_sub_fetch(&house.left, 1, __ATOMIC_ACQ_REL) == 0;
}

static void open_house(void)
{
    house = (struct house){.seed = random_seed(), .left = VISITORS};
    for (unsigned id = 0; id < VISITORS; id++) {
        house.visitors[id].task = (weir_task){.run = welcome_post};
        weir__parker_init(&house.visitors[id].parker);
    }
}

static void run_or_visit(struct crew *crew, unsigned id)
{
    if (id == VISITORS)
        expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), 0);
    else if (visit(id))
        expect_status(weir_loop_shutdown(loop, -1), 0);
}

static void race_sleep(weir_fd_mode fd_mode)
{
    loop_make(LOOP_OPTIONS(.fd_mode = fd_mode));
    open_house();
    crew_run(VISITORS + 1, run_or_visit, NULL);
    loop_end();
}

STRESS_CASE(loop_that_lies_down_on_the_futex_misses_no_task)
{
    race_sleep(WEIR_FD_MODE_AUTO);
}

STRESS_CASE(loop_that_lies_down_in_the_poller_misses_no_task)
{
    race_sleep(WEIR_FD_MODE_ALWAYS);
}

/* ---- a task that comes just when the loop goes to sleep ---- */

enum { TEASES = 150000, LONGEST_TEASE = 600 };

static struct {
    weir_task task;
    unsigned seen; /* atomic */
} tease;

static void notice(weir_task *task, int status)
{
    expect_status(status, 0);
    __atomic_fetch_add(&tease.seen, 1, __ATOMIC_RELEASE);
}

/* Nobody sleeps here, and nobody looks at a clock: so the next task comes
 * within the few hundred nanoseconds that the loop takes to go to sleep. */
static void await_notice(unsigned count)
{
    for (unsigned looks = 1;
         __atomic_load_n(&tease.seen, __ATOMIC_ACQUIRE) != count; looks++)
        if (looks % 4096 == 0)
            sched_yield();
}

static void run_or_tease(struct crew *crew, unsigned id)
{
    struct random random = {house.seed};
    const unsigned teases = effort_steps(TEASES);

    if (id == 0) {
        expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), 0);
        return;
    }
    for (unsigned i = 1; i <= teases; i++) {
        uint64_t length = random_below(&random, LONGEST_TEASE);

        for (volatile uint64_t j = 0; j < length; j++)
            ;
        expect_status(weir_loop_post(loop, &tease.task), 0);
        await_notice(i);
    }
    expect_status(weir_loop_shutdown(loop, -1), 0);
}

static void race_tease(weir_fd_mode fd_mode)
{
    loop_make(LOOP_OPTIONS(.fd_mode = fd_mode));
    house.seed = random_seed();
    tease.task = (weir_task){.run = notice};
    crew_run(2, run_or_tease, NULL);
    expect_int(tease.seen, effort_steps(TEASES));
    loop_end();
}

STRESS_CASE(task_that_comes_while_the_loop_lies_down_on_the_futex_is_run)
{
    race_tease(WEIR_FD_MODE_AUTO);
}

STRESS_CASE(task_that_comes_while_the_loop_lies_down_in_the_poller_is_run)
{
    race_tease(WEIR_FD_MODE_ALWAYS);
}

/* ---- a loop that becomes idle, and is run again by who comes first ---- */

static void run_while_anybody_visits(void)
{
    while (__atomic_load_n(&house.left, __ATOMIC_ACQUIRE) > 0) {
        int err = weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE);

        if (err != -EBUSY) /* the other one runs it */
            expect_status(err, 0);
        sched_yield();
    }
}

static void run_again_or_visit(struct crew *crew, unsigned id)
{
    if (id < VISITORS)
        (void)visit(id);
    else
        run_while_anybody_visits();
}

static void race_idle(weir_fd_mode fd_mode)
{
    loop_make(LOOP_OPTIONS(.fd_mode = fd_mode));
    open_house();
    crew_run(VISITORS + RUNNERS, run_again_or_visit, NULL);
    loop_end();
}

STRESS_CASE(idle_loop_run_by_two_threads_in_turn_misses_no_task)
{
    race_idle(WEIR_FD_MODE_AUTO);
}

STRESS_CASE(idle_loop_with_a_poller_run_by_two_threads_misses_no_task)
{
    race_idle(WEIR_FD_MODE_ALWAYS);
}
