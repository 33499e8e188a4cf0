/* SPDX-License-Identifier: MIT */
/*
 * certificate -- see certificate.h.
 *
 * Tested by  test/js/net/tls-echo.js, tls-clients.js, tls-names.js
 */
#include "net/certificate.h"

#include <stdio.h>
#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509v3.h>

#include "core/property.h"
#include "net/buffer.h"

/* Set a property; false with an exception.  Takes the value. */
static bool put(JSContext *context, JSValueConst object, const char *name,
                JSValue value)
{
    return weir__js_set_property(context, object, name, value) >= 0;
}

JSValue weir__js_bio_text(JSContext *context, BIO *bio)
{
    char *text;
    long size = BIO_get_mem_data(bio, &text);
    JSValue string = JS_NewStringLen(context, text, (size_t)size);

    BIO_free(bio);
    return string;
}

/* ---- names ---- */

/* Append to what a name has already: Node makes an array of several. */
static bool put_part(JSContext *context, JSValueConst object, const char *key,
                     JSValue value)
{
    JSValue before = JS_GetPropertyStr(context, object, key), list;
    int64_t length = 0;

    if (JS_IsUndefined(before))
        return put(context, object, key, value);
    if (JS_IsArray(before)) {
        JS_GetLength(context, before, &length);
        length = weir__js_set_element(context, before, (uint32_t)length, value);
        JS_FreeValue(context, before);
        return length >= 0;
    }
    list = weir__js_new_array(context, 2, (JSValue[]){before, value});
    return !JS_IsException(list) && put(context, object, key, list);
}

static bool put_entry(JSContext *context, JSValueConst object,
                      X509_NAME_ENTRY *entry)
{
    ASN1_OBJECT *kind = X509_NAME_ENTRY_get_object(entry);
    int nid = OBJ_obj2nid(kind);
    char digits[64];
    const char *key = digits;
    unsigned char *text;
    int size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry));
    bool is_done;

    if (size < 0)
        return true; /* as Node, which leaves it out */
    if (nid != NID_undef)
        key = OBJ_nid2sn(nid);
    else
        OBJ_obj2txt(digits, sizeof(digits), kind, 1);
    is_done = put_part(context, object, key,
                       JS_NewStringLen(context, (char *)text, (size_t)size));
    OPENSSL_free(text);
    return is_done;
}

static JSValue new_name(JSContext *context, X509_NAME *name)
{
    JSValue object = JS_NewObjectProto(context, JS_NULL);

    for (int i = 0; i < X509_NAME_entry_count(name); i++)
        if (!put_entry(context, object, X509_NAME_get_entry(name, i))) {
            JS_FreeValue(context, object);
            return JS_EXCEPTION;
        }
    return object;
}

/* ---- alternative names ---- */

/* Whether a character of a name needs no quotes.  The bytes above ASCII of UTF-8
 * do not. */
static bool is_plain(unsigned char byte, bool is_utf8)
{
    return byte >= ' ' && byte != 0x7f && (byte < 0x80 || is_utf8) &&
           byte != '"' && byte != '\\' && byte != ',' && byte != '\'';
}

/* Quote what could be taken for another name (CVE-2021-44532).  `label` is part
 * of what is quoted. */
static void print_text(BIO *bio, const char *label, const unsigned char *text,
                       size_t size, bool is_utf8)
{
    bool needs_quotes = false;

    for (size_t i = 0; i < size; i++)
        needs_quotes |= !is_plain(text[i], is_utf8);
    BIO_printf(bio, "%s%s", needs_quotes ? "\"" : "", label);
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '"' || text[i] == '\\')
            BIO_printf(bio, "\\%c", text[i]);
        else if (is_plain(text[i], is_utf8) || text[i] == '\'')
            BIO_write(bio, &text[i], 1);
        else
            BIO_printf(bio, "\\u%04x", text[i]);
    }
    BIO_printf(bio, "%s", needs_quotes ? "\"" : "");
}

static void print_string(BIO *bio, const char *label, const ASN1_STRING *string,
                         bool is_utf8)
{
    print_text(bio, label, ASN1_STRING_get0_data(string),
               (size_t)ASN1_STRING_length(string), is_utf8);
}

/* The commas between the parts of a directory's name need quotes, too. */
static void print_directory(BIO *bio, const X509_NAME *name)
{
    BIO *whole = BIO_new(BIO_s_mem());
    char *text;
    long size;

    if (whole == NULL)
        return;
    X509_NAME_print_ex(
        whole, name, 0,
        XN_FLAG_RFC2253 &
            ~(unsigned long)(ASN1_STRFLGS_ESC_MSB | ASN1_STRFLGS_ESC_CTRL));
    size = BIO_get_mem_data(whole, &text);
    print_text(bio, "", (unsigned char *)text, (size_t)size, true);
    BIO_free(whole);
}

static void print_other(BIO *bio, const OTHERNAME *name)
{
    static const struct {
        int nid, type;
        const char *label;
    } kinds[] = {
        {NID_id_on_SmtpUTF8Mailbox, V_ASN1_UTF8STRING, "SmtpUTF8Mailbox:"},
        {NID_XmppAddr, V_ASN1_UTF8STRING, "XmppAddr:"},
        {NID_SRVName, V_ASN1_IA5STRING, "SRVName:"},
        {NID_ms_upn, V_ASN1_UTF8STRING, "UPN:"},
        {NID_NAIRealm, V_ASN1_UTF8STRING, "NAIRealm:"},
    };
    int nid = OBJ_obj2nid(name->type_id);

    BIO_printf(bio, "othername:");
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (kinds[i].nid == nid && kinds[i].type == name->value->type) {
            print_string(bio, kinds[i].label, name->value->value.asn1_string,
                         kinds[i].type == V_ASN1_UTF8STRING);
            return;
        }
    BIO_printf(bio, "<unsupported>");
}

/* In digits: the name of an object may be anything. */
static void print_registered(BIO *bio, const ASN1_OBJECT *object)
{
    char digits[256];

    OBJ_obj2txt(digits, sizeof(digits), object, 1);
    BIO_printf(bio, "Registered ID:%s", digits);
}

static void print_ip(BIO *bio, const ASN1_OCTET_STRING *ip)
{
    const unsigned char *bytes = ASN1_STRING_get0_data(ip);
    int size = ASN1_STRING_length(ip);

    BIO_printf(bio, "IP Address:");
    if (size == 4)
        BIO_printf(bio, "%d.%d.%d.%d", bytes[0], bytes[1], bytes[2], bytes[3]);
    for (int i = 0; size == 16 && i < 16; i += 2)
        BIO_printf(bio, "%s%X", i > 0 ? ":" : "", bytes[i] << 8 | bytes[i + 1]);
    if (size != 4 && size != 16)
        BIO_printf(bio, "<invalid>");
}

void weir__js_general_name_print(BIO *bio, GENERAL_NAME *name)
{
    switch (name->type) {
    case GEN_DNS:
        BIO_printf(bio, "DNS:");
        print_string(bio, "", name->d.dNSName, false);
        break;
    case GEN_EMAIL:
        BIO_printf(bio, "email:");
        print_string(bio, "", name->d.rfc822Name, false);
        break;
    case GEN_URI:
        BIO_printf(bio, "URI:");
        print_string(bio, "", name->d.uniformResourceIdentifier, false);
        break;
    case GEN_IPADD:
        print_ip(bio, name->d.iPAddress);
        break;
    case GEN_DIRNAME:
        BIO_printf(bio, "DirName:");
        print_directory(bio, name->d.dirn);
        break;
    case GEN_OTHERNAME:
        print_other(bio, name->d.otherName);
        break;
    case GEN_RID:
        print_registered(bio, name->d.registeredID);
        break;
    default:
        GENERAL_NAME_print(bio, name);
    }
}

static bool put_alternatives(JSContext *context, JSValueConst object,
                             X509 *certificate)
{
    GENERAL_NAMES *names =
        X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    BIO *bio = names != NULL ? BIO_new(BIO_s_mem()) : NULL;

    for (int i = 0; bio != NULL && i < sk_GENERAL_NAME_num(names); i++) {
        if (i > 0)
            BIO_printf(bio, ", ");
        weir__js_general_name_print(bio, sk_GENERAL_NAME_value(names, i));
    }
    GENERAL_NAMES_free(names);
    return bio == NULL || put(context, object, "subjectaltname",
                              weir__js_bio_text(context, bio));
}

/* ---- keys ---- */

static JSValue new_hex(JSContext *context, const BIGNUM *number,
                       const char *prefix)
{
    char *text = number != NULL ? BN_bn2hex(number) : NULL;
    const char *digits = text;
    char whole[32];
    JSValue string;

    if (text == NULL)
        return JS_UNDEFINED;
    if (prefix[0] != '\0') { /* of an exponent, which is short */
        while (*digits == '0')
            digits++;
        snprintf(whole, sizeof(whole), "%s%s", prefix, digits);
        for (char *at = whole; *at != '\0'; at++)
            if (*at >= 'A' && *at <= 'F')
                *at += 'a' - 'A';
        digits = whole;
    }
    string = JS_NewString(context, digits);
    OPENSSL_free(text);
    return string;
}

static bool put_rsa(JSContext *context, JSValueConst object, EVP_PKEY *key)
{
    BIGNUM *n = NULL, *e = NULL;
    unsigned char *der = NULL;
    int size;
    bool is_done;

    (void)EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_N, &n);
    (void)EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &e);
    size = i2d_PUBKEY(key, &der);
    is_done = put(context, object, "modulus", new_hex(context, n, "")) &&
              put(context, object, "bits",
                  JS_NewInt32(context, EVP_PKEY_get_bits(key))) &&
              put(context, object, "exponent", new_hex(context, e, "0x")) &&
              put(context, object, "pubkey",
                  size > 0 ? weir__js_new_buffer(context, der, (size_t)size)
                           : JS_UNDEFINED);
    OPENSSL_free(der);
    BN_free(n);
    BN_free(e);
    return is_done;
}

static bool put_ec(JSContext *context, JSValueConst object, EVP_PKEY *key)
{
    unsigned char *point = NULL;
    size_t size = EVP_PKEY_get1_encoded_public_key(key, &point);
    char group[64] = "";
    const char *nist;
    int nid;
    bool is_done;

    (void)EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, group,
                                         sizeof(group), NULL);
    nid = OBJ_sn2nid(group);
    nist = nid != NID_undef ? EC_curve_nid2nist(nid) : NULL;
    is_done = put(context, object, "bits",
                  JS_NewInt32(context, EVP_PKEY_get_bits(key))) &&
              put(context, object, "pubkey",
                  size > 0 ? weir__js_new_buffer(context, point, size)
                           : JS_UNDEFINED) &&
              put(context, object, "asn1Curve", JS_NewString(context, group)) &&
              (nist == NULL ||
               put(context, object, "nistCurve", JS_NewString(context, nist)));
    OPENSSL_free(point);
    return is_done;
}

static bool put_key(JSContext *context, JSValueConst object, X509 *certificate)
{
    EVP_PKEY *key = X509_get0_pubkey(certificate);

    if (key == NULL)
        return true;
    if (EVP_PKEY_is_a(key, "RSA") || EVP_PKEY_is_a(key, "RSA-PSS"))
        return put_rsa(context, object, key);
    return !EVP_PKEY_is_a(key, "EC") || put_ec(context, object, key);
}

/* ---- the rest ---- */

static JSValue new_time(JSContext *context, const ASN1_TIME *time)
{
    BIO *bio = BIO_new(BIO_s_mem());

    if (bio == NULL)
        return JS_ThrowOutOfMemory(context);
    ASN1_TIME_print(bio, time);
    return weir__js_bio_text(context, bio);
}

static JSValue new_fingerprint(JSContext *context, X509 *certificate,
                               const EVP_MD *kind)
{
    unsigned char hash[EVP_MAX_MD_SIZE];
    char text[3 * EVP_MAX_MD_SIZE + 1] = "";
    unsigned size = 0;

    (void)X509_digest(certificate, kind, hash, &size);
    for (unsigned i = 0; i < size; i++)
        snprintf(text + 3 * i, 4, "%02X:", hash[i]);
    return JS_NewStringLen(context, text, size > 0 ? 3 * size - 1 : 0);
}

static bool put_usage(JSContext *context, JSValueConst object,
                      X509 *certificate)
{
    EXTENDED_KEY_USAGE *usage =
        X509_get_ext_d2i(certificate, NID_ext_key_usage, NULL, NULL);
    JSValue list;
    bool is_done = true;

    if (usage == NULL)
        return true;
    list = JS_NewArray(context);
    for (int i = 0; i < sk_ASN1_OBJECT_num(usage) && is_done; i++) {
        char text[64];

        OBJ_obj2txt(text, sizeof(text), sk_ASN1_OBJECT_value(usage, i), 1);
        is_done = weir__js_set_element(context, list, (uint32_t)i,
                                       JS_NewString(context, text)) >= 0;
    }
    sk_ASN1_OBJECT_pop_free(usage, ASN1_OBJECT_free);
    if (is_done)
        return put(context, object, "ext_key_usage", list);
    JS_FreeValue(context, list);
    return false;
}

static JSValue new_serial(JSContext *context, X509 *certificate)
{
    BIGNUM *number =
        ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), NULL);
    JSValue text = new_hex(context, number, "");

    BN_free(number);
    return text;
}

static JSValue new_raw(JSContext *context, X509 *certificate)
{
    unsigned char *der = NULL;
    int size = i2d_X509(certificate, &der);
    JSValue bytes = size > 0 ? weir__js_new_buffer(context, der, (size_t)size)
                             : JS_UNDEFINED;

    OPENSSL_free(der);
    return bytes;
}

static bool put_times(JSContext *context, JSValueConst object,
                      X509 *certificate)
{
    return put(context, object, "valid_from",
               new_time(context, X509_get0_notBefore(certificate))) &&
           put(context, object, "valid_to",
               new_time(context, X509_get0_notAfter(certificate))) &&
           put(context, object, "fingerprint",
               new_fingerprint(context, certificate, EVP_sha1())) &&
           put(context, object, "fingerprint256",
               new_fingerprint(context, certificate, EVP_sha256())) &&
           put(context, object, "fingerprint512",
               new_fingerprint(context, certificate, EVP_sha512()));
}

JSValue weir__js_certificate(JSContext *context, X509 *certificate)
{
    JSValue object = JS_NewObject(context);
    bool is_done = !JS_IsException(object) &&
                   put(context, object, "subject",
                       new_name(context, X509_get_subject_name(certificate))) &&
                   put(context, object, "issuer",
                       new_name(context, X509_get_issuer_name(certificate))) &&
                   put_alternatives(context, object, certificate) &&
                   put(context, object, "ca",
                       JS_NewBool(context, X509_check_ca(certificate) == 1)) &&
                   put_key(context, object, certificate) &&
                   put_times(context, object, certificate) &&
                   put_usage(context, object, certificate) &&
                   put(context, object, "serialNumber",
                       new_serial(context, certificate)) &&
                   put(context, object, "raw", new_raw(context, certificate));

    ERR_clear_error();
    if (is_done)
        return object;
    JS_FreeValue(context, object);
    return JS_EXCEPTION;
}

/* ---- verification ---- */

const char *weir__js_verify_name(long error)
{
    switch (error) {
#define NAME(name)                                                             \
    case X509_V_ERR_##name:                                                    \
        return #name;
        NAME(UNABLE_TO_GET_ISSUER_CERT)
        NAME(UNABLE_TO_GET_CRL)
        NAME(UNABLE_TO_DECRYPT_CERT_SIGNATURE)
        NAME(UNABLE_TO_DECRYPT_CRL_SIGNATURE)
        NAME(UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY)
        NAME(CERT_SIGNATURE_FAILURE)
        NAME(CRL_SIGNATURE_FAILURE)
        NAME(CERT_NOT_YET_VALID)
        NAME(CERT_HAS_EXPIRED)
        NAME(CRL_NOT_YET_VALID)
        NAME(CRL_HAS_EXPIRED)
        NAME(ERROR_IN_CERT_NOT_BEFORE_FIELD)
        NAME(ERROR_IN_CERT_NOT_AFTER_FIELD)
        NAME(ERROR_IN_CRL_LAST_UPDATE_FIELD)
        NAME(ERROR_IN_CRL_NEXT_UPDATE_FIELD)
        NAME(OUT_OF_MEM)
        NAME(DEPTH_ZERO_SELF_SIGNED_CERT)
        NAME(SELF_SIGNED_CERT_IN_CHAIN)
        NAME(UNABLE_TO_GET_ISSUER_CERT_LOCALLY)
        NAME(UNABLE_TO_VERIFY_LEAF_SIGNATURE)
        NAME(CERT_CHAIN_TOO_LONG)
        NAME(CERT_REVOKED)
        NAME(INVALID_CA)
        NAME(PATH_LENGTH_EXCEEDED)
        NAME(INVALID_PURPOSE)
        NAME(CERT_UNTRUSTED)
        NAME(CERT_REJECTED)
        NAME(HOSTNAME_MISMATCH)
#undef NAME
    default:
        return "UNSPECIFIED";
    }
}
