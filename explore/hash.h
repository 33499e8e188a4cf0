/* SPDX-License-Identifier: MIT */
/*
 * hash -- mixing of 64-bit words, for the fingerprints of states.
 */
#ifndef WEIR_MODEL_HASH_H
#define WEIR_MODEL_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t hash_mix(uint64_t hash, uint64_t word)
{
    __uint128_t product =
        (__uint128_t)(hash ^ word ^ 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;

    return ((uint64_t)product ^ (uint64_t)(product >> 64)) +
           0x2545f4914f6cdd1du;
}

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const char *at = bytes;
    uint64_t word;

    for (; size >= sizeof(word); size -= sizeof(word), at += sizeof(word)) {
        memcpy(&word, at, sizeof(word));
        hash = hash_mix(hash, word);
    }
    word = size;
    memcpy(&word, at, size);
    return hash_mix(hash, word);
}

#endif /* WEIR_MODEL_HASH_H */
