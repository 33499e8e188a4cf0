/* SPDX-License-Identifier: MIT */
/*
 * realm -- contexts of node:vm for which there is no memory, at each place in
 * turn: an exception, a program that still works, and nothing left behind (the
 * engine aborts on leaks).
 */
#include "js/support/failing_malloc.h"
#include "js/support/js_fixture.h"
#include "support/suite.h"

static const char program[] =
    "const script = new vm.Script('var total = [1, 2].map((x) => x * n); "
    "total');"
    "const kept = vm.createContext({ n: 1 });"
    "function create() {"
    "    const sandbox = vm.createContext({ n: 2 });"
    "    sandbox.itself = sandbox;"
    "    if (script.runInContext(sandbox)[1] !== 4) throw 'wrong' }"
    "function use() {"
    "    vm.runInContext('function f(a) { fresh = a; return f } var v = f(n);"
    "        this.w = v; delete w; Object.keys(this); let l; try { absent }"
    "        catch {} ; l = typeof absent', vm.createContext(kept));"
    "    vm.compileFunction('return a', ['a'], { parsingContext: kept,"
    "        contextExtensions: [{}] })(1) }"
    "function check() {"
    "    if (vm.runInContext('n + Array.from([1]).length', kept) !== 2)"
    "        throw 'broken';"
    "    const all = vm.runInNewContext('Object.getOwnPropertyNames(this)');"
    "    if (all.length !== count) throw 'incomplete' }"
    "const count = "
    "vm.runInNewContext('Object.getOwnPropertyNames(this)').length;"
    "create(); check();";

static void load(const weir_js_options *options)
{
    js_make(options);
    js_run(
        "import('node:vm').then((names) => { globalThis.vm = names.default })");
}

/* Call a function with less memory, until it has enough.  Where the engine
 * takes every block from malloc there are thousands. */
static void sweep(const char *name, bool is_once)
{
    enum { EACH = 100, STRIDE = 31 };
    weir_js_value function;
    unsigned nth = 0, refused = 0;
    bool has_failed;
    int err;

    load(NULL);
    js_eval(program);
    function = js_function(name);
    do {
        nth += nth < EACH ? 1 : STRIDE;
        if (is_once)
            failing_malloc_arm_once(nth);
        else
            failing_malloc_arm(nth);
        err = weir_js_call(js, &function, NULL, 0, NULL);
        has_failed = failing_malloc_disarm();
        expect(has_failed || err == 0);
        refused += err != 0;
        js_eval("check()");
    } while (has_failed);
    expect(refused > 0);
    js_end();
}

CASE_WITHIN(realm_without_memory_is_not_created, 300)
{
    sweep("create", false);
}

CASE_WITHIN(realm_without_one_allocation_is_not_created, 300)
{
    sweep("create", true);
}

/* The second run finds its declarations there, and a lexical one fails. */
CASE(realm_that_is_used_without_memory_still_works)
{
    load(NULL);
    js_eval(program);
    for (unsigned nth = 1; nth < 400; nth += 3) {
        weir_js_value function = js_function("use");

        failing_malloc_arm(nth);
        (void)!weir_js_call(js, &function, NULL, 0, NULL);
        (void)failing_malloc_disarm();
        js_eval("check()");
    }
    js_end();
}

CASE(realm_of_an_ended_host_is_freed)
{
    load(NULL);
    js_eval(program);
    js_eval("globalThis.held = vm.runInContext('(function () { return n })',"
            "kept); globalThis.promise = vm.runInContext('(async () => {"
            "await new Promise(() => {}) })()', kept);"
            "vm.runInContext('Promise.resolve().then(() => n)', kept);"
            "const frozen = vm.createContext(Object.freeze({}));"
            "vm.runInContext('self = this', frozen)");
    js_end();
}

CASE(realm_s_code_ends_with_its_host)
{
    load(NULL);
    js_define_terminate();
    js_eval(program);
    js_eval("kept.terminate = terminate");
    expect_status(js_try("vm.runInContext('terminate(); for (;;);', kept,"
                         "{ timeout: 1e9 })"),
                  WEIR_ECANCELED);
    js_end();
}

CASE(realm_s_time_does_not_exceed_the_host_s)
{
    load(JS_OPTIONS(.time_limit_ns = 300000000));
    expect(
        js_try("try { vm.runInNewContext('for (;;);', {}, { timeout: 1e9 }) }"
               "catch {} log('caught')") != 0);
    expect_recorded("");
    js_end();
}
