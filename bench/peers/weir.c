/* SPDX-License-Identifier: MIT */
/*
 * weir -- this library, behind the same face as its peers.
 *
 * Waking: weir_loop_post of one task, which is at rest again when it runs.
 * So, unlike the others' wakes, two of them must not be on the way at once;
 * no workload does that with weir, whose queue is its own.
 *
 * loop_weir         as it comes: asleep on a futex while it has no descriptors
 * loop_weir_poller  always asleep in the poller: what a loop with descriptors
 *                   does
 * loop_weir_spin    looks for work for up to 50 us before sleeping
 * loop_weir_metrics counts and times what it does
 * loop_weir_slack_200us, _1ms   serves timers together that are due within that
 */
#include <stdlib.h>

#include "bench.h"
#include "loop.h"
#include "loop/wheel.h"
#include "weir/clock.h"
#include "weir/fd.h"
#include "weir/loop.h"
#include "weir/timer.h"

struct own {
    weir_task wake; /* first: on_task gets its address */
    weir_loop *loop;
    void (*on_wake)(void *arg);
    void *arg;
};

static void must(int status, const char *what)
{
    if (status != 0)
        bench_fail(what);
}

weir_loop *loop_weir_of(void *loop)
{
    return ((struct own *)loop)->loop;
}

static void on_task(weir_task *task, int status)
{
    struct own *own = (struct own *)task;

    if (status == 0)
        own->on_wake(own->arg);
}

static void *open_with(weir_loop_options options, void (*on_wake)(void *),
                       void *arg)
{
    struct own *own = loop_calloc(1, sizeof(*own));

    options.size = sizeof(options);
    must(weir_loop_new(&own->loop, &options), "weir_loop_new");
    own->wake.run = on_task;
    own->on_wake = on_wake;
    own->arg = arg;
    return own;
}

static void *open_default(void (*on_wake)(void *), void *arg)
{
    return open_with((weir_loop_options){0}, on_wake, arg);
}

static void *open_poller(void (*on_wake)(void *), void *arg)
{
    return open_with((weir_loop_options){.fd_mode = WEIR_FD_MODE_ALWAYS},
                     on_wake, arg);
}

static void *open_spin(void (*on_wake)(void *), void *arg)
{
    return open_with((weir_loop_options){.spin_ns = 50000}, on_wake, arg);
}

static void *open_metrics(void (*on_wake)(void *), void *arg)
{
    return open_with((weir_loop_options){.metrics = true}, on_wake, arg);
}

static void *open_slack_200us(void (*on_wake)(void *), void *arg)
{
    return open_with((weir_loop_options){.timer_slack_ns = 200000}, on_wake,
                     arg);
}

static void *open_slack_1ms(void (*on_wake)(void *), void *arg)
{
    return open_with((weir_loop_options){.timer_slack_ns = 1000000}, on_wake,
                     arg);
}

static void close_own(void *loop)
{
    struct own *own = loop;

    must(weir_loop_free(own->loop), "weir_loop_free");
    free(own);
}

static void run(void *loop)
{
    weir_loop *own = loop_weir_of(loop);

    weir_loop_ref(own);
    must(weir_loop_run(own, WEIR_RUN_UNTIL_IDLE), "weir_loop_run");
}

/* What run has referenced was all that kept it. */
static void stop(void *loop)
{
    weir_loop_unref(loop_weir_of(loop));
}

static void wake(void *loop)
{
    struct own *own = loop;

    must(weir_loop_post(own->loop, &own->wake), "weir_loop_post");
}

/* ---- timers ---- */

struct timers {
    weir_loop *loop;
    void (*fn)(void);
    size_t count;
    weir_timer id[];
};

static void on_timer(void *arg, int status)
{
    ((void (*)(void))arg)();
}

static void *timers_new(void *loop, size_t count, void (*fn)(void))
{
    struct timers *timers =
        loop_calloc(1, sizeof(*timers) + count * sizeof(timers->id[0]));

    timers->loop = loop_weir_of(loop);
    timers->fn = fn;
    timers->count = count;
    return timers;
}

static void timers_start(void *arg, const uint64_t *delay_ns,
                         const uint32_t *order)
{
    struct timers *timers = arg;

    for (size_t i = 0; i < timers->count; i++)
        must(weir_timer_start(timers->loop, &timers->id[order[i]],
                              (int64_t)delay_ns[i], WEIR_TIMER_ONCE, on_timer,
                              (void *)timers->fn),
             "weir_timer_start");
}

/* As who starts many at once would: the time is asked for once. */
static void timers_start_at(void *arg, const uint64_t *delay_ns,
                            const uint32_t *order)
{
    struct timers *timers = arg;
    int64_t now_ns = weir_clock_now();

    for (size_t i = 0; i < timers->count; i++)
        must(weir_timer_start_at(timers->loop, &timers->id[order[i]],
                                 now_ns + (int64_t)delay_ns[i], on_timer,
                                 (void *)timers->fn),
             "weir_timer_start_at");
}

static void cancel(struct timers *timers, size_t index)
{
    must(weir_timer_cancel(timers->loop, timers->id[index]),
         "weir_timer_cancel");
}

static void timers_stop(void *arg, const uint32_t *order)
{
    struct timers *timers = arg;

    for (size_t i = 0; i < timers->count; i++)
        cancel(timers, order[i]);
}

static void timers_put_off(void *arg, const uint64_t *delay_ns,
                           const uint32_t *order)
{
    struct timers *timers = arg;

    for (size_t i = 0; i < timers->count; i++) {
        cancel(timers, order[i]);
        must(weir_timer_start(timers->loop, &timers->id[order[i]],
                              (int64_t)delay_ns[i], WEIR_TIMER_ONCE, on_timer,
                              (void *)timers->fn),
             "weir_timer_start");
    }
}

static void timers_put_off_at(void *arg, const uint64_t *delay_ns,
                              const uint32_t *order)
{
    struct timers *timers = arg;
    int64_t now_ns = weir_clock_now();

    for (size_t i = 0; i < timers->count; i++) {
        cancel(timers, order[i]);
        must(weir_timer_start_at(timers->loop, &timers->id[order[i]],
                                 now_ns + (int64_t)delay_ns[i], on_timer,
                                 (void *)timers->fn),
             "weir_timer_start_at");
    }
}

/* ---- descriptors ---- */

struct watchers {
    void (*fn)(size_t index, int fd);
    weir_loop *loop;
    size_t count;
    struct watcher {
        struct watchers *watchers;
        int fd;
    } watcher[];
};

static void on_readable(void *arg, int status, int fd, unsigned events)
{
    struct watcher *watcher = arg;
    struct watchers *watchers = watcher->watchers;

    must(status, "a descriptor was cancelled");
    watchers->fn((size_t)(watcher - watchers->watcher), fd);
}

/* unref: stop is to end the run although they are there. */
static void *watch(void *loop, const int *fds, size_t count,
                   void (*fn)(size_t index, int fd))
{
    struct watchers *watchers = loop_calloc(
        1, sizeof(*watchers) + count * sizeof(watchers->watcher[0]));

    watchers->fn = fn;
    watchers->loop = loop_weir_of(loop);
    watchers->count = count;
    for (size_t i = 0; i < count; i++) {
        struct watcher *watcher = &watchers->watcher[i];

        *watcher = (struct watcher){.watchers = watchers, .fd = fds[i]};
        must(weir_fd_add(watchers->loop, fds[i], WEIR_FD_READABLE, on_readable,
                         watcher),
             "weir_fd_add");
        must(weir_fd_unref(watchers->loop, fds[i]), "weir_fd_unref");
    }
    return watchers;
}

static void unwatch(void *arg)
{
    struct watchers *watchers = arg;

    for (size_t i = 0; i < watchers->count; i++)
        must(
            weir_fd_remove(watchers->loop, watchers->watcher[i].fd, NULL, NULL),
            "weir_fd_remove");
    free(watchers);
}

#define OWN(open_function, suffix)                                             \
    {                                                                          \
        .open = open_function, .close = close_own, .run = run, .stop = stop,   \
        .wake = wake, .timers_new = timers_new,                                \
        .timers_start = timers_start##suffix, .timers_stop = timers_stop,      \
        .timers_put_off = timers_put_off##suffix, .timers_free = free,         \
        .timer_bytes = sizeof(struct weir__timer) +                            \
                       sizeof(struct weir__chunk) / WEIR__CHUNK +              \
                       sizeof(struct weir__timer_call),                        \
        .watch = watch, .unwatch = unwatch                                     \
    }

const struct loop_kind loop_weir = OWN(open_default, );
const struct loop_kind loop_weir_at = OWN(open_default, _at);
const struct loop_kind loop_weir_poller = OWN(open_poller, );
const struct loop_kind loop_weir_spin = OWN(open_spin, );
const struct loop_kind loop_weir_metrics = OWN(open_metrics, );
const struct loop_kind loop_weir_slack_200us = OWN(open_slack_200us, );
const struct loop_kind loop_weir_slack_1ms = OWN(open_slack_1ms, );
