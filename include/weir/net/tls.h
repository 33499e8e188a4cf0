/* SPDX-License-Identifier: MIT */
/*
 * weir/net/tls.h -- TLS 1.2 and 1.3 on a stream.
 *
 * A weir_tls is a configuration: certificates, trust, protocols.  It is made
 * once and shared by all connections, on every loop.  weir_tls_start turns a
 * connected stream into an encrypted one, which is then read, written, half-
 * closed and closed like any other.
 *
 *     weir_tls_certificate pair = {sizeof(pair), "chain.pem", "key.pem"};
 *     weir_tls_options options = {sizeof(options), .certificate = &pair};
 *     weir_tls_new(&tls, WEIR_TLS_SERVER, &options, reason, sizeof(reason));
 *     ...
 *     weir_tls_start(stream, tls, &(weir_tls_start_options){
 *         sizeof(weir_tls_start_options), .on_ready = on_ready});
 *
 * A client verifies the certificate of its peer, including the host name.  The
 * peer must announce the end of a connection (close_notify).  Otherwise the
 * reader gets WEIR_ETRUNCATED.
 *
 * A failed handshake ends the stream with WEIR_ECERT if the certificate of the
 * peer was refused, with -ETIMEDOUT if it took too long, with WEIR_ETRUNCATED
 * if the peer closed the connection, and otherwise with WEIR_ETLS.
 * weir_tls_reason explains the failure.
 */
#ifndef WEIR_NET_TLS_H
#define WEIR_NET_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/clock.h"
#include "weir/error.h"
#include "weir/export.h"
#include "weir/net/bytes.h"
#include "weir/net/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_tls weir_tls;

typedef enum weir_tls_role {
    WEIR_TLS_CLIENT = 0,
    WEIR_TLS_SERVER,
} weir_tls_role;

typedef enum weir_tls_version {
    WEIR_TLS_ANY = 0, /* 1.2 and 1.3 */
    WEIR_TLS_1_2,
    WEIR_TLS_1_3,
} weir_tls_version;

/* Whether a server asks its clients for a certificate. */
typedef enum weir_tls_clients {
    WEIR_TLS_CLIENTS_UNASKED = 0,
    WEIR_TLS_CLIENTS_REQUEST, /* optional; an invalid one is refused */
    WEIR_TLS_CLIENTS_REQUIRE,
} weir_tls_clients;

/* A certificate and its private key, as PEM.  The chain is either a file or
 * bytes, and so is the key. */
typedef struct weir_tls_certificate {
    size_t size;            /* sizeof(weir_tls_certificate) */
    const char *chain_file; /* the certificate, then its intermediates */
    const char *key_file;
    weir_bytes chain;
    weir_bytes key;
    const char *password; /* of the key; NULL: it is not encrypted */
} weir_tls_certificate;

#define WEIR_TLS_TICKET_ROTATION_NS WEIR_S(12 * 3600)
#define WEIR_TLS_SESSIONS 256

/* Every member except size may be left 0; a server needs a certificate.
 * Everything is copied. */
typedef struct weir_tls_options {
    size_t size; /* sizeof(weir_tls_options) */
    const weir_tls_certificate *certificate;
    /* Protocols in order of preference, such as "h2,http/1.1".  If both sides
     * have a list and no protocol is in both, the server refuses the
     * handshake. */
    const char *alpn;
    weir_tls_version min_version, max_version;
    /* The certificates to trust, as PEM.  A client without any uses the
     * system's.  A server needs some if it asks clients for a certificate.
     * ca_dir is a directory prepared by openssl-rehash(1); it is searched
     * during handshakes. */
    const char *ca_file;
    const char *ca_dir;
    weir_bytes ca;
    weir_tls_clients clients; /* server */
    /* Client: accept every certificate, even an expired one of another host.
     * An attacker can then read and change everything. */
    bool insecure_accept_any_certificate;
    /* Always do a full handshake. */
    bool has_no_resumption;
    /* Server: the age at which the key of session tickets is replaced, which is
     * also the time for which a session can be resumed.  At least a second, at
     * most seven days.  0: WEIR_TLS_TICKET_ROTATION_NS. */
    int64_t ticket_rotation_ns;
    /* Client: the number of sessions that are kept for resumption.  At most
     * 65536.  0: WEIR_TLS_SESSIONS. */
    uint32_t sessions;
    /* Server: choose the configuration for the name that the client asks for
     * (SNI), which is in lower case.  *use is the configuration of
     * weir_tls_start.  To use another one, set *use to it; it must be a
     * server's, and no reference is transferred.  Return 0, or a negative error
     * to refuse the handshake (alert unrecognized_name).  Called on the loop's
     * thread during the handshake, and only if there is a name.  It must not
     * use the stream.  If it raises, the handshake is refused. */
    int (*on_server_name)(void *arg, const char *name, weir_tls **use);
    void *arg;
    /* For hosts of a language: OpenSSL's SSL_CTX, instead of one that is made of
     * the other options, which must be 0 then.  The configuration takes a
     * reference, and sets the modes that streams need.  Nothing is verified
     * unless the SSL_CTX says so. */
    void *context;
} weir_tls_options;

/**
 * Make a TLS configuration.  The call reads files, so make it before the loop
 * runs, or on a pool.
 *
 * If the call fails and reason is not NULL, a text that explains the failure is
 * stored there, truncated to reason_size bytes including its NUL.
 *
 * Thread   any
 * Owns     *tls is the caller's until weir_tls_unref
 * Returns  0, -EINVAL (tls is NULL, an option is invalid, or a certificate or
 *          CA is missing), -E2BIG (an option that this library does not know),
 *          -ENOMEM, WEIR_ECERT (a certificate or key cannot be used), WEIR_ETLS
 *          (OpenSSL failed), or the error of reading a file, such as -ENOENT
 */
WEIR_API WEIR_CHECKED int weir_tls_new(weir_tls **tls, weir_tls_role role,
                                       const weir_tls_options *options,
                                       char *reason, size_t reason_size);

/**
 * Take a reference to a configuration.
 *
 * Thread   any; the caller has a reference
 */
WEIR_API void weir_tls_ref(weir_tls *tls);

/**
 * Release a reference to a configuration.  Connections have their own.  Passing
 * NULL has no effect.
 *
 * Thread   any; once for each reference
 */
WEIR_API void weir_tls_unref(weir_tls *tls);

/**
 * Replace the certificate and key of a configuration.  Handshakes that start
 * afterwards use the new ones; existing connections continue.  If certificate
 * is NULL, the files of weir_tls_new or of the last successful reload are read
 * again.  After an error the old certificate stays.  reason is as in
 * weir_tls_new.
 *
 * Thread   any; it reads files
 * Returns  0, -EINVAL (tls is NULL or was made of a context, the certificate is
 *          incomplete, or NULL and there are no files), -E2BIG (a member that
 *          this library does not know), -ENOMEM, WEIR_ECERT (the certificate or
 *          key cannot be used), WEIR_ETLS (OpenSSL failed), or the error of
 *          reading a file, such as -ENOENT
 */
WEIR_API WEIR_CHECKED int
weir_tls_reload(weir_tls *tls, const weir_tls_certificate *certificate,
                char *reason, size_t reason_size);

/* ---- connections ---- */

#define WEIR_TLS_TIMEOUT_NS WEIR_S(10)
#define WEIR_TLS_NO_TIMEOUT INT64_MAX

/* Every member except size may be left 0; a client that verifies its peer needs
 * server_name. */
typedef struct weir_tls_start_options {
    size_t size; /* sizeof(weir_tls_start_options) */
    /* Client: the host name or IP address that the certificate must be for.  A
     * name is also sent to the server (SNI).  Copied. */
    const char *server_name;
    const char *alpn; /* client: replaces that of the configuration */
    /* For the whole handshake.  0: WEIR_TLS_TIMEOUT_NS. */
    int64_t timeout_ns;
    /* The handshake has succeeded (0) or failed.  The function may close the
     * stream.  May be NULL. */
    weir_stream_fn *on_ready;
    void *arg;
    /* What the caller has read from the stream, and is part of TLS.  Copied. */
    weir_bytes received;
    /* OpenSSL's SSL object was made, and the handshake has not begun.  Return 0,
     * or a negative error, which weir_tls_start returns.  May be NULL. */
    int (*on_connection)(void *arg, void *ssl);
} weir_tls_start_options;

/**
 * Start TLS on a connected stream that is not being read and has nothing
 * queued, in the role of the configuration.  The stream may be read and written
 * immediately: bytes wait until the handshake is over.
 *
 * Thread   loop
 * Owns     the connection has a reference to tls
 * Returns  0, -EINVAL (NULL, an option is invalid, or a client has no
 *          server_name), -E2BIG (an option that this library does not know),
 *          -EBUSY (the stream is being read, has bytes queued, or has TLS),
 *          -ENOMEM, WEIR_ETLS (OpenSSL failed), an error of weir_timer_start,
 *          or the error that has ended the stream
 */
WEIR_API WEIR_CHECKED int weir_tls_start(weir_stream *stream, weir_tls *tls,
                                         const weir_tls_start_options *options);

/**
 * Get OpenSSL's SSL object of a stream, for what weir does not offer.
 *
 * Thread   loop
 * Owns     the object is the stream's, until it is freed
 * Returns  the SSL object, or NULL (the stream has no TLS)
 */
WEIR_API void *weir_tls_ssl(const weir_stream *stream);

/**
 * Continue a handshake that a callback of OpenSSL has suspended, such as that of
 * SSL_set_cert_cb.  Has no effect on other streams.
 *
 * Thread   loop, not inside such a callback
 */
WEIR_API void weir_tls_continue(weir_stream *stream);

/**
 * Explain why TLS has failed on a stream, such as "certificate has expired".
 *
 * Thread   loop
 * Owns     the text is the stream's, until it is freed
 * Returns  a text, which is "" if nothing has failed; NULL if the stream has no
 *          TLS
 */
WEIR_API const char *weir_tls_reason(const weir_stream *stream);

/**
 * Get the protocol that ALPN has chosen, such as "http/1.1".
 *
 * Thread   loop
 * Owns     the text is the stream's, until it is freed
 * Returns  a name, or NULL (none was chosen, or the stream has no TLS)
 */
WEIR_API const char *weir_tls_alpn(const weir_stream *stream);

/**
 * Get the server name of a connection, in lower case.  On the client it is the
 * server_name of the options, on the server the name that the client has asked
 * for (SNI).
 *
 * Thread   loop
 * Owns     the text is the stream's, until it is freed
 * Returns  a name, or NULL (there was none, or the stream has no TLS)
 */
WEIR_API const char *weir_tls_server_name(const weir_stream *stream);

/**
 * Get the version of the protocol, "TLSv1.2" or "TLSv1.3".
 *
 * Thread   loop
 * Returns  a static text, or NULL (the handshake is not over, or the stream has
 *          no TLS)
 */
WEIR_API const char *weir_tls_protocol(const weir_stream *stream);

/**
 * Get the IANA name of the cipher suite, such as "TLS_AES_256_GCM_SHA384".
 *
 * Thread   loop
 * Returns  a static text, or NULL (the handshake is not over, or the stream has
 *          no TLS)
 */
WEIR_API const char *weir_tls_cipher(const weir_stream *stream);

/**
 * Test whether the handshake has resumed an earlier session.
 *
 * Thread   loop
 */
WEIR_API bool weir_tls_is_resumed(const weir_stream *stream);

/* The certificate of the peer. */
typedef struct weir_tls_peer {
    size_t size;         /* sizeof(weir_tls_peer) */
    weir_bytes der;      /* the certificate */
    const char *subject; /* such as "CN=example.org,O=Example" (RFC 2253) */
    const char *issuer;
    bool is_verified; /* it was checked and is valid */
} weir_tls_peer;

/**
 * Get the certificate of the peer.
 *
 * Thread   loop
 * Owns     what *peer points to is the stream's, until it is freed
 * Returns  0, -EINVAL (NULL, or size is not valid), -ENOENT (the peer has shown
 *          no certificate, or the stream has no TLS), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_tls_get_peer(const weir_stream *stream,
                                            weir_tls_peer *peer);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_NET_TLS_H */
