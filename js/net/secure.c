/* SPDX-License-Identifier: MIT */
/*
 * secure -- TLS on a handle, with the callbacks of OpenSSL that Node's API needs.
 *
 * Data      A block for each connection, found through its SSL object.  One that
 *           node:https accepts has none unless its program asks (adoptTls).
 * Owner     The SSL object, which frees it; it holds the handle's block.
 * Thread    The loop's.
 *
 * OpenSSL calls back in the middle of a handshake, when the stream must not be
 * used.  So no JavaScript runs there: news (keys for a log, sessions) is
 * delivered at the next checkpoint, and a question (which certificate for this
 * name, which protocol) suspends the handshake at the ClientHello until
 * continueTls().
 *
 * Tested by  test/js/net/tls-*.js, test/js/http/secure.c
 */
#include "net/secure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>

#include "bytes/bytes.h"
#include "core/builtin.h"
#include "core/context.h"
#include "core/entry.h"
#include "core/error.h"
#include "core/pending_call.h"
#include "core/property.h"
#include "net/buffer.h"
#include "net/handle.h"
#include "net/secure_context.h"

enum asked { NOT_ASKED, WAITS, ANSWERED, REFUSED };

struct secure {
    struct weir__js_handle *handle; /* counted */
    uint8_t asked;                  /* enum asked; server */
    int alert;                      /* that the peer has sent, or 0 */
    bool wants_name, wants_alpn;    /* server: ask at the ClientHello */
    bool wants_end;                 /* of the handshake: tell it */
    unsigned char *alpn;            /* the list of protocols, or the choice */
    size_t alpn_size;
    SSL_CTX *chosen; /* for the name; set when the handshake continues */
};

/* ---- the block of an SSL object ---- */

static void free_secure(void *parent, void *pointer, CRYPTO_EX_DATA *data,
                        int index, long number, void *arg)
{
    struct secure *secure = pointer;

    if (secure == NULL)
        return;
    SSL_CTX_free(secure->chosen);
    free(secure->alpn);
    weir__js_handle_unref(secure->handle);
    free(secure);
}

/* Which of OpenSSL's slots has it: the same in all threads of the process. */
static CRYPTO_ONCE once = CRYPTO_ONCE_STATIC_INIT;
static int slot = -1;

static void find_slot(void)
{
    slot = SSL_get_ex_new_index(0, NULL, NULL, NULL, free_secure);
}

static int secure_index(void)
{
    (void)CRYPTO_THREAD_run_once(&once, find_slot);
    return slot;
}

static struct secure *secure_of(const SSL *ssl)
{
    return SSL_get_ex_data(ssl, secure_index());
}

static void run_event(void *arg, int status)
{
    struct weir__js_pending_call *pending = arg;

    if (status == 0)
        weir__js_pending_call_run(pending);
    weir__js_pending_call_free(pending);
}

/* Call the EVENT hook at the next checkpoint: (owner, kind, value).  Takes the
 * value.  Without memory the news is lost. */
static void tell_later(struct weir__js_handle *handle, const char *kind,
                       JSValue value)
{
    weir_js *js = handle->js;
    JSContext *context = js->context;
    JSValue args[] = {JS_DupValue(context, handle->owner),
                      JS_NewString(context, kind), value};
    JSValue before =
        weir__js_context_swap(js, JS_DupValue(context, handle->context));
    bool is_sent = !JS_IsException(args[1]) && !JS_IsException(value) &&
                   weir__js_pending_call_send(
                       context,
                       weir__js_pending_call_new(js, weir__js_handle_event(js),
                                                 3, (JSValueConst *)args),
                       weir_loop_next_tick, run_event);

    JS_FreeValue(context, weir__js_context_swap(js, before));
    if (!is_sent)
        JS_FreeValue(context, JS_GetException(context));
    handle->has_news |= is_sent;
    for (int i = 0; i < 3; i++)
        JS_FreeValue(context, args[i]);
}

/* The stream of a handle, which may be lent; or NULL. */
static weir_stream *stream_of(const struct weir__js_handle *handle)
{
    return handle->stream != NULL ? handle->stream : handle->lent;
}

/* ---- news ---- */

static void on_keylog(const SSL *ssl, const char *line)
{
    struct secure *secure = secure_of(ssl);
    size_t size = strlen(line);
    weir_js *js;
    char *text;

    if (secure == NULL)
        return;
    js = secure->handle->js;
    if (weir__js_enter(js) != 0)
        return;
    text = malloc(size + 1);
    if (text != NULL) {
        memcpy(text, line, size);
        text[size] = '\n';
        tell_later(secure->handle, "keylog",
                   weir__js_new_buffer(js->context, text, size + 1));
    }
    free(text);
    weir__js_leave(js);
}

/* A session as bytes, or undefined. */
static JSValue session_bytes(JSContext *context, SSL_SESSION *session)
{
    unsigned char *bytes = NULL;
    int size = session != NULL ? i2d_SSL_SESSION(session, &bytes) : 0;
    JSValue buffer = size > 0
                         ? weir__js_new_buffer(context, bytes, (size_t)size)
                         : JS_UNDEFINED;

    OPENSSL_free(bytes);
    return buffer;
}

static int on_session(SSL *ssl, SSL_SESSION *session)
{
    struct secure *secure = secure_of(ssl);
    weir_js *js;

    if (SSL_is_server(ssl) || secure == NULL)
        return 0;
    js = secure->handle->js;
    if (weir__js_enter(js) != 0)
        return 0;
    tell_later(secure->handle, "session", session_bytes(js->context, session));
    weir__js_leave(js);
    return 0; /* no reference was taken */
}

/* ---- questions ---- */

static size_t take(const unsigned char **at, size_t *left, int bytes)
{
    size_t number = 0;

    if (*left < (size_t)bytes) {
        *left = 0;
        return 0;
    }
    for (; bytes > 0; bytes--, (*left)--)
        number = number << 8 | *(*at)++;
    return number;
}

/* The name that a ClientHello asks for, or undefined. */
static JSValue hello_name(JSContext *context, SSL *ssl)
{
    const unsigned char *at;
    size_t left, size;

    if (!SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_server_name, &at, &left))
        return JS_UNDEFINED;
    (void)take(&at, &left, 2);
    if (take(&at, &left, 1) != TLSEXT_NAMETYPE_host_name)
        return JS_UNDEFINED;
    size = take(&at, &left, 2);
    return size > 0 && size <= left
               ? JS_NewStringLen(context, (const char *)at, size)
               : JS_UNDEFINED;
}

/* The protocols that it offers, as on the wire, or undefined. */
static JSValue hello_alpn(JSContext *context, SSL *ssl)
{
    const unsigned char *at;
    size_t left;

    if (!SSL_client_hello_get0_ext(
            ssl, TLSEXT_TYPE_application_layer_protocol_negotiation, &at,
            &left))
        return JS_UNDEFINED;
    (void)take(&at, &left, 2);
    return weir__js_new_buffer(context, at, left);
}

static bool use_chosen(SSL *ssl, struct secure *secure)
{
    return secure->chosen == NULL ||
           weir__js_secure_replace(ssl, secure->chosen);
}

static int on_hello(SSL *ssl, int *alert, void *arg)
{
    struct secure *secure = secure_of(ssl);
    weir_js *js;
    JSValue name, alpn, question;

    *alert = SSL_AD_INTERNAL_ERROR;
    if (secure == NULL)
        return SSL_CLIENT_HELLO_SUCCESS;
    js = secure->handle->js;
    if (secure->asked == ANSWERED || secure->asked == REFUSED)
        return use_chosen(ssl, secure) ? SSL_CLIENT_HELLO_SUCCESS
                                       : SSL_CLIENT_HELLO_ERROR;
    if (secure->asked == WAITS)
        return SSL_CLIENT_HELLO_RETRY;
    if (weir__js_enter(js) != 0)
        return SSL_CLIENT_HELLO_ERROR;
    name = hello_name(js->context, ssl);
    alpn = secure->wants_alpn ? hello_alpn(js->context, ssl) : JS_UNDEFINED;
    if ((JS_IsUndefined(name) || !secure->wants_name) && JS_IsUndefined(alpn)) {
        JS_FreeValue(js->context, name);
        weir__js_leave(js);
        return SSL_CLIENT_HELLO_SUCCESS;
    }
    secure->asked = WAITS;
    question = weir__js_new_array(js->context, 2, (JSValue[]){name, alpn});
    tell_later(secure->handle, "hello", question);
    weir__js_leave(js);
    return SSL_CLIENT_HELLO_RETRY;
}

/* What a server chooses among the protocols that a client offers. */
static int select_alpn(const unsigned char **chosen, unsigned char *size,
                       const unsigned char *supported, size_t supported_size,
                       const unsigned char *offered, unsigned offered_size)
{
    unsigned char *found;

    if (SSL_select_next_proto(&found, size, supported, (unsigned)supported_size,
                              offered, offered_size) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *chosen = found;
    return SSL_TLSEXT_ERR_OK;
}

static int on_alpn(SSL *ssl, const unsigned char **chosen, unsigned char *size,
                   const unsigned char *offered, unsigned offered_size,
                   void *arg)
{
    static const unsigned char http[] = "\x08http/1.1";
    struct secure *secure = secure_of(ssl);

    if (secure == NULL)
        return select_alpn(chosen, size, http, sizeof(http) - 1, offered,
                           offered_size);
    if (secure->asked == REFUSED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    if (secure->alpn == NULL)
        return secure->wants_alpn ? SSL_TLSEXT_ERR_ALERT_FATAL
                                  : SSL_TLSEXT_ERR_NOACK;
    return select_alpn(chosen, size, secure->alpn, secure->alpn_size, offered,
                       offered_size);
}

static void on_info(const SSL *ssl, int where, int value)
{
    struct secure *secure = secure_of(ssl);
    weir_js *js = secure->handle->js;

    if ((where & SSL_CB_READ_ALERT) == SSL_CB_READ_ALERT &&
        (value >> 8) == SSL3_AL_FATAL)
        secure->alert = value & 0xFF;
    if ((where & SSL_CB_HANDSHAKE_DONE) == 0 || !secure->wants_end ||
        weir__js_enter(js) != 0)
        return;
    secure->wants_end = false;
    tell_later(secure->handle, "secured", JS_UNDEFINED);
    weir__js_leave(js);
}

/* OpenSSL's name of the alert that has ended a connection, or NULL. */
static const char *alert_reason(const SSL *ssl)
{
    const struct secure *secure = ssl != NULL ? secure_of(ssl) : NULL;

    if (secure == NULL || secure->alert == 0)
        return NULL;
    return ERR_reason_error_string(
        ERR_PACK(ERR_LIB_SSL, 0, SSL_AD_REASON_OFFSET + secure->alert));
}

/* As in Node, JavaScript decides after the handshake. */
static int on_verify(int is_valid, X509_STORE_CTX *store)
{
    return 1;
}

/* ---- starting ---- */

/* The arguments of startTls and adoptTls. */
struct start {
    struct weir__js_handle *handle;
    bool is_server, wants_name, wants_alpn, wants_end, has_keylog;
    int32_t verify_mode;
    const char *name; /* client: SNI; or NULL */
    struct weir__js_bytes alpn, session;
};

static struct secure *new_secure(const struct start *start)
{
    struct secure *secure = calloc(1, sizeof(*secure));

    if (secure == NULL)
        return NULL;
    if (start->alpn.size > 0) {
        secure->alpn = malloc(start->alpn.size);
        if (secure->alpn == NULL) {
            free(secure);
            return NULL;
        }
        memcpy(secure->alpn, start->alpn.data, start->alpn.size);
        secure->alpn_size = start->alpn.size;
    }
    secure->wants_name = start->wants_name;
    secure->wants_alpn = start->wants_alpn;
    secure->wants_end = start->wants_end;
    secure->handle = start->handle;
    secure->handle->refs++;
    return secure;
}

/* A session that OpenSSL does not understand is ignored, as in Node. */
static void resume(SSL *ssl, const struct start *start)
{
    const unsigned char *at = start->session.data;
    SSL_SESSION *session =
        start->session.size > 0
            ? d2i_SSL_SESSION(NULL, &at, (long)start->session.size)
            : NULL;

    if (session != NULL)
        (void)SSL_set_session(ssl, session);
    SSL_SESSION_free(session);
    ERR_clear_error();
}

/* The callbacks of a context are the same for all of its connections. */
static void set_callbacks(SSL_CTX *context, const struct start *start)
{
    if (start->is_server) {
        SSL_CTX_set_client_hello_cb(context, on_hello, NULL);
        SSL_CTX_set_alpn_select_cb(context, on_alpn, NULL);
    }
    SSL_CTX_sess_set_new_cb(context, on_session);
    if (start->has_keylog)
        SSL_CTX_set_keylog_callback(context, on_keylog);
}

/* Give an SSL object its block; NULL if there is no memory. */
static struct secure *set_secure(SSL *ssl, const struct start *start)
{
    struct secure *secure = new_secure(start);

    if (secure != NULL && SSL_set_ex_data(ssl, secure_index(), secure) != 1) {
        free_secure(NULL, secure, NULL, 0, 0, NULL);
        return NULL;
    }
    if (secure != NULL)
        SSL_set_info_callback(ssl, on_info);
    return secure;
}

static int on_connection(void *arg, void *object)
{
    const struct start *start = ((struct weir__js_handle *)arg)->starting;
    SSL *ssl = object;
    struct secure *secure = set_secure(ssl, start);

    if (secure == NULL)
        return -ENOMEM;
    SSL_set_verify(ssl, start->verify_mode, on_verify);
    if (start->is_server)
        return 0;
    if (start->alpn.size > 0 &&
        SSL_set_alpn_protos(ssl, secure->alpn, (unsigned)secure->alpn_size) !=
            0)
        return -ENOMEM;
    if (start->name != NULL && SSL_set_tlsext_host_name(ssl, start->name) != 1)
        return -EINVAL;
    resume(ssl, start);
    return 0;
}

/* Why TLS has failed on a stream. */
static JSValue reason_of(JSContext *context, const weir_stream *stream)
{
    const char *alert = alert_reason(weir_tls_ssl(stream));
    const char *reason = alert != NULL ? alert : weir_tls_reason(stream);

    return JS_NewString(context, reason != NULL ? reason : "");
}

static void on_ready(void *arg, weir_stream *stream, int status)
{
    struct weir__js_handle *handle = arg;
    weir_js *js = handle->js;
    JSValue args[2];

    weir__js_handle_tell_news(handle);
    if (handle->stream == NULL || weir__js_enter(js) != 0)
        return;
    args[0] = JS_NewInt32(js->context, weir__js_net_status(status));
    args[1] = reason_of(js->context, stream);
    weir__js_handle_tell(handle, WEIR__HANDLE_SECURED, 2, (JSValueConst *)args);
    JS_FreeValue(js->context, args[1]);
    weir__js_net_leave(js);
}

static int read_bytes(JSContext *context, JSValueConst value,
                      struct weir__js_bytes *bytes)
{
    *bytes = (struct weir__js_bytes){0};
    return JS_IsUndefined(value) ? 0 : weir__js_bytes(context, value, bytes);
}

static int start_tls(struct start *start, weir_tls *tls,
                     struct weir__js_bytes received)
{
    weir_tls_start_options options = {
        .size = sizeof(options),
        .timeout_ns = WEIR_TLS_NO_TIMEOUT,
        .on_ready = on_ready,
        .arg = start->handle,
        .received = {received.data, received.size},
        .on_connection = on_connection,
    };
    int err;

    weir_stream_stop(start->handle->stream);
    start->handle->is_reading = start->handle->has_reader = false;
    start->handle->starting = start;
    err = weir_tls_start(start->handle->stream, tls, &options);
    start->handle->starting = NULL;
    return err;
}

/* startTls(handle, context, isServer, verifyMode, name, alpn, session, wantsName,
 * wantsAlpn, hasKeylog, received): 0 or an error */
static JSValue start(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    struct start made = {.handle = weir__js_handle_of(context, argv[0])};
    struct weir__js_bytes received;
    weir_tls *tls;
    int err;

    if (made.handle == NULL || JS_ToInt32(context, &made.verify_mode, argv[3]))
        return JS_EXCEPTION;
    if (made.handle->stream == NULL)
        return JS_NewInt32(context, -ENOTCONN);
    made.is_server = JS_ToBool(context, argv[2]) > 0;
    made.wants_name = JS_ToBool(context, argv[7]) > 0;
    made.wants_alpn = JS_ToBool(context, argv[8]) > 0;
    made.has_keylog = JS_ToBool(context, argv[9]) > 0;
    tls = weir__js_secure_context_tls(
        context, argv[1], made.is_server ? WEIR_TLS_SERVER : WEIR_TLS_CLIENT);
    if (tls == NULL || read_bytes(context, argv[5], &made.alpn) < 0 ||
        read_bytes(context, argv[6], &made.session) < 0 ||
        read_bytes(context, argv[10], &received) < 0)
        return JS_EXCEPTION;
    if (!JS_IsUndefined(argv[4])) {
        made.name = JS_ToCString(context, argv[4]);
        if (made.name == NULL)
            return JS_EXCEPTION;
    }
    set_callbacks(weir__js_secure_context_of(context, argv[1]), &made);
    err = start_tls(&made, tls, received);
    if (made.name != NULL)
        JS_FreeCString(context, made.name);
    return JS_NewInt32(context, weir__js_net_status(err));
}

weir_tls *weir__js_secure_serve(JSContext *context, JSValueConst value,
                                int verify_mode)
{
    weir_tls *tls =
        weir__js_secure_context_tls(context, value, WEIR_TLS_SERVER);
    SSL_CTX *made;

    if (tls == NULL)
        return NULL;
    made = weir__js_secure_context_of(context, value);
    set_callbacks(made, &(struct start){.is_server = true, .has_keylog = true});
    SSL_CTX_set_verify(
        made, verify_mode,
        verify_mode & SSL_VERIFY_FAIL_IF_NO_PEER_CERT ? NULL : on_verify);
    return tls;
}

bool weir__js_secure_replace(SSL *ssl, SSL_CTX *chosen)
{
    if (SSL_get_SSL_CTX(ssl) == chosen)
        return true;
    if (SSL_set_SSL_CTX(ssl, chosen) == NULL ||
        SSL_set1_verify_cert_store(ssl, SSL_CTX_get_cert_store(chosen)) != 1)
        return false;
    SSL_set_options(ssl, SSL_CTX_get_options(chosen));
    return true;
}

/* adoptTls(handle, alpn, wantsName, wantsAlpn, wantsEnd): call the owner of a
 * handle that is lent.  Its handshake has not begun. */
static JSValue adopt(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    SSL *ssl = weir__js_secure_ssl(context, argv[0]);
    struct start made = {.is_server = true};

    if (ssl == NULL)
        return JS_HasException(context) ? JS_EXCEPTION : JS_UNDEFINED;
    if (read_bytes(context, argv[1], &made.alpn) < 0)
        return JS_EXCEPTION;
    made.handle = weir__js_handle_of(context, argv[0]);
    made.wants_name = JS_ToBool(context, argv[2]) > 0;
    made.wants_alpn = JS_ToBool(context, argv[3]) > 0;
    made.wants_end = JS_ToBool(context, argv[4]) > 0;
    if (secure_of(ssl) == NULL && set_secure(ssl, &made) == NULL)
        return JS_ThrowOutOfMemory(context);
    return JS_UNDEFINED;
}

SSL *weir__js_secure_ssl(JSContext *context, JSValueConst value)
{
    struct weir__js_handle *handle = weir__js_handle_of(context, value);

    return handle != NULL && stream_of(handle) != NULL
               ? weir_tls_ssl(stream_of(handle))
               : NULL;
}

/* continueTls(handle, context or undefined, alpn or undefined, isRefused) */
static JSValue go_on(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    SSL *ssl = weir__js_secure_ssl(context, argv[0]);
    struct secure *secure = ssl != NULL ? secure_of(ssl) : NULL;
    struct weir__js_bytes alpn;
    SSL_CTX *chosen = NULL;
    unsigned char *copy = NULL;

    if (JS_HasException(context) || read_bytes(context, argv[2], &alpn) < 0)
        return JS_EXCEPTION;
    if (!JS_IsUndefined(argv[1]) &&
        (chosen = weir__js_secure_context_of(context, argv[1])) == NULL)
        return JS_EXCEPTION;
    if (secure == NULL || secure->asked != WAITS)
        return JS_UNDEFINED;
    if (alpn.size > 0) {
        copy = malloc(alpn.size);
        if (copy == NULL)
            return JS_ThrowOutOfMemory(context);
        memcpy(copy, alpn.data, alpn.size);
        free(secure->alpn);
        secure->alpn = copy;
        secure->alpn_size = alpn.size;
    }
    secure->asked = JS_ToBool(context, argv[3]) > 0 ? REFUSED : ANSWERED;
    if (chosen != NULL && SSL_CTX_up_ref(chosen) == 1) {
        set_callbacks(chosen, &(struct start){.is_server = true});
        secure->chosen = chosen;
    }
    weir_tls_continue(stream_of(weir__js_handle_of(context, argv[0])));
    return JS_UNDEFINED;
}

/* getSession(handle) */
static JSValue get_session(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    SSL *ssl = weir__js_secure_ssl(context, argv[0]);

    if (JS_HasException(context))
        return JS_EXCEPTION;
    return ssl != NULL ? session_bytes(context, SSL_get_session(ssl))
                       : JS_UNDEFINED;
}

/* failure(handle): why reading has failed */
static JSValue get_failure(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct weir__js_handle *handle = weir__js_handle_of(context, argv[0]);

    if (handle == NULL)
        return JS_EXCEPTION;
    return handle->stream != NULL ? reason_of(context, handle->stream)
                                  : JS_NewString(context, "");
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("startTls", 11, start),
    JS_CFUNC_DEF("adoptTls", 5, adopt),
    JS_CFUNC_DEF("failure", 1, get_failure),
    JS_CFUNC_DEF("continueTls", 4, go_on),
    JS_CFUNC_DEF("getSession", 1, get_session),
};

const struct weir__js_builtin weir__js_secure_builtin = {
    WEIR__JS_LIBS("net/tlssocket"),
    WEIR__JS_NATIVES(natives),
};
