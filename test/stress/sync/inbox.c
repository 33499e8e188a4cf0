/* SPDX-License-Identifier: MIT */
/*
 * inbox -- workers hand results while the loop runs, and is ended: each accepted
 * one is called once, and those of one thread and priority in their order.
 */
#include "weir/inbox.h"

#include <sched.h>
#include <string.h>

#include "support/crew.h"
#include "support/effort.h"
#include "support/loop_fixture.h"
#include "support/random.h"
#include "support/suite.h"

enum { RUNNER, ENDER, FIRST_WORKER, THREADS = 6, EACH = 400 };

static weir_inbox *inbox;
static bool closes;

static struct result {
    weir_item item;
    unsigned thread, number;
    unsigned calls; /* loop only */
} results[THREADS][EACH];

static unsigned accepted[THREADS];              /* each its own */
static unsigned next[THREADS][WEIR_PRIORITIES]; /* loop only: order */

static void see(weir_item *item, int status)
{
    struct result *result = (struct result *)item;
    unsigned *expected = &next[result->thread][item->priority];

    expect_int(result->calls++, 0);
    if (status == 0) {
        expect(result->number >= *expected);
        *expected = result->number + 1;
    }
}

static void work(struct crew *crew, unsigned id)
{
    struct random random = {*(uint64_t *)crew->context + id};

    if (id == RUNNER) {
        (void)!weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED);
    } else if (id == ENDER) {
        for (uint64_t i = random_below(&random, 200); i > 0; i--)
            sched_yield();
        if (closes)
            expect_status(weir_loop_close(loop), 0);
        else
            expect_status(weir_loop_shutdown(loop, -1), 0);
    } else {
        for (unsigned i = 0; i < EACH; i++) {
            struct result *result = &results[id][i];

            *result = (struct result){
                {.run = see,
                 .priority = (weir_priority)random_below(&random, 3)},
                id,
                i,
                0};
            if (weir_inbox_post(inbox, &result->item) != 0)
                return;
            accepted[id]++;
        }
    }
}

static void play(uint64_t seed)
{
    loop_make(NULL);
    expect_status(weir_inbox_new(&inbox, loop), 0);
    memset(accepted, 0, sizeof(accepted));
    memset(next, 0, sizeof(next));
    crew_run(THREADS, work, &seed);
    for (unsigned id = FIRST_WORKER; id < THREADS; id++)
        for (unsigned i = 0; i < accepted[id]; i++)
            expect_int(results[id][i].calls, 1);
    weir_inbox_free(inbox);
    expect_status(weir_loop_free(loop), 0);
}

CASE(inbox_of_a_loop_that_ends_loses_nothing)
{
    struct random random = {random_seed()};
    struct effort effort = effort_begin(2);

    while (effort_goes_on(&effort)) {
        closes = random_below(&random, 2) == 0;
        play(random_next(&random));
    }
}
