/* SPDX-License-Identifier: MIT */
/* OpenSSL's own memory: how much an idle connection takes, and what happens if
 * an allocation fails. */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>

#include "net/support/tls_fixture.h"
#include "support/effort.h"
#include "support/failing_allocator.h"

enum { IDLE_MOST = 25 * 1024, OVERHEAD = 8 };

static uint64_t calls, fail_at, failed;
static int64_t live, live_bytes;

static bool is_failing(void)
{
    if (++calls != fail_at)
        return false;
    failed++;
    return true;
}

static void *count(void *pointer)
{
    if (pointer != NULL) {
        live++;
        live_bytes += (int64_t)malloc_usable_size(pointer) + OVERHEAD;
    }
    return pointer;
}

static void uncount(void *pointer)
{
    if (pointer != NULL) {
        live--;
        live_bytes -= (int64_t)malloc_usable_size(pointer) + OVERHEAD;
    }
}

static void *allocate(size_t size, const char *file, int line)
{
    return is_failing() ? NULL : count(malloc(size));
}

static void *reallocate(void *old, size_t size, const char *file, int line)
{
    void *made;

    if (is_failing())
        return NULL;
    uncount(old);
    made = realloc(old, size);
    return made != NULL || size == 0 ? count(made) : (count(old), NULL);
}

static void release(void *pointer, const char *file, int line)
{
    uncount(pointer);
    free(pointer);
}

/* Before OpenSSL allocates anything. */
__attribute__((constructor)) static void set_functions(void)
{
    if (!CRYPTO_set_mem_functions(allocate, reallocate, release))
        abort();
}

/* ---- how much ---- */

static struct failing_allocator ours;

static int64_t all_bytes(void)
{
    return live_bytes + (int64_t)ours.live_bytes;
}

/* The bytes of an idle server and of an idle client. */
static void measure(weir_tls_version version, int64_t *of_server,
                    int64_t *of_client)
{
    enum { COUNT = 50 };
    static struct ends ends[COUNT];
    weir_tls *server, *client;
    int64_t before, both;

    failing_allocator_init(&ours, 0);
    expect_status(weir_set_allocator(&ours.hooks), 0);
    server = server_make(&leaf, TLS_OPTIONS(.max_version = version));
    client = client_make(&root, TLS_OPTIONS());
    for (int i = 0; i < 3; i++) /* fill the caches */
        ends_expect_resumed(client, server, "localhost", i > 0);
    before = all_bytes();
    for (int i = 0; i < COUNT; i++) {
        ends_open(&ends[i], client, server, "localhost");
        expect_status(ends_shake(&ends[i]), 0);
        ends_talk(&ends[i]);
    }
    both = all_bytes() - before;
    for (int i = 0; i < COUNT; i++)
        engine_free(&ends[i].client);
    *of_server =
        (all_bytes() - before) / COUNT + (int64_t)sizeof(ends[0].server);
    *of_client =
        both / COUNT - *of_server + 2 * (int64_t)sizeof(ends[0].client);
    for (int i = 0; i < COUNT; i++)
        engine_free(&ends[i].server);
    weir_tls_unref(server);
    weir_tls_unref(client);
    expect_status(weir_set_allocator(NULL), 0);
}

CASE(connection_that_is_idle_takes_little_memory)
{
    identities_make();
    for (int version = WEIR_TLS_1_2; version <= WEIR_TLS_1_3; version++) {
        int64_t of_server, of_client;

        measure((weir_tls_version)version, &of_server, &of_client);
        fprintf(stderr, "# TLS 1.%d: server %lld bytes, client %lld bytes\n",
                version + 1, (long long)of_server, (long long)of_client);
        expect(of_server <= IDLE_MOST);
        expect(of_client <= IDLE_MOST);
    }
    identities_free();
}

/* ---- failing ---- */

/* Every allocation fails once, in turn.  In a brief run each seventh does, and
 * under ThreadSanitizer, which is slow here and sees one thread. */
static uint64_t step(void)
{
    return getenv("WEIR_BRIEF") != NULL || IS_THREAD_SANITIZED ? 7 : 1;
}

static void expect_failure(int err)
{
    expect(err == 0 || err == -ENOMEM || err == WEIR_ETLS || err == WEIR_ECERT);
}

static int try_config(void)
{
    weir_tls_certificate pair = certificate_of(&leaf);
    weir_tls_options options =
        TLS_OPTIONS(.certificate = &pair, .alpn = "a", .ca = root.chain_pem,
                    .clients = WEIR_TLS_CLIENTS_REQUEST);
    char reason[100] = "";
    weir_tls *tls;
    int err =
        weir_tls_new(&tls, WEIR_TLS_SERVER, &options, reason, sizeof(reason));

    expect_no_openssl_error();
    expect_failure(err);
    expect(err == 0 || reason[0] != '\0');
    if (err == 0)
        weir_tls_unref(tls);
    return err;
}

CASE_WITHIN(config_fails_cleanly_if_openssl_has_no_memory, 120)
{
    unsigned failures = 0, successes = 0;
    uint64_t n = 0;

    identities_make();
    expect_status(try_config(), 0);
    do {
        int err;

        n += step(); /* of 7,500 */
        fail_at = calls + n;
        failed = 0;
        err = try_config();
        fail_at = 0;
        failures += err != 0;
        successes += err == 0;
    } while (failed > 0);
    fprintf(stderr, "# %u failures, %u successes\n", failures, successes);
    expect(failures > 50);
    expect_status(try_config(), 0);
    identities_free();
}

static weir_tls *server, *client;

/* The status of the first end that fails, or 0. */
static int try_connection(void)
{
    struct ends ends;
    int err;

    memset(&ends, 0, sizeof(ends));
    err = weir__tls_engine_init(
        &ends.client, client,
        &(struct weir__tls_start){.server_name = "localhost", .alpn = "a"});
    if (err != 0)
        return err;
    err = weir__tls_engine_init(&ends.server, server,
                                &(struct weir__tls_start){0});
    if (err == 0) {
        char byte = 0;

        err = ends_shake(&ends);
        if (err == 0)
            err = (int)engine_write(&ends.client, "x", 1);
        ends_move(&ends);
        if (err >= 0)
            err = (int)engine_read(&ends.server, &byte, 1);
        if (err == 1)
            expect_int(byte, 'x');
        err = err < 0 ? err : 0;
        engine_free(&ends.server);
    }
    engine_free(&ends.client);
    return err;
}

CASE_WITHIN(connection_fails_alone_if_openssl_has_no_memory, 300)
{
    identities_make();
    for (int version = WEIR_TLS_1_2; version <= WEIR_TLS_1_3; version++) {
        unsigned failures = 0;
        uint64_t n = 0;
        int64_t left;

        server = server_make(&leaf, TLS_OPTIONS(.alpn = "a"));
        client = client_make(
            &root, TLS_OPTIONS(.max_version = (weir_tls_version)version,
                               .has_no_resumption = true));
        expect_status(try_connection(), 0);
        left = live;
        do {
            int err;

            n += step(); /* of 2,500 to 3,100 */
            fail_at = calls + n;
            failed = 0;
            err = try_connection();
            fail_at = 0;
            expect_failure(err);
            failures += err != 0;
        } while (failed > 0);
        fprintf(stderr,
                "# TLS 1.%d: %llu allocations, %u failures, %lld lost\n",
                version + 1, (unsigned long long)n, failures,
                (long long)(live - left));
        /* OpenSSL 3.0 itself loses a few blocks if it has no memory in the
         * middle of decoding a name (x509_name_ex_d2i). */
        expect(live - left <= 16);
        expect(failures > 50);
        expect_status(try_connection(), 0);
        weir_tls_unref(server);
        weir_tls_unref(client);
    }
    identities_free();
}
