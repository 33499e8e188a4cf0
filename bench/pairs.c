/* SPDX-License-Identifier: MIT */
/*
 * pairs -- what an event on a descriptor costs.
 *
 * pairs/10, pairs/100, pairs/1000, pairs/10000
 *     The classic of libevent: so many socket pairs, and 100 bytes that travel
 *     among them.  Who can read a byte reads it, and writes it to the next
 *     pair.  An event is one such read and write, with its part of the wait.
 *
 *     10,000 pairs are more descriptors than many systems allow: there, each of
 *     5,000 pairs counts twice, and bytes travel both ways.
 *
 * The floor does the same system calls around a bare epoll_wait.  GLib waits
 * with poll(2), which is more work in the kernel the more descriptors there
 * are.
 */
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "peers/loop.h"

enum { TOKENS = 100, WARM_UP = 10000, ONE_WAY_MAX = 5000 };

static struct {
    const struct loop_kind *kind;
    void *loop;
    size_t pairs;
    int *out, *in; /* bytes written to out[i] arrive at in[i] */
    uint64_t wanted, events, began_ns, ended_ns;
} ring;

static void pass_on(size_t pair, int fd)
{
    size_t next = pair + 1 < ring.pairs ? pair + 1 : 0;
    char token;

    if (read(fd, &token, 1) != 1 || write(ring.out[next], &token, 1) != 1)
        bench_fail("a byte got lost");
    ring.events++;
    if (ring.events == WARM_UP)
        ring.began_ns = bench_now_ns();
    if (ring.events == WARM_UP + ring.wanted) {
        ring.ended_ns = bench_now_ns();
        ring.kind->stop(ring.loop);
    }
}

static void allow_descriptors(void)
{
    struct rlimit limit;

    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static void make_pair(int *in, int *out)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) != 0)
        bench_fail("cannot make a socket pair");
    *in = pair[0];
    *out = pair[1];
}

static void make_pairs(void)
{
    bool is_crowded = ring.pairs > ONE_WAY_MAX;

    allow_descriptors();
    ring.in = loop_calloc(ring.pairs, sizeof(int));
    ring.out = loop_calloc(ring.pairs, sizeof(int));
    for (size_t i = 0; i < ring.pairs; i++)
        if (is_crowded && i % 2 == 1) {
            ring.in[i] = ring.out[i - 1];
            ring.out[i] = ring.in[i - 1];
        } else {
            make_pair(&ring.in[i], &ring.out[i]);
        }
}

static void pass_around(const struct bench_workload *workload,
                        const struct bench_entry *entry)
{
    void *watchers;

    ring.kind = entry->arg;
    if (ring.kind->open == NULL)
        bench_absent();
    ring.pairs = *(const size_t *)workload->arg;
    /* Fewer where poll(2) takes 0.1 ms for each. */
    ring.wanted = ring.pairs > ONE_WAY_MAX ? 20000 : 100000;
    make_pairs();
    ring.loop = ring.kind->open(NULL, NULL);
    watchers = ring.kind->watch(ring.loop, ring.in, ring.pairs, pass_on);
    for (size_t i = 0; i < TOKENS; i++)
        if (write(ring.out[i * ring.pairs / TOKENS], "e", 1) != 1)
            bench_fail("no token");
    ring.kind->run(ring.loop);
    bench_measured(0, (double)(ring.ended_ns - ring.began_ns) /
                          (double)ring.wanted);
    ring.kind->unwatch(watchers);
    ring.kind->close(ring.loop);
}

/* ---- the tables ---- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define ENTRY(name, library)                                                   \
    {                                                                          \
        .impl = name, .job = pass_around, .arg = &library,                     \
        .peer = &library.title                                                 \
    }

static const struct bench_entry entries[] = {
    ENTRY("bare epoll", loop_epoll),      ENTRY("weir", loop_weir),
    ENTRY("libuv, uv_poll", loop_uv),     ENTRY("libev, ev_io", loop_ev),
    ENTRY("libevent", loop_event),        ENTRY("GLib, poll(2)", loop_glib),
    ENTRY("Asio, async_wait", loop_asio),
};

#define WORKLOAD(count, seconds)                                               \
    {                                                                          \
        .name = "pairs/" #count,                                               \
        .operation = "read and write a byte; " #count " socket pairs, "        \
                     "100 bytes",                                              \
        .threads = 1, .cpu = {1}, .arg = &(const size_t){count},               \
        .job_s = seconds, .entries = entries, .entry_count = COUNT(entries)    \
    }

static const struct bench_workload workloads[] = {
    WORKLOAD(10, 0.25),
    WORKLOAD(100, 0.25),
    WORKLOAD(1000, 0.3),
    WORKLOAD(10000, 0.9),
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "pairs", workloads, COUNT(workloads));
}
