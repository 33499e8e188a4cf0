/* SPDX-License-Identifier: MIT */
/*
 * times -- how long requests take, and what they are answered with.
 *
 * A shard counts on its loop's thread; any thread reads.
 *
 * Tested by  test/net/http/times.c
 */
#include <errno.h>

#include "http/server.h"
#include "weir/host/sized.h"

/* Those that most dashboards expect, in microseconds. */
static const int64_t bounds_us[WEIR_HTTP_TIMES] = {
    1000,   2500,   5000,    10000,   25000,   50000,   100000,
    250000, 500000, 1000000, 2500000, 5000000, 10000000};

int64_t weir_http_time_bound(size_t index)
{
    return index < WEIR_HTTP_TIMES ? bounds_us[index] * 1000 : INT64_MAX;
}

void weir__http_times_add(struct weir__http_shard *shard, unsigned status,
                          int64_t duration_ns)
{
    struct weir__http_counters *counters = &shard->counters;
    size_t at = 0;

    if (duration_ns < 0)
        duration_ns = 0;
    while (duration_ns > weir_http_time_bound(at))
        at++;
    weir_counter_add(&counters->times[at], 1);
    weir_counter_add(&counters->time_ns, (uint64_t)duration_ns);
    if (status >= 100 && status < 600)
        weir_counter_add(&counters->statuses[status / 100 - 1], 1);
}

int weir_http_server_times(const weir_http_server *server,
                           weir_http_times *times)
{
    weir_http_times sum = {.size = sizeof(sum)};

    if (server == NULL || times == NULL)
        return -EINVAL;
    for (size_t i = 0; i < server->shard_count; i++) {
        const struct weir__http_counters *from = &server->shards[i].counters;

        for (size_t k = 0; k <= WEIR_HTTP_TIMES; k++)
            sum.counts[k] += weir_counter_read(&from->times[k]);
        for (size_t k = 0; k < 5; k++)
            sum.statuses[k] += weir_counter_read(&from->statuses[k]);
        sum.sum_ns += weir_counter_read(&from->time_ns);
    }
    return weir_sized_write(times, &sum, sizeof(sum));
}
