/* SPDX-License-Identifier: MIT */
/*
 * whole -- digests and encryption of a whole message, for crypto.subtle.
 *
 * Data      An operation with copies of its inputs, and the output.
 * Thread    One of the pool.
 *
 * Tested by  test/js/crypto/subtle.js
 */
#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <string.h>

#include "core/builtin.h"
#include "crypto/cipher.h"
#include "crypto/key.h"

enum { BLOCK = 16 };

struct whole {
    struct weir__js_operation operation; /* first */
    char name[32];                       /* of the digest or the cipher */
    bool is_decryption;
    int counter_bits; /* of CTR; 0: it is another mode */
    size_t tag_size;  /* of GCM; 0: it is another mode */
    struct weir__js_secret key, iv, additional, data, output;
};

/* ---- digests ---- */

static bool run_digest(struct weir__js_operation *operation)
{
    struct whole *w = (struct whole *)operation;
    EVP_MD *digest = EVP_MD_fetch(NULL, w->name, NULL);
    unsigned size = EVP_MAX_MD_SIZE;
    bool is_done = digest != NULL && weir__js_secret_reserve(&w->output, size);

    if (is_done && w->key.bytes == NULL)
        is_done = EVP_Digest(w->data.bytes, w->data.size, w->output.bytes,
                             &size, digest, NULL) == 1;
    else if (is_done)
        is_done = HMAC(digest, w->key.bytes, (int)w->key.size, w->data.bytes,
                       w->data.size, w->output.bytes, &size) != NULL;
    if (is_done)
        w->output.size = size;
    EVP_MD_free(digest);
    return is_done;
}

/* ---- ciphers ---- */

static bool update(EVP_CIPHER_CTX *state, uint8_t *to, int *size,
                   const uint8_t *from, size_t from_size)
{
    *size = 0;
    return from_size <= INT_MAX &&
           EVP_CipherUpdate(state, to, size, from, (int)from_size) == 1;
}

/* The data; of GCM, what comes before the tag. */
static bool run_cipher_with(struct whole *w, EVP_CIPHER_CTX *state,
                            const EVP_CIPHER *cipher)
{
    size_t size = w->data.size - (w->is_decryption ? w->tag_size : 0);
    int is_encryption = !w->is_decryption, first, last;

    EVP_CIPHER_CTX_set_flags(state, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    if (EVP_CipherInit_ex(state, cipher, NULL, NULL, NULL, is_encryption) !=
            1 ||
        (w->tag_size > 0 && EVP_CIPHER_CTX_ctrl(state, EVP_CTRL_AEAD_SET_IVLEN,
                                                (int)w->iv.size, NULL) != 1) ||
        EVP_CipherInit_ex(state, NULL, NULL, w->key.bytes, w->iv.bytes,
                          is_encryption) != 1 ||
        (w->tag_size > 0 && w->is_decryption &&
         EVP_CIPHER_CTX_ctrl(state, EVP_CTRL_AEAD_SET_TAG, (int)w->tag_size,
                             w->data.bytes + size) != 1) ||
        (w->additional.size > 0 &&
         !update(state, NULL, &first, w->additional.bytes,
                 w->additional.size)) ||
        !weir__js_secret_reserve(&w->output, size + w->tag_size + 2 * BLOCK) ||
        !update(state, w->output.bytes, &first, w->data.bytes, size) ||
        EVP_CipherFinal_ex(state, w->output.bytes + first, &last) != 1)
        return false;
    w->output.size = (size_t)(first + last);
    if (w->tag_size == 0 || w->is_decryption)
        return true;
    if (EVP_CIPHER_CTX_ctrl(state, EVP_CTRL_AEAD_GET_TAG, (int)w->tag_size,
                            w->output.bytes + w->output.size) != 1)
        return false;
    w->output.size += w->tag_size;
    return true;
}

/* How many blocks there are until the last bits of the counter are all 0 again,
 * at most SIZE_MAX. */
static size_t blocks_to_wrap(const uint8_t *counter, int bits)
{
    uint64_t value = 0, mask;

    if (bits >= 64) { /* is any bit above the lowest 63 clear? */
        for (int i = 0; i < bits - 63; i++) {
            int bit = 63 + i;

            if ((counter[BLOCK - 1 - bit / 8] >> (bit % 8) & 1) == 0)
                return SIZE_MAX;
        }
        bits = 63;
    }
    for (int i = BLOCK - 8; i < BLOCK; i++)
        value = value << 8 | counter[i];
    mask = (UINT64_C(1) << bits) - 1;
    return (size_t)((UINT64_C(1) << bits) - (value & mask));
}

static void clear_bits(uint8_t *counter, int bits)
{
    for (int i = BLOCK - 1; bits > 0; i--, bits -= 8)
        counter[i] &= (uint8_t)(bits >= 8 ? 0 : 0xff << bits);
}

/* Encrypt a part of the data. */
static bool run_part(struct whole *w, EVP_CIPHER_CTX *state,
                     const EVP_CIPHER *cipher, size_t at, size_t size)
{
    int done;

    return EVP_CipherInit_ex(state, cipher, NULL, w->key.bytes, w->iv.bytes,
                             1) == 1 &&
           update(state, w->output.bytes + at, &done, w->data.bytes + at, size);
}

/* Only the last bits count.  OpenSSL counts in all, so that a message in which
 * they wrap is two messages. */
static bool run_counter(struct whole *w, EVP_CIPHER_CTX *state,
                        const EVP_CIPHER *cipher)
{
    size_t blocks = (w->data.size + BLOCK - 1) / BLOCK;
    size_t first = blocks_to_wrap(w->iv.bytes, w->counter_bits), size;

    /* More blocks than values of the counter would repeat the key stream. */
    if (w->counter_bits < 63 &&
        blocks > (size_t)(UINT64_C(1) << w->counter_bits))
        return false;
    if (!weir__js_secret_reserve(&w->output, w->data.size))
        return false;
    if (blocks <= first)
        return run_part(w, state, cipher, 0, w->data.size);
    size = first * BLOCK;
    if (!run_part(w, state, cipher, 0, size))
        return false;
    clear_bits(w->iv.bytes, w->counter_bits);
    return run_part(w, state, cipher, size, w->data.size - size);
}

/* OpenSSL reads as many bytes as the cipher needs.  Its name comes from a
 * property of the key, which a program may have changed. */
static bool fits_key(const struct whole *w, const EVP_CIPHER *cipher)
{
    if ((size_t)EVP_CIPHER_get_key_length(cipher) == w->key.size)
        return true;
    ERR_raise(ERR_LIB_EVP, EVP_R_INVALID_KEY_LENGTH);
    return false;
}

static bool run_cipher(struct weir__js_operation *operation)
{
    struct whole *w = (struct whole *)operation;
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, w->name, NULL);
    EVP_CIPHER_CTX *state = EVP_CIPHER_CTX_new();
    bool is_done = cipher != NULL && state != NULL && fits_key(w, cipher) &&
                   (w->counter_bits > 0 ? run_counter(w, state, cipher)
                                        : run_cipher_with(w, state, cipher));

    EVP_CIPHER_CTX_free(state);
    EVP_CIPHER_free(cipher);
    return is_done;
}

/* ---- from JavaScript ---- */

static JSValue finish_whole(struct weir__js_operation *operation,
                            JSContext *context)
{
    return weir__js_secret_buffer(context,
                                  &((struct whole *)operation)->output);
}

static void drop_whole(struct weir__js_operation *operation)
{
    struct whole *w = (struct whole *)operation;

    weir__js_secret_free(&w->key);
    weir__js_secret_free(&w->iv);
    weir__js_secret_free(&w->additional);
    weir__js_secret_free(&w->data);
    weir__js_secret_free(&w->output);
}

static const struct weir__js_operation_kind digest_kind = {
    "digest", run_digest, finish_whole, drop_whole, "Digest failed", false};

static const struct weir__js_operation_kind cipher_kind = {
    "cipher", run_cipher, finish_whole, drop_whole, "Cipher job failed", true};

/* Copy the bytes of a secret key, or nothing for undefined.  Returns -1 with an
 * exception. */
static int copy_key(JSContext *context, JSValueConst value,
                    struct weir__js_secret *to)
{
    const struct weir__js_key *key;

    if (JS_IsUndefined(value))
        return 0;
    key = weir__js_key_of(context, value);
    if (key == NULL)
        return -1;
    if (!weir__js_secret_reserve(to, key->secret.size)) {
        JS_ThrowOutOfMemory(context);
        return -1;
    }
    memcpy(to->bytes, key->secret.bytes, key->secret.size);
    return 0;
}

/* A block with a name, key and data; NULL with an exception. */
static struct whole *new_whole(JSContext *context, JSValueConst name,
                               JSValueConst key, JSValueConst data)
{
    struct whole *w = calloc(1, sizeof(*w));
    const char *text = JS_ToCString(context, name);

    if (w == NULL || text == NULL) {
        JS_FreeCString(context, text);
        free(w);
        JS_ThrowOutOfMemory(context);
        return NULL;
    }
    strncpy(w->name, text, sizeof(w->name) - 1);
    JS_FreeCString(context, text);
    if (copy_key(context, key, &w->key) == 0 &&
        weir__js_secret_copy(context, data, &w->data) == 0)
        return w;
    weir__js_operation_free(&w->operation, &digest_kind);
    return NULL;
}

/* digest(name, key or undefined, data, resolve, reject): an ArrayBuffer; with a
 * key, an HMAC */
static JSValue whole_digest(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    struct whole *w = new_whole(context, argv[0], argv[1], argv[2]);

    return w == NULL ? JS_EXCEPTION
                     : weir__js_operation_start(context, &w->operation,
                                                &digest_kind, argv[3], argv[4]);
}

/* cipher(name, is decryption, key, data, IV, size of the tag, additional data,
 * bits of the counter, resolve, reject): an ArrayBuffer.  The tag is the end of
 * what is encrypted. */
static JSValue whole_cipher(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    struct whole *w = new_whole(context, argv[0], argv[2], argv[3]);
    int32_t tag_size;

    if (w == NULL)
        return JS_EXCEPTION;
    w->is_decryption = JS_ToBool(context, argv[1]) == 1;
    if (JS_ToInt32(context, &tag_size, argv[5]) == 0 &&
        JS_ToInt32(context, &w->counter_bits, argv[7]) == 0 &&
        weir__js_secret_copy(context, argv[4], &w->iv) == 0 &&
        weir__js_secret_copy(context, argv[6], &w->additional) == 0) {
        w->tag_size = (size_t)tag_size;
        return weir__js_operation_start(context, &w->operation, &cipher_kind,
                                        argv[8], argv[9]);
    }
    weir__js_operation_free(&w->operation, &cipher_kind);
    return JS_EXCEPTION;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("digest", 5, whole_digest),
    JS_CFUNC_DEF("cipher", 10, whole_cipher),
};

const struct weir__js_builtin weir__js_whole_builtin = {
    WEIR__JS_LIBS("crypto/whole"),
    WEIR__JS_NATIVES(natives),
};
