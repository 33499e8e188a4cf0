/* SPDX-License-Identifier: MIT */
/*
 * fork -- a child has the memory of its parent's loops, pools and services, and
 * nothing else of them.  It is refused whatever it wants from them, the parent
 * notices nothing, and the child can make its own.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/signals.h"
#include "loop/loop.h"
#include "support/crew.h"
#include "support/effort.h"
#include "support/failing_allocator.h"
#include "support/fd_fixture.h"
#include "support/loop_fixture.h"
#include "support/suite.h"
#include "weir/abort.h"
#include "weir/fd.h"
#include "weir/gate.h"
#include "weir/group.h"
#include "weir/host/loop.h"
#include "weir/host/service.h"
#include "weir/pool.h"
#include "weir/promise.h"
#include "weir/service.h"
#include "weir/timer.h"

#define POOL_OPTIONS(...)                                                      \
    (&(weir_pool_options){.size = sizeof(weir_pool_options), __VA_ARGS__})

/* The C library holds the locks of its heap while it forks; the sanitizers do
 * not, and a child that allocates waits for a thread that it has not got. So
 * the threads that its parent has just started must rest before it forks: their
 * start allocates there. */
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { HAS_SANITIZER_HEAP = true };
#else
enum { HAS_SANITIZER_HEAP = IS_THREAD_SANITIZED };
#endif

/* What the child ended with, as waitpid says. */
static int in_child(void (*act)(void))
{
    int status;
    pid_t pid = fork();

    expect(pid >= 0);
    if (pid == 0) {
        act();
        _exit(0);
    }
    expect_int(waitpid(pid, &status, 0), pid);
    return status;
}

static void nothing(void *arg, int status)
{
}

static void nothing_task(weir_task *task, int status)
{
}

/* ---- loops ---- */

static int watched;
static weir_timer timer;

static void expect_loop_refuses(void)
{
    static weir_task task = {.run = nothing_task};
    int fd = event_open(0);
    weir_abort *abort;
    weir_promise *promise;
    weir_timer id;

    expect_status(weir_loop_post(loop, &task), WEIR_EFORKED);
    expect_status(weir_loop_post_expected(loop, &task), WEIR_EFORKED);
    expect_status(weir_loop_submit(loop, nothing, NULL), WEIR_EFORKED);
    expect_status(weir_loop_dispatch(loop, nothing, NULL), WEIR_EFORKED);
    expect_status(weir_loop_next_tick(loop, nothing, NULL), WEIR_EFORKED);
    expect_status(weir_loop_microtask(loop, nothing, NULL), WEIR_EFORKED);
    expect_status(weir_loop_immediate(loop, nothing, NULL), WEIR_EFORKED);
    expect_status(weir_loop_on_close_phase(loop, nothing, NULL), WEIR_EFORKED);
    expect_status(
        weir_timer_start(loop, &id, SECOND_NS, WEIR_TIMER_ONCE, nothing, NULL),
        WEIR_EFORKED);
    expect_status(weir_timer_start_at(loop, &id, 0, nothing, NULL),
                  WEIR_EFORKED);
    expect_status(weir_timer_ref(loop, timer), WEIR_EFORKED);
    expect_status(weir_timer_unref(loop, timer), WEIR_EFORKED);
    expect_status(weir_timer_set_name(loop, timer, "timer"), WEIR_EFORKED);
    expect_status(weir_abort_new(&abort), 0);
    expect_status(weir_timer_start_abortable(loop, 1, abort, nothing, NULL),
                  WEIR_EFORKED);
    weir_abort_unref(abort);
    expect_status(weir_abort_after(&abort, loop, 1), WEIR_EFORKED);
    expect_status(weir_fd_add(loop, fd, WEIR_FD_READABLE, record_fd, NULL),
                  WEIR_EFORKED);
    expect_status(weir_fd_modify(loop, watched, 0), WEIR_EFORKED);
    expect_status(weir_fd_remove(loop, watched, NULL, NULL), WEIR_EFORKED);
    expect_status(weir_fd_ref(loop, watched), WEIR_EFORKED);
    expect_status(weir_fd_unref(loop, watched), WEIR_EFORKED);
    expect_status(weir_fd_set_name(loop, watched, "watched"), WEIR_EFORKED);
    expect_status(weir_loop_set_fd_mode(loop, WEIR_FD_MODE_AUTO), WEIR_EFORKED);
    expect_status(weir_promise_new(&promise, loop), WEIR_EFORKED);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), WEIR_EFORKED);
    expect_status(weir_loop_step(loop, 0), WEIR_EFORKED);
    expect_status(weir_loop_backend_fd(loop), WEIR_EFORKED);
    expect_status(weir_loop_shutdown(loop, -1), WEIR_EFORKED);
    expect_status(weir_loop_close(loop, -1), WEIR_EFORKED);
    weir_loop_wake(loop);
    weir_loop_ref(loop);
    weir_loop_unref(loop);
    expect_int(weir_loop_state(loop), WEIR_LOOP_TERMINATED);
}

static void use_loop_and_free_it(void)
{
    expect_loop_refuses();
    expect_status(weir_timer_cancel(loop, timer), WEIR_EFORKED);
    expect_status(weir_loop_free(loop), 0);
}

static sem_t arrived;

static void on_watched(void *arg, int status, int fd, unsigned events)
{
    if (status == 0) {
        event_drain(fd);
        expect_int(sem_post(&arrived), 0);
    }
}

static void make_watching(void)
{
    expect_int(sem_init(&arrived, 0, 0), 0);
    loop_make(LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS));
    watched = event_open(0);
    watch_now(watched, WEIR_FD_READABLE, on_watched, NULL);
    expect_status(weir_timer_start(loop, &timer, 1000LL * SECOND_NS,
                                   WEIR_TIMER_ONCE, nothing, NULL),
                  0);
}

/* covers: weir_loop_post WEIR_EFORKED
 * covers: weir_loop_post_expected WEIR_EFORKED
 * covers: weir_loop_close WEIR_EFORKED
 * covers: weir_loop_submit WEIR_EFORKED
 * covers: weir_loop_dispatch WEIR_EFORKED
 * covers: weir_loop_next_tick WEIR_EFORKED
 * covers: weir_loop_microtask WEIR_EFORKED
 * covers: weir_loop_immediate WEIR_EFORKED
 * covers: weir_loop_on_close_phase WEIR_EFORKED
 * covers: weir_loop_step WEIR_EFORKED
 * covers: weir_loop_backend_fd WEIR_EFORKED
 * covers: weir_loop_set_fd_mode WEIR_EFORKED
 * covers: weir_loop_shutdown WEIR_EFORKED
 * covers: weir_timer_start WEIR_EFORKED
 * covers: weir_timer_start_at WEIR_EFORKED
 * covers: weir_timer_cancel WEIR_EFORKED
 * covers: weir_timer_start_abortable WEIR_EFORKED
 * covers: weir_timer_ref WEIR_EFORKED
 * covers: weir_timer_unref WEIR_EFORKED
 * covers: weir_timer_set_name WEIR_EFORKED
 * covers: weir_fd_add WEIR_EFORKED
 * covers: weir_fd_modify WEIR_EFORKED
 * covers: weir_fd_remove WEIR_EFORKED
 * covers: weir_fd_ref WEIR_EFORKED
 * covers: weir_fd_unref WEIR_EFORKED
 * covers: weir_fd_set_name WEIR_EFORKED
 * covers: weir_abort_after WEIR_EFORKED
 * covers: weir_promise_new WEIR_EFORKED */
CASE(fork_child_is_refused_by_a_loop_that_its_parent_runs)
{
    struct runner runner;

    make_watching();
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    for (int i = 0; i < 3; i++) {
        await_state(loop, WEIR_LOOP_SLEEPING);
        expect_int(in_child(use_loop_and_free_it), 0);
        event_fill(watched);
        await_post(&arrived); /* the registration is still there */
    }
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(runner_join(&runner), 0);
    expect_status(weir_loop_free(loop), 0);
}

CASE(fork_child_is_refused_by_a_loop_that_nobody_runs)
{
    make_watching();
    expect_int(in_child(use_loop_and_free_it), 0);
    loop_turns(1);
    expect_int(in_child(use_loop_and_free_it), 0); /* between two steps */
    event_fill(watched);
    loop_turns(1);
    expect_int(sem_trywait(&arrived), 0);
    expect_status(weir_loop_free(loop), 0);
}

/* The thread that made the loop was inside, and is not in the child. */
static void *make_loop_and_enter(void *arg)
{
    loop_make(NULL);
    (void)weir__bias_enter(&loop->bias);
    return NULL;
}

static void expect_no_timer(void)
{
    weir_timer id;

    expect_status(
        weir_timer_start(loop, &id, SECOND_NS, WEIR_TIMER_ONCE, nothing, NULL),
        WEIR_EFORKED);
}

CASE(fork_child_does_not_wait_for_a_thread_of_its_parent)
{
    pthread_t maker;

    expect_int(pthread_create(&maker, NULL, make_loop_and_enter, NULL), 0);
    expect_int(pthread_join(maker, NULL), 0);
    expect_int(in_child(expect_no_timer), 0);
}

/* ---- promises ---- */

static weir_promise *pending;
static int freed;

static void count_free(void *data)
{
    freed++;
}

/* Its slot has held a value with a `free` before. */
static void make_pending(void *arg, int status)
{
    const weir_value value = {.data = &freed, .free = count_free};

    expect_status(weir_promise_new(&pending, loop), 0);
    expect_status(weir_promise_resolve(pending, value), 0);
    weir_promise_unref(pending);
    expect_status(weir_promise_new(&pending, loop), 0);
}

static void release_promise_then_loop(void)
{
    weir_promise_unref(pending);
    expect_status(weir_loop_free(loop), 0);
    expect_int(freed, 1);
}

static void release_loop_then_promise(void)
{
    expect_status(weir_loop_free(loop), 0);
    weir_promise_unref(pending);
    expect_int(freed, 1);
}

CASE(fork_child_releases_a_pending_promise_and_frees_nothing_twice)
{
    for (int i = 0; i < 2; i++) {
        freed = 0;
        loop_make(NULL);
        if (i == 0)
            expect_status(weir_loop_submit(loop, make_pending, NULL), 0);
        else
            make_pending(NULL, 0);
        loop_turns(2);
        expect_int(freed, 1);
        expect_int(in_child(release_promise_then_loop), 0);
        expect_int(in_child(release_loop_then_promise), 0);
        weir_promise_unref(pending);
        expect_status(weir_loop_free(loop), 0);
    }
}

static int handled;

static weir_result count_handler(void *arg, const weir_value *value)
{
    handled++;
    return weir_pass();
}

static void fork_and_resolve(void *arg, int status)
{
    pid_t pid = fork();
    int ended;

    expect(pid >= 0);
    if (pid == 0) {
        expect_status(weir_promise_resolve(pending, (weir_value){0}), 0);
        return;
    }
    expect_int(waitpid(pid, &ended, 0), pid);
    expect_int(ended, 0);
    expect_status(weir_promise_resolve(pending, (weir_value){0}), 0);
    weir_promise_unref(pending);
}

/* What the handlers were accepted for, the parent does. */
CASE(fork_child_that_settles_a_promise_calls_no_handler)
{
    pid_t parent = getpid();
    int err;

    loop_make(NULL);
    expect_status(weir_promise_new(&pending, loop), 0);
    expect_status(
        weir_promise_then(pending, count_handler, count_handler, NULL, NULL),
        0);
    expect_status(weir_loop_submit(loop, fork_and_resolve, NULL), 0);
    err = weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE);
    if (getpid() != parent)
        _exit(err == WEIR_EFORKED && handled == 0 ? 0 : 1);
    expect_status(err, 0);
    expect_int(handled, 1);
    expect_status(weir_loop_free(loop), 0);
}

/* ---- in a callback ---- */

/* covers: weir_loop_run WEIR_EFORKED */

static pid_t child;

static void fork_inside(void *arg, int status)
{
    expect_status(status, 0);
    loop_microtask("microtask");
    child = fork();
    expect(child >= 0);
    note(child == 0 ? "child" : "parent");
    if (child == 0)
        expect_loop_refuses();
    if (child == 0)
        expect_status(weir_loop_free(loop), WEIR_EREENTRANT);
}

static weir_promise *promise_of_parent;

static weir_result no_handler(void *arg, const weir_value *value)
{
    return weir_pass();
}

static weir_result no_finally(void *arg)
{
    return weir_pass();
}

static int no_then(weir_thenable *thenable, weir_promise *promise)
{
    return 0;
}

static void expect_promise_refuses(void)
{
    static weir_thenable thenable = {no_then};
    weir_promise *parent = promise_of_parent, *made;

    expect_status(weir_promise_then(parent, no_handler, no_handler, NULL, NULL),
                  WEIR_EFORKED);
    expect_status(weir_promise_catch(parent, no_handler, NULL, &made),
                  WEIR_EFORKED);
    expect_status(weir_promise_finally(parent, no_finally, NULL, &made),
                  WEIR_EFORKED);
    expect_status(weir_promise_all(&made, loop, &parent, 1), WEIR_EFORKED);
    expect_status(weir_promise_all_settled(&made, loop, &parent, 1),
                  WEIR_EFORKED);
    expect_status(weir_promise_race(&made, loop, &parent, 1), WEIR_EFORKED);
    expect_status(weir_promise_any(&made, loop, &parent, 1), WEIR_EFORKED);
    expect_status(weir_promise_follow_thenable(parent, &thenable),
                  WEIR_EFORKED);
}

static void use_promise_in_child(void *arg, int status)
{
    expect_status(status, 0);
    expect_int(in_child(expect_promise_refuses), 0);
}

/* covers: weir_promise_then WEIR_EFORKED
 * covers: weir_promise_catch WEIR_EFORKED
 * covers: weir_promise_finally WEIR_EFORKED
 * covers: weir_promise_all WEIR_EFORKED
 * covers: weir_promise_all_settled WEIR_EFORKED
 * covers: weir_promise_race WEIR_EFORKED
 * covers: weir_promise_any WEIR_EFORKED
 * covers: weir_promise_follow_thenable WEIR_EFORKED */
CASE(fork_child_is_refused_by_a_promise_of_its_parent)
{
    loop_make(NULL);
    expect_status(weir_promise_new(&promise_of_parent, loop), 0);
    expect_status(weir_loop_submit(loop, use_promise_in_child, NULL), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect_int(weir_promise_state(promise_of_parent), WEIR_PROMISE_PENDING);
    weir_promise_unref(promise_of_parent);
    expect_status(weir_loop_free(loop), 0);
}

static void loop_before_and_after(void)
{
    loop_submit("before");
    expect_status(weir_loop_submit(loop, fork_inside, NULL), 0);
    loop_submit("after");
    loop_immediate("immediate");
}

/* Nothing that was accepted is called twice: not again in the child. */
CASE(fork_child_that_returns_from_its_callback_leaves_the_loop)
{
    int status;

    loop_make(LOOP_OPTIONS(.metrics = true));
    loop_before_and_after();
    status = weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE);
    if (child == 0) {
        expect_status(status, WEIR_EFORKED);
        expect_recorded("before child");
        expect(weir_loop_current() == NULL);
        expect_status(weir_loop_free(loop), 0);
        _exit(0);
    }
    expect_status(status, 0);
    expect_recorded("before parent microtask after immediate");
    expect_int(waitpid(child, &status, 0), child);
    expect_int(status, 0);
    loop_end();
}

CASE(fork_child_that_returns_from_its_callback_leaves_the_step)
{
    int status;

    loop_make(NULL);
    loop_before_and_after();
    status = weir_loop_step(loop, 0);
    if (child == 0) {
        expect_status(status, WEIR_EFORKED);
        expect_recorded("before child");
        expect_status(weir_loop_free(loop), 0);
        _exit(0);
    }
    expect_status(status, 0);
    expect_int(waitpid(child, &status, 0), child);
    expect_int(status, 0);
    loop_end();
    expect_recorded("before parent microtask after immediate");
}

/* ---- pools ---- */

static weir_pool *pool;

static void nothing_job(weir_job *job, int status)
{
}

/* covers: weir_pool_post WEIR_EFORKED
 * covers: weir_pool_submit WEIR_EFORKED
 * covers: weir_pool_blocking_begin WEIR_EFORKED
 * covers: weir_pool_blocking_end WEIR_EFORKED
 * covers: weir_pool_shutdown WEIR_EFORKED
 * covers: weir_pool_close WEIR_EFORKED
 * covers: weir_group_spawn WEIR_EFORKED */
static void use_pool_and_free_it(void)
{
    static weir_job job = {.run = nothing_job};
    weir_group group;

    expect_status(weir_pool_post(pool, &job), WEIR_EFORKED);
    weir_group_init(&group, pool);
    expect_status(weir_group_spawn(&group, &job), WEIR_EFORKED);
    expect_status(weir_pool_submit(pool, nothing, NULL, NULL), WEIR_EFORKED);
    expect_status(weir_pool_blocking_begin(pool), WEIR_EFORKED);
    expect_status(weir_pool_blocking_end(pool), WEIR_EFORKED);
    expect_status(weir_pool_shutdown(pool, -1), WEIR_EFORKED);
    expect_status(weir_pool_close(pool, -1), WEIR_EFORKED);
    expect_status(weir_pool_free(pool), 0);
}

static void count_job(void *arg, int status)
{
    expect_status(status, 0);
    __atomic_add_fetch((unsigned *)arg, 1, __ATOMIC_RELAXED);
}

CASE(fork_child_is_refused_by_a_pool_of_its_parent)
{
    struct blocker blocker;
    unsigned ran = 0;

    blocker_open(&blocker);
    expect_status(weir_pool_new(&pool, POOL_OPTIONS(.workers = 1)), 0);
    expect_status(weir_pool_submit(pool, block, &blocker, NULL), 0);
    blocker_await(&blocker);
    expect_int(in_child(use_pool_and_free_it), 0);
    for (int i = 0; i < 100; i++)
        expect_status(weir_pool_submit(pool, count_job, &ran, NULL), 0);
    expect_int(in_child(use_pool_and_free_it), 0); /* with jobs in it */
    blocker_let_go(&blocker);
    expect_status(weir_pool_shutdown(pool, -1), 0);
    expect_int(ran, 100);
    expect_status(weir_pool_free(pool), 0);
}

static void fork_and_return(void *arg, int status)
{
    *(pid_t *)arg = fork();
}

CASE(fork_child_of_a_job_does_not_become_a_worker)
{
    pid_t pid = -1;
    int status;

    expect_status(weir_pool_new(&pool, POOL_OPTIONS(.workers = 1)), 0);
    expect_status(weir_pool_submit(pool, fork_and_return, &pid, NULL), 0);
    expect_status(weir_pool_shutdown(pool, -1), 0);
    expect(pid > 0);
    expect_int(waitpid(pid, &status, 0), pid);
    expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    expect_status(weir_pool_free(pool), 0);
}

/* ---- services ---- */

static weir_service *service;

static void await_service_rests(void)
{
    await_state(weir_service_loop(service), WEIR_LOOP_SLEEPING);
}

static void nothing_hook(void *arg)
{
}

static int nothing_blocking(void *arg, weir_value *value)
{
    return 0;
}

/* covers: weir_service_start WEIR_EFORKED
 * covers: weir_service_stop WEIR_EFORKED
 * covers: weir_service_force WEIR_EFORKED
 * covers: weir_service_wait WEIR_EFORKED
 * covers: weir_service_add_loop WEIR_EFORKED
 * covers: weir_service_add_pool WEIR_EFORKED
 * covers: weir_service_add_hook WEIR_EFORKED
 * covers: weir_service_on_drain WEIR_EFORKED
 * covers: weir_promisify WEIR_EFORKED */
static void use_service_and_free_it(void)
{
    weir_loop *added;
    weir_pool *more;
    weir_promise *promise;

    expect_status(weir_service_start(service), WEIR_EFORKED);
    expect_status(weir_service_stop(service), WEIR_EFORKED);
    expect_status(weir_service_force(service), WEIR_EFORKED);
    expect_status(weir_service_wait(service, -1), WEIR_EFORKED);
    expect_status(weir_service_add_loop(service, &added, NULL), WEIR_EFORKED);
    expect_status(weir_service_add_pool(service, &more, NULL), WEIR_EFORKED);
    expect_status(
        weir_service_add_hook(service, "hook", -1, nothing_hook, NULL),
        WEIR_EFORKED);
    expect_status(weir_service_on_drain(service, loop, nothing, NULL),
                  WEIR_EFORKED);
    expect_status(weir_promisify(&promise, loop, pool, nothing_blocking, NULL,
                                 NULL, NULL),
                  WEIR_EFORKED);
    expect_status(weir_service_free(service), 0);
}

CASE(fork_child_is_refused_by_a_service_of_its_parent)
{
    struct blocker blocker;
    unsigned ran = 0;

    expect_status(weir_service_new(&service, NULL), 0);
    expect_status(weir_service_add_loop(service, &loop, NULL), 0);
    expect_status(
        weir_service_add_pool(service, &pool, POOL_OPTIONS(.workers = 1)), 0);
    expect_status(weir_service_start(service), 0);
    blocker_open(&blocker);
    expect_status(weir_pool_submit(pool, block, &blocker, NULL), 0);
    blocker_await(&blocker);
    await_service_rests();
    await_state(loop, WEIR_LOOP_SLEEPING);
    expect_int(in_child(use_service_and_free_it), 0);
    blocker_let_go(&blocker);
    expect_status(weir_pool_submit(pool, count_job, &ran, NULL), 0);
    expect_status(weir_service_stop(service), 0);
    expect_status(weir_service_wait(service, -1), 0);
    expect_int(ran, 1);
    expect_status(weir_service_free(service), 0);
}

static void fork_and_free_service(void *arg, int status)
{
    pid_t pid = fork();

    expect(pid >= 0);
    if (pid == 0)
        _exit(weir_service_free(service) == WEIR_EREENTRANT ? 0 : 1);
    expect_int(waitpid(pid, &status, 0), pid);
    *(int *)arg = status;
}

CASE(fork_child_cannot_free_the_service_whose_callback_it_is_in)
{
    int status = 1;

    expect_status(weir_service_new(&service, NULL), 0);
    expect_status(weir_service_add_loop(service, &loop, NULL), 0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_loop_submit(loop, fork_and_free_service, &status), 0);
    expect_status(weir_service_stop(service), 0);
    expect_status(weir_service_wait(service, -1), 0);
    expect_int(status, 0);
    expect_status(weir_service_free(service), 0);
}

/* ThreadSanitizer's sigaction defers handlers until the next intercepted call.
 * In a child of several threads there is none, since it ignores all calls there;
 * so install the handler by glibc's own (src/base/os/signals.c). */
#ifdef WEIR__THREAD_SANITIZED
int __sigaction(int number, const struct sigaction *action,
                struct sigaction *before);
#define set_action __sigaction
#else
#define set_action sigaction
#endif

static void exit_with_42(int number)
{
    _exit(42);
}

static void free_service_and_expect_own_handler(void)
{
    struct sigaction own = {.sa_handler = exit_with_42};

    expect_int(set_action(SIGTERM, &own, NULL), 0);
    expect_status(weir_service_free(service), 0);
    expect_int(raise(SIGTERM), 0);
}

CASE(fork_child_that_frees_a_service_keeps_its_own_signal_handler)
{
    int status;

    expect_status(weir_service_new(&service, NULL), 0);
    await_service_rests();
    status = in_child(free_service_and_expect_own_handler);
    expect(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    expect_status(weir_service_free(service), 0);
}

static void free_service_and_stop_another(void)
{
    weir_service *own;

    expect_status(weir_service_new(&own, NULL), 0);
    expect_status(weir_service_free(service), 0);
    expect_status(weir_service_start(own), 0);
    expect_int(raise(SIGTERM), 0);
    expect_status(weir_service_wait(own, -1), 0);
    expect_status(weir_service_free(own), 0);
}

CASE(fork_child_that_frees_a_service_leaves_the_signals_to_its_own)
{
    if (IS_THREAD_SANITIZED) /* refuses threads after a fork of several */
        return;
    expect_status(weir_service_new(&service, NULL), 0);
    await_service_rests();
    expect_int(in_child(free_service_and_stop_another), 0);
    expect_status(weir_service_free(service), 0);
}

/* ---- what a child makes is its own ---- */

static void use_new_ones(void)
{
    weir_pool *own;
    unsigned ran = 0;

    loop_make(LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS));
    watched = event_open(1);
    watch_now(watched, WEIR_FD_READABLE, record_fd, (void *)"fd");
    loop_timer(MILLISECOND_NS, "timer");
    loop_submit("task");
    loop_turns(1);
    expect_status(weir_loop_free(loop), 0);
    if (IS_THREAD_SANITIZED) /* refuses threads after a fork of several */
        return;
    expect_status(weir_pool_new(&own, POOL_OPTIONS(.workers = 2)), 0);
    expect_status(weir_pool_submit(own, count_job, &ran, NULL), 0);
    expect_status(weir_pool_shutdown(own, -1), 0);
    expect_int(ran, 1);
    expect_status(weir_pool_free(own), 0);
}

static void free_and_use_new_ones(void)
{
    expect_status(weir_loop_free(loop), 0);
    expect_status(weir_pool_free(pool), 0);
    use_new_ones();
}

CASE(fork_child_can_make_its_own)
{
    struct blocker blocker;

    blocker_open(&blocker);
    loop_make(NULL);
    expect_status(weir_pool_new(&pool, POOL_OPTIONS(.workers = 1)), 0);
    expect_status(weir_pool_submit(pool, block, &blocker, NULL), 0);
    blocker_await(&blocker);
    expect_int(in_child(free_and_use_new_ones), 0);
    expect_int(in_child(use_new_ones), 0);
    blocker_let_go(&blocker);
    expect_status(weir_pool_free(pool), 0);
    loop_end();
}

static struct failing_allocator memory;

static void free_all_memory(void)
{
    expect_status(weir_loop_free(loop), 0);
    expect_status(weir_pool_free(pool), 0);
    expect_int(memory.live, 0);
}

CASE(fork_child_can_give_the_memory_back)
{
    struct blocker blocker;
    struct runner runner;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    blocker_open(&blocker);
    make_watching();
    expect_status(weir_pool_new(&pool, POOL_OPTIONS(.workers = 1)), 0);
    expect_status(weir_pool_submit(pool, block, &blocker, NULL), 0);
    blocker_await(&blocker); /* its thread has begun */
    expect_int(in_child(free_all_memory), 0);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    await_state(loop, WEIR_LOOP_SLEEPING);
    expect_int(in_child(free_all_memory), 0);
    blocker_let_go(&blocker);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(runner_join(&runner), 0);
    expect_status(weir_loop_free(loop), 0);
    expect_status(weir_pool_free(pool), 0);
    expect_int(memory.live, 0);
}

/* ---- while others are at it ---- */

static unsigned is_over; /* atomic */

static void use_all(struct crew *crew, unsigned id)
{
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        weir_loop *own;

        expect_status(weir_loop_submit(loop, nothing, NULL), 0);
        expect_status(weir_pool_submit(pool, nothing, NULL, NULL), 0);
        if (id > 0)
            continue;
        expect_status(weir_loop_new(&own, NULL), 0);
        expect_status(weir_loop_free(own), 0);
    }
}

static void refuse_and_use_new_ones(void)
{
    static weir_task task = {.run = nothing_task};
    static weir_job job = {.run = nothing_job};

    expect_status(weir_loop_post(loop, &task), WEIR_EFORKED);
    expect_status(weir_loop_shutdown(loop, -1), WEIR_EFORKED);
    expect_status(weir_pool_post(pool, &job), WEIR_EFORKED);
    if (!HAS_SANITIZER_HEAP)
        free_and_use_new_ones();
}

CASE(fork_while_other_threads_use_everything_is_no_harm)
{
    struct runner runner;
    struct crew crew;

    loop_make(LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS));
    expect_status(weir_pool_new(&pool, POOL_OPTIONS(.workers = 2)), 0);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    crew_start(&crew, 2, use_all, NULL);
    for (int i = 0; i < 50; i++)
        expect_int(in_child(refuse_and_use_new_ones), 0);
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
    crew_join(&crew);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(runner_join(&runner), 0);
    expect_status(weir_pool_free(pool), 0);
    expect_status(weir_loop_free(loop), 0);
}
