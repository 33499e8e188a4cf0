/* SPDX-License-Identifier: MIT */
/*
 * promisify -- blocking work on a pool, and its outcome on the loop.
 */
#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing_allocator.h"
#include "support/suite.h"
#include "weir/abort.h"
#include "weir/host/loop.h"
#include "weir/loop.h"
#include "weir/promise.h"
#include "weir/timer.h"

static struct failing_allocator memory;
static weir_loop *loop;
static weir_pool *pool;
static sem_t begun, release;
static int freed, called;

static const weir_pool_options one = {
    .size = sizeof(one), .workers = 1, .max_workers = 1};

static void begin(void)
{
    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    sem_init(&begun, 0, 0);
    sem_init(&release, 0, 0);
    expect_status(weir_loop_new(&loop, NULL), 0);
    expect_status(weir_pool_new(&pool, &one), 0);
}

static void end(void)
{
    expect_status(weir_pool_shutdown(pool, -1), 0);
    expect_status(weir_pool_free(pool), 0);
    expect_status(weir_loop_free(loop), 0);
    expect_int(memory.live, 0);
}

static void wait_for(sem_t *sem)
{
    while (sem_wait(sem) != 0)
        expect_int(errno, EINTR);
}

static void free_value(void *data)
{
    expect(data == &freed);
    __atomic_add_fetch(&freed, 1, __ATOMIC_RELAXED);
}

/* What the handlers saw. */
static struct {
    int fulfilled, rejected, code;
    void *data;
} seen;

static weir_result on_value(void *arg, const weir_value *value)
{
    seen.fulfilled++;
    seen.data = value->data;
    return weir_pass();
}

static weir_result on_error(void *arg, const weir_value *value)
{
    seen.rejected++;
    seen.code = value->code;
    seen.data = value->data;
    return weir_give(weir_value_of(NULL, NULL));
}

static void watch(weir_promise *promise)
{
    expect_status(weir_promise_then(promise, on_value, on_error, NULL, NULL),
                  0);
    weir_promise_unref(promise);
}

static int give(void *arg, weir_value *value)
{
    __atomic_add_fetch(&called, 1, __ATOMIC_RELAXED);
    expect(weir_pool_current() == pool);
    expect(value->data == NULL && value->free == NULL && value->code == 0);
    *value = weir_value_of(arg, free_value);
    return 0;
}

static int fail(void *arg, weir_value *value)
{
    *value = weir_value_of(arg, free_value);
    return -EIO;
}

/* Until idle: the call holds the loop. */
static void run_loop(void)
{
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
}

CASE(promisify_fulfils_with_what_the_function_gives)
{
    weir_promise *promise;

    begin();
    expect_status(
        weir_promisify(&promise, loop, pool, give, &freed, NULL, NULL), 0);
    watch(promise);
    run_loop();
    expect_int(seen.fulfilled, 1);
    expect(seen.data == &freed);
    end();
    expect_int(freed, 1);
}

CASE(promisify_rejects_with_the_error)
{
    weir_promise *promise;

    begin();
    expect_status(
        weir_promisify(&promise, loop, pool, fail, &freed, NULL, NULL), 0);
    watch(promise);
    run_loop();
    expect_int(seen.rejected, 1);
    expect_status(seen.code, -EIO);
    expect(seen.data == &freed);
    end();
    expect_int(freed, 1);
}

/* ---- the handler is a microtask ---- */

static char order[16];

static void note(const char *word)
{
    strncat(order, word, sizeof(order) - strlen(order) - 1);
}

static void note_call(void *word, int status)
{
    expect_status(status, 0);
    note(word);
}

static weir_result queue_both(void *word, const weir_value *value)
{
    note(word);
    expect_status(weir_loop_checkpoint(loop), WEIR_EREENTRANT);
    expect_status(weir_loop_next_tick(loop, note_call, "t"), 0);
    expect_status(weir_loop_microtask(loop, note_call, "m"), 0);
    return weir_give(weir_value_of(NULL, NULL));
}

static void send_handlers(void *arg, int status)
{
    weir_promise *promise;

    expect_status(status, 0);
    expect_status(
        weir_promisify(&promise, loop, pool, give, &freed, NULL, NULL), 0);
    for (int i = 0; i < *(int *)arg; i++)
        expect_status(weir_promise_then(promise, queue_both, NULL, "h", NULL),
                      0);
    weir_promise_unref(promise);
}

static void expect_order(int handlers, const char *expected)
{
    begin();
    order[0] = '\0';
    expect_status(weir_loop_submit(loop, send_handlers, &handlers), 0);
    run_loop();
    end();
    expect_string(order, expected);
}

/* Next-ticks do not break into the microtasks, of which the handler is one. */
CASE(promisify_handler_is_a_microtask)
{
    expect_order(1, "hmt");
}

CASE(promisify_handlers_are_microtasks)
{
    expect_order(2, "hhmmtt");
}

static int breaches;

static void count_breach(void *arg, weir_loop *told)
{
    breaches++;
}

static void expect_breaches(uint32_t budget, int expected)
{
    const weir_loop_options options = {.size = sizeof(options),
                                       .microtask_budget = budget,
                                       .on_breach = count_breach};
    int handlers = 1;

    begin();
    expect_status(weir_loop_free(loop), 0);
    expect_status(weir_loop_new(&loop, &options), 0);
    order[0] = '\0';
    expect_status(weir_loop_submit(loop, send_handlers, &handlers), 0);
    run_loop();
    end();
    expect_int(breaches, expected);
}

CASE(promisify_handler_uses_the_budget)
{
    expect_breaches(2, 1);
    expect_string(order, "hmt");
}

CASE(promisify_handler_within_the_budget_is_no_breach)
{
    expect_breaches(3, 0);
}

static weir_result raise_it(void *arg, const weir_value *value)
{
    weir_raise(-EDOM, "a handler");
}

static void send_raising(void *arg, int status)
{
    weir_promise *promise, *derived;

    expect_status(status, 0);
    expect_status(
        weir_promisify(&promise, loop, pool, give, &freed, NULL, NULL), 0);
    expect_status(weir_promise_then(promise, raise_it, NULL, NULL, &derived),
                  0);
    weir_promise_unref(promise);
    watch(derived);
}

CASE(promisify_handler_that_raises_rejects_what_then_made)
{
    begin();
    expect_status(weir_loop_submit(loop, send_raising, NULL), 0);
    run_loop();
    expect_int(seen.rejected, 1);
    expect_status(seen.code, -EDOM);
    end();
    expect_int(freed, 1);
}

static weir_result give_one(void *arg, const weir_value *value)
{
    return weir_give(weir_value_of(&freed, free_value));
}

static void send_and_forget(void *arg, int status)
{
    weir_promise *promise;

    expect_status(status, 0);
    expect_status(
        weir_promisify(&promise, loop, pool, give, &freed, NULL, NULL), 0);
    expect_status(weir_promise_then(promise, give_one, NULL, NULL, NULL), 0);
    weir_promise_unref(promise);
}

CASE(promisify_handlers_result_that_nobody_wants_is_freed)
{
    begin();
    expect_status(weir_loop_submit(loop, send_and_forget, NULL), 0);
    run_loop();
    expect_int(freed, 2);
    end();
    expect_int(freed, 2);
}

static int block(void *arg, weir_value *value)
{
    sem_post(&begun);
    wait_for(&release);
    return give(arg, value);
}

CASE(promisify_that_is_queued_is_cancelled_by_a_close)
{
    weir_promise *first, *second;

    begin();
    expect_status(weir_promisify(&first, loop, pool, block, &freed, NULL, NULL),
                  0);
    wait_for(&begun);
    expect_status(weir_promisify(&second, loop, pool, give, &freed, NULL, NULL),
                  0);
    watch(second);
    weir_promise_unref(first);
    expect_status(weir_pool_close(pool, 0), -ETIMEDOUT);
    sem_post(&release);
    run_loop();
    expect_int(seen.rejected, 1);
    expect_status(seen.code, WEIR_ECANCELED);
    expect_int(called, 1);
    end();
    expect_int(freed, 1);
}

static weir_submit_options with(weir_abort *abort)
{
    return (weir_submit_options){.size = sizeof(weir_submit_options),
                                 .name = "blocking",
                                 .abort = abort};
}

/* A job that runs, and can be aborted. */
static weir_abort *begin_abortable(void)
{
    weir_submit_options options;
    weir_promise *promise;
    weir_abort *abort;

    expect_status(weir_abort_new(&abort), 0);
    options = with(abort);
    expect_status(
        weir_promisify(&promise, loop, pool, block, &freed, NULL, &options), 0);
    watch(promise);
    wait_for(&begun);
    return abort;
}

CASE(promisify_is_rejected_at_once_when_its_abort_is_raised)
{
    weir_abort *abort;

    begin();
    abort = begin_abortable();
    expect_int(weir_abort_raise(abort, 3), 0);
    while (seen.rejected == 0)
        expect_status(weir_loop_step(loop, -1), 0);
    expect_status(seen.code, WEIR_ECANCELED);
    expect_int(freed, 0);
    sem_post(&release); /* what it gives now is dropped */
    run_loop();
    expect_int(seen.fulfilled, 0);
    weir_abort_unref(abort);
    end();
    expect_int(freed, 1);
}

CASE(promisify_with_an_abort_that_is_raised_does_not_run)
{
    weir_promise *promise;
    weir_submit_options options;
    weir_abort *abort;

    begin();
    expect_status(weir_abort_new(&abort), 0);
    expect_int(weir_abort_raise(abort, 3), 0);
    options = with(abort);
    expect_status(
        weir_promisify(&promise, loop, pool, give, &freed, NULL, &options), 0);
    weir_abort_unref(abort);
    watch(promise);
    run_loop();
    expect_int(seen.rejected, 1);
    end();
    expect_int(called, 0);
}

static int reported;

static void count_rejection(void *arg, weir_loop *of,
                            const weir_rejection *what)
{
    reported++;
}

static int never_runs(void *arg, weir_value *value)
{
    expect(false);
    return 0;
}

static void promisify_in_vain(void *abort, int status)
{
    weir_submit_options options = with(abort);
    weir_promise *promise = NULL;

    expect_status(
        weir_promisify(&promise, loop, pool, never_runs, NULL, NULL, &options),
        WEIR_ECLOSED);
    expect(promise == NULL);
}

/* Nobody has the promise that the abort rejects. */
static void expect_silence(bool is_local)
{
    weir_loop_options options = {.size = sizeof(options),
                                 .on_rejection = count_rejection};
    weir_abort *abort;

    begin();
    expect_status(weir_loop_free(loop), 0);
    expect_status(weir_loop_new(&loop, &options), 0);
    expect_status(weir_abort_new(&abort), 0);
    expect_int(weir_abort_raise(abort, 3), 0);
    expect_status(weir_pool_shutdown(pool, -1), 0);
    if (is_local)
        expect_status(weir_loop_submit(loop, promisify_in_vain, abort), 0);
    else
        promisify_in_vain(abort, 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect_int(reported, 0);
    weir_abort_unref(abort);
    end();
}

CASE(promisify_that_is_refused_reports_no_rejection)
{
    expect_silence(true);
}

CASE(promisify_that_is_refused_elsewhere_reports_no_rejection)
{
    expect_silence(false);
}

CASE(promisify_lets_go_of_an_abort_that_is_never_raised)
{
    weir_promise *promise;
    weir_submit_options options;
    weir_abort *abort;

    begin();
    expect_status(weir_abort_new(&abort), 0);
    options = with(abort);
    for (int i = 0; i < 100; i++) {
        expect_status(
            weir_promisify(&promise, loop, pool, give, &freed, NULL, &options),
            0);
        weir_promise_unref(promise);
    }
    run_loop();
    weir_abort_unref(abort);
    end();
    expect_int(called, 100);
    expect_int(freed, 100);
}

CASE(promisify_outcome_after_the_end_of_the_loop_is_dropped)
{
    weir_promise *promise;

    begin();
    expect_status(
        weir_promisify(&promise, loop, pool, block, &freed, NULL, NULL), 0);
    watch(promise);
    wait_for(&begun);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_int(seen.rejected, 1);
    expect_status(seen.code, WEIR_ECANCELED);
    sem_post(&release);
    end();
    expect_int(freed, 1);
}

/* ---- sent by the loop's thread ---- */

static void on_loop(weir_fn *fn, void *arg)
{
    expect_status(weir_loop_submit(loop, fn, arg), 0);
}

static void send_one(void *fn, int status)
{
    weir_promise *promise;

    expect_status(status, 0);
    expect_status(weir_promisify(&promise, loop, pool, *(weir_blocking_fn **)fn,
                                 &freed, NULL, NULL),
                  0);
    watch(promise);
}

CASE(promisify_from_the_loop_fulfils_and_holds_it_until_then)
{
    weir_blocking_fn *fn = give;

    begin();
    for (int i = 0; i < 100; i++)
        on_loop(send_one, &fn);
    run_loop();
    expect_int(seen.fulfilled, 100);
    end();
    expect_int(freed, 100);
}

CASE(promisify_from_the_loop_rejects_with_the_error)
{
    weir_blocking_fn *fn = fail;

    begin();
    on_loop(send_one, &fn);
    run_loop();
    expect_int(seen.rejected, 1);
    expect_status(seen.code, -EIO);
    expect(seen.data == &freed);
    end();
    expect_int(freed, 1);
}

/* What holds the loop is shown, until the job has ended. */
CASE(promisify_from_the_loop_is_reported_as_a_reference)
{
    weir_blocking_fn *fn = block;
    weir_holder holders[4];

    begin();
    on_loop(send_one, &fn);
    expect_status(weir_loop_step(loop, 0), 0);
    wait_for(&begun);
    expect_int(weir_loop_report(loop, holders, 4, sizeof(weir_holder)), 1);
    expect_int(holders[0].kind, WEIR_KIND_REF);
    expect_int(holders[0].count, 1);
    sem_post(&release);
    run_loop();
    expect_int(weir_loop_report(loop, holders, 4, sizeof(weir_holder)), 0);
    expect_int(seen.fulfilled, 1);
    end();
}

static weir_promise *early;

static void settle_early(void *arg, int status)
{
    expect_status(status, 0);
    expect_status(weir_promisify(&early, loop, pool, block, &freed, NULL, NULL),
                  0);
    expect_status(weir_promise_resolve(early, weir_value_of(NULL, NULL)), 0);
    watch(early);
}

CASE(promisify_from_the_loop_that_was_settled_before_drops_the_outcome)
{
    begin();
    on_loop(settle_early, NULL);
    expect_status(weir_loop_step(loop, 0), 0);
    wait_for(&begun);
    expect_int(seen.fulfilled, 1);
    expect_int(freed, 0);
    sem_post(&release);
    run_loop(); /* held until the job is over */
    expect_int(freed, 1);
    end();
}

CASE(promisify_from_the_loop_is_cancelled_by_a_close_of_the_pool)
{
    weir_blocking_fn *first = block, *second = give;

    begin();
    on_loop(send_one, &first);
    on_loop(send_one, &second);
    expect_status(weir_loop_step(loop, 0), 0);
    wait_for(&begun);
    expect_status(weir_pool_close(pool, 0), -ETIMEDOUT);
    sem_post(&release);
    run_loop();
    expect_int(seen.fulfilled, 1);
    expect_int(seen.rejected, 1);
    expect_status(seen.code, WEIR_ECANCELED);
    expect_int(called, 1);
    end();
    expect_int(freed, 1);
}

CASE(promisify_from_the_loop_outlives_it)
{
    weir_blocking_fn *fn = block;

    begin();
    on_loop(send_one, &fn);
    expect_status(weir_loop_step(loop, 0), 0);
    wait_for(&begun);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_int(seen.rejected, 1);
    expect_status(seen.code, WEIR_ECANCELED);
    sem_post(&release);
    end();
    expect_int(freed, 1);
}

static void fail_from_the_loop(void *arg, int status)
{
    weir_submit_options bad = {.size = sizeof(bad),
                               .priority = (weir_priority)99};
    weir_promise *promise = NULL;
    int err = 1;

    expect_status(status, 0);
    expect_status(weir_promisify(&promise, loop, pool, give, NULL, NULL, &bad),
                  -EINVAL);
    for (uint64_t nth = 1; err != 0; nth++) {
        memory.fail_at = memory.calls + nth;
        err = weir_promisify(&promise, loop, pool, give, &freed, NULL, NULL);
        expect(err == 0 || (err == -ENOMEM && promise == NULL));
    }
    memory.fail_at = 0;
    weir_promise_unref(promise);
    expect_status(weir_pool_shutdown(pool, 0), -ETIMEDOUT);
    promise = NULL;
    expect_status(weir_promisify(&promise, loop, pool, give, NULL, NULL, NULL),
                  WEIR_ECLOSED);
    expect(promise == NULL);
}

CASE(promisify_from_the_loop_that_fails_changes_nothing)
{
    begin();
    on_loop(fail_from_the_loop, NULL);
    run_loop();
    expect_int(called, 1);
    end();
    expect_int(freed, 1);
}

static void post_release(void *arg, int status)
{
    sem_post(&release);
}

/* ---- a shutdown lets jobs finish ---- */

static const weir_submit_options named = {.size = sizeof(named),
                                          .name = "blocking"};

static void expect_jobs(unsigned count, const char *name)
{
    weir_holder holders[32];
    size_t rows = weir_loop_report(loop, holders, 32, sizeof(weir_holder));
    uint64_t jobs = 0;

    for (size_t i = 0; i < rows; i++) {
        expect_int(holders[i].kind, WEIR_KIND_JOB);
        jobs += holders[i].count;
        expect(!holders[i].is_running);
        expect(holders[i].age_ns >= 0);
        if (name != NULL)
            expect_string(holders[i].name, name);
    }
    expect_int(jobs, count);
}

/* One that runs and one that is queued. */
static void send_two(void *options, int status)
{
    weir_promise *promise;

    expect_status(status, 0);
    expect_status(
        weir_promisify(&promise, loop, pool, block, &freed, NULL, options), 0);
    watch(promise);
    expect_status(
        weir_promisify(&promise, loop, pool, give, &freed, NULL, options), 0);
    watch(promise);
}

static void expect_shutdown_to_wait_for_two(void)
{
    expect_status(weir_loop_shutdown(loop, 1000000), -ETIMEDOUT);
    expect_int(seen.fulfilled + seen.rejected, 0);
    expect_jobs(2, "blocking");
    sem_post(&release);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_int(seen.fulfilled, 2);
    expect_int(seen.rejected, 0);
    end();
    expect_int(freed, 2);
}

CASE(shutdown_waits_for_jobs_that_the_loop_has_sent)
{
    begin();
    on_loop(send_two, (void *)&named);
    expect_status(weir_loop_step(loop, 0), 0);
    wait_for(&begun);
    expect_shutdown_to_wait_for_two();
}

CASE(shutdown_waits_for_jobs_that_others_have_sent)
{
    begin();
    send_two((void *)&named, 0);
    wait_for(&begun);
    expect_shutdown_to_wait_for_two();
}

CASE(shutdown_waits_for_jobs_with_an_abort)
{
    weir_submit_options options;
    weir_abort *abort;

    begin();
    expect_status(weir_abort_new(&abort), 0);
    options = with(abort);
    on_loop(send_two, &options);
    expect_status(weir_loop_step(loop, 0), 0);
    wait_for(&begun);
    weir_abort_unref(abort);
    expect_shutdown_to_wait_for_two();
}

/* fn may use what its sender frees when the loop is over. */
CASE(shutdown_waits_for_a_job_whose_promise_was_aborted)
{
    weir_abort *abort;

    begin();
    abort = begin_abortable();
    expect_status(weir_abort_raise(abort, 1), 0);
    weir_abort_unref(abort);
    expect_status(weir_loop_shutdown(loop, 1000000), -ETIMEDOUT);
    expect_int(seen.rejected, 1);
    expect_jobs(1, "blocking");
    sem_post(&release);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_int(freed, 1);
    end();
}

CASE(close_does_not_wait_for_jobs_that_a_shutdown_waits_for)
{
    weir_holder holder;

    begin();
    on_loop(send_two, (void *)&named);
    expect_status(weir_loop_step(loop, 0), 0);
    send_two((void *)&named, 0);
    wait_for(&begun);
    expect_status(weir_loop_shutdown(loop, 1000000), -ETIMEDOUT);
    expect_jobs(4, "blocking");
    expect_status(weir_loop_close(loop, -1), 0);
    expect_int(weir_loop_report(loop, &holder, 1, sizeof(weir_holder)), 0);
    expect_int(seen.rejected, 4);
    expect_status(seen.code, WEIR_ECANCELED);
    sem_post(&release);
    sem_post(&release);
    end();
    expect_int(freed, 4);
}

static void send_many(void *arg, int status)
{
    weir_promise *promise;

    expect_status(status, 0);
    for (int i = 0; i < 1000; i++) {
        expect_status(weir_promisify(&promise, loop, pool,
                                     i == 0 ? block : give, &freed, NULL, NULL),
                      0);
        watch(promise);
    }
}

/* The oldest are named one by one, the others are a number. */
CASE(report_of_a_shutdown_that_waits_for_many_jobs_counts_all)
{
    weir_holder holders[100];
    size_t count;
    uint64_t jobs = 0;

    begin();
    on_loop(send_many, NULL);
    expect_status(weir_loop_step(loop, 0), 0);
    wait_for(&begun);
    expect_status(weir_loop_shutdown(loop, 1000000), -ETIMEDOUT);
    count = weir_loop_report(loop, holders, 100, sizeof(weir_holder));
    expect(count < 100);
    for (size_t i = 0; i < count; i++) {
        expect_int(holders[i].kind, WEIR_KIND_JOB);
        jobs += holders[i].count;
    }
    expect_int(jobs, 1000);
    sem_post(&release);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_int(seen.fulfilled, 1000);
    end();
    expect_int(freed, 1000);
}

/* It would wait for itself. */
static int shut_down_in_job(void *arg, weir_value *value)
{
    expect_status(weir_loop_shutdown(loop, -1), -EDEADLK);
    expect_status(weir_loop_shutdown(loop, 1), -EDEADLK);
    sem_post(&begun);
    wait_for(&release); /* until somebody runs the loop */
    expect_status(weir_loop_shutdown(loop, 0), -ETIMEDOUT);
    return 0;
}

CASE(shutdown_in_a_job_that_the_loop_waits_for_only_begins)
{
    for (int i = 0; i < 2; i++) {
        weir_blocking_fn *fn = shut_down_in_job;
        weir_promise *promise;

        begin();
        if (i == 0) {
            on_loop(send_one, &fn);
        } else {
            expect_status(
                weir_promisify(&promise, loop, pool, fn, NULL, NULL, NULL), 0);
            watch(promise);
        }
        on_loop(post_release, NULL);
        expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), 0);
        expect_int(seen.fulfilled, i + 1);
        end();
    }
}

/* A handler's job is one more that is waited for; a timer's is refused, once
 * timers are notified of the end. */
static void on_end(void *arg, int status)
{
    weir_promise *promise;

    expect_status(status, WEIR_ECANCELED);
    note("t");
    expect_status(
        weir_promisify(&promise, loop, pool, give, &freed, NULL, NULL),
        WEIR_ECLOSED);
    expect_status(
        weir_promisify(&promise, loop, pool, give, &freed, NULL, &named),
        WEIR_ECLOSED);
}

static weir_result send_next(void *arg, const weir_value *value)
{
    weir_promise *promise;

    note("h");
    expect_status(
        weir_promisify(&promise, loop, pool, give, &freed, NULL, NULL), 0);
    watch(promise);
    return weir_pass();
}

static void send_chain(void *arg, int status)
{
    weir_promise *promise;

    expect_status(status, 0);
    expect_status(weir_timer_start(loop, NULL, INT64_C(3600000000000),
                                   WEIR_TIMER_ONCE, on_end, NULL),
                  0);
    expect_status(
        weir_promisify(&promise, loop, pool, block, &freed, NULL, NULL), 0);
    expect_status(weir_promise_then(promise, send_next, NULL, NULL, NULL), 0);
    weir_promise_unref(promise);
    expect_status(weir_loop_shutdown(loop, -1), 0);
}

CASE(shutdown_waits_for_jobs_before_it_cancels_timers)
{
    begin();
    on_loop(send_chain, NULL);
    sem_post(&release);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), 0);
    expect_string(order, "ht");
    expect_int(seen.fulfilled, 1);
    end();
    expect_int(freed, 2);
}

/* covers: weir_promisify -EINVAL
 * covers: weir_promisify -ENOMEM
 * covers: weir_promisify WEIR_ECLOSED */
CASE(promisify_that_fails_changes_nothing)
{
    weir_promise *promise = NULL;
    weir_submit_options bad = {.size = 3}, options;
    weir_abort *abort;
    int err = 1;

    begin();
    expect_status(weir_promisify(NULL, loop, pool, give, NULL, NULL, NULL),
                  -EINVAL);
    expect_status(weir_promisify(&promise, NULL, pool, give, NULL, NULL, NULL),
                  -EINVAL);
    expect_status(weir_promisify(&promise, loop, NULL, give, NULL, NULL, NULL),
                  -EINVAL);
    expect_status(weir_promisify(&promise, loop, pool, NULL, NULL, NULL, NULL),
                  -EINVAL);
    expect_status(weir_promisify(&promise, loop, pool, give, NULL, NULL, &bad),
                  -EINVAL);
    expect_status(weir_abort_new(&abort), 0);
    options = with(abort);
    options.priority = (weir_priority)99;
    expect_status(
        weir_promisify(&promise, loop, pool, give, NULL, NULL, &options),
        -EINVAL);
    expect(promise == NULL);
    options = with(abort);
    for (uint64_t nth = 1; err != 0; nth++) {
        memory.fail_at = memory.calls + nth;
        err =
            weir_promisify(&promise, loop, pool, give, &freed, NULL, &options);
        expect(err == 0 || (err == -ENOMEM && promise == NULL));
    }
    memory.fail_at = 0;
    weir_promise_unref(promise);
    run_loop();
    expect_status(weir_pool_shutdown(pool, -1), 0);
    promise = NULL;
    expect_status(
        weir_promisify(&promise, loop, pool, give, NULL, NULL, &options),
        WEIR_ECLOSED);
    expect(promise == NULL);
    weir_abort_unref(abort);
    run_loop(); /* nothing holds it */
    end();
}
