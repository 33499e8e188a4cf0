/* SPDX-License-Identifier: MIT */
/*
 * property -- lists and objects that C makes without memory, at each place in
 * turn: the caller gets an exception, and never a value with an exception in it.
 */
#include <quickjs.h>
#include <string.h>

#include "js/support/failing_malloc.h"
#include "js/support/js_fixture.h"
#include "support/suite.h"

/* Run a module that sets make(); then call that, while each of its allocations
 * fails once. */
static void sweep(const char *module)
{
    weir_js_value function;
    unsigned nth = 0, failures = 0;
    bool has_failed;
    int err;

    js_make(NULL);
    expect_status(weir_js_eval(js, module, strlen(module), "test.mjs",
                               WEIR_JS_SOURCE_MODULE, NULL),
                  0);
    loop_run();
    js_eval("make()"); /* loads what it needs */
    function = js_function("make");
    do {
        failing_malloc_arm_once(++nth);
        err = weir_js_call(js, &function, NULL, 0, NULL);
        has_failed = failing_malloc_disarm();
        failures += err != 0;
        expect(err == 0 || has_failed);
        expect(!JS_HasException(weir_js_context(js)));
    } while (has_failed && nth < 2000);
    expect(failures > 0);
    js_end();
}

CASE(property_of_the_environment_without_memory_is_an_exception)
{
    sweep("globalThis.make = () => Object.keys(process.env)");
}

CASE(property_of_the_system_without_memory_is_an_exception)
{
    sweep("import os from 'node:os';"
          "globalThis.make = () => { os.networkInterfaces(); os.userInfo() }");
}

CASE(property_of_a_holder_without_memory_is_an_exception)
{
    sweep(
        "import { Service } from 'weir:service';"
        "const service = new Service(); service.start();"
        "for (let i = 0; i < 9; i++) service.tryEnter('é'.repeat(3000));"
        "globalThis.make = () => {"
        "    if (service.report().holders.length !== 9) throw 'incomplete' }");
}

CASE(property_of_header_fields_without_memory_is_an_exception)
{
    sweep("const text = 'é'.repeat(3000);"
          "const headers = new Headers([['a', text], ['b', text],"
          "                             ['set-cookie', text]]);"
          "globalThis.make = () => {"
          "    headers.getSetCookie();"
          "    headers.set('a', text);" /* sorted again */
          "    [...headers] }");
}

CASE(property_headers_of_a_response_are_made_when_there_is_memory_again)
{
    sweep("globalThis.make = () => {"
          "    const response = new Response('a');"
          "    try { response.headers } catch { }"
          "    if (response.headers.get('content-type') === null) throw 1;"
          "    response.headers.set('a', 'é'.repeat(3000)) }");
}

CASE(property_of_a_system_error_without_memory_is_an_exception)
{
    /* Long, so that no copy of it fits into what the engine has at hand. */
    sweep("const path = ('/' + 'é'.repeat(100)).repeat(18);"
          "globalThis.make = () => {"
          "    try { process.chdir(path) }"
          "    catch (error) { if (error.code !== 'ENOENT') throw error } }");
}
