/* SPDX-License-Identifier: MIT */
#include "tls/engine.h"

#include <errno.h>
#include <string.h>

#include <openssl/err.h>

#include "net/support/tls_fixture.h"

static weir_tls *server, *client;
static struct ends ends;

static void begin(weir_tls_version version)
{
    identities_make();
    server = server_make(
        &leaf, TLS_OPTIONS(.min_version = version, .max_version = version));
    client = client_make(&root, TLS_OPTIONS());
    ends_open(&ends, client, server, "localhost");
}

static void end(void)
{
    ends_close(&ends);
    weir_tls_unref(server);
    weir_tls_unref(client);
    identities_free();
}

static void expect_version(const char *version)
{
    expect_string(SSL_get_version(ends.client.ssl), version);
    expect_string(SSL_get_version(ends.server.ssl), version);
}

CASE(engine_of_tls_1_3_carries_bytes_both_ways)
{
    begin(WEIR_TLS_ANY);
    expect_status(ends_shake(&ends), 0);
    expect(ends.client.is_ready && ends.server.is_ready);
    expect_version("TLSv1.3");
    ends_talk(&ends);
    end();
}

CASE(engine_of_tls_1_2_carries_bytes_both_ways)
{
    begin(WEIR_TLS_1_2);
    expect_status(ends_shake(&ends), 0);
    expect_version("TLSv1.2");
    ends_talk(&ends);
    end();
}

CASE(engine_fed_byte_by_byte_carries_everything)
{
    for (int version = WEIR_TLS_1_2; version <= WEIR_TLS_1_3; version++) {
        begin((weir_tls_version)version);
        ends.most = 1;
        expect_status(ends_shake(&ends), 0);
        ends_send(&ends, true, 20000);
        ends_send(&ends, false, 20000);
        end();
    }
}

CASE(engine_fed_in_random_pieces_carries_everything)
{
    struct random splits = {random_seed()};

    for (int i = 0; i < 40; i++) {
        begin(i % 2 == 0 ? WEIR_TLS_1_2 : WEIR_TLS_1_3);
        ends.splits = &splits;
        expect_status(ends_shake(&ends), 0);
        for (int j = 0; j < 10; j++)
            ends_send(&ends, random_below(&splits, 2),
                      1 + (size_t)random_below(&splits, ENDS_MESSAGE));
        end();
    }
}

/* ---- before the handshake is over ---- */

CASE(engine_write_before_the_handshake_is_over_takes_nothing)
{
    begin(WEIR_TLS_ANY);
    expect_int(engine_write(&ends.client, "x", 1), 0);
    expect_int(engine_write(&ends.server, "x", 1), 0);
    expect_status(ends.client.filter.shutdown(&ends.client.filter), -EAGAIN);
    expect_status(ends.server.filter.shutdown(&ends.server.filter), -EAGAIN);
    expect(!ends.client.filter.is_ready(&ends.client.filter));
    expect_status(ends_shake(&ends), 0);
    ends_talk(&ends);
    end();
}

CASE(engine_of_a_peer_that_leaves_during_the_handshake_is_truncated)
{
    begin(WEIR_TLS_ANY);
    expect_int(engine_read(&ends.client, NULL, 0), 0);
    expect(engine_move(&ends.client, &ends.server, SIZE_MAX) > 0);
    expect_int(engine_read(&ends.server, NULL, 0), 0);
    expect_status(ends.server.filter.end(&ends.server.filter), WEIR_ETRUNCATED);
    expect_string(ends.server.reason,
                  "the peer closed the connection during the handshake");
    expect_status((int)engine_read(&ends.server, NULL, 0), WEIR_ETRUNCATED);
    expect_status((int)engine_write(&ends.server, "x", 1), WEIR_ETRUNCATED);
    end();
}

CASE(engine_given_garbage_fails_with_a_reason_and_an_alert)
{
    static const char garbage[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    char byte;

    begin(WEIR_TLS_ANY);
    expect_status(ends.server.filter.feed(&ends.server.filter, garbage,
                                          sizeof(garbage) - 1),
                  0);
    expect_status((int)engine_read(&ends.server, NULL, 0), WEIR_ETLS);
    expect_string(ends.server.reason, "http request");
    expect_status((int)engine_read(&ends.server, &byte, 1), WEIR_ETLS);
    expect_status((int)engine_write(&ends.server, "x", 1), WEIR_ETLS);
    expect_status(ends.server.filter.shutdown(&ends.server.filter), WEIR_ETLS);
    expect_status(ends.server.filter.end(&ends.server.filter), WEIR_ETLS);
    end();
}

CASE(engine_accepts_nothing_after_a_byte_inserted_in_the_handshake)
{
    struct random random = {random_seed()};
    int failures = 0;

    for (int i = 0; i < 60; i++) {
        char byte;

        begin(i % 2 == 0 ? WEIR_TLS_1_2 : WEIR_TLS_1_3);
        (void)engine_read(&ends.client, NULL, 0);
        for (size_t at = (size_t)random_below(&random, 1500); at > 0; at--)
            if (engine_move(&ends.client, &ends.server, 1) > 0)
                (void)engine_read(&ends.server, NULL, 0);
            else if (engine_move(&ends.server, &ends.client, 1) > 0)
                (void)engine_read(&ends.client, NULL, 0);
        byte = (char)random_next(&random);
        (void)ends.server.filter.feed(&ends.server.filter, &byte, 1);
        (void)engine_read(&ends.server, NULL, 0);
        ends_move(&ends);
        /* Nothing is accepted that was not sent. */
        expect(ends.server.status != 0 || ends.client.status != 0 ||
               !ends.server.is_ready ||
               engine_read(&ends.server, &byte, 1) <= 0);
        failures += ends.server.status != 0 || ends.client.status != 0;
        end();
    }
    expect(failures > 30);
}

/* ---- the end ---- */

static void shut(struct weir__tls_engine *engine)
{
    expect_status(engine->filter.shutdown(&engine->filter), 0);
    expect_no_openssl_error();
}

CASE(engine_shutdown_ends_the_reader_of_the_peer_only)
{
    for (int version = WEIR_TLS_1_2; version <= WEIR_TLS_1_3; version++) {
        char bytes[8];

        begin((weir_tls_version)version);
        expect_status(ends_shake(&ends), 0);
        expect_int(engine_write(&ends.client, "last", 4), 4);
        shut(&ends.client);
        shut(&ends.client); /* again: no effect */
        expect_status((int)engine_write(&ends.client, "x", 1), -EPIPE);
        ends_move(&ends);
        expect_int(engine_read(&ends.server, bytes, sizeof(bytes)), 4);
        expect_status((int)engine_read(&ends.server, bytes, sizeof(bytes)),
                      WEIR_EEOF);
        expect_status(ends.server.filter.end(&ends.server.filter), WEIR_EEOF);
        ends_send(&ends, false, 50000); /* the other half is open */
        shut(&ends.server);
        ends_move(&ends);
        expect_status((int)engine_read(&ends.client, bytes, sizeof(bytes)),
                      WEIR_EEOF);
        expect_status(ends.client.filter.end(&ends.client.filter), WEIR_EEOF);
        end();
    }
}

CASE(engine_end_without_close_notify_is_truncated)
{
    for (int version = WEIR_TLS_1_2; version <= WEIR_TLS_1_3; version++) {
        char bytes[8];

        begin((weir_tls_version)version);
        expect_status(ends_shake(&ends), 0);
        expect_int(engine_write(&ends.client, "last", 4), 4);
        ends_move(&ends);
        expect_int(engine_read(&ends.server, bytes, sizeof(bytes)), 4);
        expect_int(engine_read(&ends.server, bytes, sizeof(bytes)), 0);
        expect_status(ends.server.filter.end(&ends.server.filter),
                      WEIR_ETRUNCATED);
        expect_string(ends.server.reason,
                      "the peer closed the connection without close_notify");
        end();
    }
}

CASE(engine_ignores_what_comes_after_close_notify)
{
    char bytes[8];

    begin(WEIR_TLS_ANY);
    expect_status(ends_shake(&ends), 0);
    shut(&ends.client);
    ends_move(&ends);
    expect_status((int)engine_read(&ends.server, bytes, sizeof(bytes)),
                  WEIR_EEOF);
    expect_status(ends.server.filter.feed(&ends.server.filter, "garbage", 7),
                  0);
    expect_status((int)engine_read(&ends.server, bytes, sizeof(bytes)),
                  WEIR_EEOF);
    expect_int(ends.server.status, 0);
    end();
}

CASE(engine_refuses_a_record_that_was_changed)
{
    char record[2000], byte;
    weir_bytes output;

    begin(WEIR_TLS_ANY);
    expect_status(ends_shake(&ends), 0);
    expect_int(engine_write(&ends.client, "secret", 6), 6);
    output = ends.client.filter.output(&ends.client.filter);
    memcpy(record, output.data, output.size);
    record[output.size - 1] ^= 1;
    expect_status(
        ends.server.filter.feed(&ends.server.filter, record, output.size), 0);
    expect_status((int)engine_read(&ends.server, &byte, 1), WEIR_ETLS);
    expect_string(ends.server.reason, "decryption failed or bad record mac");
    /* The peer learns of it. */
    expect(engine_move(&ends.server, &ends.client, SIZE_MAX) > 0);
    expect_status((int)engine_read(&ends.client, &byte, 1), WEIR_ETLS);
    expect_string(ends.client.reason,
                  "the peer sent the alert: bad record mac");
    end();
}

/* ---- what happens later ---- */

CASE(engine_updates_its_key_when_that_has_encrypted_enough)
{
    begin(WEIR_TLS_1_3);
    expect_status(ends_shake(&ends), 0);
    for (int i = 0; i < 5; i++) {
        size_t before;

        ends.client.records = (1 << 23) - 2; /* the next but one */
        ends.server.records = (1 << 23) - 2;
        ends_send(&ends, true, 100);
        before = ends.moved;
        ends_send(&ends, true, 100); /* with a KeyUpdate */
        expect(ends.moved - before > 100 + 22);
        expect_int(ends.client.records, 0);
        ends_talk(&ends);
    }
    end();
}

CASE(engine_answers_a_key_update_that_the_peer_requests)
{
    begin(WEIR_TLS_1_3);
    expect_status(ends_shake(&ends), 0);
    for (int i = 0; i < 20; i++) {
        expect(SSL_key_update(ends.client.ssl, SSL_KEY_UPDATE_REQUESTED));
        ends_talk(&ends);
    }
    end();
}

CASE(engine_of_tls_1_2_does_not_renegotiate)
{
    begin(WEIR_TLS_1_2);
    expect_status(ends_shake(&ends), 0);
    SSL_clear_options(ends.client.ssl, SSL_OP_NO_RENEGOTIATION);
    expect(SSL_renegotiate(ends.client.ssl));
    (void)SSL_do_handshake(ends.client.ssl);
    ERR_clear_error();
    ends.client_status = 1; /* do not read there */
    ends_move(&ends);
    expect_int(ends.server_status, 0);
    (void)engine_read(&ends.server, (char[8]){0}, 8);
    expect_int(SSL_num_renegotiations(ends.server.ssl), 0);
    expect_int(ends.server.status, 0);
    end();
}

CASE(engine_keeps_no_buffer_while_it_is_idle)
{
    begin(WEIR_TLS_ANY);
    expect_status(ends_shake(&ends), 0);
    ends_talk(&ends);
    expect(ends.client.pipe.in.data == NULL &&
           ends.client.pipe.out.data == NULL);
    expect(ends.server.pipe.in.data == NULL &&
           ends.server.pipe.out.data == NULL);
    end();
}

CASE(engine_write_takes_a_bounded_part_of_a_large_one)
{
    static char large[1 << 20];
    ssize_t taken;

    begin(WEIR_TLS_ANY);
    expect_status(ends_shake(&ends), 0);
    taken = engine_write(&ends.client, large, sizeof(large));
    expect_int(taken, 64 * 1024);
    expect(engine_output_size(&ends.client) < 64 * 1024 + 1000);
    expect_int(engine_write(&ends.client, large, 0), 0);
    end();
}
