/* SPDX-License-Identifier: MIT */
/*
 * pool -- eight threads post with three priorities, jobs post jobs, aborts and
 * groups cancel, lanes hold up, and two threads stop the pool in the middle of
 * it: each job that was accepted is called exactly once.
 *
 * WEIR_JOBS=40000 for less of it.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "support/crew.h"
#include "support/effort.h"
#include "support/failing_syscalls.h"
#include "support/pool_fixture.h"
#include "support/random.h"
#include "weir/abort.h"

enum { POSTERS = 8, STOPPERS = 2, LANES = 2, ABORTS = 4 };

static uint64_t jobs_wanted(void)
{
    const char *given = getenv("WEIR_JOBS");

    return given != NULL ? strtoull(given, NULL, 0) : 1000000;
}

/* What was accepted and what was called; each is posted once. */
struct piece {
    weir_job job;
    uint32_t accepted; /* the poster's, plain */
    uint32_t called;   /* atomic */
    uint32_t cancelled;
    uint32_t children; /* it posts so many, which lie behind it */
    uint64_t payload;  /* written before the post, plain */
};

struct scene {
    uint64_t size; /* pieces of each poster */
    struct piece *pieces[POSTERS];
    weir_lane *lane[LANES];
    weir_abort *abort[ABORTS];
    uint64_t seed;
    uint64_t posted; /* atomic: how far they are, about */
    uint64_t stop_at[STOPPERS];
    bool is_graceful; /* both stop it gracefully */
};

static void run_piece(weir_job *job, int status)
{
    struct piece *piece = (struct piece *)job;

    expect(status == 0 || status == WEIR_ECANCELED);
    expect_int(piece->payload, 42);
    piece->cancelled = status != 0;
    for (uint32_t i = 1; i <= piece->children; i++) {
        struct piece *child = piece + i;

        child->payload = 42;
        child->accepted = weir_pool_post(pool, &child->job) == 0;
    }
    expect_int(__atomic_fetch_add(&piece->called, 1, __ATOMIC_RELAXED), 0);
}

static void make_piece(struct scene *scene, struct piece *piece,
                       struct random *random)
{
    uint64_t dice = random_next(random);

    *piece = (struct piece){.job = {.run = run_piece, .name = "piece"}};
    piece->job.priority = (weir_priority)(dice % WEIR_PRIORITY_COUNT);
    if (dice >> 8 & 7)
        return;
    if (dice >> 16 & 1)
        piece->job.lane = scene->lane[dice >> 24 & 1];
    else
        piece->job.abort = scene->abort[dice >> 24 & 3];
}

static void post_pieces(struct scene *scene, unsigned id)
{
    struct random random = {scene->seed + id};
    struct piece *pieces = scene->pieces[id];
    bool is_closed = false;

    for (uint64_t i = 0; i < scene->size;) {
        uint32_t children = (uint32_t)random_below(&random, 4);
        int err;

        if (i + children >= scene->size)
            children = 0;
        for (uint32_t k = 0; k <= children; k++)
            make_piece(scene, &pieces[i + k], &random);
        pieces[i].children = children;
        pieces[i].payload = 42;
        err = weir_pool_post(pool, &pieces[i].job);
        expect(err == 0 ? !is_closed : err == WEIR_ECLOSED);
        is_closed |= err != 0 && pieces[i].job.priority == 0;
        /* relaxed: pieces are looked at when all have been joined */
        pieces[i].accepted = err == 0;
        i += 1 + children;
        __atomic_fetch_add(&scene->posted, 1 + children, __ATOMIC_RELAXED);
        if (random_below(&random, 5000) == 0)
            (void)weir_abort_raise(scene->abort[random_below(&random, ABORTS)],
                                   -ECANCELED);
    }
}

static void stop(struct scene *scene, unsigned id)
{
    while (__atomic_load_n(&scene->posted, __ATOMIC_RELAXED) <
           scene->stop_at[id])
        sched_yield();
    if (id == 0 || scene->is_graceful)
        expect_status(weir_pool_shutdown(pool, -1), 0);
    else
        expect_status(weir_pool_close(pool, -1), 0);
}

static void post_or_stop(struct crew *crew, unsigned id)
{
    struct scene *scene = crew->context;

    if (id < POSTERS)
        post_pieces(scene, id);
    else
        stop(scene, id - POSTERS);
}

struct sums {
    uint64_t accepted, cancelled, stolen;
};

static void check(struct scene *scene, struct sums *sums)
{
    weir_pool_stats stats = pool_stats();
    uint64_t accepted = 0, cancelled = 0;

    for (unsigned p = 0; p < POSTERS; p++)
        for (uint64_t i = 0; i < scene->size; i++) {
            struct piece *piece = &scene->pieces[p][i];

            expect_int(piece->called, piece->accepted);
            accepted += piece->accepted;
            cancelled += piece->cancelled;
        }
    expect_int(stats.ran + stats.cancelled, accepted);
    expect_int(stats.cancelled, cancelled);
    expect_int(stats.queued, 0);
    sums->accepted += accepted;
    sums->cancelled += cancelled;
    sums->stolen += stats.stolen;
}

/* One pool.  Stops somewhere, or after everything. */
static void play(struct scene *scene, struct random *random, struct sums *sums)
{
    uint64_t all = scene->size * POSTERS;

    scene->seed = random_next(random);
    scene->posted = 0;
    scene->is_graceful = random_below(random, 2);
    for (int i = 0; i < STOPPERS; i++) /* anywhere, or near the end */
        scene->stop_at[i] = random_below(random, 2)
                                ? all - random_below(random, all / 20 + 1)
                                : random_below(random, all + 1);
    for (unsigned p = 0; p < POSTERS; p++)
        memset(scene->pieces[p], 0, scene->size * sizeof(struct piece));
    pool_make(.workers = 1 + (uint32_t)random_below(random, 4));
    for (int i = 0; i < LANES; i++)
        expect_status(
            weir_lane_new(&scene->lane[i], pool, "lane", 1 + (uint32_t)i), 0);
    for (int i = 0; i < ABORTS; i++)
        expect_status(weir_abort_new(&scene->abort[i]), 0);
    crew_run(POSTERS + STOPPERS, post_or_stop, scene);
    check(scene, sums);
    expect_status(weir_pool_free(pool), 0);
    for (int i = 0; i < ABORTS; i++)
        weir_abort_unref(scene->abort[i]);
}

/* At least until something was cancelled and, where there are many, stolen: a
 * pool may have one worker, or be stopped at once. */
static bool has_seen_all(const struct sums *sums, uint64_t jobs)
{
    return sums->cancelled > 0 && (jobs < 1000 || sums->stolen > 0);
}

static void play_rounds(uint64_t jobs, double seconds)
{
    struct effort effort = effort_begin(seconds);
    struct random random = {random_seed()};
    struct scene scene = {.size = jobs / POSTERS};
    struct sums sums = {0, 0, 0};

    effort_spare_the_sanitizer();
    for (unsigned p = 0; p < POSTERS; p++)
        scene.pieces[p] = malloc(scene.size * sizeof(struct piece));
    while (effort_goes_on(&effort) || !has_seen_all(&sums, jobs))
        play(&scene, &random, &sums);
    for (unsigned p = 0; p < POSTERS; p++)
        free(scene.pieces[p]);
    fprintf(stderr,
            "# %" PRIu64 " accepted, %" PRIu64 " of them cancelled, %" PRIu64
            " stolen\n",
            sums.accepted, sums.cancelled, sums.stolen);
}

STRESS_CASE(pool_calls_each_of_many_jobs_once_though_two_stop_it)
{
    play_rounds(jobs_wanted(), 4);
}

/* Small ones: mostly about the beginning and the end. */
STRESS_CASE(pool_that_ends_soon_calls_each_job_once)
{
    play_rounds(400, 2);
}

/* ---- no wake is lost ---- */

/* A few jobs at a time, when all workers sleep; all are answered before the
 * next are posted.  A lost wake shows as a case that does not end: each job
 * waits for the others of its round, so each needs a worker. */
enum { SLEEPERS = 3 };

static sem_t answered;
static uint32_t arrived; /* atomic */

static void meet_the_others(void *count, int status)
{
    expect_status(status, 0);
    __atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&arrived, __ATOMIC_RELAXED) < (uintptr_t)count)
        sched_yield();
    sem_post(&answered);
}

static void ask_for_all(void *count, int status)
{
    for (uintptr_t i = 0; i < (uintptr_t)count; i++) /* for thieves */
        expect_status(
            weir_pool_submit(pool, meet_the_others, (char *)count + 1, NULL),
            0);
    meet_the_others((char *)count + 1, status);
}

STRESS_CASE(pool_that_sleeps_loses_no_wake)
{
    struct effort effort = effort_begin(2);
    struct random random = {random_seed()};

    sem_init(&answered, 0, 0);
    pool_make(.workers = SLEEPERS);
    while (effort_goes_on(&effort)) {
        uintptr_t count = 1 + random_below(&random, SLEEPERS);
        bool is_inside = random_below(&random, 2);

        if (random_below(&random, 4) != 0) /* or on their way to bed */
            await(pool_stats().asleep == SLEEPERS);
        __atomic_store_n(&arrived, 0, __ATOMIC_RELAXED);
        for (uintptr_t i = is_inside ? count : 1; i <= count; i++)
            expect_status(weir_pool_submit(
                              pool, is_inside ? ask_for_all : meet_the_others,
                              (void *)(count - is_inside), NULL),
                          0);
        for (uintptr_t i = 0; i < count; i++)
            wait_for(&answered);
    }
    expect_status(weir_pool_shutdown(pool, -1), 0);
    fprintf(stderr, "# %" PRIu64 " sleeps\n", pool_stats().sleeps);
    expect(pool_stats().sleeps > effort.rounds / 2);
    expect_status(weir_pool_free(pool), 0);
}

/* ---- blocked workers come and go ---- */

static void block_a_little(void *arg, int status)
{
    expect_status(status, 0);
    expect_status(weir_pool_blocking_begin(pool), 0);
    sched_yield();
    expect_status(weir_pool_blocking_end(pool), 0);
}

static void submit_blockers(struct crew *crew, unsigned id)
{
    for (unsigned i = *(unsigned *)crew->context; i > 0; i--)
        expect_status(weir_pool_submit(pool, block_a_little, NULL, NULL), 0);
}

STRESS_CASE(pool_that_grows_and_shrinks_calls_each_job_once)
{
    struct effort effort = effort_begin(2);
    unsigned each = 100;

    effort_spare_the_sanitizer();
    while (effort_goes_on(&effort)) {
        pool_make(.workers = 2, .max_workers = 5);
        crew_run(2, submit_blockers, &each);
        expect_status(weir_pool_shutdown(pool, -1), 0);
        expect_int(pool_stats().ran, 2 * each);
        expect_status(weir_pool_free(pool), 0);
    }
}

static void yield_below(struct random *random, uint64_t limit)
{
    for (uint64_t i = random_below(random, limit); i > 0; i--)
        sched_yield();
}

/* Mostly for a moment, so that workers come and go; now and then for long, with
 * no lock released since a worker was made. */
static void block_in_bursts(void *arg, int status)
{
    struct random random = {(uintptr_t)arg};

    expect_status(status, 0);
    for (int i = 0; i < 50; i++) {
        expect_status(weir_pool_blocking_begin(pool), 0);
        yield_below(&random, i % 8 == 0 ? 100 : 4);
        expect_status(weir_pool_blocking_end(pool), 0);
        yield_below(&random, 4);
    }
}

STRESS_CASE(pool_that_grows_in_bursts_joins_each_thread)
{
    struct effort effort = effort_begin(2);
    struct random random = {random_seed()};
    uint64_t sum = 0;

    effort_spare_the_sanitizer();
    while (effort_goes_on(&effort)) {
        uint64_t threads;

        failing_syscalls_set(CALL_PTHREAD_CREATE, 0, 0, 0);
        failing_syscalls_set(CALL_PTHREAD_JOIN, 0, 0, 0);
        pool_make(.workers = 2, .max_workers = 6);
        for (int i = 0; i < 3; i++)
            expect_status(weir_pool_submit(pool, block_in_bursts,
                                           (void *)random_next(&random), NULL),
                          0);
        pool_end();
        threads = failing_syscalls_count(CALL_PTHREAD_CREATE);
        expect_int(failing_syscalls_count(CALL_PTHREAD_JOIN), threads);
        sum += threads;
    }
    fprintf(stderr, "# %" PRIu64 " threads\n", sum);
    expect(sum > 2 * effort.rounds); /* it has grown */
}

/* ---- the report while everything moves ---- */

static void count_down(void *arg, int status)
{
    expect_status(status, 0);
    if (__atomic_sub_fetch((uint32_t *)arg, 1, __ATOMIC_RELAXED) > 0)
        expect_status(weir_pool_submit(pool, count_down, arg, NULL), 0);
}

static void look_often(struct crew *crew, unsigned id)
{
    weir_holder holders[8];

    if (id == 0) {
        expect_status(weir_pool_submit(pool, count_down, crew->context, NULL),
                      0);
        return;
    }
    for (int i = 0; i < 20000; i++) {
        size_t count = weir_pool_report(pool, holders, 8, sizeof(weir_holder));

        for (size_t k = 0; k < count && k < 8; k++)
            expect(holders[k].count > 0);
        (void)pool_stats();
    }
}

STRESS_CASE(pool_report_is_taken_while_all_moves)
{
    uint32_t left = 50000;

    pool_make(.workers = 2);
    crew_run(2, look_often, &left);
    pool_end();
    expect_int(left, 0);
}
