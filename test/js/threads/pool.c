/* SPDX-License-Identifier: MIT */
/*
 * pool -- weir:pool when its host ends in the middle of it, and without memory
 * or threads.
 * What programs see of it is tested by test/js/threads/pool-*.mjs.
 */
#include <errno.h>
#include <string.h>

#include "js/support/failing_malloc.h"
#include "js/support/js_fixture.h"
#include "support/failing_syscalls.h"
#include "support/suite.h"

enum { ROUNDS = 40 };

static void eval_module(const char *source)
{
    expect_status(weir_js_eval(js, source, strlen(source), "module.mjs",
                               WEIR_JS_SOURCE_MODULE, NULL),
                  0);
    loop_run();
}

static void make_with(const char *pool)
{
    js_make(NULL);
    eval_module("import { Pool } from 'weir:pool'; globalThis.Pool = Pool");
    js_eval(pool);
}

/* Workers have just begun, run, steal, or wait, and their board is full. */
CASE(pool_of_a_host_that_ends_ends_with_it)
{
    for (int i = 0; i < ROUNDS; i++) {
        make_with(
            "const pool = new Pool((n) => n, { size: 3 });"
            "let done = 0;"
            "function more() { if (++done < limit) pool.run(0).then(more) }"
            "let limit = 100");
        js_eval("for (let i = 0; i < 100; i++) pool.run(i)");
        if (i % 4 > 0) /* some are done */
            js_run("limit = 20; pool.run(0).then(more)");
        if (i % 4 == 2)
            js_eval("pool.run(Infinity); for (let i = 0; i < 50; i++) {"
                    "  const one = new AbortController();"
                    "  pool.run(i, { signal: one.signal }).catch(() => {});"
                    "  one.abort() }");
        js_end();
    }
}

CASE(pool_whose_tasks_never_end_ends_with_its_host)
{
    make_with("const pool = new Pool(() => { for (;;); }, { size: 2 });"
              "for (let i = 0; i < 100; i++) pool.run(i).catch(() => {})");
    js_end();
}

/* A call that fails may leave a rejected promise that nobody could handle. */
CASE(pool_run_without_memory_is_rejected_and_the_pool_goes_on)
{
    const char *said, *lost = "rejected InternalError: out of memory";

    make_with("const pool = new Pool((n) => n, { size: 1 });"
              "function f() { pool.run('text').catch(() => {}) }"
              "f()");
    loop_run();
    for (unsigned nth = 1;; nth++) {
        weir_js_value function = js_function("f");
        bool has_failed;
        int err;

        failing_malloc_arm(nth);
        err = weir_js_call(js, &function, NULL, 0, NULL);
        has_failed = failing_malloc_disarm();
        weir_js_release(js, &function);
        loop_run();
        js_run("if (pool.stats.pending > 0) log('left');"
               "pool.run(7).then((n) => { if (n !== 7) log(n) })");
        said = take_record();
        expect_string(said, err != 0 && *said != '\0' ? lost : "");
        if (!has_failed)
            break;
    }
    js_end();
}

/* Two have begun when the third is refused: they end. */
CASE(pool_without_threads_is_none)
{
    make_with("function make() { new Pool((n) => n, { size: 4 }) }");
    failing_syscalls_set(CALL_PTHREAD_CREATE, 3, FAILING_ALWAYS, EAGAIN);
    js_run("try { make() } catch (error) { log(error.code) }");
    expect_recorded("EAGAIN");
    failing_syscalls_set(CALL_PTHREAD_CREATE, 1, 0, 0);
    js_end();
}

/* It cannot be replaced: nobody waits forever. */
CASE(pool_whose_last_worker_has_no_successor_rejects_all)
{
    make_with("const pool = new Pool((n) => n > 0 ? n : process.exit(3),"
              "                      { size: 1 });"
              "pool.run(1).then(() => log('begun'))");
    loop_run();
    failing_syscalls_set(CALL_PTHREAD_CREATE, 1, FAILING_ALWAYS, EAGAIN);
    js_run("for (const n of [0, 5])"
           "  pool.run(n).catch((error) => log(error.code))");
    js_run("pool.run(6).catch((error) => log(error.code))");
    expect_recorded("begun ERR_POOL_WORKER_EXITED EAGAIN EAGAIN");
    failing_syscalls_set(CALL_PTHREAD_CREATE, 1, 0, 0);
    js_end();
}
