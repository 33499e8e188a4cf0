/* SPDX-License-Identifier: MIT */
/*
 * clone -- a clone for which there is no memory, at each place in turn: an
 * exception, and nothing is lost.
 */
#include "js/support/failing_malloc.h"
#include "js/support/js_fixture.h"
#include "support/suite.h"

static const char values[] =
    "const shared = new SharedArrayBuffer(8);"
    "const value = { text: 'x'.repeat(2000), list: Array.from({ length: 50 },"
    "    (_, i) => ({ i })), map: new Map([[1, new Set([2n ** 100n])]]),"
    "    view: new Uint8Array(5000), shared, error: new TypeError('e') };"
    "value.self = value;"
    "function clone() { structuredClone(value) }"
    "function move() {"
    "    const small = new ArrayBuffer(100), big = new ArrayBuffer(1 << 17);"
    "    const { port1, port2 } = new MessageChannel();"
    "    try {"
    "        const copy = structuredClone({ port1, small, big },"
    "            { transfer: [port1, small, big] });"
    "        copy.port1.close();"
    "    } finally { port1.close(); port2.close(); }"
    "}";

static void sweep(const char *name)
{
    weir_js_value function;
    unsigned nth = 0;
    int err;

    js_make(NULL);
    js_eval(values);
    function = js_function(name);
    expect_status(weir_js_call(js, &function, NULL, 0, NULL), 0);
    loop_run(); /* all that is loaded once is there */
    do {
        failing_malloc_arm(++nth);
        err = weir_js_call(js, &function, NULL, 0, NULL);
        if (!failing_malloc_disarm())
            break;
        loop_run();
    } while (nth < 100000);
    expect_status(err, 0);
    expect(nth > 5);
    js_end();
}

CASE(clone_without_memory_is_an_exception)
{
    sweep("clone");
}

CASE(transfer_without_memory_is_an_exception)
{
    sweep("move");
}
