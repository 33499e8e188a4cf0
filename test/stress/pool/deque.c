/* SPDX-License-Identifier: MIT */
/*
 * deque -- an owner who pushes and pops in spurts, and thieves who never stop:
 * each item is taken once, with what was written before it was pushed.
 */
#include "pool/deque.h"

#include <sched.h>
#include <stdlib.h>

#include "support/crew.h"
#include "support/effort.h"
#include "support/random.h"
#include "support/suite.h"

enum { THIEVES = 3, ITEMS = 20000 };

struct item {
    uint64_t number; /* plain: written before the push */
    uint32_t taken;  /* atomic */
};

struct scene {
    struct weir__deque deque;
    struct item *items;
    uint64_t seed;
    unsigned largest_spurt;
    uint32_t owner_is_done; /* atomic */
    uint64_t stolen;        /* atomic */
};

static void take(struct scene *scene, struct item *item)
{
    expect_int(item->number, item - scene->items);
    expect_int(__atomic_fetch_add(&item->taken, 1, __ATOMIC_RELAXED), 0);
}

static void own(struct scene *scene)
{
    struct random random = {scene->seed};
    uint64_t pushed = 0;

    while (pushed < ITEMS) {
        uint64_t spurt = 1 + random_below(&random, scene->largest_spurt);
        struct item *item;

        for (; spurt > 0 && pushed < ITEMS; spurt--, pushed++) {
            scene->items[pushed].number = pushed;
            expect(weir__deque_push(&scene->deque, &scene->items[pushed]));
        }
        if (random_below(&random, 1 + 2000 / scene->largest_spurt) == 0)
            sched_yield(); /* or thieves on its core get nothing */
        spurt = random_below(&random, scene->largest_spurt + 1);
        while (spurt-- > 0 && (item = weir__deque_pop(&scene->deque)) != NULL)
            take(scene, item);
    }
    for (void *item; (item = weir__deque_pop(&scene->deque)) != NULL;)
        take(scene, item);
    __atomic_store_n(&scene->owner_is_done, 1, __ATOMIC_RELAXED);
}

static void rob(struct scene *scene)
{
    uint64_t stolen = 0;

    while (!__atomic_load_n(&scene->owner_is_done, __ATOMIC_RELAXED)) {
        void *item;

        switch (weir__deque_steal(&scene->deque, &item)) {
        case WEIR__LOOT_ONE:
            take(scene, item);
            stolen++;
            break;
        case WEIR__LOOT_LOST:
            break;
        case WEIR__LOOT_NONE:
            sched_yield();
        }
    }
    __atomic_fetch_add(&scene->stolen, stolen, __ATOMIC_RELAXED);
}

static void own_or_rob(struct crew *crew, unsigned id)
{
    if (id == 0)
        own(crew->context);
    else
        rob(crew->context);
}

static void play(unsigned largest_spurt)
{
    struct effort effort = effort_begin(2);
    struct random random = {random_seed()};
    struct scene scene = {.largest_spurt = largest_spurt};
    uint64_t stolen = 0;

    scene.items = malloc(ITEMS * sizeof(*scene.items));
    while (effort_goes_on(&effort)) {
        for (unsigned i = 0; i < ITEMS; i++)
            scene.items[i] = (struct item){.number = UINT64_MAX};
        scene.seed = random_next(&random);
        scene.owner_is_done = 0;
        scene.stolen = 0;
        expect_status(weir__deque_init(&scene.deque), 0);
        crew_run(1 + THIEVES, own_or_rob, &scene);
        for (unsigned i = 0; i < ITEMS; i++)
            expect_int(scene.items[i].taken, 1);
        weir__deque_fini(&scene.deque);
        stolen += scene.stolen;
    }
    free(scene.items);
    fprintf(stderr, "# %" PRIu64 " of %" PRIu64 " items stolen\n", stolen,
            effort.rounds * ITEMS);
    expect(stolen > 0);
}

/* Seldom more than a few in it: mostly about the last item. */
STRESS_CASE(deque_nearly_empty_gives_each_item_once)
{
    play(3);
}

/* Grows while it is robbed. */
STRESS_CASE(deque_that_grows_gives_each_item_once)
{
    play(2000);
}
