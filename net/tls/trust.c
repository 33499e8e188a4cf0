/* SPDX-License-Identifier: MIT */
/*
 * trust -- see trust.h.
 *
 * A store is shared by all contexts of a configuration, the old and the new one
 * of a reload; OpenSSL counts and locks it.  Certificates in a directory are
 * looked up by OpenSSL when a handshake needs them: a few small files, and the
 * memory only of those that were used.
 */
#include "tls/trust.h"

#include <errno.h>

#include "tls/pem.h"

/* Add one certificate, and its name to the list that clients get. */
static bool add_anchor(struct weir__tls_trust *trust, X509 *certificate)
{
    X509_NAME *name;

    if (!X509_STORE_add_cert(trust->store, certificate))
        return false;
    if (trust->names == NULL)
        return true;
    name = X509_NAME_dup(X509_get_subject_name(certificate));
    if (name != NULL && sk_X509_NAME_push(trust->names, name) > 0)
        return true;
    X509_NAME_free(name);
    return false;
}

static int add_all(struct weir__tls_trust *trust, struct weir__tls_pem *pem,
                   struct weir__tls_reason reason)
{
    size_t count = 0;
    X509 *certificate;
    bool is_added = true;

    for (;; count++) {
        int err = weir__tls_pem_next(pem, &certificate, reason);

        if (err != 0)
            return err;
        if (certificate == NULL)
            break;
        is_added = add_anchor(trust, certificate);
        X509_free(certificate);
        if (!is_added)
            return weir__tls_reason_take(reason, WEIR_ETLS, pem->name);
    }
    if (count > 0)
        return 0;
    return weir__tls_reason_set(reason, WEIR_ECERT,
                                "%s: there is no certificate in it", pem->name);
}

static int add_pem(struct weir__tls_trust *trust, const char *file,
                   weir_bytes bytes, struct weir__tls_reason reason)
{
    struct weir__tls_pem pem;
    int err;

    if (file == NULL && bytes.size == 0)
        return 0;
    err = weir__tls_pem_open(&pem, file, bytes, "the CA", reason);
    if (err != 0)
        return err;
    err = add_all(trust, &pem, reason);
    weir__tls_pem_close(&pem);
    return err;
}

static int add_directory(struct weir__tls_trust *trust, const char *directory,
                         struct weir__tls_reason reason)
{
    if (directory == NULL)
        return 0;
    weir__tls_reason_clear();
    if (!X509_STORE_load_path(trust->store, directory))
        return weir__tls_reason_take(reason, WEIR_ETLS, directory);
    if (trust->names != NULL &&
        !SSL_add_dir_cert_subjects_to_stack(trust->names, directory))
        return weir__tls_reason_take(reason, WEIR_ECERT, directory);
    weir__tls_reason_clear();
    return 0;
}

static bool is_anyone_trusted(const weir_tls_options *options)
{
    return options->ca_file != NULL || options->ca_dir != NULL ||
           options->ca.size > 0;
}

static int load(struct weir__tls_trust *trust, const weir_tls_options *options,
                struct weir__tls_reason reason)
{
    int err;

    if (!is_anyone_trusted(options)) {
        weir__tls_reason_clear();
        if (!X509_STORE_set_default_paths(trust->store))
            return weir__tls_reason_take(reason, WEIR_ETLS,
                                         "the system's certificates");
        weir__tls_reason_clear();
        return 0;
    }
    err = add_pem(trust, options->ca_file, (weir_bytes){NULL, 0}, reason);
    if (err == 0)
        err = add_pem(trust, NULL, options->ca, reason);
    if (err == 0)
        err = add_directory(trust, options->ca_dir, reason);
    return err;
}

static bool is_needed(weir_tls_role role, const weir_tls_options *options)
{
    return role == WEIR_TLS_SERVER ? options->clients != 0
                                   : !options->insecure_accept_any_certificate;
}

int weir__tls_trust_init(struct weir__tls_trust *trust, weir_tls_role role,
                         const weir_tls_options *options,
                         struct weir__tls_reason reason)
{
    int err;

    *trust = (struct weir__tls_trust){NULL, NULL};
    if (!is_needed(role, options))
        return 0;
    if (role == WEIR_TLS_SERVER && !is_anyone_trusted(options))
        return weir__tls_reason_set(
            reason, -EINVAL,
            "clients are asked for a certificate, but no CA "
            "is given to check it");
    weir__tls_reason_clear();
    trust->store = X509_STORE_new();
    if (role == WEIR_TLS_SERVER)
        trust->names = sk_X509_NAME_new_null();
    if (trust->store == NULL ||
        (role == WEIR_TLS_SERVER && trust->names == NULL))
        err = weir__tls_reason_take(reason, -ENOMEM, NULL);
    else
        err = load(trust, options, reason);
    if (err != 0)
        weir__tls_trust_fini(trust);
    return err;
}

void weir__tls_trust_fini(struct weir__tls_trust *trust)
{
    X509_STORE_free(trust->store);
    sk_X509_NAME_pop_free(trust->names, X509_NAME_free);
    *trust = (struct weir__tls_trust){NULL, NULL};
}

bool weir__tls_trust_use(const struct weir__tls_trust *trust, SSL_CTX *context)
{
    STACK_OF(X509_NAME) * names;

    if (trust->store != NULL)
        SSL_CTX_set1_cert_store(context, trust->store);
    if (trust->names == NULL)
        return true;
    names = SSL_dup_CA_list(trust->names);
    if (names == NULL)
        return false;
    SSL_CTX_set_client_CA_list(context, names);
    return true;
}
