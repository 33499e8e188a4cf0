/* SPDX-License-Identifier: MIT */
/*
 * asio -- Asio, without Boost.
 *
 * Waking and submitting: asio::post, Asio's own queue of function objects, for
 * which it allocates.  It has no other call for other threads: a wake is a
 * post.
 *
 * Threads: the concurrency hint 1, which the manual recommends where one thread
 * is in run(); ASIO_CONCURRENCY_HINT_UNSAFE, without locks, for a loop that is
 * used by one thread only.
 *
 * Timers: asio::steady_timer, made before and used again.  A cancelled one has
 * its handler called later, with an error; that is not in the time of
 * cancelling.
 *
 * Descriptors: posix::stream_descriptor::async_wait, for one event at a time,
 * as Asio has no other kind; each is an epoll_ctl.  (async_read_some would
 * read, too: then its system calls would be others than the floor's.)
 */
#include <cstdlib>

extern "C" {
#include "loop.h"

void bench_fail(const char *why);
}

#include <asio.hpp>
#include <vector>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

namespace
{

struct Loop {
    explicit Loop(int hint) : context(hint), work(context.get_executor())
    {
    }

    asio::io_context context;
    asio::executor_work_guard<asio::io_context::executor_type> work;
    void (*on_wake)(void *arg) = nullptr;
    void *arg = nullptr;
};

Loop *loop_of(void *loop)
{
    return static_cast<Loop *>(loop);
}

void *open(void (*on_wake)(void *), void *arg)
{
    auto loop = new Loop(on_wake ? 1 : ASIO_CONCURRENCY_HINT_UNSAFE);

    loop->on_wake = on_wake;
    loop->arg = arg;
    return loop;
}

void close(void *loop)
{
    delete loop_of(loop);
}

void run(void *loop)
{
    loop_of(loop)->context.restart();
    loop_of(loop)->context.run();
}

void stop(void *loop)
{
    loop_of(loop)->context.stop();
}

void wake(void *loop)
{
    Loop *own = loop_of(loop);

    asio::post(own->context, [own] { own->on_wake(own->arg); });
}

void submit(void *loop, void (*fn)(void *arg), void *arg)
{
    asio::post(loop_of(loop)->context, [fn, arg] { fn(arg); });
}

/* ---- timers ---- */

struct Timers {
    void (*fn)();
    std::vector<asio::steady_timer> timer;
};

void *timers_new(void *loop, size_t count, void (*fn)(void))
{
    auto timers = new Timers{fn, {}};

    timers->timer.reserve(count);
    for (size_t i = 0; i < count; i++)
        timers->timer.emplace_back(loop_of(loop)->context);
    return timers;
}

void timers_start(void *arg, const uint64_t *delay_ns, const uint32_t *order)
{
    auto timers = static_cast<Timers *>(arg);
    auto fn = timers->fn;

    for (size_t i = 0; i < timers->timer.size(); i++) {
        asio::steady_timer &timer = timers->timer[order[i]];

        timer.expires_after(std::chrono::nanoseconds(delay_ns[i]));
        timer.async_wait([fn](const asio::error_code &error) {
            if (!error)
                fn();
        });
    }
}

void timers_stop(void *arg, const uint32_t *order)
{
    auto timers = static_cast<Timers *>(arg);

    for (size_t i = 0; i < timers->timer.size(); i++)
        timers->timer[order[i]].cancel();
}

void timers_free(void *timers)
{
    delete static_cast<Timers *>(timers);
}

/* ---- descriptors ---- */

struct Watchers {
    void (*fn)(size_t index, int fd);
    std::vector<asio::posix::stream_descriptor> descriptor;
};

void await_readable(Watchers *watchers, size_t index)
{
    watchers->descriptor[index].async_wait(
        asio::posix::descriptor_base::wait_read,
        [watchers, index](const asio::error_code &error) {
            if (error)
                return;
            watchers->fn(index, watchers->descriptor[index].native_handle());
            await_readable(watchers, index);
        });
}

void *watch(void *loop, const int *fds, size_t count,
            void (*fn)(size_t index, int fd))
{
    auto watchers = new Watchers{fn, {}};

    watchers->descriptor.reserve(count);
    for (size_t i = 0; i < count; i++) {
        watchers->descriptor.emplace_back(loop_of(loop)->context, fds[i]);
        await_readable(watchers, i);
    }
    return watchers;
}

/* release: the descriptors are the caller's.  The handlers that it cancels are
 * still to be called, and do not look at the watchers then. */
void unwatch(void *arg)
{
    auto watchers = static_cast<Watchers *>(arg);

    for (auto &descriptor : watchers->descriptor)
        descriptor.release();
    delete watchers;
}

loop_kind make_kind()
{
    loop_kind kind = {};

    kind.title = "Asio " TEXT(ASIO_VERSION);
    kind.open = open;
    kind.close = close;
    kind.run = run;
    kind.stop = stop;
    kind.wake = wake;
    kind.submit = submit;
    kind.timers_new = timers_new;
    kind.timers_start = timers_start;
    kind.timers_stop = timers_stop;
    kind.timers_put_off = timers_start; // expires_after cancels
    kind.timers_free = timers_free;
    kind.watch = watch;
    kind.unwatch = unwatch;
    return kind;
}

} /* namespace */

extern "C" {
extern const loop_kind loop_asio = make_kind();
}
