/* SPDX-License-Identifier: MIT */
/*
 * credentials -- see credentials.h.
 */
#include "tls/credentials.h"

#include <errno.h>
#include <string.h>

#include <openssl/crypto.h>

#include "tls/pem.h"
#include "weir/host/memory.h"
#include "weir/host/sized.h"

/* Whether exactly one of the two ways is used. */
static bool is_given(const char *file, weir_bytes bytes)
{
    return (file != NULL) != (bytes.size > 0) &&
           (bytes.size == 0 || bytes.data != NULL);
}

int weir__tls_credentials_read(weir_tls_certificate *to,
                               const weir_tls_certificate *from)
{
    int err = weir_sized_read(to, sizeof(*to), from);

    if (err != 0)
        return err;
    if (!is_given(to->chain_file, to->chain) ||
        !is_given(to->key_file, to->key))
        return -EINVAL;
    return 0;
}

/* Take over the certificate: as the context's own, or as part of its chain. */
static int add_certificate(SSL_CTX *context, X509 *certificate, bool is_first)
{
    int is_done;

    if (!is_first)
        is_done = SSL_CTX_add0_chain_cert(context, certificate);
    else
        is_done = SSL_CTX_use_certificate(context, certificate);
    if (is_first || !is_done)
        X509_free(certificate);
    return is_done;
}

static int use_chain(SSL_CTX *context, struct weir__tls_pem *pem,
                     struct weir__tls_reason reason)
{
    bool is_first = true;

    for (;; is_first = false) {
        X509 *certificate;
        int err = weir__tls_pem_next(pem, &certificate, reason);

        if (err != 0)
            return err;
        if (certificate == NULL && is_first)
            return weir__tls_reason_set(reason, WEIR_ECERT,
                                        "%s: there is no certificate in it",
                                        pem->name);
        if (certificate == NULL)
            return 0;
        if (!add_certificate(context, certificate, is_first))
            return weir__tls_reason_take(reason, WEIR_ECERT, pem->name);
    }
}

static int load_chain(SSL_CTX *context, const weir_tls_certificate *certificate,
                      struct weir__tls_reason reason)
{
    struct weir__tls_pem pem;
    int err = weir__tls_pem_open(&pem, certificate->chain_file,
                                 certificate->chain, "the certificate", reason);

    if (err != 0)
        return err;
    err = use_chain(context, &pem, reason);
    weir__tls_pem_close(&pem);
    return err;
}

static int load_key(SSL_CTX *context, const weir_tls_certificate *certificate,
                    struct weir__tls_reason reason)
{
    struct weir__tls_pem pem;
    EVP_PKEY *key;
    int err = weir__tls_pem_open(&pem, certificate->key_file, certificate->key,
                                 "the key", reason);

    if (err != 0)
        return err;
    err = weir__tls_pem_key(&pem, certificate->password, &key, reason);
    if (err == 0) {
        if (!SSL_CTX_use_PrivateKey(context, key) ||
            !SSL_CTX_check_private_key(context))
            err = weir__tls_reason_take(reason, WEIR_ECERT, pem.name);
        EVP_PKEY_free(key);
    }
    weir__tls_pem_close(&pem);
    return err;
}

int weir__tls_credentials_use(SSL_CTX *context,
                              const weir_tls_certificate *certificate,
                              struct weir__tls_reason reason)
{
    int err = load_chain(context, certificate, reason);

    if (err == 0)
        err = load_key(context, certificate, reason);
    return err;
}

/* ---- the source ---- */

static size_t text_size(const char *text)
{
    return text == NULL ? 0 : strlen(text) + 1;
}

/* Copy a text to *at, and advance *at past it. */
static const char *place(char **at, const char *text)
{
    char *placed = *at;

    if (text == NULL)
        return NULL;
    memcpy(placed, text, text_size(text));
    *at += text_size(text);
    return placed;
}

int weir__tls_source_new(struct weir__tls_source **source,
                         const weir_tls_certificate *certificate)
{
    size_t allocated = sizeof(**source) + text_size(certificate->chain_file) +
                       text_size(certificate->key_file) +
                       text_size(certificate->password);
    struct weir__tls_source *made;
    char *at;

    *source = NULL;
    if (certificate->chain_file == NULL || certificate->key_file == NULL)
        return 0;
    made = weir_memory_alloc(allocated);
    if (made == NULL)
        return -ENOMEM;
    at = made->text;
    made->refs = 1;
    made->allocated = allocated;
    made->chain_file = place(&at, certificate->chain_file);
    made->key_file = place(&at, certificate->key_file);
    made->password = place(&at, certificate->password);
    *source = made;
    return 0;
}

void weir__tls_source_free(struct weir__tls_source *source)
{
    size_t allocated;

    if (source == NULL)
        return;
    allocated = source->allocated;
    OPENSSL_cleanse(source, allocated); /* it may contain a password */
    weir_memory_free(source, allocated);
}
