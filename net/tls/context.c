/* SPDX-License-Identifier: MIT */
/*
 * context -- making a configuration, and replacing its certificate.
 *
 * A reload builds a complete SSL_CTX before anything changes, so a bad
 * certificate has no effect.  Two threads that reload at once both succeed, and
 * the last one to replace the pointer wins.
 */
#include <errno.h>
#include <string.h>

#include <openssl/rand.h>

#include "tls/bio.h"
#include "tls/config.h"
#include "tls/hello.h"
#include "weir/clock.h"
#include "weir/host/memory.h"
#include "weir/host/sized.h"

enum { SECURITY_LEVEL = 2, SESSIONS_MOST = 65536 };

#define ROTATION_LEAST_NS WEIR_S(1)
#define ROTATION_MOST_NS WEIR_S(7 * 24 * 3600)

/* Of TLS 1.2: only with forward secrecy and authenticated encryption.  All of
 * TLS 1.3's are. */
#define CIPHERS "ECDHE+AESGCM:ECDHE+CHACHA20"

/* ---- OpenSSL's context ---- */

static void set_modes(SSL_CTX *context)
{
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS |
                                  SSL_MODE_ENABLE_PARTIAL_WRITE |
                                  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

static bool set_protocol(const weir_tls *tls, SSL_CTX *context)
{
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION |
                                     SSL_OP_NO_COMPRESSION |
                                     SSL_OP_CIPHER_SERVER_PREFERENCE |
                                     SSL_OP_PRIORITIZE_CHACHA);
    SSL_CTX_clear_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF);
    set_modes(context);
    if (SSL_CTX_get_security_level(context) < SECURITY_LEVEL)
        SSL_CTX_set_security_level(context, SECURITY_LEVEL);
    return SSL_CTX_set_cipher_list(context, CIPHERS) == 1 &&
           SSL_CTX_set_min_proto_version(context, tls->min_version) == 1 &&
           SSL_CTX_set_max_proto_version(context, tls->max_version) == 1;
}

/* A server keeps nothing: its sessions are in the tickets of its clients.  A
 * client has its own store. */
static bool set_sessions(const weir_tls *tls, SSL_CTX *context)
{
    bool is_client = tls->role == WEIR_TLS_CLIENT;

    SSL_CTX_set_session_cache_mode(context, is_client && !tls->has_no_resumption
                                                ? SSL_SESS_CACHE_CLIENT |
                                                      SSL_SESS_CACHE_NO_INTERNAL
                                                : SSL_SESS_CACHE_OFF);
    if (tls->has_no_resumption) {
        SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
        if (!is_client && !SSL_CTX_set_num_tickets(context, 0))
            return false;
    }
    if (is_client)
        return true;
    SSL_CTX_set_timeout(context, (long)(tls->tickets.rotation_ns / WEIR_S(1)));
    return SSL_CTX_set_session_id_context(context, tls->id, sizeof(tls->id)) ==
           1;
}

static int make_context(const weir_tls *tls,
                        const weir_tls_certificate *certificate,
                        SSL_CTX **context, struct weir__tls_reason reason)
{
    SSL_CTX *made;
    int err = 0;

    weir__tls_reason_clear();
    made = SSL_CTX_new(tls->role == WEIR_TLS_SERVER ? TLS_server_method()
                                                    : TLS_client_method());
    if (made == NULL || !set_protocol(tls, made) || !set_sessions(tls, made) ||
        !weir__tls_trust_use(&tls->trust, made) ||
        !weir__tls_hello_set(tls, made))
        err = weir__tls_reason_take(reason, WEIR_ETLS, NULL);
    if (err == 0 && certificate != NULL)
        err = weir__tls_credentials_use(made, certificate, reason);
    weir__tls_reason_clear();
    if (err != 0) {
        SSL_CTX_free(made);
        return err;
    }
    *context = made;
    return 0;
}

/* ---- options ---- */

static bool is_version(weir_tls_version version)
{
    return version == WEIR_TLS_ANY || version == WEIR_TLS_1_2 ||
           version == WEIR_TLS_1_3;
}

/* Whether the options have nothing but a context. */
static bool is_alone(const weir_tls_options *options)
{
    return options->certificate == NULL && options->alpn == NULL &&
           options->min_version == 0 && options->max_version == 0 &&
           options->ca_file == NULL && options->ca_dir == NULL &&
           options->ca.size == 0 && options->clients == 0 &&
           !options->insecure_accept_any_certificate &&
           !options->has_no_resumption && options->ticket_rotation_ns == 0 &&
           options->sessions == 0 && options->on_server_name == NULL;
}

static const char *find_mistake(weir_tls_role role,
                                const weir_tls_options *options)
{
    int64_t rotation_ns = options->ticket_rotation_ns;

    if (role != WEIR_TLS_CLIENT && role != WEIR_TLS_SERVER)
        return "the role is neither a client nor a server";
    if (options->context != NULL)
        return is_alone(options) ? NULL : "context excludes other options";
    if (role == WEIR_TLS_SERVER && options->certificate == NULL)
        return "a server needs a certificate";
    if (!is_version(options->min_version) ||
        !is_version(options->max_version) ||
        (options->max_version != WEIR_TLS_ANY &&
         options->min_version > options->max_version))
        return "the versions are not valid";
    if (options->clients > WEIR_TLS_CLIENTS_REQUIRE)
        return "clients is not valid";
    if (rotation_ns != 0 &&
        (rotation_ns < ROTATION_LEAST_NS || rotation_ns > ROTATION_MOST_NS))
        return "ticket_rotation_ns is out of range";
    if (options->sessions > SESSIONS_MOST)
        return "sessions is out of range";
    if (options->ca.size > 0 && options->ca.data == NULL)
        return "ca is not valid";
    return NULL;
}

/* Members for the other role would be ignored: that is never meant. */
static const char *find_stranger(weir_tls_role role,
                                 const weir_tls_options *options)
{
    if (role == WEIR_TLS_SERVER &&
        (options->insecure_accept_any_certificate || options->sessions != 0))
        return "an option is for clients only";
    if (role == WEIR_TLS_CLIENT &&
        (options->clients != 0 || options->ticket_rotation_ns != 0 ||
         options->on_server_name != NULL))
        return "an option is for servers only";
    return NULL;
}

static int read_options(weir_tls_options *options,
                        weir_tls_certificate *certificate, weir_tls_role role,
                        const weir_tls_options *given,
                        struct weir__tls_reason reason)
{
    int err = weir_sized_read(options, sizeof(*options), given);
    const char *mistake;

    if (err != 0)
        return weir__tls_reason_set(reason, err, "the options are not valid");
    mistake = find_mistake(role, options);
    if (mistake == NULL)
        mistake = find_stranger(role, options);
    if (mistake != NULL)
        return weir__tls_reason_set(reason, -EINVAL, "%s", mistake);
    if (options->certificate == NULL)
        return 0;
    err = weir__tls_credentials_read(certificate, options->certificate);
    if (err != 0)
        return weir__tls_reason_set(reason, err,
                                    "the certificate or its key is not given "
                                    "exactly once");
    return 0;
}

/* ---- a configuration ---- */

static int verify_mode(weir_tls_role role, const weir_tls_options *options)
{
    static const int modes[] = {
        [WEIR_TLS_CLIENTS_UNASKED] = SSL_VERIFY_NONE,
        [WEIR_TLS_CLIENTS_REQUEST] = SSL_VERIFY_PEER,
        [WEIR_TLS_CLIENTS_REQUIRE] =
            SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
    };

    if (role == WEIR_TLS_SERVER)
        return modes[options->clients];
    return options->insecure_accept_any_certificate ? SSL_VERIFY_NONE
                                                    : SSL_VERIFY_PEER;
}

static void set_members(weir_tls *tls, weir_tls_role role,
                        const weir_tls_options *options)
{
    tls->refs = 1;
    tls->role = role;
    tls->min_version =
        options->min_version == WEIR_TLS_1_3 ? TLS1_3_VERSION : TLS1_2_VERSION;
    tls->max_version =
        options->max_version == WEIR_TLS_1_2 ? TLS1_2_VERSION : TLS1_3_VERSION;
    tls->verify_mode =
        options->context != NULL ? SSL_VERIFY_NONE : verify_mode(role, options);
    tls->has_no_resumption = options->has_no_resumption;
    tls->is_hosted = options->context != NULL;
    tls->on_server_name = options->on_server_name;
    tls->arg = options->arg;
    if (role == WEIR_TLS_CLIENT && !tls->has_no_resumption)
        tls->sessions.capacity =
            options->sessions != 0 ? options->sessions : WEIR_TLS_SESSIONS;
}

/* What only OpenSSL can fail at. */
static bool set_parts(weir_tls *tls, const weir_tls_options *options)
{
    int64_t rotation_ns = options->ticket_rotation_ns;

    if (rotation_ns == 0)
        rotation_ns = WEIR_TLS_TICKET_ROTATION_NS;
    tls->bio = weir__tls_bio_methods();
    return tls->bio != NULL && RAND_bytes(tls->id, sizeof(tls->id)) == 1 &&
           weir__tickets_init(&tls->tickets, rotation_ns);
}

static int fill(weir_tls *tls, const weir_tls_options *options,
                const weir_tls_certificate *certificate,
                struct weir__tls_reason reason)
{
    int err = weir__tls_alpn_parse(&tls->alpn, options->alpn);

    if (err == -EINVAL)
        return weir__tls_reason_set(reason, err, "alpn is not valid");
    if (err == 0 && certificate != NULL)
        err = weir__tls_source_new(&tls->source, certificate);
    if (err != 0)
        return weir__tls_reason_set(reason, err, "out of memory");
    weir__tls_reason_clear();
    if (!set_parts(tls, options))
        return weir__tls_reason_take(reason, WEIR_ETLS, NULL);
    if (options->context != NULL) {
        tls->context = options->context;
        SSL_CTX_up_ref(tls->context);
        set_modes(tls->context);
        return 0;
    }
    err = weir__tls_trust_init(&tls->trust, tls->role, options, reason);
    if (err == 0)
        err = make_context(tls, certificate, &tls->context, reason);
    return err;
}

int weir_tls_new(weir_tls **tls, weir_tls_role role,
                 const weir_tls_options *given, char *text, size_t text_size)
{
    struct weir__tls_reason reason = {text, text != NULL ? text_size : 0};
    weir_tls_certificate certificate;
    weir_tls_options options;
    weir_tls *made;
    int err;

    if (tls == NULL)
        return weir__tls_reason_set(reason, -EINVAL, "tls is NULL");
    err = read_options(&options, &certificate, role, given, reason);
    if (err != 0)
        return err;
    made = weir_memory_alloc(sizeof(*made));
    if (made == NULL)
        return weir__tls_reason_set(reason, -ENOMEM, "out of memory");
    memset(made, 0, sizeof(*made));
    set_members(made, role, &options);
    err = fill(made, &options,
               options.certificate != NULL ? &certificate : NULL, reason);
    if (err != 0) {
        weir__tls_config_free(made);
        weir__tls_reason_clear();
        return err;
    }
    *tls = made;
    return 0;
}

/* ---- reload ---- */

/* Replace a reference by another, under the lock; the result is to be freed
 * unless it is NULL. */
static struct weir__tls_source *replace_source(weir_tls *tls,
                                               struct weir__tls_source *source)
{
    struct weir__tls_source *old = tls->source;

    tls->source = source;
    return old != NULL && --old->refs == 0 ? old : NULL;
}

static struct weir__tls_source *take_source(weir_tls *tls)
{
    struct weir__tls_source *source;

    weir_lock_acquire(&tls->lock);
    source = tls->source;
    if (source != NULL)
        source->refs++;
    weir_lock_release(&tls->lock);
    return source;
}

/* Load the credentials, and put them in place of the old ones.  Takes over the
 * reference to the source if it succeeds. */
static int replace_context(weir_tls *tls,
                           const weir_tls_certificate *certificate,
                           struct weir__tls_source *source,
                           struct weir__tls_reason reason)
{
    SSL_CTX *context, *old;
    struct weir__tls_source *gone;
    int err = make_context(tls, certificate, &context, reason);

    if (err != 0)
        return err;
    weir_lock_acquire(&tls->lock);
    old = tls->context;
    tls->context = context;
    gone = replace_source(tls, source);
    weir_lock_release(&tls->lock);
    SSL_CTX_free(old);
    weir__tls_source_free(gone);
    return 0;
}

static void give_back(weir_tls *tls, struct weir__tls_source *source)
{
    bool is_last;

    if (source == NULL)
        return;
    weir_lock_acquire(&tls->lock);
    is_last = --source->refs == 0;
    weir_lock_release(&tls->lock);
    if (is_last)
        weir__tls_source_free(source);
}

/* The certificate to load, and where it comes from, with a reference. */
static int read_certificate(weir_tls *tls, weir_tls_certificate *certificate,
                            const weir_tls_certificate *given,
                            struct weir__tls_source **source,
                            struct weir__tls_reason reason)
{
    int err;

    if (given == NULL) {
        *source = take_source(tls);
        if (*source == NULL)
            return weir__tls_reason_set(reason, -EINVAL,
                                        "there are no files to read again");
        *certificate = (weir_tls_certificate){
            .size = sizeof(*certificate),
            .chain_file = (*source)->chain_file,
            .key_file = (*source)->key_file,
            .password = (*source)->password,
        };
        return 0;
    }
    err = weir__tls_credentials_read(certificate, given);
    if (err != 0)
        return weir__tls_reason_set(reason, err,
                                    "the certificate or its key is not given "
                                    "exactly once");
    err = weir__tls_source_new(source, certificate);
    return err == 0 ? 0 : weir__tls_reason_set(reason, err, "out of memory");
}

int weir_tls_reload(weir_tls *tls, const weir_tls_certificate *given,
                    char *text, size_t text_size)
{
    struct weir__tls_reason reason = {text, text != NULL ? text_size : 0};
    struct weir__tls_source *source = NULL;
    weir_tls_certificate certificate;
    int err;

    if (tls == NULL)
        return weir__tls_reason_set(reason, -EINVAL, "tls is NULL");
    if (tls->is_hosted)
        return weir__tls_reason_set(reason, -EINVAL,
                                    "the context is the host's");
    err = read_certificate(tls, &certificate, given, &source, reason);
    if (err != 0)
        return err;
    err = replace_context(tls, &certificate, source, reason);
    if (err != 0)
        give_back(tls, source);
    return err;
}
