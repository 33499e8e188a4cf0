/* SPDX-License-Identifier: MIT */
/*
 * hello -- see hello.h.
 *
 * The callbacks of OpenSSL.  Each finds its engine through the SSL object, so
 * none depends on the context, which the name of the server may replace.
 *
 * The name is examined before anything else in the ClientHello.  OpenSSL's own
 * callback for the name comes too late, because a session may have been resumed
 * by then: a session of one name could be used for another name that requires a
 * client certificate.  Here the id of the chosen configuration is set before
 * that, and a session of another configuration is refused.
 */
#include "tls/hello.h"

#include <errno.h>
#include <string.h>

#include <openssl/x509.h>

#include "tls/engine.h"
#include "weir/host/loop.h"

/* ---- the name of the server ---- */

struct cursor {
    const unsigned char *at;
    size_t left;
};

static bool take_number(struct cursor *cursor, size_t bytes, size_t *number)
{
    if (cursor->left < bytes)
        return false;
    *number = 0;
    for (; bytes > 0; bytes--, cursor->at++, cursor->left--)
        *number = *number << 8 | *cursor->at;
    return true;
}

/* Find the name in a ClientHello.  If it is malformed, there is none; OpenSSL
 * refuses the handshake afterwards. */
static bool find_name(SSL *ssl, const char **name, size_t *size)
{
    struct cursor cursor;
    size_t list, type;

    if (!SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_server_name, &cursor.at,
                                   &cursor.left))
        return false;
    if (!take_number(&cursor, 2, &list) || list != cursor.left ||
        !take_number(&cursor, 1, &type) || type != TLSEXT_NAMETYPE_host_name ||
        !take_number(&cursor, 2, size) || *size != cursor.left)
        return false;
    *name = (const char *)cursor.at;
    return true;
}

/* Use another configuration for this connection.  Its context brings the
 * certificate, the trust and the protocols; the rest is set here. */
static bool switch_config(struct weir__tls_engine *engine, weir_tls *use)
{
    SSL_CTX *context = weir__tls_config_context(use);
    bool is_done = SSL_set_SSL_CTX(engine->ssl, context) != NULL;

    SSL_CTX_free(context);
    if (!is_done ||
        !SSL_set_session_id_context(engine->ssl, use->id, sizeof(use->id)))
        return false;
    SSL_set_verify(engine->ssl, use->verify_mode,
                   SSL_CTX_get_verify_callback(SSL_get_SSL_CTX(engine->ssl)));
    if (!SSL_set_min_proto_version(engine->ssl, use->min_version) ||
        !SSL_set_max_proto_version(engine->ssl, use->max_version))
        return false;
    if (use->has_no_resumption) {
        SSL_set_options(engine->ssl, SSL_OP_NO_TICKET);
        (void)SSL_set_num_tickets(engine->ssl, 0);
    }
    weir_tls_ref(use);
    engine->chosen = use;
    return true;
}

static int refuse(struct weir__tls_engine *engine, int *alert, int as,
                  const char *reason)
{
    *alert = as;
    (void)weir__tls_reason_set(weir__tls_engine_reason(engine), 0, "%s",
                               reason);
    return SSL_CLIENT_HELLO_ERROR;
}

struct choice {
    const struct weir__tls_engine *engine;
    weir_tls *use;
    int status;
};

static void call_choice(void *arg, int status)
{
    struct choice *choice = arg;
    const weir_tls *tls = choice->engine->tls;

    choice->status =
        tls->on_server_name(tls->arg, choice->engine->name, &choice->use);
}

static int choose_config(struct weir__tls_engine *engine, int *alert)
{
    weir_tls *tls = engine->tls, *use;
    struct choice choice = {engine, tls, 0};

    if (tls->on_server_name == NULL)
        return SSL_CLIENT_HELLO_SUCCESS;
    /* weir_raise must not leave OpenSSL in the middle. */
    if (!weir_loop_contain(call_choice, &choice, 0))
        choice.status = WEIR_ECANCELED;
    use = choice.use;
    if (choice.status < 0) {
        *alert = SSL_AD_UNRECOGNIZED_NAME;
        (void)weir__tls_reason_set(weir__tls_engine_reason(engine), 0,
                                   "the name was refused: %s", engine->name);
        return SSL_CLIENT_HELLO_ERROR;
    }
    if (use == tls)
        return SSL_CLIENT_HELLO_SUCCESS;
    if (use == NULL || use->role != WEIR_TLS_SERVER)
        return refuse(engine, alert, SSL_AD_INTERNAL_ERROR,
                      "on_server_name has not chosen a server");
    if (!switch_config(engine, use))
        return refuse(engine, alert, SSL_AD_INTERNAL_ERROR,
                      "the chosen configuration cannot be used");
    return SSL_CLIENT_HELLO_SUCCESS;
}

static int on_client_hello(SSL *ssl, int *alert, void *arg)
{
    struct weir__tls_engine *engine = weir__tls_engine_of(ssl);
    const char *name;
    size_t size;
    int err;

    if (engine->name != NULL || !find_name(ssl, &name, &size))
        return SSL_CLIENT_HELLO_SUCCESS; /* chosen at the first hello, or none */
    err = weir__tls_engine_set_name(engine, name, size);
    if (err == -ENOMEM) {
        engine->pipe.err = -ENOMEM;
        return refuse(engine, alert, SSL_AD_INTERNAL_ERROR, "out of memory");
    }
    if (err != 0)
        return refuse(engine, alert, SSL_AD_UNRECOGNIZED_NAME,
                      "the client asks for something that is not a host name");
    return choose_config(engine, alert);
}

/* Acknowledge a name that was used to choose. */
static int on_name(SSL *ssl, int *alert, void *arg)
{
    const struct weir__tls_engine *engine = weir__tls_engine_of(ssl);

    return engine->name != NULL && engine->tls->on_server_name != NULL
               ? SSL_TLSEXT_ERR_OK
               : SSL_TLSEXT_ERR_NOACK;
}

/* ---- the protocol ---- */

static int on_alpn(SSL *ssl, const unsigned char **chosen, unsigned char *size,
                   const unsigned char *offered, unsigned offered_size,
                   void *arg)
{
    struct weir__tls_engine *engine = weir__tls_engine_of(ssl);
    const struct weir__tls_alpn *list = weir__tls_engine_config(engine)->alpn;
    const char *name;

    if (list == NULL)
        return SSL_TLSEXT_ERR_NOACK;
    name = weir__tls_alpn_choose(list, offered, offered_size);
    if (name == NULL) {
        (void)weir__tls_reason_set(weir__tls_engine_reason(engine), 0,
                                   "the client and the server have no protocol "
                                   "in common (ALPN)");
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    }
    *chosen = (const unsigned char *)name;
    *size = (unsigned char)strlen(name);
    return SSL_TLSEXT_ERR_OK;
}

/* ---- trust ---- */

static void explain(struct weir__tls_engine *engine, int error,
                    X509 *certificate)
{
    struct weir__tls_reason reason = weir__tls_engine_reason(engine);
    const char *text = X509_verify_cert_error_string(error);
    char subject[64] = "";

    if (error == X509_V_ERR_OUT_OF_MEM) {
        engine->pipe.err = -ENOMEM;
        return;
    }
    if (error == X509_V_ERR_HOSTNAME_MISMATCH ||
        error == X509_V_ERR_IP_ADDRESS_MISMATCH) {
        (void)weir__tls_reason_set(reason, 0, "%s: it is not for %s", text,
                                   engine->name);
        return;
    }
    if (certificate != NULL)
        (void)X509_NAME_oneline(X509_get_subject_name(certificate), subject,
                                sizeof(subject));
    (void)weir__tls_reason_set(reason, 0, "%s%s%s", text,
                               subject[0] != '\0' ? ": " : "", subject);
}

static int on_verify(int is_valid, X509_STORE_CTX *store)
{
    SSL *ssl =
        X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    struct weir__tls_engine *engine = weir__tls_engine_of(ssl);

    if (!is_valid && SSL_get_verify_mode(ssl) != SSL_VERIFY_NONE &&
        engine->reason[0] == '\0')
        explain(engine, X509_STORE_CTX_get_error(store),
                X509_STORE_CTX_get_current_cert(store));
    return is_valid;
}

/* ---- sessions ---- */

static int on_ticket(SSL *ssl, unsigned char *name, unsigned char *iv,
                     EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac,
                     int is_encrypting)
{
    /* The tickets of all names are those of the first configuration: which
     * name a ticket is for is known only after it was decrypted. */
    int result = weir__tickets_prepare(&weir__tls_engine_of(ssl)->tls->tickets,
                                       name, iv, cipher, mac, is_encrypting);

    /* A client uses a ticket of TLS 1.3 once, so it needs another one. */
    if (result == 1 && !is_encrypting && SSL_version(ssl) == TLS1_3_VERSION)
        return 2;
    return result;
}

static int on_session(SSL *ssl, SSL_SESSION *session)
{
    struct weir__tls_engine *engine = weir__tls_engine_of(ssl);

    return engine->name != NULL &&
           weir__sessions_put(&engine->tls->sessions, engine->name,
                              engine->port, session);
}

/* ---- the context ---- */

bool weir__tls_hello_set(const weir_tls *tls, SSL_CTX *context)
{
    SSL_CTX_set_verify(context, tls->verify_mode, on_verify);
    if (tls->role == WEIR_TLS_SERVER) {
        SSL_CTX_set_client_hello_cb(context, on_client_hello, NULL);
        SSL_CTX_set_tlsext_servername_callback(context, on_name);
        SSL_CTX_set_alpn_select_cb(context, on_alpn, NULL);
        return SSL_CTX_set_tlsext_ticket_key_evp_cb(context, on_ticket) == 1;
    }
    SSL_CTX_sess_set_new_cb(context, on_session);
    return tls->alpn == NULL ||
           SSL_CTX_set_alpn_protos(context, tls->alpn->wire,
                                   (unsigned)tls->alpn->size) == 0;
}
