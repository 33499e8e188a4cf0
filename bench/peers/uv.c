/* SPDX-License-Identifier: MIT */
/*
 * uv -- libuv.
 *
 * Waking: uv_async_send, the one call that other threads may make.  It merges
 * wakes by itself, with an atomic flag in the handle.
 *
 * Of 1.44, which Debian ships, it is known that a wake on the same core is
 * slow: the sender marks the handle as busy, writes to the eventfd, and marks
 * it as done; the loop, which the write may have made run in the sender's
 * place, spins with sched_yield until it sees "done".  libuv #3879, in releases
 * after 1.44.2, removes that.
 *
 * Timers: uv_timer_t, in milliseconds; made and initialised before, as handles
 * live longer than one run of the timer.  A binary heap of pointers inside the
 * handles: nothing is allocated.
 *
 * Descriptors: uv_poll_t, not a stream: a stream reads more than asked for, so
 * its system calls would be others than the floor's.
 *
 * loop_uv_nowait never sleeps: it asks for events again and again.  It is what
 * libuv offers for latency at the price of a core.
 */
#include "loop.h"

#include "bench.h"

#ifdef BENCH_UV
#include <stdlib.h>
#include <uv.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define TITLE                                                                  \
    "libuv " TEXT(UV_VERSION_MAJOR) "." TEXT(UV_VERSION_MINOR) "." TEXT(       \
        UV_VERSION_PATCH)

struct uv {
    uv_loop_t loop;
    uv_async_t async;
    void (*on_wake)(void *arg);
    void *arg;
    bool is_stopped; /* by loop_uv_nowait */
};

static void must(int status, const char *what)
{
    if (status != 0)
        bench_fail(what);
}

static void on_async(uv_async_t *async)
{
    struct uv *uv = async->data;

    uv->on_wake(uv->arg);
}

static void *open_uv(void (*on_wake)(void *), void *arg)
{
    struct uv *uv = loop_calloc(1, sizeof(*uv));

    must(uv_loop_init(&uv->loop), "uv_loop_init");
    must(uv_async_init(&uv->loop, &uv->async, on_async), "uv_async_init");
    uv->async.data = uv;
    uv->on_wake = on_wake;
    uv->arg = arg;
    return uv;
}

static void close_uv(void *loop)
{
    struct uv *uv = loop;

    uv_close((uv_handle_t *)&uv->async, NULL);
    uv_run(&uv->loop, UV_RUN_DEFAULT);
    must(uv_loop_close(&uv->loop), "uv_loop_close");
    free(uv);
}

static void run(void *loop)
{
    uv_run(&((struct uv *)loop)->loop, UV_RUN_DEFAULT);
}

static void stop(void *loop)
{
    uv_stop(&((struct uv *)loop)->loop);
}

static void wake(void *loop)
{
    must(uv_async_send(&((struct uv *)loop)->async), "uv_async_send");
}

static void run_nowait(void *loop)
{
    struct uv *uv = loop;

    uv->is_stopped = false;
    while (!uv->is_stopped)
        uv_run(&uv->loop, UV_RUN_NOWAIT);
}

static void stop_nowait(void *loop)
{
    ((struct uv *)loop)->is_stopped = true;
}

/* ---- timers ---- */

struct timers {
    void (*fn)(void);
    uv_loop_t *loop;
    size_t count;
    uv_timer_t timer[];
};

static void on_timer(uv_timer_t *timer)
{
    ((void (*)(void))timer->data)();
}

static void *timers_new(void *loop, size_t count, void (*fn)(void))
{
    struct timers *timers =
        loop_calloc(1, sizeof(*timers) + count * sizeof(timers->timer[0]));

    timers->fn = fn;
    timers->loop = &((struct uv *)loop)->loop;
    timers->count = count;
    for (size_t i = 0; i < count; i++) {
        uv_timer_init(timers->loop, &timers->timer[i]);
        timers->timer[i].data = (void *)fn;
    }
    return timers;
}

/* uv_update_time: a delay counts from the loop's idea of now, which is that of
 * the last turn. */
static void timers_start(void *arg, const uint64_t *delay_ns,
                         const uint32_t *order)
{
    struct timers *timers = arg;

    uv_update_time(timers->loop);
    for (size_t i = 0; i < timers->count; i++)
        must(uv_timer_start(&timers->timer[order[i]], on_timer,
                            (delay_ns[i] + 999999) / 1000000, 0),
             "uv_timer_start");
}

static void timers_stop(void *arg, const uint32_t *order)
{
    struct timers *timers = arg;

    for (size_t i = 0; i < timers->count; i++)
        uv_timer_stop(&timers->timer[order[i]]);
}

static void timers_free(void *arg)
{
    struct timers *timers = arg;

    for (size_t i = 0; i < timers->count; i++)
        uv_close((uv_handle_t *)&timers->timer[i], NULL);
    uv_run(timers->loop, UV_RUN_NOWAIT);
    free(timers);
}

/* ---- descriptors ---- */

struct watchers {
    void (*fn)(size_t index, int fd);
    uv_loop_t *loop;
    size_t count;
    struct watcher {
        uv_poll_t poll;
        struct watchers *watchers;
        int fd;
    } watcher[];
};

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct watcher *watcher = (struct watcher *)poll;
    struct watchers *watchers = watcher->watchers;

    must(status, "uv_poll");
    watchers->fn((size_t)(watcher - watchers->watcher), watcher->fd);
}

static void *watch(void *loop, const int *fds, size_t count,
                   void (*fn)(size_t index, int fd))
{
    struct watchers *watchers = loop_calloc(
        1, sizeof(*watchers) + count * sizeof(watchers->watcher[0]));

    watchers->fn = fn;
    watchers->loop = &((struct uv *)loop)->loop;
    watchers->count = count;
    for (size_t i = 0; i < count; i++) {
        struct watcher *watcher = &watchers->watcher[i];

        watcher->watchers = watchers;
        watcher->fd = fds[i];
        must(uv_poll_init(watchers->loop, &watcher->poll, fds[i]),
             "uv_poll_init");
        must(uv_poll_start(&watcher->poll, UV_READABLE, on_readable),
             "uv_poll_start");
    }
    return watchers;
}

static void unwatch(void *arg)
{
    struct watchers *watchers = arg;

    for (size_t i = 0; i < watchers->count; i++)
        uv_close((uv_handle_t *)&watchers->watcher[i].poll, NULL);
    uv_run(watchers->loop, UV_RUN_NOWAIT);
    free(watchers);
}

const struct loop_kind loop_uv = {.title = TITLE,
                                  .open = open_uv,
                                  .close = close_uv,
                                  .run = run,
                                  .stop = stop,
                                  .wake = wake,
                                  .timers_new = timers_new,
                                  .timers_start = timers_start,
                                  .timers_stop = timers_stop,
                                  .timers_put_off = timers_start,
                                  .timers_free = timers_free,
                                  .timer_bytes = sizeof(uv_timer_t),
                                  .watch = watch,
                                  .unwatch = unwatch};

const struct loop_kind loop_uv_nowait = {.title = TITLE,
                                         .open = open_uv,
                                         .close = close_uv,
                                         .run = run_nowait,
                                         .stop = stop_nowait,
                                         .wake = wake};

#else
const struct loop_kind loop_uv, loop_uv_nowait;
#endif
