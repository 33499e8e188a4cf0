/* SPDX-License-Identifier: MIT */
/*
 * timer -- what a timer costs, one of a thousand or of a million.
 *
 * timer/1k, 10k, 100k, 1M, 10M, in nanoseconds for each timer:
 *     insert, cancel    all of them: 1 s to 1 h from now, in random order, as
 *                       a program's timers do not lie in memory in the order in
 *                       which connections come to need them
 *     ... in order      the same in the order of memory, the kindest case for
 *                       caches
 *     put off           each in turn, in random order, gets another delay while
 *                       all others stand: what a server does with the deadline
 *                       of a connection that was idle
 *     first             the first insert, in order, in memory that was never
 *                       used
 *     fire              all are due within 0.1 s, and that is past: from the
 *                       loop's next turn until the last callback
 *     fire, 1 ms        the same with all of them due within a millisecond: of
 *                       equal deadlines for who counts in milliseconds
 *                       (10M: without this one, without the order of memory,
 *                       and none is put off, to end the same day)
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
 * timer/1M-early
 *     Insert, cancel, first and resident once more, with timers that are started
 *     and cancelled before the loop is run: as most programs start theirs.
 *
 * There is no floor: an array of deadlines costs nothing to write, and cannot
 * do the work.
 *
 * timer/lateness
 *     One timer after the other, of 1 to 3 ms.  How long after its time the
 *     callback runs; and how many ran before it, which none should.  The floor
 *     is clock_nanosleep.  Nobody asks for less than the 50 us by which the
 *     kernel may be late for a thread (PR_SET_TIMERSLACK).
 *
 * timer/live
 *     100,000 timers, started before the loop runs and due at random moments of
 *     one second.  The processor time that each costs the loop's thread, from
 *     the first deadline to the last callback, how often the thread slept, and
 *     how late the callbacks were.  Latenesses are of the n-th callback against
 *     the n-th deadline.  A loop that serves more timers at once is cheaper and
 *     later, so only rows of about equal lateness compare; weir stands here with
 *     several values of timer_slack_ns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "peers/loop.h"

enum {
    INSERT,
    CANCEL,
    FIRE,
    FIRST,
    SIZEOF,
    RESIDENT,
    FEW_METRICS, /* of the greatest size */
    PUT_OFF = FEW_METRICS,
    INSERT_IN_ORDER,
    CANCEL_IN_ORDER,
    FIRE_1MS,
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

static void insert_and_cancel_in_order(void)
{
    start(trial.in_order, INSERT_IN_ORDER);
    cancel(trial.in_order, CANCEL_IN_ORDER);
    trial.kind->stop(trial.loop);
}

static void insert_and_cancel(void)
{
    start(trial.shuffled, INSERT);
    cancel(trial.shuffled_again, CANCEL);
    trial.kind->stop(trial.loop);
}

static void put_off(void)
{
    uint64_t began_ns;

    trial.kind->timers_start(trial.handles, trial.far_ns, trial.shuffled);
    began_ns = bench_now_ns();
    trial.kind->timers_put_off(trial.handles, trial.far_ns,
                               trial.shuffled_again);
    add(PUT_OFF, (double)(bench_now_ns() - began_ns));
    trial.kind->timers_stop(trial.handles, trial.in_order);
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
    bool has_all = workload->metric_count == METRICS;
    size_t rounds;

    set_up(workload, entry);
    rounds = trial.count < 200000 ? 200000 / trial.count : 1;
    run(make);
    for (size_t i = 0; i < rounds; i++) {
        if (has_all)
            run(insert_and_cancel_in_order);
        run(insert_and_cancel);
        if (has_all)
            run(put_off);
    }
    for (size_t i = 0; i < (rounds < 3 ? rounds : 3); i++) {
        run(fire);
        if (has_all)
            run(fire_1ms);
    }
    for (size_t i = 0; i < workload->metric_count; i++)
        bench_measured(i, trial.total[i] / (double)trial.timers[i]);
    trial.kind->timers_free(trial.handles);
    trial.kind->close(trial.loop);
}

/* ---- early ---- */

enum { EARLY_METRICS = 4 };

static void time_early(const struct bench_workload *workload,
                       const struct bench_entry *entry)
{
    static const int shown[EARLY_METRICS] = {INSERT, CANCEL, FIRST, RESIDENT};
    double before;

    set_up(workload, entry);
    before = resident_bytes();
    trial.handles = trial.kind->timers_new(trial.loop, trial.count, on_timer);
    start(trial.in_order, FIRST);
    add(RESIDENT, resident_bytes() - before);
    trial.kind->timers_stop(trial.handles, trial.in_order);
    start(trial.shuffled, INSERT);
    cancel(trial.shuffled_again, CANCEL);
    for (size_t i = 0; i < EARLY_METRICS; i++)
        bench_measured(i,
                       trial.total[shown[i]] / (double)trial.timers[shown[i]]);
    trial.kind->timers_free(trial.handles);
    trial.kind->close(trial.loop);
}

/* ---- lateness ---- */

enum { SAMPLES = 150, EARLY = 3, LATENESS_METRICS };

static struct {
    const struct loop_kind *kind;
    void *loop, *handle;
    uint64_t delay_ns, due_ns;
    int64_t late_ns[SAMPLES];
    size_t count;
} clerk;

static void start_next(void)
{
    static const uint32_t only = 0;

    clerk.delay_ns = 1000000 + random_next() % 2000000;
    clerk.due_ns = bench_now_ns() + clerk.delay_ns;
    clerk.kind->timers_start(clerk.handle, &clerk.delay_ns, &only);
}

static void on_due(void)
{
    clerk.late_ns[clerk.count++] = (int64_t)(bench_now_ns() - clerk.due_ns);
    if (clerk.count < SAMPLES)
        start_next();
    else
        clerk.kind->stop(clerk.loop);
}

static int compare_i64(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static void report_lateness(void)
{
    int64_t *late_ns = clerk.late_ns;
    size_t early = 0;

    qsort(late_ns, SAMPLES, sizeof(*late_ns), compare_i64);
    while (early < SAMPLES && late_ns[early] < 0)
        early++;
    bench_measured(0, (double)late_ns[SAMPLES / 2]);
    bench_measured(1, (double)late_ns[SAMPLES * 99 / 100]);
    bench_measured(2, (double)late_ns[SAMPLES - 1]);
    bench_measured(EARLY, (double)early);
}

static void lateness(const struct bench_workload *workload,
                     const struct bench_entry *entry)
{
    clerk.kind = entry->arg;
    if (clerk.kind->open == NULL)
        bench_absent();
    clerk.loop = clerk.kind->open(NULL, NULL);
    clerk.handle = clerk.kind->timers_new(clerk.loop, 1, on_due);
    start_next();
    clerk.kind->run(clerk.loop);
    report_lateness();
    clerk.kind->timers_free(clerk.handle);
    clerk.kind->close(clerk.loop);
}

static void sleep_ns(uint64_t ns)
{
    const struct timespec rest = {.tv_nsec = (long)ns};

    clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, NULL);
}

static void lateness_of_sleep(const struct bench_workload *workload,
                              const struct bench_entry *entry)
{
    for (clerk.count = 0; clerk.count < SAMPLES; clerk.count++) {
        clerk.delay_ns = 1000000 + random_next() % 2000000;
        clerk.due_ns = bench_now_ns() + clerk.delay_ns;
        sleep_ns(clerk.delay_ns);
        clerk.late_ns[clerk.count] = (int64_t)(bench_now_ns() - clerk.due_ns);
    }
    report_lateness();
}

/* ---- live ---- */

enum {
    LIVE = 100000,
    LIVE_CPU = 0,
    LIVE_SLEEPS,
    LIVE_P50,
    LIVE_P99,
    LIVE_EARLY,
    LIVE_METRICS
};

static struct {
    const struct loop_kind *kind;
    void *loop;
    uint64_t *due_ns;
    int64_t *late_ns;
    size_t count;
    struct rusage before, after;
    uint64_t cpu_ns;
} crowd;

static uint64_t thread_cpu_ns(void)
{
    struct timespec spent;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return (uint64_t)spent.tv_sec * 1000000000 + (uint64_t)spent.tv_nsec;
}

static void on_live(void)
{
    crowd.late_ns[crowd.count] =
        (int64_t)(bench_now_ns() - crowd.due_ns[crowd.count]);
    if (++crowd.count < LIVE)
        return;
    crowd.cpu_ns = thread_cpu_ns() - crowd.cpu_ns;
    getrusage(RUSAGE_THREAD, &crowd.after);
    crowd.kind->stop(crowd.loop);
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void report_live(void)
{
    size_t early = 0;

    qsort(crowd.late_ns, LIVE, sizeof(*crowd.late_ns), compare_i64);
    while (early < LIVE && crowd.late_ns[early] < 0)
        early++;
    bench_measured(LIVE_CPU, (double)crowd.cpu_ns / LIVE);
    bench_measured(LIVE_SLEEPS,
                   (double)(crowd.after.ru_nvcsw - crowd.before.ru_nvcsw));
    bench_measured(LIVE_P50, (double)crowd.late_ns[LIVE / 2]);
    bench_measured(LIVE_P99, (double)crowd.late_ns[LIVE / 100 * 99]);
    bench_measured(LIVE_EARLY, (double)early);
}

/* One by one: each delay counts from the moment of its own call.  The first is
 * due when all are started, on any machine. */
static void **start_live(void)
{
    static const uint32_t only = 0;
    void **timers = loop_calloc(LIVE, sizeof(*timers));

    for (size_t i = 0; i < LIVE; i++)
        timers[i] = crowd.kind->timers_new(crowd.loop, 1, on_live);
    for (size_t i = 0; i < LIVE; i++) {
        uint64_t delay_ns = crowd.due_ns[i];

        crowd.due_ns[i] += bench_now_ns();
        crowd.kind->timers_start(timers[i], &delay_ns, &only);
    }
    qsort(crowd.due_ns, LIVE, sizeof(*crowd.due_ns), compare_u64);
    return timers;
}

static void live(const struct bench_workload *workload,
                 const struct bench_entry *entry)
{
    void **timers;

    crowd.kind = entry->arg;
    if (crowd.kind->open == NULL)
        bench_absent();
    trial.count = LIVE;
    crowd.due_ns = random_delays(300000000, 1300000000);
    crowd.late_ns = loop_calloc(LIVE, sizeof(*crowd.late_ns));
    crowd.loop = crowd.kind->open(NULL, NULL);
    timers = start_live();
    getrusage(RUSAGE_THREAD, &crowd.before);
    crowd.cpu_ns = thread_cpu_ns();
    crowd.kind->run(crowd.loop);
    report_live();
    for (size_t i = 0; i < LIVE; i++)
        crowd.kind->timers_free(timers[i]);
    crowd.kind->close(crowd.loop);
}

/* ---- the tables ---- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define ENTRY(name, library, its_job)                                          \
    {                                                                          \
        .impl = name, .job = its_job, .arg = &library, .peer = &library.title  \
    }
#define ALL(its_job)                                                           \
    ENTRY("weir", loop_weir, its_job), ENTRY("libuv", loop_uv, its_job),       \
        ENTRY("libev", loop_ev, its_job),                                      \
        ENTRY("libevent", loop_event, its_job),                                \
        ENTRY("GLib", loop_glib, its_job), ENTRY("Asio", loop_asio, its_job)

static const struct bench_entry entries[] = {
    ALL(time_timers), ENTRY("weir, start_at", loop_weir_at, time_timers)};

static const struct bench_entry starters[] = {
    ALL(time_early), ENTRY("weir, start_at", loop_weir_at, time_early)};

static const struct bench_metric early_metrics[EARLY_METRICS] = {
    {"insert", "ns", 1},
    {"cancel", "ns", 1},
    {"first", "ns", 1},
    {"resident", "B", 1},
};

static const struct bench_entry latecomers[] = {
    {.impl = "bare clock_nanosleep", .job = lateness_of_sleep},
    ALL(lateness),
    ENTRY("libevent, PRECISE_TIMER", loop_event_precise, lateness),
};

static const struct bench_entry livers[] = {
    ALL(live),
    ENTRY("libevent, PRECISE_TIMER", loop_event_precise, live),
    ENTRY("weir, slack 200 us", loop_weir_slack_200us, live),
    ENTRY("weir, slack 1 ms", loop_weir_slack_1ms, live),
};

static const struct bench_metric live_metrics[LIVE_METRICS] = {
    [LIVE_CPU] = {"CPU", "ns", 1},          [LIVE_SLEEPS] = {"sleeps", "", 1},
    [LIVE_P50] = {"p50", "us", 1e-3},       [LIVE_P99] = {"p99", "us", 1e-3},
    [LIVE_EARLY] = {"early", "of 100k", 1},
};

static const struct bench_metric lateness_metrics[LATENESS_METRICS] = {
    {"p50", "us", 1e-3},
    {"p99", "us", 1e-3},
    {"max", "us", 1e-3},
    [EARLY] = {"early", "of 150", 1},
};

static const struct bench_metric metrics[METRICS] = {
    [INSERT] = {"insert", "ns", 1},
    [CANCEL] = {"cancel", "ns", 1},
    [FIRE] = {"fire", "ns", 1},
    [PUT_OFF] = {"put off", "ns", 1},
    [INSERT_IN_ORDER] = {"insert in order", "ns", 1},
    [CANCEL_IN_ORDER] = {"cancel in order", "ns", 1},
    [FIRE_1MS] = {"fire, 1 ms", "ns", 1},
    [FIRST] = {"first", "ns", 1},
    [SIZEOF] = {"sizeof", "B", 1},
    [RESIDENT] = {"resident", "B", 1},
};

#define WORKLOAD(its_name, timers, seconds, count)                             \
    {                                                                          \
        .name = "timer/" its_name,                                             \
        .operation =                                                           \
            "one of " its_name " timers, in random order, and in the "         \
            "order of memory; what each column is, bench/timer.c says",        \
        .threads = 1, .cpu = {1}, .arg = &(const size_t){timers},              \
        .job_s = seconds, .metrics = metrics, .metric_count = count,           \
        .entries = entries, .entry_count = COUNT(entries)                      \
    }

static const struct bench_workload workloads[] = {
    WORKLOAD("1k", 1000, 0.6, METRICS),
    WORKLOAD("10k", 10000, 0.6, METRICS),
    WORKLOAD("100k", 100000, 0.6, METRICS),
    WORKLOAD("1M", 1000000, 4, METRICS),
    WORKLOAD("10M", 10000000, 25, FEW_METRICS),
    {.name = "timer/1M-early",
     .operation = "one of 1M timers before the loop is run, in random order; "
                  "first: in the order of memory",
     .threads = 1,
     .cpu = {1},
     .arg = &(const size_t){1000000},
     .job_s = 1.5,
     .metrics = early_metrics,
     .metric_count = EARLY_METRICS,
     .entries = starters,
     .entry_count = COUNT(starters)},
    {.name = "timer/lateness",
     .operation = "the callback after the time of its timer",
     .threads = 1,
     .cpu = {1},
     .job_s = 0.35,
     .metrics = lateness_metrics,
     .metric_count = LATENESS_METRICS,
     .entries = latecomers,
     .entry_count = COUNT(latecomers)},
    {.name = "timer/live",
     .operation = "one of 100k timers spread over a second, and how late its "
                  "callback is",
     .threads = 1,
     .cpu = {1},
     .job_s = 1.5,
     .metrics = live_metrics,
     .metric_count = LIVE_METRICS,
     .entries = livers,
     .entry_count = COUNT(livers)},
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "timer", workloads, COUNT(workloads));
}
