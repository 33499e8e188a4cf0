/* SPDX-License-Identifier: MIT */
/*
 * glib_pool -- GLib's GThreadPool, with exclusive threads.
 */
#include "pool.h"

#include "bench.h"

#ifdef BENCH_GLIB
#include <glib.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

static GThreadPool *pool;

static void nothing(gpointer data, gpointer arg)
{
}

static void open_glib(uint64_t count)
{
    pool = g_thread_pool_new(nothing, NULL, POOL_THREADS, TRUE, NULL);
    if (pool == NULL)
        bench_fail("g_thread_pool_new");
}

static void empty(uint64_t count)
{
    for (; count > 0; count--)
        if (!g_thread_pool_push(pool, pool, NULL))
            bench_fail("g_thread_pool_push");
    g_thread_pool_free(pool, FALSE, TRUE); /* waits for all */
}

static void close_glib(void)
{
}

const struct pool_kind pool_glib = {
    .title = "GLib " TEXT(GLIB_MAJOR_VERSION) "." TEXT(
        GLIB_MINOR_VERSION) "." TEXT(GLIB_MICRO_VERSION),
    .open = open_glib,
    .empty = empty,
    .close = close_glib};
#else
const struct pool_kind pool_glib;
#endif
