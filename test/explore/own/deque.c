/* SPDX-License-Identifier: MIT */
/*
 * deque -- the pool's work-stealing deque, explored as a user would: src/pool as
 * it is, with threads of the system, through weir/explore.h.  The owner pushes
 * three items and pops, and a thief steals twice: each item goes to one of them,
 * with what was written before its push.  test/model/pool/deque explores the same
 * code through the model's seam (docs/decisions/explore-model.md).
 *
 * The broken thief pops, which only the owner may.
 *
 * correct: nothing found
 * broken: data race|assertion failed
 * flags: -D_GNU_SOURCE -Iinclude -Isrc -DWEIR_SMALL src/pool/deque.c
 * flags: src/base/memory.c src/base/check.c
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include <weir/explore.h>

#include "pool/deque.h"

enum { ITEMS = 3 };
static struct weir__deque deque;
static struct item {
    int payload;      /* written before the push */
    atomic_int taken; /* how often */
} items[ITEMS];

static void take(struct item *item)
{
    assert(item->payload == 1);
    assert(atomic_fetch_add_explicit(&item->taken, 1, memory_order_relaxed) ==
           0);
}

static void *steal(void *count)
{
    for (int i = 0; i < 2; i++) {
        void *item;

#ifdef BROKEN
        item = weir__deque_pop(&deque);
        if (item == NULL)
            continue;
#else
        if (weir__deque_steal(&deque, &item) != WEIR__LOOT_ONE)
            continue;
#endif
        take(item);
        *(int *)count += 1;
    }
    return NULL;
}

static void own(void *argument)
{
    pthread_t thief;
    int stolen = 0, popped = 0;
    struct item *item;

    assert(weir__deque_init(&deque) == 0);
    pthread_create(&thief, NULL, steal, &stolen);
    for (int i = 0; i < ITEMS; i++) {
        items[i].payload = 1;
        assert(weir__deque_push(&deque, &items[i]));
    }
    while ((item = weir__deque_pop(&deque)) != NULL) {
        take(item);
        popped++;
    }
    pthread_join(thief, NULL);
    assert(stolen + popped == ITEMS);
    weir__deque_fini(&deque);
    weir_explore_outcome("%d", stolen);
}

int main(void)
{
    weir_explore_result result = {.size = sizeof(result)};
    int is_wrong;

    if (weir_explore_run(own, NULL, NULL, &result) != 0)
        return 2;
    fputs(result.report, stdout);
    is_wrong = result.finding != WEIR_EXPLORE_NOTHING;
    weir_explore_result_fini(&result);
    return is_wrong;
}
