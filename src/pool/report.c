/* SPDX-License-Identifier: MIT */
/*
 * report -- a pool's counters, and a report of what keeps it running.
 *
 * These functions neither allocate nor wait, except for locks that are held
 * for a few instructions, because they may be called for a pool that is stuck.
 *
 * Not paired, on purpose: all loads are relaxed except for those that find the
 * workers, the lanes and the queued jobs (pool/P1, pool/P2, injector/P1).  The
 * result is an approximate snapshot.
 *
 * Tested by  test/unit/pool/pool_end.c, test/stress/pool/pool.c
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "loop/report.h"
#include "pool/pool.h"

static int64_t age_of(const weir_pool *pool, struct weir__tsc_sample now,
                      uint64_t since_ticks)
{
    double ticks = (double)(now.before - pool->birth.before);

    if (now.before <= since_ticks || ticks <= 0)
        return 0; /* it started after `now` was read */
    return (int64_t)((double)(now.before - since_ticks) / ticks *
                     (double)(now.real_ns - pool->birth.real_ns));
}

static void add_running(struct weir__page *page, const weir_pool *pool,
                        const struct weir__worker *worker)
{
    if (worker == NULL ||
        !load_relaxed(&worker->is_running)) /* relaxed: snapshot */
        return;
    weir__page_add(
        page,
        (weir_holder){
            .kind = WEIR_KIND_JOB,
            .is_running = true,
            .name = load_relaxed(&worker->name), /* relaxed: snapshot */
            .count = 1,
            /* relaxed: snapshot */
            .age_ns =
                age_of(pool, page->now, load_relaxed(&worker->since_ticks)),
            .thread = load_relaxed(&worker->thread_id), /* relaxed: snapshot */
            .from = load_relaxed(&worker->from),        /* relaxed: snapshot */
        });
}

static void add_waiting(struct weir__page *page, const char *name,
                        uint64_t count)
{
    if (count > 0)
        weir__page_add(page, (weir_holder){.kind = WEIR_KIND_JOB,
                                           .name = name,
                                           .count = count,
                                           .age_ns = -1});
}

/* Count queued jobs, without those that wait in lanes. */
static uint64_t count_queued(const weir_pool *pool)
{
    uint32_t made = weir__pool_made(pool);
    uint64_t count = 0;

    for (unsigned p = 0; p < WEIR_PRIORITY_COUNT; p++) {
        /* Cast: counting takes the injector's lock. */
        count += weir__injector_count_all(
            (struct weir__injector *)&pool->injector[p]);
        for (uint32_t i = 0; i < made; i++) {
            const struct weir__worker *worker = weir__pool_worker(pool, i);

            if (worker != NULL)
                count += weir__deque_count(&worker->deque[p]);
        }
    }
    return count;
}

static uint64_t count_in_lanes(const weir_pool *pool)
{
    const weir_lane *lane;
    uint64_t count = 0;

    /* pool/P2 acquire: receives the lanes */
    for (lane = load_acquire(&pool->lanes); lane != NULL; lane = lane->next)
        count += load_relaxed(&lane->waiting); /* relaxed: count */
    return count;
}

static void add_by_lane(struct weir__page *page, const weir_pool *pool)
{
    const weir_lane *lane;

    /* pool/P2 acquire: receives the lanes */
    for (lane = load_acquire(&pool->lanes); lane != NULL; lane = lane->next)
        /* relaxed: count */
        add_waiting(page, lane->name, load_relaxed(&lane->waiting));
    add_waiting(page, NULL, count_queued(pool));
}

/* Debug builds: report waiting jobs by origin and lane.  Jobs without a recorded
 * origin are added as a single number. */
static void add_by_origin(struct weir__page *page, const weir_pool *pool)
{
    uint64_t counted = weir__page_add_origins(page, pool, WEIR_KIND_JOB);
    uint64_t waiting = count_queued(pool) + count_in_lanes(pool);

    if (waiting > counted)
        add_waiting(page, NULL, waiting - counted);
}

void weir__page_add_pool(struct weir__page *page, const weir_pool *pool)
{
    uint32_t made = weir__pool_made(pool);

    for (uint32_t i = 0; i < made; i++)
        add_running(page, pool, weir__pool_worker(pool, i));
    if (WEIR__ORIGINS)
        add_by_origin(page, pool);
    else
        add_by_lane(page, pool);
}

size_t weir_pool_report(const weir_pool *pool, weir_holder *holders,
                        size_t capacity, size_t size)
{
    struct weir__page page = weir__page_of(holders, capacity, size);

    if (pool != NULL)
        weir__page_add_pool(&page, pool);
    return weir__page_end(&page);
}

/* A row of the caller's, which may have more members than are known here. */
static void set_lane(char *row, size_t size, const weir_lane *lane)
{
    struct weir__lock *lock = (struct weir__lock *)&lane->lock; /* as above */
    weir_lane_stats stats = {.name = lane->name, .limit = lane->limit};

    weir__lock_lock(lock);
    stats.running = lane->running;
    stats.waiting = load_relaxed(&lane->waiting); /* relaxed: under lock */
    weir__lock_unlock(lock);
    memcpy(row, &stats, sizeof(stats));
    memset(row + sizeof(stats), 0, size - sizeof(stats));
}

size_t weir_pool_lanes(const weir_pool *pool, weir_lane_stats *rows,
                       size_t capacity, size_t size)
{
    const weir_lane *lane = NULL;
    size_t count = 0;

    if (rows == NULL || size < sizeof(*rows))
        capacity = 0;
    if (pool != NULL)
        /* pool/P2 acquire: receives the lanes */
        lane = load_acquire(&pool->lanes);
    for (; lane != NULL; lane = lane->next, count++)
        if (count < capacity)
            set_lane((char *)rows + count * size, size, lane);
    return count;
}

int weir_pool_look(const weir_pool *pool, weir_pool_stats *stats)
{
    weir_pool_stats sum = {0};
    uint32_t made;

    if (pool == NULL)
        return -EINVAL;
    sum.workers = load_relaxed(&pool->threads); /* relaxed: count */
    /* relaxed: count */
    sum.asleep = weir__idle_sleepers(load_relaxed(&pool->idle.word));
    sum.blocked = load_relaxed(&pool->blocked); /* relaxed: count */
    made = weir__pool_made(pool);
    for (uint32_t i = 0; i < made; i++) {
        const struct weir__worker *worker = weir__pool_worker(pool, i);

        if (worker == NULL)
            continue;
        sum.ran += load_relaxed(&worker->ran);             /* relaxed: count */
        sum.cancelled += load_relaxed(&worker->cancelled); /* relaxed: count */
        sum.stolen += load_relaxed(&worker->stolen);       /* relaxed: count */
        sum.sleeps += load_relaxed(&worker->sleeps);       /* relaxed: count */
    }
    sum.queued = count_queued(pool) + count_in_lanes(pool);
    return weir_sized_write(stats, &sum, sizeof(sum));
}
