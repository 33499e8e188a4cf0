/* SPDX-License-Identifier: MIT */
/*
 * quota -- counts of clients, compared with a plain array.
 */
#include "http/quota.h"

#include <arpa/inet.h>
#include <errno.h>

#include "support/random.h"
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
    struct random random = {random_seed()};
    uint64_t refusals_and_entries[2] = {0}, leaves[1] = {0};
    size_t used = 0;

    for (int i = 0; i < STEPS; i++) {
        uint32_t client = (uint32_t)random_below(&random, CLIENTS) + 1;
        bool has_room = counts[client] < LIMIT;

        if (random_below(&random, 2) == 0) {
            expect_int(weir__http_quota_enter(&quota, client, LIMIT),
                       has_room ? 0 : -EDQUOT);
            refusals_and_entries[has_room]++;
            used += counts[client] == 0;
            counts[client] += has_room;
        } else if (counts[client] > 0) {
            weir__http_quota_leave(&quota, client);
            leaves[0]++;
            used -= --counts[client] == 0;
        }
        expect_int(quota.used, used);
    }
    expect_all_taken(refusals_and_entries);
    expect_all_taken(leaves);
    weir__http_quota_fini(&quota);
}
