/* SPDX-License-Identifier: MIT */
/*
 * engine -- see engine.h.
 *
 * Shape     An SSL object of OpenSSL between two queues of bytes (bio.h).  It
 *           reads what was fed, and what it writes waits for the stream.
 *           OpenSSL's own buffers are released when they are empty, and so are
 *           the queues, so an idle connection keeps no buffer at all.
 * Failure   The first failure is final: status and reason keep it, and every
 *           later call returns it.  The alert that OpenSSL has written for the
 *           peer still waits in the output.
 * Errors    The error queue of the thread is empty before and after each call
 *           of OpenSSL, because other connections and the program share it.
 * Roles     The loop's thread.
 *
 * Tested by  test/net/tls/
 */
#include "tls/engine.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include "tls/config.h"
#include "weir/host/memory.h"

enum {
    RECORD = 16 * 1024, /* the largest plaintext of a record */
    OVERHEAD = 64,      /* header, nonce, type and tag; at most 1.3's 22 */
    WRITE_MOST = 4 * RECORD,
    /* AES-GCM is safe for 2^24.5 full records (RFC 8446, 5.5). */
    RECORDS_OF_A_KEY = 1 << 23,
};

static struct weir__tls_engine *engine_of(struct weir__filter *filter)
{
    return (struct weir__tls_engine *)filter; /* its first member */
}

struct weir__tls_engine *weir__tls_engine_of(const SSL *ssl)
{
    return SSL_get_app_data(ssl);
}

struct weir__tls_reason weir__tls_engine_reason(struct weir__tls_engine *engine)
{
    return (struct weir__tls_reason){engine->reason, sizeof(engine->reason)};
}

weir_tls *weir__tls_engine_config(const struct weir__tls_engine *engine)
{
    return engine->chosen != NULL ? engine->chosen : engine->tls;
}

static bool is_client(const struct weir__tls_engine *engine)
{
    return engine->tls->role == WEIR_TLS_CLIENT;
}

/* ---- failure ---- */

/* Whether the error is that the peer's certificate is bad, or missing. */
static bool is_certificate_error(unsigned long code)
{
    int reason = ERR_GET_REASON(code);

    return ERR_GET_LIB(code) == ERR_LIB_SSL &&
           (reason == SSL_R_CERTIFICATE_VERIFY_FAILED ||
            reason == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE);
}

/* A callback may have written the reason before OpenSSL failed for it. */
static int find_reason(struct weir__tls_engine *engine)
{
    int status =
        is_certificate_error(ERR_peek_error()) ? WEIR_ECERT : WEIR_ETLS;
    struct weir__tls_reason reason = weir__tls_engine_reason(engine);

    if (engine->pipe.err != 0)
        return weir__tls_reason_set(reason, engine->pipe.err, "out of memory");
    if (ERR_peek_error() == 0)
        return engine->reason[0] != '\0'
                   ? status
                   : weir__tls_reason_set(reason, status,
                                          "the connection was broken off");
    if (engine->reason[0] != '\0')
        reason = (struct weir__tls_reason){NULL, 0};
    return weir__tls_reason_take(reason, status, NULL);
}

__attribute__((cold)) static int fail(struct weir__tls_engine *engine)
{
    engine->status = find_reason(engine);
    weir__tls_reason_clear();
    if (!engine->is_ready && is_client(engine) && engine->name != NULL)
        weir__sessions_forget(&engine->tls->sessions, engine->name,
                              engine->port);
    return engine->status;
}

/* The result of a call of OpenSSL that was not successful: 0 if more input is
 * needed, WEIR_EEOF after close_notify, or the failure. */
static int settle(struct weir__tls_engine *engine, int result)
{
    switch (SSL_get_error(engine->ssl, result)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_X509_LOOKUP: /* until weir_tls_continue */
    case SSL_ERROR_WANT_CLIENT_HELLO_CB:
        weir__tls_reason_clear();
        return 0;
    case SSL_ERROR_ZERO_RETURN:
        if (!engine->is_ready) {
            (void)weir__tls_reason_set(weir__tls_engine_reason(engine), 0,
                                       "the peer ended the handshake");
            return fail(engine);
        }
        weir__tls_reason_clear();
        engine->has_ended = true;
        weir__tls_queue_clear(&engine->pipe.in); /* nothing counts after it */
        return WEIR_EEOF;
    default:
        return fail(engine);
    }
}

/* ---- the filter ---- */

static int feed(struct weir__filter *filter, const void *data, size_t size)
{
    struct weir__tls_engine *engine = engine_of(filter);

    if (engine->has_ended || engine->status != 0)
        return 0;
    return weir__tls_queue_append(&engine->pipe.in, data, size);
}

/* A server may have renewed the ticket of TLS 1.2 that was resumed, which
 * OpenSSL does not tell.  Keeping the session again also makes it the newest. */
static void keep_session(struct weir__tls_engine *engine)
{
    SSL_SESSION *session;

    if (!is_client(engine) || engine->name == NULL ||
        SSL_version(engine->ssl) != TLS1_2_VERSION ||
        !SSL_session_reused(engine->ssl))
        return;
    session = SSL_get1_session(engine->ssl);
    if (!weir__sessions_put(&engine->tls->sessions, engine->name, engine->port,
                            session))
        SSL_SESSION_free(session);
}

/* Returns 1 if the handshake is over, otherwise as settle. */
static int continue_handshake(struct weir__tls_engine *engine)
{
    int result;

    if (engine->status != 0)
        return engine->status;
    if (engine->is_ready)
        return 1;
    weir__tls_reason_clear();
    result = SSL_do_handshake(engine->ssl);
    if (result != 1)
        return settle(engine, result);
    engine->is_ready = true;
    keep_session(engine);
    weir__tls_reason_clear();
    return 1;
}

static ssize_t read_bytes(struct weir__filter *filter, void *to, size_t size)
{
    struct weir__tls_engine *engine = engine_of(filter);
    int result = continue_handshake(engine);
    size_t count;

    if (result != 1 || size == 0)
        return result < 0 ? result : 0;
    if (engine->has_ended)
        return WEIR_EEOF;
    weir__tls_reason_clear();
    result = SSL_read_ex(engine->ssl, to, size, &count);
    if (result != 1)
        return settle(engine, result);
    weir__tls_reason_clear();
    return (ssize_t)count;
}

static bool has_input(struct weir__filter *filter)
{
    struct weir__tls_engine *engine = engine_of(filter);

    return weir__tls_queue_bytes(&engine->pipe.in).size > 0 ||
           SSL_has_pending(engine->ssl);
}

static int end_input(struct weir__filter *filter)
{
    struct weir__tls_engine *engine = engine_of(filter);
    const char *when =
        engine->is_ready ? "without close_notify" : "during the handshake";

    if (engine->status != 0)
        return engine->status;
    if (engine->has_ended)
        return WEIR_EEOF;
    engine->status =
        weir__tls_reason_set(weir__tls_engine_reason(engine), WEIR_ETRUNCATED,
                             "the peer closed the connection %s", when);
    return engine->status;
}

/* Replace the key before it has encrypted too much.  TLS 1.2 cannot. */
static void update_key(struct weir__tls_engine *engine)
{
    if (++engine->records < RECORDS_OF_A_KEY)
        return;
    engine->records = 0;
    if (SSL_version(engine->ssl) == TLS1_3_VERSION)
        (void)SSL_key_update(engine->ssl, SSL_KEY_UPDATE_NOT_REQUESTED);
}

/* Write records until `size` bytes are taken. */
static ssize_t write_records(struct weir__tls_engine *engine, const char *from,
                             size_t size)
{
    size_t taken = 0;

    while (taken < size) {
        size_t count;
        int result;

        update_key(engine);
        result = SSL_write_ex(engine->ssl, from + taken, size - taken, &count);
        if (result != 1) {
            int err = settle(engine, result);

            return err < 0 ? err : (ssize_t)taken;
        }
        taken += count;
    }
    weir__tls_reason_clear();
    return (ssize_t)taken;
}

static ssize_t write_bytes(struct weir__filter *filter, const void *from,
                           size_t size)
{
    struct weir__tls_engine *engine = engine_of(filter);
    int result = continue_handshake(engine);

    if (result != 1 || size == 0)
        return result < 0 ? result : 0;
    if (engine->has_shut)
        return -EPIPE;
    if (size > WRITE_MOST)
        size = WRITE_MOST;
    /* Fail before anything is encrypted: then nothing has happened. */
    if (weir__tls_queue_reserve(&engine->pipe.out,
                                size + (size / RECORD + 2) * OVERHEAD) != 0)
        return -ENOMEM;
    weir__tls_reason_clear();
    return write_records(engine, from, size);
}

static int shutdown_output(struct weir__filter *filter)
{
    struct weir__tls_engine *engine = engine_of(filter);
    int result = continue_handshake(engine);

    if (result != 1)
        return result < 0 ? result : -EAGAIN;
    if (engine->has_shut)
        return 0;
    if (weir__tls_queue_reserve(&engine->pipe.out, 2 * OVERHEAD) != 0)
        return -ENOMEM;
    weir__tls_reason_clear();
    result = SSL_shutdown(engine->ssl);
    if (result < 0)
        return fail(engine);
    engine->has_shut = true;
    weir__tls_reason_clear();
    return 0;
}

static weir_bytes get_output(struct weir__filter *filter)
{
    return weir__tls_queue_bytes(&engine_of(filter)->pipe.out);
}

static void drop_output(struct weir__filter *filter, size_t size)
{
    weir__tls_queue_drop(&engine_of(filter)->pipe.out, size);
}

static bool is_ready(struct weir__filter *filter)
{
    return engine_of(filter)->is_ready;
}

static const struct weir__filter filter_functions = {
    .feed = feed,
    .read = read_bytes,
    .has_input = has_input,
    .end = end_input,
    .write = write_bytes,
    .shutdown = shutdown_output,
    .output = get_output,
    .sent = drop_output,
    .is_ready = is_ready,
};

/* ---- names ---- */

static bool is_host_name(const char *name, size_t size)
{
    if (size == 0 || size > WEIR__TLS_NAME)
        return false;
    for (size_t i = 0; i < size; i++)
        if (name[i] <= ' ' || name[i] > '~')
            return false;
    return true;
}

int weir__tls_engine_set_name(struct weir__tls_engine *engine, const char *name,
                              size_t size)
{
    char *copy;

    if (size > 0 && name[size - 1] == '.')
        size--; /* the root, which certificates do not mention */
    if (!is_host_name(name, size))
        return -EINVAL;
    copy = weir_memory_alloc(size + 1);
    if (copy == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < size; i++)
        copy[i] =
            name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] + 32) : name[i];
    copy[size] = '\0';
    engine->name = copy;
    engine->name_size = size + 1;
    return 0;
}

static bool is_ip(const char *name)
{
    struct in6_addr address;

    return inet_pton(AF_INET, name, &address) == 1 ||
           inet_pton(AF_INET6, name, &address) == 1;
}

/* What the certificate must be for.  SNI is for names only (RFC 6066). */
static bool expect_name(struct weir__tls_engine *engine)
{
    X509_VERIFY_PARAM *param = SSL_get0_param(engine->ssl);

    if (is_ip(engine->name))
        return X509_VERIFY_PARAM_set1_ip_asc(param, engine->name) == 1;
    X509_VERIFY_PARAM_set_hostflags(param,
                                    X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return X509_VERIFY_PARAM_set1_host(param, engine->name, 0) == 1 &&
           SSL_set_tlsext_host_name(engine->ssl, engine->name) == 1;
}

const char *weir__tls_engine_alpn(const struct weir__tls_engine *engine)
{
    const struct weir__tls_alpn *list =
        engine->alpn != NULL ? engine->alpn
                             : weir__tls_engine_config(engine)->alpn;
    const unsigned char *name;
    unsigned size;

    SSL_get0_alpn_selected(engine->ssl, &name, &size);
    return size > 0 && list != NULL ? weir__tls_alpn_find(list, name, size)
                                    : NULL;
}

/* ---- making and ending ---- */

static void resume_session(struct weir__tls_engine *engine)
{
    SSL_SESSION *session =
        weir__sessions_take(&engine->tls->sessions, engine->name, engine->port);

    if (session == NULL)
        return;
    (void)SSL_set_session(engine->ssl, session); /* or a full handshake */
    SSL_SESSION_free(session);
}

static bool prepare_client(struct weir__tls_engine *engine)
{
    /* 0 is success here. */
    if (engine->alpn != NULL &&
        SSL_set_alpn_protos(engine->ssl, engine->alpn->wire,
                            (unsigned)engine->alpn->size) != 0)
        return false;
    SSL_set_connect_state(engine->ssl);
    if (engine->name == NULL)
        return true;
    if (!expect_name(engine))
        return false;
    resume_session(engine);
    return true;
}

static bool make_ssl(struct weir__tls_engine *engine)
{
    SSL_CTX *context = weir__tls_config_context(engine->tls);
    BIO *bio;

    engine->ssl = SSL_new(context);
    SSL_CTX_free(context);
    if (engine->ssl == NULL || !SSL_set_app_data(engine->ssl, engine))
        return false;
    bio = weir__tls_bio_new(engine->tls->bio, &engine->pipe);
    if (bio == NULL)
        return false;
    SSL_set_bio(engine->ssl, bio, bio);
    if (is_client(engine))
        return prepare_client(engine);
    SSL_set_accept_state(engine->ssl);
    return true;
}

static int check_start(const weir_tls *tls, const struct weir__tls_start *start)
{
    if (tls->role == WEIR_TLS_SERVER)
        return start->server_name != NULL || start->alpn != NULL ? -EINVAL : 0;
    return start->server_name == NULL && tls->verify_mode != SSL_VERIFY_NONE
               ? -EINVAL
               : 0;
}

int weir__tls_engine_init(struct weir__tls_engine *engine, weir_tls *tls,
                          const struct weir__tls_start *start)
{
    int err = check_start(tls, start);

    if (err != 0)
        return err;
    memset(engine, 0, sizeof(*engine));
    engine->filter = filter_functions;
    engine->tls = tls;
    engine->port = start->port;
    weir_tls_ref(tls);
    if (start->server_name != NULL)
        err = weir__tls_engine_set_name(engine, start->server_name,
                                        strlen(start->server_name));
    if (err == 0)
        err = weir__tls_alpn_parse(&engine->alpn, start->alpn);
    weir__tls_reason_clear();
    if (err == 0 && !make_ssl(engine))
        err = weir__tls_reason_take(weir__tls_engine_reason(engine), WEIR_ETLS,
                                    NULL);
    if (err == 0 && start->received.size > 0)
        err = weir__tls_queue_append(&engine->pipe.in, start->received.data,
                                     start->received.size);
    if (err == 0 && start->on_connection != NULL)
        err = start->on_connection(start->arg, engine->ssl);
    weir__tls_reason_clear();
    if (err != 0)
        weir__tls_engine_fini(engine);
    return err;
}

void weir__tls_engine_fini(struct weir__tls_engine *engine)
{
    /* OpenSSL would make the session of a connection unusable that was closed
     * without close_notify.  That is no reason not to resume it. */
    if (engine->ssl != NULL && engine->is_ready &&
        (engine->status == 0 || engine->status == WEIR_ETRUNCATED))
        SSL_set_shutdown(engine->ssl,
                         SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    SSL_free(engine->ssl);
    weir__tls_reason_clear();
    weir__tls_queue_clear(&engine->pipe.in);
    weir__tls_queue_clear(&engine->pipe.out);
    weir__tls_alpn_free(engine->alpn);
    weir_memory_free(engine->name, engine->name_size);
    weir_tls_unref(engine->chosen);
    weir_tls_unref(engine->tls);
}
