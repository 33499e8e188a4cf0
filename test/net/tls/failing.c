/* SPDX-License-Identifier: MIT */
/* Every allocation of ours fails once. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/support/tls_fixture.h"
#include "support/failing_allocator.h"
#include "support/failing_syscalls.h"

static struct failing_allocator memory;

static void begin(uint64_t fail_at)
{
    failing_allocator_init(&memory, fail_at);
    expect_status(weir_set_allocator(&memory.hooks), 0);
}

/* Returns whether an allocation has failed. */
static bool end(void)
{
    expect_int(memory.live, 0);
    expect_int(memory.live_bytes, 0);
    expect_status(weir_set_allocator(NULL), 0);
    return memory.fail_at <= memory.calls;
}

static char chain_file[] = "/tmp/weir-tls-chain-XXXXXX";
static char key_file[] = "/tmp/weir-tls-key-XXXXXX";

static void write_file(char *path, weir_bytes bytes)
{
    int fd = mkstemp(path);

    expect(fd >= 0);
    expect_int(write(fd, bytes.data, bytes.size), bytes.size);
    close(fd);
}

/* covers: weir_tls_new -ENOMEM */
/* covers: weir_tls_reload -ENOMEM */
CASE(config_without_memory_is_refused)
{
    bool has_failed = true;
    unsigned failures = 0;

    identities_make();
    write_file(chain_file, leaf.chain_pem);
    write_file(key_file, leaf.key_pem);
    for (uint64_t n = 1; has_failed; n++) {
        weir_tls_certificate pair = {.size = sizeof(pair),
                                     .chain_file = chain_file,
                                     .key_file = key_file,
                                     .password = "x"};
        weir_tls_options options =
            TLS_OPTIONS(.certificate = &pair, .alpn = "a,b",
                        .ca_file = chain_file,
                        .clients = WEIR_TLS_CLIENTS_REQUEST);
        char reason[100] = "";
        weir_tls *server = NULL;
        int err;

        begin(n);
        err = weir_tls_new(&server, WEIR_TLS_SERVER, &options, reason,
                           sizeof(reason));
        if (err == 0) {
            err = weir_tls_reload(server, NULL, reason, sizeof(reason));
            if (err == 0)
                err = weir_tls_reload(server, &pair, reason, sizeof(reason));
            else /* the old one is still there */
                expect_status(weir_tls_reload(server, NULL, NULL, 0), 0);
            weir_tls_unref(server);
        }
        expect_no_openssl_error();
        has_failed = end();
        failures += err != 0;
        expect_status(err, has_failed ? -ENOMEM : 0);
        expect(!has_failed || reason[0] != '\0');
    }
    expect(failures >= 8);
    unlink(chain_file);
    unlink(key_file);
    identities_free();
}

static int open_descriptors(void)
{
    int fd = dup(0);

    expect(fd >= 0);
    close(fd);
    return fd; /* the lowest that is free */
}

CASE(config_whose_file_cannot_be_read_is_refused)
{
    char expected[100], reason[100];
    weir_tls *tls;
    int before;

    identities_make();
    write_file(chain_file, root.chain_pem);
    before = open_descriptors();
    for (uint32_t n = 1; n <= 2; n++) { /* the bytes, then the end */
        failing_syscalls_set(CALL_READ, n, 1, EIO);
        expect_status(weir_tls_new(&tls, WEIR_TLS_CLIENT,
                                   &TLS_OPTIONS(.ca_file = chain_file), reason,
                                   sizeof(reason)),
                      -EIO);
        snprintf(expected, sizeof(expected), "%s: %s", chain_file,
                 weir_error_text(-EIO));
        expect_string(reason, expected);
        failing_syscalls_set(CALL_READ, n, 1, EINTR);
        expect_status(weir_tls_new(&tls, WEIR_TLS_CLIENT,
                                   &TLS_OPTIONS(.ca_file = chain_file), NULL,
                                   0),
                      0);
        weir_tls_unref(tls);
        expect_int(open_descriptors(), before);
    }
    failing_syscalls_set(CALL_READ, 1, 0, 0);
    unlink(chain_file);
    identities_free();
}

static int choose(void *arg, const char *name, weir_tls **use)
{
    return 0;
}

/* Handshake, bytes, end; stops at the first error. */
static int talk(struct ends *ends)
{
    struct weir__filter *client = &ends->client.filter;
    struct weir__filter *server = &ends->server.filter;
    ssize_t result = client->read(client, NULL, 0);
    bool has_written = false;
    char bytes[100];

    while (result >= 0) {
        weir_bytes up = client->output(client), down = server->output(server);

        if (up.size > 0) {
            result = server->feed(server, up.data, up.size);
            client->sent(client, up.size);
        } else if (down.size > 0) {
            result = client->feed(client, down.data, down.size);
            server->sent(server, down.size);
        } else if (!has_written) {
            result = client->write(client, "hello", 5);
            if (result >= 0)
                result = client->shutdown(client);
            has_written = true;
        } else
            return -EIO; /* stuck */
        while (result >= 0 &&
               (result = server->read(server, bytes, sizeof(bytes))) > 0)
            ;
        if (result == 0)
            result = client->read(client, bytes, sizeof(bytes));
    }
    return result == WEIR_EEOF ? 0 : (int)result;
}

static int try_connection(weir_tls *client, weir_tls *server)
{
    struct ends ends;
    int err;

    memset(&ends, 0, sizeof(ends));
    err = weir__tls_engine_init(
        &ends.client, client,
        &(struct weir__tls_start){.server_name = "localhost", .alpn = "a,b"});
    if (err != 0)
        return err;
    err = weir__tls_engine_init(&ends.server, server,
                                &(struct weir__tls_start){0});
    if (err == 0) {
        err = talk(&ends);
        weir__tls_engine_fini(&ends.server);
    }
    weir__tls_engine_fini(&ends.client);
    return err;
}

CASE(connection_without_memory_fails_alone)
{
    identities_make();
    for (int version = WEIR_TLS_1_2; version <= WEIR_TLS_1_3; version++) {
        bool has_failed = true;
        unsigned failures = 0;

        for (uint64_t n = 1; has_failed; n++) {
            weir_tls *server, *client;
            uint64_t before;
            int err;

            begin(0);
            server = server_make(
                &leaf, TLS_OPTIONS(.alpn = "b", .on_server_name = choose));
            client = client_make(
                &root, TLS_OPTIONS(.max_version = (weir_tls_version)version));
            before = memory.calls;
            memory.fail_at = before + n;
            err = try_connection(client, server);
            expect_no_openssl_error();
            /* A session that could not be kept is not an error. */
            expect(err == 0 || err == -ENOMEM);
            failures += err != 0;
            memory.fail_at = memory.fail_at <= memory.calls ? 0 : UINT64_MAX;
            has_failed = memory.fail_at == 0;
            expect_status(try_connection(client, server), 0);
            weir_tls_unref(server);
            weir_tls_unref(client);
            memory.fail_at = 0;
            (void)end();
        }
        expect(failures >= 8);
    }
    identities_free();
}
