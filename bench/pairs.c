/* SPDX-License-Identifier: MIT */
/*
 * pairs -- what an event on a descriptor costs.
 *
 * pairs/100, pairs/1000
 *     The classic of libevent: so many socket pairs, and 100 bytes that travel
 *     among them.  Who can read a byte reads it, and writes it to the next
 *     pair.  An event is one such read and write, with its part of the wait.
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

enum { TOKENS = 100, EVENTS = 100000, WARM_UP = 10000 };

static struct {
    const struct loop_kind *kind;
    void *loop;
    size_t pairs;
    int *out, *in; /* bytes written to out[i] arrive at in[i] */
    uint64_t events, began_ns, ended_ns;
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
    if (ring.events == WARM_UP + EVENTS) {
        ring.ended_ns = bench_now_ns();
        ring.kind->stop(ring.loop);
    }
}

static void make_pairs(void)
{
    struct rlimit limit;

    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    ring.in = loop_calloc(ring.pairs, sizeof(int));
    ring.out = loop_calloc(ring.pairs, sizeof(int));
    for (size_t i = 0; i < ring.pairs; i++) {
        int pair[2];

        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) != 0)
            bench_fail("cannot make a socket pair");
        ring.in[i] = pair[0];
        ring.out[i] = pair[1];
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
    make_pairs();
    ring.loop = ring.kind->open(NULL, NULL);
    watchers = ring.kind->watch(ring.loop, ring.in, ring.pairs, pass_on);
    for (size_t i = 0; i < TOKENS; i++)
        if (write(ring.out[i * ring.pairs / TOKENS], "e", 1) != 1)
            bench_fail("no token");
    ring.kind->run(ring.loop);
    bench_measured(0, (double)(ring.ended_ns - ring.began_ns) / EVENTS);
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
    ENTRY("bare epoll", loop_epoll),  ENTRY("weir", loop_weir),
    ENTRY("libuv, uv_poll", loop_uv), ENTRY("libev, ev_io", loop_ev),
    ENTRY("libevent", loop_event),    ENTRY("GLib, poll(2)", loop_glib),
};

static const struct bench_workload workloads[] = {
    {.name = "pairs/100",
     .operation = "read and write a byte; 100 socket pairs, 100 bytes",
     .threads = 1,
     .cpu = {1},
     .arg = &(const size_t){100},
     .job_s = 0.25,
     .entries = entries,
     .entry_count = COUNT(entries)},
    {.name = "pairs/1000",
     .operation = "read and write a byte; 1,000 socket pairs, 100 bytes",
     .threads = 1,
     .cpu = {1},
     .arg = &(const size_t){1000},
     .job_s = 0.3,
     .entries = entries,
     .entry_count = COUNT(entries)},
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "pairs", workloads, COUNT(workloads));
}
