/* SPDX-License-Identifier: MIT */
/*
 * service -- what its loops do when the drain begins: weir_service_on_drain.
 */
#include "support/failing_allocator.h"
#include "support/named.h"
#include "support/service_fixture.h"
#include "weir/memory.h"

static weir_loop *loops[2];
static sem_t begun, release;

static void add_loops(int count)
{
    sem_init(&begun, 0, 0);
    sem_init(&release, 0, 0);
    for (int i = 0; i < count; i++)
        expect_status(weir_service_add_loop(service, &loops[i], NULL), 0);
}

static void on_draining(void *arg, weir_service *of)
{
    tell('d');
}

static bool admits(void)
{
    weir_gate *gate = weir_service_gate(service);

    if (weir_gate_enter(gate) != 0)
        return false;
    weir_gate_exit(gate);
    return true;
}

struct note {
    char letter;       /* for the story */
    int loop;          /* which one is notified */
    int calls, status; /* the loop's thread, until the end */
};

#define NOTE(its_letter, its_loop)                                             \
    {                                                                          \
        .letter = its_letter, .loop = its_loop                                 \
    }

static void on_drain(void *arg, int status)
{
    struct note *note = arg;

    note->calls++;
    note->status = status;
    expect(weir_loop_current() == loops[note->loop]);
    if (status == 0) {
        expect(admits());
        expect_int(weir_service_phase(service), WEIR_PHASE_DRAINING);
        expect(!weir_service_is_ready(service));
    }
    tell(note->letter);
}

static void note(struct note *note)
{
    expect_status(
        weir_service_on_drain(service, loops[note->loop], on_drain, note), 0);
}

static void block(void *arg, int status)
{
    sem_post(&begun);
    wait_for(&release);
}

static void block_loop(int i)
{
    expect_status(submit_named(loops[i], block, NULL, "blocker"), 0);
    wait_for(&begun);
}

static void await_drain(void)
{
    while (weir_service_phase(service) != WEIR_PHASE_DRAINING)
        continue;
}

/* ---- in its order ---- */

CASE(service_drain_tells_a_loop_before_the_gate_shuts)
{
    struct note a = NOTE('a', 0), b = NOTE('b', 0);

    make(.draining = on_draining);
    add_loops(1);
    note(&a);
    note(&b);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_service_stop(service), 0);
    expect_clean_end();
    expect_string(story, "dabC");
    expect_status(a.status, 0);
}

CASE(service_drain_that_has_not_begun_tells_nobody)
{
    struct note a = NOTE('a', 0);

    make();
    add_loops(1);
    note(&a);
    expect_status(weir_service_start(service), 0);
    while (weir_service_report(service, NULL, 0, sizeof(weir_holder)) > 0)
        continue; /* until it is added; it does not hold the service */
    expect(admits());
    expect_string(story, "");
    expect_status(weir_service_stop(service), 0);
    expect_clean_end();
    expect_string(story, "aC");
}

/* The task that `draining` could post would come too late. */
CASE(service_gate_admits_until_the_last_loop_was_told)
{
    struct note a = NOTE('a', 0), b = NOTE('b', 1);

    make();
    add_loops(2);
    note(&a);
    note(&b);
    expect_status(weir_service_start(service), 0);
    block_loop(1);
    expect_status(weir_service_stop(service), 0);
    await_drain();
    for (int i = 0; i < 1000; i++)
        expect(admits());
    expect(weir_service_report(service, seen.holders, 64,
                               sizeof(weir_holder)) >= 1);
    expect_string(seen.holders[0].name, "blocker"); /* runs the longest */
    sem_post(&release);
    expect_status(weir_service_wait(service, -1), 0);
    expect(!admits());
    expect_clean_end();
    expect_int(a.calls + b.calls, 2);
    expect_status(a.status, 0);
    expect_status(b.status, 0);
}

static void raise_an_error(void *arg, int status)
{
    ++*(int *)arg;
    weir_raise(-EIO, "as it happens");
}

static void on_uncaught(void *arg, weir_loop *of, const weir_uncaught *what)
{
    expect_int(what->code, -EIO);
    expect_int(what->kind, WEIR_KIND_HOOK);
    expect_string(what->name, "on_drain");
    tell('u');
}

CASE(service_drain_goes_on_after_a_function_that_raises)
{
    weir_loop_options options = {.size = sizeof(options),
                                 .on_uncaught = on_uncaught};
    struct note a = NOTE('a', 0);
    int calls = 0;

    make();
    expect_status(weir_service_add_loop(service, &loops[0], &options), 0);
    expect_status(
        weir_service_on_drain(service, loops[0], raise_an_error, &calls), 0);
    note(&a);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_service_stop(service), 0);
    expect_clean_end();
    expect_string(story, "uaC");
    expect_int(calls, 1);
}

/* ---- a loop that ends before ---- */

static void expect_cancelled(const struct note *note)
{
    expect_int(note->calls, 1);
    expect_status(note->status, WEIR_ECANCELED);
}

/* covers: weir_service_on_drain WEIR_ECLOSED */
CASE(service_loop_that_is_closed_before_the_start_is_not_waited_for)
{
    struct note a = NOTE('a', 0), b = NOTE('b', 1), late = NOTE('?', 0);

    make();
    add_loops(2);
    note(&a);
    note(&b);
    expect_status(weir_loop_close(loops[0], -1), 0);
    expect_cancelled(&a);
    expect_status(weir_service_on_drain(service, loops[0], on_drain, &late),
                  WEIR_ECLOSED);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_service_stop(service), 0);
    expect_clean_end();
    expect_string(story, "abC");
    expect_status(b.status, 0);
    expect_int(late.calls, 0);
}

CASE(service_loop_that_is_shut_down_before_the_drain_is_not_waited_for)
{
    struct note a = NOTE('a', 0);

    make();
    add_loops(1);
    note(&a);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_loop_shutdown(loops[0], -1), 0);
    expect_cancelled(&a);
    expect_status(weir_service_stop(service), 0);
    expect_clean_end();
    expect_string(story, "aC");
}

/* It no longer admits, and has not ended. */
CASE(service_loop_that_is_about_to_end_is_not_waited_for)
{
    struct note a = NOTE('a', 0);

    make();
    add_loops(1);
    note(&a);
    expect_status(weir_service_start(service), 0);
    block_loop(0);
    expect_status(weir_loop_shutdown(loops[0], 0), -ETIMEDOUT);
    expect_status(weir_service_stop(service), 0);
    while (admits())
        continue;
    expect_string(story, "");
    sem_post(&release);
    expect_clean_end();
    expect_cancelled(&a);
}

CASE(service_that_was_never_started_tells_its_loops_that_nothing_came)
{
    struct note a = NOTE('a', 0);

    make();
    add_loops(1);
    note(&a);
    expect_status(weir_service_free(service), 0);
    expect_cancelled(&a);
}

/* ---- by force ---- */

CASE(service_deadline_does_not_wait_for_a_loop_that_was_not_told)
{
    struct note a = NOTE('a', 0);

    make(.timeout_ns = MILLISECOND_NS, .grace_ns = MILLISECOND_NS);
    add_loops(1);
    note(&a);
    expect_status(weir_service_start(service), 0);
    block_loop(0);
    expect_status(weir_service_stop(service), 0);
    expect_status(weir_service_wait(service, -1), WEIR_EFORCED);
    expect(!admits());
    expect_string(seen.holders[0].name, "blocker");
    expect_string(story, "C");
    expect_int(weir_service_free(service), -EBUSY);
    sem_post(&release);
    while (weir_service_free(service) != 0)
        continue;
    expect_cancelled(&a);
}

/* The gate shuts, though the loop has not been told. */
CASE(service_force_shuts_the_gate_at_once)
{
    struct note a = NOTE('a', 0);

    make(.timeout_ns = -1, .grace_ns = 60 * SECOND_NS);
    add_loops(1);
    note(&a);
    expect_status(weir_service_start(service), 0);
    block_loop(0);
    expect_status(weir_service_stop(service), 0);
    await_drain();
    expect(admits());
    expect_status(weir_service_force(service), 0);
    while (admits())
        continue;
    while (weir_loop_state(loops[0]) != WEIR_LOOP_TERMINATING)
        continue;
    sem_post(&release);
    expect_status(weir_service_wait(service, -1), WEIR_EFORCED);
    expect_status(weir_service_free(service), 0);
    expect_cancelled(&a);
}

static void on_drain_or_not(void *arg, int status)
{
    ++*(int *)arg;
    expect(status == 0 || status == WEIR_ECANCELED);
}

CASE(service_force_without_stop_tells_its_loops_once)
{
    int calls = 0;

    make(.timeout_ns = -1, .grace_ns = 60 * SECOND_NS);
    add_loops(1);
    expect_status(
        weir_service_on_drain(service, loops[0], on_drain_or_not, &calls), 0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_service_force(service), 0);
    expect_status(weir_service_wait(service, -1), WEIR_EFORCED);
    expect(!admits());
    expect_status(weir_service_free(service), 0);
    expect_int(calls, 1);
}

static void get_stuck(void *arg, int status)
{
    expect_status(status, 0);
    sem_post(&begun);
    wait_for(&release);
}

CASE(service_report_names_a_function_that_is_stuck)
{
    make(.timeout_ns = -1, .grace_ns = MILLISECOND_NS);
    add_loops(1);
    expect_status(weir_service_on_drain(service, loops[0], get_stuck, NULL), 0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_service_stop(service), 0);
    wait_for(&begun);
    expect_status(weir_service_force(service), 0);
    expect_status(weir_service_wait(service, -1), WEIR_EFORCED);
    expect(seen.holders[0].is_running);
    expect_int(seen.holders[0].kind, WEIR_KIND_HOOK);
    expect_string(seen.holders[0].name, "on_drain");
    sem_post(&release);
    while (weir_service_free(service) != 0)
        continue;
}

/* ---- what is refused ---- */

/* covers: weir_service_on_drain -EINVAL */
CASE(service_on_drain_of_nothing_or_of_a_stranger_is_refused)
{
    struct note a = NOTE('a', 0);
    weir_loop *other;

    make();
    add_loops(1);
    expect_status(weir_loop_new(&other, NULL), 0);
    expect_status(weir_service_on_drain(NULL, loops[0], on_drain, &a), -EINVAL);
    expect_status(weir_service_on_drain(service, NULL, on_drain, &a), -EINVAL);
    expect_status(weir_service_on_drain(service, loops[0], NULL, &a), -EINVAL);
    expect_status(weir_service_on_drain(service, other, on_drain, &a), -EINVAL);
    expect_status(weir_loop_free(other), 0);
    expect_status(weir_service_free(service), 0);
    expect_int(a.calls, 0);
}

/* covers: weir_service_on_drain -EALREADY */
CASE(service_on_drain_after_the_start_is_refused)
{
    struct note a = NOTE('a', 0);

    make();
    add_loops(1);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_service_on_drain(service, loops[0], on_drain, &a),
                  -EALREADY);
    expect_status(weir_service_stop(service), 0);
    expect_clean_end();
    expect_int(a.calls, 0);
}

/* covers: weir_service_on_drain -ENOMEM */
CASE(service_on_drain_without_memory_has_no_effect)
{
    struct failing_allocator memory;
    struct note a = NOTE('a', 0), refused = NOTE('?', 0);
    int err, failures = 0;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    make();
    add_loops(1);
    for (uint64_t nth = 1;; nth++) {
        memory.fail_at = memory.calls + nth;
        err = weir_service_on_drain(service, loops[0], on_drain,
                                    failures == 0 ? &refused : &a);
        if (err == 0)
            break;
        expect_status(err, -ENOMEM);
        failures++;
    }
    memory.fail_at = 0;
    expect(failures > 0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_service_stop(service), 0);
    expect_clean_end();
    expect_int(a.calls, 1);
    expect_int(refused.calls, 0);
}
