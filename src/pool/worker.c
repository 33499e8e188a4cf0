/* SPDX-License-Identifier: MIT */
/*
 * worker -- a worker's main loop: choose a job, run it, or sleep.
 *
 * Shape     pick     own deque or injector, by priority
 *           steal    from other workers when there is nothing to pick: up to
 *                    half of what one of them has, and at most SHARE jobs
 *           search   pick and steal, counted as a searcher; then sleep
 *           run      call the job, then update its lane and group
 *
 *           A worker moves its share of an injector (injector.h) into its own
 *           deque, where others can steal it.  It pushes the newest job first,
 *           so that it pops the oldest first: with one worker, jobs from
 *           outside start in the order in which they were posted.
 * Roles     all: the worker's own thread, except for the counters
 * Progress  a worker that has jobs never waits for another one.
 *
 * Why no lost wake  search follows the protocol of idle.c: notify after each
 *           push; after `found` and `enter`, check everything that can hold
 *           work, and wake a worker if there is some.  A worker goes idle only
 *           when its own deques are empty.
 *
 * Shared state
 *   deque[]     deque.c
 *   slot        idle.c
 *   is_running, name, since_ticks, thread_id, counters
 *               written by the worker, relaxed; report.c reads them
 *
 * Not paired, on purpose
 *   These snapshots and counters: only names are read through them, and names
 *   outlive the pool.
 *
 * Tested by  test/unit/pool/pool.c, test/stress/pool/pool.c,
 *            test/model/pool/pool.c
 */
#include <errno.h>
#include <stddef.h>

#include "base/check.h"
#include "base/clock.h"
#include "pool/pool.h"
#include "weir/abort.h"

#ifdef WEIR_SMALL
enum { SHARE = 2, FEW = 1, BREATHS = 0, BREATH = 0 };
enum { SPINS = 0, YIELDS = 1, MOST_YIELDS = 1 };
#else
enum {
    SHARE = 256,
    FEW = 16,
    BREATHS = 16,
    BREATH = 64, /* spin iterations, about a microsecond */
};

/* How often a worker looks for work before it sleeps.  At first it spins
 * and keeps the core, because other threads are often about to post
 * something.  Then it yields between looks, because the threads that would
 * post may need the core. */
enum { SPINS = 16, YIELDS = 8, MOST_YIELDS = 64 };
#endif

enum { SHORT_SLEEP_NS = 100000 };

#define HIGH WEIR_PRIORITY_HIGH
#define NORMAL WEIR_PRIORITY_NORMAL
#define LOW WEIR_PRIORITY_LOW

/* The order in which a worker looks at the priorities. */
enum rank { FIRST_HIGH, FIRST_NORMAL, FIRST_LOW };

static const uint8_t ranks[][WEIR_PRIORITY_COUNT] = {
    [FIRST_HIGH] = {HIGH, NORMAL, LOW},
    [FIRST_NORMAL] = {NORMAL, HIGH, LOW},
    [FIRST_LOW] = {LOW, NORMAL, HIGH},
};

#define count_up(counter)                                                      \
    /* relaxed: own, shown to others */                                        \
    store_relaxed(counter, load_relaxed(counter) + 1)

int weir__worker_init(struct weir__worker *worker, weir_pool *pool,
                      uint32_t index)
{
    *worker = (struct weir__worker){.pool = pool,
                                    .index = index,
                                    .yields = YIELDS,
                                    .random = index * 2654435761U + 1};
    weir__idle_slot_init(&worker->slot);
    for (unsigned i = 0; i < WEIR_PRIORITY_COUNT; i++)
        if (weir__deque_init(&worker->deque[i]) != 0) {
            while (i-- > 0)
                weir__deque_fini(&worker->deque[i]);
            return -ENOMEM;
        }
    return 0;
}

void weir__worker_fini(struct weir__worker *worker)
{
    for (unsigned i = 0; i < WEIR_PRIORITY_COUNT; i++)
        weir__deque_fini(&worker->deque[i]);
}

void weir__worker_push_outside(struct weir__worker *worker, weir_job *job)
{
    /* A push from inside is never refused. */
    (void)weir__injector_push(&worker->pool->injector[job->priority], job,
                              WEIR__FROM_INSIDE);
}

/* ---- choose a job ---- */

weir_job *weir__worker_pop_any(struct weir__worker *worker)
{
    for (unsigned i = 0; worker->occupied != 0 && i < WEIR_PRIORITY_COUNT;
         i++) {
        unsigned priority = ranks[FIRST_HIGH][i];
        weir_job *job = NULL;

        if (worker->occupied & 1U << priority)
            job = weir__deque_pop(&worker->deque[priority]);
        if (job != NULL)
            return job;
        worker->occupied &= ~(1U << priority);
    }
    return NULL;
}

/* Reverse a list. */
static weir_job *reverse(weir_job *job)
{
    weir_job *reversed = NULL;

    while (job != NULL) {
        weir_job *next = job->next_;

        job->next_ = reversed;
        reversed = job;
        job = next;
    }
    return reversed;
}

/* Back off before taking a small batch.  A worker that took a few jobs,
 * finished them and finds a few more is as fast as the producer: taking
 * each job at once would bounce the injector's cache line between them.  So
 * the worker pauses, and pauses again as long as new jobs arrive during
 * each pause.  It does not back off if the list still holds jobs that a
 * worker left there. */
static void let_more_come(struct weir__worker *worker,
                          const struct weir__injector *in)
{
    if (!worker->came_for_few || weir__injector_count(in) > 0 ||
        weir__injector_is_empty(in))
        return;
    for (int i = 0; i < BREATHS; i++) {
        const weir_job *newest = weir__injector_newest(in);

        for (int pause = 0; pause < BREATH; pause++)
            cpu_relax();
        if (weir__injector_newest(in) == newest)
            return;
    }
}

/* Take a share from an injector: one job to run, the rest to the deque. */
static weir_job *take_share(struct weir__worker *worker, unsigned priority,
                            bool may_wait)
{
    weir_pool *pool = worker->pool;
    struct weir__injector *in = &pool->injector[priority];
    unsigned taken = 1;
    weir_job *first;

    let_more_come(worker, in);
    first = weir__injector_take(in, pool->idle.base, SHARE, may_wait);
    if (first == NULL)
        return NULL;
    for (weir_job *job = reverse(first->next_), *next; job != NULL;
         job = next, taken++) {
        next = job->next_;
        worker->occupied |= 1U << priority;
        if (!weir__deque_push(&worker->deque[priority], job))
            weir__worker_push_outside(worker, job);
    }
    worker->came_for_few = taken < FEW;
    if (worker->occupied & 1U << priority || !weir__injector_is_empty(in))
        weir__idle_notify(&pool->idle);
    return first;
}

static enum rank next_rank(struct weir__worker *worker)
{
    switch (++worker->picks % WEIR_POOL_FAIRNESS) {
    case 0:
        return FIRST_LOW;
    case WEIR_POOL_FAIRNESS / 2:
        return FIRST_NORMAL;
    default:
        return FIRST_HIGH;
    }
}

static weir_job *pick_in_order(struct weir__worker *worker,
                               const uint8_t *order, bool may_wait)
{
    for (unsigned i = 0; i < WEIR_PRIORITY_COUNT; i++) {
        unsigned priority = order[i];
        weir_job *job = NULL;

        if (worker->occupied & 1U << priority) {
            job = weir__deque_pop(&worker->deque[priority]);
            if (job == NULL)
                worker->occupied &= ~(1U << priority);
        }
        if (job == NULL)
            job = take_share(worker, priority, may_wait);
        if (job != NULL)
            return job;
    }
    return NULL;
}

/* The common case: only NORMAL jobs in the deque, and nothing HIGH outside. */
static weir_job *pick(struct weir__worker *worker, bool may_wait)
{
    enum rank rank = next_rank(worker);
    weir_job *job = NULL;

    if (rank == FIRST_HIGH && worker->occupied == 1U << NORMAL &&
        weir__injector_is_empty(&worker->pool->injector[HIGH]))
        job = weir__deque_pop(&worker->deque[NORMAL]);
    return job != NULL ? job : pick_in_order(worker, ranks[rank], may_wait);
}

/* xorshift32: Marsaglia 2003. */
static uint32_t random_next(struct weir__worker *worker)
{
    uint32_t x = worker->random;

    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return worker->random = x;
}

static weir_job *steal_from(struct weir__deque *deque)
{
    void *job;
    enum weir__loot loot;

    do
        loot = weir__deque_steal(deque, &job);
    while (loot == WEIR__LOOT_LOST); /* another thread took that item */
    return loot == WEIR__LOOT_ONE ? job : NULL;
}

/* Move half of the victim's remaining jobs, at most SHARE in all, to our own
 * deque: stealing jobs one at a time costs more than running them. */
static void steal_more(struct weir__worker *worker, struct weir__deque *deque)
{
    uint64_t more = weir__deque_count(deque) / 2;
    void *job;

    if (more >= SHARE)
        more = SHARE - 1;
    for (; more > 0 && weir__deque_steal(deque, &job) == WEIR__LOOT_ONE;
         more--) {
        unsigned priority = ((weir_job *)job)->priority;

        count_up(&worker->stolen); /* relaxed: count */
        worker->occupied |= 1U << priority;
        if (!weir__deque_push(&worker->deque[priority], job))
            weir__worker_push_outside(worker, job);
    }
}

/* Called after each steal, with the total of the last one in `recorded`. */
__attribute__((cold)) static void record_steal(struct weir__worker *worker)
{
    uint64_t stolen = load_relaxed(&worker->stolen); /* relaxed: own */

    weir__recorder_add(worker->ring, &(struct weir__recorded){
                                         .type = WEIR_RECORD_STEAL,
                                         .kind = WEIR_KIND_OTHER,
                                         .begin = weir__tsc_read(),
                                         .value = stolen - worker->recorded,
                                     });
    worker->recorded = stolen;
}

static weir_job *steal(struct weir__worker *worker)
{
    weir_pool *pool = worker->pool;
    uint32_t made = weir__pool_made(pool);
    uint32_t start = random_next(worker) % made;

    for (unsigned i = 0; i < WEIR_PRIORITY_COUNT; i++) {
        for (uint32_t k = 0; k < made; k++) {
            struct weir__worker *victim =
                weir__pool_worker(pool, (start + k) % made);
            struct weir__deque *deque;
            weir_job *job;

            if (victim == worker || victim == NULL)
                continue;
            deque = &victim->deque[ranks[FIRST_HIGH][i]];
            job = steal_from(deque);
            if (job != NULL) {
                count_up(&worker->stolen); /* relaxed: count */
                steal_more(worker, deque);
                if (worker->ring != NULL)
                    record_steal(worker);
                return job;
            }
        }
    }
    return NULL;
}

/* ---- no work ---- */

static bool has_jobs(const struct weir__worker *worker)
{
    for (unsigned i = 0; i < WEIR_PRIORITY_COUNT; i++)
        if (!weir__deque_is_empty(&worker->deque[i]))
            return true;
    return false;
}

/* Whether there appears to be work for any worker. */
static bool has_work(weir_pool *pool)
{
    uint32_t made = weir__pool_made(pool);

    if (!weir__pool_is_empty(pool))
        return true;
    for (uint32_t i = 0; i < made; i++) {
        const struct weir__worker *worker = weir__pool_worker(pool, i);

        if (worker != NULL && has_jobs(worker))
            return true;
    }
    return false;
}

/* Stop being a searcher.  The last searcher wakes another if
 * there is more work. */
static void stop_searching(weir_pool *pool)
{
    if (weir__idle_found(&pool->idle) && has_work(pool))
        weir__idle_wake_one(&pool->idle);
}

/* Look everywhere, several times.  Only the last look waits for another thread
 * that holds an injector's lock. */
static weir_job *sweep(struct weir__worker *worker, const weir_group *group)
{
    int looks = SPINS + worker->yields;

    for (int i = 0; i < looks; i++) {
        weir_job *job;

        if (group != NULL && weir__group_is_done(group))
            return NULL;
        job = pick(worker, i == looks - 1);
        if (job == NULL)
            job = steal(worker);
        if (job != NULL)
            return job;
        worker->came_for_few = false;
        if (i < SPINS)
            cpu_relax();
        else
            weir__thread_yield();
    }
    return NULL;
}

/* Sleep, and adapt the patience of the next search.  Sleeping and waking cost a
 * barrier in all threads and two context switches.  After a sleep that turned
 * out to be short, the worker looks for work longer before it sleeps again. */
static bool sleep_and_learn(struct weir__worker *worker)
{
    int64_t began_ns = weir__clock_real();
    bool has_slept = weir__idle_sleep(&worker->pool->idle, &worker->slot);

    if (weir__clock_real() - began_ns < SHORT_SLEEP_NS)
        worker->yields = MOST_YIELDS;
    else if (worker->yields > YIELDS)
        worker->yields /= 2;
    return has_slept;
}

/* Go idle.  True: the worker has slept and is a searcher again.
 * False: it must end. */
static bool go_idle(struct weir__worker *worker, enum weir__rest rest)
{
    weir_pool *pool = worker->pool;
    struct weir__idle *idle = &pool->idle;
    enum weir__order order;

    weir__recycler_settle(&worker->tally);
    weir__recycler_trim(&pool->calls);
    order = weir__idle_enter(idle, &worker->slot, rest);
    if (has_work(pool))
        weir__idle_wake_one(idle);
    else if (rest == WEIR__REST_DONE)
        (void)weir__idle_end(idle, false, weir__pool_is_empty, pool);
    if (order == WEIR__ORDER_LEAVE)
        return false;
    count_up(&worker->sleeps); /* relaxed: count */
    return sleep_and_learn(worker);
}

/* Find a job.  The worker is a searcher already. */
static weir_job *search(struct weir__worker *worker, weir_group *group)
{
    enum weir__rest rest = group == NULL ? WEIR__REST_DONE : WEIR__REST_WAITING;

    for (;;) {
        weir_job *job = sweep(worker, group);

        if (job != NULL || (group != NULL && weir__group_await(group))) {
            stop_searching(worker->pool);
            return job;
        }
        if (!go_idle(worker, rest))
            return NULL;
    }
}

weir_job *weir__worker_search(struct weir__worker *worker, weir_group *group)
{
    weir__idle_search(&worker->pool->idle);
    return search(worker, group);
}

/* ---- run a job ---- */

/* Return the status that the pool and the group imply; the caller checks the
 * job's own abort. */
static inline int status_of(const weir_pool *pool, const weir_group *group)
{
    if (weir__pool_is_closing(pool) ||
        (group != NULL && weir__group_is_cancelled(group)))
        return WEIR_ECANCELED;
    return 0;
}

/* Call a job, which may have been freed when it returns. */
static inline void call(struct weir__worker *worker, weir_job *job, int status,
                        weir_group *group)
{
    if (status == 0)
        count_up(&worker->ran); /* relaxed: count */
    else
        count_up(&worker->cancelled); /* relaxed: count */
    (void)weir__origin_take(job);
    job->run(job, status);
    if (group != NULL)
        weir__group_leave(group, worker);
}

/* A cancelled job needs no slot in its lane, but may already have one.  The
 * slot is passed on after the group is notified, because the next job may
 * belong to another group. */
static void run_in_lane(struct weir__worker *worker, weir_job *job, int status)
{
    weir_lane *lane = job->lane;
    bool has_slot = (job->state_ & WEIR__JOB_HAS_SLOT) != 0;
    weir_job *next;

    if (!has_slot && status == 0) {
        if (!weir__lane_enter(lane, job))
            return;
        has_slot = true;
    }
    call(worker, job, status, job->group_);
    if (has_slot && (next = weir__lane_exit(lane)) != NULL)
        weir__worker_push(worker, next);
}

__attribute__((noinline)) static void run_with_care(struct weir__worker *worker,
                                                    weir_job *job)
{
    weir_group *group = job->group_;
    int status = status_of(worker->pool, group);

    if (job->abort != NULL && weir_abort_reason(job->abort) != 0)
        status = WEIR_ECANCELED;
    if (job->lane != NULL)
        run_in_lane(worker, job, status);
    else
        call(worker, job, status, group);
}

static inline void run(struct weir__worker *worker, weir_job *job)
{
    weir_group *group = job->group_;

    if (__builtin_expect(job->lane != NULL || job->abort != NULL, 0))
        run_with_care(worker, job);
    else
        call(worker, job, status_of(worker->pool, group), group);
}

void weir__worker_run(struct weir__worker *worker, weir_job *job)
{
    run(worker, job);
}

/* Record the job that was shown, which has ended. */
__attribute__((cold)) static void record_job(struct weir__worker *worker,
                                             uint64_t now)
{
    uint64_t since = load_relaxed(&worker->since_ticks); /* relaxed: own */
    const char *name = load_relaxed(&worker->name);      /* relaxed: own */

    weir__recorder_add(worker->ring, &(struct weir__recorded){
                                         .type = WEIR_RECORD_JOB,
                                         .kind = WEIR_KIND_JOB,
                                         .name = name,
                                         .begin = since,
                                         .ticks = now - since,
                                         .value = (uintptr_t)worker->shown,
                                     });
    worker->shown = NULL;
}

/* Publish what the worker runs, for the report.  Its beginning is the end of the
 * job before it. */
static void show(struct weir__worker *worker, const weir_job *job)
{
    const char *name = job->name;
    uint64_t now = weir__tsc_read();

    if (worker->ring != NULL) {
        if (worker->shown != NULL)
            record_job(worker, now);
        worker->shown = job;
    }
    if (name == NULL && job->lane != NULL)
        name = job->lane->name;
    store_relaxed(&worker->name, name); /* relaxed: snapshot */
    if (WEIR__ORIGINS)
        /* relaxed: snapshot */
        store_relaxed(&worker->from, weir__origin_look(job));
    /* relaxed: snapshot */
    store_relaxed(&worker->since_ticks, now);
    store_relaxed(&worker->is_running, true); /* relaxed: snapshot */
}

static void show_nothing(struct weir__worker *worker)
{
    if (worker->shown != NULL)
        record_job(worker, weir__tsc_read());
    store_relaxed(&worker->is_running, false); /* relaxed: snapshot */
}

/* End a blocking section that the job left open.  A job that has forked arrives
 * here too (pool.c). */
__attribute__((cold)) static void stop_blocking(struct weir__worker *worker)
{
    CHECK(!worker->pool->is_foreign,
          "a job has returned in a child of fork(): exec or _exit there");
    weir__worker_unblock(worker);
}

void weir__worker_live(void *arg)
{
    struct weir__worker *worker = arg;
    weir_job *job;

    weir__thread_set_worker(worker);
    plain_store(&worker->thread, weir__thread_current());
    plain_store(&worker->is_joinable, true);
    /* relaxed: snapshot */
    store_relaxed(&worker->thread_id, weir__thread_id());
    worker->ring = weir__recorder_join();
    job = search(worker, NULL); /* it has been a searcher since idle_join */
    while (job != NULL) {
        show(worker, job);
        run(worker, job);
        if (worker->is_blocking)
            stop_blocking(worker);
        job = pick(worker, false);
        if (job == NULL) {
            show_nothing(worker);
            job = weir__worker_search(worker, NULL);
        }
    }
    weir__recycler_settle(&worker->tally);
    weir__pool_leave(worker->pool);
    weir__thread_set_worker(NULL); /* for destructors of the thread's values */
}
