/* SPDX-License-Identifier: MIT */
/*
 * atomics -- JavaScript's waits, against other threads and against their ends.
 */
#include <errno.h>
#include <quickjs.h>
#include <string.h>
#include <unistd.h>

#include "js/support/failing_malloc.h"
#include "js/support/js_fixture.h"
#include "support/crew.h"
#include "support/failing_allocator.h"
#include "support/suite.h"
#include "weir/host/waiter.h"
#include "weir/timer.h"

static int32_t *words; /* four, shared; atomic */

/* The memory is a SharedArrayBuffer's, of a host that outlives the others. */
static weir_loop *owner_loop;
static weir_js *owner;

static void make_words(void)
{
    static const char source[] = "var memory = new SharedArrayBuffer(16)";
    JSContext *context;
    JSValue global, buffer;
    size_t size;

    expect_status(weir_loop_new(&owner_loop, NULL), 0);
    expect_status(weir_js_new(&owner, owner_loop, NULL), 0);
    expect_status(weir_js_eval(owner, source, sizeof(source) - 1, "owner.js",
                               WEIR_JS_SOURCE_SCRIPT, NULL),
                  0);
    context = weir_js_context(owner);
    global = JS_GetGlobalObject(context);
    buffer = JS_GetPropertyStr(context, global, "memory");
    words = (int32_t *)JS_GetArrayBuffer(context, &size, buffer);
    expect_int(size, 16);
    JS_FreeValue(context, buffer);
    JS_FreeValue(context, global);
}

static void free_words(void)
{
    expect_status(weir_js_free(owner), 0);
    expect_status(weir_loop_free(owner_loop), 0);
}

/* `a` is an Int32Array over them. */
static void share(weir_js *host)
{
    static const char source[] = "const a = new Int32Array(memory)";
    JSContext *context = weir_js_context(host);
    JSValue global = JS_GetGlobalObject(context);
    JSValue buffer =
        JS_NewArrayBuffer(context, (uint8_t *)words, 16, 0, NULL, NULL, true);

    expect(JS_SetPropertyStr(context, global, "memory", buffer) >= 0);
    JS_FreeValue(context, global);
    expect_status(weir_js_eval(host, source, strlen(source), "share.js",
                               WEIR_JS_SOURCE_SCRIPT, NULL),
                  0);
}

static void make(const weir_js_options *options)
{
    if (words == NULL)
        make_words();
    js_make(options);
    share(js);
}

static void end(void)
{
    js_end();
    free_words();
}

static void notify_when_asleep(struct crew *crew, unsigned id)
{
    expect(await_asleep(*(pid_t *)crew->context));
    expect_int(weir_waiter_notify(&words[0], 1), 1);
}

static pid_t own_tid(void)
{
    return (pid_t)getpid(); /* a case runs on its process's first thread */
}

CASE(wait_sleeps_until_another_thread_notifies)
{
    pid_t me = own_tid();
    struct crew crew;

    make(JS_OPTIONS(.allow_blocking = true));
    crew_start(&crew, 1, notify_when_asleep, &me);
    js_eval("log(Atomics.wait(a, 0, 0))");
    crew_join(&crew);
    js_eval("log(Atomics.wait(a, 0, 1)); log(Atomics.wait(a, 0, 0, 1))");
    expect_recorded("ok not-equal timed-out");
    end();
}

CASE(wait_async_settles_on_its_loop_and_keeps_it_alive)
{
    pid_t me = own_tid();
    struct crew crew;

    make(NULL);
    js_eval("Atomics.waitAsync(a, 0, 0).value.then(log)");
    crew_start(&crew, 1, notify_when_asleep, &me);
    loop_run();
    crew_join(&crew);
    expect_recorded("ok");
    end();
}

/* ---- ends ---- */

static void terminate_when_asleep(struct crew *crew, unsigned id)
{
    expect(await_asleep(*(pid_t *)crew->context));
    weir_js_terminate(js);
}

CASE(terminate_ends_a_wait_that_cannot_catch_it)
{
    pid_t me = own_tid();
    struct crew crew;

    make(JS_OPTIONS(.allow_blocking = true));
    crew_start(&crew, 1, terminate_when_asleep, &me);
    expect_status(js_try("for (;;) try { Atomics.wait(a, 0, 0) }"
                         "catch { log('?') } finally { log('never') }"),
                  WEIR_ECANCELED);
    crew_join(&crew);
    expect_int(weir_js_last_error(js)->kind, WEIR_JS_FAILURE_TERMINATED);
    expect_recorded("");
    expect_int(weir_waiter_notify(&words[0], 1), 0);
    end();
}

CASE(wait_after_terminate_does_not_begin)
{
    make(JS_OPTIONS(.allow_blocking = true));
    js_define_terminate();
    expect_status(js_try("terminate(); Atomics.wait(a, 0, 0); log('never')"),
                  WEIR_ECANCELED);
    expect_recorded("");
    end();
}

CASE(time_limit_ends_a_wait_and_the_host_goes_on)
{
    make(JS_OPTIONS(.allow_blocking = true,
                    .time_limit_ns = 50 * MILLISECOND_NS));
    expect_status(js_try("try { Atomics.wait(a, 0, 0) } catch { log('?') }"),
                  -ETIMEDOUT);
    expect_int(weir_js_last_error(js)->kind, WEIR_JS_FAILURE_TIMED_OUT);
    js_eval("log(Atomics.wait(a, 0, 0, 1))");
    expect_recorded("timed-out");
    end();
}

CASE(waits_of_a_host_that_ends_are_removed)
{
    make(NULL);
    js_eval("for (let i = 0; i < 3; i++) {"
            "  Atomics.waitAsync(a, 0, 0).value.then(log);"
            "  Atomics.waitAsync(a, 1, 0, 1e6).value.then(log)"
            "}");
    expect_int(weir_waiter_notify(&words[0], 1), 1); /* on its way */
    expect_status(weir_js_free(js), 0);
    expect_int(weir_waiter_notify(&words[0], 9), 0);
    expect_int(weir_waiter_notify(&words[1], 9), 0);
    loop_run(); /* nothing keeps it */
    expect_recorded("");
    loop_end();
    free_words();
}

CASE(waits_of_a_loop_that_was_closed_end_with_the_host)
{
    make(NULL);
    js_eval("for (let i = 0; i < 3; i++) {"
            "  Atomics.waitAsync(a, 0, 0).value.then(log);"
            "  Atomics.waitAsync(a, 1, 0, 1e6).value.then(log)"
            "}");
    expect_int(weir_waiter_notify(&words[0], 1), 1); /* is cancelled */
    expect_status(weir_loop_close(loop, -1), 0);
    expect_int(weir_waiter_notify(&words[0], 1), 1); /* is refused */
    expect_int(weir_waiter_notify(&words[1], 1), 1);
    expect_status(weir_js_free(js), 0);
    expect_int(weir_waiter_notify(&words[0], 9), 0);
    expect_int(weir_waiter_notify(&words[1], 9), 0);
    expect_status(weir_loop_free(loop), 0);
    expect_recorded("");
    free_words();
}

CASE(wait_async_without_memory_throws_and_leaves_nothing)
{
    make(NULL);
    js_eval("function f() { Atomics.waitAsync(a, 0, 0, 1e6) } f()");
    expect_int(weir_waiter_notify(&words[0], 9), 1);
    loop_run();
    for (unsigned nth = 1;; nth++) {
        weir_js_value function = js_function("f");
        bool has_failed;
        int err;

        failing_malloc_arm(nth);
        err = weir_js_call(js, &function, NULL, 0, NULL);
        has_failed = failing_malloc_disarm();
        weir_js_release(js, &function);
        expect_int(weir_waiter_notify(&words[0], 9), err == 0 ? 1 : 0);
        loop_run();
        if (!has_failed)
            break;
    }
    end();
}

/* The thread that steps the loop cancels its timers between two steps, although
 * the loop is not its own alone. */
static struct failing_allocator memory;

static void ignore(void *arg, int status)
{
}

static void start_elsewhere(struct crew *crew, unsigned id)
{
    weir_timer timer;

    expect_status(weir_timer_start(loop, &timer, 3600 * (int64_t)SECOND_NS,
                                   WEIR_TIMER_ONCE, ignore, NULL),
                  0);
    expect_status(weir_timer_unref(loop, timer), 0);
}

static void start_waits(void *arg, int status)
{
    js_eval("for (let i = 0; i < 1000; i++)"
            "  Atomics.waitAsync(a, 0, 0, 1e6).value.then(log)");
}

CASE(wait_is_cancelled_without_memory_when_the_host_ends)
{
    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    make(NULL);
    crew_run(1, start_elsewhere, NULL);
    expect_status(weir_loop_submit(loop, start_waits, NULL), 0);
    loop_turns(3);
    memory.fail_at = memory.calls + 1;
    expect_status(weir_js_free(js), 0);
    expect(memory.calls < memory.fail_at); /* it needs none */
    expect_int(weir_waiter_notify(&words[0], 9), 0);
    expect_status(weir_loop_free(loop), 0);
    expect_recorded("");
    free_words();
    expect_int(memory.live, 0);
}

/* ---- two hosts ---- */

enum { PASSES = 2000 };

static const char player[] =
    "function play(me) {"
    "  for (let i = 0; i < 2000; i++) {"
    "    while (Atomics.load(a, 0) !== me) Atomics.wait(a, 0, 1 - me);"
    "    a[1]++;" /* plain: whoever has the turn */
    "    Atomics.store(a, 0, 1 - me);"
    "    Atomics.notify(a, 0)"
    "  }"
    "}";

static void play(struct crew *crew, unsigned id)
{
    weir_js_options options = {.size = sizeof(options), .allow_blocking = true};
    weir_loop *own_loop;
    weir_js *own_js;
    const char *turn = id == 0 ? "play(0)" : "play(1)";

    expect_status(weir_loop_new(&own_loop, NULL), 0);
    expect_status(weir_js_new(&own_js, own_loop, &options), 0);
    share(own_js);
    expect_status(weir_js_eval(own_js, player, sizeof(player) - 1, "player.js",
                               WEIR_JS_SOURCE_SCRIPT, NULL),
                  0);
    expect_status(weir_js_eval(own_js, turn, strlen(turn), "turn.js",
                               WEIR_JS_SOURCE_SCRIPT, NULL),
                  0);
    expect_status(weir_js_free(own_js), 0);
    expect_status(weir_loop_free(own_loop), 0);
}

CASE(two_hosts_pass_a_ball_by_wait_and_notify)
{
    make_words();
    crew_run(2, play, NULL);
    expect_int(words[1], 2 * PASSES);
    free_words();
}

/* ---- the end against a notify ---- */

static void notify_all_the_time(struct crew *crew, unsigned id)
{
    const bool *is_over = crew->context;

    while (!__atomic_load_n(is_over, __ATOMIC_ACQUIRE))
        weir_waiter_notify(&words[0], 2);
}

static void shut_down(void *arg, int status)
{
    expect_status(status, 0);
    expect_status(weir_loop_shutdown(loop, -1), 0);
}

/* The host ends first, or the loop: at once, or in good order. */
static void one_round(int round)
{
    make(NULL);
    js_eval("let n = 0; function again() {"
            "  n++; Atomics.waitAsync(a, 0, 0, n % 3 ? undefined : 0.01)"
            "    .value.then(again)"
            "}"
            "for (let i = 0; i < 5; i++) again()");
    if (round % 3 == 0) {
        expect_status(weir_loop_close(loop, -1), 0);
    } else if (round % 3 == 1) {
        expect_status(weir_timer_start(loop, NULL, round * 1000,
                                       WEIR_TIMER_ONCE, shut_down, NULL),
                      0);
        expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), 0);
    }
    expect_status(weir_js_free(js), 0);
    expect_status(weir_loop_free(loop), 0);
}

CASE(waits_end_with_their_host_while_others_notify)
{
    bool is_over = false;
    struct crew crew;

    make_words();
    crew_start(&crew, 2, notify_all_the_time, &is_over);
    for (int round = 0; round < 100; round++)
        one_round(round);
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    crew_join(&crew);
    expect_int(weir_waiter_notify(&words[0], 9), 0);
    free_words();
}
