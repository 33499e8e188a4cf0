/* SPDX-License-Identifier: MIT */
/* Making a configuration, and replacing its certificate. */
#include "tls/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/evp.h>
#include <openssl/pem.h>

#include "net/support/tls_fixture.h"

static char reason[200];

static int make(weir_tls_role role, weir_tls_options options)
{
    weir_tls *tls;
    int err = weir_tls_new(&tls, role, &options, reason, sizeof(reason));

    expect_no_openssl_error();
    if (err == 0)
        weir_tls_unref(tls);
    return err;
}

static void expect_invalid(weir_tls_role role, weir_tls_options options,
                           const char *expected)
{
    reason[0] = '\0';
    expect_status(make(role, options), -EINVAL);
    expect_string(reason, expected);
}

/* covers: weir_tls_new -EINVAL */
CASE(config_with_invalid_options_is_refused)
{
    weir_tls_certificate pair, half;
    weir_tls_options small = {.size = 1};
    weir_tls *tls;

    identities_make();
    pair = certificate_of(&leaf);
    half = pair;
    half.key.size = 0;
    expect_status(weir_tls_new(NULL, WEIR_TLS_CLIENT, NULL, NULL, 0), -EINVAL);
    expect_status(weir_tls_new(&tls, WEIR_TLS_CLIENT, &small, NULL, 0),
                  -EINVAL);
    expect_invalid((weir_tls_role)2, TLS_OPTIONS(),
                   "the role is neither a client nor a server");
    expect_invalid(WEIR_TLS_SERVER, TLS_OPTIONS(),
                   "a server needs a certificate");
    expect_invalid(WEIR_TLS_SERVER, TLS_OPTIONS(.certificate = &half),
                   "the certificate or its key is not given exactly once");
    half = pair;
    half.chain_file = "also.pem";
    expect_invalid(WEIR_TLS_SERVER, TLS_OPTIONS(.certificate = &half),
                   "the certificate or its key is not given exactly once");
    expect_invalid(
        WEIR_TLS_CLIENT,
        TLS_OPTIONS(.min_version = WEIR_TLS_1_3, .max_version = WEIR_TLS_1_2),
        "the versions are not valid");
    expect_invalid(WEIR_TLS_CLIENT,
                   TLS_OPTIONS(.min_version = (weir_tls_version)3),
                   "the versions are not valid");
    expect_invalid(WEIR_TLS_CLIENT, TLS_OPTIONS(.alpn = ""),
                   "alpn is not valid");
    expect_invalid(
        WEIR_TLS_SERVER,
        TLS_OPTIONS(.certificate = &pair, .clients = (weir_tls_clients)3),
        "clients is not valid");
    expect_invalid(
        WEIR_TLS_SERVER,
        TLS_OPTIONS(.certificate = &pair, .clients = WEIR_TLS_CLIENTS_REQUEST),
        "clients are asked for a certificate, but no CA is given to check it");
    expect_invalid(WEIR_TLS_SERVER,
                   TLS_OPTIONS(.certificate = &pair, .ticket_rotation_ns = 1),
                   "ticket_rotation_ns is out of range");
    expect_invalid(WEIR_TLS_SERVER,
                   TLS_OPTIONS(.certificate = &pair,
                               .ticket_rotation_ns = WEIR_S(8 * 24 * 3600)),
                   "ticket_rotation_ns is out of range");
    expect_invalid(WEIR_TLS_CLIENT, TLS_OPTIONS(.sessions = 65537),
                   "sessions is out of range");
    expect_invalid(WEIR_TLS_CLIENT, TLS_OPTIONS(.ca = {NULL, 1}),
                   "ca is not valid");
    expect_invalid(WEIR_TLS_SERVER,
                   TLS_OPTIONS(.certificate = &pair,
                               .insecure_accept_any_certificate = true),
                   "an option is for clients only");
    expect_invalid(WEIR_TLS_CLIENT,
                   TLS_OPTIONS(.clients = WEIR_TLS_CLIENTS_REQUEST),
                   "an option is for servers only");
    identities_free();
}

/* covers: weir_tls_new -E2BIG */
CASE(config_with_an_unknown_option_is_refused)
{
    struct {
        weir_tls_options options;
        int unknown;
    } larger = {{.size = sizeof(larger)}, 1};
    weir_tls *tls;

    expect_status(weir_tls_new(&tls, WEIR_TLS_CLIENT, &larger.options, NULL, 0),
                  -E2BIG);
    larger.unknown = 0;
    expect_status(weir_tls_new(&tls, WEIR_TLS_CLIENT, &larger.options, NULL, 0),
                  0);
    weir_tls_unref(tls);
}

CASE(config_of_a_client_needs_no_options)
{
    weir_tls *tls;

    expect_status(weir_tls_new(&tls, WEIR_TLS_CLIENT, NULL, NULL, 0), 0);
    weir_tls_ref(tls);
    weir_tls_unref(tls);
    weir_tls_unref(tls);
    weir_tls_unref(NULL);
}

static int make_server(weir_bytes chain, weir_bytes key, const char *password)
{
    weir_tls_certificate pair = {
        .size = sizeof(pair), .chain = chain, .key = key, .password = password};

    reason[0] = '\0';
    return make(WEIR_TLS_SERVER, TLS_OPTIONS(.certificate = &pair));
}

/* covers: weir_tls_new WEIR_ECERT */
CASE(config_with_an_unusable_certificate_is_refused_with_a_reason)
{
    weir_bytes text = WEIR_BYTES_OF("not a certificate\n");
    weir_bytes broken = WEIR_BYTES_OF("-----BEGIN CERTIFICATE-----\n"
                                      "AAAA\n"
                                      "-----END CERTIFICATE-----\n");

    identities_make();
    expect_status(make_server(text, leaf.key_pem, NULL), WEIR_ECERT);
    expect_string(reason, "the certificate: there is no certificate in it");
    expect_status(make_server(broken, leaf.key_pem, NULL), WEIR_ECERT);
    expect(strncmp(reason, "the certificate: ", 17) == 0);
    expect_status(make_server(leaf.chain_pem, text, NULL), WEIR_ECERT);
    expect(strncmp(reason, "the key: ", 9) == 0);
    expect_status(make_server(leaf.chain_pem, root.key_pem, NULL), WEIR_ECERT);
    expect_string(reason, "the key: key values mismatch");
    expect_status(make(WEIR_TLS_CLIENT, TLS_OPTIONS(.ca = text)), WEIR_ECERT);
    expect_string(reason, "the CA: there is no certificate in it");
    identities_free();
}

CASE(config_cuts_its_reason_to_the_size_of_the_buffer)
{
    char small[8] = "xxxxxxx";
    weir_tls *tls;

    expect_status(weir_tls_new(&tls, WEIR_TLS_SERVER, NULL, small, 5), -EINVAL);
    expect_string(small, "a se");
    expect_int(small[6], 'x');
}

CASE(config_with_an_encrypted_key_needs_its_password)
{
    BIO *bio = BIO_new(BIO_s_mem());
    weir_bytes encrypted;
    char *data;

    identities_make();
    expect(PEM_write_bio_PrivateKey(bio, leaf.key, EVP_aes_256_cbc(), NULL, 0,
                                    NULL, (void *)"secret"));
    encrypted.size = (size_t)BIO_get_mem_data(bio, &data);
    encrypted.data = data;
    expect_status(make_server(leaf.chain_pem, encrypted, "secret"), 0);
    expect_status(make_server(leaf.chain_pem, encrypted, "wrong"), WEIR_ECERT);
    expect(reason[0] != '\0');
    /* It must not ask the terminal. */
    expect_status(make_server(leaf.chain_pem, encrypted, NULL), WEIR_ECERT);
    expect(reason[0] != '\0');
    BIO_free(bio);
    identities_free();
}

/* OpenSSL finds no algorithm at all. */
static void break_openssl(bool is_broken)
{
    expect(EVP_set_default_properties(NULL, is_broken ? "provider=none" : ""));
}

/* covers: weir_tls_new WEIR_ETLS */
/* covers: weir_tls_reload WEIR_ETLS */
CASE(config_without_algorithms_is_refused)
{
    weir_tls_certificate pair;
    weir_tls *tls, *other;

    identities_make();
    pair = certificate_of(&leaf);
    tls = server_make(&leaf, TLS_OPTIONS());
    break_openssl(true);
    expect_status(
        weir_tls_new(&other, WEIR_TLS_CLIENT, NULL, reason, sizeof(reason)),
        WEIR_ETLS);
    expect(reason[0] != '\0');
    expect_status(weir_tls_reload(tls, &pair, reason, sizeof(reason)),
                  WEIR_ETLS);
    expect_no_openssl_error();
    break_openssl(false);
    expect_status(weir_tls_reload(tls, &pair, reason, sizeof(reason)), 0);
    weir_tls_unref(tls);
    identities_free();
}

/* ---- files ---- */

static char directory[] = "/tmp/weir-tls-XXXXXX";
static char chain_file[64], key_file[64];

static void write_file(const char *path, weir_bytes bytes)
{
    FILE *file = fopen(path, "w");

    expect(file != NULL);
    expect_int(fwrite(bytes.data, 1, bytes.size, file), bytes.size);
    expect_int(fclose(file), 0);
}

static void write_files(const struct identity *identity)
{
    write_file(chain_file, identity->chain_pem);
    write_file(key_file, identity->key_pem);
}

static void begin_files(void)
{
    identities_make();
    expect(mkdtemp(directory) != NULL);
    snprintf(chain_file, sizeof(chain_file), "%s/chain.pem", directory);
    snprintf(key_file, sizeof(key_file), "%s/key.pem", directory);
    write_files(&leaf);
}

static void end_files(void)
{
    unlink(chain_file);
    unlink(key_file);
    rmdir(directory);
    identities_free();
}

static weir_tls_certificate files(void)
{
    return (weir_tls_certificate){.size = sizeof(weir_tls_certificate),
                                  .chain_file = chain_file,
                                  .key_file = key_file};
}

/* The subject that a client sees. */
static const char *seen_subject(weir_tls *server)
{
    weir_tls *client =
        client_make(NULL, TLS_OPTIONS(.insecure_accept_any_certificate = true));
    static char subject[100];
    struct ends ends;

    ends_open(&ends, client, server, NULL);
    expect_status(ends_shake(&ends), 0);
    X509_NAME_oneline(
        X509_get_subject_name(SSL_get0_peer_certificate(ends.client.ssl)),
        subject, sizeof(subject));
    ends_close(&ends);
    weir_tls_unref(client);
    return subject;
}

/* covers: weir_tls_new -ENOENT */
CASE(config_reads_files)
{
    weir_tls_certificate pair;
    char expected[100];
    weir_tls *server, *client;

    begin_files();
    pair = files();
    expect_status(weir_tls_new(&server, WEIR_TLS_SERVER,
                               &TLS_OPTIONS(.certificate = &pair), NULL, 0),
                  0);
    expect_string(seen_subject(server), "/CN=localhost");
    weir_tls_unref(server);
    write_file(chain_file, root.chain_pem);
    client = client_make(NULL, TLS_OPTIONS(.ca_file = chain_file));
    server = server_make(&leaf, TLS_OPTIONS());
    ends_expect_resumed(client, server, "localhost", false);
    weir_tls_unref(server);
    weir_tls_unref(client);

    unlink(key_file);
    expect_status(make(WEIR_TLS_SERVER, TLS_OPTIONS(.certificate = &pair)),
                  -ENOENT);
    snprintf(expected, sizeof(expected), "%s: %s", key_file,
             weir_error_text(-ENOENT));
    write_file(chain_file, leaf.chain_pem);
    expect_status(make(WEIR_TLS_SERVER, TLS_OPTIONS(.certificate = &pair)),
                  -ENOENT);
    expect_string(reason, expected);
    expect_status(make(WEIR_TLS_CLIENT, TLS_OPTIONS(.ca_file = "/none")),
                  -ENOENT);
    pair.chain_file = directory;
    expect_status(make(WEIR_TLS_SERVER, TLS_OPTIONS(.certificate = &pair)),
                  -EISDIR);
    end_files();
}

CASE(config_trusts_a_directory)
{
    char path[100];
    weir_tls *server, *client;

    begin_files();
    snprintf(path, sizeof(path), "%s/%08lx.0", directory,
             X509_NAME_hash_ex(X509_get_subject_name(root.certificate), NULL,
                               NULL, NULL));
    write_file(path, root.chain_pem);
    client = client_make(NULL, TLS_OPTIONS(.ca_dir = directory));
    server = server_make(&leaf, TLS_OPTIONS());
    ends_expect_resumed(client, server, "localhost", false);
    weir_tls_unref(server);
    weir_tls_unref(client);
    unlink(path);
    end_files();
}

/* ---- reload ---- */

CASE(reload_shows_the_new_certificate_to_new_connections_only)
{
    struct identity next;
    weir_tls_certificate pair;
    weir_tls *server, *client;
    struct ends ends;

    begin_files();
    identity_make(&next, &root,
                  &(struct identity_options){.common_name = "next",
                                             .names = "DNS:localhost"});
    pair = files();
    expect_status(weir_tls_new(&server, WEIR_TLS_SERVER,
                               &TLS_OPTIONS(.certificate = &pair), NULL, 0),
                  0);
    client = client_make(&root, TLS_OPTIONS());
    ends_open(&ends, client, server, "localhost");
    expect_int(engine_read(&ends.client, NULL, 0), 0); /* it has started */
    write_files(&next);
    expect_status(weir_tls_reload(server, NULL, NULL, 0), 0);
    expect_status(ends_shake(&ends), 0); /* with the old one */
    expect_string(seen_subject(server), "/CN=next");
    ends_talk(&ends);
    ends_close(&ends);
    weir_tls_unref(server);
    weir_tls_unref(client);
    identity_free(&next);
    end_files();
}

/* covers: weir_tls_reload WEIR_ECERT */
/* covers: weir_tls_reload -ENOENT */
/* covers: weir_tls_reload -EINVAL */
CASE(reload_of_a_bad_pair_changes_nothing)
{
    weir_tls_certificate pair, memory, none = {.size = sizeof(none)};
    weir_tls *server;

    begin_files();
    pair = files();
    memory = certificate_of(&leaf);
    expect_status(weir_tls_new(&server, WEIR_TLS_SERVER,
                               &TLS_OPTIONS(.certificate = &pair), NULL, 0),
                  0);
    write_file(chain_file, root.chain_pem); /* the key is of another one */
    expect_status(weir_tls_reload(server, NULL, reason, sizeof(reason)),
                  WEIR_ECERT);
    expect(strstr(reason, "key values mismatch") != NULL);
    expect_string(seen_subject(server), "/CN=localhost");
    unlink(chain_file);
    expect_status(weir_tls_reload(server, NULL, NULL, 0), -ENOENT);
    expect_string(seen_subject(server), "/CN=localhost");
    expect_status(weir_tls_reload(server, &none, NULL, 0), -EINVAL);
    expect_status(weir_tls_reload(NULL, NULL, NULL, 0), -EINVAL);
    expect_string(seen_subject(server), "/CN=localhost");
    /* From memory: then there is no file to read again. */
    expect_status(weir_tls_reload(server, &memory, NULL, 0), 0);
    expect_status(weir_tls_reload(server, NULL, reason, sizeof(reason)),
                  -EINVAL);
    expect_string(reason, "there are no files to read again");
    write_files(&leaf);
    expect_status(weir_tls_reload(server, &pair, NULL, 0), 0);
    expect_status(weir_tls_reload(server, NULL, NULL, 0), 0);
    weir_tls_unref(server);
    end_files();
}

/* covers: weir_tls_reload -E2BIG */
CASE(reload_with_an_unknown_member_is_refused)
{
    struct {
        weir_tls_certificate pair;
        int unknown;
    } larger;
    weir_tls *server;

    identities_make();
    memset(&larger, 0, sizeof(larger));
    larger.pair = certificate_of(&leaf);
    larger.pair.size = sizeof(larger);
    larger.unknown = 1;
    server = server_make(&leaf, TLS_OPTIONS());
    expect_status(weir_tls_reload(server, &larger.pair, NULL, 0), -E2BIG);
    weir_tls_unref(server);
    identities_free();
}
