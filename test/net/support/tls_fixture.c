/* SPDX-License-Identifier: MIT */
#include "net/support/tls_fixture.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/rand.h>

/* ---- configurations ---- */

weir_tls_certificate certificate_of(const struct identity *identity)
{
    return (weir_tls_certificate){.size = sizeof(weir_tls_certificate),
                                  .chain = identity->chain_pem,
                                  .key = identity->key_pem};
}

static weir_tls *make(weir_tls_role role, const weir_tls_options *options)
{
    char reason[200] = "";
    weir_tls *tls;
    int err = weir_tls_new(&tls, role, options, reason, sizeof(reason));

    expect_string(reason, "");
    expect_status(err, 0);
    expect_no_openssl_error();
    return tls;
}

weir_tls *server_make(const struct identity *shown, weir_tls_options options)
{
    weir_tls_certificate certificate = certificate_of(shown);

    options.certificate = &certificate;
    return make(WEIR_TLS_SERVER, &options);
}

weir_tls *client_make(const struct identity *trusted, weir_tls_options options)
{
    if (trusted != NULL)
        options.ca = trusted->chain_pem;
    return make(WEIR_TLS_CLIENT, &options);
}

/* ---- one end ---- */

void expect_no_openssl_error(void)
{
    unsigned long code = ERR_peek_error();

    expect_string(code == 0 ? "" : ERR_reason_error_string(code), "");
}

void engine_free(struct weir__tls_engine *engine)
{
    weir__tls_engine_fini(engine);
    expect_no_openssl_error();
}

ssize_t engine_read(struct weir__tls_engine *engine, void *to, size_t size)
{
    ssize_t count = engine->filter.read(&engine->filter, to, size);

    expect_no_openssl_error();
    return count;
}

ssize_t engine_write(struct weir__tls_engine *engine, const void *from,
                     size_t size)
{
    ssize_t count = engine->filter.write(&engine->filter, from, size);

    expect_no_openssl_error();
    return count;
}

size_t engine_output_size(struct weir__tls_engine *engine)
{
    return engine->filter.output(&engine->filter).size;
}

size_t engine_move(struct weir__tls_engine *from, struct weir__tls_engine *to,
                   size_t most)
{
    weir_bytes output = from->filter.output(&from->filter);
    size_t size = output.size < most ? output.size : most;

    if (size == 0)
        return 0;
    expect_status(to->filter.feed(&to->filter, output.data, size), 0);
    from->filter.sent(&from->filter, size);
    return size;
}

/* ---- two ends ---- */

void ends_open_with(struct ends *ends, weir_tls *client, weir_tls *server,
                    const struct weir__tls_start *start)
{
    memset(ends, 0, sizeof(*ends));
    expect_status(weir__tls_engine_init(&ends->client, client, start), 0);
    expect_status(weir__tls_engine_init(&ends->server, server,
                                        &(struct weir__tls_start){0}),
                  0);
    expect_no_openssl_error();
}

void ends_open(struct ends *ends, weir_tls *client, weir_tls *server,
               const char *name)
{
    ends_open_with(ends, client, server,
                   &(struct weir__tls_start){.server_name = name});
}

void ends_close(struct ends *ends)
{
    engine_free(&ends->client);
    engine_free(&ends->server);
}

/* How large the next piece may be. */
static size_t piece(struct ends *ends)
{
    size_t most = ends->most != 0 ? ends->most : SIZE_MAX;

    if (ends->splits == NULL)
        return most;
    return 1 +
           (size_t)random_below(ends->splits, most == SIZE_MAX ? 5000 : most);
}

static bool move_one_way(struct ends *ends, struct weir__tls_engine *from,
                         struct weir__tls_engine *to, int *status)
{
    size_t moved;

    if (ends->cut_after != 0 && ends->moved >= ends->cut_after) {
        from->filter.sent(&from->filter, engine_output_size(from));
        return false;
    }
    moved = engine_move(from, to, piece(ends));
    ends->moved += moved;
    if (moved > 0 && *status == 0)
        *status = (int)engine_read(to, NULL, 0);
    return moved > 0;
}

bool ends_move(struct ends *ends)
{
    bool has_moved = false;
    bool is_again;

    do {
        is_again = move_one_way(ends, &ends->client, &ends->server,
                                &ends->server_status);
        is_again |= move_one_way(ends, &ends->server, &ends->client,
                                 &ends->client_status);
        has_moved |= is_again;
    } while (is_again);
    return has_moved;
}

int ends_shake(struct ends *ends)
{
    ends->client_status = (int)engine_read(&ends->client, NULL, 0);
    ends_move(ends);
    return ends->client_status != 0 ? ends->client_status : ends->server_status;
}

/* Read what has arrived; returns how much. */
static size_t receive(struct ends *ends, struct weir__tls_engine *to,
                      const char *expected, size_t size)
{
    size_t room = ends->splits != NULL
                      ? 1 + (size_t)random_below(ends->splits, 20000)
                      : 65536;
    char *got = malloc(room);
    ssize_t count = engine_read(to, got, room);

    expect(got != NULL);
    expect(count >= 0);
    expect((size_t)count <= size);
    expect(memcmp(got, expected, (size_t)count) == 0);
    free(got);
    return (size_t)count;
}

void ends_send(struct ends *ends, bool is_from_client, size_t size)
{
    struct weir__tls_engine *from =
        is_from_client ? &ends->client : &ends->server;
    struct weir__tls_engine *to =
        is_from_client ? &ends->server : &ends->client;
    static char message[ENDS_MESSAGE];
    size_t written = 0, received = 0, count;

    expect(size <= sizeof(message));
    RAND_bytes((unsigned char *)message, (int)size);
    while (received < size) {
        bool has_moved;

        if (written < size) {
            ssize_t taken =
                engine_write(from, message + written, size - written);

            expect(taken >= 0);
            written += (size_t)taken;
        }
        has_moved = ends_move(ends);
        do {
            count = receive(ends, to, message + received, size - received);
            received += count;
        } while (count > 0);
        expect(has_moved || received == size);
    }
    expect_int(received, size);
}

void ends_talk(struct ends *ends)
{
    static const size_t sizes[] = {1, 100, 16384, 16385, 70000};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        ends_send(ends, true, sizes[i]);
        ends_send(ends, false, sizes[i]);
    }
}

void ends_expect_resumed(weir_tls *client, weir_tls *server, const char *name,
                         bool is_resumed)
{
    struct ends ends;

    ends_open(&ends, client, server, name);
    expect_status(ends_shake(&ends), 0);
    ends_send(&ends, true, 10);
    ends_send(&ends, false, 10); /* with it come the tickets of TLS 1.3 */
    expect_int(SSL_session_reused(ends.client.ssl), is_resumed);
    expect_int(SSL_session_reused(ends.server.ssl), is_resumed);
    ends_close(&ends);
}
