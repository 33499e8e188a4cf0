/* SPDX-License-Identifier: MIT */
/*
 * memory -- what things weigh.
 *
 * In bytes by which the process grows for each:
 *     memory/loop        one of 500, with its way to be woken; and how many
 *                        descriptors of the process it has
 *     memory/task        one of 100,000 that wait in the queue of a loop: its
 *                        own queue where it has one (weir_loop_submit,
 *                        event_base_once, g_main_context_invoke, asio::post);
 *                        else a node from malloc in the queue that users write
 *                        (queue.h)
 *     memory/timer       one of 100,000 that are running, with what the user
 *                        keeps
 *     memory/descriptor  one of 4,000 that are watched, with what the user
 *                        keeps
 *     memory/promise     one of 100,000 that are pending, with one reaction and
 *                        what that returns; the other loops have none
 *
 * What the kernel keeps for it is not counted.  A page more or less is 8 bytes
 * of a loop and 1 of a descriptor.  weir and Asio make an epoll instance only
 * when they need one.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "peers/loop.h"
#include "queue.h"
#include "weir/promise.h"

enum { BYTES, OPEN, METRICS };
enum { LOOPS = 500, PAIRS = 4000 };
enum { TASKS = 100000, TIMERS = 100000, PROMISES = 100000 };

struct subject {
    const struct loop_kind *kind;
    void (*queue)(void *loop);
};

struct matter {
    void (*weigh)(void);
};

static const struct subject *subject;

static double resident_bytes(void)
{
    unsigned long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (file == NULL || fscanf(file, "%lu %lu", &size, &resident) != 2)
        bench_fail("no /proc/self/statm");
    fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

static double open_descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    double count = 0;

    if (directory == NULL)
        bench_fail("no /proc/self/fd");
    while (readdir(directory) != NULL)
        count++;
    closedir(directory);
    return count;
}

/* ---- what is weighed ---- */

static void *open_loop(void)
{
    return subject->kind->open(queue_run, NULL);
}

static void weigh_loops(void)
{
    double bytes, descriptors;
    void **loops = loop_calloc(LOOPS, sizeof(*loops));

    subject->kind->close(open_loop()); /* what is made once for all */
    for (size_t i = 0; i < LOOPS; i++)
        loops[i] = &loops[i]; /* this memory is there now */
    bytes = resident_bytes();
    descriptors = open_descriptors();
    for (size_t i = 0; i < LOOPS; i++)
        loops[i] = open_loop();
    bench_measured(BYTES, (resident_bytes() - bytes) / LOOPS);
    bench_measured(OPEN, (open_descriptors() - descriptors) / LOOPS);
}

static void nothing(void)
{
}

static void nothing_of(void *arg)
{
}

static void nothing_with(void *arg, int status)
{
}

static void queue_weir(void *loop)
{
    if (weir_loop_submit(loop_weir_of(loop), nothing_with, NULL) != 0)
        bench_fail("weir_loop_submit");
}

static void queue_own(void *loop)
{
    subject->kind->submit(loop, nothing_of, NULL);
}

static void queue_node(void *loop)
{
    struct node *node = malloc(sizeof(*node));

    if (node == NULL)
        bench_fail("no memory");
    queue_push(node);
}

static void weigh_tasks(void)
{
    void *loop = open_loop();
    double bytes = resident_bytes();

    for (size_t i = 0; i < TASKS; i++)
        subject->queue(loop);
    bench_measured(BYTES, (resident_bytes() - bytes) / TASKS);
}

static void weigh_timers(void)
{
    void *loop = open_loop();
    uint64_t *delay_ns = loop_calloc(TIMERS, sizeof(*delay_ns));
    uint32_t *order = loop_calloc(TIMERS, sizeof(*order));
    double bytes;

    for (uint32_t i = 0; i < TIMERS; i++) {
        delay_ns[i] = 1000000000 + UINT64_C(7919) * 1000000 * i;
        order[i] = i;
    }
    bytes = resident_bytes();
    subject->kind->timers_start(
        subject->kind->timers_new(loop, TIMERS, nothing), delay_ns, order);
    bench_measured(BYTES, (resident_bytes() - bytes) / TIMERS);
}

static void nothing_readable(size_t index, int fd)
{
}

static void weigh_descriptors(void)
{
    void *loop = open_loop();
    struct rlimit limit;
    int *fds = loop_calloc(PAIRS, sizeof(*fds));
    double bytes;

    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    for (size_t i = 0; i < PAIRS; i++) {
        int pair[2];

        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) != 0)
            bench_fail("cannot make a socket pair");
        fds[i] = pair[0];
    }
    bytes = resident_bytes();
    subject->kind->watch(loop, fds, PAIRS, nothing_readable);
    bench_measured(BYTES, (resident_bytes() - bytes) / PAIRS);
}

static weir_result handle(void *arg, const weir_value *value)
{
    return weir_give(weir_value_of(NULL, NULL));
}

static void weigh_promises(void)
{
    weir_loop *loop = loop_weir_of(open_loop());
    double bytes = resident_bytes();

    for (size_t i = 0; i < PROMISES; i++) {
        weir_promise *promise, *derived;

        if (weir_promise_new(&promise, loop) != 0 ||
            weir_promise_then(promise, handle, NULL, NULL, &derived) != 0)
            bench_fail("no promise");
    }
    bench_measured(BYTES, (resident_bytes() - bytes) / PROMISES);
}

/* Nothing is given back: the process ends, and so do these. */
static void weigh(const struct bench_workload *workload,
                  const struct bench_entry *entry)
{
    const struct matter *matter = workload->arg;

    subject = entry->arg;
    if (subject->kind->open == NULL)
        bench_absent();
    matter->weigh();
}

/* ---- the tables ---- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define ENTRY(name, library, its_queue)                                        \
    {                                                                          \
        .impl = name, .job = weigh, .peer = &library.title,                    \
        .arg = &(const struct subject)                                         \
        {                                                                      \
            .kind = &library, .queue = its_queue                               \
        }                                                                      \
    }

static const struct bench_entry entries[] = {
    ENTRY("weir", loop_weir, queue_weir),
    ENTRY("libuv", loop_uv, queue_node),
    ENTRY("libev", loop_ev, queue_node),
    ENTRY("libevent", loop_event, queue_own),
    ENTRY("GLib", loop_glib, queue_own),
    ENTRY("Asio", loop_asio, queue_own),
};

static const struct bench_metric metrics[METRICS] = {
    [BYTES] = {"grows by", "B", 1},
    [OPEN] = {"opens", "descriptors", 1},
};

/* For all, or for the first alone, which is weir. */
#define WORKLOAD(its_name, function, contestants, count)                       \
    {                                                                          \
        .name = "memory/" its_name, .operation = "one " its_name " more",      \
        .threads = 1, .cpu = {1}, .arg = &(const struct matter){function},     \
        .job_s = 0.05, .metrics = metrics, .metric_count = count,              \
        .entries = entries, .entry_count = contestants                         \
    }

static const struct bench_workload workloads[] = {
    WORKLOAD("loop", weigh_loops, COUNT(entries), METRICS),
    WORKLOAD("task", weigh_tasks, COUNT(entries), 1),
    WORKLOAD("timer", weigh_timers, COUNT(entries), 1),
    WORKLOAD("descriptor", weigh_descriptors, COUNT(entries), 1),
    WORKLOAD("promise", weigh_promises, 1, 1),
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "memory", workloads, COUNT(workloads));
}
