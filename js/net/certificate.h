/* SPDX-License-Identifier: MIT */
/*
 * certificate -- certificates as Node's plain objects.
 */
#ifndef WEIR_JS_NET_CERTIFICATE_H
#define WEIR_JS_NET_CERTIFICATE_H

#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "core/host.h"

/* {subject, issuer, subjectaltname, ...}, without issuerCertificate. */
JSValue weir__js_certificate(JSContext *context, X509 *certificate);

/* The text in a memory BIO, which is freed. */
JSValue weir__js_bio_text(JSContext *context, BIO *bio);

/* Print a name such as "DNS:example.com", quoted where it could be taken for
 * several. */
void weir__js_general_name_print(BIO *bio, GENERAL_NAME *name);

/* Node's name for an error of verification, such as "CERT_HAS_EXPIRED". */
const char *weir__js_verify_name(long error);

#endif /* WEIR_JS_NET_CERTIFICATE_H */
