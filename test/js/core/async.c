/* SPDX-License-Identifier: MIT */
/*
 * async -- functions in C whose work is on a pool, and whose result is a
 * promise.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "js/support/failing_malloc.h"
#include "js/support/js_fixture.h"
#include "support/suite.h"
#include "weir/pool.h"

static weir_pool *pool;
static sem_t begun, go_on;
static unsigned asked;

static void wait_for(sem_t *sem)
{
    while (sem_wait(sem) != 0)
        expect_int(errno, EINTR);
}

static void begin(void)
{
    sem_init(&begun, 0, 0);
    sem_init(&go_on, 0, 0);
    expect_status(weir_pool_new(&pool, NULL), 0);
    js_make(JS_OPTIONS(.pool = pool));
}

static void end_pool(void)
{
    expect_status(weir_pool_shutdown(pool, -1), 0);
    expect_status(weir_pool_free(pool), 0);
}

static void end(void)
{
    js_end();
    end_pool();
}

/* ---- the work ---- */

/* Its arguments as a text: "string 3 abc", ... */
static int describe(void *arg, const weir_js_value *args, size_t count,
                    weir_js_result *result)
{
    static const char *const types[] = {[WEIR_JS_TYPE_UNDEFINED] = "undefined",
                                        [WEIR_JS_TYPE_NULL] = "null",
                                        [WEIR_JS_TYPE_BOOL] = "bool",
                                        [WEIR_JS_TYPE_NUMBER] = "number",
                                        [WEIR_JS_TYPE_STRING] = "string",
                                        [WEIR_JS_TYPE_BYTES] = "bytes"};
    char *text = malloc(512);
    size_t used = 0;

    expect(arg == &pool);
    expect(weir_pool_current() == pool);
    expect(text != NULL);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const weir_js_value *it = &args[i];

        used += (size_t)snprintf(text + used, 512 - used, "%s%s",
                                 i > 0 ? " " : "", types[it->type]);
        if (it->type == WEIR_JS_TYPE_BOOL || it->type == WEIR_JS_TYPE_NUMBER)
            used += (size_t)snprintf(
                text + used, 512 - used, ":%g",
                it->type == WEIR_JS_TYPE_BOOL ? it->boolean : it->number);
        if (it->type >= WEIR_JS_TYPE_STRING) {
            expect_int(it->text[it->length], 0);
            used += (size_t)snprintf(text + used, 512 - used, ":%zu:%s",
                                     it->length, it->text);
        }
    }
    result->value = weir_js_string(text, used);
    result->free = free;
    return 0;
}

static int give_bytes(void *arg, const weir_js_value *args, size_t count,
                      weir_js_result *result)
{
    result->value = weir_js_bytes("a\0b", 3);
    return 0;
}

static int fail(void *arg, const weir_js_value *args, size_t count,
                weir_js_result *result)
{
    if (count > 0) { /* without a NUL behind it */
        void *text = malloc(args[0].length);

        expect(text != NULL);
        memcpy(text, args[0].text, args[0].length);
        result->value = weir_js_string(text, args[0].length);
        result->free = free;
    }
    return -ENOENT;
}

static int give_nonsense(void *arg, const weir_js_value *args, size_t count,
                         weir_js_result *result)
{
    result->value.type = WEIR_JS_TYPE_OBJECT;
    return 0;
}

/* Says that it has begun, and waits. */
static int hold_on(void *arg, const weir_js_value *args, size_t count,
                   weir_js_result *result)
{
    sem_post(&begun);
    wait_for(&go_on);
    result->value = weir_js_string(strdup("late"), 4);
    result->free = free;
    return 0;
}

static void define(const char *name, weir_js_async_fn *fn)
{
    expect_status(weir_js_define_async(js, NULL, name, fn, &pool), 0);
}

/* ---- cases ---- */

CASE(async_gets_copies_of_plain_arguments)
{
    begin();
    define("describe", describe);
    js_eval("describe(undefined, null, true, 1.5, 'h\\u00e9').then(log)");
    loop_run();
    expect_recorded("undefined null bool:1 number:1.5 string:3:h\xc3\xa9");
    js_eval("{ const b = new Uint8Array([65, 66, 67, 68]);"
            "describe(b, b.subarray(1, 3), b.buffer,"
            " new Uint16Array(b.buffer, 2)).then(log); b.fill(0) }");
    loop_run();
    expect_recorded("bytes:4:ABCD bytes:2:BC bytes:4:ABCD bytes:2:CD");
    js_eval("describe(new Uint8Array(0), new ArrayBuffer(0), '').then(log)");
    loop_run();
    expect_recorded("bytes:0: bytes:0: string:0:");
    js_eval("describe().then(log)");
    loop_run();
    expect_recorded("");
    end();
}

CASE(async_fulfils_with_bytes)
{
    begin();
    define("give", give_bytes);
    js_eval("give().then((b) => log(b.constructor.name + ' ' + b))");
    loop_run();
    expect_recorded("Uint8Array 97,0,98");
    end();
}

CASE(async_that_fails_rejects_with_its_code)
{
    begin();
    define("fail", fail);
    define("nonsense", give_nonsense);
    js_eval("fail().catch((e) => log(e.code + ': ' + e.message))");
    loop_run();
    expect_recorded("ENOENT: No such file or directory");
    js_eval("fail('no ' + 'x'.repeat(400)).catch("
            "  (e) => log(e.code + e.message.length))");
    loop_run();
    expect_recorded("ENOENT403");
    js_eval("fail('a\\0b').catch((e) => log(e.message === 'a\\0b' ? 'whole' : "
            "'cut'))");
    loop_run();
    expect_recorded("whole");
    js_eval("nonsense().catch((e) => log(e.code))");
    loop_run();
    expect_recorded("EINVAL");
    end();
}

CASE(async_with_an_argument_that_is_not_plain_rejects)
{
    begin();
    define("describe", describe);
    js_eval("const gone = new ArrayBuffer(4); gone.transfer();"
            "(async () => {"
            "  for (const value of [{}, () => {}, Symbol('s'), 1n, gone,"
            "    new Proxy({}, {}), [1]])"
            "    await describe('a', value).catch((e) => log(e.name + ': ' +"
            "      e.message));"
            "})()");
    loop_run();
    expect_recorded("TypeError: argument 2 of describe cannot be copied "
                    "TypeError: argument 2 of describe cannot be copied "
                    "TypeError: argument 2 of describe cannot be copied "
                    "TypeError: argument 2 of describe cannot be copied "
                    "TypeError: argument 2 of describe cannot be copied "
                    "TypeError: argument 2 of describe cannot be copied "
                    "TypeError: argument 2 of describe cannot be copied");
    end();
}

CASE(async_without_a_pool_rejects)
{
    js_make(NULL);
    expect_status(weir_js_define_async(js, NULL, "f", describe, &pool), 0);
    js_eval("f().catch((e) => log(e.code + ' ' + e.message))");
    loop_run();
    expect_recorded("EOPNOTSUPP the host has no pool");
    js_end();
}

CASE(async_on_a_pool_that_is_closed_rejects)
{
    begin();
    define("f", describe);
    expect_status(weir_pool_close(pool, -1), 0);
    js_eval("f().catch((e) => log(e.code))");
    loop_run();
    expect_recorded("ECLOSED");
    end();
}

static weir_pool *get_pool(void *arg)
{
    expect(arg == &asked);
    expect(weir_loop_is_owner(loop));
    asked++;
    return pool;
}

CASE(async_asks_for_a_pool_once_and_not_before_it_needs_it)
{
    expect_status(weir_pool_new(&pool, NULL), 0);
    js_make(JS_OPTIONS(.get_pool = get_pool, .arg = &asked));
    define("f", describe);
    expect_int(asked, 0);
    js_run("f(1).then(() => f(2)).then(log)");
    expect_recorded("number:2");
    expect_int(asked, 1);
    end();
}

/* covers: weir_js_define_async -ENOMEM */
CASE(async_definitions_are_checked)
{
    weir_js_value number = weir_js_number(1);
    int err;

    begin();
    expect_status(weir_js_define_async(NULL, NULL, "f", describe, NULL),
                  -EINVAL);
    expect_status(weir_js_define_async(js, NULL, NULL, describe, NULL),
                  -EINVAL);
    expect_status(weir_js_define_async(js, NULL, "f", NULL, NULL), -EINVAL);
    expect_status(weir_js_define_async(js, &number, "f", describe, NULL),
                  -EINVAL);
    failing_malloc_arm(1);
    err = weir_js_define_async(js, NULL, "f", describe, NULL);
    failing_malloc_disarm();
    expect_status(err, -ENOMEM);
    end();
}

CASE(async_keeps_the_loop_until_it_is_settled)
{
    begin();
    define("block", hold_on);
    js_eval("block().then(log); setTimeout(release = () => log('timer'), 1)");
    sem_post(&go_on);
    loop_run();
    wait_for(&begun);
    expect_string(strchr(take_record(), 'l') != NULL ? "late" : "", "late");
    end();
}

/* ---- ends ---- */

CASE(async_that_comes_after_the_host_s_end_is_dropped)
{
    begin();
    define("block", hold_on);
    js_eval("block().then(log)");
    wait_for(&begun);
    expect_status(weir_js_free(js), 0);
    sem_post(&go_on);
    loop_run();
    expect_recorded("");
    loop_end();
    end_pool();
}

CASE(async_that_comes_after_the_loop_s_end_is_dropped)
{
    begin();
    define("block", hold_on);
    js_eval("block().then(log)");
    wait_for(&begun);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    sem_post(&go_on);
    end_pool(); /* the loop has refused the worker */
    expect_status(weir_js_free(js), 0);
    expect_status(weir_loop_free(loop), 0);
    expect_recorded("");
}

CASE(async_that_comes_after_the_end_of_both_is_dropped)
{
    begin();
    define("block", hold_on);
    js_eval("block().then(log)");
    wait_for(&begun);
    expect_status(weir_js_free(js), 0);
    expect_status(weir_loop_free(loop), 0);
    sem_post(&go_on);
    end_pool();
    expect_recorded("");
}

CASE(async_of_a_terminated_host_is_dropped)
{
    begin();
    define("block", hold_on);
    js_eval("block().then(log)");
    wait_for(&begun);
    weir_js_terminate(js);
    sem_post(&go_on);
    loop_run();
    expect_recorded("");
    end();
}

CASE(async_that_waits_in_a_pool_which_closes_rejects)
{
    expect_status(
        weir_pool_new(&pool,
                      &(weir_pool_options){.size = sizeof(weir_pool_options),
                                           .workers = 1,
                                           .max_workers = 1}),
        0);
    sem_init(&begun, 0, 0);
    sem_init(&go_on, 0, 0);
    js_make(JS_OPTIONS(.pool = pool));
    define("block", hold_on);
    js_eval("block().then(log); block().catch((e) => log(e.code))");
    wait_for(&begun);
    expect_status(weir_pool_close(pool, 0), -ETIMEDOUT);
    sem_post(&go_on);
    loop_run();
    expect_recorded("late ECANCELED");
    js_end();
    expect_status(weir_pool_free(pool), 0);
}

/* ---- memory ---- */

/* Each allocation of a call fails in turn: then it is a rejection, or an
 * exception if there is not even a promise.  A promise that the caller does not
 * get, since there is no memory for its handle, is a rejection nobody handles.
 * */
CASE(async_without_memory_is_an_error_and_leaks_nothing)
{
    const char *said, *lost = "rejected InternalError: out of memory";
    weir_js_value function, promise;
    bool has_failed = true;

    begin();
    define("give", give_bytes); /* does not allocate */
    js_eval("function call() { return give('abc', new Uint8Array(3)) }"
            "call().catch(() => {})");
    loop_run();
    function = js_function("call");
    for (unsigned nth = 1; has_failed; nth++) {
        int err;

        failing_malloc_arm(nth);
        err = weir_js_call(js, &function, NULL, 0, &promise);
        has_failed = failing_malloc_disarm();
        if (err == 0) {
            expect_status(weir_js_set(js, NULL, "promise", &promise), 0);
            weir_js_release(js, &promise);
            js_eval("promise.catch(() => {})");
        }
        loop_run();
        said = take_record();
        expect_string(said, err != 0 && *said != '\0' ? lost : "");
        expect(nth < 100);
    }
    end();
}

/* ---- many ---- */

static int add(void *arg, const weir_js_value *args, size_t count,
               weir_js_result *result)
{
    expect_int(count, 2);
    result->value = weir_js_number(args[0].number + args[1].number);
    return 0;
}

CASE(async_calls_by_the_thousand_are_each_settled_once)
{
    begin();
    define("add", add);
    js_run("const N = 2000; let sum = 0, calls = 0;"
           "const all = Array.from({length: N}, (_, i) => add(i, 1).then("
           "  (n) => { sum += n; calls++ }));"
           "Promise.all(all).then(() => log(calls + ' ' + sum))");
    expect_recorded("2000 2001000");
    end();
}

static void free_host(void *arg, int status)
{
    expect_status(status, 0);
    expect_status(weir_js_free(js), 0);
}

CASE(async_calls_race_with_the_end)
{
    for (int round = 0; round < 50; round++) {
        begin();
        define("add", add);
        js_eval("for (let i = 0; i < 50; i++) add(i, 1).then(() => {})");
        if (round % 3 == 0) {
            expect_status(weir_loop_submit(loop, free_host, NULL), 0);
            loop_run();
            loop_end();
        } else if (round % 3 == 1) {
            expect_status(weir_loop_close(loop, -1), 0);
            expect_status(weir_js_free(js), 0);
            expect_status(weir_loop_free(loop), 0);
        } else {
            expect_status(weir_js_free(js), 0);
            loop_end();
        }
        end_pool();
    }
}
