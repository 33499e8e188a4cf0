/* SPDX-License-Identifier: MIT */
/*
 * secure -- servers of node:https that ask the program during the handshake, and a
 * server that gets its connections by emit(), whose host ends or has no memory, at
 * every moment.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "js/support/failing_malloc.h"
#include "js/support/js_fixture.h"
#include "support/random.h"
#include "support/suite.h"

/* Names, protocols and certificates of clients; a callback that never answers, a
 * client that leaves, and a replaced certificate. */
static const char traffic[] =
    "import https from 'node:https'; import http from 'node:http';"
    "import net from 'node:net'; import tls from 'node:tls';"
    "const key = `"
    "-----BEGIN EC PRIVATE KEY-----\n"
    "MHcCAQEEIDL6lO0klIdftWBOqWVxn2AbbOcIQKK2/yaLZneSZ74IoAoGCCqGSM49\n"
    "AwEHoUQDQgAEm6ELizhsEcsZzNzisWlgPjjFNNXKknMu2oeES1la6Wu8nTRybeWW\n"
    "STaO2vItmh8lyvqwTcxnDnZnS+I9kuAkug==\n"
    "-----END EC PRIVATE KEY-----\n"
    "`, cert = `"
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBgjCCASegAwIBAgIUVXQzWMI3bIfgfyw5q6wf75Zr5BYwCgYIKoZIzj0EAwIw\n"
    "FTETMBEGA1UEAwwKb3RoZXIudGVzdDAgFw0yNjExMTcxMDE4MzhaGA8yMTI2MTAy\n"
    "NDEwMTgzOFowFTETMBEGA1UEAwwKb3RoZXIudGVzdDBZMBMGByqGSM49AgEGCCqG\n"
    "SM49AwEHA0IABJuhC4s4bBHLGczc4rFpYD44xTTVypJzLtqHhEtZWulrvJ00cm3l\n"
    "lkk2jtryLZofJcr6sE3MZw52Z0viPZLgJLqjUzBRMB0GA1UdDgQWBBSNsZjWEoMC\n"
    "49l9UxmMMsHuKA5jHDAfBgNVHSMEGDAWgBSNsZjWEoMC49l9UxmMMsHuKA5jHDAP\n"
    "BgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQCgot43xDycIzEMwRTz\n"
    "c+rQG+euADLlJY4VdbHoKR3Y4gIhAIYRCQJR7U37t6hsdEUyY84iF6hmFh+2TH28\n"
    "px37LsJ1\n"
    "-----END CERTIFICATE-----\n"
    "`, quiet = () => {};"
    "function answer({ socket }, response) {"
    "  response.end(`${socket.servername} ${socket.authorized} ${"
    "    socket.getPeerCertificate()?.subject?.CN}`);"
    "}"
    "const ask = (module, port, options) => new Promise((resolve) => {"
    "  const request = module.get({ port, host: '127.0.0.1', agent: false,"
    "    rejectUnauthorized: false, servername: 'a.test', ...options });"
    "  request.on('response', (response) => response.on('error', quiet)"
    "    .resume()).on('error', quiet).on('close', resolve);"
    "  request.on('upgrade', (response, socket) => socket.on('error', quiet)"
    "    .resume().end());"
    "  if (options?.leaves) setImmediate(() => request.destroy());"
    "});"
    "const listen = (server) => new Promise((resolve) => server.on('error',"
    "  quiet).listen(0, '127.0.0.1', () => resolve(server.address().port)));"
    "async function talk() {"
    "  const other = tls.createSecureContext({ key, cert, ca: cert });"
    "  const server = https.createServer({ key, cert, ca: cert,"
    "    requestCert: true, rejectUnauthorized: false,"
    "    SNICallback(name, done) { if (name === 'b.test')"
    "      setImmediate(done, null, other); else if (name !== 'c.test')"
    "      done(name === 'd.test' ? new Error('d') : null); } }, answer);"
    "  server.on('upgrade', (request, socket) => { socket.on('error', quiet)"
    "    .end('HTTP/1.1 101 a\\r\\nConnection: Upgrade\\r\\nUpgrade: a\\r\\n'"
    "      + '\\r\\n'); }).on('secureConnection', quiet);"
    "  const plain = http.createServer((request, response) => response.end());"
    "  const outer = net.createServer((socket) =>"
    "    plain.emit('connection', socket.on('error', quiet)));"
    "  const upgrade = { headers: { Connection: 'Upgrade', Upgrade: 'a' } };"
    "  const port = await listen(server), second = await listen(outer);"
    "  try {"
    "    await Promise.allSettled([ask(https, port, { key, cert }),"
    "      ask(https, port, { servername: 'b.test' }),"
    "      ask(https, port, { servername: 'c.test', leaves: true }),"
    "      ask(https, port, { servername: 'd.test' }),"
    "      ask(https, port, upgrade), ask(http, second)]);"
    "    server.setSecureContext({ key, cert, ca: cert });"
    "    await ask(https, port);"
    "  } finally {"
    "    for (const each of [server, plain, outer]) each.close();"
    "    server.closeAllConnections(); plain.closeAllConnections();"
    "  }"
    "}"
    "globalThis.talk = () => { talk().then(() => log('over'), quiet); };";

enum { MOST_TURNS = 100, STRIDE = 1499 };

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

CASE(secure_talks_until_everything_is_closed)
{
    int before = descriptors_at_rest();

    expect_int(descriptors_at_rest(), before);
}

CASE(secure_survives_the_end_of_its_host_at_any_moment)
{
    int before = descriptors_at_rest();

    for (int turns = 0; turns < MOST_TURNS; turns += 3) {
        js_make(NULL);
        load();
        js_eval("talk()");
        loop_turns(turns);
        js_end();
        (void)take_record();
        expect_int(count_descriptors(), before);
    }
}

CASE(secure_survives_the_end_of_its_loop_at_any_moment)
{
    int before = descriptors_at_rest();

    for (int turns = 0; turns < MOST_TURNS; turns += 7) {
        js_make(NULL);
        load();
        js_eval("talk()");
        loop_turns(turns);
        expect_status(weir_loop_close(loop, -1), 0);
        js_end();
        (void)take_record();
        expect_int(count_descriptors(), before);
    }
}

/* Errors may be reported, and connections may end; nothing may be lost.
 * Returns whether an allocation has failed. */
static bool talk_without(unsigned nth)
{
    weir_js_value function;
    bool has_failed;

    js_make(NULL);
    load();
    function = js_function("talk");
    failing_malloc_arm_once(nth);
    (void)!weir_js_call(js, &function, NULL, 0, NULL);
    loop_turns(MOST_TURNS);
    has_failed = failing_malloc_disarm();
    (void)take_record();
    js_end();
    return has_failed;
}

/* Every WEIR_STRIDE-th allocation from a random one on. */
CASE(secure_without_one_allocation_loses_nothing)
{
    const char *given = getenv("WEIR_STRIDE");
    unsigned stride =
        given != NULL ? (unsigned)strtoul(given, NULL, 10) : STRIDE;
    struct random random = {random_seed()};
    unsigned nth = 1 + (unsigned)random_below(&random, stride);
    int before = descriptors_at_rest();

    for (; talk_without(nth); nth += stride)
        expect_int(count_descriptors(), before);
    printf("# %u allocations, every %u-th\n", nth, stride);
}
