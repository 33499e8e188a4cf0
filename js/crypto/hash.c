/* SPDX-License-Identifier: MIT */
/*
 * hash -- digests and keyed digests (HMAC) of OpenSSL.
 *
 * Looking an algorithm up takes OpenSSL longer than hashing a short message, so
 * each host keeps the algorithms that it has used.
 *
 * Tested by  test/js/crypto/crypto-hash.js, test/js/crypto/crypto-hash-forms.js
 */
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/bytes.h"
#include "bytes/utf8.h"
#include "core/builtin.h"

enum { KEPT = 16 };

struct kept {
    char name[48];
    EVP_MD *algorithm;
};

/* What util.inspect shows of a digest: the keys and the values of two
 * properties that every digest has.  An HMAC has another handle. */
enum { HANDLE_KEY, STATE_KEY, HASH_HANDLE, HMAC_HANDLE, STATE, SHOWN };

struct hashes {
    JSValue shown[SHOWN]; /* first: set by setHooks */
    struct kept kept[KEPT];
    unsigned count, next; /* the one that is replaced when all are in use */
    EVP_MD_CTX *spare;    /* of the last digest that was freed, without data */
    bool is_over;
};

/* What is behind an object: a digest in progress. */
struct hash {
    EVP_MD_CTX *state;
    size_t size; /* of the result */
    bool is_keyed, is_finished;
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

/* Find an algorithm.  It is valid until the next call.  NULL: there is none. */
static const EVP_MD *find_algorithm(struct hashes *hashes, const char *name)
{
    EVP_MD *algorithm;
    struct kept *kept;

    for (unsigned i = 0; i < hashes->count; i++)
        if (strcmp(hashes->kept[i].name, name) == 0)
            return hashes->kept[i].algorithm;
    if (strlen(name) >= sizeof(kept->name))
        return NULL; /* longer than any name */
    algorithm = fetch_algorithm(name);
    if (algorithm == NULL)
        return NULL;
    if (hashes->count < KEPT) {
        kept = &hashes->kept[hashes->count++];
    } else {
        kept = &hashes->kept[hashes->next++ % KEPT];
        EVP_MD_free(kept->algorithm);
    }
    strcpy(kept->name, name);
    kept->algorithm = algorithm;
    return algorithm;
}

static void drop(weir_js *js)
{
    struct hashes *hashes = js->states[WEIR__JS_HASH];

    while (hashes->count > 0)
        EVP_MD_free(hashes->kept[--hashes->count].algorithm);
    if (hashes->spare != NULL) /* the call would load the library */
        EVP_MD_CTX_free(hashes->spare);
    hashes->spare = NULL;
    hashes->is_over = true;
}

/* ---- objects ---- */

/* Keep the state of a digest for the next one, cleared. */
static void free_state(struct hashes *hashes, struct hash *hash)
{
    if (hashes->is_over || hashes->spare != NULL || hash->is_keyed ||
        EVP_DigestInit_ex2(hash->state, NULL, NULL) != 1)
        EVP_MD_CTX_free(hash->state);
    else
        hashes->spare = hash->state;
}

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    JSClassID id;
    struct hash *hash = JS_GetAnyOpaque(value, &id);

    if (hash != NULL) {
        free_state(js->states[WEIR__JS_HASH], hash);
        free(hash);
    }
}

static EVP_MD_CTX *new_state(struct hashes *hashes)
{
    EVP_MD_CTX *state = hashes->spare;

    hashes->spare = NULL;
    return state != NULL ? state : EVP_MD_CTX_new();
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
static JSValue make(JSContext *context, JSValueConst prototype,
                    struct hash **made)
{
    weir_js *js = weir__js_of(context);
    JSValue object =
        JS_NewObjectProtoClass(context, prototype, js->classes[WEIR__JS_HASH]);
    struct hash *hash;

    if (JS_IsException(object))
        return object;
    hash = calloc(1, sizeof(*hash));
    if (hash != NULL)
        hash->state = new_state(js->states[WEIR__JS_HASH]);
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

static int define(JSContext *context, JSValueConst object, JSValueConst key,
                  JSValueConst value)
{
    JSAtom atom = JS_ValueToAtom(context, key);
    int status = -1;

    if (atom != JS_ATOM_NULL)
        status = JS_DefinePropertyValue(
            context, object, atom, JS_DupValue(context, value), JS_PROP_C_W_E);
    JS_FreeAtom(context, atom);
    return status;
}

/* show(hash, options, is HMAC): the properties that programs can see.  Setting
 * them in JavaScript would search the whole chain of prototypes. */
static JSValue hash_show(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    const struct hashes *hashes = weir__js_of(context)->states[WEIR__JS_HASH];
    const JSValue *shown = hashes->shown;
    int handle = JS_ToBool(context, argv[2]) == 1 ? HMAC_HANDLE : HASH_HANDLE;

    if (JS_DefinePropertyValueStr(context, argv[0], "_options",
                                  JS_DupValue(context, argv[1]),
                                  JS_PROP_C_W_E) < 0 ||
        define(context, argv[0], shown[HANDLE_KEY], shown[handle]) < 0 ||
        define(context, argv[0], shown[STATE_KEY], shown[STATE]) < 0)
        return JS_EXCEPTION;
    return JS_DupValue(context, argv[0]);
}

/* open(name, key or undefined, prototype): undefined if there is no such
 * algorithm */
static JSValue hash_open(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct hashes *hashes = weir__js_of(context)->states[WEIR__JS_HASH];
    bool is_keyed = !JS_IsUndefined(argv[1]);
    const char *name = JS_ToCString(context, argv[0]);
    struct weir__js_bytes key;
    struct hash *hash;
    const EVP_MD *algorithm;
    JSValue object;

    if (name == NULL)
        return JS_EXCEPTION;
    algorithm = find_algorithm(hashes, name);
    JS_FreeCString(context, name);
    if (algorithm == NULL)
        return JS_UNDEFINED;
    object = make(context, argv[2], &hash);
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

static bool feed(struct hash *hash, const void *bytes, size_t size)
{
    return (hash->is_keyed ? EVP_DigestSignUpdate(hash->state, bytes, size)
                           : EVP_DigestUpdate(hash->state, bytes, size)) == 1;
}

/* A string as UTF-8.  False if it has lone surrogates. */
static JSValue update_text(JSContext *context, struct hash *hash,
                           JSValueConst string)
{
    size_t size;
    const char *text = JS_ToCStringLen(context, &size, string);
    bool is_done;

    if (text == NULL)
        return JS_EXCEPTION;
    is_done = weir__js_utf8_valid((const uint8_t *)text, size) == size &&
              feed(hash, text, size);
    JS_FreeCString(context, text);
    return JS_NewBool(context, is_done);
}

/* update(hash, data, encoding): false if the digest is finished, if OpenSSL
 * refuses, or if the data is neither a typed array nor a string without an
 * encoding. */
static JSValue hash_update(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct hash *hash = hash_of(context, argv[0]);
    struct weir__js_bytes bytes;

    if (hash == NULL)
        return JS_EXCEPTION;
    if (hash->is_finished)
        return JS_FALSE;
    if (JS_IsString(argv[1]) && JS_IsUndefined(argv[2]))
        return update_text(context, hash, argv[1]);
    if (JS_GetTypedArrayType(argv[1]) < 0)
        return JS_FALSE;
    if (weir__js_bytes(context, argv[1], &bytes) < 0)
        return JS_EXCEPTION;
    return JS_NewBool(context, feed(hash, bytes.data, bytes.size));
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

static JSValue result_of(JSContext *context, JSValueConst *argv,
                         const uint8_t *bytes, size_t size)
{
    JSValue array;
    int32_t kind;

    if (JS_IsUndefined(argv[1])) {
        array = JS_NewUint8ArrayCopy(context, bytes, size);
        if (!JS_IsException(array) && JS_IsObject(argv[2]))
            (void)JS_SetPrototype(context, array, argv[2]);
        return array;
    }
    if (JS_ToInt32(context, &kind, argv[1]) < 0)
        return JS_EXCEPTION;
    return weir__js_decoded(context, kind, bytes, size);
}

/* finish(hash, encoding or undefined, prototype): a string, or a Uint8Array
 * with that prototype.  Undefined if the digest was finished before. */
static JSValue hash_finish(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct hash *hash = hash_of(context, argv[0]);
    uint8_t here[EVP_MAX_MD_SIZE], *to = here;
    JSValue result;

    if (hash == NULL)
        return JS_EXCEPTION;
    if (hash->is_finished)
        return JS_UNDEFINED;
    if (hash->size > sizeof(here)) {
        to = malloc(hash->size);
        if (to == NULL)
            return JS_ThrowOutOfMemory(context);
    }
    hash->is_finished = true;
    result = finish(hash, to) == 1
                 ? result_of(context, argv, to, hash->size)
                 : JS_ThrowInternalError(context, "the digest failed");
    if (to != here)
        free(to);
    return result;
}

/* copy(hash, prototype) */
static JSValue hash_copy(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct hash *from = hash_of(context, argv[0]), *to;
    JSValue object;

    if (from == NULL)
        return JS_EXCEPTION;
    object = make(context, argv[1], &to);
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
    JS_CFUNC_DEF("open", 3, hash_open),
    JS_CFUNC_DEF("show", 3, hash_show),
    JS_CFUNC_DEF("setSize", 2, hash_set_size),
    JS_CFUNC_DEF("update", 3, hash_update),
    JS_CFUNC_DEF("finish", 3, hash_finish),
    JS_CFUNC_DEF("copy", 2, hash_copy),
};

static const JSClassDef class_definition = {"Digest", .finalizer = finalize};

const struct weir__js_builtin weir__js_hash_builtin = {
    WEIR__JS_LIBS("crypto/hash"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &class_definition,
    .state_bytes = sizeof(struct hashes),
    .hook_count = SHOWN,
    .drop = drop,
};
