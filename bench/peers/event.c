/* SPDX-License-Identifier: MIT */
/*
 * event -- libevent.
 *
 * Waking: event_active on an event without a descriptor, with locking by
 * evthread_use_pthreads.  libevent merges wakes: it writes to its eventfd only
 * when the loop waits and was not told yet.  A base that one thread uses alone
 * is made with EVENT_BASE_FLAG_NOLOCK, as the manual advises.
 *
 * Its own way to have a function called: event_base_once without a descriptor
 * and without a delay, which allocates an event each time.
 *
 * Timers: evtimer_assign before, event_add and event_del; a binary heap of
 * pointers.  Its "common timeouts" are for timers of the same length; these are
 * not.
 *
 * Descriptors: EV_READ | EV_PERSIST.
 */
#include "loop.h"

#include "bench.h"

#ifdef BENCH_EVENT
#include <event2/event.h>
#include <event2/event_struct.h>
#include <event2/thread.h>
#include <stdlib.h>

#define TITLE "libevent " LIBEVENT_VERSION

struct base {
    struct event_base *base;
    struct event wake;
    void (*on_wake)(void *arg);
    void *arg;
};

static void must(int status, const char *what)
{
    if (status != 0)
        bench_fail(what);
}

static void on_active(evutil_socket_t fd, short what, void *arg)
{
    struct base *base = arg;

    base->on_wake(base->arg);
}

static struct event_base *new_base(bool is_shared, bool is_precise)
{
    struct event_config *config = event_config_new();
    struct event_base *base;

    if (is_shared)
        must(evthread_use_pthreads(), "evthread_use_pthreads");
    else
        must(event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK),
             "event_config_set_flag");
    if (is_precise)
        must(event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER),
             "event_config_set_flag");
    base = event_base_new_with_config(config);
    event_config_free(config);
    return base;
}

static void *open_with(bool is_precise, void (*on_wake)(void *), void *arg)
{
    struct base *base = loop_calloc(1, sizeof(*base));

    base->base = new_base(on_wake != NULL, is_precise);
    if (base->base == NULL)
        bench_fail("event_base_new");
    base->on_wake = on_wake;
    base->arg = arg;
    must(event_assign(&base->wake, base->base, -1, 0, on_active, base),
         "event_assign");
    return base;
}

static void *open_event(void (*on_wake)(void *), void *arg)
{
    return open_with(false, on_wake, arg);
}

static void *open_precise(void (*on_wake)(void *), void *arg)
{
    return open_with(true, on_wake, arg);
}

static void close_event(void *loop)
{
    struct base *base = loop;

    event_base_free(base->base);
    free(base);
}

static void run(void *loop)
{
    if (event_base_loop(((struct base *)loop)->base, EVLOOP_NO_EXIT_ON_EMPTY) <
        0)
        bench_fail("event_base_loop");
}

static void stop(void *loop)
{
    event_base_loopbreak(((struct base *)loop)->base);
}

static void wake(void *loop)
{
    event_active(&((struct base *)loop)->wake, 0, 0);
}

/* ---- submit ---- */

struct once {
    void (*fn)(void *arg);
    void *arg;
};

static void on_once(evutil_socket_t fd, short what, void *arg)
{
    struct once once = *(struct once *)arg;

    free(arg);
    once.fn(once.arg);
}

static void submit(void *loop, void (*fn)(void *arg), void *arg)
{
    struct once *once = malloc(sizeof(*once));

    *once = (struct once){.fn = fn, .arg = arg};
    must(event_base_once(((struct base *)loop)->base, -1, EV_TIMEOUT, on_once,
                         once, NULL),
         "event_base_once");
}

/* ---- timers ---- */

struct timers {
    size_t count;
    struct event timer[];
};

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    ((void (*)(void))arg)();
}

static void *timers_new(void *loop, size_t count, void (*fn)(void))
{
    struct event_base *base = ((struct base *)loop)->base;
    struct timers *timers =
        loop_calloc(1, sizeof(*timers) + count * sizeof(timers->timer[0]));

    timers->count = count;
    for (size_t i = 0; i < count; i++)
        must(evtimer_assign(&timers->timer[i], base, on_timer, (void *)fn),
             "evtimer_assign");
    return timers;
}

static void timers_start(void *arg, const uint64_t *delay_ns,
                         const uint32_t *order)
{
    struct timers *timers = arg;

    for (size_t i = 0; i < timers->count; i++) {
        uint64_t us = (delay_ns[i] + 999) / 1000;
        struct timeval delay = {.tv_sec = (time_t)(us / 1000000),
                                .tv_usec = (suseconds_t)(us % 1000000)};

        must(evtimer_add(&timers->timer[order[i]], &delay), "evtimer_add");
    }
}

static void timers_stop(void *arg, const uint32_t *order)
{
    struct timers *timers = arg;

    for (size_t i = 0; i < timers->count; i++)
        must(evtimer_del(&timers->timer[order[i]]), "evtimer_del");
}

/* Otherwise the loop would take its next timeout from an old time, and sleep
 * although timers are due. */
static void refresh(void *loop)
{
    must(event_base_update_cache_time(((struct base *)loop)->base),
         "event_base_update_cache_time");
}

/* ---- descriptors ---- */

struct watchers {
    void (*fn)(size_t index, int fd);
    size_t count;
    struct watcher {
        struct event event;
        struct watchers *watchers;
    } watcher[];
};

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
    struct watcher *watcher = arg;
    struct watchers *watchers = watcher->watchers;

    watchers->fn((size_t)(watcher - watchers->watcher), fd);
}

static void *watch(void *loop, const int *fds, size_t count,
                   void (*fn)(size_t index, int fd))
{
    struct event_base *base = ((struct base *)loop)->base;
    struct watchers *watchers = loop_calloc(
        1, sizeof(*watchers) + count * sizeof(watchers->watcher[0]));

    watchers->fn = fn;
    watchers->count = count;
    for (size_t i = 0; i < count; i++) {
        struct watcher *watcher = &watchers->watcher[i];

        watcher->watchers = watchers;
        must(event_assign(&watcher->event, base, fds[i], EV_READ | EV_PERSIST,
                          on_readable, watcher),
             "event_assign");
        must(event_add(&watcher->event, NULL), "event_add");
    }
    return watchers;
}

static void unwatch(void *arg)
{
    struct watchers *watchers = arg;

    for (size_t i = 0; i < watchers->count; i++)
        must(event_del(&watchers->watcher[i].event), "event_del");
    free(watchers);
}

/* A timer and its place in the heap: a pointer. */
const struct loop_kind loop_event = {.title = TITLE,
                                     .open = open_event,
                                     .close = close_event,
                                     .run = run,
                                     .stop = stop,
                                     .wake = wake,
                                     .submit = submit,
                                     .timers_new = timers_new,
                                     .timers_start = timers_start,
                                     .timers_stop = timers_stop,
                                     .timers_put_off = timers_start,
                                     .timers_free = free,
                                     .refresh = refresh,
                                     .timer_bytes =
                                         sizeof(struct event) + sizeof(void *),
                                     .watch = watch,
                                     .unwatch = unwatch};

const struct loop_kind loop_event_precise = {.title = TITLE,
                                             .open = open_precise,
                                             .close = close_event,
                                             .run = run,
                                             .stop = stop,
                                             .wake = wake,
                                             .timers_new = timers_new,
                                             .timers_start = timers_start,
                                             .timers_stop = timers_stop,
                                             .timers_put_off = timers_start,
                                             .timers_free = free,
                                             .refresh = refresh};

#else
const struct loop_kind loop_event, loop_event_precise;
#endif
