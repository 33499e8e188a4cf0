/* SPDX-License-Identifier: MIT */
/*
 * serving -- serve(), fetch, node:http and WebSockets whose host ends or has no
 * memory, at every moment.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "js/support/failing_malloc.h"
#include "js/support/js_fixture.h"
#include "support/effort.h"
#include "support/random.h"
#include "support/suite.h"

/* Each kind of body in both directions, an error, an abort, a WebSocket, and
 * node:http on both sides; then everything is closed. */
static const char traffic[] =
    "import { serve } from 'weir:http'; import http from 'node:http';"
    "const text = 'x'.repeat(3000), quiet = () => {};"
    "async function* parts() { yield text; yield new Uint8Array(70000); }"
    "function answer(request, context) {"
    "  switch (new URL(request.url).pathname) {"
    "  case '/text': return new Response(text, { headers: { a: 'b' } });"
    "  case '/parts': return new Response(parts());"
    "  case '/body': return new Response(request.body);"
    "  case '/json': return request.json().then((all) => Response.json(all));"
    "  case '/form': return request.formData().then((form) =>"
    "    new Response(form.get('a')));"
    "  case '/fails': throw new Error('on purpose');"
    "  case '/never': return new Promise(() => {});"
    "  }"
    "  const { socket, response } = context.upgrade();"
    "  socket.onmessage = ({ data }) => socket.send(data);"
    "  socket.onerror = quiet;"
    "  return response;"
    "}"
    "async function ask(url, options) {"
    "  const response = await fetch(url, options);"
    "  return [...response.headers].length + (await response.text()).length;"
    "}"
    "async function give_up(url) {"
    "  const controller = new AbortController();"
    "  setImmediate(() => controller.abort());"
    "  return ask(url, { signal: controller.signal });"
    "}"
    "const chat = (url) => new Promise((resolve) => {"
    "  const socket = new WebSocket(url);"
    "  socket.onopen = () => socket.send(text);"
    "  socket.onmessage = () => socket.close(1000, 'enough');"
    "  socket.onclose = socket.onerror = resolve;"
    "});"
    "const request = (port, path, body) => new Promise((resolve) => {"
    "  const sent = http.request({ port, path, host: '127.0.0.1',"
    "    method: body ? 'POST' : 'GET', headers: { a: ['b', 'c'] } });"
    "  sent.on('error', quiet).on('close', resolve);"
    "  sent.on('response', (response) => response.on('error', quiet)"
    "    .on('data', () => path === '/half' && response.destroy()));"
    "  sent.end(body);"
    "});"
    "const form = () => { const all = new FormData(); all.append('a', text);"
    "  all.append('b', new Blob([text]), 'c.txt'); return all; };"
    "async function talk() {"
    "  const server = await serve({ port: 0, hostname: '127.0.0.1',"
    "    error: () => new Response(null, { status: 500 }), fetch: answer });"
    "  const old = http.createServer((request, response) => {"
    "    response.writeHead(200, { a: ['b', 'c'] });"
    "    request.on('error', quiet).pipe(response).on('error', quiet);"
    "  }).on('error', quiet);"
    "  await new Promise((resolve) => old.listen(0, '127.0.0.1', resolve));"
    "  const at = `http://127.0.0.1:${server.port}`, { port } = old.address();"
    "  const post = (body) => ({ method: 'POST', body, duplex: 'half' });"
    "  try { await Promise.allSettled(["
    "    ask(`${at}/text`), ask(`${at}/parts`), ask(`${at}/fails`),"
    "    ask(`${at}/body`, post(text)), ask(`${at}/json`, post('[1, {}]')),"
    "    ask(`${at}/body`, post(new Blob([text]).stream())),"
    "    ask(`${at}/form`, post(form())), give_up(`${at}/never`),"
    "    give_up(`${at}/parts`), chat(`ws${at.slice(4)}/chat`),"
    "    request(port, '/whole', text), request(port, '/half', text),"
    "    request(port, '/'), request(server.port, '/text')"
    "  ]); } finally {"
    "    http.globalAgent.destroy();"
    "    old.close(); old.closeAllConnections();"
    "    await server.close();"
    "  }"
    "}"
    "globalThis.talk = () => { talk().then(() => log('over'), quiet); };";

static void load(void)
{
    expect_status(weir_js_eval(js, traffic, strlen(traffic), "traffic.mjs",
                               WEIR_JS_SOURCE_MODULE, NULL),
                  0);
    loop_run();
}

static int count_descriptors(void)
{
    DIR *all = opendir("/proc/self/fd");
    int count = 0;

    expect(all != NULL);
    while (readdir(all) != NULL)
        count++;
    closedir(all);
    return count;
}

/* The thread that drives drains has descriptors of its own, and stays. */
static int descriptors_at_rest(void)
{
    js_make(NULL);
    load();
    js_run("talk()");
    expect_recorded("over");
    js_end();
    return count_descriptors();
}

CASE(serving_talks_until_everything_is_closed)
{
    int before = descriptors_at_rest();

    expect_int(descriptors_at_rest(), before);
}

static void begin(int turns)
{
    js_make(NULL);
    load();
    js_eval("talk()");
    loop_turns(turns);
}

/* Fewer moments with ThreadSanitizer, which makes hosts slowly: what remains
 * after an end or a failure is hardly a matter of threads. */
enum {
    MOST_TURNS = 60,
    TURNS = IS_THREAD_SANITIZED ? 7 : 1,
    STRIDE = IS_THREAD_SANITIZED ? 1999 : 499
};

CASE(serving_survives_the_end_of_its_host_at_any_moment)
{
    int before = descriptors_at_rest();

    for (int turns = 0; turns < MOST_TURNS; turns += TURNS) {
        begin(turns);
        js_end();
        (void)take_record();
        expect_int(count_descriptors(), before);
    }
}

CASE(serving_survives_the_end_of_its_loop_at_any_moment)
{
    int before = descriptors_at_rest();

    for (int turns = 0; turns < MOST_TURNS; turns += TURNS) {
        begin(turns);
        expect_status(weir_loop_close(loop, -1), 0);
        js_end();
        (void)take_record();
        expect_int(count_descriptors(), before);
    }
}

CASE(serving_survives_terminate_at_any_moment)
{
    int before = descriptors_at_rest();

    for (int turns = 0; turns < MOST_TURNS; turns += TURNS) {
        begin(turns);
        weir_js_terminate(js);
        loop_turns(3);
        js_end();
        (void)take_record();
        expect_int(count_descriptors(), before);
    }
}

/* Errors may be reported, and connections may end; nothing may be lost.
 * Returns whether an allocation has failed. */
static bool talk_without(unsigned nth, void (*arm)(unsigned nth))
{
    weir_js_value function;
    bool has_failed;

    js_make(NULL);
    load();
    function = js_function("talk");
    arm(nth);
    (void)!weir_js_call(js, &function, NULL, 0, NULL);
    loop_turns(MOST_TURNS);
    has_failed = failing_malloc_disarm();
    (void)take_record();
    js_end();
    return has_failed;
}

/* Every WEIR_STRIDE-th allocation from a random one on. */
static void sweep_allocations(void (*arm)(unsigned nth))
{
    const char *given = getenv("WEIR_STRIDE");
    unsigned stride =
        given != NULL ? (unsigned)strtoul(given, NULL, 10) : STRIDE;
    struct random random = {random_seed()};
    unsigned nth = 1 + (unsigned)random_below(&random, stride);
    int before = descriptors_at_rest();

    for (; talk_without(nth, arm); nth += stride)
        expect_int(count_descriptors(), before);
    printf("# %u allocations, every %u-th\n", nth, stride);
}

CASE(serving_without_one_allocation_loses_nothing)
{
    sweep_allocations(failing_malloc_arm_once);
}

CASE(serving_without_memory_loses_nothing)
{
    sweep_allocations(failing_malloc_arm);
}
