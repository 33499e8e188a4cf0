/* SPDX-License-Identifier: MIT */
/*
 * budget -- one limit for a host and its workers, for all that they hold; and
 * all of it comes back.
 */
#include "weir/host/budget.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/host.h"
#include "js/support/js_fixture.h"
#include "support/suite.h"

enum { LIMIT = 24 << 20 };

static weir_budget *budget;
static weir_pool *pool;

static void begin(size_t limit)
{
    expect_status(weir_pool_new(&pool, NULL), 0);
    js_make(JS_OPTIONS(.memory_limit_bytes = limit, .pool = pool));
    budget = js->heap.budget;
    weir_budget_ref(budget);
    expect(weir_budget_used(budget) > 0);
}

static void run(const char *source)
{
    expect_status(weir_js_eval(js, source, strlen(source), "test.mjs",
                               WEIR_JS_SOURCE_MODULE, NULL),
                  0);
    loop_run();
}

/* All that was charged is refunded, whoever had it. */
static void end(void)
{
    js_end();
    expect_status(weir_pool_free(pool), 0);
    expect_int(weir_budget_used(budget), 0);
    weir_budget_unref(budget);
}

CASE(budget_is_zero_after_workers_and_messages_have_ended)
{
    begin(LIMIT);
    run("import { Worker } from 'node:worker_threads';"
        "const code = `const { parentPort } = require('worker_threads');"
        "    parentPort.on('message', (m) => {"
        "        const bytes = new ArrayBuffer(1 << 18);"
        "        parentPort.postMessage([m, new SharedArrayBuffer(5000), "
        "bytes],"
        "            [bytes]);"
        "        parentPort.postMessage('x'.repeat(10000)); });`;"
        "let left = 4;"
        "for (let i = 0; i < 4; i++) {"
        "    const worker = new Worker(code, { eval: true });"
        "    let got = 0;"
        "    worker.on('message', () => {"
        "        const bytes = new ArrayBuffer(70000), few = new "
        "ArrayBuffer(9);"
        "        worker.postMessage([bytes, few, i], [bytes, few]);"
        "        if (++got === 10) worker.terminate(); });"
        "    worker.on('exit', () => { if (--left === 0) log('all'); });"
        "    worker.postMessage(new SharedArrayBuffer(64));"
        "}");
    expect_recorded("all");
    end();
}

/* Nobody takes them out: not the port, not the host that they were sent to. */
CASE(budget_is_zero_after_messages_that_nobody_took)
{
    begin(LIMIT);
    run("import { Worker } from 'node:worker_threads';"
        "const { port1, port2 } = new MessageChannel();"
        "for (let i = 0; i < 10; i++) {"
        "    const bytes = new ArrayBuffer(100000);"
        "    port1.postMessage([bytes, 'x'.repeat(5000),"
        "        new SharedArrayBuffer(1000)], [bytes]);"
        "}"
        "const worker = new Worker('for (;;);', { eval: true });"
        "worker.postMessage(port2, [port2]);"
        "worker.once('online', () => {"
        "    for (let i = 0; i < 10; i++)"
        "        worker.postMessage('y'.repeat(100000));"
        "    worker.terminate(); });");
    end();
}

/* What one has, the others have not. */
CASE(budget_that_a_worker_has_used_up_refuses_the_host)
{
    begin(LIMIT);
    run("import { Worker } from 'node:worker_threads';"
        "const worker = new Worker(`const { parentPort } ="
        "    require('worker_threads'); const kept = [];"
        "    try { for (;;) kept.push(new ArrayBuffer(1 << 20)); } catch {}"
        "    kept.pop(); kept.pop();"
        "    parentPort.once('message', () => {});"
        "    parentPort.postMessage(kept.length);`, { eval: true });"
        "worker.once('message', (count) => {"
        "    log(count > 10 ? 'many' : 'few');"
        "    for (const make of [() => new ArrayBuffer(5 << 20),"
        "        () => new SharedArrayBuffer(5 << 20),"
        "        () => 'x'.repeat(5 << 20)])"
        "        try { make(); log('made'); } catch (e) { log(e.message); }"
        "    worker.terminate(); });"
        "worker.once('exit', () => { new ArrayBuffer(15 << 20); log('back'); "
        "});");
    expect_recorded("many out of memory out of memory out of memory back");
    end();
}

static void expect_refused(const char *source)
{
    begin(LIMIT);
    js_eval("const kept = []");
    expect_status(js_try(source), WEIR_ETHROWN);
    expect(strstr(weir_js_last_error(js)->text, "out of memory") != NULL);
    expect(weir_budget_used(budget) <= LIMIT);
    js_eval("kept.length = 0; log('goes on')");
    expect_recorded("goes on");
    end();
}

CASE(budget_counts_shared_memory)
{
    expect_refused("for (;;) kept.push(new SharedArrayBuffer(100000))");
}

CASE(budget_counts_messages_that_wait_in_a_port)
{
    expect_refused("const { port1, port2 } = new MessageChannel();"
                   "const text = 'x'.repeat(100000);"
                   "for (;;) port1.postMessage(text)");
}

CASE(budget_counts_buffers_that_wait_in_a_port)
{
    expect_refused("const { port1, port2 } = new MessageChannel();"
                   "for (;;) {"
                   "    const large = new ArrayBuffer(100000);"
                   "    const small = new ArrayBuffer(1000);"
                   "    port1.postMessage(0, [large, small]) }");
}

/* A block that is transferred is charged once, not twice. */
CASE(budget_lets_most_of_it_be_transferred)
{
    begin(LIMIT);
    js_run("const { port1, port2 } = new MessageChannel();"
           "const bytes = new ArrayBuffer(18 << 20);"
           "port2.onmessage = ({ data }) => {"
           "    log(String(data.byteLength >> 20)); port2.close() };"
           "port1.postMessage(bytes, [bytes])");
    expect_recorded("18");
    end();
}

/* A file of blanks, whose name is the global `path`. */
static void make_file(char *path, int kilobytes)
{
    int fd = mkstemps(path, 4);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    char source[64];

    expect(file != NULL);
    for (int i = 0; i < kilobytes; i++)
        fprintf(file, "%1023s\n", "");
    expect(fclose(file) == 0);
    snprintf(source, sizeof(source), "var path = '%s'", path);
    js_eval(source);
}

CASE(budget_counts_the_text_of_modules)
{
    char path[] = "/tmp/weir-budget-XXXXXX.cjs";

    begin(LIMIT);
    make_file(path, 48 << 10);
    run("try { await import(path) } catch (error) { log(error.message) }");
    expect_recorded("out of memory");
    end();
    expect(remove(path) == 0);
}

CASE(budget_counts_files_that_are_read)
{
    char path[] = "/tmp/weir-budget-XXXXXX.txt";

    begin(LIMIT);
    make_file(path, 2 << 10);
    run("import { readFile } from 'node:fs';"
        "const kept = [], failed = new Set();"
        "let left = 20;"
        "for (let i = 0; i < 20; i++)"
        "    readFile(path, (error, bytes) => {"
        "        if (error) failed.add(error.code); else kept.push(bytes);"
        "        if (--left === 0)"
        "            log([...failed] + (kept.length > 5 ? ' some' : ' few'));"
        "    });");
    expect_recorded("ENOMEM some");
    end();
    expect(remove(path) == 0);
}
