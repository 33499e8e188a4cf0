/* SPDX-License-Identifier: MIT */
/*
 * service -- SIGTERM and SIGINT, also while everybody is busy.
 */
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/suite.h"
#include "weir/service.h"

static weir_service *service;
static int reports, closed;

static void on_report(void *arg, weir_service *of)
{
    reports++;
}

static void on_closed(void *arg, weir_service *of, int status)
{
    closed++;
}

static const weir_service_options options = {.size = sizeof(options),
                                             .timeout_ns = -1,
                                             .on_report = on_report,
                                             .closed = on_closed};

static void begin(void)
{
    expect_status(weir_service_new(&service, &options), 0);
}

static void send(int number)
{
    expect_int(kill(getpid(), number), 0);
}

static void expect_end(int status)
{
    expect_status(weir_service_wait(service, -1), status);
    expect_int(closed, 1);
    expect_int(reports, status == 0 ? 0 : 1);
    expect_status(weir_service_free(service), 0);
}

static int unblocked; /* signals, on the thread of the service */

static void look_at_mask(void *arg, weir_service *of)
{
    sigset_t mask;

    expect_int(pthread_sigmask(SIG_BLOCK, NULL, &mask), 0);
    unblocked = !sigismember(&mask, SIGTERM) + !sigismember(&mask, SIGINT);
}

/* The thread that starts the service blocks both, and threads inherit that. */
static void expect_unblocked(bool no_signals, int count)
{
    weir_service_options own = options;
    sigset_t both;

    own.draining = look_at_mask;
    own.no_signals = no_signals;
    unblocked = -1;
    sigemptyset(&both);
    sigaddset(&both, SIGTERM);
    sigaddset(&both, SIGINT);
    expect_int(pthread_sigmask(SIG_BLOCK, &both, NULL), 0);
    expect_status(weir_service_new(&service, &own), 0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_service_stop(service), 0);
    expect_status(weir_service_wait(service, -1), 0);
    expect_int(unblocked, count);
    expect_status(weir_service_free(service), 0);
}

CASE(service_thread_lets_its_signals_in)
{
    expect_unblocked(false, 2);
}

CASE(service_thread_without_signals_lets_none_in)
{
    expect_unblocked(true, 0);
}

CASE(service_drains_at_SIGTERM)
{
    begin();
    expect_status(weir_service_start(service), 0);
    send(SIGTERM);
    expect_end(0);
}

CASE(service_drains_at_SIGINT)
{
    begin();
    expect_status(weir_service_start(service), 0);
    send(SIGINT);
    expect_end(0);
}

CASE(service_is_forced_by_a_second_signal)
{
    begin();
    expect_status(weir_service_start(service), 0);
    expect_status(weir_gate_enter(weir_service_gate(service)), 0);
    send(SIGTERM);
    while (weir_service_phase(service) != WEIR_PHASE_DRAINING)
        continue;
    send(SIGINT);
    expect_status(weir_service_wait(service, -1), WEIR_EFORCED);
    weir_gate_exit(weir_service_gate(service));
    expect_end(WEIR_EFORCED);
}

/* ---- signals after a stop: they are counted, not what began the drain ---- */

static int to_raise; /* const while the service is there */

/* On the service's thread, which looks for signals before it goes on. */
static void raise_signals(void *arg, weir_service *of)
{
    for (int i = 0; i < to_raise; i++)
        expect_int(raise(SIGTERM), 0);
}

/* So many signals come when weir_service_stop has begun the drain. */
static void stop_then_signal(int count)
{
    weir_service_options own = options;

    own.draining = raise_signals;
    to_raise = count;
    expect_status(weir_service_new(&service, &own), 0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_gate_enter(weir_service_gate(service)), 0);
    expect_status(weir_service_stop(service), 0);
    while (weir_gate_phase(weir_service_gate(service)) == WEIR_PHASE_RUNNING)
        continue;
}

CASE(service_is_not_forced_by_the_first_signal_after_a_stop)
{
    stop_then_signal(1);
    weir_gate_exit(weir_service_gate(service));
    expect_end(0);
}

CASE(service_is_forced_by_the_second_signal_after_a_stop)
{
    stop_then_signal(1);
    send(SIGINT);
    expect_status(weir_service_wait(service, -1), WEIR_EFORCED);
    weir_gate_exit(weir_service_gate(service));
    expect_end(WEIR_EFORCED);
}

CASE(service_is_forced_by_two_signals_at_once_after_a_stop)
{
    stop_then_signal(2);
    expect_status(weir_service_wait(service, -1), WEIR_EFORCED);
    weir_gate_exit(weir_service_gate(service));
    expect_end(WEIR_EFORCED);
}

CASE(service_remembers_a_signal_from_before_its_start)
{
    begin();
    send(SIGTERM);
    expect_status(weir_service_start(service), 0);
    expect_end(0);
}

/* Every thread that could handle it is blocked, but for the service's own. */
CASE(service_handles_signals_although_all_others_block_them)
{
    sigset_t all;

    sigfillset(&all);
    expect_int(pthread_sigmask(SIG_SETMASK, &all, NULL), 0);
    begin();
    expect_status(weir_service_start(service), 0);
    send(SIGTERM);
    expect_end(0);
}

/* ---- from outside, while all sleep ---- */

/* Another process, which sends one when it has read a byte. */
static pid_t start_sender(int *go)
{
    pid_t self = getpid(), pid;
    int ends[2];
    char byte;

    expect_int(pipe(ends), 0);
    pid = fork();
    if (pid == 0) {
        _exit(read(ends[0], &byte, 1) == 1 && kill(self, SIGTERM) == 0 ? 0 : 1);
    }
    expect(pid > 0);
    *go = ends[1];
    return pid;
}

static void expect_heard(bool has_members)
{
    int go, status;
    weir_loop *loop;
    weir_pool *pool;
    pid_t sender = start_sender(&go);

    begin();
    if (has_members) {
        expect_status(weir_service_add_loop(service, &loop, NULL), 0);
        expect_status(weir_service_add_pool(service, &pool, NULL), 0);
    }
    expect_status(weir_service_start(service), 0);
    expect_int(write(go, "x", 1), 1);
    expect_end(0);
    expect_int(waitpid(sender, &status, 0), sender);
    expect_int(status, 0);
}

CASE(service_hears_a_signal_from_another_process)
{
    expect_heard(false);
}

CASE(service_hears_a_signal_from_another_process_while_its_members_sleep)
{
    expect_heard(true);
}

static int told[2]; /* a pipe */

static void tell(void *arg, weir_service *of)
{
    expect_int(write(told[1], "x", 1), 1);
}

/* The kernel prefers the main thread, which sleeps until the drain begins.  It
 * makes no call that ThreadSanitizer intercepts: there it would see the signal
 * that it has kept back. */
CASE(service_hears_a_signal_that_another_thread_takes_in_its_sleep)
{
    weir_service_options own = options;
    int go, status;
    pid_t sender = start_sender(&go);
    char byte;

    expect_int(pipe(told), 0);
    own.draining = tell;
    expect_status(weir_service_new(&service, &own), 0);
    expect_status(weir_service_start(service), 0);
    expect_int(syscall(SYS_write, go, "x", 1), 1);
    expect_int(syscall(SYS_read, told[0], &byte, 1), 1);
    expect_end(0);
    expect_int(waitpid(sender, &status, 0), sender);
    expect_int(status, 0);
}

static sem_t begun, release;

static void block(void *arg, int status)
{
    sem_post(&begun);
    while (sem_wait(&release) != 0)
        expect_int(errno, EINTR);
}

CASE(service_drains_at_once_although_a_loop_is_busy)
{
    weir_loop *loop;

    sem_init(&begun, 0, 0);
    sem_init(&release, 0, 0);
    begin();
    expect_status(weir_service_add_loop(service, &loop, NULL), 0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_loop_submit(loop, block, NULL), 0);
    while (sem_wait(&begun) != 0)
        continue;
    send(SIGTERM);
    while (weir_service_phase(service) != WEIR_PHASE_DRAINING)
        continue;
    sem_post(&release);
    expect_end(0);
}

/* covers: weir_service_new -EBUSY */
CASE(service_signals_are_for_one_at_a_time)
{
    weir_service *second;

    begin();
    expect_status(weir_service_new(&second, &options), -EBUSY);
    expect_status(weir_service_start(service), 0);
    send(SIGTERM);
    expect_end(0);
    expect_status(weir_service_new(&second, &options), 0);
    expect_status(weir_service_free(second), 0);
}

static volatile sig_atomic_t heard;

static void on_signal(int number)
{
    heard++;
}

CASE(service_gives_signals_back_when_it_is_closed)
{
    struct sigaction own = {.sa_handler = on_signal};

    expect_int(sigaction(SIGTERM, &own, NULL), 0);
    begin();
    expect_status(weir_service_start(service), 0);
    send(SIGTERM);
    expect_status(weir_service_wait(service, -1), 0);
    expect_int(heard, 0);
    raise(SIGTERM);
    expect_int(heard, 1);
    expect_end(0);
}

CASE(service_that_wants_no_signals_leaves_them_alone)
{
    struct sigaction own = {.sa_handler = on_signal};
    weir_service_options none = options;

    none.no_signals = true;
    expect_int(sigaction(SIGTERM, &own, NULL), 0);
    expect_status(weir_service_new(&service, &none), 0);
    expect_status(weir_service_start(service), 0);
    raise(SIGTERM);
    expect_int(heard, 1);
    expect(weir_service_is_ready(service));
    expect_status(weir_service_stop(service), 0);
    expect_end(0);
}
