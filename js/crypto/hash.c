/* SPDX-License-Identifier: MIT */
/*
 * hash -- digests and keyed digests (HMAC) of OpenSSL.
 *
 * Looking an algorithm up takes OpenSSL longer than hashing a short message, so
 * each host keeps the algorithms that it has used.
 *
 * Tested by  test/js/crypto/crypto-hash.js
 */
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/bytes.h"
#include "core/builtin.h"

enum { KEPT = 16 };

struct kept {
    char name[32];
    EVP_MD *algorithm;
};

struct hashes {
    struct kept kept[KEPT];
    unsigned count;
};

/* What is behind an object: a digest in progress. */
struct hash {
    EVP_MD_CTX *state;
    size_t size; /* of the result */
    bool is_keyed;
};

/* ---- algorithms ---- */

/* Some names, such as RSA-SHA1, are known only to the table of objects, which
 * gives the name that a provider knows. */
static EVP_MD *fetch_algorithm(const char *name)
{
    const EVP_MD *entry = EVP_get_digestbyname(name);

    return EVP_MD_fetch(NULL, entry != NULL ? EVP_MD_get0_name(entry) : name,
                        NULL);
}

/* Find an algorithm.  The caller releases it.  NULL: there is none. */
static EVP_MD *find_algorithm(struct hashes *hashes, const char *name)
{
    EVP_MD *algorithm;

    for (unsigned i = 0; i < hashes->count; i++)
        if (strcmp(hashes->kept[i].name, name) == 0) {
            algorithm = hashes->kept[i].algorithm;
            return EVP_MD_up_ref(algorithm) == 1 ? algorithm : NULL;
        }
    algorithm = fetch_algorithm(name);
    if (algorithm != NULL && hashes->count < KEPT &&
        strlen(name) < sizeof(hashes->kept[0].name) &&
        EVP_MD_up_ref(algorithm) == 1) {
        struct kept *kept = &hashes->kept[hashes->count++];

        strcpy(kept->name, name);
        kept->algorithm = algorithm;
    }
    return algorithm;
}

static void drop(weir_js *js)
{
    struct hashes *hashes = js->states[WEIR__JS_HASH];

    while (hashes->count > 0)
        EVP_MD_free(hashes->kept[--hashes->count].algorithm);
}

/* ---- objects ---- */

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    JSClassID id;
    struct hash *hash = JS_GetAnyOpaque(value, &id);

    if (hash != NULL) {
        EVP_MD_CTX_free(hash->state);
        free(hash);
    }
}

static struct hash *hash_of(JSContext *context, JSValueConst value)
{
    struct hash *hash =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_HASH);

    if (hash == NULL)
        JS_ThrowTypeError(context, "not a digest");
    return hash;
}

/* Make an object with a state that has no algorithm yet. */
static JSValue make(JSContext *context, struct hash **made)
{
    weir_js *js = weir__js_of(context);
    JSValue object = JS_NewObjectClass(context, js->classes[WEIR__JS_HASH]);
    struct hash *hash;

    if (JS_IsException(object))
        return object;
    hash = calloc(1, sizeof(*hash));
    if (hash != NULL)
        hash->state = EVP_MD_CTX_new();
    if (hash == NULL || hash->state == NULL) {
        free(hash);
        JS_FreeValue(context, object);
        return JS_ThrowOutOfMemory(context);
    }
    JS_SetOpaque(object, hash);
    *made = hash;
    return object;
}

/* Begin a digest; with a key, an HMAC.  Returns whether OpenSSL could. */
static bool begin(struct hash *hash, const EVP_MD *algorithm,
                  const struct weir__js_bytes *key)
{
    EVP_PKEY *secret;
    bool is_begun;

    hash->size = (size_t)EVP_MD_get_size(algorithm);
    if (key == NULL)
        return EVP_DigestInit_ex2(hash->state, algorithm, NULL) == 1;
    hash->is_keyed = true;
    secret =
        EVP_PKEY_new_raw_private_key(EVP_PKEY_HMAC, NULL, key->data, key->size);
    is_begun =
        secret != NULL &&
        EVP_DigestSignInit(hash->state, NULL, algorithm, NULL, secret) == 1;
    EVP_PKEY_free(secret);
    return is_begun;
}

/* open(name, key or undefined): undefined if there is no such algorithm */
static JSValue hash_open(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct hashes *hashes = weir__js_of(context)->states[WEIR__JS_HASH];
    bool is_keyed = !JS_IsUndefined(argv[1]);
    const char *name = JS_ToCString(context, argv[0]);
    struct weir__js_bytes key;
    struct hash *hash;
    EVP_MD *algorithm;
    JSValue object;

    if (name == NULL)
        return JS_EXCEPTION;
    algorithm = find_algorithm(hashes, name);
    JS_FreeCString(context, name);
    if (algorithm == NULL)
        return JS_UNDEFINED;
    object = make(context, &hash);
    if (!JS_IsException(object) && is_keyed &&
        weir__js_bytes(context, argv[1], &key) < 0) {
        JS_FreeValue(context, object);
        object = JS_EXCEPTION;
    }
    if (!JS_IsException(object) &&
        !begin(hash, algorithm, is_keyed ? &key : NULL)) {
        JS_FreeValue(context, object);
        object = JS_UNDEFINED;
    }
    EVP_MD_free(algorithm);
    return object;
}

/* setSize(hash, size): false if the algorithm has one size only */
static JSValue hash_set_size(JSContext *context, JSValueConst this_value,
                             int argc, JSValueConst *argv)
{
    struct hash *hash = hash_of(context, argv[0]);
    const EVP_MD *algorithm;
    uint32_t size;

    if (hash == NULL || JS_ToUint32(context, &size, argv[1]) < 0)
        return JS_EXCEPTION;
    algorithm = EVP_MD_CTX_get0_md(hash->state);
    if (size != hash->size &&
        (EVP_MD_get_flags(algorithm) & EVP_MD_FLAG_XOF) == 0)
        return JS_FALSE;
    hash->size = size;
    return JS_TRUE;
}

/* update(hash, bytes): false if OpenSSL refuses */
static JSValue hash_update(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct hash *hash = hash_of(context, argv[0]);
    struct weir__js_bytes bytes;
    int done;

    if (hash == NULL || weir__js_bytes(context, argv[1], &bytes) < 0)
        return JS_EXCEPTION;
    done = hash->is_keyed
               ? EVP_DigestSignUpdate(hash->state, bytes.data, bytes.size)
               : EVP_DigestUpdate(hash->state, bytes.data, bytes.size);
    return JS_NewBool(context, done == 1);
}

static int finish(struct hash *hash, uint8_t *to)
{
    size_t size = hash->size;

    if (hash->is_keyed)
        return EVP_DigestSignFinal(hash->state, to, &size);
    if ((EVP_MD_get_flags(EVP_MD_CTX_get0_md(hash->state)) & EVP_MD_FLAG_XOF) !=
        0)
        return size == 0 ? 1 : EVP_DigestFinalXOF(hash->state, to, size);
    return EVP_DigestFinal_ex(hash->state, to, NULL);
}

/* finish(hash): an ArrayBuffer */
static JSValue hash_finish(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct hash *hash = hash_of(context, argv[0]);
    JSValue buffer;
    uint8_t *to;

    if (hash == NULL)
        return JS_EXCEPTION;
    to = malloc(hash->size > 0 ? hash->size : 1);
    if (to == NULL)
        return JS_ThrowOutOfMemory(context);
    buffer = finish(hash, to) == 1
                 ? JS_NewArrayBufferCopy(context, to, hash->size)
                 : JS_ThrowInternalError(context, "the digest failed");
    free(to);
    return buffer;
}

/* copy(hash) */
static JSValue hash_copy(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct hash *from = hash_of(context, argv[0]), *to;
    JSValue object;

    if (from == NULL)
        return JS_EXCEPTION;
    object = make(context, &to);
    if (JS_IsException(object))
        return object;
    to->size = from->size;
    to->is_keyed = from->is_keyed;
    if (EVP_MD_CTX_copy_ex(to->state, from->state) == 1)
        return object;
    JS_FreeValue(context, object);
    return JS_ThrowOutOfMemory(context);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("open", 2, hash_open),
    JS_CFUNC_DEF("setSize", 2, hash_set_size),
    JS_CFUNC_DEF("update", 2, hash_update),
    JS_CFUNC_DEF("finish", 1, hash_finish),
    JS_CFUNC_DEF("copy", 1, hash_copy),
};

static const JSClassDef class_definition = {"Digest", .finalizer = finalize};

const struct weir__js_builtin weir__js_hash_builtin = {
    WEIR__JS_LIBS("crypto/hash"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &class_definition,
    .state_bytes = sizeof(struct hashes),
    .drop = drop,
};
