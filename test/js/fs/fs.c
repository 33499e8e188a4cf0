/* SPDX-License-Identifier: MIT */
/*
 * fs -- files of JavaScript in a host: without a pool, and without memory.
 */
#include <errno.h>
#include <string.h>

#include "js/support/failing_malloc.h"
#include "js/support/js_fixture.h"
#include "support/suite.h"
#include "weir/pool.h"

static weir_pool *pool;

static void load(void)
{
    static const char source[] =
        "import * as all from 'node:fs'; globalThis.fs = all.default";

    expect_status(weir_js_eval(js, source, strlen(source), "load.mjs",
                               WEIR_JS_SOURCE_MODULE, NULL),
                  0);
    loop_run();
}

CASE(fs_without_a_pool_works_at_once_and_rejects_later)
{
    js_make(NULL);
    load();
    js_eval("log(String(fs.statSync('/').isDirectory()));"
            "fs.promises.stat('/').catch((e) => log(e.code));"
            "try { fs.stat('/', () => {}) } catch (e) { log(e.message) }");
    loop_run();
    expect_recorded("true the host has no pool EOPNOTSUPP");
    js_end();
}

/* The engine (0.17.0) writes to address 0 when it runs out of memory while it
 * makes an array; UndefinedBehaviorSanitizer stops there. */
#ifndef __SANITIZE_ADDRESS__

/* Each allocation fails in turn, in C and in the engine: an exception, and
 * nothing is lost. */
static void sweep(const char *source)
{
    weir_js_value function;
    bool has_failed = true;

    js_eval(source);
    function = js_function("f");
    expect_status(weir_js_call(js, &function, NULL, 0, NULL), 0);
    for (unsigned nth = 1; has_failed; nth++) {
        int err;

        failing_malloc_arm(nth);
        err = weir_js_call(js, &function, NULL, 0, NULL);
        has_failed = failing_malloc_disarm();
        expect(err == 0 || err == WEIR_ETHROWN || err == -ENOMEM);
        expect(nth < 5000);
    }
    weir_js_release(js, &function);
}

CASE(fs_without_memory_throws_and_loses_nothing)
{
    js_make(NULL);
    load();
    sweep("function f() { return fs.statSync('/', { bigint: true }) }");
    sweep("function f() { return fs.readFileSync('/proc/self/stat') }");
    sweep("function f() { return fs.readFileSync('/etc/passwd', 'utf8') }");
    sweep("function f() { return fs.readdirSync('/etc/init.d', "
          "{ recursive: true, withFileTypes: true }) }");
    sweep("function f() { try { fs.renameSync('/nope/a', '/nope/b') } catch {} "
          "}");
    sweep("function f() { return fs.realpathSync('/etc/../tmp') }");
    sweep("function f() { fs.writeFileSync('/dev/null', 'x'.repeat(100)) }");
    js_end();
}

/* The outcome waits in the pool's block, whatever there is memory for. */
CASE(fs_later_without_memory_rejects_and_loses_nothing)
{
    weir_js_value function;
    bool has_failed = true;

    expect_status(weir_pool_new(&pool, NULL), 0);
    js_make(JS_OPTIONS(.pool = pool));
    load();
    js_eval("function f() { fs.access('/', () => {}) }; f()");
    loop_run();
    function = js_function("f");
    for (unsigned nth = 1; has_failed; nth++) {
        int err;

        failing_malloc_arm(nth);
        err = weir_js_call(js, &function, NULL, 0, NULL);
        has_failed = failing_malloc_disarm();
        expect(err == 0 || err == WEIR_ETHROWN || err == -ENOMEM);
        loop_run();
        expect(nth < 500);
    }
    js_end();
    expect_status(weir_pool_shutdown(pool, -1), 0);
    expect_status(weir_pool_free(pool), 0);
}

#endif

CASE(fs_under_way_at_the_end_of_the_host_is_dropped)
{
    for (int round = 0; round < 30; round++) {
        expect_status(weir_pool_new(&pool, NULL), 0);
        js_make(JS_OPTIONS(.pool = pool));
        load();
        js_eval("for (let i = 0; i < 20; i++) {"
                "  fs.readdir('/', () => log('late'));"
                "  fs.promises.readFile('/etc/passwd').then(() => log('late'));"
                "}");
        expect_status(weir_js_free(js), 0);
        loop_end();
        expect_status(weir_pool_shutdown(pool, -1), 0);
        expect_status(weir_pool_free(pool), 0);
    }
    expect_recorded("");
}
