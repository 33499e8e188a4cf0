/* SPDX-License-Identifier: MIT */
/*
 * promisify -- a loop that sends jobs and takes their outcomes, many at a time,
 * while its pool or the loop itself is ended, and another thread sends some,
 * too: each promise is handled once, each value is freed once, each argument is
 * released once if it was accepted, the loop does not become idle before, and
 * only a close cancels anything.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "support/crew.h"
#include "support/effort.h"
#include "support/random.h"
#include "support/suite.h"
#include "weir/abort.h"
#include "weir/promise.h"

enum { DEPTH = 40, MOST = 400, ELSEWHERE = 50 };

enum end { NO_END, POOL_CLOSE, POOL_SHUTDOWN, LOOP_SHUTDOWN, LOOP_CLOSE, ENDS };

static weir_loop *loop;
static weir_pool *pool;
static weir_abort *abort_; /* of some */

/* Of the loop's thread. */
static uint64_t left, sent;
static struct random dice;

/* Atomic, relaxed: no order to hide in. */
static uint64_t handled, given, freed, accepted, released;
static bool is_over; /* the same */

static bool is_graceful;                        /* const in a round */
static weir_promise *sent_elsewhere[ELSEWHERE]; /* by the third thread */

static void count(uint64_t *counter)
{
    __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static uint64_t total(const uint64_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static void free_value(void *data)
{
    expect_int(*(int *)data, 42);
    free(data);
    count(&freed);
}

/* Of a job: plain memory, so that a release beside fn, or twice, is seen. */
struct argument {
    bool is_bad; /* the job shall fail */
    int runs;
};

/* Runs on a worker. */
static int give(void *arg, weir_value *value)
{
    struct argument *argument = arg;
    int *data = malloc(sizeof(*data));

    expect(data != NULL);
    *data = 42;
    *value = weir_value_of(data, free_value);
    count(&given);
    expect_int(argument->runs++, 0);
    return argument->is_bad ? -EIO : 0;
}

static void release(void *arg)
{
    struct argument *argument = arg;

    expect(argument->runs <= 1);
    argument->runs = 2;
    free(argument);
    count(&released);
}

/* Refused: the argument is ours, and nobody else frees it. */
static int promisify(weir_promise **promise, bool is_bad,
                     const weir_submit_options *options)
{
    struct argument *argument = calloc(1, sizeof(*argument));
    int err;

    expect(argument != NULL);
    argument->is_bad = is_bad;
    err = weir_promisify(promise, loop, pool, give, argument, release, options);
    if (err == 0)
        count(&accepted);
    else
        free(argument);
    return err;
}

static weir_result on_outcome(void *arg, const weir_value *value);

static void send_one(void)
{
    weir_submit_options options = {.size = sizeof(options), .abort = abort_};
    uint64_t random = random_next(&dice);
    weir_promise *promise;
    int err;

    if (left == 0)
        return;
    left--;
    err = promisify(&promise, random & 1, random & 14 ? NULL : &options);
    if (err != 0) {
        expect_status(err, WEIR_ECLOSED);
        left = 0;
        return;
    }
    sent++;
    expect_status(weir_promise_then(promise, on_outcome, on_outcome,
                                    random & 14 ? NULL : abort_, NULL),
                  0);
    weir_promise_unref(promise);
}

static weir_result on_outcome(void *arg, const weir_value *value)
{
    if (value->data != NULL)
        expect_int(*(int *)value->data, 42);
    if (is_graceful && arg == NULL) /* that has no abort */
        expect(value->code != WEIR_ECANCELED);
    count(&handled);
    send_one();
    return weir_give(weir_value_of(NULL, NULL));
}

static void begin(void *arg, int status)
{
    if (status != 0)
        left = 0; /* closed before it began */
    for (int i = 0; i < DEPTH; i++)
        send_one();
}

/* Those that the handlers' outcomes go to, when the loop ends. */
static void ignore(void *arg, weir_loop *of, const weir_rejection *what)
{
    expect_status(what->code, WEIR_ECANCELED);
}

struct scene {
    enum end end;
    uint64_t at; /* after so many outcomes */
};

static void bring_end(const struct scene *scene)
{
    while (total(&handled) < scene->at &&
           !__atomic_load_n(&is_over, __ATOMIC_RELAXED))
        sched_yield();
    (void)weir_abort_raise(abort_, -ECANCELED);
    if (scene->end == POOL_CLOSE)
        (void)!weir_pool_close(pool, 0);
    else if (scene->end == POOL_SHUTDOWN)
        (void)!weir_pool_shutdown(pool, 0);
    else if (scene->end == LOOP_SHUTDOWN)
        expect_status(weir_loop_shutdown(loop, -1), 0);
    else if (scene->end == LOOP_CLOSE)
        expect_status(weir_loop_close(loop, -1), 0);
}

static void send_elsewhere(void)
{
    const weir_submit_options options = {.size = sizeof(options),
                                         .abort = abort_};

    for (int i = 0; i < ELSEWHERE; i++) {
        int err =
            promisify(&sent_elsewhere[i], false, i % 8 == 0 ? &options : NULL);

        if (err == 0)
            continue;
        expect_status(err, WEIR_ECLOSED);
        sent_elsewhere[i] = NULL;
        return;
    }
}

/* The loop is over. */
static void look_elsewhere(void)
{
    for (int i = 0; i < ELSEWHERE; i++) {
        weir_promise *promise = sent_elsewhere[i];

        sent_elsewhere[i] = NULL;
        if (promise == NULL)
            continue;
        expect(weir_promise_state(promise) != WEIR_PROMISE_PENDING);
        if (is_graceful && i % 8 != 0) /* that has no abort */
            expect_int(weir_promise_state(promise), WEIR_PROMISE_FULFILLED);
        weir_promise_unref(promise);
    }
}

static void run_or_end(struct crew *crew, unsigned id)
{
    int err;

    if (id == 1) {
        bring_end(crew->context);
        return;
    }
    if (id == 2) {
        send_elsewhere();
        return;
    }
    err = weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE);
    /* who ends it before it runs, runs it: it may be over, or under way */
    expect(err == 0 || err == WEIR_ECLOSED || err == -EBUSY);
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
}

STRESS_CASE(promisify_is_handled_once_whoever_ends)
{
    struct effort effort = effort_begin(2);
    struct random random = {random_seed()};
    uint64_t outcomes = 0;

    while (effort_goes_on(&effort)) {
        struct scene scene = {.end = (enum end)random_below(&random, ENDS),
                              .at = random_below(&random, MOST)};
        weir_loop_options loop_options = {.size = sizeof(loop_options),
                                          .on_rejection = ignore};
        weir_pool_options options = {
            .size = sizeof(options),
            .workers = 1 + (uint32_t)random_below(&random, 3)};

        left = MOST;
        is_graceful = scene.end != POOL_CLOSE && scene.end != LOOP_CLOSE;
        sent = handled = given = freed = accepted = released = 0;
        is_over = false;
        dice.state = random_next(&random);
        expect_status(weir_loop_new(&loop, &loop_options), 0);
        expect_status(weir_pool_new(&pool, &options), 0);
        expect_status(weir_abort_new(&abort_), 0);
        expect_status(weir_loop_submit(loop, begin, NULL), 0);
        crew_run(3, run_or_end, &scene);
        if (is_graceful) /* what was sent when the loop was idle already */
            expect_status(weir_loop_shutdown(loop, -1), 0);
        expect_int(total(&handled), sent);
        expect_int(left, 0);
        expect_status(weir_pool_shutdown(pool, -1), 0);
        expect_int(total(&released), total(&accepted));
        expect_status(weir_pool_free(pool), 0);
        weir_abort_unref(abort_);
        expect_status(weir_loop_free(loop), 0);
        look_elsewhere();
        expect_int(total(&freed), total(&given));
        outcomes += sent;
    }
    fprintf(stderr, "# %" PRIu64 " outcomes\n", outcomes);
}
