/* SPDX-License-Identifier: MIT */
/* What the two ends agree on: protocol, name, version. */
#include "tls/hello.h"

#include <errno.h>
#include <string.h>

#include "net/support/tls_fixture.h"

static struct ends ends;

/* ---- ALPN ---- */

static int shake_alpn(const char *of_client, const char *of_server)
{
    weir_tls *server = server_make(&leaf, TLS_OPTIONS(.alpn = of_server));
    weir_tls *client = client_make(&root, TLS_OPTIONS(.alpn = of_client));
    int status;

    ends_open(&ends, client, server, "localhost");
    status = ends_shake(&ends);
    weir_tls_unref(server);
    weir_tls_unref(client);
    return status;
}

static void expect_alpn(const char *of_client, const char *of_server,
                        const char *chosen)
{
    const char *by_client, *by_server;

    expect_status(shake_alpn(of_client, of_server), 0);
    by_client = weir__tls_engine_alpn(&ends.client);
    by_server = weir__tls_engine_alpn(&ends.server);
    expect_string(by_client != NULL ? by_client : "none", chosen);
    expect_string(by_server != NULL ? by_server : "none", chosen);
    ends_close(&ends);
}

CASE(alpn_chooses_what_the_server_prefers)
{
    identities_make();
    expect_alpn("h2,http/1.1", "http/1.1", "http/1.1");
    expect_alpn("h2,http/1.1", "http/1.1,h2", "http/1.1");
    expect_alpn("http/1.1,h2", "h2,http/1.1", "h2");
    expect_alpn("a,b,c", "x,c,y", "c");
    identities_free();
}

CASE(alpn_chooses_nothing_unless_both_have_a_list)
{
    identities_make();
    expect_alpn(NULL, NULL, "none");
    expect_alpn("h2", NULL, "none");
    expect_alpn(NULL, "h2", "none");
    identities_free();
}

CASE(alpn_without_a_common_protocol_is_refused)
{
    identities_make();
    expect_status(shake_alpn("h2", "http/1.1,http"), WEIR_ETLS);
    expect_string(ends.server.reason, "the client and the server have no "
                                      "protocol in common (ALPN)");
    expect_string(ends.client.reason,
                  "the peer sent the alert: no application protocol");
    ends_close(&ends);
    identities_free();
}

CASE(alpn_of_a_connection_replaces_that_of_its_configuration)
{
    weir_tls *server, *client;

    identities_make();
    server = server_make(&leaf, TLS_OPTIONS(.alpn = "h2,http/1.1"));
    client = client_make(&root, TLS_OPTIONS(.alpn = "h2"));
    ends_open_with(&ends, client, server,
                   &(struct weir__tls_start){.server_name = "localhost",
                                             .alpn = "http/1.1"});
    expect_status(ends_shake(&ends), 0);
    expect_string(weir__tls_engine_alpn(&ends.client), "http/1.1");
    ends_close(&ends);
    weir_tls_unref(server);
    weir_tls_unref(client);
    identities_free();
}

CASE(alpn_list_with_an_empty_or_long_name_is_refused)
{
    char longest[300];
    struct weir__tls_alpn *list;

    memset(longest, 'x', sizeof(longest));
    longest[255] = '\0';
    expect_status(weir__tls_alpn_parse(&list, longest), 0);
    expect_int(list->size, 256);
    weir__tls_alpn_free(list);
    longest[255] = 'x';
    longest[256] = '\0';
    expect_status(weir__tls_alpn_parse(&list, longest), -EINVAL);
    expect_status(weir__tls_alpn_parse(&list, ""), -EINVAL);
    expect_status(weir__tls_alpn_parse(&list, ",h2"), -EINVAL);
    expect_status(weir__tls_alpn_parse(&list, "h2,"), -EINVAL);
    expect_status(weir__tls_alpn_parse(&list, "h2,,x"), -EINVAL);
    expect_status(weir__tls_alpn_parse(&list, NULL), 0);
    expect(list == NULL);
}

/* ---- the name ---- */

struct names {
    weir_tls *other; /* for other.example */
    char asked[300];
    int calls;
};

static int choose(void *arg, const char *name, weir_tls **use)
{
    struct names *names = arg;

    names->calls++;
    snprintf(names->asked, sizeof(names->asked), "%s", name);
    if (strcmp(name, "other.example") == 0)
        *use = names->other;
    return strcmp(name, "refused.example") == 0 ? -ENOENT : 0;
}

static struct identity other_leaf;
static struct names names;
static weir_tls *server, *client;

static void begin_names(weir_tls_options of_other)
{
    identities_make();
    identity_make(&other_leaf, &root,
                  &(struct identity_options){.common_name = "other",
                                             .names = "DNS:other.example"});
    names.other = server_make(&other_leaf, of_other);
    server = server_make(&leaf, TLS_OPTIONS(.on_server_name = choose,
                                            .arg = &names, .alpn = "first"));
    client = client_make(&root, TLS_OPTIONS());
}

static void end_names(void)
{
    weir_tls_unref(server);
    weir_tls_unref(names.other);
    weir_tls_unref(client);
    identity_free(&other_leaf);
    identities_free();
}

static int shake_name(const char *name)
{
    ends_open(&ends, client, server, name);
    return ends_shake(&ends);
}

static const char *peer_subject(void)
{
    static char subject[100];

    X509_NAME_oneline(
        X509_get_subject_name(SSL_get0_peer_certificate(ends.client.ssl)),
        subject, sizeof(subject));
    return subject;
}

CASE(name_that_the_callback_does_not_change_gets_the_first_certificate)
{
    begin_names(TLS_OPTIONS());
    expect_status(shake_name("LOCALhost"), 0);
    expect_int(names.calls, 1);
    expect_string(names.asked, "localhost");
    expect_string(ends.server.name, "localhost");
    expect_string(peer_subject(), "/CN=localhost");
    ends_close(&ends);
    end_names();
}

CASE(name_of_another_configuration_gets_its_certificate_and_protocols)
{
    begin_names(TLS_OPTIONS(.alpn = "second", .max_version = WEIR_TLS_1_2));
    ends_open_with(&ends, client, server,
                   &(struct weir__tls_start){.server_name = "other.example",
                                             .alpn = "second"});
    expect_status(ends_shake(&ends), 0);
    expect_string(peer_subject(), "/CN=other");
    expect_string(weir__tls_engine_alpn(&ends.server), "second");
    expect_string(weir__tls_engine_alpn(&ends.client), "second");
    expect_string(SSL_get_version(ends.server.ssl), "TLSv1.2");
    ends_talk(&ends);
    ends_close(&ends);
    end_names();
}

CASE(name_of_another_configuration_keeps_it_until_the_connection_ends)
{
    begin_names(TLS_OPTIONS());
    expect_status(shake_name("other.example"), 0);
    weir_tls_ref(client);
    end_names();
    ends_talk(&ends);
    ends_close(&ends);
    weir_tls_unref(client);
}

CASE(name_that_is_refused_gets_an_alert)
{
    begin_names(TLS_OPTIONS());
    expect_status(shake_name("refused.example"), WEIR_ETLS);
    expect_string(ends.server.reason, "the name was refused: refused.example");
    expect_string(ends.client.reason,
                  "the peer sent the alert: unrecognized name");
    ends_close(&ends);
    end_names();
}

CASE(name_is_not_sent_if_it_is_an_address)
{
    begin_names(TLS_OPTIONS());
    expect_status(shake_name("127.0.0.1"), 0);
    expect_int(names.calls, 0);
    expect(ends.server.name == NULL);
    ends_close(&ends);
    end_names();
}

CASE(name_chosen_as_a_client_is_an_error_of_this_connection_only)
{
    begin_names(TLS_OPTIONS());
    weir_tls_unref(names.other);
    names.other = client;
    expect_status(shake_name("other.example"), WEIR_ETLS);
    expect_string(ends.server.reason, "on_server_name has not chosen a server");
    ends_close(&ends);
    names.other = NULL;
    expect_status(shake_name("other.example"), WEIR_ETLS);
    ends_close(&ends);
    expect_status(shake_name("localhost"), 0);
    ends_close(&ends);
    end_names();
}

CASE(name_that_requires_a_certificate_asks_for_it)
{
    begin_names(TLS_OPTIONS());
    weir_tls_unref(names.other);
    names.other = server_make(
        &other_leaf,
        TLS_OPTIONS(.clients = WEIR_TLS_CLIENTS_REQUIRE, .ca = root.chain_pem));
    (void)shake_name("other.example");
    expect_status(ends.server_status, WEIR_ECERT);
    ends_close(&ends);
    expect_status(shake_name("localhost"), 0);
    ends_close(&ends);
    end_names();
}

/* Otherwise a client without a certificate would get in with the session of a
 * name that requires none. */
CASE(session_of_one_name_is_not_resumed_for_another)
{
    for (int version = WEIR_TLS_1_2; version <= WEIR_TLS_1_3; version++) {
        SSL_SESSION *session;

        begin_names(TLS_OPTIONS());
        weir_tls_unref(names.other);
        names.other = server_make(
            &other_leaf, TLS_OPTIONS(.clients = WEIR_TLS_CLIENTS_REQUIRE,
                                     .ca = root.chain_pem));
        weir_tls_unref(client);
        client = client_make(
            &root, TLS_OPTIONS(.max_version = (weir_tls_version)version));
        expect_status(shake_name("localhost"), 0);
        ends_send(&ends, false, 1);
        session = SSL_get1_session(ends.client.ssl);
        ends_close(&ends);

        ends_open(&ends, client, server, "localhost"); /* it is resumable */
        expect(SSL_set_session(ends.client.ssl, session));
        expect_status(ends_shake(&ends), 0);
        expect(SSL_session_reused(ends.server.ssl));
        ends_close(&ends);

        ends_open(&ends, client, server, "other.example");
        expect(SSL_set_session(ends.client.ssl, session));
        (void)ends_shake(&ends);
        expect_status(ends.server_status, WEIR_ECERT);
        expect(!SSL_session_reused(ends.server.ssl));
        ends_close(&ends);
        SSL_SESSION_free(session);
        end_names();
    }
}

CASE(name_that_is_not_a_host_name_is_refused_by_the_client)
{
    static const char *const bad[] = {"", ".", "a b", "a\nb", "\xc3\xa4"};
    struct weir__tls_engine engine;
    char longest[300];

    begin_names(TLS_OPTIONS());
    memset(longest, 'a', sizeof(longest));
    longest[254] = '\0';
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        expect_status(weir__tls_engine_init(
                          &engine, client,
                          &(struct weir__tls_start){.server_name = bad[i]}),
                      -EINVAL);
    expect_status(
        weir__tls_engine_init(
            &engine, client, &(struct weir__tls_start){.server_name = longest}),
        -EINVAL);
    expect_status(
        weir__tls_engine_init(&engine, client, &(struct weir__tls_start){0}),
        -EINVAL);
    end_names();
}

/* ---- malformed ---- */

CASE(hello_that_was_changed_is_refused_or_harmless)
{
    struct random random = {random_seed()};
    char hello[2000];
    weir_bytes output;
    unsigned refused = 0;

    begin_names(TLS_OPTIONS(.alpn = "x"));
    ends_open_with(&ends, client, server,
                   &(struct weir__tls_start){.server_name = "other.example",
                                             .alpn = "x,y"});
    (void)engine_read(&ends.client, NULL, 0);
    output = ends.client.filter.output(&ends.client.filter);
    expect(output.size <= sizeof(hello));
    for (int i = 0; i < 2000; i++) {
        struct weir__tls_engine engine;

        expect_status(weir__tls_engine_init(&engine, server,
                                            &(struct weir__tls_start){0}),
                      0);
        memcpy(hello, output.data, output.size);
        for (uint64_t n = 1 + random_below(&random, 4); n > 0; n--)
            hello[random_below(&random, output.size)] =
                (char)random_next(&random);
        expect_status(engine.filter.feed(&engine.filter, hello, output.size),
                      0);
        refused += engine_read(&engine, NULL, 0) < 0;
        expect(!engine.is_ready);
        expect(engine.status == 0 || engine.reason[0] != '\0');
        engine_free(&engine);
    }
    fprintf(stderr, "# %u of 2000 refused\n", refused);
    expect(refused > 200);
    ends_close(&ends);
    end_names();
}

/* ---- versions ---- */

static int shake_versions(weir_tls_version client_max,
                          weir_tls_version server_min)
{
    int status;

    server = server_make(&leaf, TLS_OPTIONS(.min_version = server_min));
    client = client_make(&root, TLS_OPTIONS(.max_version = client_max));
    ends_open(&ends, client, server, "localhost");
    status = ends_shake(&ends);
    weir_tls_unref(server);
    weir_tls_unref(client);
    return status;
}

CASE(versions_that_do_not_overlap_are_refused)
{
    identities_make();
    expect_status(shake_versions(WEIR_TLS_1_2, WEIR_TLS_1_3), WEIR_ETLS);
    expect_string(ends.client.reason,
                  "the peer sent the alert: protocol version");
    expect_string(ends.server.reason, "unsupported protocol");
    ends_close(&ends);
    expect_status(shake_versions(WEIR_TLS_1_2, WEIR_TLS_ANY), 0);
    ends_close(&ends);
    identities_free();
}

CASE(versions_before_1_2_are_refused)
{
    identities_make();
    server = server_make(&leaf, TLS_OPTIONS());
    client = client_make(&root, TLS_OPTIONS());
    ends_open(&ends, client, server, "localhost");
    SSL_set_security_level(ends.client.ssl, 0);
    expect(SSL_set_min_proto_version(ends.client.ssl, TLS1_VERSION));
    expect(SSL_set_max_proto_version(ends.client.ssl, TLS1_1_VERSION));
    expect(SSL_set_cipher_list(ends.client.ssl, "ALL"));
    (void)ends_shake(&ends);
    expect_status(ends.server_status, WEIR_ETLS);
    expect_string(ends.server.reason, "unsupported protocol");
    ends_close(&ends);
    weir_tls_unref(server);
    weir_tls_unref(client);
    identities_free();
}

CASE(ciphers_without_forward_secrecy_are_refused)
{
    identities_make();
    server = server_make(&leaf, TLS_OPTIONS());
    client = client_make(&root, TLS_OPTIONS(.max_version = WEIR_TLS_1_2));
    ends_open(&ends, client, server, "localhost");
    expect(SSL_set_cipher_list(ends.client.ssl,
                               "AES128-SHA:ECDHE-ECDSA-AES128-SHA256"));
    (void)ends_shake(&ends);
    expect_status(ends.server_status, WEIR_ETLS);
    expect_string(ends.server.reason, "no shared cipher");
    ends_close(&ends);
    weir_tls_unref(server);
    weir_tls_unref(client);
    identities_free();
}
