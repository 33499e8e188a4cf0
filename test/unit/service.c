/* SPDX-License-Identifier: MIT */
/*
 * service -- it drains in order, names what holds it, and closes once.
 */
#include "weir/service.h"

#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/suite.h"
#include "weir/clock.h"
#include "weir/timer.h"

#define MILLISECOND_NS INT64_C(1000000)
#define SECOND_NS (1000 * MILLISECOND_NS)

static weir_service *service;

/* What happened, one letter each, in order. */
static char story[64];
static size_t told; /* atomic, relaxed: so as not to hide a race */

static void tell(char what)
{
    size_t at = __atomic_fetch_add(&told, 1, __ATOMIC_RELAXED);

    expect(at + 1 < sizeof(story));
    story[at] = what;
}

static struct {
    weir_holder holders[64];
    size_t count;
    unsigned reports, closed;
    int status;
} seen;

static void on_report(void *arg, weir_service *of, const weir_holder *holders,
                      size_t count)
{
    (void)arg;
    expect(of == service);
    seen.reports++;
    seen.count = count;
    memcpy(seen.holders, holders, count * sizeof(*holders));
}

static void on_closed(void *arg, weir_service *of, int status)
{
    (void)arg;
    expect(of == service);
    expect_int(weir_service_phase(service), WEIR_PHASE_CLOSED);
    seen.closed++;
    seen.status = status;
    tell('C');
}

#define make(...)                                                              \
    expect_status(weir_service_new(&service,                                   \
                                   &(weir_service_options){                    \
                                       .size = sizeof(weir_service_options),   \
                                       .no_signals = true,                     \
                                       .on_report = on_report,                 \
                                       .closed = on_closed,                    \
                                       __VA_ARGS__}),                          \
                  0)

static void expect_clean_end(void)
{
    expect_status(weir_service_wait(service, -1), 0);
    expect_int(seen.closed, 1);
    expect_status(seen.status, 0);
    expect_int(seen.reports, 0);
    expect_status(weir_service_free(service), 0);
}

static void wait_for(sem_t *sem)
{
    while (sem_wait(sem) != 0)
        expect_int(errno, EINTR);
}

static const weir_holder *find_holder(weir_kind kind)
{
    for (size_t i = 0; i < seen.count; i++)
        if (seen.holders[i].kind == kind)
            return &seen.holders[i];
    return NULL;
}

/* ---- phases ---- */

/* covers: weir_service_wait -ETIMEDOUT */
CASE(service_goes_from_init_to_closed)
{
    make();
    expect_int(weir_service_phase(service), WEIR_PHASE_INIT);
    expect(!weir_service_is_ready(service));
    expect_status(weir_gate_enter(weir_service_gate(service)), WEIR_ECLOSED);
    expect_status(weir_service_start(service), 0);
    expect_int(weir_service_phase(service), WEIR_PHASE_RUNNING);
    expect(weir_service_is_ready(service));
    expect_status(weir_service_wait(service, 0), -ETIMEDOUT);
    expect_status(weir_service_stop(service), 0);
    expect(!weir_service_is_ready(service));
    expect_clean_end();
}

/* covers: weir_service_start -EALREADY */
CASE(service_starts_once)
{
    make();
    expect_status(weir_service_start(service), 0);
    expect_status(weir_service_start(service), -EALREADY);
    (void)weir_service_stop(service);
    expect_status(weir_service_wait(service, -1), 0);
    expect_status(weir_service_start(service), -EALREADY);
    expect_status(weir_service_free(service), 0);
}

/* covers: weir_service_stop -EALREADY */
CASE(service_stop_before_start_is_remembered)
{
    make();
    expect_status(weir_service_stop(service), 0);
    expect_status(weir_service_stop(service), -EALREADY);
    expect_int(weir_service_phase(service), WEIR_PHASE_INIT);
    expect_status(weir_service_start(service), 0);
    expect(!weir_service_is_ready(service));
    expect_clean_end();
}

CASE(service_that_was_never_started_can_be_freed)
{
    weir_loop *loop;
    weir_pool *pool;

    make();
    expect_status(weir_service_add_loop(service, &loop, NULL), 0);
    expect_status(weir_service_add_pool(service, &pool, NULL), 0);
    expect_status(weir_service_free(service), 0);
    expect_int(seen.closed, 0);
    expect_status(weir_service_free(NULL), 0);
}

/* covers: weir_service_free -EBUSY */
CASE(service_that_runs_is_not_freed)
{
    make();
    expect_status(weir_service_start(service), 0);
    expect_int(weir_service_free(service), -EBUSY);
    (void)weir_service_stop(service);
    expect_clean_end();
}

CASE(service_is_not_ready_while_it_says_so)
{
    make();
    weir_service_set_ready(service, false);
    expect_status(weir_service_start(service), 0);
    expect(!weir_service_is_ready(service));
    expect_status(weir_gate_enter(weir_service_gate(service)), 0);
    weir_gate_exit(weir_service_gate(service));
    weir_service_set_ready(service, true);
    expect(weir_service_is_ready(service));
    (void)weir_service_stop(service);
    expect(!weir_service_is_ready(service));
    expect_clean_end();
}

/* ---- the order of the drain ---- */

static void on_draining(void *arg, weir_service *of)
{
    (void)arg;
    expect(of == service);
    expect_int(weir_service_phase(service), WEIR_PHASE_DRAINING);
    tell('d');
}

static void hook_first(void *arg)
{
    (void)arg;
    tell('1');
}

static void hook_second(void *arg)
{
    (void)arg;
    tell('2');
}

static void on_pool_done(void *arg, weir_pool *pool, int status)
{
    (void)arg, (void)pool;
    expect_status(status, 0);
    tell('P');
}

static void on_loop_done(void *arg, weir_loop *loop, int status)
{
    (void)arg, (void)loop;
    expect_status(status, 0);
    tell('L');
}

static void run_task(void *arg, int status)
{
    (void)arg;
    expect_status(status, 0);
    tell('t');
}

/* A job's result goes to the loop, which must still be there. */
static void run_job(void *loop, int status)
{
    expect_status(status, 0);
    expect_status(weir_loop_submit(loop, run_task, NULL), 0);
}

CASE(service_drains_requests_then_hooks_then_pools_then_loops)
{
    weir_loop *loop;
    weir_pool *pool;

    make(.draining = on_draining);
    expect_status(weir_service_add_loop(
                      service, &loop,
                      &(weir_loop_options){.size = sizeof(weir_loop_options),
                                           .done = on_loop_done}),
                  0);
    expect_status(weir_service_add_pool(
                      service, &pool,
                      &(weir_pool_options){.size = sizeof(weir_pool_options),
                                           .workers = 1,
                                           .done = on_pool_done}),
                  0);
    expect_status(weir_service_add_hook(service, "1", -1, hook_first, NULL), 0);
    expect_status(
        weir_service_add_hook(service, "2", SECOND_NS * 60, hook_second, NULL),
        0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_gate_enter(weir_service_gate(service)), 0);
    expect_status(weir_service_stop(service), 0);
    expect_status(weir_service_wait(service, 0), -ETIMEDOUT);
    while (weir_gate_phase(weir_service_gate(service)) == WEIR_PHASE_RUNNING)
        continue;
    expect_status(weir_pool_submit(pool, run_job, loop, NULL), 0);
    tell('r');
    weir_gate_exit(weir_service_gate(service));
    expect_status(weir_service_wait(service, -1), 0);
    /* the job ran beside, whenever it liked: its task is a 't' before 'L' */
    expect(strchr(story, 't') != NULL &&
           strchr(story, 't') < strchr(story, 'L'));
    for (char *t = strchr(story, 't'); *t != '\0'; t++)
        t[0] = t[1];
    expect_string(story, "dr21PLC");
    expect_status(weir_service_free(service), 0);
}

/* covers: weir_gate_enter WEIR_ECLOSED */
CASE(service_that_drains_refuses_requests)
{
    weir_gate *gate;

    make();
    gate = weir_service_gate(service);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_gate_enter(gate), 0);
    expect_status(weir_service_stop(service), 0);
    while (weir_gate_phase(gate) != WEIR_PHASE_DRAINING)
        continue;
    expect_status(weir_gate_enter(gate), WEIR_ECLOSED);
    expect_int(weir_service_phase(service), WEIR_PHASE_DRAINING);
    weir_gate_exit(gate);
    expect_clean_end();
}

/* ---- deadlines ---- */

static sem_t begun, release;

static void block(void *arg, int status)
{
    (void)arg, (void)status;
    sem_post(&begun);
    wait_for(&release);
}

#define make_stuck(...)                                                        \
    make(.grace_ns = MILLISECOND_NS, __VA_ARGS__);                             \
    get_stuck()

static void get_stuck(void)
{
    weir_pool *pool;

    sem_init(&begun, 0, 0);
    sem_init(&release, 0, 0);
    expect_status(weir_service_add_pool(service, &pool, NULL), 0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_pool_submit(pool, block, NULL,
                                   &(weir_submit_options){
                                       .size = sizeof(weir_submit_options),
                                       .name = "sleeper"}),
                  0);
    wait_for(&begun);
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
    expect(job->from != NULL); /* test/unit/place.c: where */
#else
    expect(job->from == NULL);
#endif
    expect_int(weir_service_free(service), -EBUSY);
    sem_post(&release);
    while (weir_service_free(service) != 0)
        continue;
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

/* What has not begun is told so. */
static void expect_cancelled(void *count, int status)
{
    expect_status(status, WEIR_ECANCELED);
    __atomic_add_fetch((unsigned *)count, 1, __ATOMIC_RELAXED);
}

CASE(service_that_is_forced_tells_what_has_not_begun)
{
    weir_pool *pool;
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
    while (weir_service_report(service, NULL, 0) > 2)
        continue;
    while (weir_pool_submit(pool, expect_cancelled, &cancelled, NULL) == 0)
        continue; /* until it is closed */
    sem_post(&release);
    /* all has ended within the grace, so nobody waited for it */
    expect_status(weir_service_wait(service, 30 * SECOND_NS), WEIR_EFORCED);
    expect(__atomic_load_n(&cancelled, __ATOMIC_RELAXED) >= 10);
    expect_status(weir_service_free(service), 0);
}

static void hook_block(void *arg)
{
    wait_for(arg);
}

CASE(service_hook_that_takes_too_long_is_left_behind)
{
    sem_init(&release, 0, 0);
    make();
    expect_status(weir_service_add_hook(service, "last", -1, hook_first, NULL),
                  0);
    expect_status(weir_service_add_hook(service, "stuck", MILLISECOND_NS,
                                        hook_block, &release),
                  0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_service_stop(service), 0);
    expect_status(weir_service_wait(service, -1), 0);
    expect_string(story, "1C");
    expect_int(weir_service_free(service), -EBUSY);
    while ((seen.count = weir_service_report(service, seen.holders, 64)) == 0)
        continue; /* its thread may not have begun yet */
    expect_string(find_holder(WEIR_KIND_HOOK)->name, "stuck");
    sem_post(&release);
    while (weir_service_free(service) != 0)
        continue;
}

/* ---- from inside ---- */

static void free_inside(void *arg, int status)
{
    (void)arg, (void)status;
    /* covers: weir_service_free WEIR_EREENTRANT */
    expect_int(weir_service_free(service), WEIR_EREENTRANT);
    /* covers: weir_service_wait -EDEADLK */
    expect_int(weir_service_wait(service, 0), -EDEADLK);
    expect_status(weir_service_stop(service), 0);
}

CASE(service_can_be_stopped_by_its_own_loop)
{
    weir_loop *loop;

    make();
    expect_status(weir_service_add_loop(service, &loop, NULL), 0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_loop_submit(loop, free_inside, NULL), 0);
    expect_clean_end();
}

static void free_elsewhere(void *arg, int status)
{
    (void)arg, (void)status;
    /* covers: weir_service_free -EDEADLK */
    expect_int(weir_service_free(service), -EDEADLK);
}

CASE(service_is_not_freed_on_another_loops_thread)
{
    weir_loop *loop;

    make();
    expect_status(weir_loop_new(&loop, NULL), 0);
    expect_status(weir_loop_submit(loop, free_elsewhere, NULL), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect_status(weir_loop_free(loop), 0);
    expect_status(weir_service_free(service), 0);
}

/* ---- what the user's options still do ---- */

static void on_breach(void *arg, weir_loop *loop)
{
    (void)loop;
    *(int *)arg += 1;
}

static void on_uncaught(void *arg, weir_loop *loop, const weir_uncaught *what)
{
    (void)loop;
    expect_int(what->code, 77);
    *(int *)arg += 10;
}

static void raise_it(void *arg, int status)
{
    (void)arg, (void)status;
    weir_raise(77, "as a test");
}

static void again(void *loop, int status)
{
    static int left = 100;

    (void)status;
    if (left-- > 0)
        expect_status(weir_loop_microtask(loop, again, loop), 0);
}

CASE(service_loops_keep_their_own_callbacks)
{
    weir_loop *loop;
    int heard = 0;

    make();
    expect_status(weir_service_add_loop(
                      service, &loop,
                      &(weir_loop_options){.size = sizeof(weir_loop_options),
                                           .microtask_budget = 10,
                                           .arg = &heard,
                                           .on_breach = on_breach,
                                           .on_uncaught = on_uncaught}),
                  0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_loop_submit(loop, raise_it, NULL), 0);
    expect_status(weir_loop_submit(loop, again, loop), 0);
    (void)weir_service_stop(service);
    expect_status(weir_service_wait(service, -1), 0);
    expect_int(heard, 11);
    expect_status(weir_service_free(service), 0);
}

/* ---- bad input ---- */

/* covers: weir_service_new -EINVAL
 * covers: weir_service_add_loop -EINVAL
 * covers: weir_service_add_pool -EINVAL
 * covers: weir_service_add_hook -EINVAL
 * covers: weir_service_start -EINVAL
 * covers: weir_service_stop -EINVAL
 * covers: weir_service_force -EINVAL
 * covers: weir_service_wait -EINVAL */
CASE(service_refuses_what_makes_no_sense)
{
    weir_loop *loop = NULL;
    weir_pool *pool = NULL;

    expect_status(weir_service_new(NULL, NULL), -EINVAL);
    expect_status(
        weir_service_new(&service, &(weir_service_options){.size = 3}),
        -EINVAL);
    make();
    expect_status(weir_service_add_loop(NULL, &loop, NULL), -EINVAL);
    expect_status(weir_service_add_loop(service, NULL, NULL), -EINVAL);
    expect_status(
        weir_service_add_loop(service, &loop, &(weir_loop_options){.size = 3}),
        -EINVAL);
    expect_status(weir_service_add_loop(
                      service, &loop,
                      &(weir_loop_options){.size = sizeof(weir_loop_options),
                                           .spin_ns = -1}),
                  -EINVAL);
    expect_status(weir_service_add_pool(NULL, &pool, NULL), -EINVAL);
    expect_status(weir_service_add_pool(service, NULL, NULL), -EINVAL);
    expect_status(
        weir_service_add_pool(service, &pool, &(weir_pool_options){.size = 3}),
        -EINVAL);
    expect_status(weir_service_add_hook(NULL, "h", -1, hook_first, NULL),
                  -EINVAL);
    expect_status(weir_service_add_hook(service, "h", -1, NULL, NULL), -EINVAL);
    expect_status(weir_service_start(NULL), -EINVAL);
    expect_status(weir_service_stop(NULL), -EINVAL);
    expect_status(weir_service_force(NULL), -EINVAL);
    expect_status(weir_service_wait(NULL, 0), -EINVAL);
    expect(loop == NULL && pool == NULL);
    expect_status(weir_service_free(service), 0);
}

/* covers: weir_service_add_loop -EALREADY
 * covers: weir_service_add_pool -EALREADY
 * covers: weir_service_add_hook -EALREADY */
CASE(service_that_was_started_takes_no_more_members)
{
    weir_loop *loop;
    weir_pool *pool;

    make();
    expect_status(weir_service_start(service), 0);
    expect_status(weir_service_add_loop(service, &loop, NULL), -EALREADY);
    expect_status(weir_service_add_pool(service, &pool, NULL), -EALREADY);
    expect_status(weir_service_add_hook(service, "h", -1, hook_first, NULL),
                  -EALREADY);
    (void)weir_service_stop(service);
    expect_clean_end();
}

CASE(service_kinds_have_names)
{
    expect_string(weir_kind_name(WEIR_KIND_TASK), "task");
    expect_string(weir_kind_name(WEIR_KIND_HOOK), "hook");
    expect_string(weir_kind_name((weir_kind)99), "unknown");
}
