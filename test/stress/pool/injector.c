/* SPDX-License-Identifier: MIT */
/*
 * injector -- many producers, many workers, and a close in the middle: what was
 * let in comes out once; what one worker gets of a producer is in order.
 */
#include "pool/injector.h"

#include <sched.h>
#include <stdlib.h>

#include "support/crew.h"
#include "support/effort.h"
#include "support/random.h"
#include "support/suite.h"

enum { PRODUCERS = 4, WORKERS = 3, JOBS = 2000 };

struct item {
    weir_job job;
    unsigned producer;
    unsigned place; /* plain: written before the push */
    uint32_t taken; /* atomic */
};

struct scene {
    struct weir__injector in;
    struct item items[PRODUCERS][JOBS];
    uint64_t accepted, taken; /* atomic */
    uint32_t producing;       /* atomic */
    unsigned close_after;
};

static void produce(struct scene *scene, unsigned id)
{
    uint64_t accepted = 0;
    bool is_closed = false;

    for (unsigned i = 0; i < JOBS; i++) {
        struct item *item = &scene->items[id][i];
        int err;

        item->producer = id;
        item->place = i;
        err = weir__injector_push(&scene->in, &item->job, WEIR__FROM_OUTSIDE);
        expect(err == 0 ? !is_closed : err == WEIR_ECLOSED);
        is_closed |= err != 0;
        accepted += err == 0;
        if (id == 0 && i == scene->close_after)
            weir__injector_close(&scene->in);
    }
    __atomic_fetch_add(&scene->accepted, accepted, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&scene->producing, 1, __ATOMIC_RELEASE);
}

static uint64_t take(struct scene *scene, unsigned *last, bool may_wait)
{
    weir_job *job = weir__injector_take(&scene->in, WORKERS, 32, may_wait);
    uint64_t count = 0;

    for (; job != NULL; job = job->next_, count++) {
        struct item *item = (struct item *)job;

        expect(item->place + 1 > last[item->producer]);
        last[item->producer] = item->place + 1;
        expect_int(__atomic_fetch_add(&item->taken, 1, __ATOMIC_RELAXED), 0);
    }
    return count;
}

static void work(struct scene *scene, bool may_wait)
{
    unsigned last[PRODUCERS] = {0};
    uint64_t count = 0, more;
    bool is_over;

    do {
        is_over = __atomic_load_n(&scene->producing, __ATOMIC_ACQUIRE) == 0;
        more = take(scene, last, may_wait || is_over);
        count += more;
        if (more == 0)
            sched_yield();
    } while (more > 0 || !is_over);
    __atomic_fetch_add(&scene->taken, count, __ATOMIC_RELAXED);
}

static void produce_or_work(struct crew *crew, unsigned id)
{
    if (id < PRODUCERS)
        produce(crew->context, id);
    else
        work(crew->context, id == PRODUCERS);
}

STRESS_CASE(injector_gives_what_it_accepts_once_and_in_order)
{
    struct effort effort = effort_begin(2);
    struct random random = {random_seed()};
    struct scene *scene = aligned_alloc(CACHE_APART, sizeof(*scene));

    while (effort_goes_on(&effort)) {
        for (unsigned p = 0; p < PRODUCERS; p++)
            for (unsigned i = 0; i < JOBS; i++)
                scene->items[p][i] = (struct item){.taken = 0};
        weir__injector_init(&scene->in);
        scene->accepted = scene->taken = 0;
        scene->producing = PRODUCERS;
        scene->close_after = (unsigned)random_below(&random, 2 * JOBS);
        crew_run(PRODUCERS + WORKERS, produce_or_work, scene);
        expect_int(scene->taken, scene->accepted);
        expect(weir__injector_is_empty(&scene->in));
    }
    free(scene);
}
