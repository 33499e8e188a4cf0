/* SPDX-License-Identifier: MIT */
/*
 * Lookups: their outcomes, how they are cancelled, and what they leave behind
 * while getaddrinfo is stuck.
 */
#include "weir/net/lookup.h"

#include <stdio.h>

#include "getaddrinfo.h"
#include "support/failing_fixture.h"
#include "weir/clock.h"
#include "weir/timer.h"

#define OPTIONS(...)                                                           \
    (&(weir_lookup_options){.size = sizeof(weir_lookup_options), __VA_ARGS__})

/* What a lookup has told. */
struct answer {
    unsigned calls;
    int status;
    char text[256]; /* the addresses, or the name of the error */
    char name[64];  /* the canonical name, or the reason */
    const weir_lookup_result *taken;
};

static void write_addresses(struct answer *answer,
                            const weir_lookup_result *result)
{
    size_t at = 0;

    for (size_t i = 0; i < result->count; i++) {
        if (i > 0)
            answer->text[at++] = ' ';
        at += weir_address_format(&result->addresses[i], answer->text + at,
                                  sizeof(answer->text) - at);
    }
    if (result->canonical_name != NULL)
        snprintf(answer->name, sizeof(answer->name), "%s",
                 result->canonical_name);
}

static void answered(void *arg, int status, const weir_lookup_result *result)
{
    struct answer *answer = arg;

    expect(weir_loop_is_owner(loop));
    answer->calls++;
    answer->status = status;
    if (status == 0) {
        expect(result->count > 0);
        expect(result->error == NULL && result->reason == NULL);
        write_addresses(answer, result);
        return;
    }
    expect_int(result->count, 0);
    snprintf(answer->text, sizeof(answer->text), "%s", result->error);
    snprintf(answer->name, sizeof(answer->name), "%s", result->reason);
}

static weir_lookup *start(struct answer *answer, const char *host,
                          const weir_lookup_options *options)
{
    weir_lookup *lookup;

    expect_status(
        weir_lookup_start(loop, &lookup, host, 80, answered, answer, options),
        0);
    expect_int(answer->calls, 0);
    return lookup;
}

static struct answer look_up(const char *host,
                             const weir_lookup_options *options)
{
    struct answer answer = {0};

    start(&answer, host, options);
    loop_run();
    expect_int(answer.calls, 1);
    return answer;
}

static void expect_answer(const char *host, const weir_lookup_options *options,
                          const char *text)
{
    struct answer answer = look_up(host, options);

    expect_status(answer.status, 0);
    expect_string(answer.text, text);
}

static void expect_failure(const char *host, const weir_lookup_options *options,
                           int status, const char *error)
{
    struct answer answer = look_up(host, options);

    expect_status(answer.status, status);
    expect_string(answer.text, error);
    expect(answer.name[0] != '\0');
}

/* The memory must be free when getaddrinfo and its threads have ended. */
static void end_all(void)
{
    expect_status(weir_lookup_end_threads(), 0);
    expect_no_leak();
}

static void begin_all(void)
{
    stuck_open();
    begin();
    loop_make(NULL);
}

/* ---- outcomes ---- */

CASE(lookup_gives_the_addresses_in_order_with_the_port)
{
    begin_all();
    expect_answer("two.test", NULL, "[2001:db8::2]:80 192.0.2.1:80");
    loop_end();
    end_all();
}

CASE(lookup_of_localhost_asks_the_system)
{
    begin_all();
    expect_answer("localhost", OPTIONS(.family = WEIR_ADDRESS_IPV4),
                  "127.0.0.1:80");
    loop_end();
    end_all();
}

static void start_inside(void *arg, int status)
{
    start(arg, "two.test", NULL);
    start((struct answer *)arg + 1, "192.0.2.7", NULL);
    expect_int(((struct answer *)arg)->calls, 0);
    expect_int(((struct answer *)arg + 1)->calls, 0);
}

CASE(lookup_from_a_callback_is_answered_after_it)
{
    struct answer answers[2] = {0};

    begin_all();
    expect_status(weir_loop_submit(loop, start_inside, answers), 0);
    loop_run();
    expect_int(answers[0].calls, 1);
    expect_string(answers[0].text, "[2001:db8::2]:80 192.0.2.1:80");
    expect_int(answers[1].calls, 1);
    expect_string(answers[1].text, "192.0.2.7:80");
    loop_end();
    end_all();
}

CASE(lookup_of_a_number_needs_no_thread)
{
    begin_all();
    failing_syscalls_set(CALL_PTHREAD_CREATE, 1, FAILING_ALWAYS, EAGAIN);
    expect_answer("127.0.0.1", NULL, "127.0.0.1:80");
    expect_answer("::1", NULL, "[::1]:80");
    expect_answer("fe80::1%lo", NULL, "[fe80::1%lo]:80");
    expect_answer("127.1", NULL, "127.0.0.1:80"); /* as getaddrinfo has it */
    expect_answer(
        "192.0.2.1",
        OPTIONS(.family = WEIR_ADDRESS_IPV6, .flags = WEIR_LOOKUP_V4MAPPED),
        "[::ffff:192.0.2.1]:80");
    expect_answer("127.0.0.1", OPTIONS(.flags = WEIR_LOOKUP_CONFIGURED),
                  "127.0.0.1:80");
    expect_failure("name.test", OPTIONS(.flags = WEIR_LOOKUP_NUMERIC),
                   WEIR_ENAME, "EAI_NONAME");
    expect_failure("::1", OPTIONS(.family = WEIR_ADDRESS_IPV4), WEIR_ENAME,
                   "EAI_ADDRFAMILY");
    expect_int(failing_syscalls_count(CALL_PTHREAD_CREATE), 0);
    expect_int(blocking_count(), 0);
    loop_end();
    expect_no_leak();
}

CASE(lookup_passes_its_options_to_getaddrinfo)
{
    struct answer answer;

    begin_all();
    look_up("hints.test", NULL);
    expect_int(last_hints.ai_flags, 0);
    expect_int(last_hints.ai_family, AF_UNSPEC);
    expect_int(last_hints.ai_socktype, SOCK_STREAM);
    answer = look_up("hints.test", OPTIONS(.family = WEIR_ADDRESS_IPV6,
                                           .flags = WEIR_LOOKUP_CONFIGURED |
                                                    WEIR_LOOKUP_CANONICAL));
    expect_string(answer.name, "canonical.test");
    expect_int(last_hints.ai_flags, AI_ADDRCONFIG | AI_CANONNAME);
    expect_int(last_hints.ai_family, AF_INET6);
    look_up("hints.test",
            OPTIONS(.family = WEIR_ADDRESS_IPV4,
                    .flags = WEIR_LOOKUP_V4MAPPED | WEIR_LOOKUP_ALL));
    expect_int(last_hints.ai_flags, AI_V4MAPPED | AI_ALL);
    expect_int(last_hints.ai_family, AF_INET);
    loop_end();
    end_all();
}

CASE(lookup_tells_why_there_is_no_address)
{
    static const struct {
        int code, status;
        const char *error;
    } rows[] = {
        {EAI_NONAME, WEIR_ENAME, "EAI_NONAME"},
        {EAI_NODATA, WEIR_ENAME, "EAI_NODATA"},
        {EAI_ADDRFAMILY, WEIR_ENAME, "EAI_ADDRFAMILY"},
        {EAI_AGAIN, -EAGAIN, "EAI_AGAIN"},
        {EAI_FAIL, -EIO, "EAI_FAIL"},
        {EAI_MEMORY, -ENOMEM, "EAI_MEMORY"},
        {EAI_FAMILY, -EAFNOSUPPORT, "EAI_FAMILY"},
        {EAI_SOCKTYPE, -ENOTSUP, "EAI_SOCKTYPE"},
        {EAI_SERVICE, -ENOTSUP, "EAI_SERVICE"},
        {EAI_BADFLAGS, -EINVAL, "EAI_BADFLAGS"},
        {EAI_OVERFLOW, -EOVERFLOW, "EAI_OVERFLOW"},
        {EAI_SYSTEM, -EMFILE, "EMFILE"},
        {-9999, -EIO, "EIO"},
    };

    begin_all();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char host[32];

        snprintf(host, sizeof(host), "eai.%d", rows[i].code);
        expect_failure(host, NULL, rows[i].status, rows[i].error);
    }
    loop_end();
    end_all();
}

/* ---- results ---- */

static void take(void *arg, int status, const weir_lookup_result *result)
{
    struct answer *answer = arg;

    answer->calls++;
    answer->taken = weir_lookup_result_take(result);
    expect(status == 0 ? answer->taken == result : answer->taken == NULL);
}

CASE(lookup_result_that_is_taken_is_the_callers)
{
    struct answer answer = {0}, failed = {0};

    begin_all();
    expect_status(weir_lookup_start(loop, NULL, "two.test", 80, take, &answer,
                                    OPTIONS(.flags = WEIR_LOOKUP_CANONICAL)),
                  0);
    expect_status(
        weir_lookup_start(loop, NULL, "eai.-2", 80, take, &failed, NULL), 0);
    loop_run();
    loop_end();
    expect_int(failed.calls, 1);
    expect(failed.taken == NULL);
    write_addresses(&answer, answer.taken);
    expect_string(answer.text, "[2001:db8::2]:80 192.0.2.1:80");
    expect_string(answer.name, "canonical.test");
    weir_lookup_result_free(answer.taken);
    weir_lookup_result_free(NULL);
    expect(weir_lookup_result_take(NULL) == NULL);
    end_all();
}

static void raise_error(void *arg, int status, const weir_lookup_result *result)
{
    ++*(unsigned *)arg;
    weir_raise(-EPROTO, "raised");
}

static void on_rejection(void *arg, weir_loop *where,
                         const weir_rejection *what)
{
    expect_status(what->code, -EPROTO);
    ++*(unsigned *)arg;
}

CASE(lookup_whose_callback_raises_leaves_nothing)
{
    unsigned calls = 0, rejections = 0;

    stuck_open();
    begin();
    loop_make(LOOP_OPTIONS(.on_rejection = on_rejection, .arg = &rejections));
    for (unsigned i = 0; i < 3; i++)
        expect_status(weir_lookup_start(loop, NULL, "two.test", 80, raise_error,
                                        &calls, NULL),
                      0);
    expect_answer("two.test", NULL, "[2001:db8::2]:80 192.0.2.1:80");
    expect_int(calls, 3);
    expect_int(rejections, 3);
    loop_end();
    end_all();
}

/* ---- cancelling ---- */

CASE(lookup_that_is_cancelled_before_the_loop_runs_is_called_once)
{
    struct answer answer = {0};
    weir_lookup *lookup;

    begin_all();
    lookup = start(&answer, "127.0.0.1", NULL);
    /* covers: weir_lookup_cancel -EALREADY */
    expect_status(weir_lookup_cancel(lookup), -EALREADY);
    loop_run();
    expect_int(answer.calls, 1);
    expect_status(answer.status, 0);
    /* covers: weir_lookup_cancel -EINVAL */
    expect_status(weir_lookup_cancel(NULL), -EINVAL);
    loop_end();
    expect_no_leak();
}

CASE(lookup_that_is_stuck_can_be_cancelled)
{
    struct answer answer = {0};
    weir_lookup *lookup;

    begin_all();
    lookup = start(&answer, "stuck.test", NULL);
    stuck_await(1);
    expect_status(weir_lookup_cancel(lookup), 0);
    expect_status(weir_lookup_cancel(lookup), -EALREADY);
    expect_int(answer.calls, 0);
    loop_run(); /* is not held by getaddrinfo */
    expect_int(answer.calls, 1);
    expect_status(answer.status, WEIR_ECANCELED);
    expect_string(answer.text, "ECANCELED");
    stuck_release(1);
    expect_status(weir_lookup_end_threads(), 0);
    loop_run();
    expect_int(answer.calls, 1);
    loop_end();
    expect_no_leak();
}

static void cancel_inside(void *arg, int status)
{
    expect_status(weir_lookup_cancel(arg), 0);
    expect_status(weir_lookup_cancel(arg), -EALREADY);
}

CASE(lookup_that_a_callback_cancels_is_called_after_it)
{
    struct answer answer = {0};
    weir_lookup *lookup;

    begin_all();
    lookup = start(&answer, "stuck.test", NULL);
    stuck_await(1);
    expect_status(weir_loop_submit(loop, cancel_inside, lookup), 0);
    loop_run();
    expect_int(answer.calls, 1);
    expect_status(answer.status, WEIR_ECANCELED);
    stuck_release(1);
    loop_end();
    end_all();
}

CASE(lookup_keeps_the_loop_running_until_it_is_answered)
{
    struct answer answer = {0};
    struct runner runner;

    begin_all();
    start(&answer, "stuck.test", NULL);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_IDLE);
    stuck_await(1);
    await_state(loop, WEIR_LOOP_SLEEPING);
    stuck_release(1);
    expect_status(runner_join(&runner), 0);
    expect_int(answer.calls, 1);
    expect_status(answer.status, 0);
    loop_end();
    end_all();
}

/* ---- timeouts ---- */

static void let_pass(void *arg, int status)
{
    expect_status(weir_clock_advance(*(int64_t *)arg), 0);
}

CASE(lookup_that_takes_too_long_is_told_so)
{
    struct answer answer = {0};
    int64_t time_ns = WEIR_S(5);

    begin_all();
    expect_status(weir_clock_freeze(0), 0);
    start(&answer, "stuck.test", OPTIONS(.timeout_ns = WEIR_S(5)));
    stuck_await(1);
    expect_status(weir_loop_submit(loop, let_pass, &time_ns), 0);
    loop_run();
    expect_int(answer.calls, 1);
    expect_status(answer.status, -ETIMEDOUT);
    expect_string(answer.text, "ETIMEDOUT");
    stuck_release(1);
    loop_end();
    end_all();
}

CASE(lookup_that_is_answered_in_time_leaves_no_timer)
{
    weir_holder holders[4];

    begin_all();
    expect_status(weir_clock_freeze(0), 0);
    expect_answer("two.test", OPTIONS(.timeout_ns = WEIR_S(5)),
                  "[2001:db8::2]:80 192.0.2.1:80");
    expect_answer("127.0.0.1", OPTIONS(.timeout_ns = 1), "127.0.0.1:80");
    expect_int(weir_loop_report(loop, holders, 4, sizeof(weir_holder)), 0);
    loop_end();
    end_all();
}

CASE(lookup_with_a_timeout_can_be_cancelled)
{
    struct answer answer = {0};
    weir_lookup *lookup;

    begin_all();
    expect_status(weir_clock_freeze(0), 0);
    lookup = start(&answer, "stuck.test", OPTIONS(.timeout_ns = WEIR_S(5)));
    stuck_await(1);
    expect_status(weir_lookup_cancel(lookup), 0);
    loop_run();
    expect_status(weir_clock_advance(WEIR_S(6)), 0);
    loop_turns(2);
    expect_int(answer.calls, 1);
    expect_status(answer.status, WEIR_ECANCELED);
    stuck_release(1);
    loop_end();
    end_all();
}

/* ---- the end of the loop ---- */

/* End the loop while getaddrinfo is stuck, which then finds it gone. */
static void end_while_stuck(int (*end_loop)(weir_loop *, int64_t),
                            int64_t timeout_ns)
{
    struct answer answer = {0};

    begin_all();
    start(&answer, "stuck.test", OPTIONS(.timeout_ns = timeout_ns));
    stuck_await(1);
    if (end_loop != NULL)
        expect_status(end_loop(loop, -1), 0);
    expect_status(weir_loop_free(loop), 0);
    expect_int(answer.calls, 1);
    expect_status(answer.status, WEIR_ECANCELED);
    stuck_release(1);
    end_all();
}

CASE(lookup_is_cancelled_by_a_shutdown_while_it_is_stuck)
{
    end_while_stuck(weir_loop_shutdown, 0);
}

CASE(lookup_is_cancelled_by_a_close_while_it_is_stuck)
{
    end_while_stuck(weir_loop_close, 0);
}

CASE(lookup_is_cancelled_by_the_free_of_its_loop_while_it_is_stuck)
{
    end_while_stuck(NULL, 0);
}

CASE(lookup_with_a_timeout_is_cancelled_by_a_shutdown_while_it_is_stuck)
{
    end_while_stuck(weir_loop_shutdown, WEIR_S(1000));
}

CASE(lookup_with_a_timeout_is_cancelled_by_a_close_while_it_is_stuck)
{
    end_while_stuck(weir_loop_close, WEIR_S(1000));
}

static int start_status(weir_loop *where, const char *host,
                        const weir_lookup_options *options)
{
    static struct answer answer;

    return weir_lookup_start(where, NULL, host, 80, answered, &answer, options);
}

CASE(lookup_on_a_loop_that_has_ended_is_refused)
{
    begin_all();
    expect_status(weir_loop_shutdown(loop, -1), 0);
    /* covers: weir_lookup_start WEIR_ECLOSED */
    expect_status(start_status(loop, "two.test", NULL), WEIR_ECLOSED);
    expect_status(start_status(loop, "127.0.0.1", NULL), WEIR_ECLOSED);
    expect_status(weir_loop_free(loop), 0);
    expect_no_leak();
}

/* ---- what is refused ---- */

CASE(lookup_of_nonsense_is_refused)
{
    char host[1026];
    weir_lookup_options options = {.size = 1};
    struct {
        weir_lookup_options known;
        uint64_t unknown;
    } larger = {.known = {.size = sizeof(larger)}, .unknown = 1};

    begin_all();
    /* covers: weir_lookup_start -EINVAL */
    expect_status(start_status(NULL, "two.test", NULL), -EINVAL);
    expect_status(start_status(loop, NULL, NULL), -EINVAL);
    expect_status(start_status(loop, "", NULL), -EINVAL);
    expect_status(
        weir_lookup_start(loop, NULL, "two.test", 80, NULL, NULL, NULL),
        -EINVAL);
    expect_status(start_status(loop, "two.test", &options), -EINVAL);
    expect_status(
        start_status(loop, "two.test", OPTIONS(.family = WEIR_ADDRESS_UNIX)),
        -EINVAL);
    expect_status(start_status(loop, "two.test", OPTIONS(.flags = 32)),
                  -EINVAL);
    expect_status(start_status(loop, "two.test", OPTIONS(.timeout_ns = -1)),
                  -EINVAL);
    expect_status(
        start_status(loop, "two.test", OPTIONS(.lane = (weir_lane *)host)),
        -EINVAL);
    /* covers: weir_lookup_start -E2BIG */
    expect_status(start_status(loop, "two.test", &larger.known), -E2BIG);
    memset(host, 'a', sizeof(host) - 1);
    host[1025] = '\0';
    /* covers: weir_lookup_start -ENAMETOOLONG */
    expect_status(start_status(loop, host, NULL), -ENAMETOOLONG);
    host[1024] = '\0';
    expect_failure(host, OPTIONS(.flags = WEIR_LOOKUP_NUMERIC), WEIR_ENAME,
                   "EAI_NONAME");
    expect_status(
        start_status(loop, "two.test", OPTIONS(.timeout_ns = INT64_MAX)),
        -EOVERFLOW);
    loop_end();
    expect_no_leak();
}

/* ---- failures ---- */

/* Fail each allocation in turn.  Each time the call is refused, or the lookup
 * tells it, or nothing needed the memory. */
static bool look_up_failing(uint64_t nth, const char *host)
{
    struct answer answer = {0};
    bool has_failed;
    int err;

    begin();
    loop_make(NULL);
    memory.fail_at = memory.calls + nth;
    err = weir_lookup_start(loop, NULL, host, 80, answered, &answer,
                            OPTIONS(.timeout_ns = WEIR_S(1000)));
    loop_run();
    has_failed = memory.calls >= memory.fail_at;
    memory.fail_at = 0;
    /* covers: weir_lookup_start -ENOMEM */
    expect(err == 0 || err == -ENOMEM);
    expect_int(answer.calls, err == 0);
    expect(answer.status == 0 || answer.status == -ENOMEM);
    expect(has_failed || (err == 0 && answer.status == 0));
    loop_end();
    end_all();
    return has_failed;
}

CASE(lookup_without_memory_is_refused_or_tells_so)
{
    uint64_t nth = 1;

    while (look_up_failing(nth, "two.test"))
        nth++;
    expect(nth > 5);
    nth = 1;
    while (look_up_failing(nth, "127.0.0.1"))
        nth++;
    expect(nth > 3);
}

CASE(lookup_without_threads_is_refused)
{
    begin_all();
    failing_syscalls_set(CALL_PTHREAD_CREATE, 1, 1, EAGAIN);
    /* covers: weir_lookup_start -EAGAIN */
    expect_status(start_status(loop, "two.test", NULL), -EAGAIN);
    loop_run();
    expect_answer("two.test", NULL, "[2001:db8::2]:80 192.0.2.1:80");
    loop_end();
    end_all();
}
