/* SPDX-License-Identifier: MIT */
/*
 * cipher -- encryption and decryption in pieces.
 *
 * The rules of Node for authenticated modes are kept: which sizes of tags are
 * good, that the tag must be known before the first piece is decrypted in CCM,
 * and that a wrong tag is reported at the end.
 *
 * Tested by  test/js/crypto/cipher.js, test/js/crypto/cipher-errors.js
 */
#include "crypto/cipher.h"

#include <limits.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/bytes.h"
#include "core/builtin.h"
#include "core/property.h"
#include "crypto/failure.h"

enum { NO_TAG = -1, MOST_TAG = 16 };

enum tag_state { TAG_MISSING, TAG_KNOWN, TAG_PASSED };

/* What is behind an object. */
struct cipher {
    EVP_CIPHER_CTX *state; /* NULL: it has ended */
    bool is_decryption, is_aead, is_ccm, is_chacha;
    bool has_failed; /* CCM: the tag was wrong */
    enum tag_state tag_state;
    int tag_size; /* or NO_TAG: it may be any */
    size_t most;  /* CCM: of the message */
    uint8_t tag[MOST_TAG];
};

/* ---- objects ---- */

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    JSClassID id;
    struct cipher *cipher = JS_GetAnyOpaque(value, &id);

    if (cipher == NULL)
        return;
    EVP_CIPHER_CTX_free(cipher->state);
    free(cipher);
}

static struct cipher *cipher_of(JSContext *context, JSValueConst value)
{
    struct cipher *cipher =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_CIPHER);

    if (cipher == NULL)
        JS_ThrowTypeError(context, "not a cipher");
    return cipher;
}

static JSValue new_handle(JSContext *context, struct cipher **made)
{
    weir_js *js = weir__js_of(context);
    JSValue object = JS_NewObjectClass(context, js->classes[WEIR__JS_CIPHER]);

    if (JS_IsException(object))
        return object;
    *made = calloc(1, sizeof(**made));
    if (*made != NULL)
        (*made)->state = EVP_CIPHER_CTX_new();
    if (*made == NULL || (*made)->state == NULL) {
        free(*made);
        JS_FreeValue(context, object);
        return JS_ThrowOutOfMemory(context);
    }
    JS_SetOpaque(object, *made);
    return object;
}

/* ---- beginning ---- */

static int refuse_tag(JSContext *context, int size)
{
    weir__js_throw_coded(context, WEIR__JS_TYPE_ERROR,
                         "ERR_CRYPTO_INVALID_AUTH_TAG",
                         "Invalid authentication tag length: %d", size);
    return -1;
}

static int refuse_iv(JSContext *context)
{
    weir__js_throw_coded(context, WEIR__JS_TYPE_ERROR, "ERR_CRYPTO_INVALID_IV",
                         "Invalid initialization vector");
    return -1;
}

/* NIST allows these in GCM. */
static bool is_gcm_tag(int size)
{
    return size == 4 || size == 8 || (size >= 12 && size <= MOST_TAG);
}

/* The sizes of the IV and of the tag.  Returns -1 with an exception. */
static int begin_aead(JSContext *context, struct cipher *cipher,
                      const EVP_CIPHER *kind, const char *name, size_t iv_size)
{
    if (EVP_CIPHER_CTX_ctrl(cipher->state, EVP_CTRL_AEAD_SET_IVLEN,
                            (int)iv_size, NULL) != 1)
        return refuse_iv(context);
    if (EVP_CIPHER_get_mode(kind) == EVP_CIPH_GCM_MODE)
        return cipher->tag_size == NO_TAG || is_gcm_tag(cipher->tag_size)
                   ? 0
                   : refuse_tag(context, cipher->tag_size);
    if (cipher->tag_size == NO_TAG && !cipher->is_chacha) {
        weir__js_throw_coded(context, WEIR__JS_TYPE_ERROR,
                             "ERR_CRYPTO_INVALID_AUTH_TAG",
                             "authTagLength required for %s", name);
        return -1;
    }
    if (cipher->tag_size == NO_TAG)
        cipher->tag_size = MOST_TAG;
    if (EVP_CIPHER_CTX_ctrl(cipher->state, EVP_CTRL_AEAD_SET_TAG,
                            cipher->tag_size, NULL) != 1)
        return refuse_tag(context, cipher->tag_size);
    cipher->most = iv_size == 13 ? 65535 : iv_size == 12 ? 16777215 : INT_MAX;
    return 0;
}

/* Returns -1 with an exception. */
static int begin(JSContext *context, struct cipher *cipher,
                 const EVP_CIPHER *kind, const char *name,
                 const struct weir__js_bytes *key,
                 const struct weir__js_bytes *iv)
{
    int needed = EVP_CIPHER_get_iv_length(kind);
    int is_encryption = !cipher->is_decryption;

    cipher->is_aead = weir__js_cipher_is_aead(kind);
    cipher->is_ccm = EVP_CIPHER_get_mode(kind) == EVP_CIPH_CCM_MODE;
    cipher->is_chacha = EVP_CIPHER_get_nid(kind) == NID_chacha20_poly1305;
    if ((iv == NULL && needed != 0) ||
        (iv != NULL && !cipher->is_aead && iv->size != (size_t)needed) ||
        (iv != NULL && cipher->is_chacha && iv->size > 12))
        return refuse_iv(context);
    if (EVP_CIPHER_get_mode(kind) == EVP_CIPH_WRAP_MODE)
        EVP_CIPHER_CTX_set_flags(cipher->state, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    if (EVP_CipherInit_ex(cipher->state, kind, NULL, NULL, NULL,
                          is_encryption) != 1) {
        weir__js_throw_openssl(context, "Failed to initialize cipher");
        return -1;
    }
    if (cipher->is_aead &&
        begin_aead(context, cipher, kind, name, iv != NULL ? iv->size : 0) < 0)
        return -1;
    if (EVP_CIPHER_CTX_set_key_length(cipher->state, (int)key->size) != 1) {
        weir__js_throw_coded(context, WEIR__JS_RANGE_ERROR,
                             "ERR_CRYPTO_INVALID_KEYLEN", "Invalid key length");
        return -1;
    }
    if (EVP_CipherInit_ex(cipher->state, NULL, NULL, key->data,
                          iv != NULL ? iv->data : NULL, is_encryption) == 1)
        return 0;
    weir__js_throw_openssl(context, "Failed to initialize cipher");
    return -1;
}

/* A cipher by name; NULL with an exception. */
static const EVP_CIPHER *find_kind(JSContext *context, const char *name)
{
    const EVP_CIPHER *kind = name != NULL ? EVP_get_cipherbyname(name) : NULL;

    if (kind == NULL && name != NULL)
        weir__js_throw_coded(context, WEIR__JS_ERROR,
                             "ERR_CRYPTO_UNKNOWN_CIPHER", "Unknown cipher");
    return kind;
}

/* open(name, is decryption, key, IV or null, size of the tag or -1) */
static JSValue cipher_open(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    bool has_iv = !JS_IsNull(argv[3]);
    const char *name = JS_ToCString(context, argv[0]);
    const EVP_CIPHER *kind = find_kind(context, name);
    struct weir__js_bytes key, iv;
    struct cipher *cipher;
    JSValue object = JS_EXCEPTION;

    ERR_clear_error();
    if (kind != NULL)
        object = new_handle(context, &cipher);
    if (!JS_IsException(object)) {
        cipher->is_decryption = JS_ToBool(context, argv[1]) == 1;
        if (JS_ToInt32(context, &cipher->tag_size, argv[4]) < 0 ||
            weir__js_bytes(context, argv[2], &key) < 0 ||
            (has_iv && weir__js_bytes(context, argv[3], &iv) < 0) ||
            begin(context, cipher, kind, name, &key, has_iv ? &iv : NULL) < 0) {
            JS_FreeValue(context, object);
            object = JS_EXCEPTION;
        }
    }
    JS_FreeCString(context, name);
    return object;
}

/* passwordKey(name, password): [key, IV] as the old createCipher derives them */
static JSValue password_key(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    const char *name = JS_ToCString(context, argv[0]);
    const EVP_CIPHER *kind = find_kind(context, name);
    uint8_t key[EVP_MAX_KEY_LENGTH], iv[EVP_MAX_IV_LENGTH];
    struct weir__js_bytes password;
    JSValue values[2], list = JS_EXCEPTION;
    int size;

    if (kind != NULL && weir__js_bytes(context, argv[1], &password) == 0) {
        size = EVP_BytesToKey(kind, EVP_md5(), NULL, password.data,
                              (int)password.size, 1, key, iv);
        values[0] = JS_NewArrayBufferCopy(context, key, (size_t)size);
        values[1] = JS_NewArrayBufferCopy(
            context, iv, (size_t)EVP_CIPHER_get_iv_length(kind));
        list = weir__js_new_array(context, 2, values);
    }
    JS_FreeCString(context, name);
    OPENSSL_cleanse(key, sizeof(key));
    return list;
}

/* ---- pieces ---- */

/* Give OpenSSL the tag, once. */
static bool pass_tag(struct cipher *cipher)
{
    if (!cipher->is_decryption || cipher->tag_state != TAG_KNOWN)
        return true;
    if (EVP_CIPHER_CTX_ctrl(cipher->state, EVP_CTRL_AEAD_SET_TAG,
                            cipher->tag_size, cipher->tag) != 1)
        return false;
    cipher->tag_state = TAG_PASSED;
    return true;
}

static JSValue refuse_length(JSContext *context)
{
    return weir__js_throw_coded(context, WEIR__JS_RANGE_ERROR,
                                "ERR_CRYPTO_INVALID_MESSAGELEN",
                                "Invalid message length");
}

static JSValue refuse_data(JSContext *context)
{
    return weir__js_throw_openssl(context,
                                  "Trying to add data in unsupported state");
}

/* How many bytes a piece may become. */
static int room_for(struct cipher *cipher, const struct weir__js_bytes *bytes)
{
    int size = (int)bytes->size + EVP_CIPHER_CTX_get_block_size(cipher->state);
    int wrapped = 0;

    if (EVP_CIPHER_CTX_get_mode(cipher->state) == EVP_CIPH_WRAP_MODE &&
        EVP_CipherUpdate(cipher->state, NULL, &wrapped, bytes->data,
                         (int)bytes->size) == 1 &&
        wrapped > size)
        size = wrapped;
    return size;
}

/* update(cipher, bytes): an ArrayBuffer */
static JSValue cipher_update(JSContext *context, JSValueConst this_value,
                             int argc, JSValueConst *argv)
{
    struct cipher *cipher = cipher_of(context, argv[0]);
    struct weir__js_bytes bytes;
    JSValue value;
    uint8_t *to;
    int size, done;

    if (cipher == NULL || weir__js_bytes(context, argv[1], &bytes) < 0)
        return JS_EXCEPTION;
    ERR_clear_error();
    if (bytes.size > INT_MAX - 64)
        return weir__js_throw_coded(context, WEIR__JS_RANGE_ERROR,
                                    "ERR_OUT_OF_RANGE", "data is too long");
    if (cipher->state == NULL)
        return refuse_data(context);
    if (cipher->is_ccm && bytes.size > cipher->most)
        return refuse_length(context);
    if (cipher->is_aead && !pass_tag(cipher))
        return refuse_data(context);
    to = malloc((size_t)room_for(cipher, &bytes) + 1);
    if (to == NULL)
        return JS_ThrowOutOfMemory(context);
    size = 0;
    done =
        EVP_CipherUpdate(cipher->state, to, &size, bytes.data, (int)bytes.size);
    if (done != 1 && cipher->is_ccm && cipher->is_decryption) {
        cipher->has_failed = true;
        size = 0;
        done = 1;
        ERR_clear_error();
    }
    value = done == 1 ? JS_NewArrayBufferCopy(context, to, (size_t)size)
                      : refuse_data(context);
    free(to);
    return value;
}

static bool finish(struct cipher *cipher, uint8_t *to, int *size)
{
    if (cipher->is_aead && cipher->is_decryption && !pass_tag(cipher))
        return false;
    if (cipher->is_chacha && cipher->is_decryption &&
        cipher->tag_state != TAG_PASSED)
        return false;
    if (cipher->is_ccm && cipher->is_decryption)
        return !cipher->has_failed && cipher->tag_state == TAG_PASSED;
    if (EVP_CipherFinal_ex(cipher->state, to, size) != 1)
        return false;
    if (!cipher->is_aead || cipher->is_decryption)
        return true;
    if (cipher->tag_size == NO_TAG)
        cipher->tag_size = MOST_TAG;
    cipher->tag_state = TAG_KNOWN;
    return EVP_CIPHER_CTX_ctrl(cipher->state, EVP_CTRL_AEAD_GET_TAG,
                               cipher->tag_size, cipher->tag) == 1;
}

/* finish(cipher): an ArrayBuffer; the cipher ends, even if it fails */
static JSValue cipher_finish(JSContext *context, JSValueConst this_value,
                             int argc, JSValueConst *argv)
{
    struct cipher *cipher = cipher_of(context, argv[0]);
    uint8_t to[EVP_MAX_BLOCK_LENGTH];
    int size = 0;
    bool is_done;

    if (cipher == NULL)
        return JS_EXCEPTION;
    if (cipher->state == NULL)
        return weir__js_throw_coded(context, WEIR__JS_ERROR,
                                    "ERR_CRYPTO_INVALID_STATE",
                                    "Invalid state");
    ERR_clear_error();
    is_done = finish(cipher, to, &size);
    EVP_CIPHER_CTX_free(cipher->state);
    cipher->state = NULL;
    if (is_done)
        return JS_NewArrayBufferCopy(context, to, (size_t)size);
    return weir__js_throw_openssl(
        context, cipher->is_aead
                     ? "Unsupported state or unable to authenticate data"
                     : "Unsupported state");
}

/* setPadding(cipher, is on): false if the cipher has ended */
static JSValue set_padding(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct cipher *cipher = cipher_of(context, argv[0]);

    if (cipher == NULL)
        return JS_EXCEPTION;
    return JS_NewBool(
        context, cipher->state != NULL &&
                     EVP_CIPHER_CTX_set_padding(
                         cipher->state, JS_ToBool(context, argv[1]) == 1) == 1);
}

/* ---- authentication ---- */

/* setTag(cipher, bytes): false if this is not the time for it */
static JSValue set_tag(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    struct cipher *cipher = cipher_of(context, argv[0]);
    struct weir__js_bytes tag;
    bool is_good;

    if (cipher == NULL || weir__js_bytes(context, argv[1], &tag) < 0)
        return JS_EXCEPTION;
    if (cipher->state == NULL || !cipher->is_aead || !cipher->is_decryption ||
        cipher->tag_state != TAG_MISSING)
        return JS_FALSE;
    is_good = tag.size <= MOST_TAG &&
              (cipher->tag_size == NO_TAG || cipher->tag_size == (int)tag.size);
    if (EVP_CIPHER_CTX_get_mode(cipher->state) == EVP_CIPH_GCM_MODE)
        is_good = is_good && is_gcm_tag((int)tag.size);
    if (!is_good) {
        refuse_tag(context, (int)tag.size);
        return JS_EXCEPTION;
    }
    cipher->tag_size = (int)tag.size;
    memcpy(cipher->tag, tag.data, tag.size);
    cipher->tag_state = TAG_KNOWN;
    return JS_TRUE;
}

/* getTag(cipher): an ArrayBuffer; undefined before the end */
static JSValue get_tag(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    struct cipher *cipher = cipher_of(context, argv[0]);

    if (cipher == NULL)
        return JS_EXCEPTION;
    if (cipher->state != NULL || cipher->is_decryption ||
        cipher->tag_state != TAG_KNOWN)
        return JS_UNDEFINED;
    return JS_NewArrayBufferCopy(context, cipher->tag,
                                 (size_t)cipher->tag_size);
}

/* Tell CCM the size of the message, which it needs first.  Returns -1 with an
 * exception, 0 if OpenSSL refuses. */
static int begin_ccm(JSContext *context, struct cipher *cipher, int32_t size)
{
    int unused;

    if (size < 0) {
        weir__js_throw_coded(
            context, WEIR__JS_TYPE_ERROR, "ERR_MISSING_ARGS",
            "options.plaintextLength required for CCM mode with AAD");
        return -1;
    }
    if ((size_t)size > cipher->most) {
        refuse_length(context);
        return -1;
    }
    return pass_tag(cipher) &&
           EVP_CipherUpdate(cipher->state, NULL, &unused, NULL, size) == 1;
}

/* setData(cipher, bytes, size of the message or -1): additional data; false if
 * this is not the time for it */
static JSValue set_data(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    struct cipher *cipher = cipher_of(context, argv[0]);
    struct weir__js_bytes bytes;
    int32_t size;
    int unused, status;

    if (cipher == NULL || JS_ToInt32(context, &size, argv[2]) < 0 ||
        weir__js_bytes(context, argv[1], &bytes) < 0)
        return JS_EXCEPTION;
    if (cipher->state == NULL || !cipher->is_aead)
        return JS_FALSE;
    status = cipher->is_ccm ? begin_ccm(context, cipher, size) : 1;
    if (status < 0)
        return JS_EXCEPTION;
    status = status == 1 && EVP_CipherUpdate(cipher->state, NULL, &unused,
                                             bytes.data, (int)bytes.size) == 1;
    ERR_clear_error();
    return JS_NewBool(context, status);
}

/* ---- lists ---- */

struct list {
    JSContext *context;
    JSValue array;
    uint32_t count;
    bool has_failed;
};

static void add_kind(const EVP_CIPHER *unused, const char *name,
                     const char *alias, void *arg)
{
    struct list *list = arg;
    const EVP_CIPHER *kind;
    EVP_CIPHER *fetched;

    if (list->has_failed || name == NULL)
        return;
    /* The table has ciphers that no provider has. */
    kind = EVP_get_cipherbyname(name);
    fetched = kind != NULL
                  ? EVP_CIPHER_fetch(NULL, EVP_CIPHER_get0_name(kind), NULL)
                  : NULL;
    if (fetched == NULL)
        return;
    EVP_CIPHER_free(fetched);
    list->has_failed =
        weir__js_set_element(list->context, list->array, list->count++,
                             JS_NewString(list->context, name)) < 0;
}

/* names(): of all ciphers, some more than once */
static JSValue names(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    struct list list = {context, JS_NewArray(context), 0, false};

    if (JS_IsException(list.array))
        return list.array;
    EVP_CIPHER_do_all_sorted(add_kind, &list);
    ERR_clear_error();
    if (!list.has_failed)
        return list.array;
    JS_FreeValue(context, list.array);
    return JS_EXCEPTION;
}

static const char *mode_name(const EVP_CIPHER *kind)
{
    switch (EVP_CIPHER_get_mode(kind)) {
    case EVP_CIPH_CBC_MODE:
        return "cbc";
    case EVP_CIPH_CCM_MODE:
        return "ccm";
    case EVP_CIPH_CFB_MODE:
        return "cfb";
    case EVP_CIPH_CTR_MODE:
        return "ctr";
    case EVP_CIPH_ECB_MODE:
        return "ecb";
    case EVP_CIPH_GCM_MODE:
        return "gcm";
    case EVP_CIPH_OCB_MODE:
        return "ocb";
    case EVP_CIPH_OFB_MODE:
        return "ofb";
    case EVP_CIPH_WRAP_MODE:
        return "wrap";
    case EVP_CIPH_XTS_MODE:
        return "xts";
    default:
        return "stream";
    }
}

/* Whether a cipher takes these sizes; a negative one is not asked for.  *iv_size
 * becomes the size to report. */
static bool takes_sizes(const EVP_CIPHER *kind, int key_size, int *iv_size)
{
    EVP_CIPHER_CTX *state = EVP_CIPHER_CTX_new();
    int mode = EVP_CIPHER_get_mode(kind), asked = *iv_size;
    bool is_good =
        state != NULL &&
        EVP_CipherInit_ex(state, kind, NULL, NULL, NULL, 1) == 1 &&
        (key_size < 0 || EVP_CIPHER_CTX_set_key_length(state, key_size) == 1);

    *iv_size = EVP_CIPHER_get_iv_length(kind);
    if (is_good && asked >= 0) {
        /* CCM has 7 to 13 bytes, which OpenSSL does not check here. */
        if (mode == EVP_CIPH_CCM_MODE)
            is_good = asked >= 7 && asked <= 13;
        else if (weir__js_cipher_is_aead(kind))
            is_good = EVP_CIPHER_CTX_ctrl(state, EVP_CTRL_AEAD_SET_IVLEN, asked,
                                          NULL) == 1;
        else
            is_good = asked == *iv_size;
        *iv_size = asked;
    }
    EVP_CIPHER_CTX_free(state);
    ERR_clear_error();
    return is_good;
}

static JSValue describe(JSContext *context, const EVP_CIPHER *kind,
                        int key_size, int iv_size)
{
    JSValue object = JS_NewObject(context);
    int block = EVP_CIPHER_get_block_size(kind);
    bool is_done =
        !JS_IsException(object) &&
        weir__js_set_property(context, object, "mode",
                              JS_NewString(context, mode_name(kind))) >= 0 &&
        weir__js_set_property(
            context, object, "name",
            JS_NewString(context, OBJ_nid2sn(EVP_CIPHER_get_nid(kind)))) >= 0 &&
        weir__js_set_property(context, object, "nid",
                              JS_NewInt32(context, EVP_CIPHER_get_nid(kind))) >=
            0 &&
        (EVP_CIPHER_get_mode(kind) == EVP_CIPH_STREAM_CIPHER ||
         weir__js_set_property(context, object, "blockSize",
                               JS_NewInt32(context, block)) >= 0) &&
        (iv_size == 0 ||
         weir__js_set_property(context, object, "ivLength",
                               JS_NewInt32(context, iv_size)) >= 0) &&
        weir__js_set_property(context, object, "keyLength",
                              JS_NewInt32(context, key_size)) >= 0;

    if (is_done)
        return object;
    JS_FreeValue(context, object);
    return JS_EXCEPTION;
}

/* info(name or number, size of the key or -1, of the IV or -1): undefined if
 * there is no such cipher */
static JSValue info(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    const EVP_CIPHER *kind;
    int32_t number, key_size, iv_size;
    const char *name;

    if (JS_ToInt32(context, &key_size, argv[1]) < 0 ||
        JS_ToInt32(context, &iv_size, argv[2]) < 0)
        return JS_EXCEPTION;
    if (JS_IsNumber(argv[0])) {
        if (JS_ToInt32(context, &number, argv[0]) < 0)
            return JS_EXCEPTION;
        kind = EVP_get_cipherbynid(number);
    } else {
        name = JS_ToCString(context, argv[0]);
        if (name == NULL)
            return JS_EXCEPTION;
        kind = EVP_get_cipherbyname(name);
        JS_FreeCString(context, name);
    }
    if (kind == NULL || !takes_sizes(kind, key_size, &iv_size))
        return JS_UNDEFINED;
    return describe(context, kind,
                    key_size >= 0 ? key_size : EVP_CIPHER_get_key_length(kind),
                    iv_size);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("open", 5, cipher_open),
    JS_CFUNC_DEF("passwordKey", 2, password_key),
    JS_CFUNC_DEF("update", 2, cipher_update),
    JS_CFUNC_DEF("finish", 1, cipher_finish),
    JS_CFUNC_DEF("setPadding", 2, set_padding),
    JS_CFUNC_DEF("setTag", 2, set_tag),
    JS_CFUNC_DEF("getTag", 1, get_tag),
    JS_CFUNC_DEF("setData", 3, set_data),
    JS_CFUNC_DEF("names", 0, names),
    JS_CFUNC_DEF("info", 3, info),
};

static const JSClassDef class_definition = {"CipherBase",
                                            .finalizer = finalize};

const struct weir__js_builtin weir__js_cipher_builtin = {
    WEIR__JS_LIBS("crypto/cipher"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &class_definition,
};
