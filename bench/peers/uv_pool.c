/* SPDX-License-Identifier: MIT */
/*
 * uv_pool -- libuv's uv_queue_work.
 *
 * The pool is one for the process, with threads from the environment.  A work
 * comes back to the loop; there is no way without.  Requests lie in an array.
 */
#include "pool.h"

#include "bench.h"

#ifdef BENCH_UV
#include <stdlib.h>
#include <uv.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

static uv_loop_t loop;
static uv_work_t *works;

static void must(int status, const char *what)
{
    if (status != 0)
        bench_fail(what);
}

static void open_uv(uint64_t count)
{
    works = pool_calloc(count, sizeof(*works));
    _Static_assert(POOL_THREADS == 2, "as the text says");
    must(setenv("UV_THREADPOOL_SIZE", "2", 1), "setenv");
    must(uv_loop_init(&loop), "uv_loop_init");
}

static void nothing(uv_work_t *work)
{
}

static void empty(uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        must(uv_queue_work(&loop, &works[i], nothing, NULL), "uv_queue_work");
    must(uv_run(&loop, UV_RUN_DEFAULT), "uv_run");
}

static uint64_t left; /* to be sent */

static void queue(uv_work_t *work);

static void back(uv_work_t *work, int status)
{
    must(status, "uv_work_t");
    if (left > 0)
        queue(work);
}

static void queue(uv_work_t *work)
{
    left--;
    must(uv_queue_work(&loop, work, nothing, back), "uv_queue_work");
}

static void trip(uint64_t count)
{
    left = count;
    for (int i = 0; i < POOL_DEPTH; i++)
        queue(&works[i]);
    must(uv_run(&loop, UV_RUN_DEFAULT), "uv_run");
    if (left != 0)
        bench_fail("uv_run has returned early");
}

static void close_uv(void)
{
    must(uv_loop_close(&loop), "uv_loop_close");
    free(works);
}

const struct pool_kind pool_uv = {
    .title = "libuv " TEXT(UV_VERSION_MAJOR) "." TEXT(
        UV_VERSION_MINOR) "." TEXT(UV_VERSION_PATCH),
    .open = open_uv,
    .empty = empty,
    .trip = trip,
    .close = close_uv};
#else
const struct pool_kind pool_uv;
#endif
