/* SPDX-License-Identifier: MIT */
/*
 * group -- see group.h.
 *
 * Tested by  test/js/crypto/dh.js
 */
#include "crypto/group.h"

#include <strings.h>

static const struct {
    const char *name;
    BIGNUM *(*prime)(BIGNUM *to);
} groups[] = {
    {"modp1", BN_get_rfc2409_prime_768},
    {"modp2", BN_get_rfc2409_prime_1024},
    {"modp5", BN_get_rfc3526_prime_1536},
    {"modp14", BN_get_rfc3526_prime_2048},
    {"modp15", BN_get_rfc3526_prime_3072},
    {"modp16", BN_get_rfc3526_prime_4096},
    {"modp17", BN_get_rfc3526_prime_6144},
    {"modp18", BN_get_rfc3526_prime_8192},
};

BIGNUM *weir__js_group_prime(const char *name)
{
    for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
        if (strcasecmp(groups[i].name, name) == 0)
            return groups[i].prime(NULL);
    return NULL;
}
