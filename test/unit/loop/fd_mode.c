/* SPDX-License-Identifier: MIT */
/*
 * fd_mode -- where a loop sleeps: on a futex or in the poller; how it gets
 * from one to the other, and that no wake is lost on the way.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>

#include "loop/loop.h"
#include "support/crew.h"
#include "support/failing_allocator.h"
#include "support/failing_syscalls.h"
#include "support/loop_fixture.h"
#include "support/suite.h"
#include "weir/fd.h"
#include "weir/loop.h"
#include "weir/timer.h"

static struct runner runner;

static void make_running(weir_fd_mode mode)
{
    loop_make(LOOP_OPTIONS(.fd_mode = mode));
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
}

static void end_running(void)
{
    loop_end();
    expect_status(runner_join(&runner), 0);
}

static void await_bed(enum weir__ingress_state state)
{
    while (weir__ingress_look(&loop->in) != state)
        sched_yield();
}

static void await_futex(void)
{
    await_bed(WEIR__SLEEPING);
}

static void await_poller(void)
{
    await_bed(WEIR__SLEEPING_IN_POLLER);
}

/* Counts an event, and tells the test. */
static void on_event(void *served, int status, int fd, unsigned events)
{
    if (status == 0) {
        event_drain(fd);
        expect_int(sem_post(served), 0);
    }
}

/* where it sleeps */

CASE(fd_mode_AUTO_sleeps_on_the_futex_without_descriptors)
{
    make_running(WEIR_FD_MODE_AUTO);
    await_futex();
    loop_submit("a");
    await_futex();
    end_running();
    expect_recorded("a");
}

CASE(fd_mode_NEVER_sleeps_on_the_futex)
{
    make_running(WEIR_FD_MODE_NEVER);
    await_futex();
    loop_submit("a");
    await_futex();
    end_running();
    expect_recorded("a");
}

CASE(fd_mode_ALWAYS_sleeps_in_the_poller)
{
    make_running(WEIR_FD_MODE_ALWAYS);
    await_poller();
    loop_submit("a");
    await_poller();
    end_running();
    expect_recorded("a");
}

CASE(fd_mode_AUTO_and_NEVER_open_no_poller)
{
    failing_syscalls_set(CALL_EPOLL_CREATE1, 1, FAILING_ALWAYS, EMFILE);
    failing_syscalls_set(CALL_EVENTFD, 1, FAILING_ALWAYS, EMFILE);
    make_running(WEIR_FD_MODE_AUTO);
    await_futex();
    end_running();
    make_running(WEIR_FD_MODE_NEVER);
    await_futex();
    end_running();
    expect_int(failing_syscalls_count(CALL_EPOLL_CREATE1), 0);
    expect_int(failing_syscalls_count(CALL_EVENTFD), 0);
}

static void post_alarm(void *rang, int status)
{
    expect_status(status, 0);
    expect_int(sem_post(rang), 0);
}

CASE(fd_mode_does_not_keep_a_timer_from_waking_the_sleeper)
{
    for (int mode = WEIR_FD_MODE_AUTO; mode <= WEIR_FD_MODE_ALWAYS; mode++) {
        sem_t rang;

        expect_int(sem_init(&rang, 0, 0), 0);
        make_running((weir_fd_mode)mode);
        expect_status(weir_timer_start(loop, NULL, MILLISECOND_NS,
                                       WEIR_TIMER_ONCE, post_alarm, &rang),
                      0);
        await_post(&rang);
        end_running();
    }
}

/* AUTO: with the first descriptor into the poller, with the last one back */

CASE(fd_mode_AUTO_moves_to_the_poller_when_a_sleeper_gets_a_descriptor)
{
    int fd = event_open(0);
    sem_t served;

    expect_int(sem_init(&served, 0, 0), 0);
    make_running(WEIR_FD_MODE_AUTO);
    for (int i = 0; i < 20; i++) {
        await_futex();
        expect_status(
            weir_fd_add(loop, fd, WEIR_FD_READABLE, on_event, &served), 0);
        event_fill(fd); /* at once: the loop may not be there yet */
        await_post(&served);
        await_poller();
        event_fill(fd);
        await_post(&served);
        loop_submit("a");
        expect_status(weir_fd_remove(loop, fd, NULL, NULL), 0);
        await_futex();
        loop_submit("b");
    }
    end_running();
}

static void add_inside(void *arg, int status)
{
    expect_status(weir_fd_add(loop, *(int *)arg, WEIR_FD_READABLE, record_fd,
                              (void *)"fd"),
                  0);
}

static void remove_inside(void *arg, int status)
{
    expect_status(weir_fd_remove(loop, *(int *)arg, NULL, NULL), 0);
}

CASE(fd_mode_AUTO_moves_to_the_poller_when_a_callback_adds_a_descriptor)
{
    int fd = event_open(0);

    make_running(WEIR_FD_MODE_AUTO);
    for (int i = 0; i < 3; i++) {
        await_futex();
        expect_status(weir_loop_submit(loop, add_inside, &fd), 0);
        await_poller();
        expect_status(weir_loop_submit(loop, remove_inside, &fd), 0);
        await_futex();
    }
    end_running();
    expect_recorded("");
}

CASE(fd_mode_AUTO_moves_to_the_poller_even_for_an_unreferenced_descriptor)
{
    int fd = event_open(0);

    make_running(WEIR_FD_MODE_AUTO);
    expect_status(
        weir_fd_add(loop, fd, WEIR_FD_READABLE, record_fd, (void *)"fd"), 0);
    expect_status(weir_fd_unref(loop, fd), 0);
    await_poller();
    end_running();
    expect_recorded("fd!");
}

/* told to change */

CASE(fd_mode_can_be_changed_while_the_loop_sleeps)
{
    make_running(WEIR_FD_MODE_AUTO);
    for (int i = 0; i < 10; i++) {
        await_futex();
        expect_status(weir_loop_set_fd_mode(loop, WEIR_FD_MODE_ALWAYS), 0);
        await_poller();
        loop_submit("a");
        await_poller();
        expect_status(weir_loop_set_fd_mode(loop, WEIR_FD_MODE_NEVER), 0);
        await_futex();
        loop_submit("b");
        await_futex();
        expect_status(weir_loop_set_fd_mode(loop, WEIR_FD_MODE_AUTO), 0);
    }
    end_running();
    expect_recorded("a b a b a b a b a b a b a b a b a b a b");
}

static void disable_inside(void *arg, int status)
{
    expect_status(weir_loop_set_fd_mode(loop, WEIR_FD_MODE_ALWAYS), 0);
}

CASE(fd_mode_can_be_changed_inside_a_callback)
{
    make_running(WEIR_FD_MODE_AUTO);
    await_futex();
    expect_status(weir_loop_submit(loop, disable_inside, NULL), 0);
    await_poller();
    end_running();
}

CASE(fd_mode_can_be_changed_before_the_loop_runs)
{
    loop_make(NULL);
    expect_status(weir_loop_set_fd_mode(loop, WEIR_FD_MODE_ALWAYS), 0);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    await_poller();
    end_running();
}

static void end_when_on_futex(struct crew *crew, unsigned id)
{
    await_futex();
    expect_status(weir_loop_shutdown(loop, -1), 0);
}

/* Between steps it must be in the poller, for its backend descriptor. */
CASE(fd_mode_AUTO_returns_to_the_futex_when_a_stepped_loop_is_run)
{
    struct crew crew;

    loop_make(LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS));
    expect_status(weir_loop_set_fd_mode(loop, WEIR_FD_MODE_AUTO), 0);
    loop_turns(1);
    expect_int(weir__ingress_look(&loop->in), WEIR__SLEEPING_IN_POLLER);
    crew_start(&crew, 1, end_when_on_futex, NULL);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), 0);
    crew_join(&crew);
    expect_status(weir_loop_free(loop), 0);
}

/* covers: weir_loop_set_fd_mode -EINVAL */
CASE(fd_mode_that_is_unknown_is_refused)
{
    loop_make(NULL);
    expect_status(weir_loop_set_fd_mode(loop, (weir_fd_mode)3), -EINVAL);
    expect_status(weir_loop_set_fd_mode(loop, (weir_fd_mode)-1), -EINVAL);
    loop_end();
}

/* WEIR_ENOFDS, both ways, and nothing has changed */

/* covers: weir_fd_add WEIR_ENOFDS */
CASE(fd_mode_NEVER_refuses_descriptors)
{
    struct failing_allocator memory;
    int fd = event_open(1);
    uint64_t calls;
    sem_t served;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    expect_int(sem_init(&served, 0, 0), 0);
    make_running(WEIR_FD_MODE_NEVER);
    await_futex();
    calls = memory.calls;
    expect_status(weir_fd_add(loop, fd, WEIR_FD_READABLE, on_event, &served),
                  WEIR_ENOFDS);
    expect_int(memory.calls, calls);
    expect_status(weir_fd_remove(loop, fd, NULL, NULL), -ENOENT);
    expect_status(weir_fd_modify(loop, fd, WEIR_FD_WRITABLE), -ENOENT);
    loop_submit("a");
    await_futex();
    expect_int(sem_trywait(&served), -1);
    expect_status(weir_loop_set_fd_mode(loop, WEIR_FD_MODE_AUTO), 0);
    expect_status(weir_fd_add(loop, fd, WEIR_FD_READABLE, on_event, &served),
                  0);
    await_post(&served);
    end_running();
    expect_int(memory.live, 0);
}

/* covers: weir_loop_set_fd_mode WEIR_ENOFDS */
CASE(fd_mode_NEVER_is_refused_on_a_loop_with_descriptors)
{
    int fd = event_open(0);
    sem_t served;

    expect_int(sem_init(&served, 0, 0), 0);
    make_running(WEIR_FD_MODE_AUTO);
    expect_status(weir_fd_add(loop, fd, WEIR_FD_READABLE, on_event, &served),
                  0);
    expect_status(weir_loop_set_fd_mode(loop, WEIR_FD_MODE_NEVER), WEIR_ENOFDS);
    await_poller();
    event_fill(fd);
    await_post(&served);
    expect_status(weir_fd_remove(loop, fd, NULL, NULL), 0);
    await_futex(); /* it is still AUTO: */
    expect_status(weir_fd_add(loop, fd, WEIR_FD_READABLE, on_event, &served),
                  0);
    expect_status(weir_fd_remove(loop, fd, NULL, NULL), 0);
    expect_status(weir_loop_set_fd_mode(loop, WEIR_FD_MODE_NEVER), 0);
    expect_status(weir_fd_add(loop, fd, WEIR_FD_READABLE, on_event, &served),
                  WEIR_ENOFDS);
    end_running();
}

CASE(fd_mode_ALWAYS_stays_when_NEVER_is_refused)
{
    int fd = event_open(0);

    make_running(WEIR_FD_MODE_ALWAYS);
    expect_status(
        weir_fd_add(loop, fd, WEIR_FD_READABLE, record_fd, (void *)"fd"), 0);
    expect_status(weir_loop_set_fd_mode(loop, WEIR_FD_MODE_NEVER), WEIR_ENOFDS);
    expect_status(weir_fd_remove(loop, fd, NULL, NULL), 0);
    await_poller();
    loop_submit("a");
    await_poller();
    end_running();
}

/* Two threads, one of which must lose. */
static int raced[2];

static void add_or_force(struct crew *crew, unsigned id)
{
    crew_line_up(crew);
    raced[id] = id == 0 ? weir_fd_add(loop, *(int *)crew->context,
                                      WEIR_FD_READABLE, record_fd, (void *)"fd")
                        : weir_loop_set_fd_mode(loop, WEIR_FD_MODE_NEVER);
}

CASE(fd_mode_NEVER_while_a_descriptor_is_added_refuses_one_of_them)
{
    int fd = event_open(0);

    make_running(WEIR_FD_MODE_AUTO);
    for (int i = 0; i < 300; i++) {
        crew_run(2, add_or_force, &fd);
        if (raced[0] == 0) {
            expect_status(raced[1], WEIR_ENOFDS);
            expect_status(weir_fd_remove(loop, fd, NULL, NULL), 0);
        } else {
            expect_status(raced[0], WEIR_ENOFDS);
            expect_status(raced[1], 0);
            expect_status(weir_loop_set_fd_mode(loop, WEIR_FD_MODE_AUTO), 0);
        }
    }
    end_running();
    expect_recorded("");
}

/* no descriptor left, no memory left */

static void fail_pollers(int error, uint16_t times)
{
    failing_syscalls_set(CALL_EPOLL_CREATE1, times > 0, times, error);
    failing_syscalls_set(CALL_EVENTFD, times > 0, times, error);
}

static void expect_disabling_fails(int error)
{
    weir_loop *untouched = NULL;

    fail_pollers(error, FAILING_ALWAYS);
    expect_status(
        weir_loop_new(&untouched, LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS)),
        -error);
    expect(untouched == NULL);
    make_running(WEIR_FD_MODE_AUTO);
    await_futex();
    expect_status(weir_loop_set_fd_mode(loop, WEIR_FD_MODE_ALWAYS), -error);
    loop_submit("a");
    await_futex();
    fail_pollers(0, 0);
    expect_status(weir_loop_set_fd_mode(loop, WEIR_FD_MODE_ALWAYS), 0);
    await_poller();
    end_running();
    expect_recorded("a");
}

/* covers: weir_loop_new -EMFILE */
/* covers: weir_loop_new -ENFILE */
/* covers: weir_loop_set_fd_mode -EMFILE */
/* covers: weir_loop_set_fd_mode -ENFILE */
CASE(fd_mode_ALWAYS_needs_descriptors)
{
    expect_disabling_fails(EMFILE);
    expect_disabling_fails(ENFILE);
}

/* covers: weir_loop_set_fd_mode -ENOMEM */
CASE(fd_mode_ALWAYS_needs_memory)
{
    struct failing_allocator memory;
    int err = -ENOMEM;

    for (uint64_t nth = 2; err != 0; nth++) {
        failing_allocator_init(&memory, nth);
        expect_status(weir_set_allocator(&memory.hooks), 0);
        loop_make(NULL);
        err = weir_loop_set_fd_mode(loop, WEIR_FD_MODE_ALWAYS);
        if (err != 0) {
            expect_status(err, -ENOMEM);
            expect_int(load_relaxed(&loop->fd_mode), WEIR_FD_MODE_AUTO);
            expect(load_relaxed(&loop->poller) == NULL);
        }
        loop_end();
        expect_int(memory.live, 0);
    }
    expect_disabling_fails(ENOMEM);
}

/* Strict affinity: every callback is on the thread that runs the loop. */

enum { THREADS = 4, EACH = 500 };

static uint64_t calls_seen; /* plain: one thread's own */

static void expect_home(void *arg, int status)
{
    expect(pthread_equal(pthread_self(), runner.thread));
    expect(weir_loop_current() == loop);
    calls_seen++;
}

static void expect_home_and_queue(void *arg, int status)
{
    expect_home(arg, status);
    expect_status(weir_loop_next_tick(loop, expect_home, NULL), 0);
    expect_status(weir_loop_microtask(loop, expect_home, NULL), 0);
    expect_status(weir_loop_immediate(loop, expect_home, NULL), 0);
    expect_status(weir_loop_on_close_phase(loop, expect_home, NULL), 0);
    expect_status(weir_loop_submit(loop, expect_home, NULL), 0);
    expect_status(weir_loop_dispatch(loop, expect_home, NULL), 0);
    expect_status(
        weir_timer_start(loop, NULL, 1, WEIR_TIMER_ONCE, expect_home, NULL), 0);
}

static void queue_every_kind(struct crew *crew, unsigned id)
{
    for (int i = 0; i < EACH; i++) {
        expect_status(weir_loop_submit(loop, expect_home_and_queue, NULL), 0);
        expect_status(weir_loop_next_tick(loop, expect_home, NULL), 0);
        expect_status(weir_loop_microtask(loop, expect_home, NULL), 0);
        expect_status(weir_loop_immediate(loop, expect_home, NULL), 0);
        expect_status(weir_loop_on_close_phase(loop, expect_home, NULL), 0);
        expect_status(weir_loop_dispatch(loop, expect_home, NULL), 0);
        expect_status(
            weir_timer_start(loop, NULL, 1, WEIR_TIMER_ONCE, expect_home, NULL),
            0);
    }
}

static void expect_affinity(weir_fd_mode mode)
{
    calls_seen = 0;
    make_running(mode);
    crew_run(THREADS, queue_every_kind, NULL);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_int(calls_seen, THREADS * EACH * (8 + 6));
    expect_status(runner_join(&runner), 0);
    expect_status(weir_loop_free(loop), 0);
}

CASE(fd_mode_NEVER_keeps_every_callback_on_the_loops_thread)
{
    expect_affinity(WEIR_FD_MODE_NEVER);
}

CASE(fd_mode_AUTO_and_ALWAYS_keep_every_callback_on_the_loops_thread)
{
    expect_affinity(WEIR_FD_MODE_AUTO);
    expect_affinity(WEIR_FD_MODE_ALWAYS);
}

/* Under load: each answer is waited for, so that a lost wake is a hang. */

static bool is_over; /* atomic */

static void answer(void *asked, int status)
{
    expect_int(sem_post(asked), 0);
}

static void ask_or_switch(struct crew *crew, unsigned id)
{
    static const weir_fd_mode modes[] = {WEIR_FD_MODE_ALWAYS,
                                         WEIR_FD_MODE_NEVER, WEIR_FD_MODE_AUTO};
    sem_t asked;

    if (id > 0) {
        expect_int(sem_init(&asked, 0, 0), 0);
        for (int i = 0; i < 1000; i++) {
            expect_status(weir_loop_submit(loop, answer, &asked), 0);
            await_post(&asked);
        }
        __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
        return;
    }
    for (unsigned i = 0; !__atomic_load_n(&is_over, __ATOMIC_RELAXED); i++) {
        expect_status(weir_loop_set_fd_mode(loop, modes[i % 3]), 0);
        sched_yield();
    }
}

CASE(fd_mode_switched_under_load_loses_no_wake)
{
    make_running(WEIR_FD_MODE_AUTO);
    crew_run(3, ask_or_switch, NULL);
    end_running();
}
