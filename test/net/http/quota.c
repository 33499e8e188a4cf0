/* SPDX-License-Identifier: MIT */
/*
 * quota -- counts of clients, compared with a plain array.
 */
#include "http/quota.h"

#include <arpa/inet.h>
#include <errno.h>

#include "support/suite.h"

CASE(quota_refuses_a_client_beyond_its_limit)
{
    struct weir__http_quota quota = {NULL, 0, 0};

    expect_int(weir__http_quota_enter(&quota, 7, 2), 0);
    expect_int(weir__http_quota_enter(&quota, 7, 2), 0);
    expect_int(weir__http_quota_enter(&quota, 7, 2), -EDQUOT);
    expect_int(weir__http_quota_enter(&quota, 8, 2), 0);
    weir__http_quota_leave(&quota, 7);
    expect_int(weir__http_quota_enter(&quota, 7, 2), 0);
    weir__http_quota_fini(&quota);
}

CASE(quota_counts_a_host_of_ipv6_by_its_network)
{
    struct sockaddr_in6 one = {.sin6_family = AF_INET6}, other = one;
    struct sockaddr_in ipv4 = {.sin_family = AF_INET};

    inet_pton(AF_INET6, "2001:db8::1", &one.sin6_addr);
    inet_pton(AF_INET6, "2001:db8::2", &other.sin6_addr);
    expect(weir__http_quota_key(&one, sizeof(one)) ==
           weir__http_quota_key(&other, sizeof(other)));
    inet_pton(AF_INET6, "2001:db8:0:1::2", &other.sin6_addr);
    expect(weir__http_quota_key(&one, sizeof(one)) !=
           weir__http_quota_key(&other, sizeof(other)));
    expect(weir__http_quota_key(&ipv4, sizeof(ipv4)) != 0);
    expect(weir__http_quota_key(&ipv4, 3) == 0);
}

/* Keys that share their homes, entered and left at random. */
CASE(quota_counts_like_an_array)
{
    enum { CLIENTS = 200, STEPS = 200000, LIMIT = 5 };
    static uint32_t counts[CLIENTS + 1];
    struct weir__http_quota quota = {NULL, 0, 0};
    uint64_t state = 1;
    size_t used = 0;

    for (int i = 0; i < STEPS; i++) {
        uint32_t client, is_entering;

        state = state * UINT64_C(6364136223846793005) + 1;
        client = (uint32_t)(state >> 33) % CLIENTS + 1;
        is_entering = (uint32_t)(state >> 62);
        if (is_entering > 1) {
            expect_int(weir__http_quota_enter(&quota, client, LIMIT),
                       counts[client] < LIMIT ? 0 : -EDQUOT);
            used += counts[client] == 0;
            counts[client] += counts[client] < LIMIT;
        } else if (counts[client] > 0) {
            weir__http_quota_leave(&quota, client);
            used -= --counts[client] == 0;
        }
        expect_int(quota.used, used);
    }
    weir__http_quota_fini(&quota);
}
