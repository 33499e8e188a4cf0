/* SPDX-License-Identifier: MIT */
/*
 * ingress -- the MPSC queue into a loop, explored as a user would: src/loop as it
 * is, with threads of the system, through weir/explore.h.  Two producers push a
 * task each, and the loop sleeps on the futex until it has both.
 * test/model/loop/ingress explores the same protocol through the model's seam
 * (docs/decisions/explore-model.md).
 *
 * The broken producer ignores that push asks it to wake the loop.
 *
 * correct: nothing found
 * broken: lost wake-up
 * flags: -D_GNU_SOURCE -Iinclude -Isrc src/loop/ingress.c src/base/check.c
 * flags: src/base/clock.c src/base/os/clock.c src/base/os/futex.c
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#include <weir/explore.h>

#include "loop/ingress.h"

static struct weir__ingress in;
static struct item {
    weir_task task;
    int payload; /* written before the push */
} items[2];

static void *produce(void *item)
{
    int wake;

    ((struct item *)item)->payload = 1;
    wake =
        weir__ingress_push(&in, &((struct item *)item)->task, WEIR__OUTSIDER);
    assert(wake >= 0);
#ifndef BROKEN
    if (wake == WEIR__WAKE_FUTEX)
        weir__ingress_wake(&in);
#endif
    return NULL;
}

/* Takes what there is; which of the two came first. */
static int take(int *count)
{
    uint64_t taken = 0;
    struct weir__tasks tasks = weir__ingress_drain(&in, &taken);
    struct item *item;
    int first = -1;

    while ((item = (struct item *)weir__tasks_pop(&tasks)) != NULL) {
        assert(item->payload == 1);
        item->payload = 2; /* each comes once */
        if (first < 0)
            first = (int)(item - items);
        *count += 1;
        taken--;
    }
    assert(taken == 0);
    return first;
}

static void consume_both(void *argument)
{
    pthread_t producer[2];
    int count = 0, first = -1, sleeps = 0;

    weir__ingress_init(&in);
    assert(weir__ingress_claim(&in) == 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&producer[i], NULL, produce, &items[i]);
    while (count < 2) {
        int one = take(&count);

        if (first < 0)
            first = one;
        if (count < 2 &&
            weir__ingress_prepare_sleep(&in, WEIR__SLEEP_ON_FUTEX, false)) {
            sleeps++;
            weir__ingress_sleep(&in, -1);
            weir__ingress_finish_sleep(&in);
        }
    }
    for (int i = 0; i < 2; i++)
        pthread_join(producer[i], NULL);
    weir_explore_outcome("%d%s", first, sleeps > 0 ? "-after-sleep" : "");
}

int main(void)
{
    weir_explore_result result = {.size = sizeof(result)};
    int is_wrong;

    if (weir_explore_run(consume_both, NULL, NULL, &result) != 0)
        return 2;
    fputs(result.report, stdout);
    is_wrong = result.finding != WEIR_EXPLORE_NOTHING;
    weir_explore_result_fini(&result);
    return is_wrong;
}
