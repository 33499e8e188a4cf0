/* SPDX-License-Identifier: MIT */
/*
 * glib -- GLib's GMainContext.
 *
 * Waking: g_source_set_ready_time(source, 0) on a separate source, which any
 * thread may call and which wakes the context; the callback sets it back.  It
 * is what libraries on top of GLib do for a queue of theirs.
 *
 * Its own way to have a function called: g_main_context_invoke_full, with the
 * default priority.  It makes a source each time.
 *
 * Timers: g_timeout_source_new and g_source_attach; g_source_destroy.  A
 * context keeps its sources in a list and looks at each one in each turn, so a
 * start costs the same whatever their number, and a turn costs more the more
 * of them there are.  In the table that is a part of "fire" only.
 *
 * Descriptors: g_unix_fd_source_new.  A context waits with poll(2), so a turn
 * costs more the more of them there are.
 */
#include "loop.h"

#include "bench.h"

#ifdef BENCH_GLIB
#include <glib-unix.h>
#include <glib.h>
#include <stdlib.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define TITLE                                                                  \
    "GLib " TEXT(GLIB_MAJOR_VERSION) "." TEXT(GLIB_MINOR_VERSION) "." TEXT(    \
        GLIB_MICRO_VERSION)

struct context {
    GMainContext *context;
    GMainLoop *loop;
    GSource *wake;
    void (*on_wake)(void *arg);
    void *arg;
};

struct wake_source {
    GSource source;
    struct context *context;
};

static gboolean on_ready(GSource *source, GSourceFunc fn, gpointer arg)
{
    struct context *context = ((struct wake_source *)source)->context;

    g_source_set_ready_time(source, -1);
    context->on_wake(context->arg);
    return G_SOURCE_CONTINUE;
}

static GSourceFuncs wake_source = {.dispatch = on_ready};

static void *open_glib(void (*on_wake)(void *), void *arg)
{
    struct context *context = loop_calloc(1, sizeof(*context));

    context->context = g_main_context_new();
    context->loop = g_main_loop_new(context->context, FALSE);
    context->wake = g_source_new(&wake_source, sizeof(struct wake_source));
    ((struct wake_source *)context->wake)->context = context;
    g_source_attach(context->wake, context->context);
    context->on_wake = on_wake;
    context->arg = arg;
    return context;
}

static void close_glib(void *loop)
{
    struct context *context = loop;

    g_source_destroy(context->wake);
    g_source_unref(context->wake);
    g_main_loop_unref(context->loop);
    g_main_context_unref(context->context);
    free(context);
}

static void run(void *loop)
{
    g_main_loop_run(((struct context *)loop)->loop);
}

static void stop(void *loop)
{
    g_main_loop_quit(((struct context *)loop)->loop);
}

static void wake(void *loop)
{
    g_source_set_ready_time(((struct context *)loop)->wake, 0);
}

/* ---- submit ---- */

struct call {
    void (*fn)(void *arg);
    void *arg;
};

static gboolean on_call(gpointer arg)
{
    struct call *call = arg;

    call->fn(call->arg);
    return G_SOURCE_REMOVE;
}

static void submit(void *loop, void (*fn)(void *arg), void *arg)
{
    struct call *call = g_new(struct call, 1);

    *call = (struct call){.fn = fn, .arg = arg};
    g_main_context_invoke_full(((struct context *)loop)->context,
                               G_PRIORITY_DEFAULT, on_call, call, g_free);
}

/* ---- timers ---- */

struct timers {
    GMainContext *context;
    void (*fn)(void);
    size_t count;
    GSource *timer[];
};

static gboolean on_timer(gpointer arg)
{
    ((void (*)(void))arg)();
    return G_SOURCE_REMOVE;
}

static void *timers_new(void *loop, size_t count, void (*fn)(void))
{
    struct timers *timers =
        loop_calloc(1, sizeof(*timers) + count * sizeof(timers->timer[0]));

    timers->context = ((struct context *)loop)->context;
    timers->fn = fn;
    timers->count = count;
    return timers;
}

static GSource *attach(struct timers *timers, uint64_t delay_ns)
{
    GSource *timer =
        g_timeout_source_new((guint)((delay_ns + 999999) / 1000000));

    g_source_set_callback(timer, on_timer, (gpointer)timers->fn, NULL);
    g_source_attach(timer, timers->context);
    g_source_unref(timer); /* the context has it */
    return timer;
}

static void timers_start(void *arg, const uint64_t *delay_ns,
                         const uint32_t *order)
{
    struct timers *timers = arg;

    for (size_t i = 0; i < timers->count; i++)
        timers->timer[order[i]] = attach(timers, delay_ns[i]);
}

static void timers_stop(void *arg, const uint32_t *order)
{
    struct timers *timers = arg;

    for (size_t i = 0; i < timers->count; i++)
        g_source_destroy(timers->timer[order[i]]);
}

/* A source has one deadline: another one is another source. */
static void timers_put_off(void *arg, const uint64_t *delay_ns,
                           const uint32_t *order)
{
    struct timers *timers = arg;

    for (size_t i = 0; i < timers->count; i++) {
        g_source_destroy(timers->timer[order[i]]);
        timers->timer[order[i]] = attach(timers, delay_ns[i]);
    }
}

/* ---- descriptors ---- */

struct watchers {
    void (*fn)(size_t index, int fd);
    size_t count;
    struct watcher {
        struct watchers *watchers;
        GSource *source;
    } watcher[];
};

static gboolean on_readable(gint fd, GIOCondition condition, gpointer arg)
{
    struct watcher *watcher = arg;
    struct watchers *watchers = watcher->watchers;

    watchers->fn((size_t)(watcher - watchers->watcher), fd);
    return G_SOURCE_CONTINUE;
}

static void *watch(void *loop, const int *fds, size_t count,
                   void (*fn)(size_t index, int fd))
{
    struct watchers *watchers = loop_calloc(
        1, sizeof(*watchers) + count * sizeof(watchers->watcher[0]));

    watchers->fn = fn;
    watchers->count = count;
    for (size_t i = 0; i < count; i++) {
        struct watcher *watcher = &watchers->watcher[i];

        watcher->watchers = watchers;
        watcher->source = g_unix_fd_source_new(fds[i], G_IO_IN);
        g_source_set_callback(watcher->source, G_SOURCE_FUNC(on_readable),
                              watcher, NULL);
        g_source_attach(watcher->source, ((struct context *)loop)->context);
    }
    return watchers;
}

static void unwatch(void *arg)
{
    struct watchers *watchers = arg;

    for (size_t i = 0; i < watchers->count; i++) {
        g_source_destroy(watchers->watcher[i].source);
        g_source_unref(watchers->watcher[i].source);
    }
    free(watchers);
}

const struct loop_kind loop_glib = {.title = TITLE,
                                    .open = open_glib,
                                    .close = close_glib,
                                    .run = run,
                                    .stop = stop,
                                    .wake = wake,
                                    .submit = submit,
                                    .timers_new = timers_new,
                                    .timers_start = timers_start,
                                    .timers_stop = timers_stop,
                                    .timers_put_off = timers_put_off,
                                    .timers_free = free,
                                    .watch = watch,
                                    .unwatch = unwatch};

#else
const struct loop_kind loop_glib;
#endif
