/* SPDX-License-Identifier: MIT */
/*
 * group -- fork and join: what the serial program says, with 1, 2, 4 and 8
 * workers; nested, cancelled, and misused.
 */
#include <stdlib.h>
#include <string.h>

#include "pool/pool.h"
#include "support/pool_fixture.h"
#include "support/random.h"
#include "weir/loop.h"

static void spawn(weir_group *group, weir_job *job)
{
    expect_status(weir_group_spawn(group, job), 0);
}

static void wait_group(weir_group *group)
{
    expect_status(weir_group_wait(group), 0);
}

/* Runs one job as a group, from outside. */
static void run_on_pool(uint32_t workers, weir_job *job)
{
    weir_group group;

    pool_make(.workers = workers);
    weir_group_init(&group, pool);
    spawn(&group, job);
    wait_group(&group);
    pool_end();
}

#define FOR_EACH_SIZE(workers)                                                 \
    for (uint32_t workers = 1; workers <= 8; workers *= 2)

/* Else a wait for a group on the stack would never end. */
CASE(group_init_leaves_nothing_of_what_was_there)
{
    weir_group group;

    pool_make(.workers = 1);
    memset(&group, 0xa5, sizeof(group));
    weir_group_init(&group, pool);
    expect(weir__group_is_done(&group));
    expect(!weir__group_is_cancelled(&group));
    pool_end();
}

/* ---- fib ---- */

struct fib {
    weir_job job;
    int n;
    uint64_t result;
};

static uint64_t fib(int n);

static void run_fib(weir_job *job, int status)
{
    struct fib *self = (struct fib *)job;

    expect_status(status, 0);
    self->result = fib(self->n);
}

static uint64_t fib(int n)
{
    struct fib other = {.job = {.run = run_fib}, .n = n - 1};
    weir_group group;
    uint64_t mine;

    if (n < 2)
        return (uint64_t)n;
    weir_group_init(&group, pool);
    spawn(&group, &other.job);
    mine = fib(n - 2);
    wait_group(&group);
    return mine + other.result;
}

CASE(group_fib_is_the_serial_one)
{
    FOR_EACH_SIZE(workers)
    {
        struct fib top = {.job = {.run = run_fib}, .n = 22};

        run_on_pool(workers, &top.job);
        expect_int(top.result, 17711);
    }
}

/* ---- sort ---- */

struct sort {
    weir_job job;
    uint32_t *data, *room;
    size_t size;
};

static void merge(uint32_t *data, size_t half, size_t size, uint32_t *room)
{
    size_t i = 0, k = half, n = 0;

    while (i < half || k < size)
        room[n++] = k == size || (i < half && data[i] <= data[k]) ? data[i++]
                                                                  : data[k++];
    memcpy(data, room, size * sizeof(*data));
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void run_sort(weir_job *job, int status)
{
    struct sort *self = (struct sort *)job, left, right;
    size_t half = self->size / 2;
    weir_group group;

    expect_status(status, 0);
    if (self->size < 10000) {
        qsort(self->data, self->size, sizeof(*self->data), compare);
        return;
    }
    left = (struct sort){{.run = run_sort}, self->data, self->room, half};
    right = (struct sort){{.run = run_sort},
                          self->data + half,
                          self->room + half,
                          self->size - half};
    weir_group_init(&group, pool);
    spawn(&group, &left.job);
    spawn(&group, &right.job);
    wait_group(&group);
    merge(self->data, half, self->size, self->room);
}

/* All of the numbers, whatever their order. */
static uint64_t sum_of(const uint32_t *data, size_t size)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < size; i++)
        sum += (uint64_t)data[i] * data[i];
    return sum;
}

static void sort_with(uint32_t workers, size_t size, uint64_t seed)
{
    uint32_t *data = malloc(size * sizeof(*data));
    uint32_t *room = malloc(size * sizeof(*data));
    struct sort sort = {{.run = run_sort}, data, room, size};
    struct random random = {seed};
    uint64_t sum;

    for (size_t i = 0; i < size; i++)
        data[i] = (uint32_t)random_next(&random);
    sum = sum_of(data, size);
    run_on_pool(workers, &sort.job);
    for (size_t i = 1; i < size; i++)
        expect(data[i - 1] <= data[i]);
    expect_int(sum_of(data, size), sum);
    free(data);
    free(room);
}

/* All of it where it takes seconds; in slower builds with WEIR_NUMBERS=5000000,
 * as `make verify` does. */
#ifdef NDEBUG
enum { NUMBERS = 5000000 };
#else
enum { NUMBERS = 300000 };
#endif

CASE_WITHIN(group_sort_is_sorted, 240)
{
    const char *given = getenv("WEIR_NUMBERS");
    size_t size = given != NULL ? strtoull(given, NULL, 0) : NUMBERS;
    uint64_t seed = random_seed();

    FOR_EACH_SIZE(workers)
    sort_with(workers, size, seed);
}

/* ---- a tree, whose nodes spawn into one group ---- */

struct tree {
    weir_job job;
    weir_group *group;
    uint64_t *sum; /* atomic */
    uint64_t number;
    struct tree *child[3];
};

static void run_tree(weir_job *job, int status)
{
    struct tree *self = (struct tree *)job;

    expect_status(status, 0);
    for (int i = 0; i < 3; i++)
        if (self->child[i] != NULL)
            spawn(self->group, &self->child[i]->job);
    __atomic_fetch_add(self->sum, self->number, __ATOMIC_RELAXED);
}

/* Node n has the children 3n + 1, 3n + 2, 3n + 3. */
CASE(group_walks_a_tree_that_spawns_into_it)
{
    enum { NODES = 20000 };
    struct tree *nodes = calloc(NODES, sizeof(*nodes));

    FOR_EACH_SIZE(workers)
    {
        uint64_t sum = 0;
        weir_group group;

        pool_make(.workers = workers);
        weir_group_init(&group, pool);
        for (uint64_t n = 0; n < NODES; n++) {
            nodes[n] = (struct tree){{.run = run_tree}, &group, &sum, n, {0}};
            for (uint64_t i = 0; i < 3; i++)
                if (3 * n + 1 + i < NODES)
                    nodes[n].child[i] = &nodes[3 * n + 1 + i];
        }
        spawn(&group, &nodes[0].job);
        wait_group(&group);
        expect_int(sum, (uint64_t)NODES * (NODES - 1) / 2);
        pool_end();
    }
    free(nodes);
}

/* ---- waiting ---- */

CASE(group_without_jobs_is_done)
{
    weir_group group;

    pool_make(.workers = 1);
    weir_group_init(&group, pool);
    wait_group(&group);
    pool_end();
}

/* One worker: the waiter must run the job itself, and what else is queued. */
static struct letter child, stranger;

static void wait_for_child(weir_job *job, int status)
{
    weir_group group;

    letter_run(job, status);
    expect_status(weir_pool_post(pool, letter(&stranger, 's', 0)), 0);
    weir_group_init(&group, pool);
    spawn(&group, letter(&child, 'c', 0));
    wait_group(&group);
    recorded[recorded_size++] = 'z';
}

CASE(group_waiter_runs_the_job_itself)
{
    struct letter parent = {.job = {.run = wait_for_child}, .letter = 'p'};

    pool_make(.workers = 1);
    expect_status(weir_pool_post(pool, &parent.job), 0);
    pool_end();
    expect_recorded("pczs");
}

/* Its child is stuck on another worker: meanwhile it does something else. */
static struct stopper stuck_child;

static void wait_for_stuck(void *arg, int status)
{
    weir_group group;

    expect_status(status, 0);
    stopper_init(&stuck_child, NULL);
    weir_group_init(&group, pool);
    spawn(&group, &stuck_child.job);
    wait_for(&stuck_child.begun); /* a thief has it */
    sem_post(arg);
    wait_group(&group);
    recorded[recorded_size++] = 'z';
}

CASE(group_waiter_runs_other_work_of_the_pool)
{
    struct stopper other;
    sem_t waits;

    sem_init(&waits, 0, 0);
    pool_make(.workers = 2);
    expect_status(weir_pool_submit(pool, wait_for_stuck, &waits, NULL), 0);
    wait_for(&waits);
    stopper_post(&other, NULL); /* begins, on top of the waiter */
    stopper_release(&stuck_child);
    stopper_release(&other);
    pool_end();
    expect_recorded("z");
}

/* ---- misuse ---- */

/* covers: weir_group_spawn WEIR_ECLOSED
 * covers: weir_group_spawn -EINVAL */
CASE(group_that_is_finished_refuses_jobs)
{
    weir_group group;
    struct letter job;

    pool_make(.workers = 1);
    weir_group_init(&group, pool);
    expect_status(weir_group_spawn(&group, NULL), -EINVAL);
    weir_group_init(&group, NULL);
    expect_status(weir_group_spawn(&group, letter(&job, 'a', 0)), -EINVAL);
    weir_group_init(&group, pool);
    spawn(&group, letter(&job, 'a', 0));
    wait_group(&group);
    expect_status(weir_group_spawn(&group, &job.job), WEIR_ECLOSED);
    wait_group(&group);
    weir_group_init(&group, pool);
    spawn(&group, &job.job);
    wait_group(&group);
    expect_recorded("aa");
    expect_status(weir_pool_shutdown(pool, -1), 0);
    weir_group_init(&group, pool);
    expect_status(weir_group_spawn(&group, &job.job), WEIR_ECLOSED);
    wait_group(&group);
    expect_status(weir_pool_free(pool), 0);
}

static void wait_for_foreign(void *group, int status)
{
    expect_status(status, 0);
    expect_status(weir_group_wait(group), -EPERM);
}

/* covers: weir_group_wait -EPERM */
CASE(group_of_another_thread_is_not_waited_for)
{
    weir_group group;

    pool_make(.workers = 1);
    weir_group_init(&group, pool);
    expect_status(weir_pool_submit(pool, wait_for_foreign, &group, NULL), 0);
    pool_end();
}

static void wait_on_loop(void *arg, int status)
{
    weir_group group;

    expect_status(status, 0);
    weir_group_init(&group, pool);
    expect_status(weir_group_wait(&group), -EDEADLK);
}

/* covers: weir_group_wait -EDEADLK */
CASE(group_wait_on_a_loop_is_refused)
{
    weir_loop *loop;

    pool_make(.workers = 1);
    expect_status(weir_loop_new(&loop, NULL), 0);
    expect_status(weir_loop_submit(loop, wait_on_loop, NULL), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect_status(weir_loop_free(loop), 0);
    pool_end();
}

/* Its job runs a loop, and a callback of that waits: other jobs, which may know
 * the loop, would run inside the callback. */
static void run_loop_in_job(void *arg, int status)
{
    weir_loop *loop = arg;

    expect_status(status, 0);
    expect_status(weir_loop_submit(loop, wait_on_loop, NULL), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
}

/* covers: weir_group_wait -EDEADLK */
CASE(group_wait_on_a_loop_that_a_worker_runs_is_refused)
{
    weir_loop *loop;

    pool_make(.workers = 1);
    expect_status(weir_loop_new(&loop, NULL), 0);
    expect_status(weir_pool_submit(pool, run_loop_in_job, loop, NULL), 0);
    pool_end();
    expect_status(weir_loop_free(loop), 0);
}

/* ---- cancel ---- */

/* covers: weir_group_wait WEIR_ECANCELED
 * covers: weir_group_spawn WEIR_ECANCELED */
CASE(group_cancel_tells_jobs_that_have_not_begun)
{
    struct letter jobs[3], other;
    struct stopper stopper;
    weir_group group;

    pool_make(.workers = 1);
    stopper_post(&stopper, NULL);
    weir_group_init(&group, pool);
    for (int i = 0; i < 3; i++)
        spawn(&group, letter(&jobs[i], 'a', 0));
    expect_status(weir_pool_post(pool, letter(&other, 'o', 0)), 0);
    expect(!weir_group_is_cancelled(&group));
    weir_group_cancel(&group);
    expect(weir_group_is_cancelled(&group));
    expect_status(weir_group_spawn(&group, &other.job), WEIR_ECANCELED);
    stopper_release(&stopper);
    expect_status(weir_group_wait(&group), WEIR_ECANCELED);
    pool_end();
    expect_recorded("a!a!a!o");
}

static void spawn_while_closing(void *arg, int status)
{
    struct letter job;
    weir_group group;

    expect_status(status, 0);
    weir_group_init(&group, pool);
    sem_post(arg);
    await(weir_group_spawn(&group, letter(&job, 'a', 0)) == WEIR_ECLOSED ||
          weir_group_wait(&group) != 0 ||
          (weir_group_init(&group, pool), false));
}

CASE(group_in_a_pool_that_closes_refuses_and_ends)
{
    sem_t begun;

    sem_init(&begun, 0, 0);
    pool_make(.workers = 2);
    expect_status(weir_pool_submit(pool, spawn_while_closing, &begun, NULL), 0);
    wait_for(&begun);
    expect_status(weir_pool_close(pool, -1), 0);
    expect_status(weir_pool_free(pool), 0);
}
