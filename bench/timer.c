/* SPDX-License-Identifier: MIT */
/*
 * timer -- what a timer costs, one of a thousand or of a million.
 *
 * timer/1k, timer/100k, timer/1M, in nanoseconds for each timer:
 *     insert, cancel    all of them: 1 s to 1 h from now, in random order, as
 *                       a program's timers do not lie in memory in the order in
 *                       which connections come to need them
 *     ... in order      the same in the order of memory, the kindest case for
 *                       caches
 *     first             the first insert, in order, in memory that was never
 *                       used
 *     fire              all are due within 0.1 s, and that is past: from the
 *                       loop's next turn until the last callback
 *     fire, 1 ms        the same with all of them due within a millisecond: of
 *                       equal deadlines for who counts in milliseconds
 * and in bytes for each timer:
 *     sizeof            what must exist: the handle, and its entry in whatever
 *                       orders them.  (Who wants to cancel one of weir's keeps
 *                       its id: 8 bytes more.  GLib's structs are not public:
 *                       the next one, measured.)
 *     resident          what the process grew by, all told
 *
 * Timers are started and cancelled inside a callback of the loop, as programs
 * do.  Random numbers are the same for all.  What is small is done many times.
 *
 * There is no floor: an array of deadlines costs nothing to write, and cannot
 * do the work.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "peers/loop.h"

enum {
    INSERT,
    CANCEL,
    FIRE,
    INSERT_IN_ORDER,
    CANCEL_IN_ORDER,
    FIRE_1MS,
    FIRST,
    SIZEOF,
    RESIDENT,
    METRICS
};

static struct {
    const struct loop_kind *kind;
    void *loop, *handles;
    size_t count;
    uint64_t *far_ns, *near_ns, *nearest_ns; /* delays */
    uint32_t *in_order, *shuffled, *shuffled_again;
    void (*stage)(void);    /* what the callback is to do */
    double total[METRICS];  /* nanoseconds, or bytes */
    size_t timers[METRICS]; /* that this was for */
    int firing;             /* which of the two metrics */
    size_t fired;
    uint64_t began_ns;
} trial;

/* ---- numbers ---- */

static uint64_t random_next(void)
{
    static uint64_t state = UINT64_C(0x9e3779b97f4a7c15);

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static uint64_t *random_delays(uint64_t from_ns, uint64_t to_ns)
{
    uint64_t *delay_ns = loop_calloc(trial.count, sizeof(*delay_ns));

    for (size_t i = 0; i < trial.count; i++)
        delay_ns[i] = from_ns + random_next() % (to_ns - from_ns);
    return delay_ns;
}

static uint32_t *new_order(bool is_shuffled)
{
    uint32_t *index = loop_calloc(trial.count, sizeof(*index));

    for (size_t i = 0; i < trial.count; i++) {
        size_t j = is_shuffled ? random_next() % (i + 1) : i;

        index[i] = index[j];
        index[j] = (uint32_t)i;
    }
    return index;
}

static double resident_bytes(void)
{
    unsigned long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (file == NULL || fscanf(file, "%lu %lu", &size, &resident) != 2)
        bench_fail("no /proc/self/statm");
    fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

/* ---- stages ---- */

static void add(int metric, double value)
{
    trial.total[metric] += value;
    trial.timers[metric] += trial.count;
}

static void start(const uint32_t *order, int metric)
{
    uint64_t began_ns = bench_now_ns();

    trial.kind->timers_start(trial.handles, trial.far_ns, order);
    add(metric, (double)(bench_now_ns() - began_ns));
}

static void cancel(const uint32_t *order, int metric)
{
    uint64_t began_ns = bench_now_ns();

    trial.kind->timers_stop(trial.handles, order);
    add(metric, (double)(bench_now_ns() - began_ns));
}

static void on_wake(void *arg)
{
    (void)arg;
    trial.stage();
}

static void on_timer(void)
{
    if (++trial.fired < trial.count)
        return;
    add(trial.firing, (double)(bench_now_ns() - trial.began_ns));
    trial.kind->stop(trial.loop);
}

static void make(void)
{
    double before = resident_bytes(), resident;

    trial.handles = trial.kind->timers_new(trial.loop, trial.count, on_timer);
    start(trial.in_order, FIRST);
    resident = resident_bytes() - before;
    add(RESIDENT, resident);
    add(SIZEOF, trial.kind->timer_bytes
                    ? (double)trial.kind->timer_bytes * (double)trial.count
                    : resident);
    trial.kind->timers_stop(trial.handles, trial.in_order);
    trial.kind->stop(trial.loop);
}

static void insert_and_cancel(void)
{
    start(trial.in_order, INSERT_IN_ORDER);
    cancel(trial.in_order, CANCEL_IN_ORDER);
    start(trial.shuffled, INSERT);
    cancel(trial.shuffled_again, CANCEL);
    trial.kind->stop(trial.loop);
}

static void wait_ns(uint64_t ns)
{
    const struct timespec rest = {.tv_nsec = (long)ns};
    uint64_t until_ns;

    nanosleep(&rest, NULL);
    for (until_ns = bench_now_ns() + 1000000; bench_now_ns() < until_ns;)
        ; /* awake, so that the core is, too */
}

/* The callback returns when all are due; then the loop finds them. */
static void make_due(const uint64_t *delay_ns, uint64_t longest_ns, int metric)
{
    trial.fired = 0;
    trial.firing = metric;
    trial.kind->timers_start(trial.handles, delay_ns, trial.shuffled);
    wait_ns(longest_ns + 10000000); /* ticks more, for coarse clocks */
    if (trial.kind->refresh != NULL)
        trial.kind->refresh(trial.loop);
    trial.began_ns = bench_now_ns();
}

static void fire(void)
{
    make_due(trial.near_ns, 100000000, FIRE);
}

static void fire_1ms(void)
{
    make_due(trial.nearest_ns, 1000000, FIRE_1MS);
}

static void run(void (*stage)(void))
{
    trial.stage = stage;
    trial.kind->wake(trial.loop);
    trial.kind->run(trial.loop);
}

/* ---- a job ---- */

static void set_up(const struct bench_workload *workload,
                   const struct bench_entry *entry)
{
    trial.kind = entry->arg;
    if (trial.kind->open == NULL)
        bench_absent();
    trial.count = *(const size_t *)workload->arg;
    trial.far_ns = random_delays(1000000000, UINT64_C(3600000000000));
    trial.near_ns = random_delays(0, 100000000);
    trial.nearest_ns = random_delays(0, 1000000);
    trial.in_order = new_order(false);
    trial.shuffled = new_order(true);
    trial.shuffled_again = new_order(true);
    trial.loop = trial.kind->open(on_wake, NULL);
}

static void time_timers(const struct bench_workload *workload,
                        const struct bench_entry *entry)
{
    size_t rounds;

    set_up(workload, entry);
    rounds = trial.count < 200000 ? 200000 / trial.count : 1;
    run(make);
    for (size_t i = 0; i < rounds; i++)
        run(insert_and_cancel);
    for (size_t i = 0; i < (rounds < 3 ? rounds : 3); i++) {
        run(fire);
        run(fire_1ms);
    }
    for (size_t i = 0; i < METRICS; i++)
        bench_measured(i, trial.total[i] / (double)trial.timers[i]);
    trial.kind->timers_free(trial.handles);
    trial.kind->close(trial.loop);
}

/* ---- the tables ---- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define ENTRY(name, library)                                                   \
    {                                                                          \
        .impl = name, .job = time_timers, .arg = &library,                     \
        .peer = &library.title                                                 \
    }

static const struct bench_entry entries[] = {
    ENTRY("weir", loop_weir), ENTRY("libuv", loop_uv),
    ENTRY("libev", loop_ev),  ENTRY("libevent", loop_event),
    ENTRY("GLib", loop_glib),
};

static const struct bench_metric metrics[METRICS] = {
    [INSERT] = {"insert", "ns", 1},
    [CANCEL] = {"cancel", "ns", 1},
    [FIRE] = {"fire", "ns", 1},
    [INSERT_IN_ORDER] = {"insert in order", "ns", 1},
    [CANCEL_IN_ORDER] = {"cancel in order", "ns", 1},
    [FIRE_1MS] = {"fire, 1 ms", "ns", 1},
    [FIRST] = {"first", "ns", 1},
    [SIZEOF] = {"sizeof", "B", 1},
    [RESIDENT] = {"resident", "B", 1},
};

#define WORKLOAD(its_name, timers, seconds)                                    \
    {                                                                          \
        .name = "timer/" its_name,                                             \
        .operation =                                                           \
            "one of " its_name " timers, in random order, and in the "         \
            "order of memory; what each column is, bench/timer.c says",        \
        .threads = 1, .cpu = {1}, .arg = &(const size_t){timers},              \
        .job_s = seconds, .metrics = metrics, .metric_count = METRICS,         \
        .entries = entries, .entry_count = COUNT(entries)                      \
    }

static const struct bench_workload workloads[] = {
    WORKLOAD("1k", 1000, 0.6),
    WORKLOAD("100k", 100000, 0.6),
    WORKLOAD("1M", 1000000, 4),
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "timer", workloads, COUNT(workloads));
}
