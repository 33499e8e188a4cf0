/* SPDX-License-Identifier: MIT */
/*
 * env -- variables for which there is no memory, at each place in turn: an
 * exception, and nothing has changed; and an environment that was cleared.
 */
#include <stdlib.h>
#include <string.h>

#include "js/support/failing_malloc.h"
#include "js/support/js_fixture.h"
#include "support/suite.h"

/* Texts that have to be copied to become UTF-8. */
static const char program[] =
    "const short = 'é', long = 'é'.repeat(3000);"
    "const count = Object.keys(process.env).length;"
    "function set() { process.env.TEST = long }"
    "function reset() { process.env.TEST = short }"
    "function list() {"
    "    if (Object.keys(process.env).length !== count) throw 'incomplete' }"
    "reset(); set(); list();";

/* Call a function with less memory, until it has enough. */
static void sweep(const char *name, void (*check)(int err))
{
    weir_js_value function;
    unsigned nth = 0;
    bool has_failed;
    int err;

    setenv("TEST", "", 1);
    js_make(NULL);
    js_eval(program);
    js_eval("reset()");
    function = js_function(name);
    do {
        failing_malloc_arm(++nth);
        err = weir_js_call(js, &function, NULL, 0, NULL);
        has_failed = failing_malloc_disarm();
        expect(has_failed || err == 0);
        check(err);
    } while (has_failed && nth < 1000);
    expect(nth > 1);
    js_end();
}

static void check_value(int err)
{
    const char *value = getenv("TEST");

    expect(value != NULL);
    expect_int((int)strlen(value), err == 0 ? 6000 : 2);
    js_eval("reset()");
}

CASE(env_value_without_memory_is_not_set_and_not_removed)
{
    sweep("set", check_value);
}

static void check_list(int err)
{
    if (err != 0)
        expect(strstr(weir_js_last_error(js)->text, "incomplete") == NULL);
}

CASE(env_names_are_all_listed_or_none)
{
    sweep("list", check_list);
}

CASE(env_that_was_cleared_is_empty)
{
    expect_int(clearenv(), 0);
    js_make(NULL);
    js_eval("if (Object.keys(process.env).length !== 0) throw 'not empty'");
    js_eval("process.env.TEST = 'a';"
            "if (Object.keys(process.env).join() !== 'TEST') throw 'not set'");
    js_end();
}
