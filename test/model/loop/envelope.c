/* SPDX-License-Identifier: MIT */
/*
 * envelope -- blocks go round between a producer and the loop, and nobody
 * writes into one that the other still reads.
 */
#include "loop/envelope.h"

#include "loop/ingress.h"
#include "model.h"

enum { CALLS = 5 }; /* more than two blocks of two */

static struct weir__recycler envelopes;
static struct weir__ingress in;
static int sent, got; /* each its thread's own */

static void init(void)
{
    weir__envelopes_init(&envelopes);
    weir__ingress_init(&in);
    model_assert(weir__ingress_claim(&in) == 0);
}

/* A producer that may find no memory: it tries no more. */
static void produce_some(int calls)
{
    for (int i = 1; i <= calls; i++) {
        struct weir__envelope *envelope = weir__recycler_take(&envelopes);
        int wake;

        if (envelope == NULL)
            return;
        plain_store(&envelope->arg, (void *)(intptr_t)i);
        wake = weir__ingress_push(&in, &envelope->task, WEIR__OUTSIDER);
        if (wake < 0) {
            weir__recycler_return(envelope->block);
            return;
        }
        if (wake == WEIR__WAKE_FUTEX)
            weir__ingress_wake(&in);
        sent++;
    }
}

static void produce(void)
{
    produce_some(CALLS);
}

static void open_all(void)
{
    uint64_t count = 0;
    weir_task *task = weir__ingress_drain(&in, &count).head;

    while (task != NULL) {
        weir_task *next = plain_load(&task->next_);
        struct weir__envelope *envelope = (struct weir__envelope *)task;
        intptr_t expected = ++got;

        model_assert(plain_load(&envelope->arg) == (void *)expected);
        (void)weir__envelope_open(envelope);
        task = next;
    }
}

static void consume(void)
{
    while (got < CALLS) {
        open_all();
        if (got < CALLS &&
            weir__ingress_prepare_sleep(&in, WEIR__SLEEP_ON_FUTEX, false)) {
            weir__ingress_sleep(&in, -1);
            (void)weir__ingress_finish_sleep(&in);
        }
    }
}

static void all_memory_is_back(void)
{
    open_all();
    model_assert(got == sent);
    weir__recycler_fini(&envelopes);
}

/* The loop ends meanwhile: what was refused is returned, not lost. */
static void consume_a_little_and_end(void)
{
    bool is_mine;

    open_all();
    model_assert(weir__ingress_close(&in, NULL, &is_mine) >= 0);
    open_all();
}

/* Blocks of 2, 4 and 4 envelopes.  The producer asks for a fourth one when the
 * loop may have given back two, and be about to give back the third. */
static void produce_eleven(void)
{
    produce_some(2 + 4 + 4 + 1);
}

/* Blocks of 2, 4, 4, 4 and 4: some of the last ones are more than the loop keeps
 * for the producer, unless that is quick to take them. */
static void produce_fifteen(void)
{
    produce_some(2 + 4 + 4 + 4 + 1);
}

static void consume_twice(void)
{
    open_all();
    open_all();
}

/* The loop is about to sleep: more than it keeps has come back. */
static void consume_a_little_and_trim(void)
{
    open_all();
    open_all();
    weir__recycler_trim(&envelopes);
}

static const struct model_case cases[] = {
    {"blocks_go_round", .setup = init, .finish = all_memory_is_back,
     .threads = {T(produce), T(consume)}},
    {"refused_and_failing_takes_lose_nothing", .setup = init,
     .failing_allocs = 1, .finish = all_memory_is_back,
     .threads = {T(produce), T(consume_a_little_and_end)}},
    {"spares_are_trimmed_while_one_is_taken", .setup = init,
     .finish = all_memory_is_back, .preemption_bound = 4,
     .threads = {T(produce_eleven), T(consume_a_little_and_trim)}},
    {"spares_beyond_the_most_are_freed_while_one_is_taken", .setup = init,
     .finish = all_memory_is_back, .preemption_bound = 3,
     .threads = {T(produce_fifteen), T(consume_twice)}},
};

MODEL_CASES(cases)
