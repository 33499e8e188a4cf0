/* SPDX-License-Identifier: MIT */
/*
 * service -- one service, several hosts, and what becomes of those that end.
 */
#include <semaphore.h>
#include <string.h>

#include "js/support/js_fixture.h"
#include "support/crew.h"
#include "support/suite.h"

static void eval_module(weir_js *host, const char *source)
{
    expect_status(weir_js_eval(host, source, strlen(source), "module.mjs",
                               WEIR_JS_SOURCE_MODULE, NULL),
                  0);
}

/* A host on its own thread, that enters and then comes to its end. */
struct side {
    sem_t has_entered, may_end;
    bool is_terminated;
};

static void enter_and_end(struct crew *crew, unsigned id)
{
    struct side *side = crew->context;
    weir_loop *own_loop;
    weir_js *own_js;

    expect_status(weir_loop_new(&own_loop, NULL), 0);
    expect_status(weir_js_new(&own_js, own_loop, NULL), 0);
    eval_module(own_js, "import { Service } from 'weir:service';"
                        "globalThis.service = Service.from('weir:service:1');"
                        "service.tryEnter('a'); service.tryEnter('b')");
    expect_status(weir_loop_run(own_loop, WEIR_RUN_UNTIL_IDLE), 0);
    eval_module(own_js, "service.closed.then(() => { throw 'never' })");
    sem_post(&side->has_entered);
    sem_wait(&side->may_end);
    if (side->is_terminated)
        weir_js_terminate(own_js);
    expect_status(weir_js_free(own_js), 0);
    expect_status(weir_loop_free(own_loop), 0);
}

static int let_end(weir_js *host, void *arg, const weir_js_value *args,
                   size_t count, weir_js_value *result)
{
    struct side *side = arg;

    sem_post(&side->may_end);
    return 0;
}

static void drain_while_another_host_dies(bool is_terminated)
{
    struct side side = {.is_terminated = is_terminated};
    struct crew crew;

    sem_init(&side.has_entered, 0, 0);
    sem_init(&side.may_end, 0, 0);
    js_make(NULL);
    expect_status(weir_js_define(js, NULL, "letEnd", let_end, &side), 0);
    eval_module(js, "import { Service } from 'weir:service';"
                    "globalThis.service = new Service();"
                    "service.start()");
    loop_run();
    crew_start(&crew, 1, enter_and_end, &side);
    sem_wait(&side.has_entered);
    js_run("service.drain().then((report) => log(report.state));"
           "log(service.report().holders.map(({ name }) => name).join());"
           "letEnd()");
    crew_join(&crew);
    expect_recorded("a,b CLOSED");
    js_end();
}

CASE(work_of_a_host_that_ends_leaves_the_service)
{
    drain_while_another_host_dies(false);
}

CASE(work_of_a_host_that_is_terminated_leaves_the_service)
{
    drain_while_another_host_dies(true);
}

/* ---- many hosts ---- */

enum { HOSTS = 4 };

static void come_and_go(struct crew *crew, unsigned id)
{
    static const char work[] =
        "import { Service } from 'weir:service';"
        "const service = Service.from('weir:service:1');"
        "let ran = 0;"
        "async function round() {"
        "  await service.run(() => new Promise(setImmediate));"
        "  ran++;"
        "}"
        "for (;;) try { await Promise.all([round(), round(), round()]) }"
        "  catch ({ code }) { globalThis.outcome = code; break }"
        "await service.closed;"
        "if (service.inflight !== 0) globalThis.outcome = 'not closed'";
    weir_js_value outcome;
    weir_loop *own_loop;
    weir_js *own_js;

    expect_status(weir_loop_new(&own_loop, NULL), 0);
    expect_status(weir_js_new(&own_js, own_loop, NULL), 0);
    eval_module(own_js, work);
    expect_status(weir_loop_run(own_loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect_status(weir_js_get(own_js, NULL, "outcome", &outcome), 0);
    expect_string(outcome.text, "ECLOSED");
    expect_status(weir_js_free(own_js), 0);
    expect_status(weir_loop_free(own_loop), 0);
}

/* Everybody is let out, nobody in after the drain, and all hear of the end. */
CASE(service_of_many_hosts_closes_for_all)
{
    struct crew crew;

    js_make(NULL);
    eval_module(js, "import { Service } from 'weir:service';"
                    "globalThis.service = new Service();"
                    "service.start()");
    loop_run();
    crew_start(&crew, HOSTS, come_and_go, NULL);
    js_run("const ticket = service.tryEnter();"
           "setTimeout(() => {"
           "  service.drain().then((report) =>"
           "    log(`${report.state}${report.inflight}`));"
           "  log(service.state); ticket.exit()"
           "}, 50)");
    crew_join(&crew);
    expect_recorded("DRAINING CLOSED0");
    js_end();
}
