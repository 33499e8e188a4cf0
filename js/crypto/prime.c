/* SPDX-License-Identifier: MIT */
/*
 * prime -- searching for primes, and testing numbers.
 *
 * Thread    The caller's, or one of the pool.
 *
 * Tested by  test/js/crypto/prime.js
 */
#include <openssl/bn.h>
#include <stdlib.h>

#include "core/builtin.h"
#include "crypto/operation.h"

struct search {
    struct weir__js_operation operation; /* first */
    int bits;                            /* 0: test the number */
    bool is_safe, is_prime;
    BIGNUM *add, *rem;
    BIGNUM *number;
};

static bool run_search(struct weir__js_operation *operation)
{
    struct search *s = (struct search *)operation;
    int result;

    if (s->bits != 0)
        return s->number != NULL &&
               BN_generate_prime_ex(s->number, s->bits, s->is_safe, s->add,
                                    s->rem, NULL) == 1;
    result = BN_check_prime(s->number, NULL, NULL);
    s->is_prime = result == 1;
    return result >= 0;
}

static JSValue finish_search(struct weir__js_operation *operation,
                             JSContext *context)
{
    struct search *s = (struct search *)operation;
    struct weir__js_secret secret = {NULL, 0};
    size_t size = ((size_t)s->bits + 7) / 8;
    JSValue value;

    if (s->bits == 0)
        return JS_NewBool(context, s->is_prime);
    if (!weir__js_secret_reserve(&secret, size))
        return JS_ThrowOutOfMemory(context);
    BN_bn2binpad(s->number, secret.bytes, (int)size);
    value = weir__js_secret_buffer(context, &secret);
    weir__js_secret_free(&secret);
    return value;
}

static void drop_search(struct weir__js_operation *operation)
{
    struct search *s = (struct search *)operation;

    BN_free(s->add);
    BN_free(s->rem);
    BN_clear_free(s->number);
}

static const struct weir__js_operation_kind search_kind = {
    "prime search",        run_search, finish_search, drop_search,
    "Prime search failed", true};

/* The number of these bytes; NULL for undefined.  Returns -1 with an
 * exception. */
static int read_number(JSContext *context, JSValueConst value, BIGNUM **number)
{
    struct weir__js_secret bytes = {NULL, 0};

    if (weir__js_secret_copy(context, value, &bytes) < 0)
        return -1;
    if (bytes.bytes == NULL)
        return 0;
    *number = BN_bin2bn(bytes.bytes, (int)bytes.size, NULL);
    weir__js_secret_free(&bytes);
    if (*number != NULL)
        return 0;
    JS_ThrowOutOfMemory(context);
    return -1;
}

/* Refuse what OpenSSL would search for without end.  Returns -1 with an
 * exception. */
static int check_search(JSContext *context, const struct search *s)
{
    const char *wrong = NULL;

    if (s->add != NULL && BN_num_bits(s->add) > s->bits)
        wrong = "invalid options.add";
    else if (s->rem != NULL && s->add != NULL && BN_cmp(s->add, s->rem) != 1)
        wrong = "invalid options.rem";
    if (wrong == NULL)
        return 0;
    weir__js_throw_coded(context, WEIR__JS_RANGE_ERROR, "ERR_OUT_OF_RANGE",
                         "%s", wrong);
    return -1;
}

/* search(bits, is safe, add, rem, resolve, reject): an ArrayBuffer */
static JSValue prime_search(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    struct search *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return JS_ThrowOutOfMemory(context);
    s->is_safe = JS_ToBool(context, argv[1]) == 1;
    s->number = BN_secure_new();
    if (JS_ToInt32(context, &s->bits, argv[0]) == 0 &&
        read_number(context, argv[2], &s->add) == 0 &&
        read_number(context, argv[3], &s->rem) == 0 &&
        check_search(context, s) == 0)
        return weir__js_operation_start(context, &s->operation, &search_kind,
                                        argv[4], argv[5]);
    weir__js_operation_free(&s->operation, &search_kind);
    return JS_EXCEPTION;
}

/* check(bytes, resolve, reject): whether it is a prime */
static JSValue prime_check(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct search *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return JS_ThrowOutOfMemory(context);
    if (read_number(context, argv[0], &s->number) == 0)
        return weir__js_operation_start(context, &s->operation, &search_kind,
                                        argv[1], argv[2]);
    weir__js_operation_free(&s->operation, &search_kind);
    return JS_EXCEPTION;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("search", 6, prime_search),
    JS_CFUNC_DEF("check", 3, prime_check),
};

const struct weir__js_builtin weir__js_prime_builtin = {
    WEIR__JS_LIBS("crypto/prime"),
    WEIR__JS_NATIVES(natives),
};
