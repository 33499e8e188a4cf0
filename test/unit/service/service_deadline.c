/* SPDX-License-Identifier: MIT */
/*
 * service -- deadlines and force: it names what holds it, and does not wait.
 */
#include <sched.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "support/service_fixture.h"
#include "weir/clock.h"
#include "weir/fd.h"
#include "weir/timer.h"

static sem_t begun, release;

static void block(void *arg, int status)
{
    sem_post(&begun);
    wait_for(&release);
}

#define make_stuck(...)                                                        \
    make(.grace_ns = MILLISECOND_NS, __VA_ARGS__);                             \
    get_stuck()

static weir_pool *pool;

static void add_pool(void)
{
    sem_init(&begun, 0, 0);
    sem_init(&release, 0, 0);
    expect_status(weir_service_add_pool(service, &pool, NULL), 0);
}

static void start_stuck(void)
{
    expect_status(weir_service_start(service), 0);
    expect_status(weir_pool_submit(pool, block, NULL,
                                   &(weir_submit_options){
                                       .size = sizeof(weir_submit_options),
                                       .name = "sleeper"}),
                  0);
    wait_for(&begun);
}

static void get_stuck(void)
{
    add_pool();
    start_stuck();
}

/* covers: weir_service_wait WEIR_EFORCED
 * covers: weir_service_free -EBUSY */
CASE(service_deadline_names_the_job_and_does_not_wait_for_it)
{
    const weir_holder *job;

    make_stuck(.timeout_ns = 20 * MILLISECOND_NS);
    expect_status(weir_service_stop(service), 0);
    expect_status(weir_service_wait(service, -1), WEIR_EFORCED);
    expect_int(seen.reports, 1);
    expect_int(seen.closed, 1);
    expect_status(seen.status, WEIR_EFORCED);
    job = find_holder(WEIR_KIND_JOB);
    expect(job != NULL && job->is_running);
    expect_string(job->name, "sleeper");
    expect(job->thread != 0);
    expect(job->age_ns >= 20 * MILLISECOND_NS);
#ifndef NDEBUG
    expect(job->from != NULL); /* test/unit/base/origin.c: where */
#else
    expect(job->from == NULL);
#endif
    expect_int(weir_service_free(service), -EBUSY);
    sem_post(&release);
    while (weir_service_free(service) != 0)
        continue;
}

/* The deadline passes in the turn in which the gate closes. */
static void let_time_pass(void *arg, weir_service *of)
{
    expect_status(weir_clock_advance(WEIR_S(3)), 0);
}

static void never(void *arg)
{
    tell('H');
}

CASE(service_forced_as_its_gate_closes_reports_what_it_skips)
{
    expect_status(weir_clock_freeze(0), 0);
    make(.timeout_ns = WEIR_S(1), .grace_ns = -1, .draining = let_time_pass);
    expect_status(weir_service_add_hook(service, "hook", -1, never, NULL), 0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_service_stop(service), 0);
    expect_status(weir_service_wait(service, -1), WEIR_EFORCED);
    expect_int(seen.reports, 1);
    expect_string(story, "C");
    expect_status(weir_service_free(service), 0);
}

CASE(service_report_of_no_service_is_empty)
{
    weir_holder holder;

    expect_int((int)weir_service_report(NULL, &holder, 1, sizeof(holder)), 0);
}

/* Without on_report, on stderr. */
CASE(service_deadline_prints_the_job_and_where_it_came_from)
{
    char text[1024] = "";
    FILE *file = tmpfile();

    expect(dup2(fileno(file), STDERR_FILENO) == STDERR_FILENO);
    expect_status(weir_service_new(&service,
                                   &(weir_service_options){
                                       .size = sizeof(weir_service_options),
                                       .name = "it",
                                       .timeout_ns = MILLISECOND_NS,
                                       .grace_ns = MILLISECOND_NS,
                                       .no_signals = true}),
                  0);
    get_stuck();
    expect_status(weir_service_stop(service), 0);
    expect_status(weir_service_wait(service, -1), WEIR_EFORCED);
    rewind(file);
    expect(fread(text, 1, sizeof(text) - 1, file) > 0);
    expect(strstr(text, "weir: it is forced to end") == text);
    expect(strstr(text, "    job sleeper, for ") != NULL);
#ifndef NDEBUG
    expect(strstr(text, ", submitted at ") != NULL);
#else
    expect(strstr(text, "submitted") == NULL);
#endif
    sem_post(&release);
    while (weir_service_free(service) != 0)
        continue;
}

/* ---- a culprit among many ---- */

enum { IDLE = 100 };

static void nothing(void *arg, int status)
{
}

static void no_event(void *arg, int status, int fd, unsigned events)
{
    if (status != 0)
        close(fd);
}

/* A job that is stuck, and idle connections on two loops, each with a timer of
 * its own.  The loops first run what was added before the start, and a report
 * shows that; when they sleep, it no longer changes. */
static void get_stuck_among_connections(void)
{
    weir_loop *loops[2];

    add_pool();
    for (int i = 0; i < 2; i++)
        expect_status(weir_service_add_loop(service, &loops[i], NULL), 0);
    for (int i = 0; i < IDLE; i++) {
        weir_loop *loop = loops[i % 2];
        int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

        expect_status(weir_fd_add(loop, fd, WEIR_FD_READABLE, no_event, NULL),
                      0);
        expect_status(weir_timer_start(loop, NULL, 3600 * SECOND_NS,
                                       WEIR_TIMER_ONCE, nothing, NULL),
                      0);
    }
    start_stuck();
    for (int i = 0; i < 2; i++)
        while (weir_loop_state(loops[i]) != WEIR_LOOP_SLEEPING)
            sched_yield();
}

static uint64_t count_of(weir_kind kind)
{
    uint64_t count = 0;

    for (size_t i = 0; i < seen.count; i++)
        if (seen.holders[i].kind == kind)
            count += seen.holders[i].count;
    return count;
}

static void let_go_and_free(void)
{
    sem_post(&release);
    while (weir_service_free(service) != 0)
        continue;
}

CASE(service_report_shows_the_stuck_job_before_100_idle_connections)
{
    make(.timeout_ns = MILLISECOND_NS, .grace_ns = MILLISECOND_NS);
    get_stuck_among_connections();
    expect_status(weir_service_stop(service), 0);
    expect_status(weir_service_wait(service, -1), WEIR_EFORCED);
    expect(seen.count >= 3);
    expect(seen.holders[0].is_running);
    expect_string(seen.holders[0].name, "sleeper");
    expect_int(count_of(WEIR_KIND_JOB), 1);
    expect_int(count_of(WEIR_KIND_TIMER), IDLE);
    expect_int(count_of(WEIR_KIND_FD), IDLE);
    let_go_and_free();
}

CASE(service_report_counts_equal_ones_of_all_its_loops_in_one_row)
{
    make(.timeout_ns = -1);
    get_stuck_among_connections();
    seen.count =
        weir_service_report(service, seen.holders, 64, sizeof(weir_holder));
    expect_int(seen.count, 3);
    expect_int(find_holder(WEIR_KIND_TIMER)->count, IDLE);
    expect_int(find_holder(WEIR_KIND_FD)->count, IDLE);
    expect_int(
        weir_service_report(service, seen.holders, 2, sizeof(weir_holder)), 3);
    expect_string(seen.holders[0].name, "sleeper");
    expect_int(seen.holders[1].kind, WEIR_KIND_OTHER);
    expect_int(seen.holders[1].count, 2 * IDLE);
    sem_post(&release);
    expect_status(weir_service_stop(service), 0);
    expect_clean_end();
}

CASE(service_deadline_prints_what_runs_and_how_many_there_are)
{
    char text[1024] = "";
    FILE *file = tmpfile();
    char *job, *timers;

    expect(dup2(fileno(file), STDERR_FILENO) == STDERR_FILENO);
    make_bare(.name = "it", .timeout_ns = MILLISECOND_NS,
              .grace_ns = MILLISECOND_NS);
    get_stuck_among_connections();
    expect_status(weir_service_stop(service), 0);
    expect_status(weir_service_wait(service, -1), WEIR_EFORCED);
    rewind(file);
    expect(fread(text, 1, sizeof(text) - 1, file) > 0);
    expect(strstr(text, "weir: it is forced to end, with 201 unfinished:\n") ==
           text);
    job = strstr(text, "    job sleeper, for ");
    timers = strstr(text, "    timer, 100 of them");
    expect(job != NULL && timers != NULL && job < timers);
    expect(strstr(text, "    descriptor, 100 of them") != NULL);
    let_go_and_free();
}

/* covers: weir_service_force -EALREADY */
CASE(service_force_cuts_the_drain_short)
{
    make_stuck(.timeout_ns = -1);
    expect_status(weir_service_stop(service), 0);
    expect_status(weir_service_wait(service, 5 * MILLISECOND_NS), -ETIMEDOUT);
    expect_status(weir_service_force(service), 0);
    expect_status(weir_service_force(service), -EALREADY);
    expect_status(weir_service_wait(service, -1), WEIR_EFORCED);
    expect_status(weir_service_force(service), -EALREADY);
    sem_post(&release);
    while (weir_service_free(service) != 0)
        continue;
}

/* covers: weir_service_force WEIR_ENOTSTARTED */
CASE(service_force_before_start_is_refused)
{
    make();
    expect_status(weir_service_force(service), WEIR_ENOTSTARTED);
    expect_status(weir_service_free(service), 0);
}

CASE(service_force_without_stop_ends_it_too)
{
    make(.grace_ns = -1);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_gate_enter(weir_service_gate(service)), 0);
    expect_status(weir_service_force(service), 0);
    expect_status(weir_service_wait(service, -1), WEIR_EFORCED);
    expect(find_holder(WEIR_KIND_REQUEST) != NULL);
    expect_int(find_holder(WEIR_KIND_REQUEST)->count, 1);
    weir_gate_exit(weir_service_gate(service));
    expect_status(weir_service_free(service), 0);
}

/* What has not begun is cancelled. */
static void expect_cancelled(void *count, int status)
{
    expect_status(status, WEIR_ECANCELED);
    __atomic_add_fetch((unsigned *)count, 1, __ATOMIC_RELAXED);
}

CASE(service_that_is_forced_tells_what_has_not_begun)
{
    unsigned cancelled = 0;

    sem_init(&begun, 0, 0);
    sem_init(&release, 0, 0);
    make(.timeout_ns = -1, .grace_ns = 60 * SECOND_NS);
    expect_status(weir_service_add_pool(
                      service, &pool,
                      &(weir_pool_options){.size = sizeof(weir_pool_options),
                                           .workers = 1}),
                  0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_pool_submit(pool, block, NULL, NULL), 0);
    wait_for(&begun);
    for (int i = 0; i < 10; i++)
        expect_status(
            weir_pool_submit(pool, expect_cancelled, &cancelled, NULL), 0);
    expect_status(weir_service_force(service), 0);
    while (weir_service_report(service, NULL, 0, sizeof(weir_holder)) > 2)
        continue;
    while (weir_pool_submit(pool, expect_cancelled, &cancelled, NULL) == 0)
        continue; /* until it is closed */
    sem_post(&release);
    /* all has ended within the grace, so nobody waited for it */
    expect_status(weir_service_wait(service, 30 * SECOND_NS), WEIR_EFORCED);
    expect(__atomic_load_n(&cancelled, __ATOMIC_RELAXED) >= 10);
    expect_status(weir_service_free(service), 0);
}

static void hook_last(void *arg)
{
    tell('1');
}

static void hook_block(void *arg)
{
    wait_for(arg);
}

CASE(service_hook_that_takes_too_long_is_left_behind)
{
    sem_init(&release, 0, 0);
    make();
    expect_status(weir_service_add_hook(service, "last", -1, hook_last, NULL),
                  0);
    expect_status(weir_service_add_hook(service, "stuck", MILLISECOND_NS,
                                        hook_block, &release),
                  0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_service_stop(service), 0);
    expect_status(weir_service_wait(service, -1), 0);
    expect_string(story, "1C");
    expect_int(weir_service_free(service), -EBUSY);
    while ((seen.count = weir_service_report(service, seen.holders, 64,
                                             sizeof(weir_holder))) == 0)
        continue; /* its thread may not have begun yet */
    expect_string(find_holder(WEIR_KIND_HOOK)->name, "stuck");
    sem_post(&release);
    while (weir_service_free(service) != 0)
        continue;
}

/* ---- limits beyond the clock ---- */

CASE(service_deadline_beyond_the_clock_is_none)
{
    make(.timeout_ns = INT64_MAX);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_gate_enter(weir_service_gate(service)), 0);
    expect_status(weir_service_stop(service), 0);
    while (weir_gate_phase(weir_service_gate(service)) == WEIR_PHASE_RUNNING)
        continue;
    weir_gate_exit(weir_service_gate(service));
    expect_clean_end();
}

/* All that runs is waited for; the last to leave is the request. */
CASE(service_grace_beyond_the_clock_waits_for_all)
{
    make(.timeout_ns = -1, .grace_ns = INT64_MAX);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_gate_enter(weir_service_gate(service)), 0);
    expect_status(weir_service_force(service), 0);
    expect_status(weir_service_wait(service, 5 * MILLISECOND_NS), -ETIMEDOUT);
    weir_gate_exit(weir_service_gate(service));
    expect_status(weir_service_wait(service, -1), WEIR_EFORCED);
    expect_int(seen.reports, 1);
    expect_status(weir_service_free(service), 0);
}

/* The clock of a test may stand anywhere. */
CASE(service_can_be_made_at_the_end_of_the_clock)
{
    expect_status(weir_clock_freeze(INT64_MAX - 1), 0);
    make();
    expect_status(weir_service_start(service), 0);
    expect_status(weir_service_stop(service), 0);
    expect_clean_end();
}

CASE(service_hook_deadline_beyond_the_clock_is_none)
{
    make();
    expect_status(
        weir_service_add_hook(service, "hook", INT64_MAX, hook_last, NULL), 0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_service_stop(service), 0);
    expect_clean_end();
    expect_string(story, "1C");
}
