/* SPDX-License-Identifier: MIT */
/*
 * handle -- sockets of JavaScript whose host ends or has no memory, at every
 * moment.
 */
#include <stdlib.h>
#include <string.h>

#include "js/support/failing_malloc.h"
#include "js/support/js_fixture.h"
#include "support/effort.h"
#include "support/suite.h"

/* Several connections that send, half-close, reset and fail, a server that
 * answers, datagrams and a lookup. */
static const char traffic[] =
    "import net from 'node:net'; import dgram from 'node:dgram';"
    "import dns from 'node:dns';"
    "const quiet = (emitter) => emitter.on('error', () => {});"
    "globalThis.talk = () => {"
    "  const server = quiet(net.createServer((socket) => {"
    "    quiet(socket).on('data', (data) => socket.write(data));"
    "  }));"
    "  server.listen(0, '127.0.0.1', () => {"
    "    let left = 6;"
    "    const done = () => --left === 0 && server.close();"
    "    for (let i = 0; i < 6; i++) {"
    "      const port = i === 5 ? 1 : server.address().port;"
    "      const socket = quiet(net.connect(port, '127.0.0.1'));"
    "      socket.write('x'.repeat(i === 2 ? 500000 : 10));"
    "      socket.on('data', () => i % 2 ? socket.end() : socket.destroy());"
    "      socket.on('connect', () => i === 4 && socket.resetAndDestroy());"
    "      socket.on('close', done);"
    "    }"
    "  });"
    "  const one = quiet(dgram.createSocket('udp4'));"
    "  one.bind(0, '127.0.0.1', () => one.send('m', one.address().port,"
    "    '127.0.0.1'));"
    "  one.on('message', () => one.close());"
    "  dns.lookup('127.0.0.1', () => {});"
    "};";

static void load(void)
{
    expect_status(weir_js_eval(js, traffic, strlen(traffic), "traffic.mjs",
                               WEIR_JS_SOURCE_MODULE, NULL),
                  0);
    loop_run();
}

CASE(handle_talks_until_everything_is_closed)
{
    js_make(NULL);
    load();
    js_run("talk()");
    expect_recorded("");
    js_end();
}

/* Fewer moments with ThreadSanitizer in `make test`: it makes hosts slowly, and
 * what remains after an end or a failure is hardly a matter of threads. */
static unsigned stride(unsigned step)
{
    return IS_THREAD_SANITIZED && getenv("WEIR_BRIEF") != NULL ? 7 * step
                                                               : step;
}

CASE(handle_survives_the_end_of_its_host_at_any_moment)
{
    for (unsigned turns = 0; turns < 40; turns += stride(1)) {
        js_make(NULL);
        load();
        js_eval("talk()");
        loop_turns(turns);
        js_end();
    }
}

CASE(handle_survives_the_end_of_its_loop_at_any_moment)
{
    for (unsigned turns = 0; turns < 40; turns += stride(1)) {
        js_make(NULL);
        load();
        js_eval("talk()");
        loop_turns(turns);
        expect_status(weir_loop_close(loop, -1), 0);
        js_end();
    }
}

CASE(handle_survives_terminate_at_any_moment)
{
    for (unsigned turns = 0; turns < 40; turns += stride(1)) {
        js_make(NULL);
        load();
        js_eval("talk()");
        loop_turns(turns);
        weir_js_terminate(js);
        loop_turns(3);
        js_end();
    }
}

/* The engine (0.17.0) writes to address 0 when it runs out of memory while it
 * makes an array; UndefinedBehaviorSanitizer stops there. */
#ifndef __SANITIZE_ADDRESS__

/* Errors may be reported, and connections may end; nothing may be lost. */
CASE(handle_without_memory_loses_nothing)
{
    bool has_failed = true;

    for (unsigned nth = 1; has_failed && nth < 100000;
         nth += stride(nth < 2000 ? 7 : 97)) {
        weir_js_value function;

        js_make(NULL);
        load();
        function = js_function("talk");
        failing_malloc_arm(nth);
        (void)!weir_js_call(js, &function, NULL, 0, NULL);
        loop_turns(30);
        has_failed = failing_malloc_disarm();
        (void)take_record();
        js_end();
    }
}

#endif
