/* SPDX-License-Identifier: MIT */
/*
 * docket -- a pad comes back to its producer when all workers are through with
 * it, and not before, under every interleaving.
 */
#include "pool/docket.h"

#include "model.h"

/* Pads of two (WEIR_SMALL). */
static struct weir__dockets office;
static atomic(struct weir__docket *) mailbox[4];

static void call(void *arg, int status)
{
    (void)arg, (void)status;
}

static struct weir__docket *fill(void *arg)
{
    struct weir__docket *docket = weir__docket_take(&office);

    model_assert(docket != NULL);
    plain_store(&docket->fn, call);
    plain_store(&docket->arg, arg);
    return docket;
}

static void init(void)
{
    weir__dockets_init(&office);
}

static int numbers[8];

/* The third and the fourth may lie where the first two were. */
static void produce_four(void)
{
    for (int i = 0; i < 4; i++)
        store_release(&mailbox[i], fill(&numbers[i]));
}

static void open_from(int i, struct weir__tally *tally)
{
    struct weir__docket *docket = load_acquire(&mailbox[i]);

    if (docket == NULL)
        return;
    model_assert(plain_load(&docket->arg) == &numbers[i]);
    (void)weir__docket_open(docket, tally);
    store_relaxed(&mailbox[i], NULL); /* once */
}

static void open_even(void)
{
    struct weir__tally tally = {NULL, 0};

    open_from(0, &tally);
    open_from(2, &tally);
    weir__docket_settle(&tally);
}

static void open_odd(void)
{
    struct weir__tally tally = {NULL, 0};

    open_from(1, &tally);
    open_from(3, &tally);
    weir__docket_settle(&tally);
}

/* What was not opened is, and nothing leaks. */
static void open_rest(void)
{
    struct weir__tally tally = {NULL, 0};

    for (int i = 0; i < 4; i++)
        open_from(i, &tally);
    weir__docket_settle(&tally);
    weir__dockets_fini(&office);
}

/* A burst is over while the producer goes on. */
static void open_both_and_trim(void)
{
    struct weir__tally tally = {NULL, 0};

    open_from(0, &tally);
    open_from(1, &tally);
    weir__docket_settle(&tally);
    open_from(2, &tally);
    open_from(3, &tally);
    weir__docket_settle(&tally);
    weir__dockets_trim(&office);
}

static void trim(void)
{
    weir__dockets_trim(&office);
}

/* Gives the pad back before it has read it. */
static void open_too_late(void)
{
    struct weir__docket *docket = load_acquire(&mailbox[1]);
    struct weir__tally tally;

    if (docket == NULL)
        return;
    tally = (struct weir__tally){docket->pad, 1};
    weir__docket_settle(&tally);
    (void)plain_load(&docket->arg);
    store_relaxed(&mailbox[1], NULL);
}

static void open_first(void)
{
    struct weir__tally tally = {NULL, 0};

    open_from(0, &tally);
    weir__docket_settle(&tally);
}

static const struct model_case cases[] = {
    {"pad_comes_back_when_both_are_through", .setup = init, .finish = open_rest,
     .threads = {T(produce_four), T(open_even), T(open_odd)}},
    {"trim_takes_what_nobody_has", .setup = init, .finish = open_rest,
     .threads = {T(produce_four), T(open_both_and_trim), T(trim)}},
    {"broken_pad_settled_before_it_is_read", .setup = init,
     .expect = MODEL_RACE,
     .threads = {T(produce_four), T(open_first), T(open_too_late)}},
};

MODEL_CASES(cases)
