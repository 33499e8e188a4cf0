/* SPDX-License-Identifier: MIT */
/* Which certificates are refused, and with which reason. */
#include <string.h>

#include "net/support/tls_fixture.h"

static struct ends ends;

/* What happens between a server with an identity and a client that trusts
 * `trusted` and asks for `name`. */
static int shake(const struct identity *shown, const struct identity *trusted,
                 const char *name)
{
    weir_tls *server = server_make(shown, TLS_OPTIONS());
    weir_tls *client = client_make(trusted, TLS_OPTIONS());
    int status;

    ends_open(&ends, client, server, name);
    status = ends_shake(&ends);
    weir_tls_unref(server);
    weir_tls_unref(client);
    return status;
}

static void expect_refused(const struct identity *shown,
                           const struct identity *trusted, const char *name,
                           const char *reason, const char *alert)
{
    char told[100];

    expect_status(shake(shown, trusted, name), WEIR_ECERT);
    expect_string(ends.client.reason, reason);
    expect(!ends.client.is_ready);
    /* The server learns why. */
    snprintf(told, sizeof(told), "the peer sent the alert: %s", alert);
    expect_status(ends.server_status, WEIR_ETLS);
    expect_string(ends.server.reason, told);
    ends_close(&ends);
}

static void expect_accepted(const struct identity *shown,
                            const struct identity *trusted, const char *name)
{
    expect_status(shake(shown, trusted, name), 0);
    expect_string(ends.client.reason, "");
    expect_string(ends.server.reason, "");
    ends_talk(&ends);
    ends_close(&ends);
}

CASE(certificate_of_the_right_name_is_accepted)
{
    identities_make();
    expect_accepted(&leaf, &root, "localhost");
    expect_accepted(&leaf, &root, "LocalHost");
    expect_accepted(&leaf, &root, "localhost.");
    expect_accepted(&leaf, &root, "www.example.org");
    expect_accepted(&leaf, &root, "127.0.0.1");
    expect_accepted(&leaf, &root, "::1");
    identities_free();
}

CASE(certificate_of_another_name_is_refused)
{
    identities_make();
    expect_refused(&leaf, &root, "wrong.example",
                   "hostname mismatch: it is not for wrong.example",
                   "bad certificate");
    expect_refused(&leaf, &root, "example.org",
                   "hostname mismatch: it is not for example.org",
                   "bad certificate");
    expect_refused(&leaf, &root, "a.b.example.org",
                   "hostname mismatch: it is not for a.b.example.org",
                   "bad certificate");
    expect_refused(&leaf, &root, "127.0.0.2",
                   "IP address mismatch: it is not for 127.0.0.2",
                   "bad certificate");
    identities_free();
}

CASE(certificate_whose_common_name_alone_is_right_is_refused)
{
    struct identity other;

    /* The common name counts only if there are no other names. */
    identities_make();
    identity_make(&other, &root,
                  &(struct identity_options){.common_name = "localhost",
                                             .names = "DNS:other.example"});
    expect_refused(&other, &root, "localhost",
                   "hostname mismatch: it is not for localhost",
                   "bad certificate");
    identity_free(&other);
    identities_free();
}

CASE(certificate_that_has_expired_is_refused)
{
    struct identity old;

    identities_make();
    identity_make(&old, &root,
                  &(struct identity_options){.names = "DNS:localhost",
                                             .from_s = -7200,
                                             .to_s = -3600});
    expect_refused(&old, &root, "localhost",
                   "certificate has expired: /CN=test", "certificate expired");
    identity_free(&old);
    identities_free();
}

CASE(certificate_that_is_not_valid_yet_is_refused)
{
    struct identity early;

    identities_make();
    identity_make(&early, &root,
                  &(struct identity_options){
                      .names = "DNS:localhost", .from_s = 3600, .to_s = 7200});
    expect_refused(&early, &root, "localhost",
                   "certificate is not yet valid: /CN=test", "bad certificate");
    identity_free(&early);
    identities_free();
}

CASE(certificate_that_is_self_signed_is_refused_unless_it_is_trusted)
{
    struct identity self;

    identities_make();
    identity_make(&self, NULL,
                  &(struct identity_options){.names = "DNS:localhost"});
    expect_refused(&self, &root, "localhost",
                   "self-signed certificate: /CN=test", "unknown ca");
    expect_accepted(&self, &self, "localhost");
    identity_free(&self);
    identities_free();
}

CASE(certificate_of_an_unknown_authority_is_refused)
{
    struct identity other;

    identities_make();
    identity_make(
        &other, NULL,
        &(struct identity_options){.common_name = "other root", .is_ca = true});
    expect_refused(&leaf, &other, "localhost",
                   "unable to get local issuer certificate: /CN=localhost",
                   "unknown ca");
    identity_free(&other);
    identities_free();
}

CASE(certificate_of_an_intermediate_needs_it_in_the_chain)
{
    struct identity middle, last, cut;

    identities_make();
    identity_make(
        &middle, &root,
        &(struct identity_options){.common_name = "middle", .is_ca = true});
    identity_make(&last, &middle,
                  &(struct identity_options){.names = "DNS:localhost"});
    expect_accepted(&last, &root, "localhost");
    cut = last; /* without its issuer */
    cut.chain_pem.size =
        (size_t)(strstr(strstr(last.chain_pem.data, "END"), "BEGIN") -
                 (const char *)last.chain_pem.data) -
        5;
    expect_refused(&cut, &root, "localhost",
                   "unable to get local issuer certificate: /CN=test",
                   "unknown ca");
    identity_free(&middle);
    identity_free(&last);
    identities_free();
}

CASE(certificate_signed_by_one_that_is_not_an_authority_is_refused)
{
    struct identity forged;

    identities_make();
    identity_make(&forged, &leaf,
                  &(struct identity_options){.names = "DNS:localhost"});
    expect_refused(&forged, &root, "localhost",
                   "invalid CA certificate: /CN=localhost", "unknown ca");
    identity_free(&forged);
    identities_free();
}

CASE(certificate_is_checked_against_the_store_of_the_system_by_default)
{
    identities_make();
    expect_refused(&leaf, NULL, "localhost",
                   "unable to get local issuer certificate: /CN=localhost",
                   "unknown ca");
    identities_free();
}

CASE(certificate_of_any_kind_is_accepted_only_by_an_insecure_client)
{
    struct identity self;
    weir_tls *server, *client;

    identities_make();
    identity_make(&self, NULL,
                  &(struct identity_options){
                      .names = "DNS:other", .from_s = -7200, .to_s = -3600});
    server = server_make(&self, TLS_OPTIONS());
    client =
        client_make(NULL, TLS_OPTIONS(.insecure_accept_any_certificate = true));
    ends_open(&ends, client, server, "localhost");
    expect_status(ends_shake(&ends), 0);
    expect_string(ends.client.reason, "");
    ends_talk(&ends);
    ends_close(&ends);
    ends_open(&ends, client, server, NULL); /* it needs no name */
    expect_status(ends_shake(&ends), 0);
    ends_close(&ends);
    weir_tls_unref(server);
    weir_tls_unref(client);
    identity_free(&self);
    identities_free();
}

/* ---- of clients ---- */

static weir_tls *asking_server(weir_tls_clients clients,
                               weir_tls_version version)
{
    return server_make(
        &leaf, TLS_OPTIONS(.clients = clients, .ca = root.chain_pem,
                           .min_version = version, .max_version = version));
}

static weir_tls *showing_client(const struct identity *shown)
{
    weir_tls_certificate certificate;
    weir_tls_options options = TLS_OPTIONS();

    if (shown != NULL) {
        certificate = certificate_of(shown);
        options.certificate = &certificate;
    }
    return client_make(&root, options);
}

/* The server's status after a handshake; the client's reason stays in ends. */
static int ask(weir_tls_clients clients, weir_tls_version version,
               const struct identity *shown)
{
    weir_tls *server = asking_server(clients, version);
    weir_tls *client = showing_client(shown);
    char byte;

    ends_open(&ends, client, server, "localhost");
    (void)ends_shake(&ends);
    ends_move(&ends);
    if (ends.client_status == 0) /* TLS 1.3: it learns that afterwards */
        ends.client_status = (int)engine_read(&ends.client, &byte, 1);
    weir_tls_unref(server);
    weir_tls_unref(client);
    return ends.server_status;
}

CASE(client_without_a_certificate_is_refused_if_one_is_required)
{
    identities_make();
    for (int version = WEIR_TLS_1_2; version <= WEIR_TLS_1_3; version++) {
        expect_status(
            ask(WEIR_TLS_CLIENTS_REQUIRE, (weir_tls_version)version, NULL),
            WEIR_ECERT);
        expect_string(ends.server.reason, "peer did not return a certificate");
        expect_status(ends.client_status, WEIR_ETLS);
        expect_string(ends.client.reason,
                      version == WEIR_TLS_1_3
                          ? "the peer sent the alert: certificate required"
                          : "the peer sent the alert: handshake failure");
        ends_close(&ends);
    }
    identities_free();
}

CASE(client_without_a_certificate_is_accepted_if_one_is_requested)
{
    identities_make();
    expect_status(ask(WEIR_TLS_CLIENTS_REQUEST, WEIR_TLS_ANY, NULL), 0);
    ends_talk(&ends);
    expect(SSL_get0_peer_certificate(ends.server.ssl) == NULL);
    ends_close(&ends);
    identities_free();
}

CASE(client_with_a_certificate_of_the_authority_is_accepted)
{
    struct identity person;

    identities_make();
    identity_make(&person, &root,
                  &(struct identity_options){.common_name = "person"});
    for (int clients = WEIR_TLS_CLIENTS_REQUEST;
         clients <= WEIR_TLS_CLIENTS_REQUIRE; clients++)
        for (int version = WEIR_TLS_1_2; version <= WEIR_TLS_1_3; version++) {
            expect_status(ask((weir_tls_clients)clients,
                              (weir_tls_version)version, &person),
                          0);
            expect(SSL_get0_peer_certificate(ends.server.ssl) != NULL);
            ends_talk(&ends);
            ends_close(&ends);
        }
    identity_free(&person);
    identities_free();
}

CASE(client_with_a_certificate_of_another_authority_is_refused)
{
    struct identity other;

    identities_make();
    identity_make(&other, NULL,
                  &(struct identity_options){.common_name = "stranger"});
    for (int version = WEIR_TLS_1_2; version <= WEIR_TLS_1_3; version++) {
        expect_status(
            ask(WEIR_TLS_CLIENTS_REQUEST, (weir_tls_version)version, &other),
            WEIR_ECERT);
        expect_string(ends.server.reason,
                      "self-signed certificate: /CN=stranger");
        expect_string(ends.client.reason,
                      "the peer sent the alert: unknown ca");
        ends_close(&ends);
    }
    identity_free(&other);
    identities_free();
}
