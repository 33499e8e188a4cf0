/* SPDX-License-Identifier: MIT */
/*
 * quota -- how many connections each client has.
 *
 * A client is an IPv4 address, or the first 64 bits of an IPv6 address, because
 * a single host can choose the other 64.  A quota whose bytes are all 0 is
 * empty.
 */
#ifndef WEIR_NET_HTTP_QUOTA_H
#define WEIR_NET_HTTP_QUOTA_H

#include <stddef.h>
#include <stdint.h>

struct weir__http_quota {
    struct weir__http_client *slots; /* a hash table; count 0: empty */
    size_t capacity;                 /* a power of two, or 0 */
    size_t used;
};

/* Make the key of a client from a struct sockaddr_in or sockaddr_in6; 0 if it
 * is neither. */
uint64_t weir__http_quota_key(const void *sockaddr, size_t size);

/* Count a connection.  Returns 0, -EDQUOT (the client has `limit`), -ENOMEM. */
int weir__http_quota_enter(struct weir__http_quota *quota, uint64_t key,
                           uint32_t limit);

/* A connection that was counted has ended. */
void weir__http_quota_leave(struct weir__http_quota *quota, uint64_t key);

void weir__http_quota_fini(struct weir__http_quota *quota);

#endif /* WEIR_NET_HTTP_QUOTA_H */
