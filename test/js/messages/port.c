/* SPDX-License-Identifier: MIT */
/*
 * port -- microtasks of C between the messages of one port: one that leaves
 * the callback, one that closes the ports, and one that frees the host.
 */
#include "js/support/js_fixture.h"
#include "support/suite.h"

enum { RAISED = -4242 };

static void free_host(void *arg, int status)
{
    note("free");
    expect_status(weir_js_free(js), 0);
    js = NULL;
}

static void raise_error(void *arg, int status)
{
    note("raise");
    weir_raise(RAISED, "a microtask");
}

static void close_ports(void *arg, int status)
{
    note("close");
    js_eval("port1.close(); port2.close(); port1 = port2 = undefined");
}

/* A function of JavaScript that queues the microtask. */
static int queue(weir_js *host, void *arg, const weir_js_value *args,
                 size_t count, weir_js_value *result)
{
    weir_fn *fn = *(weir_fn **)arg;

    return weir_loop_microtask(loop, fn, NULL);
}

static void on_uncaught(void *arg, weir_loop *of, const weir_uncaught *error)
{
    note("uncaught");
    expect_int(error->code, RAISED);
}

/* Post three messages, and queue fn while the first is delivered. */
static void deliver_with(weir_fn **fn)
{
    js_make_on(NULL, LOOP_OPTIONS(.on_uncaught = on_uncaught));
    expect_status(weir_js_define(js, NULL, "queue", queue, fn), 0);
    js_eval("var { port1, port2 } = new MessageChannel();"
            "port2.on('message', (n) => { log(`${n}`); if (n === 1) queue() });"
            "for (const n of [1, 2, 3]) port1.postMessage(n)");
    loop_turns(4);
}

/* Nothing leaks: the port is freed with its host, or when it was closed. */
CASE(port_goes_on_after_a_microtask_that_raised)
{
    static weir_fn *fn = raise_error;

    deliver_with(&fn);
    expect_recorded("1 raise uncaught 2 3");
    js_eval("port1.close(); port2.close()");
    loop_run();
    js_end();
}

CASE(port_that_is_left_by_a_raise_is_freed_with_its_host)
{
    static weir_fn *fn = raise_error;

    deliver_with(&fn);
    js_end();
}

CASE(port_that_a_microtask_closes_delivers_no_more)
{
    static weir_fn *fn = close_ports;

    deliver_with(&fn);
    expect_recorded("1 close");
    loop_run();
    js_end();
}

CASE(port_whose_host_is_freed_by_a_microtask_delivers_no_more)
{
    static weir_fn *fn = free_host;

    deliver_with(&fn);
    expect_recorded("1 free");
    loop_end();
}
