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
    (void)work;
}

static void empty(uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        must(uv_queue_work(&loop, &works[i], nothing, NULL), "uv_queue_work");
    must(uv_run(&loop, UV_RUN_DEFAULT), "uv_run");
}

static void close_uv(void)
{
    must(uv_loop_close(&loop), "uv_loop_close");
    free(works);
}

const struct pool_kind pool_uv = {
    "libuv " TEXT(UV_VERSION_MAJOR) "." TEXT(UV_VERSION_MINOR) "." TEXT(
        UV_VERSION_PATCH),
    open_uv, NULL, empty, close_uv};
#else
const struct pool_kind pool_uv;
#endif
