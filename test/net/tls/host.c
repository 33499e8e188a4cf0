/* SPDX-License-Identifier: MIT */
/* What hosts of a language need: their own SSL_CTX, bytes that were read before,
 * and handshakes that wait for an answer. */
#include <errno.h>
#include <string.h>

#include <openssl/ssl.h>

#include "net/support/tls_fixture.h"
#include "support/loop_fixture.h"

static weir_stream *streams[2]; /* client, server */
static weir_tls *tls[2];
static SSL_CTX *context;
static int asked;
static bool is_answered;

static SSL_CTX *make_context(void)
{
    SSL_CTX *made = SSL_CTX_new(TLS_method());

    expect(made != NULL);
    expect_int(SSL_CTX_use_certificate(made, leaf.certificate), 1);
    expect_int(SSL_CTX_use_PrivateKey(made, leaf.key), 1);
    return made;
}

static void begin(void)
{
    weir_tls_options options = TLS_OPTIONS();

    identities_make();
    context = make_context();
    options.context = context;
    expect_status(weir_tls_new(&tls[1], WEIR_TLS_SERVER, &options, NULL, 0), 0);
    tls[0] = client_make(&root, TLS_OPTIONS());
    loop_make(NULL);
    expect_status(weir_stream_pair(streams, loop, NULL), 0);
    asked = 0;
    is_answered = false;
}

static void end(void)
{
    weir_stream_close(streams[0], NULL, NULL);
    weir_stream_close(streams[1], NULL, NULL);
    loop_run();
    weir_tls_unref(tls[0]);
    weir_tls_unref(tls[1]);
    SSL_CTX_free(context);
    loop_end();
    identities_free();
}

static void on_ready(void *word, weir_stream *stream, int status)
{
    note(status == 0 ? word : "failed");
}

#define START(...)                                                             \
    (&(weir_tls_start_options){.size = sizeof(weir_tls_start_options),         \
                               .on_ready = on_ready,                           \
                               __VA_ARGS__})

static void start_client(void)
{
    expect_status(
        weir_tls_start(streams[0], tls[0],
                       START(.server_name = "localhost", .arg = "client")),
        0);
}

CASE(host_brings_its_own_context)
{
    begin();
    expect(weir_tls_ssl(streams[1]) == NULL);
    expect(weir_tls_ssl(NULL) == NULL);
    expect_status(weir_tls_start(streams[1], tls[1], START(.arg = "server")),
                  0);
    start_client();
    loop_turns(10);
    expect_recorded("client server");
    expect(SSL_get_SSL_CTX(weir_tls_ssl(streams[1])) == context);
    expect(weir_tls_alpn(streams[1]) == NULL);
    end();
}

/* covers: weir_tls_new -EINVAL */
CASE(host_context_excludes_other_options)
{
    weir_tls_options options = TLS_OPTIONS();
    weir_tls *made;
    char reason[64];

    begin();
    options.context = context;
    options.alpn = "a";
    expect_status(
        weir_tls_new(&made, WEIR_TLS_SERVER, &options, reason, sizeof(reason)),
        -EINVAL);
    expect_string(reason, "context excludes other options");
    end();
}

/* A ClientHello that the owner has read before it knew that it was one. */
static char early[4096];
static size_t early_size;

static void read_early(void *arg, weir_stream *stream, int status,
                       weir_bytes bytes)
{
    expect_status(status, 0);
    memcpy(early + early_size, bytes.data, bytes.size);
    early_size += bytes.size;
}

/* A context that is made of the options would verify nothing. */
CASE(host_context_is_not_replaced_by_a_reload)
{
    weir_tls_certificate certificate;
    char reason[80];

    begin();
    certificate = certificate_of(&leaf);
    expect_status(weir_tls_reload(tls[1], &certificate, reason, sizeof(reason)),
                  -EINVAL);
    expect_string(reason, "the context is the host's");
    expect_status(weir_tls_reload(tls[1], NULL, reason, sizeof(reason)),
                  -EINVAL);
    end();
}

CASE(host_gives_bytes_that_it_has_read_to_tls)
{
    begin();
    early_size = 0;
    expect_status(weir_stream_read(streams[1], read_early, NULL), 0);
    start_client();
    loop_turns(3);
    expect(early_size > 0);
    weir_stream_stop(streams[1]);
    expect_status(
        weir_tls_start(streams[1], tls[1], START(.received = {NULL, 1})),
        -EINVAL);
    expect_status(
        weir_tls_start(streams[1], tls[1],
                       START(.arg = "server", .received = {early, early_size})),
        0);
    loop_turns(10);
    expect_recorded("client server");
    end();
}

static int refuse(void *arg, void *ssl)
{
    return -EACCES;
}

CASE(host_refuses_a_connection)
{
    begin();
    expect_status(
        weir_tls_start(streams[1], tls[1], START(.on_connection = refuse)),
        -EACCES);
    expect(weir_tls_ssl(streams[1]) == NULL);
    end();
}

static int wait_for_answer(SSL *ssl, void *arg)
{
    asked++;
    return is_answered ? 1 : -1;
}

static int set_question(void *arg, void *ssl)
{
    SSL_set_cert_cb(ssl, wait_for_answer, NULL);
    return 0;
}

CASE(host_lets_a_handshake_wait)
{
    begin();
    expect_status(
        weir_tls_start(streams[1], tls[1],
                       START(.arg = "server", .on_connection = set_question)),
        0);
    start_client();
    loop_turns(10);
    expect_recorded("");
    expect_int(asked, 1);
    weir_tls_continue(streams[1]);
    loop_turns(5);
    expect_int(asked, 2);
    expect_recorded("");
    is_answered = true;
    weir_tls_continue(streams[1]);
    loop_turns(10);
    expect_recorded("client server");
    end();
}

static void close_if_ready(void *word, weir_stream *stream, int status)
{
    note(word);
    weir_stream_close(stream, NULL, NULL);
}

static void see_end(void *arg, weir_stream *stream, int status,
                    weir_bytes bytes)
{
    note(status == WEIR_ETRUNCATED ? "truncated" : "other");
}

/* The end of the handshake would carry the client's own certificate. */
CASE(host_that_distrusts_the_peer_sends_nothing_more)
{
    begin();
    expect_status(weir_tls_start(streams[1], tls[1], START(.arg = "server")),
                  0);
    expect_status(weir_stream_read(streams[1], see_end, NULL), 0);
    expect_status(weir_tls_start(streams[0], tls[0],
                                 &(weir_tls_start_options){
                                     .size = sizeof(weir_tls_start_options),
                                     .server_name = "localhost",
                                     .on_ready = close_if_ready,
                                     .arg = "client"}),
                  0);
    loop_turns(10);
    expect_recorded("client failed truncated");
    weir_stream_close(streams[1], NULL, NULL);
    expect_status(weir_stream_pair(streams, loop, NULL), 0);
    end();
}
