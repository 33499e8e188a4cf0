/* SPDX-License-Identifier: MIT */
/*
 * board -- a poster who adds and cancels in spurts, and takers who work, sleep,
 * and leave in the middle of it: each notice is taken or cancelled, once, and
 * nobody sleeps forever.  A lost wake shows as a case that does not end.
 */
#include "weir/host/board.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "base/parker.h"
#include "support/crew.h"
#include "support/effort.h"
#include "support/random.h"
#include "support/suite.h"

enum { TAKERS = 3, POSTER = TAKERS, NOTICES = 20000 };

struct item {
    weir_notice notice;
    uint64_t number; /* plain: written before the add */
    int *fate;       /* plain: TAKEN or CANCELLED, by who has won */
};

enum { UNDECIDED, TAKEN, CANCELLED };

struct scene {
    weir_board *board;
    struct weir__parker parkers[TAKERS];
    int fates[NOTICES];
    uint64_t seed;
    uint64_t taken, dropped; /* atomic */
    uint32_t is_over;        /* atomic */
    bool may_leave, may_cancel;
    unsigned largest_spurt;
};

static void wake(void *arg, uint32_t taker)
{
    struct scene *scene = arg;

    weir__parker_unpark(&scene->parkers[taker]);
}

static void drop(void *arg, weir_notice *notice)
{
    struct scene *scene = arg;
    struct item *item = (struct item *)notice;

    expect_int(*item->fate, CANCELLED);
    __atomic_fetch_add(&scene->dropped, 1, __ATOMIC_RELAXED);
    free(item);
}

/* ---- a taker ---- */

static void run(struct scene *scene, weir_notice *notice)
{
    struct item *item = (struct item *)notice;

    expect(item->fate == &scene->fates[item->number]);
    expect_int(*item->fate, UNDECIDED);
    *item->fate = TAKEN;
    __atomic_fetch_add(&scene->taken, 1, __ATOMIC_RELAXED);
    if (weir_notice_release(notice))
        free(item);
}

static void work(struct scene *scene, unsigned id)
{
    struct random random = {scene->seed + id + 1};

    while (!__atomic_load_n(&scene->is_over, __ATOMIC_ACQUIRE)) {
        weir_notice *notice;

        while ((notice = weir_board_take(scene->board, id)) != NULL) {
            run(scene, notice);
            if (random_below(&random, 16) == 0)
                sched_yield(); /* a long one: others come to steal */
        }
        if (scene->may_leave && random_below(&random, 4) == 0)
            weir_board_leave(scene->board, id); /* and another comes */
        else
            weir__parker_park(&scene->parkers[id]);
    }
}

/* ---- the poster ---- */

/* Gives up its hold, after it has cancelled some. */
static uint64_t let_go(struct scene *scene, struct random *random,
                       struct item **items, uint64_t count)
{
    uint64_t cancelled = 0;

    for (uint64_t i = 0; i < count; i++) {
        if (scene->may_cancel && random_below(random, 2) == 0 &&
            weir_board_cancel(scene->board, &items[i]->notice) == 0) {
            expect_int(*items[i]->fate, UNDECIDED);
            *items[i]->fate = CANCELLED;
            cancelled++;
        }
        if (weir_notice_release(&items[i]->notice))
            free(items[i]);
    }
    return cancelled;
}

static struct item *post(struct scene *scene, struct random *random,
                         uint64_t number)
{
    struct item *item = malloc(sizeof(*item));

    expect(item != NULL);
    item->number = number;
    item->fate = &scene->fates[number];
    expect_status(weir_board_add(scene->board, &item->notice,
                                 (uint32_t)random_below(random, 3)),
                  0);
    return item;
}

static void add_and_cancel(struct scene *scene)
{
    struct random random = {scene->seed};
    uint64_t number = 0, cancelled = 0;
    struct item **items = calloc(scene->largest_spurt, sizeof(*items));

    expect(items != NULL);
    while (number < NOTICES) {
        uint64_t spurt = 1 + random_below(&random, scene->largest_spurt);
        uint64_t count = 0;

        while (count < spurt && number < NOTICES)
            items[count++] = post(scene, &random, number++);
        if (random_below(&random, 8) == 0)
            sched_yield();
        cancelled += let_go(scene, &random, items, count);
    }
    while (__atomic_load_n(&scene->taken, __ATOMIC_RELAXED) + cancelled <
           NOTICES)
        sched_yield();
    __atomic_store_n(&scene->is_over, 1, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < TAKERS; i++)
        weir__parker_unpark(&scene->parkers[i]);
    free(items);
}

static void play(struct crew *crew, unsigned id)
{
    if (id == POSTER)
        add_and_cancel(crew->context);
    else
        work(crew->context, id);
}

static void check(struct scene *scene)
{
    weir_board_counts counts = {.size = sizeof(counts)};
    uint64_t cancelled = 0;

    expect_status(weir_board_count(scene->board, &counts), 0);
    for (int i = 0; i < NOTICES; i++) {
        expect(scene->fates[i] != UNDECIDED);
        cancelled += scene->fates[i] == CANCELLED;
    }
    expect_int(counts.added, NOTICES);
    expect_int(counts.cancelled, cancelled);
    expect_int(counts.taken, NOTICES - cancelled);
    expect_int(counts.queued, 0);
    expect(counts.steals <= counts.taken + cancelled);
    weir_board_free(scene->board);
    expect(scene->dropped <= cancelled);
}

static void go_on(unsigned largest_spurt, bool may_cancel, bool may_leave)
{
    struct effort effort = effort_begin(2);
    uint64_t seed = random_seed();

    while (effort_goes_on(&effort)) {
        struct scene *scene = calloc(1, sizeof(*scene));
        weir_board_options options = {.size = sizeof(options),
                                      .takers = TAKERS,
                                      .priorities = 3,
                                      .wake = wake,
                                      .drop = drop,
                                      .arg = scene};

        expect(scene != NULL);
        scene->seed = seed++;
        scene->largest_spurt = largest_spurt;
        scene->may_cancel = may_cancel;
        scene->may_leave = may_leave;
        for (int i = 0; i < TAKERS; i++)
            weir__parker_init(&scene->parkers[i]);
        expect_status(weir_board_new(&scene->board, &options), 0);
        crew_run(TAKERS + 1, play, scene);
        check(scene);
        free(scene);
    }
}

STRESS_CASE(board_single_adds_wake_takers_who_sleep)
{
    go_on(1, false, false);
}

STRESS_CASE(board_spurts_are_shared_and_stolen)
{
    go_on(200, false, false);
}

STRESS_CASE(board_notices_are_taken_or_cancelled_once)
{
    go_on(200, true, false);
}

STRESS_CASE(board_takers_leave_and_nothing_is_lost)
{
    go_on(50, true, true);
}
