/* SPDX-License-Identifier: MIT */
/*
 * weir_pool -- weir's own.
 *
 * fib: the job and its group lie on the stack of who spawns.  empty: jobs in an
 * array (post), or a function (submit), whose storage is weir's.
 */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "pool.h"
#include "weir/group.h"
#include "weir/pool.h"
#include "weir/version.h"

static weir_pool *pool;
static weir_job *jobs;

static void must(int status, const char *what)
{
    if (status != 0)
        bench_fail(what);
}

void *pool_calloc(uint64_t count, size_t size)
{
    void *memory = malloc(count * size + 1);

    if (memory == NULL)
        bench_fail("no memory");
    return memset(memory, 0, count * size);
}

static void open_pool(uint64_t count)
{
    jobs = pool_calloc(count, sizeof(*jobs));
    must(weir_pool_new(&pool,
                       &(weir_pool_options){.size = sizeof(weir_pool_options),
                                            .workers = POOL_THREADS}),
         "weir_pool_new");
}

static void close_pool(void)
{
    must(weir_pool_free(pool), "weir_pool_free");
    free(jobs);
}

struct node {
    weir_job job;
    int n;
    uint64_t result;
};

static uint64_t fib(int n);

static void run_node(weir_job *job, int status)
{
    struct node *node = (struct node *)job;

    (void)status;
    node->result = fib(node->n);
}

static uint64_t fib(int n)
{
    struct node other;
    weir_group group;
    uint64_t mine;

    if (n < 2)
        return (uint64_t)n;
    other = (struct node){.job = {.run = run_node}, .n = n - 1};
    weir_group_init(&group, pool);
    must(weir_group_spawn(&group, &other.job), "weir_group_spawn");
    mine = fib(n - 2);
    must(weir_group_wait(&group), "weir_group_wait");
    return mine + other.result;
}

static uint64_t fib_from_outside(int n)
{
    struct node top = {.job = {.run = run_node}, .n = n};
    weir_group group;

    weir_group_init(&group, pool);
    must(weir_group_spawn(&group, &top.job), "weir_group_spawn");
    must(weir_group_wait(&group), "weir_group_wait");
    return top.result;
}

static void nothing(weir_job *job, int status)
{
    (void)job, (void)status;
}

static void post_empty(uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        jobs[i].run = nothing;
        must(weir_pool_post(pool, &jobs[i]), "weir_pool_post");
    }
    must(weir_pool_shutdown(pool, -1), "weir_pool_shutdown");
}

static void call_nothing(void *arg, int status)
{
    (void)arg, (void)status;
}

static void submit_empty(uint64_t count)
{
    for (; count > 0; count--)
        must(weir_pool_submit(pool, call_nothing, NULL, NULL),
             "weir_pool_submit");
    must(weir_pool_shutdown(pool, -1), "weir_pool_shutdown");
}

const struct pool_kind pool_weir_post = {
    "weir " WEIR_VERSION, open_pool, fib_from_outside, post_empty, close_pool};
const struct pool_kind pool_weir_submit = {"weir " WEIR_VERSION, open_pool,
                                           fib_from_outside, submit_empty,
                                           close_pool};
