/* SPDX-License-Identifier: MIT */
/*
 * failure -- see failure.h.
 *
 * Tested by  test/js/crypto/keys-errors.js, test/js/crypto/cipher-errors.js
 */
#include "crypto/failure.h"

#include <ctype.h>
#include <openssl/err.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/property.h"

void weir__js_failure_take(struct weir__js_failure *failure)
{
    unsigned long code;

    failure->count = 0;
    while ((code = ERR_get_error()) != 0)
        if (failure->count < WEIR__JS_FAILURE_CODES)
            failure->codes[failure->count++] = code;
}

/* The middle of Node's codes.  OpenSSL has no names for its libraries that a
 * program could use. */
static const char *library_of(unsigned long code)
{
    switch (ERR_GET_LIB(code)) {
#define LIBRARY(name)                                                          \
    case ERR_LIB_##name:                                                       \
        return #name "_";
        LIBRARY(SYS)
        LIBRARY(BN)
        LIBRARY(RSA)
        LIBRARY(DH)
        LIBRARY(EVP)
        LIBRARY(BUF)
        LIBRARY(OBJ)
        LIBRARY(PEM)
        LIBRARY(DSA)
        LIBRARY(X509)
        LIBRARY(ASN1)
        LIBRARY(CONF)
        LIBRARY(CRYPTO)
        LIBRARY(EC)
        LIBRARY(BIO)
        LIBRARY(PKCS7)
        LIBRARY(X509V3)
        LIBRARY(PKCS12)
        LIBRARY(RAND)
        LIBRARY(DSO)
        LIBRARY(ENGINE)
        LIBRARY(UI)
        LIBRARY(ECDSA)
        LIBRARY(ECDH)
        LIBRARY(OSSL_STORE)
        LIBRARY(CMS)
        LIBRARY(KDF)
        LIBRARY(SM2)
#undef LIBRARY
    default:
        return "";
    }
}

/* Give the error of a code the properties of Node's. */
static int decorate(JSContext *context, JSValueConst error, unsigned long code)
{
    const char *library = ERR_lib_error_string(code);
    const char *reason = ERR_reason_error_string(code);
    char text[128];
    int status = 0;

    if (library != NULL)
        status = weir__js_set_property(context, error, "library",
                                       JS_NewString(context, library));
    if (status < 0 || reason == NULL)
        return status;
    snprintf(text, sizeof(text), "ERR_OSSL_%s%s", library_of(code), reason);
    for (char *at = text; *at != '\0'; at++)
        *at = *at == ' ' ? '_' : (char)toupper((unsigned char)*at);
    status = weir__js_set_property(context, error, "reason",
                                   JS_NewString(context, reason));
    return status < 0 ? status
                      : weir__js_set_property(context, error, "code",
                                              JS_NewString(context, text));
}

static JSValue new_text(JSContext *context, unsigned long code)
{
    char text[256];

    ERR_error_string_n(code, text, sizeof(text));
    return JS_NewString(context, text);
}

/* The errors after the first, the newest first. */
static int add_stack(JSContext *context, JSValueConst error,
                     const struct weir__js_failure *failure)
{
    JSValue values[WEIR__JS_FAILURE_CODES];
    int count = 0;

    for (unsigned i = failure->count; i > 1; i--)
        values[count++] = new_text(context, failure->codes[i - 1]);
    return weir__js_set_property(context, error, "opensslErrorStack",
                                 weir__js_new_array(context, count, values));
}

JSValue weir__js_failure_throw(JSContext *context,
                               const struct weir__js_failure *failure,
                               const char *otherwise)
{
    char text[256];
    JSValue error;
    int status = 0;

    if (failure->count > 0)
        ERR_error_string_n(failure->codes[0], text, sizeof(text));
    else
        snprintf(text, sizeof(text), "%s", otherwise);
    JS_ThrowPlainError(context, "%s", text);
    error = JS_GetException(context);
    if (failure->count > 1)
        status = add_stack(context, error, failure);
    if (status >= 0 && failure->count > 0 && !failure->is_plain)
        status = decorate(context, error, failure->codes[0]);
    if (status >= 0)
        return JS_Throw(context, error);
    JS_FreeValue(context, error);
    return JS_EXCEPTION;
}

JSValue weir__js_throw_openssl(JSContext *context, const char *otherwise)
{
    struct weir__js_failure failure = {.count = 0};

    weir__js_failure_take(&failure);
    return weir__js_failure_throw(context, &failure, otherwise);
}

JSValue weir__js_throw_coded(JSContext *context, enum weir__js_error_class kind,
                             const char *code, const char *format, ...)
{
    char text[256];
    va_list arguments;
    JSValue error;

    ERR_clear_error();
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (kind == WEIR__JS_TYPE_ERROR)
        JS_ThrowTypeError(context, "%s", text);
    else if (kind == WEIR__JS_RANGE_ERROR)
        JS_ThrowRangeError(context, "%s", text);
    else
        JS_ThrowPlainError(context, "%s", text);
    error = JS_GetException(context);
    if (weir__js_set_property(context, error, "code",
                              JS_NewString(context, code)) >= 0)
        return JS_Throw(context, error);
    JS_FreeValue(context, error);
    return JS_EXCEPTION;
}
