/* SPDX-License-Identifier: MIT */
/*
 * ingress -- every task comes out once and in order, no wake is lost, and the
 * end is never forgotten, under every interleaving.
 */
#include "loop/ingress.h"

#include <errno.h>
#include <stdio.h>

#include "base/poller.h"
#include "model.h"

static struct weir__ingress in;

struct item {
    weir_task task;
    unsigned producer;
    unsigned place; /* 1, 2, ... in the order of its producer */
    int payload;    /* written before the push, read by the consumer */
};

static struct item items[3][2];
static unsigned taken[3]; /* consumer only */
static atomic(int) accepted;

static void format_word(char *text, size_t size, uint64_t value)
{
    static const char *const name[] = {
        "AWAKE",   "TERMINATED",  "SLEEPING",  "TERMINATING, asleep",
        "RUNNING", "TERMINATING", "in poller", "TERMINATING, in poller"};

    snprintf(text, size, "%s%s", name[value & 7], value & ~7UL ? " +task" : "");
}

static void init(void)
{
    weir__ingress_init(&in);
    model_show(&in.word, "queue", format_word);
}

static void init_running(void)
{
    init();
    model_assert(weir__ingress_claim(&in) == 0);
}

/* ---- producers ---- */

static int push(unsigned producer, unsigned place)
{
    struct item *item = &items[producer][place - 1];
    int wake;

    item->producer = producer;
    item->place = place;
    plain_store(&item->payload, 1);
    wake = weir__ingress_push(&in, &item->task, WEIR__OUTSIDER);
    if (wake == WEIR__WAKE_FUTEX)
        weir__ingress_wake(&in);
    return wake < 0 ? wake : 0;
}

static void push_two(void)
{
    model_assert(push(model_self(), 1) == 0);
    model_assert(push(model_self(), 2) == 0);
}

static void push_one(void)
{
    model_assert(push(model_self(), 1) == 0);
}

/* ---- the consumer ---- */

static unsigned take_all(void)
{
    uint64_t count = 0;
    weir_task *task = weir__ingress_drain(&in, &count).head;

    while (task != NULL) {
        struct item *item = (struct item *)task;
        weir_task *next = plain_load(&task->next_);

        model_assert(plain_load(&item->payload) == 1);
        model_assert(item->place == ++taken[item->producer]);
        task = next;
    }
    return (unsigned)count;
}

/* A loop with nothing else to do; sleeps until it has got so many. */
static void consume(unsigned expected)
{
    while (expected > 0) {
        expected -= take_all();
        if (expected > 0 &&
            weir__ingress_prepare_sleep(&in, WEIR__SLEEP_ON_FUTEX, false)) {
            weir__ingress_sleep(&in, -1);
            (void)weir__ingress_finish_sleep(&in);
        }
    }
    model_assert(take_all() == 0);
}

static void consume_six(void)
{
    consume(6);
}

static void consume_four(void)
{
    consume(4);
}

static void consume_three(void)
{
    consume(3);
}

static void consume_one(void)
{
    consume(1);
}

static void consume_two(void)
{
    consume(2);
}

/* The same with timeouts: whoever wakes up by himself is not woken for it. */
static void consume_two_with_timeouts(void)
{
    unsigned expected = 2;

    for (int sleeps = 0; expected > 0; sleeps++) {
        expected -= take_all();
        if (expected > 0 &&
            weir__ingress_prepare_sleep(&in, WEIR__SLEEP_ON_FUTEX, false)) {
            weir__ingress_sleep(&in, sleeps < 2 ? 1 : -1);
            (void)weir__ingress_finish_sleep(&in);
        }
    }
}

/* ---- asleep in the poller ---- */

static struct weir__poller *poller;

static void init_with_poller(void)
{
    init_running();
    model_assert(weir__poller_open(&poller) == 0);
}

static void push_to_poller(void)
{
    struct item *item = &items[model_self()][0];

    item->producer = model_self();
    item->place = 1;
    plain_store(&item->payload, 1);
    if (weir__ingress_push(&in, &item->task, WEIR__OUTSIDER) ==
        WEIR__WAKE_POLLER)
        weir__poller_wake(poller);
}

/* Returns how many wakes are on their way. */
static uint64_t consume_in_poller(unsigned expected)
{
    struct weir__event events[WEIR__POLLER_BATCH];
    uint64_t owed = 0;
    int sleeps = 0;

    while (expected > 0) {
        expected -= take_all();
        if (expected == 0 ||
            !weir__ingress_prepare_sleep(&in, WEIR__SLEEP_ON_POLLER, false))
            continue;
        /* A timer may be due first. */
        (void)weir__poller_wait(poller, events, sleeps++ == 0 ? 1 : -1);
        if (!weir__ingress_finish_sleep(&in))
            owed++;
        owed -= weir__poller_take_wakes(poller, false);
    }
    return owed;
}

/* The poller is closed when every wake that was claimed has come: a producer
 * that writes later would write to somebody else's descriptor. */
static void consume_two_and_close_poller(void)
{
    uint64_t owed = consume_in_poller(2);

    while (owed > 0)
        owed -= weir__poller_take_wakes(poller, true);
    weir__poller_close(poller);
}

static void consume_two_and_close_poller_early(void)
{
    (void)consume_in_poller(2);
    weir__poller_close(poller);
}

/* ---- the end ---- */

static void try_push(void)
{
    int err = push(model_self(), 1);

    model_assert(err == 0 || err == WEIR_ECLOSED);
    if (err == 0)
        fetch_add_relaxed(&accepted, 1);
}

static void end(void)
{
    bool is_mine = true;
    int wake = weir__ingress_close(&in, NULL, &is_mine);

    model_assert(wake >= 0 && !is_mine);
    if (wake == WEIR__WAKE_FUTEX)
        weir__ingress_wake(&in);
}

/* Sleeps until the end has begun; then takes what was accepted, and no more. */
static void run_to_the_end(void)
{
    do {
        (void)take_all();
        if (weir__ingress_prepare_sleep(&in, WEIR__SLEEP_ON_FUTEX, false)) {
            weir__ingress_sleep(&in, -1);
            (void)weir__ingress_finish_sleep(&in);
        }
    } while (!(weir__ingress_look(&in) & 1));
    while (!weir__ingress_terminate(&in))
        (void)take_all();
}

static void accepted_were_taken(void)
{
    model_assert(weir__ingress_look(&in) == WEIR__TERMINATED);
    model_assert(taken[0] + taken[1] + taken[2] == (unsigned)accepted.v_);
}

/* ---- who runs it ---- */

static int inside; /* the loop's thread's */

/* Nobody runs the loop; two want to, one after the other or not at all. */
static void claim_and_leave(void)
{
    int err = weir__ingress_claim(&in);

    model_assert(err == 0 || err == -EBUSY || err == WEIR_ECLOSED);
    if (err != 0)
        return;
    plain_store(&inside, plain_load(&inside) + 1);
    if (!weir__ingress_leave(&in, true)) { /* the end has begun meanwhile */
        plain_store(&inside, plain_load(&inside) + 1);
        model_assert(weir__ingress_terminate(&in));
    }
}

static void end_or_take_over(void)
{
    bool is_mine = false;
    int wake = weir__ingress_close(&in, NULL, &is_mine);

    model_assert(wake == WEIR__WAKE_NOBODY);
    if (is_mine) {
        plain_store(&inside, plain_load(&inside) + 1);
        model_assert(weir__ingress_terminate(&in));
    }
}

static void it_has_ended(void)
{
    model_assert(weir__ingress_look(&in) == WEIR__TERMINATED);
}

/* Leaves only when empty: a task that was pushed keeps the loop running. */
static void leave_when_idle(void)
{
    unsigned count = 0;

    do
        count += take_all();
    while (!weir__ingress_leave(&in, true));
    model_assert(count <= 1);
}

static void task_is_taken_or_kept(void)
{
    uint64_t is_there = 0;

    (void)weir__ingress_drain(&in, &is_there);
    model_assert(taken[0] + is_there == 1);
}

/* The poller that the loop has made before it sleeps there: who wakes it must
 * see it. */
static int poller_made;

static void make_poller_and_sleep(void)
{
    plain_store(&poller_made, 1);
    if (weir__ingress_prepare_sleep(&in, WEIR__SLEEP_ON_POLLER, false))
        (void)weir__ingress_finish_sleep(&in);
}

static void wake_in_poller(void)
{
    if (weir__ingress_push(&in, &items[0][0].task, WEIR__OUTSIDER) ==
        WEIR__WAKE_POLLER)
        model_assert(plain_load(&poller_made) == 1);
}

static void end_in_poller(void)
{
    bool is_mine;

    if (weir__ingress_close(&in, NULL, &is_mine) == WEIR__WAKE_POLLER)
        model_assert(plain_load(&poller_made) == 1);
}

/* What close puts in comes out with what was written before. */
static void end_with_task(void)
{
    bool is_mine;
    int wake;

    plain_store(&items[0][0].payload, 1);
    items[0][0].place = 1;
    wake = weir__ingress_close(&in, &items[0][0].task, &is_mine);
    if (wake == WEIR__WAKE_FUTEX)
        weir__ingress_wake(&in);
}

static void take_the_last(void)
{
    consume(1);
    model_assert(weir__ingress_terminate(&in));
}

/* ---- what it would be without the CAS ---- */

/* SLEEPING is stored after a look, as in the seed. */
static void run_to_the_end_by_stores(void)
{
    do {
        (void)take_all();
        if (!weir__ingress_has_news(&in, false)) {
            ATOMIC_STORE(&in.word, WEIR__SLEEPING, __ATOMIC_SEQ_CST);
            weir__ingress_sleep(&in, -1);
            (void)weir__ingress_finish_sleep(&in);
        }
    } while (!(weir__ingress_look(&in) & 1));
}

/* Whether to wake is decided before the task is in. */
static void push_after_choosing(void)
{
    struct item *item = &items[model_self()][0];
    bool is_asleep = weir__ingress_look(&in) == WEIR__SLEEPING;

    item->producer = model_self();
    item->place = 1;
    plain_store(&item->payload, 1);
    model_assert(weir__ingress_push(&in, &item->task, WEIR__OUTSIDER) >= 0);
    if (is_asleep)
        weir__ingress_wake(&in);
}

static bool is_not_empty(void)
{
    return in.word.v_ > 7;
}

static const struct model_case cases[] = {
    {"three_producers_each_task_once_and_in_order", .setup = init_running,
     .threads = {T(push_two), T(push_two), T(push_two), T(consume_six)},
     .is_long = true, .preemption_bound = 4},
    {"three_producers_one_task_each", .setup = init_running,
     .threads = {T(push_one), T(push_one), T(push_one), T(consume_three)}},
    {"two_producers_never_lose_a_wake", .setup = init_running, .spurious = 1,
     .threads = {T(push_one), T(push_one), T(consume_two)}},
    {"two_producers_two_tasks_each", .setup = init_running,
     .threads = {T(push_two), T(push_two), T(consume_four)}},
    {"sleeps_that_time_out_lose_nothing", .setup = init_running, .spurious = 1,
     .threads = {T(push_one), T(push_one), T(consume_two_with_timeouts)}},
    {"poller_is_closed_when_all_wakes_have_come", .setup = init_with_poller,
     .threads = {T(push_to_poller), T(push_to_poller),
                 T(consume_two_and_close_poller)}},
    {"broken_poller_closed_while_a_producer_writes", .setup = init_with_poller,
     .expect = MODEL_USE_AFTER_FREE,
     .threads = {T(push_to_poller), T(push_to_poller),
                 T(consume_two_and_close_poller_early)}},
    {"end_is_never_overwritten_by_sleep", .setup = init_running,
     .finish = accepted_were_taken,
     .threads = {T(try_push), T(end), T(run_to_the_end)}},
    {"broken_sleeping_stored_over_terminating", .setup = init_running,
     .expect = MODEL_DEADLOCK, .shortest = true,
     .threads = {T(end), T(run_to_the_end_by_stores)}},
    {"broken_wake_chosen_before_admission", .setup = init_running,
     .expect = MODEL_LOST_WAKE, .work_left = is_not_empty,
     .threads = {T(push_after_choosing), T(consume_one)}},
    {"two_producers_against_the_end", .setup = init_running,
     .finish = accepted_were_taken,
     .threads = {T(try_push), T(try_push), T(end), T(run_to_the_end)}},
    {"loop_passes_from_one_thread_to_the_next", .setup = init,
     .threads = {T(claim_and_leave), T(claim_and_leave)}},
    {"end_claims_a_loop_that_nobody_runs", .setup = init,
     .finish = it_has_ended,
     .threads = {T(claim_and_leave), T(end_or_take_over)}},
    {"idle_and_a_push_agree", .setup = init_running,
     .finish = task_is_taken_or_kept,
     .threads = {T(push_one), T(leave_when_idle)}},
    {"push_sees_the_poller_that_it_wakes", .setup = init_running,
     .threads = {T(wake_in_poller), T(make_poller_and_sleep)}},
    {"close_sees_the_poller_that_it_wakes", .setup = init_running,
     .threads = {T(end_in_poller), T(make_poller_and_sleep)}},
    {"what_close_puts_in_is_taken", .setup = init_running,
     .threads = {T(end_with_task), T(take_the_last)}},
};

MODEL_CASES(cases)
