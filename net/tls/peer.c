/* SPDX-License-Identifier: MIT */
/*
 * peer -- see peer.h.
 *
 * It is made at the first request, because few programs ask, and is then kept
 * with the connection: one block with the certificate and both texts.
 */
#include "tls/peer.h"

#include <errno.h>
#include <string.h>

#include <openssl/x509.h>

#include "tls/reason.h"
#include "weir/host/memory.h"

struct weir__tls_peer {
    size_t allocated; /* bytes of this struct */
    weir_tls_peer shown;
    char data[]; /* subject, issuer, certificate */
};

/* RFC 2253, but UTF-8 is not escaped. */
static BIO *print_name(const X509_NAME *name)
{
    BIO *text = BIO_new(BIO_s_mem());

    if (text != NULL &&
        X509_NAME_print_ex(text, name, 0,
                           XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB) >= 0)
        return text;
    BIO_free(text);
    return NULL;
}

static char *place_text(char *at, BIO *text)
{
    char *data;
    long size = BIO_get_mem_data(text, &data);

    memcpy(at, data, (size_t)size);
    at[size] = '\0';
    return at + size + 1;
}

static struct weir__tls_peer *make(X509 *certificate, BIO *subject, BIO *issuer)
{
    int size = i2d_X509(certificate, NULL);
    size_t allocated = sizeof(struct weir__tls_peer) + BIO_pending(subject) +
                       BIO_pending(issuer) + 2 + (size_t)size;
    struct weir__tls_peer *peer;
    unsigned char *der;
    char *at;

    if (size < 0)
        return NULL;
    peer = weir_memory_alloc(allocated);
    if (peer == NULL)
        return NULL;
    peer->allocated = allocated;
    peer->shown = (weir_tls_peer){.size = sizeof(weir_tls_peer)};
    peer->shown.subject = peer->data;
    at = place_text(peer->data, subject);
    peer->shown.issuer = at;
    at = place_text(at, issuer);
    peer->shown.der = (weir_bytes){at, (size_t)size};
    der = (unsigned char *)at;
    (void)i2d_X509(certificate, &der);
    return peer;
}

int weir__tls_peer_new(struct weir__tls_peer **made, const SSL *ssl)
{
    X509 *certificate = SSL_get0_peer_certificate(ssl);
    BIO *subject, *issuer;

    if (certificate == NULL)
        return -ENOENT;
    weir__tls_reason_clear();
    subject = print_name(X509_get_subject_name(certificate));
    issuer = print_name(X509_get_issuer_name(certificate));
    *made = subject != NULL && issuer != NULL
                ? make(certificate, subject, issuer)
                : NULL;
    BIO_free(subject);
    BIO_free(issuer);
    weir__tls_reason_clear();
    if (*made == NULL)
        return -ENOMEM;
    (*made)->shown.is_verified = SSL_get_verify_mode(ssl) != SSL_VERIFY_NONE &&
                                 SSL_get_verify_result(ssl) == X509_V_OK;
    return 0;
}

void weir__tls_peer_free(struct weir__tls_peer *peer)
{
    if (peer != NULL)
        weir_memory_free(peer, peer->allocated);
}

const weir_tls_peer *weir__tls_peer_get(const struct weir__tls_peer *peer)
{
    return &peer->shown;
}
