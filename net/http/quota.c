/* SPDX-License-Identifier: MIT */
/*
 * quota -- a hash table with linear probing.
 *
 * A removed entry leaves no tombstone: the entries behind it move up, so the
 * table does not fill up with clients that have left.
 *
 * Thread    The loop's.
 *
 * Tested by  test/net/http/quota.c
 */
#include "http/quota.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "weir/host/memory.h"

enum { FIRST_CAPACITY = 16 };

struct weir__http_client {
    uint64_t key;
    uint32_t count; /* 0: the slot is empty */
};

uint64_t weir__http_quota_key(const void *sockaddr, size_t size)
{
    struct sockaddr_in ipv4;
    struct sockaddr_in6 ipv6;
    uint64_t key = 0;

    if (size == sizeof(ipv4)) {
        memcpy(&ipv4, sockaddr, sizeof(ipv4));
        key = ipv4.sin_addr.s_addr | UINT64_C(1) << 32;
    } else if (size == sizeof(ipv6)) {
        memcpy(&ipv6, sockaddr, sizeof(ipv6));
        memcpy(&key, ipv6.sin6_addr.s6_addr, sizeof(key));
        key = key == 0 ? 1 : key; /* ::1, and IPv4 as IPv6 */
    }
    return key;
}

static size_t home_of(const struct weir__http_quota *quota, uint64_t key)
{
    key = (key ^ key >> 33) * UINT64_C(0xff51afd7ed558ccd);
    return (size_t)(key ^ key >> 33) & (quota->capacity - 1);
}

/* The slot of a client, or the empty one where it belongs. */
static size_t find(const struct weir__http_quota *quota, uint64_t key)
{
    size_t at = home_of(quota, key);

    while (quota->slots[at].count > 0 && quota->slots[at].key != key)
        at = (at + 1) & (quota->capacity - 1);
    return at;
}

static int grow(struct weir__http_quota *quota)
{
    size_t capacity =
        quota->capacity > 0 ? 2 * quota->capacity : FIRST_CAPACITY;
    size_t bytes = capacity * sizeof(*quota->slots);
    struct weir__http_quota wider = {weir_memory_alloc(bytes), capacity,
                                     quota->used};

    if (wider.slots == NULL)
        return -ENOMEM;
    memset(wider.slots, 0, bytes);
    for (size_t i = 0; i < quota->capacity; i++)
        if (quota->slots[i].count > 0)
            wider.slots[find(&wider, quota->slots[i].key)] = quota->slots[i];
    weir__http_quota_fini(quota);
    *quota = wider;
    return 0;
}

int weir__http_quota_enter(struct weir__http_quota *quota, uint64_t key,
                           uint32_t limit)
{
    size_t at;

    if (2 * quota->used >= quota->capacity) {
        int err = grow(quota);

        if (err != 0)
            return err;
    }
    at = find(quota, key);
    if (quota->slots[at].count >= limit)
        return -EDQUOT;
    if (quota->slots[at].count++ == 0) {
        quota->slots[at].key = key;
        quota->used++;
    }
    return 0;
}

/* Empty a slot, and move up what would no longer be found behind it. */
static void empty_slot(struct weir__http_quota *quota, size_t hole)
{
    size_t mask = quota->capacity - 1;

    for (size_t at = (hole + 1) & mask; quota->slots[at].count > 0;
         at = (at + 1) & mask) {
        size_t home = home_of(quota, quota->slots[at].key);

        if (((at - home) & mask) < ((at - hole) & mask))
            continue; /* its home is behind the hole */
        quota->slots[hole] = quota->slots[at];
        hole = at;
    }
    quota->slots[hole].count = 0;
}

void weir__http_quota_leave(struct weir__http_quota *quota, uint64_t key)
{
    size_t at = find(quota, key);

    if (--quota->slots[at].count > 0)
        return;
    quota->used--;
    empty_slot(quota, at);
}

void weir__http_quota_fini(struct weir__http_quota *quota)
{
    weir_memory_free(quota->slots, quota->capacity * sizeof(*quota->slots));
    *quota = (struct weir__http_quota){NULL, 0, 0};
}
