/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "net/support/tls_fixture.h"
#include "tls/config.h"

static weir_tls *server, *client;

static void begin(weir_tls_version version, weir_tls_options of_server,
                  weir_tls_options of_client)
{
    of_server.max_version = version;
    identities_make();
    server = server_make(&leaf, of_server);
    client = client_make(&root, of_client);
}

static void end(void)
{
    weir_tls_unref(server);
    weir_tls_unref(client);
    identities_free();
}

static void expect_resumed(const char *name, bool is_resumed)
{
    ends_expect_resumed(client, server, name, is_resumed);
}

CASE(session_of_each_version_is_resumed)
{
    for (int version = WEIR_TLS_1_2; version <= WEIR_TLS_1_3; version++) {
        begin((weir_tls_version)version, TLS_OPTIONS(), TLS_OPTIONS());
        expect_resumed("localhost", false);
        for (int i = 0; i < 10; i++)
            expect_resumed("localhost", true);
        end();
    }
}

CASE(session_of_another_server_is_not_used)
{
    struct ends ends;

    begin(WEIR_TLS_ANY, TLS_OPTIONS(), TLS_OPTIONS());
    expect_resumed("localhost", false);
    expect_resumed("www.example.org", false);
    expect_resumed("localhost", true);
    ends_open_with(
        &ends, client, server,
        &(struct weir__tls_start){.server_name = "localhost", .port = 443});
    expect_status(ends_shake(&ends), 0);
    expect(!SSL_session_reused(ends.client.ssl));
    ends_close(&ends);
    end();
}

CASE(session_is_resumed_after_a_connection_without_an_orderly_end)
{
    for (int version = WEIR_TLS_1_2; version <= WEIR_TLS_1_3; version++) {
        struct ends ends;

        begin((weir_tls_version)version, TLS_OPTIONS(), TLS_OPTIONS());
        ends_open(&ends, client, server, "localhost");
        expect_status(ends_shake(&ends), 0);
        ends_send(&ends, false, 1);
        expect_status(ends.client.filter.end(&ends.client.filter),
                      WEIR_ETRUNCATED);
        ends_close(&ends);
        expect_resumed("localhost", true);
        end();
    }
}

CASE(session_is_not_resumed_if_either_side_does_not_want_it)
{
    for (int version = WEIR_TLS_1_2; version <= WEIR_TLS_1_3; version++) {
        begin((weir_tls_version)version, TLS_OPTIONS(.has_no_resumption = true),
              TLS_OPTIONS());
        expect_resumed("localhost", false);
        expect_resumed("localhost", false);
        expect_int(client->sessions.count, 0);
        end();
        begin((weir_tls_version)version, TLS_OPTIONS(),
              TLS_OPTIONS(.has_no_resumption = true));
        expect_resumed("localhost", false);
        expect_resumed("localhost", false);
        end();
    }
}

CASE(session_of_a_server_that_restarted_leads_to_a_full_handshake)
{
    for (int version = WEIR_TLS_1_2; version <= WEIR_TLS_1_3; version++) {
        begin((weir_tls_version)version, TLS_OPTIONS(), TLS_OPTIONS());
        expect_resumed("localhost", false);
        weir_tls_unref(server);
        server = server_make(
            &leaf, TLS_OPTIONS(.max_version = (weir_tls_version)version));
        expect_resumed("localhost", false);
        expect_resumed("localhost", true);
        end();
    }
}

CASE(session_survives_a_reload_of_the_certificate)
{
    weir_tls_certificate again;

    begin(WEIR_TLS_ANY, TLS_OPTIONS(), TLS_OPTIONS());
    expect_resumed("localhost", false);
    again = certificate_of(&leaf);
    expect_status(weir_tls_reload(server, &again, NULL, 0), 0);
    expect_resumed("localhost", true);
    end();
}

/* ---- the keys of tickets ---- */

CASE(ticket_is_accepted_for_one_rotation_after_its_key_was_replaced)
{
    for (int version = WEIR_TLS_1_2; version <= WEIR_TLS_1_3; version++) {
        unsigned char first[WEIR__TICKET_NAME];

        expect_status(weir_clock_freeze(WEIR_S(1000)), 0);
        begin((weir_tls_version)version,
              TLS_OPTIONS(.ticket_rotation_ns = WEIR_S(100)), TLS_OPTIONS());
        expect_resumed("localhost", false);
        memcpy(first, server->tickets.current.name, sizeof(first));
        expect_status(weir_clock_advance(WEIR_S(99)), 0);
        expect_resumed("localhost", true);
        expect(memcmp(first, server->tickets.current.name, sizeof(first)) == 0);
        expect_status(weir_clock_advance(WEIR_S(1)), 0);
        expect_resumed("localhost",
                       true); /* and gets a ticket of the new key */
        expect(memcmp(first, server->tickets.current.name, sizeof(first)) != 0);
        expect(memcmp(first, server->tickets.last.name, sizeof(first)) == 0);
        expect_status(weir_clock_advance(WEIR_S(150)), 0);
        expect_resumed("localhost", true);
        expect(memcmp(first, server->tickets.last.name, sizeof(first)) != 0);
        end();
    }
}

CASE(ticket_of_a_key_that_was_forgotten_leads_to_a_full_handshake)
{
    for (int version = WEIR_TLS_1_2; version <= WEIR_TLS_1_3; version++) {
        expect_status(weir_clock_freeze(WEIR_S(1000)), 0);
        begin((weir_tls_version)version,
              TLS_OPTIONS(.ticket_rotation_ns = WEIR_S(100)), TLS_OPTIONS());
        expect_resumed("localhost", false);
        expect_status(weir_clock_advance(WEIR_S(200)), 0);
        expect_resumed("localhost", false);
        expect(!server->tickets.last.is_set);
        expect_resumed("localhost", true);
        end();
    }
}

/* ---- the client's store ---- */

CASE(store_keeps_no_more_sessions_than_it_may)
{
    char name[40];

    begin(WEIR_TLS_1_2, TLS_OPTIONS(), TLS_OPTIONS(.sessions = 3));
    for (int i = 0; i < 5; i++) {
        snprintf(name, sizeof(name), "n%d.example.org", i);
        expect_resumed(name, false);
    }
    expect_int(client->sessions.count, 3);
    expect_resumed("n4.example.org", true);
    expect_resumed("n3.example.org", true);
    expect_resumed("n2.example.org", true);
    expect_resumed("n1.example.org", false);
    end();
}

CASE(store_keeps_a_few_tickets_of_a_server_and_uses_each_once)
{
    struct ends ends[3];

    begin(WEIR_TLS_1_3, TLS_OPTIONS(), TLS_OPTIONS());
    expect_resumed("localhost", false);
    expect_int(client->sessions.count, 2); /* as many as the server sends */
    for (int i = 0; i < 3; i++) {
        ends_open(&ends[i], client, server, "localhost");
        expect_status(ends_shake(&ends[i]), 0);
        expect_int(SSL_session_reused(ends[i].client.ssl), i < 2);
    }
    expect_int(client->sessions.count, 0); /* nobody has read the new ones */
    for (int i = 0; i < 3; i++) {
        ends_send(&ends[i], false, 1);
        ends_close(&ends[i]);
    }
    expect_int(client->sessions.count, 4);
    end();
}

CASE(store_drops_a_session_whose_handshake_has_failed)
{
    struct ends ends;

    begin(WEIR_TLS_1_2, TLS_OPTIONS(), TLS_OPTIONS());
    expect_resumed("localhost", false);
    expect_int(client->sessions.count, 1);
    ends_open(&ends, client, server, "localhost");
    (void)engine_read(&ends.client, NULL, 0);
    expect_status(ends.client.filter.feed(&ends.client.filter, "garbage", 7),
                  0);
    expect_status((int)engine_read(&ends.client, NULL, 0), WEIR_ETLS);
    expect_int(client->sessions.count, 0);
    ends_close(&ends);
    end();
}

/* ---- verification ---- */

CASE(session_remembers_the_certificate_of_the_peer)
{
    for (int version = WEIR_TLS_1_2; version <= WEIR_TLS_1_3; version++) {
        struct ends ends;

        begin((weir_tls_version)version, TLS_OPTIONS(), TLS_OPTIONS());
        expect_resumed("localhost", false);
        ends_open(&ends, client, server, "localhost");
        expect_status(ends_shake(&ends), 0);
        expect(SSL_session_reused(ends.client.ssl));
        expect(SSL_get0_peer_certificate(ends.client.ssl) != NULL);
        expect_int(SSL_get_verify_result(ends.client.ssl), X509_V_OK);
        ends_close(&ends);
        end();
    }
}
