/* SPDX-License-Identifier: MIT */
#include "net/support/identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#define must(condition)                                                        \
    ((condition) ? (void)0 : stop(__FILE__, __LINE__, #condition))

static void stop(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: expected %s\n", file, line, what);
    abort();
}

struct identity root, leaf;

static weir_bytes take_text(BIO *bio)
{
    char *data, *copy;
    long size = BIO_get_mem_data(bio, &data);

    copy = malloc((size_t)size);
    must(copy != NULL);
    memcpy(copy, data, (size_t)size);
    BIO_free(bio);
    return (weir_bytes){copy, (size_t)size};
}

static void add_extension(X509 *certificate, int nid, const char *value)
{
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, nid, value);

    must(extension != NULL);
    must(X509_add_ext(certificate, extension, -1));
    X509_EXTENSION_free(extension);
}

static void set_names(X509 *certificate, const struct identity *issuer,
                      const struct identity_options *options)
{
    X509_NAME *name = X509_get_subject_name(certificate);
    const char *common =
        options->common_name != NULL ? options->common_name : "test";
    unsigned char serial[8];

    must(RAND_bytes(serial, sizeof(serial)) == 1);
    ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate),
                            (uint64_t)serial[0] << 32 | serial[1] << 16 |
                                serial[2] << 8 | 1);
    must(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                                    (const unsigned char *)common, -1, -1, 0));
    must(X509_set_issuer_name(
        certificate,
        issuer != NULL ? X509_get_subject_name(issuer->certificate) : name));
}

static void set_extensions(X509 *certificate,
                           const struct identity_options *options)
{
    add_extension(certificate, NID_basic_constraints,
                  options->is_ca ? "critical,CA:TRUE" : "CA:FALSE");
    if (options->is_ca)
        add_extension(certificate, NID_key_usage, "keyCertSign,cRLSign");
    if (options->names != NULL)
        add_extension(certificate, NID_subject_alt_name, options->names);
}

static bool is_root(const struct identity *identity)
{
    return X509_NAME_cmp(X509_get_subject_name(identity->certificate),
                         X509_get_issuer_name(identity->certificate)) == 0;
}

static void write_pem(struct identity *made, const struct identity *issuer)
{
    BIO *chain = BIO_new(BIO_s_mem()), *key = BIO_new(BIO_s_mem());

    must(PEM_write_bio_X509(chain, made->certificate));
    if (issuer != NULL && !is_root(issuer))
        must(PEM_write_bio_X509(chain, issuer->certificate));
    must(PEM_write_bio_PrivateKey(key, made->key, NULL, NULL, 0, NULL, NULL));
    made->chain_pem = take_text(chain);
    made->key_pem = take_text(key);
}

void identity_make(struct identity *made, const struct identity *issuer,
                   const struct identity_options *options)
{
    bool is_dated = options->from_s != 0 || options->to_s != 0;

    made->key = EVP_EC_gen("P-256");
    made->certificate = X509_new();
    must(made->key != NULL && made->certificate != NULL);
    X509_set_version(made->certificate, 2);
    set_names(made->certificate, issuer, options);
    X509_gmtime_adj(X509_getm_notBefore(made->certificate),
                    is_dated ? options->from_s : -3600);
    X509_gmtime_adj(X509_getm_notAfter(made->certificate),
                    is_dated ? options->to_s : 3600);
    set_extensions(made->certificate, options);
    must(X509_set_pubkey(made->certificate, made->key));
    must(X509_sign(made->certificate, issuer != NULL ? issuer->key : made->key,
                   EVP_sha256()));
    write_pem(made, issuer);
}

void identity_free(struct identity *identity)
{
    X509_free(identity->certificate);
    EVP_PKEY_free(identity->key);
    free((void *)identity->chain_pem.data);
    free((void *)identity->key_pem.data);
}

void identities_make(void)
{
    identity_make(
        &root, NULL,
        &(struct identity_options){.common_name = "test root", .is_ca = true});
    identity_make(&leaf, &root,
                  &(struct identity_options){
                      .common_name = "localhost",
                      .names = "DNS:localhost,DNS:*.example.org,IP:127.0.0.1,"
                               "IP:::1"});
}

void identities_free(void)
{
    identity_free(&root);
    identity_free(&leaf);
}
