/* SPDX-License-Identifier: MIT */
/*
 * promisify_release -- the argument of a blocking function is released exactly
 * once, when the function is over or will never begin, whatever becomes of the
 * promise; and never if the call was refused.
 *
 * The argument is allocated memory that the function reads last of all, so that
 * AddressSanitizer sees a release that comes too early, twice or not at all.
 */
#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/failing_allocator.h"
#include "support/suite.h"
#include "weir/abort.h"
#include "weir/loop.h"
#include "weir/promise.h"

enum { FRESH = 41, READ = 42 };

struct argument {
    int mark;
};

/* Each case is played in each of these ways. */
static const struct way {
    const char *title;
    bool is_local, has_abort;
} ways[] = {{"the loop's thread", true, false},
            {"the loop's thread, with an abort", true, true},
            {"another thread", false, false},
            {"another thread, with an abort", false, true}};

static struct failing_allocator memory;
static const struct way *way;
static weir_loop *loop;
static weir_pool *pool;
static weir_abort *abort_;
static sem_t begun, go_on;
static int ran, unread; /* releases after fn, and without it; the workers' */
static int handled, code;

static void begin(const struct way *chosen)
{
    const weir_pool_options one = {
        .size = sizeof(one), .workers = 1, .max_workers = 1};

    printf("# sent by %s\n", chosen->title);
    way = chosen;
    ran = unread = handled = code = 0;
    sem_init(&begun, 0, 0);
    sem_init(&go_on, 0, 0);
    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    expect_status(weir_loop_new(&loop, NULL), 0);
    expect_status(weir_pool_new(&pool, &one), 0);
    expect_status(weir_abort_new(&abort_), 0);
}

/* What was sent is released when the pool has finished. */
static void end(int expected_ran, int expected_unread)
{
    weir_abort_unref(abort_);
    expect_status(weir_pool_shutdown(pool, -1), 0);
    expect_int(ran, expected_ran);
    expect_int(unread, expected_unread);
    expect_int(handled, expected_ran + expected_unread);
    expect_status(weir_pool_free(pool), 0);
    expect_status(weir_loop_free(loop), 0);
    expect_int(memory.live, 0);
}

#define IN_EACH_WAY                                                            \
    for (const struct way *each = ways;                                        \
         each < ways + sizeof(ways) / sizeof(ways[0]); each++)

static void wait_for(sem_t *sem)
{
    while (sem_wait(sem) != 0)
        expect_int(errno, EINTR);
}

/* ---- what is sent ---- */

static int block(void *arg, weir_value *value)
{
    struct argument *argument = arg;

    sem_post(&begun);
    wait_for(&go_on);
    expect_int(argument->mark, FRESH);
    argument->mark = READ;
    return 0;
}

static void release(void *arg)
{
    struct argument *argument = arg;

    expect(weir_pool_current() == pool);
    (*(argument->mark == READ ? &ran : &unread))++;
    free(argument);
}

static weir_result handle(void *arg, const weir_value *value)
{
    handled++;
    code = value->code;
    return weir_give(weir_value_of(NULL, NULL));
}

/* fn is over, and its argument was released before. */
static weir_result handle_value(void *arg, const weir_value *value)
{
    expect_int(ran, 1);
    return handle(arg, value);
}

static struct argument *new_argument(void)
{
    struct argument *argument = malloc(sizeof(*argument));

    expect(argument != NULL);
    argument->mark = FRESH;
    return argument;
}

static int try_to_send(struct argument *argument, weir_promise **promise)
{
    const weir_submit_options options = {
        .size = sizeof(options), .abort = way->has_abort ? abort_ : NULL};

    return weir_promisify(promise, loop, pool, block, argument, release,
                          &options);
}

static void send_here(void *arg, int status)
{
    weir_promise *promise;

    expect_status(status, 0);
    expect_status(try_to_send(new_argument(), &promise), 0);
    expect_status(weir_promise_then(promise, handle_value, handle, NULL, NULL),
                  0);
    weir_promise_unref(promise);
}

static void send(void)
{
    if (!way->is_local) {
        send_here(NULL, 0);
        return;
    }
    expect_status(weir_loop_submit(loop, send_here, NULL), 0);
    expect_status(weir_loop_step(loop, 0), 0);
}

static void run_loop(void)
{
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
}

/* ---- the function is over ---- */

CASE(argument_is_released_after_the_function_and_before_its_handlers)
{
    IN_EACH_WAY
    {
        begin(each);
        send();
        sem_post(&go_on);
        run_loop();
        expect_status(code, 0);
        end(1, 0);
    }
}

/* The handlers have run, and may have freed what they were given; fn reads. */
CASE(argument_outlives_an_abort_while_the_function_runs)
{
    IN_EACH_WAY
    {
        if (!each->has_abort)
            continue;
        begin(each);
        send();
        wait_for(&begun);
        expect_int(weir_abort_raise(abort_, 3), 0);
        while (handled == 0)
            expect_status(weir_loop_step(loop, -1), 0);
        expect_status(code, WEIR_ECANCELED);
        expect_int(ran + unread, 0);
        sem_post(&go_on);
        end(1, 0);
    }
}

CASE(argument_outlives_a_loop_that_is_closed_while_the_function_runs)
{
    IN_EACH_WAY
    {
        begin(each);
        send();
        wait_for(&begun);
        expect_status(weir_loop_free(loop), 0);
        loop = NULL;
        expect_int(handled, 1);
        expect_status(code, WEIR_ECANCELED);
        expect_int(ran + unread, 0);
        sem_post(&go_on);
        end(1, 0);
    }
}

CASE(argument_is_released_when_a_shutdown_of_the_loop_returns)
{
    IN_EACH_WAY
    {
        begin(each);
        send();
        sem_post(&go_on);
        expect_status(weir_loop_shutdown(loop, -1), 0);
        expect_int(ran, 1);
        end(1, 0);
    }
}

/* ---- the function never begins ---- */

CASE(argument_is_released_if_the_pool_is_closed_before_the_function_begins)
{
    IN_EACH_WAY
    {
        begin(each);
        send();
        wait_for(&begun);
        send(); /* behind it, as there is one worker */
        expect_status(weir_pool_close(pool, 0), -ETIMEDOUT);
        sem_post(&go_on);
        run_loop();
        end(1, 1);
    }
}

CASE(argument_is_released_if_the_abort_is_raised_before_the_function_begins)
{
    IN_EACH_WAY
    {
        if (!each->has_abort)
            continue;
        begin(each);
        expect_int(weir_abort_raise(abort_, 3), 0);
        send();
        run_loop();
        expect_status(code, WEIR_ECANCELED);
        end(0, 1);
    }
}

/* ---- release on its thread ---- */

/* The loop's shutdown waits for it, too. */
static void shut_down_in_release(void *arg)
{
    expect_status(weir_loop_shutdown(loop, -1), -EDEADLK);
    release(arg);
}

CASE(shutdown_of_the_loop_in_release_is_refused)
{
    const weir_submit_options options = {.size = sizeof(options)};
    weir_promise *promise;

    begin(&ways[2]);
    sem_post(&go_on);
    expect_status(weir_promisify(&promise, loop, pool, block, new_argument(),
                                 shut_down_in_release, &options),
                  0);
    expect_status(weir_promise_then(promise, handle_value, handle, NULL, NULL),
                  0);
    weir_promise_unref(promise);
    run_loop();
    end(1, 0);
}

/* ---- refused ---- */

/* The argument stays ours, so it is freed here, and a release would be a second
 * time. */
static void expect_refusals(void *arg, int status)
{
    struct argument *argument = new_argument();
    weir_promise *promise = NULL;
    int err;

    for (uint64_t nth = 1;; nth++) {
        memory.fail_at = memory.calls + nth;
        err = try_to_send(argument, &promise);
        if (err == 0)
            break;
        expect_status(err, -ENOMEM);
        expect_int(argument->mark, FRESH);
    }
    memory.fail_at = 0;
    expect_status(weir_promise_then(promise, handle_value, handle, NULL, NULL),
                  0);
    weir_promise_unref(promise);
    expect_status(weir_pool_shutdown(pool, 0), -ETIMEDOUT);
    sem_post(&go_on);
    argument = new_argument();
    expect_status(try_to_send(argument, &promise), WEIR_ECLOSED);
    free(argument);
}

CASE(refused_call_leaves_the_argument_with_its_caller)
{
    IN_EACH_WAY
    {
        begin(each);
        if (way->is_local)
            expect_status(weir_loop_submit(loop, expect_refusals, NULL), 0);
        else
            expect_refusals(NULL, 0);
        run_loop();
        end(1, 0);
    }
}

CASE(call_that_a_closed_loop_refuses_leaves_the_argument_with_its_caller)
{
    IN_EACH_WAY
    {
        struct argument *argument = new_argument();
        weir_promise *promise;

        begin(each);
        expect_status(weir_loop_close(loop, -1), 0);
        expect_status(try_to_send(argument, &promise), WEIR_ECLOSED);
        free(argument);
        end(0, 0);
    }
}
