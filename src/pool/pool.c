/* SPDX-License-Identifier: MIT */
/*
 * pool -- create, feed, stop and free a thread pool.
 *
 * Shape     Workers (worker.c), three injectors (injector.c), one per priority,
 *           and a list of idle workers (idle.c).  Jobs are not counted.  The
 *           pool has finished when its injectors are closed and empty and all
 *           workers are idle, and a worker is idle only when its own deques are
 *           empty.  So shutdown adds no cost to posting.
 *
 *           shutdown   close the injectors; the workers end when no work is
 *                      left
 *           close      the same, but set `is_closing` first: every job taken
 *                      from a queue after that is called with WEIR_ECANCELED
 *
 *           The last thread to end calls done, and then sets `finished`.
 * Roles     post, submit, shutdown, close   any thread
 *           grow                            a worker that blocks
 *           leave                           a worker that ends
 *           new, free                       one thread, alone
 * Progress  post and submit are lock-free, except for the allocator and for
 *           waking a worker, which is needed only if one sleeps and none
 *           searches.
 *
 * Shared state
 *   worker[], made   written by grow under lock; read by any thread        P1
 *   lanes            pushed by weir_lane_new; read by any thread           P2
 *   threads          decremented by each thread that ends                  P4
 *   finished         written once; a futex                                 P3
 *   is_closing       written by close, and before `done`; relaxed
 *   worker.thread, is_joinable
 *                    plain: the worker's, until it goes idle for the last
 *                    time; then the thread's that gets its slot, or unmake's
 *
 * Pairs
 *   P1  grow: store of worker[], release  -->  worker.c, report.c: load,
 *       acquire
 *       Hands over the worker in that entry.
 *   P2  weir_lane_new: CAS on lanes, release  -->  close, report.c: load,
 *       acquire
 *       Hands over the lane.
 *   P3  leave: store of finished, release  -->  shutdown, close: load, acquire
 *       Hands over what all jobs did to the threads that waited.
 *   P4  leave: fetch_sub of threads, release  -->  leave: the fetch_sub of the
 *       last thread, acquire
 *       Hands over what all jobs did to done.  The last thread to end may have
 *       become surplus long before the others ran their last jobs.
 *
 * Not paired, on purpose
 *   is_closing, relaxed: see weir__pool_is_closing.
 *
 * Why each thread is joined  A worker records its own thread when it starts.
 *           Its creator must not, because it may still be inside pthread_create
 *           when the worker has already ended and its slot has been reused.
 *           The thread that gets the slot joins the slot's previous thread
 *           before it starts the next, and unmake joins the last thread of each
 *           worker.  The idle list's lock, which a worker takes before it ends,
 *           and P3 hand the record over.
 *
 * Tested by  test/unit/pool/pool.c, test/unit/pool/pool_end.c,
 *            test/unit/pool/pool_failing.c, test/model/pool/pool.c,
 *            test/stress/pool/pool.c
 */
#include "weir/pool.h"

#include <errno.h>
#include <stddef.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/futex.h"
#include "base/memory.h"
#include "loop/loop.h"
#include "pool/pool.h"

/* ---- create and free ---- */

static size_t bytes_of(uint32_t max_workers)
{
    return sizeof(weir_pool) +
           max_workers * sizeof(((weir_pool *)NULL)->worker[0]);
}

static uint32_t default_workers(uint32_t most)
{
    uint32_t cores = weir__thread_cores();

    if (most == 0 || most > WEIR_POOL_LIMIT)
        most = WEIR_POOL_LIMIT;
    return cores < most ? cores : most;
}

/* Fills in the defaults.  Returns 0, -EINVAL, -E2BIG */
static int understand(weir_pool_options *to, const weir_pool_options *from)
{
    int err = weir_sized_read(to, sizeof(*to), from);

    if (err != 0)
        return err;
    if (to->workers == 0)
        to->workers = default_workers(to->max_workers);
    if (to->workers > WEIR_POOL_LIMIT || to->max_workers > WEIR_POOL_LIMIT)
        return -EINVAL;
    if (to->max_workers == 0)
        to->max_workers = to->workers * 4 < WEIR_POOL_LIMIT ? to->workers * 4
                                                            : WEIR_POOL_LIMIT;
    return to->max_workers < to->workers ? -EINVAL : 0;
}

/* Disown the pool in a child of fork(), which has none of its workers (see
 * loop.c).  If a worker's job has forked, the worker is marked as blocking, so
 * that stop_blocking() reports the error when the job returns. */
static void disown(struct weir__inherited *inherited)
{
    weir_pool *pool =
        (weir_pool *)((char *)inherited - offsetof(weir_pool, inherited));
    struct weir__worker *worker = weir__worker_of(pool);
    /* relaxed: no other thread exists here */
    weir_lane *lane = load_relaxed(&pool->lanes);

    pool->is_foreign = true;
    weir__origin_forget(pool);
    set_unshared(&pool->is_closing, 1);
    set_unshared(&pool->finished, 1);
    weir__lock_init(&pool->lock);
    weir__lock_init(&pool->idle.lock);
    for (unsigned i = 0; i < WEIR_PRIORITY_COUNT; i++) {
        weir__lock_init(&pool->injector[i].lock);
        weir__injector_close(&pool->injector[i]);
    }
    for (; lane != NULL; lane = lane->next)
        weir__lock_init(&lane->lock);
    if (worker != NULL)
        worker->is_blocking = true;
}

/* The job of a call of weir_pool_submit(). */
struct call {
    weir_job job; /* first */
    weir_fn *fn;
    void *arg;
    struct weir__recycler_block *block;
};

/* A busy pool keeps what it needed at once. */
static const struct weir__recycler_kind calls = {
    .size = sizeof(struct call),
    .block_at = offsetof(struct call, block),
#ifdef WEIR_SMALL
    .kept = 2,
#else
    .kept = 4096,
#endif
    .most = UINT32_MAX,
};

static weir_pool *make_pool(const weir_pool_options *options)
{
    weir_pool *pool =
        weir__memory_alloc(bytes_of(options->max_workers), CACHE_APART);

    if (pool == NULL)
        return NULL;
    pool->is_foreign = false;
    weir__idle_init(&pool->idle, options->workers);
    for (unsigned i = 0; i < WEIR_PRIORITY_COUNT; i++)
        weir__injector_init(&pool->injector[i]);
    set_unshared(&pool->is_closing, 0);
    set_unshared(&pool->made, 0);
    set_unshared(&pool->lanes, NULL);
    weir__lock_init(&pool->lock);
    pool->max_workers = options->max_workers;
    pool->name = options->name;
    pool->arg = options->arg;
    pool->done = options->done;
    pool->birth = weir__tsc_sample_both();
    weir__recycler_init(&pool->calls, &calls);
    set_unshared(&pool->blocked, 0);
    set_unshared(&pool->threads, 0);
    set_unshared(&pool->finished, 0);
    for (uint32_t i = 0; i < options->max_workers; i++)
        set_unshared(&pool->worker[i], NULL);
    /* Last: from here on another thread may fork, and the child
     * disowns the pool. */
    if (weir__fork_enter(&pool->inherited, disown) != 0) {
        weir__recycler_fini(&pool->calls);
        weir__memory_free(pool, bytes_of(options->max_workers));
        return NULL;
    }
    return pool;
}

/* Join the thread that had this worker's slot.  It has ended or is about to. */
static void join_last(struct weir__worker *worker)
{
    if (plain_load(&worker->is_joinable))
        weir__thread_join(&worker->thread);
    plain_store(&worker->is_joinable, false);
}

void weir__pool_unmake(weir_pool *pool)
{
    /* relaxed: unshared */
    uint32_t made = load_relaxed(&pool->made);
    /* relaxed: unshared */
    weir_lane *lane = load_relaxed(&pool->lanes), *next;

    weir__fork_leave(&pool->inherited);
    for (; lane != NULL; lane = next) {
        next = lane->next;
        weir__memory_free(lane, sizeof(*lane));
    }
    for (uint32_t i = 0; i < made; i++) {
        /* relaxed: unshared */
        struct weir__worker *worker = load_relaxed(&pool->worker[i]);

        join_last(worker);
        weir__worker_fini(worker);
        weir__memory_free(worker, sizeof(*worker));
    }
    weir__recycler_fini(&pool->calls);
    weir__memory_free(pool, bytes_of(pool->max_workers));
}

/* Add a worker without a thread.  Called under lock, or before the pool is
 * shared.  Returns NULL if there is no memory. */
static struct weir__worker *add_worker(weir_pool *pool)
{
    uint32_t index = load_relaxed(&pool->made); /* relaxed: own, under lock */
    struct weir__worker *worker =
        weir__memory_alloc(sizeof(*worker), CACHE_APART);

    if (worker == NULL)
        return NULL;
    if (weir__worker_init(worker, pool, index) != 0) {
        weir__memory_free(worker, sizeof(*worker));
        return NULL;
    }
    /* pool/P1 release: publishes the worker */
    store_release(&pool->worker[index], worker);
    store_relaxed(&pool->made, index + 1); /* relaxed: a count */
    return worker;
}

/* Returns 0, or the error */
static int start(struct weir__worker *worker)
{
    struct weir__thread thread; /* the worker records it */

    return weir__thread_start(&thread, weir__worker_live, worker);
}

static void begin_end(weir_pool *pool)
{
    for (unsigned i = 0; i < WEIR_PRIORITY_COUNT; i++)
        weir__injector_close(&pool->injector[i]);
    (void)weir__idle_end(&pool->idle, true, weir__pool_is_empty, pool);
}

/* Returns 0, -ETIMEDOUT */
static int await_finished(weir_pool *pool, int64_t timeout_ns)
{
    int64_t deadline_ns = -1;

    if (timeout_ns > 0)
        deadline_ns = weir__clock_deadline(timeout_ns);
    for (int err = 0;;) {
        /* pool/P3 acquire: receives what all jobs did */
        if (load_acquire(&pool->finished))
            return 0;
        if (timeout_ns == 0 || err == -ETIMEDOUT)
            return -ETIMEDOUT;
        err = weir__futex_wait(&pool->finished, 0, deadline_ns,
                               WEIR__FUTEX_PRIVATE);
    }
}

/* Stop a pool of which only the first `running` workers have a thread. */
static void give_up(weir_pool *pool, uint32_t running, uint32_t wanted)
{
    pool->done = NULL; /* visible to the workers through the idle list's lock */
    for (uint32_t i = running; i < wanted; i++) {
        weir__idle_unjoin(&pool->idle, NULL);
        fetch_sub_relaxed(&pool->threads, 1); /* relaxed: not the last */
    }
    if (running == 0)
        return;
    begin_end(pool);
    (void)await_finished(pool, -1);
}

/* Returns 0, or an error after freeing the pool */
static int start_all(weir_pool *pool)
{
    uint32_t workers = pool->idle.base;

    for (uint32_t i = 0; i < workers; i++) {
        /* relaxed: own */
        struct weir__worker *worker = load_relaxed(&pool->worker[i]);
        int err = start(worker);

        if (err != 0) {
            give_up(pool, i, workers);
            weir__pool_unmake(pool);
            return err;
        }
    }
    return 0;
}

/* Count the workers as live searchers before their threads exist. */
static void expect_all(weir_pool *pool, uint32_t workers)
{
    set_unshared(&pool->threads, workers);
    for (uint32_t i = 0; i < workers; i++)
        (void)weir__idle_join(&pool->idle);
}

int weir__pool_make(weir_pool **pool, const weir_pool_options *options)
{
    weir_pool_options known;
    weir_pool *made;
    int err;

    if (pool == NULL)
        return -EINVAL;
    err = understand(&known, options);
    if (err != 0)
        return err;
    made = make_pool(&known);
    if (made == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < known.workers; i++)
        if (add_worker(made) == NULL) {
            weir__pool_unmake(made);
            return -ENOMEM;
        }
    expect_all(made, known.workers);
    *pool = made;
    return 0;
}

int weir_pool_new(weir_pool **pool, const weir_pool_options *options)
{
    weir_pool *made;
    int err;

    if (pool == NULL)
        return -EINVAL;
    err = weir__pool_make(&made, options);
    if (err == 0)
        err = start_all(made);
    if (err == 0)
        *pool = made;
    return err;
}

int weir_pool_free(weir_pool *pool)
{
    if (pool == NULL)
        return 0;
    if (weir__worker_of(pool) != NULL)
        return WEIR_EREENTRANT;
    if (await_finished(pool, 0) != 0) {
        if (weir__thread_is_loop())
            return -EDEADLK;
        (void)!weir_pool_close(pool, -1);
    }
    weir__pool_unmake(pool);
    return 0;
}

/* ---- post and submit ---- */

bool weir__pool_is_empty(void *arg)
{
    const weir_pool *pool = arg;

    for (unsigned i = 0; i < WEIR_PRIORITY_COUNT; i++)
        if (!weir__injector_is_empty(&pool->injector[i]))
            return false;
    return true;
}

/* Post a valid job. */
static int post(weir_pool *pool, weir_job *job)
{
    struct weir__worker *worker = weir__worker_of(pool);
    int err;

    job->group_ = NULL;
    job->state_ = 0;
    if (weir__recorder_has_everything())
        weir__recorder_note(WEIR_RECORD_POST, NULL, (uintptr_t)job, 0);
    if (worker != NULL) {
        if (weir__pool_is_closing(pool))
            return weir__pool_refusal(pool);
        weir__pool_note_origin(pool, job);
        weir__worker_push(worker, job);
        return 0;
    }
    weir__pool_note_origin(pool, job);
    err = weir__injector_push(&pool->injector[job->priority], job,
                              WEIR__FROM_OUTSIDE);
    if (err == 0) {
        weir__idle_notify(&pool->idle);
        weir__loop_note_job();
        return 0;
    }
    (void)weir__origin_take(job);
    return weir__pool_refusal(pool);
}

int weir_pool_post(weir_pool *pool, weir_job *job)
{
    weir__origin_begin();
    if (pool == NULL || job == NULL || !weir__pool_is_fit(pool, job))
        return -EINVAL;
    return post(pool, job);
}

static void run_call(weir_job *job, int status)
{
    struct call *call = (struct call *)job;
    weir_fn *fn = call->fn;
    void *arg = call->arg;

    weir__recycler_count(call->block, &weir__thread_worker()->tally);
    fn(arg, status);
}

int weir_pool_submit(weir_pool *pool, weir_fn *fn, void *arg,
                     const weir_submit_options *options)
{
    weir_submit_options own;
    struct call *call;
    weir_job job;
    int err;

    weir__origin_begin();
    if (pool == NULL || fn == NULL)
        return -EINVAL;
    err = weir__submit_options_read(&own, &options);
    if (err != 0)
        return err;
    job = weir__job_of(run_call, options);
    if (!weir__pool_is_fit(pool, &job))
        return -EINVAL;
    call = weir__recycler_take(&pool->calls);
    if (call == NULL)
        return -ENOMEM;
    call->job = job;
    call->fn = fn;
    call->arg = arg;
    err = post(pool, &call->job);
    if (err != 0)
        weir__recycler_return(call->block);
    return err;
}

weir_pool *weir_pool_current(void)
{
    struct weir__worker *worker = weir__thread_worker();

    return worker == NULL ? NULL : worker->pool;
}

/* ---- blocking sections ---- */

static struct weir__worker *worker_of(struct weir__idle_slot *slot)
{
    return (struct weir__worker *)((char *)slot -
                                   offsetof(struct weir__worker, slot));
}

/* Returns NULL if there is no memory. */
static struct weir__worker *add_another(weir_pool *pool)
{
    struct weir__worker *worker;

    weir__lock_lock(&pool->lock);
    worker = add_worker(pool);
    weir__lock_unlock(&pool->lock);
    return worker;
}

void weir__pool_grow(weir_pool *pool, struct weir__idle_slot *slot)
{
    struct weir__worker *worker =
        slot != NULL ? worker_of(slot) : add_another(pool);

    if (worker == NULL) {
        weir__idle_unjoin(&pool->idle, NULL);
        return;
    }
    join_last(worker);
    /* relaxed: not the first; the caller's own thread keeps it above zero */
    fetch_add_relaxed(&pool->threads, 1);
    if (start(worker) == 0)
        return;
    fetch_sub_relaxed(&pool->threads, 1); /* relaxed: not the last */
    weir__idle_unjoin(&pool->idle, &worker->slot);
}

/* The calling thread as a worker of the pool. */
static int find_worker(weir_pool *pool, struct weir__worker **worker)
{
    if (pool == NULL)
        return -EINVAL;
    if (pool->is_foreign)
        return WEIR_EFORKED;
    *worker = weir__worker_of(pool);
    return *worker != NULL ? 0 : -EPERM;
}

int weir_pool_blocking_begin(weir_pool *pool)
{
    struct weir__worker *worker;
    struct weir__idle_slot *slot;
    int err = find_worker(pool, &worker);

    if (err != 0)
        return err;
    if (worker->is_blocking)
        return WEIR_EREENTRANT;
    worker->is_blocking = true;
    fetch_add_relaxed(&pool->blocked, 1); /* relaxed: count */
    if (weir__idle_block(&pool->idle, pool->max_workers, &slot))
        weir__pool_grow(pool, slot);
    return 0;
}

void weir__worker_unblock(struct weir__worker *worker)
{
    weir_pool *pool = worker->pool;

    worker->is_blocking = false;
    fetch_sub_relaxed(&pool->blocked, 1); /* relaxed: count */
    weir__idle_unblock(&pool->idle);
}

int weir_pool_blocking_end(weir_pool *pool)
{
    struct weir__worker *worker;
    int err = find_worker(pool, &worker);

    if (err != 0)
        return err;
    if (!worker->is_blocking)
        return -EINVAL;
    weir__worker_unblock(worker);
    return 0;
}

/* ---- shutdown ---- */

/* All jobs have run, but this thread is still a worker: what `done` posts would
 * be accepted and never run, unless the pool is closed before. */
static void call_done(weir_pool *pool)
{
    int status = weir__pool_is_closing(pool) ? WEIR_ECANCELED : 0;

    store_relaxed(&pool->is_closing, 1); /* relaxed: read by this thread */
    if (pool->done != NULL)
        pool->done(pool->arg, pool, status);
}

static void finish(weir_pool *pool)
{
    const void *word = &pool->finished;

    call_done(pool);
    /* pool/P3 release: publishes what all jobs did */
    store_release(&pool->finished, 1);
    weir__futex_wake_all(word, WEIR__FUTEX_PRIVATE);
}

void weir__pool_leave(weir_pool *pool)
{
    /* pool/P4 release: publishes what its jobs did
     * pool/P4 acquire: receives what all others did, if this is the last */
    if (fetch_sub_acq_rel(&pool->threads, 1) == 1)
        finish(pool);
}

/* Move jobs that wait in lanes to the injectors, so that they are called with
 * WEIR_ECANCELED too. */
static void flush_lanes(weir_pool *pool)
{
    weir_lane *lane;

    if (!weir__idle_hold(&pool->idle))
        return;
    /* pool/P2 acquire: receives the lanes */
    for (lane = load_acquire(&pool->lanes); lane != NULL; lane = lane->next)
        weir__lane_flush(lane);
    weir__idle_notify(&pool->idle);
    weir__idle_let_go(&pool->idle);
}

/* Returns 0 (the caller may wait), 1 (called from a worker of the pool),
 * -EINVAL, -EDEADLK, WEIR_EFORKED */
static int may_wait(const weir_pool *pool, int64_t timeout_ns)
{
    if (pool == NULL)
        return -EINVAL;
    if (pool->is_foreign)
        return WEIR_EFORKED;
    if (weir__worker_of(pool) != NULL)
        return 1;
    return timeout_ns != 0 && weir__thread_is_loop() ? -EDEADLK : 0;
}

int weir_pool_shutdown(weir_pool *pool, int64_t timeout_ns)
{
    int inside = may_wait(pool, timeout_ns);

    if (inside < 0)
        return inside;
    begin_end(pool);
    return inside ? 0 : await_finished(pool, timeout_ns);
}

int weir_pool_close(weir_pool *pool, int64_t timeout_ns)
{
    int inside = may_wait(pool, timeout_ns);

    if (inside < 0)
        return inside;
    /* relaxed: see weir__pool_is_closing */
    store_relaxed(&pool->is_closing, 1);
    flush_lanes(pool);
    begin_end(pool);
    return inside ? 0 : await_finished(pool, timeout_ns);
}
