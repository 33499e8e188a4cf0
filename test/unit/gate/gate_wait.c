/* SPDX-License-Identifier: MIT */
/*
 * gate_wait -- waiting for CLOSED: how long, who may, what a waiter sees, and
 * across processes.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "support/crew.h"
#include "support/gate_fixture.h"
#include "support/suite.h"

enum { FOR_EVER = -1, MILLISECOND_NS = 1000000 };

GATE_CASE(gate_wait_for_a_closed_gate_returns_at_once)
{
    gate_make_closed(kind);
    expect_status(weir_gate_wait(&gate, FOR_EVER), 0);
    expect_status(weir_gate_wait(&gate, 0), 0);
    expect_status(weir_gate_wait(&gate, 1), 0);
}

/* covers: weir_gate_wait -ETIMEDOUT */
GATE_CASE(gate_wait_for_no_time_only_looks)
{
    gate_make(kind);
    expect_status(weir_gate_wait(&gate, 0), -ETIMEDOUT);
    expect_status(weir_gate_start(&gate), 0);
    expect_status(weir_gate_enter(&gate), 0);
    expect_status(weir_gate_wait(&gate, 0), -ETIMEDOUT);
    expect_status(weir_gate_drain(&gate), 0);
    expect_status(weir_gate_wait(&gate, 0), -ETIMEDOUT);
}

/* covers: weir_gate_wait -ETIMEDOUT */
GATE_CASE(gate_wait_times_out_not_before_its_deadline)
{
    gate_make_draining(kind);
    for (int64_t timeout_ns = 1; timeout_ns < 20 * MILLISECOND_NS;
         timeout_ns *= 3) {
        int64_t begun_ns = weir__clock_real();

        expect_status(weir_gate_wait(&gate, timeout_ns), -ETIMEDOUT);
        expect(weir__clock_real() - begun_ns >= timeout_ns);
    }
}

CASE(gate_wait_times_out_while_the_clock_is_frozen)
{
    gate_make_draining(NULL);
    expect_status(weir_clock_freeze(0), 0);
    expect_status(weir_gate_wait(&gate, MILLISECOND_NS), -ETIMEDOUT);
}

GATE_CASE(gate_wait_that_timed_out_does_not_change_the_gate)
{
    gate_make_running(kind);
    expect_status(weir_gate_wait(&gate, 1), -ETIMEDOUT);
    expect_status(weir_gate_enter(&gate), 0);
    expect_int(weir_gate_inflight(&gate), 1);
    expect_status(weir_gate_drain(&gate), 0);
    expect_status(weir_gate_wait(&gate, 1), -ETIMEDOUT);
    weir_gate_exit(&gate);
    expect_closed_once();
    expect_status(weir_gate_wait(&gate, FOR_EVER), 0);
}

/* covers: weir_gate_wait -EDEADLK */
GATE_CASE(gate_wait_on_a_thread_that_runs_a_loop_is_refused)
{
    static char place;

    weir__thread_set_loop((struct weir_loop *)&place);
    gate_make(kind);
    expect_status(weir_gate_wait(&gate, FOR_EVER), -EDEADLK);
    expect_status(weir_gate_start(&gate), 0);
    expect_status(weir_gate_enter(&gate), 0);
    expect_status(weir_gate_wait(&gate, FOR_EVER), -EDEADLK);
    expect_status(weir_gate_drain(&gate), 0);
    expect_status(weir_gate_wait(&gate, 0), -EDEADLK);
    weir_gate_exit(&gate);
    expect_status(weir_gate_wait(&gate, 1), -EDEADLK);
}

/* Others wait, asleep, while the case does something to the gate. */
struct waiters {
    struct crew crew;
    int64_t timeout_ns;
    unsigned returned; /* atomic */
};

static void wait_for_close(struct crew *crew, unsigned id)
{
    struct waiters *waiters = crew->context;

    expect_status(weir_gate_wait(&gate, waiters->timeout_ns), 0);
    expect_int(weir_gate_phase(&gate), WEIR_PHASE_CLOSED);
    __atomic_fetch_add(&waiters->returned, 1, __ATOMIC_RELAXED);
}

static void await_waiters(struct waiters *waiters)
{
    for (unsigned id = 0; id < waiters->crew.size; id++)
        expect(await_asleep(waiters->crew.members[id].tid));
}

static void start_waiters(struct waiters *waiters, unsigned count,
                          int64_t timeout_ns)
{
    waiters->timeout_ns = timeout_ns;
    waiters->returned = 0;
    crew_start(&waiters->crew, count, wait_for_close, waiters);
    await_waiters(waiters);
}

GATE_CASE(gate_wait_is_ended_by_the_last_exit)
{
    struct waiters waiters;

    gate_make_draining(kind);
    start_waiters(&waiters, 1, FOR_EVER);
    weir_gate_exit(&gate);
    crew_join(&waiters.crew);
}

GATE_CASE(gate_wait_is_ended_by_the_drain_of_an_empty_gate)
{
    struct waiters waiters;

    gate_make_running(kind);
    start_waiters(&waiters, 1, FOR_EVER);
    expect_status(weir_gate_drain(&gate), 0);
    crew_join(&waiters.crew);
}

GATE_CASE(gate_wait_is_ended_for_all_who_wait)
{
    struct waiters waiters;

    gate_make_draining(kind);
    start_waiters(&waiters, 8, FOR_EVER);
    weir_gate_exit(&gate);
    crew_join(&waiters.crew);
    expect_int(waiters.returned, 8);
}

GATE_CASE(gate_wait_begun_before_start_lasts_until_close)
{
    struct waiters waiters;

    gate_make(kind);
    start_waiters(&waiters, 2, FOR_EVER);
    expect_status(weir_gate_start(&gate), 0);
    expect_status(weir_gate_enter(&gate), 0);
    expect_status(weir_gate_drain(&gate), 0);
    await_waiters(&waiters);
    expect_int(__atomic_load_n(&waiters.returned, __ATOMIC_RELAXED), 0);
    weir_gate_exit(&gate);
    crew_join(&waiters.crew);
}

GATE_CASE(gate_wait_for_ages_is_ended_by_the_close)
{
    struct waiters waiters;

    gate_make_draining(kind);
    start_waiters(&waiters, 1, INT64_MAX);
    weir_gate_exit(&gate);
    crew_join(&waiters.crew);
}

static void catch_signal(int number)
{
}

CASE(gate_wait_is_not_ended_by_signals)
{
    struct sigaction action = {.sa_handler = catch_signal}; /* no SA_RESTART */
    struct waiters waiters;

    expect_int(sigaction(SIGUSR1, &action, NULL), 0);
    gate_make_draining(NULL);
    start_waiters(&waiters, 1, FOR_EVER);
    for (int i = 0; i < 10; i++) {
        expect_int(pthread_kill(waiters.crew.members[0].thread, SIGUSR1), 0);
        await_waiters(&waiters);
    }
    expect_int(__atomic_load_n(&waiters.returned, __ATOMIC_RELAXED), 0);
    weir_gate_exit(&gate);
    crew_join(&waiters.crew);
}

/* What a gate hands over.  The letter is plain, and nothing but the gate
 * orders the two threads: ThreadSanitizer sees if it does not. */
static int letter;

static void write_and_exit(void)
{
    letter = 42;
    weir_gate_exit(&gate);
}

static void start_or_enter(struct crew *crew, unsigned id)
{
    if (id == 0) {
        letter = 42;
        expect_status(weir_gate_start(&gate), 0);
    } else {
        while (weir_gate_enter(&gate) != 0)
            sched_yield();
        expect_int(letter, 42);
    }
}

GATE_CASE(gate_start_publishes_to_those_who_enter)
{
    gate_make(kind);
    crew_run(4, start_or_enter, NULL);
}

static void exit_or_wait(struct crew *crew, unsigned id)
{
    if (id == 0) {
        write_and_exit();
    } else {
        expect_status(weir_gate_wait(&gate, FOR_EVER), 0);
        expect_int(letter, 42);
    }
}

GATE_CASE(gate_exit_publishes_to_those_who_wait)
{
    gate_make_draining(kind);
    crew_run(4, exit_or_wait, NULL);
}

static void exit_or_look(struct crew *crew, unsigned id)
{
    if (id == 0) {
        write_and_exit();
    } else {
        while (weir_gate_phase(&gate) != WEIR_PHASE_CLOSED)
            sched_yield();
        expect_int(letter, 42);
    }
}

GATE_CASE(gate_exit_publishes_to_those_who_see_CLOSED)
{
    gate_make_draining(kind);
    crew_run(4, exit_or_look, NULL);
}

static void read_letter(void *arg)
{
    expect_int(letter, 42);
    closed.times++;
}

/* Thread 1 closes, by exit or by drain, after it has seen thread 0 leave; to
 * see that hands nothing over. */
static void exit_or_close(struct crew *crew, unsigned id)
{
    bool *by_drain = crew->context;

    if (id == 0) {
        write_and_exit();
    } else {
        while (weir_gate_inflight(&gate) != (*by_drain ? 0 : 1))
            sched_yield();
        if (*by_drain)
            expect_status(weir_gate_drain(&gate), 0);
        else
            weir_gate_exit(&gate);
    }
}

GATE_CASE(gate_exit_publishes_to_the_on_closed_of_the_last_exit)
{
    bool by_drain = false;

    expect_status(weir_gate_init(&gate, read_letter, NULL, kind), 0);
    expect_status(weir_gate_start(&gate), 0);
    expect_status(weir_gate_enter(&gate), 0);
    expect_status(weir_gate_enter(&gate), 0);
    expect_status(weir_gate_drain(&gate), 0);
    crew_run(2, exit_or_close, &by_drain);
    expect_closed_once();
}

GATE_CASE(gate_exit_publishes_to_the_on_closed_of_the_drain)
{
    bool by_drain = true;

    expect_status(weir_gate_init(&gate, read_letter, NULL, kind), 0);
    expect_status(weir_gate_start(&gate), 0);
    expect_status(weir_gate_enter(&gate), 0);
    crew_run(2, exit_or_close, &by_drain);
    expect_closed_once();
}

#ifndef WEIR_FUTEX_CONDVAR /* which works within one process */
static weir_gate *make_shared(void)
{
    weir_gate *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    expect(shared != MAP_FAILED);
    expect_status(weir_gate_init(shared, NULL, NULL, NULL), 0);
    expect_status(weir_gate_start(shared), 0);
    return shared;
}

static void expect_success_of(pid_t child)
{
    int status;

    expect(waitpid(child, &status, 0) == child);
    expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

CASE(gate_in_shared_memory_is_drained_by_a_child_for_its_parent)
{
    weir_gate *shared = make_shared();
    pid_t parent = getpid(), child = fork();

    expect(child >= 0);
    if (child == 0) {
        bool is_right = weir_gate_enter(shared) == 0 &&
                        weir_gate_drain(shared) == 0 && await_asleep(parent);

        weir_gate_exit(shared);
        _exit(is_right ? 0 : 1);
    }
    expect_status(weir_gate_wait(shared, FOR_EVER), 0);
    expect_status(weir_gate_enter(shared), WEIR_ECLOSED);
    expect_success_of(child);
}

CASE(gate_in_shared_memory_is_waited_for_by_a_child)
{
    weir_gate *shared = make_shared();
    pid_t child;

    expect_status(weir_gate_enter(shared), 0);
    child = fork();
    expect(child >= 0);
    if (child == 0)
        _exit(weir_gate_wait(shared, FOR_EVER) == 0 ? 0 : 1);
    expect_status(weir_gate_drain(shared), 0);
    expect(await_asleep(child));
    weir_gate_exit(shared);
    expect_success_of(child);
}

CASE(gate_in_shared_memory_counts_the_work_of_all_processes)
{
    enum { CHILDREN = 4 };
    weir_gate *shared = make_shared();
    pid_t child[CHILDREN];

    for (int i = 0; i < CHILDREN; i++) {
        child[i] = fork();
        expect(child[i] >= 0);
        if (child[i] == 0)
            _exit(weir_gate_enter(shared) == 0 ? 0 : 1);
    }
    for (int i = 0; i < CHILDREN; i++)
        expect_success_of(child[i]);
    expect_int(weir_gate_inflight(shared), CHILDREN);
}
#endif
