/* SPDX-License-Identifier: MIT */
/*
 * service -- without memory, threads and descriptors: what fails has no effect
 * and leaves nothing.
 */
#include <errno.h>

#include "support/failing_allocator.h"
#include "support/failing_syscalls.h"
#include "support/suite.h"
#include "weir/service.h"

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
    (void)arg;
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
    expect(failed >= 3); /* the service, the keeper, its thread's errand */
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

static const weir_loop_options on_poller = {
    .size = sizeof(on_poller), .fast_path = WEIR_FAST_PATH_DISABLED};

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

CASE(service_hook_without_a_thread_runs_on_the_keepers)
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
