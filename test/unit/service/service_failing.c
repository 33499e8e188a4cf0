/* SPDX-License-Identifier: MIT */
/*
 * service -- without memory, threads and descriptors: what fails has no effect
 * and leaves nothing.  A loop that cannot wait any more ends, and the service
 * with it.
 */
#include <errno.h>
#include <signal.h>

#include "support/failing_allocator.h"
#include "support/failing_syscalls.h"
#include "support/suite.h"
#include "weir/service.h"
#include "weir/timer.h"

static struct failing_allocator memory;
static weir_service *service;
static weir_loop *loop;
static weir_pool *pool;

static void begin(void)
{
    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
}

static void make(void)
{
    expect_status(weir_service_new(&service, NULL), 0);
}

static int add_loop(void)
{
    return weir_service_add_loop(service, &loop, NULL);
}

static const weir_pool_options few = {
    .size = sizeof(few), .workers = 2, .max_workers = 2};

static int add_pool(void)
{
    return weir_service_add_pool(service, &pool, &few);
}

static void nothing(void *arg)
{
}

static int add_hook(void)
{
    return weir_service_add_hook(service, "hook", -1, nothing, NULL);
}

/* What was added works, and what failed is not there. */
static void end(void)
{
    expect_status(weir_service_start(service), 0);
    expect_status(weir_service_stop(service), 0);
    expect_status(weir_service_wait(service, -1), 0);
    expect_status(weir_service_free(service), 0);
    expect_int(memory.live, 0);
    expect_int(memory.live_bytes, 0);
}

/* covers: weir_service_new -ENOMEM */
CASE(service_new_without_memory_fails_clean)
{
    unsigned failed = 0;

    begin();
    for (int err = 1; err != 0;) {
        memory.fail_at = memory.calls + 1 + failed;
        err = weir_service_new(&service, NULL);
        if (err != 0) {
            expect_status(err, -ENOMEM);
            expect_int(memory.live, 0);
            failed++;
        }
    }
    expect(failed >= 3); /* the service, its loop, its thread's call */
    memory.fail_at = 0;
    end();
}

/* covers: weir_service_new -EAGAIN */
CASE(service_new_without_a_thread_fails_clean)
{
    begin();
    failing_syscalls_set(CALL_PTHREAD_CREATE, 1, 1, EAGAIN);
    expect_status(weir_service_new(&service, NULL), -EAGAIN);
    expect_int(memory.live, 0);
    make();
    end();
}

/* covers: weir_service_new -EMFILE
 * covers: weir_service_new -ENFILE */
CASE(service_new_without_descriptors_fails_clean)
{
    begin();
    failing_syscalls_set(CALL_EVENTFD, 1, 1, EMFILE);
    expect_status(weir_service_new(&service, NULL), -EMFILE);
    failing_syscalls_set(CALL_EVENTFD, 1, 1, ENFILE);
    expect_status(weir_service_new(&service, NULL), -ENFILE);
    expect_int(memory.live, 0);
    failing_syscalls_set(CALL_EVENTFD, 0, 0, 0);
    make();
    end();
}

/* Threads that begin give something back, at any time. */
static uint64_t live_now(void)
{
    return __atomic_load_n(&memory.live, __ATOMIC_RELAXED);
}

static void sweep(int (*add)(void), unsigned at_least)
{
    unsigned failed = 0;

    begin();
    make();
    for (int err = 1; err != 0;) {
        uint64_t live = live_now();

        memory.fail_at =
            __atomic_load_n(&memory.calls, __ATOMIC_RELAXED) + 1 + failed;
        err = add();
        if (err != 0) {
            expect_status(err, -ENOMEM);
            expect(live_now() <= live); /* a thread has begun meanwhile */
            failed++;
        }
    }
    expect(failed >= at_least);
    memory.fail_at = 0;
    end();
}

/* covers: weir_service_add_loop -ENOMEM */
CASE(service_add_loop_without_memory_fails_clean)
{
    sweep(add_loop, 3);
}

/* covers: weir_service_add_pool -ENOMEM */
CASE(service_add_pool_without_memory_fails_clean)
{
    sweep(add_pool, 3);
}

/* covers: weir_service_add_hook -ENOMEM */
CASE(service_add_hook_without_memory_fails_clean)
{
    sweep(add_hook, 1);
}

/* covers: weir_service_add_loop -EAGAIN
 * covers: weir_service_add_pool -EAGAIN */
CASE(service_add_without_threads_fails_clean)
{
    begin();
    make();
    failing_syscalls_set(CALL_PTHREAD_CREATE, 1, 1, EAGAIN);
    expect_status(add_loop(), -EAGAIN);
    failing_syscalls_set(CALL_PTHREAD_CREATE, 2, 1, EAGAIN);
    expect_status(add_pool(), -EAGAIN);
    failing_syscalls_set(CALL_PTHREAD_CREATE, 0, 0, 0);
    expect_status(add_loop(), 0);
    expect_status(add_pool(), 0);
    end();
}

static const weir_loop_options on_poller = {.size = sizeof(on_poller),
                                            .fd_mode = WEIR_FD_MODE_ALWAYS};

/* covers: weir_service_add_loop -EMFILE
 * covers: weir_service_add_loop -ENFILE */
CASE(service_add_loop_without_descriptors_fails_clean)
{
    begin();
    make();
    failing_syscalls_set(CALL_EVENTFD, 1, 1, EMFILE);
    expect_status(weir_service_add_loop(service, &loop, &on_poller), -EMFILE);
    failing_syscalls_set(CALL_EVENTFD, 1, 1, ENFILE);
    expect_status(weir_service_add_loop(service, &loop, &on_poller), -ENFILE);
    failing_syscalls_set(CALL_EVENTFD, 0, 0, 0);
    end();
}

/* A hook for which no thread can be made runs all the same. */
static void count(void *arg)
{
    ++*(int *)arg;
}

CASE(service_hook_without_a_thread_runs_on_the_services)
{
    int called = 0;

    begin();
    make();
    expect_status(weir_service_add_hook(service, "hook", -1, count, &called),
                  0);
    expect_status(
        weir_service_add_hook(service, "hook", 1000000000, count, &called), 0);
    failing_syscalls_set(CALL_PTHREAD_CREATE, 1, FAILING_ALWAYS, EAGAIN);
    end();
    expect_int(called, 2);
}

/* ---- loops whose wait fails ---- */

#ifdef WEIR_POLLER_POLL
static const enum failing_call wait_call = CALL_PPOLL;
#else
static const enum failing_call wait_call = CALL_EPOLL_PWAIT2;
#endif

enum { NOT_TOLD = 1 };
static int done_status, timer_status, drain_status, closed_status;

static void on_done(void *arg, weir_loop *of, int status)
{
    expect(of == loop);
    expect_int(done_status, NOT_TOLD);
    done_status = status;
}

static void on_timer(void *arg, int status)
{
    expect_int(timer_status, NOT_TOLD);
    timer_status = status;
}

static void on_drain(void *arg, int status)
{
    expect_int(drain_status, NOT_TOLD);
    drain_status = status;
}

static void on_closed(void *arg, weir_service *of, int status)
{
    expect_int(closed_status, NOT_TOLD);
    closed_status = status;
}

static void be_quiet(void *arg, weir_service *of)
{
}

/* Of its loops, one waits in the poller; the service's loop does not. */
static void make_with_poller(void)
{
    const weir_service_options options = {.size = sizeof(options),
                                          .timeout_ns = -1,
                                          .grace_ns = -1,
                                          .no_signals = true,
                                          .on_report = be_quiet,
                                          .closed = on_closed};
    weir_loop_options own = on_poller;

    done_status = timer_status = drain_status = closed_status = NOT_TOLD;
    own.done = on_done;
    begin();
    expect_status(weir_service_new(&service, &options), 0);
    expect_status(weir_service_add_loop(service, &loop, &own), 0);
    expect_status(weir_timer_start(loop, NULL, 3600 * INT64_C(1000000000),
                                   WEIR_TIMER_ONCE, on_timer, NULL),
                  0);
    expect_status(weir_service_on_drain(service, loop, on_drain, NULL), 0);
}

static void let_wait_fail(int error)
{
    failing_syscalls_set(wait_call, 1, 1, error);
    weir_loop_wake(loop);
}

static void expect_end_when_told(int status, int drained)
{
    expect_status(weir_service_wait(service, -1), status);
    expect_status(closed_status, status);
    expect_status(timer_status, WEIR_ECANCELED);
    expect_status(drain_status, drained);
    expect_status(weir_service_free(service), 0);
    expect_int(memory.live, 0);
    expect_int(memory.live_bytes, 0);
}

static void expect_failed_end(int status)
{
    expect_end_when_told(status, WEIR_ECANCELED);
}

CASE(service_ends_with_the_error_of_a_loop_whose_wait_fails)
{
    make_with_poller();
    expect_status(weir_service_start(service), 0);
    let_wait_fail(EBADF);
    expect_failed_end(-EBADF);
    expect_status(done_status, -EBADF);
}

CASE(service_with_a_loop_whose_wait_failed_drains_when_it_starts)
{
    make_with_poller();
    let_wait_fail(EBADF);
    while (weir_loop_state(loop) != WEIR_LOOP_TERMINATED)
        continue;
    expect_status(weir_service_start(service), 0);
    expect_failed_end(-EBADF);
    expect_status(done_status, -EBADF);
}

/* Requests are still let out, and hooks run. */
CASE(service_that_lost_a_loop_drains_in_order)
{
    int called = 0;

    make_with_poller();
    expect_status(weir_service_add_hook(service, "hook", -1, count, &called),
                  0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_gate_enter(weir_service_gate(service)), 0);
    let_wait_fail(ENOMEM);
    while (weir_gate_phase(weir_service_gate(service)) == WEIR_PHASE_RUNNING)
        continue;
    expect_status(weir_loop_submit(loop, on_timer, NULL), WEIR_ECLOSED);
    weir_gate_exit(weir_service_gate(service));
    expect_failed_end(-ENOMEM);
    expect_int(called, 1);
}

/* That something still runs is the worse news. */
CASE(service_that_lost_a_loop_and_is_forced_says_so)
{
    make_with_poller();
    expect_status(weir_service_start(service), 0);
    expect_status(weir_gate_enter(weir_service_gate(service)), 0);
    let_wait_fail(EBADF);
    while (weir_gate_phase(weir_service_gate(service)) == WEIR_PHASE_RUNNING)
        continue;
    expect_status(weir_service_force(service), 0);
    expect_status(weir_service_wait(service, -1), WEIR_EFORCED);
    weir_gate_exit(weir_service_gate(service));
    expect_failed_end(WEIR_EFORCED);
    expect_status(done_status, -EBADF);
}

/* Each wait of a drain in turn. */
CASE(service_drain_in_which_a_wait_fails_ends)
{
    bool is_over = false;

    for (uint32_t nth = 1; !is_over; nth++) {
        int status;

        make_with_poller();
        expect_status(weir_service_start(service), 0);
        failing_syscalls_set(wait_call, nth, 1, ENOMEM);
        expect_status(weir_service_stop(service), 0);
        status = weir_service_wait(service, -1);
        expect(status == 0 || status == -ENOMEM);
        is_over = failing_syscalls_count(wait_call) < nth;
        failing_syscalls_set(wait_call, 0, 0, 0);
        if (is_over)
            expect_status(status, 0);
        expect_status(done_status, status);
        /* the wait may fail before the loop is notified, or after it */
        expect(drain_status == 0 ||
               (status != 0 && drain_status == WEIR_ECANCELED));
        expect_end_when_told(status, drain_status);
    }
}

static volatile sig_atomic_t heard;

static void on_signal(int number)
{
    heard++;
}

/* The service's loop waits there for signals; without them it can still end. */
CASE(service_whose_loop_cannot_wait_ends_with_the_error)
{
    struct sigaction own = {.sa_handler = on_signal};
    int called = 0;

    expect_int(sigaction(SIGTERM, &own, NULL), 0);
    begin();
    failing_syscalls_set(wait_call, 1, FAILING_ALWAYS, EBADF);
    make();
    expect_status(weir_service_add_hook(service, "hook", -1, count, &called),
                  0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_service_wait(service, -1), -EBADF);
    expect_int(raise(SIGTERM), 0);
    expect_int(heard, 1);
    expect_status(weir_service_free(service), 0);
    expect_int(called, 1);
    expect_int(memory.live, 0);
}
