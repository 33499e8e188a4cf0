/* SPDX-License-Identifier: MIT */
/*
 * loop -- one face for all loops, so that a workload is written once.
 *
 * Each file beside this one shows one library in the idiom that its manual
 * recommends and its good users write.  weir stands in the same row, and so do
 * floors made of bare system calls: whatever the face costs, it costs all.
 * What is done many times (timers, descriptors) is asked for in bulk, so the
 * libraries' functions are called directly, from plain loops.
 *
 *     void *loop = kind->open(on_wake, arg);
 *     ... another thread: kind->wake(loop);
 *     kind->run(loop);          until a callback calls kind->stop(loop)
 *     kind->close(loop);
 *
 * A failure of a library is bench_fail().
 */
#ifndef WEIR_BENCH_LOOP_H
#define WEIR_BENCH_LOOP_H

#include <stddef.h>
#include <stdint.h>

#include "weir/loop.h"

struct loop_kind {
    const char *title; /* of the library, with its version; NULL: no peer's */

    /* A loop that calls on_wake(arg) after wake().  Without on_wake, one that
     * is used by one thread only.  open is NULL where the library is absent. */
    void *(*open)(void (*on_wake)(void *arg), void *arg);
    void (*close)(void *loop);
    void (*run)(void *loop);  /* until stop; may be called again */
    void (*stop)(void *loop); /* by a callback */
    /* Any thread.  Two of them may become one call of on_wake. */
    void (*wake)(void *loop);

    /* The library's own way to have a function called on the loop's thread, by
     * any thread; NULL if it has none. */
    void (*submit)(void *loop, void (*fn)(void *arg), void *arg);

    /* `count` timers, not running.  What a user keeps and may use again is made
     * here, what the library makes for a running timer is not. */
    void *(*timers_new)(void *loop, size_t count, void (*fn)(void));
    void (*timers_start)(void *timers, const uint64_t *delay_ns,
                         const uint32_t *order);
    void (*timers_stop)(void *timers, const uint32_t *order);
    /* All are running, and get another delay. */
    void (*timers_put_off)(void *timers, const uint64_t *delay_ns,
                           const uint32_t *order);
    void (*timers_free)(void *timers); /* none is running */
    /* By a callback that took long: look at the clock again.  May be NULL. */
    void (*refresh)(void *loop);
    /* Of one running timer: what the user keeps and what the library adds. */
    size_t timer_bytes;

    /* Calls fn(index, fd) while fds[index] is readable. */
    void *(*watch)(void *loop, const int *fds, size_t count,
                   void (*fn)(size_t index, int fd));
    void (*unwatch)(void *watchers);
};

extern const struct loop_kind loop_uv, loop_uv_nowait, loop_ev, loop_event,
    loop_event_precise, loop_glib, loop_asio;
extern const struct loop_kind loop_weir, loop_weir_at, loop_weir_poller,
    loop_weir_spin, loop_weir_metrics, loop_weir_slack_200us,
    loop_weir_slack_1ms;
extern const struct loop_kind loop_futex, loop_epoll, loop_spin;

/* What an open function of loop_weir has returned. */
weir_loop *loop_weir_of(void *loop);

/* calloc, or bench_fail(). */
void *loop_calloc(size_t count, size_t size);

#endif /* WEIR_BENCH_LOOP_H */
