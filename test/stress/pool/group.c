/* SPDX-License-Identifier: MIT */
/*
 * group -- forks and joins by many at once, with steals, cancels, priorities,
 * and groups of threads that are no workers.
 */
#include <inttypes.h>
#include <stdio.h>

#include "support/crew.h"
#include "support/effort.h"
#include "support/pool_fixture.h"
#include "support/random.h"

/* A tree of random shape.  Each node's group lies on the stack of its job, and
 * is gone when the job returns. */
struct node {
    weir_job job;
    uint64_t seed;
    unsigned depth;
    uint64_t size; /* of the tree below, plain: the job's result */
};

static void grow_tree(weir_job *job, int status)
{
    struct node *self = (struct node *)job;
    struct random random = {self->seed};
    struct node child[4];
    unsigned children = 0;
    weir_group group;

    expect_status(status, 0);
    self->size = 1;
    if (self->depth == 0)
        return;
    weir_group_init(&group, pool);
    for (uint64_t i = random_below(&random, 5); i > 0; i--) {
        struct node *next = &child[children++];

        *next = (struct node){
            .job = {.run = grow_tree,
                    .priority = (weir_priority)random_below(&random, 3)},
            .seed = random_next(&random),
            .depth = self->depth - 1};
        expect_status(weir_group_spawn(&group, &next->job), 0);
    }
    if (random_below(&random, 200) == 0)
        sched_yield(); /* for thieves */
    expect_status(weir_group_wait(&group), 0);
    for (unsigned i = 0; i < children; i++)
        self->size += child[i].size;
}

/* The same without a pool. */
static uint64_t size_of(uint64_t seed, unsigned depth)
{
    struct random random = {seed};
    uint64_t size = 1;

    if (depth == 0)
        return size;
    for (uint64_t i = random_below(&random, 5); i > 0; i--) {
        (void)random_below(&random, 3);
        size += size_of(random_next(&random), depth - 1);
    }
    return size;
}

struct scene {
    uint64_t seed;
    unsigned rounds;
};

static void plant(struct crew *crew, unsigned id)
{
    struct scene *scene = crew->context;
    struct random random = {scene->seed + id};

    for (unsigned i = 0; i < scene->rounds; i++) {
        struct node root = {.job = {.run = grow_tree},
                            .seed = random_next(&random),
                            .depth = 6};
        weir_group group;

        weir_group_init(&group, pool);
        expect_status(weir_group_spawn(&group, &root.job), 0);
        expect_status(weir_group_wait(&group), 0);
        expect_int(root.size, size_of(root.seed, root.depth));
    }
}

STRESS_CASE(group_trees_have_the_serial_size)
{
    struct effort effort = effort_begin(2);
    struct scene scene = {random_seed(), 5};
    uint64_t stolen = 0;

    while (effort_goes_on(&effort)) {
        scene.seed++;
        pool_make(.workers = 1 + (uint32_t)(effort.rounds % 4));
        crew_run(3, plant, &scene);
        expect_status(weir_pool_shutdown(pool, -1), 0);
        stolen += pool_stats().stolen;
        expect_status(weir_pool_free(pool), 0);
    }
    fprintf(stderr, "# %" PRIu64 " stolen\n", stolen);
    expect(stolen > 0);
}

/* ---- cancelled from elsewhere ---- */

enum { JOBS = 200 };

struct cancelled {
    weir_group group;
    struct unit {
        weir_job job;
        uint32_t called; /* atomic */
    } unit[JOBS];
    uint32_t stage; /* atomic: 1 it may be cancelled, 2 it was */
};

static void run_unit(weir_job *job, int status)
{
    struct unit *unit = (struct unit *)job;

    expect(status == 0 || status == WEIR_ECANCELED);
    expect_int(__atomic_fetch_add(&unit->called, 1, __ATOMIC_RELAXED), 0);
}

static void spawn_or_cancel(struct crew *crew, unsigned id)
{
    struct cancelled *self = crew->context;
    int accepted = 0;

    if (id == 1) {
        while (__atomic_load_n(&self->stage, __ATOMIC_ACQUIRE) == 0)
            sched_yield();
        weir_group_cancel(&self->group);
        __atomic_store_n(&self->stage, 2, __ATOMIC_RELEASE);
        return;
    }
    weir_group_init(&self->group, pool);
    __atomic_store_n(&self->stage, 1, __ATOMIC_RELEASE);
    while (accepted < JOBS) {
        struct unit *unit = &self->unit[accepted];
        int err;

        *unit = (struct unit){.job = {.run = run_unit}};
        err = weir_group_spawn(&self->group, &unit->job);
        if (err != 0) {
            expect_status(err, WEIR_ECANCELED);
            break;
        }
        accepted++;
    }
    while (__atomic_load_n(&self->stage, __ATOMIC_ACQUIRE) != 2)
        sched_yield(); /* the group must not be finished before */
    expect_status(weir_group_wait(&self->group), WEIR_ECANCELED);
    for (int i = 0; i < accepted; i++)
        expect_int(self->unit[i].called, 1);
}

STRESS_CASE(group_that_is_cancelled_calls_each_job_once)
{
    struct effort effort = effort_begin(2);
    static struct cancelled self;

    pool_make(.workers = 3);
    while (effort_goes_on(&effort)) {
        self.stage = 0;
        crew_run(2, spawn_or_cancel, &self);
    }
    pool_end();
}
