/* SPDX-License-Identifier: MIT */
/*
 * cipher -- kinds of symmetric ciphers.
 */
#ifndef WEIR_JS_CRYPTO_CIPHER_H
#define WEIR_JS_CRYPTO_CIPHER_H

#include <openssl/evp.h>
#include <stdbool.h>

/* Whether the cipher authenticates what it encrypts. */
static inline bool weir__js_cipher_is_aead(const EVP_CIPHER *cipher)
{
    switch (EVP_CIPHER_get_mode(cipher)) {
    case EVP_CIPH_CCM_MODE:
    case EVP_CIPH_GCM_MODE:
    case EVP_CIPH_OCB_MODE:
        return true;
    case EVP_CIPH_STREAM_CIPHER:
        return EVP_CIPHER_get_nid(cipher) == NID_chacha20_poly1305;
    default:
        return false;
    }
}

#endif /* WEIR_JS_CRYPTO_CIPHER_H */
