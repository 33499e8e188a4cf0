/* SPDX-License-Identifier: MIT */
/*
 * ev -- libev.
 *
 * Waking: ev_async_send.  It merges wakes by itself, and writes to the eventfd
 * only when the loop is asleep or about to be.
 *
 * Timers: ev_timer, relative; ev_timer_set before each start, since a start
 * turns the delay into a time.  libev keeps a heap of (time, pointer) with four
 * children each: Debian builds it with both that libev recommends for many
 * timers, EV_USE_4HEAP and EV_HEAP_CACHE_AT.
 *
 * Descriptors: ev_io.
 */
#include "loop.h"

#include "bench.h"

#ifdef BENCH_EV
#include <ev.h>
#include <stdlib.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define TITLE "libev " TEXT(EV_VERSION_MAJOR) "." TEXT(EV_VERSION_MINOR)

struct ev {
    struct ev_loop *loop;
    ev_async async;
    void (*on_wake)(void *arg);
    void *arg;
};

static void on_async(struct ev_loop *loop, ev_async *async, int events)
{
    struct ev *ev = async->data;

    ev->on_wake(ev->arg);
}

/* The watcher for wakes is also what keeps the loop from running out of them. */
static void *open_ev(void (*on_wake)(void *), void *arg)
{
    struct ev *ev = loop_calloc(1, sizeof(*ev));

    ev->loop = ev_loop_new(EVBACKEND_EPOLL);
    if (ev->loop == NULL)
        bench_fail("ev_loop_new");
    ev->on_wake = on_wake;
    ev->arg = arg;
    ev_async_init(&ev->async, on_async);
    ev->async.data = ev;
    ev_async_start(ev->loop, &ev->async);
    return ev;
}

static void close_ev(void *loop)
{
    struct ev *ev = loop;

    ev_async_stop(ev->loop, &ev->async);
    ev_loop_destroy(ev->loop);
    free(ev);
}

static void run(void *loop)
{
    ev_run(((struct ev *)loop)->loop, 0);
}

static void stop(void *loop)
{
    ev_break(((struct ev *)loop)->loop, EVBREAK_ALL);
}

static void wake(void *loop)
{
    struct ev *ev = loop;

    ev_async_send(ev->loop, &ev->async);
}

/* ---- timers ---- */

struct timers {
    struct ev_loop *loop;
    size_t count;
    ev_timer timer[];
};

static void on_timer(struct ev_loop *loop, ev_timer *timer, int events)
{
    ((void (*)(void))timer->data)();
}

static void *timers_new(void *loop, size_t count, void (*fn)(void))
{
    struct timers *timers =
        loop_calloc(1, sizeof(*timers) + count * sizeof(timers->timer[0]));

    timers->loop = ((struct ev *)loop)->loop;
    timers->count = count;
    for (size_t i = 0; i < count; i++) {
        ev_init(&timers->timer[i], on_timer);
        timers->timer[i].data = (void *)fn;
    }
    return timers;
}

static void timers_start(void *arg, const uint64_t *delay_ns,
                         const uint32_t *order)
{
    struct timers *timers = arg;

    ev_now_update(timers->loop);
    for (size_t i = 0; i < timers->count; i++) {
        ev_timer *timer = &timers->timer[order[i]];

        ev_timer_set(timer, (double)delay_ns[i] * 1e-9, 0.);
        ev_timer_start(timers->loop, timer);
    }
}

static void timers_stop(void *arg, const uint32_t *order)
{
    struct timers *timers = arg;

    for (size_t i = 0; i < timers->count; i++)
        ev_timer_stop(timers->loop, &timers->timer[order[i]]);
}

static void timers_put_off(void *arg, const uint64_t *delay_ns,
                           const uint32_t *order)
{
    struct timers *timers = arg;

    ev_now_update(timers->loop);
    for (size_t i = 0; i < timers->count; i++) {
        ev_timer *timer = &timers->timer[order[i]];

        timer->repeat = (double)delay_ns[i] * 1e-9;
        ev_timer_again(timers->loop, timer); /* the manual's way: no stop */
        timer->repeat = 0.;
    }
}

/* ---- descriptors ---- */

struct watchers {
    void (*fn)(size_t index, int fd);
    struct ev_loop *loop;
    size_t count;
    ev_io io[];
};

static void on_readable(struct ev_loop *loop, ev_io *io, int events)
{
    struct watchers *watchers = io->data;

    watchers->fn((size_t)(io - watchers->io), io->fd);
}

static void *watch(void *loop, const int *fds, size_t count,
                   void (*fn)(size_t index, int fd))
{
    struct watchers *watchers =
        loop_calloc(1, sizeof(*watchers) + count * sizeof(watchers->io[0]));

    watchers->fn = fn;
    watchers->loop = ((struct ev *)loop)->loop;
    watchers->count = count;
    for (size_t i = 0; i < count; i++) {
        ev_io_init(&watchers->io[i], on_readable, fds[i], EV_READ);
        watchers->io[i].data = watchers;
        ev_io_start(watchers->loop, &watchers->io[i]);
    }
    return watchers;
}

static void unwatch(void *arg)
{
    struct watchers *watchers = arg;

    for (size_t i = 0; i < watchers->count; i++)
        ev_io_stop(watchers->loop, &watchers->io[i]);
    free(watchers);
}

/* A timer and its place in the heap: a time and a pointer. */
const struct loop_kind loop_ev = {
    .title = TITLE,
    .open = open_ev,
    .close = close_ev,
    .run = run,
    .stop = stop,
    .wake = wake,
    .timers_new = timers_new,
    .timers_start = timers_start,
    .timers_stop = timers_stop,
    .timers_put_off = timers_put_off,
    .timers_free = free,
    .timer_bytes = sizeof(ev_timer) + sizeof(ev_tstamp) + sizeof(void *),
    .watch = watch,
    .unwatch = unwatch};

#else
const struct loop_kind loop_ev;
#endif
