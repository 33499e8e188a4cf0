/* SPDX-License-Identifier: MIT */
/*
 * group -- the groups of Diffie-Hellman that have names: modp1 to modp18, of RFC
 * 2409 and RFC 3526.  The generator of each is 2.
 */
#ifndef WEIR_JS_CRYPTO_GROUP_H
#define WEIR_JS_CRYPTO_GROUP_H

#include <openssl/bn.h>

/* The prime of a group; the caller frees it.  NULL: there is no such group. */
BIGNUM *weir__js_group_prime(const char *name);

#endif /* WEIR_JS_CRYPTO_GROUP_H */
