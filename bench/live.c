/* SPDX-License-Identifier: MIT */
/*
 * live -- what it costs to be observed.
 *
 * live/submit, live/timer, live/microtask
 *     A thousand tasks, due timers or microtasks at a time, which do nothing:
 *     with neither watchdog nor recorder, with each of them, and with both.
 * live/idle
 *     How often the threads of a process wake up in 10 s, if its only loop
 *     sleeps, and watchdog and recorder are on.
 * live/stack
 *     What the watchdog takes from a thread that computes when it takes its
 *     stack in C: the most of its processor time between two looks at that, in
 *     each of many blocks.  Interrupts of the machine are in it, too, so judge by
 *     the median.
 * live/trace
 *     A million events, from memory to a file.
 *
 * Each job has its own process: a recorder cannot be stopped.
 */
#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "weir.h"
#include "weir/live.h"
#include "weir/recorder.h"

enum { EACH = 1000, TIMES = 500, WARM_UP = 20 };
enum { BLOCKS = 100, EVENTS = 1000000, LOOP_CORE = 1 };

/* What is on. */
struct observers {
    bool watchdog, recorder;
};

static weir_loop *loop;

static void must(int err)
{
    if (err < 0)
        bench_fail(weir_error_text(err));
}

static void nothing(void *arg, int status)
{
}

static void ignore_block(void *arg, const weir_block *block)
{
}

/* The threads of the observers may run on any core, and the loop on its own. */
static void begin(const struct observers *on)
{
    weir_live_options live = {.size = sizeof(live), .on_block = ignore_block};

    if (on->recorder)
        must(weir_recorder_start(NULL));
    if (on->watchdog)
        must(weir_live_start(&live));
    bench_pin(LOOP_CORE);
    must(weir_loop_new(&loop, NULL));
}

static void run(void)
{
    must(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE));
}

/* Processor time of this thread. */
static uint64_t used_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Two metrics: the time since then, and the processor time. */
static void measured_since(uint64_t began_ns, uint64_t used_before_ns,
                           double count)
{
    bench_measured(0, (double)(bench_now_ns() - began_ns) / count);
    bench_measured(1, (double)(used_ns() - used_before_ns) / count);
}

/* ---- events ---- */

static void submit_some(void)
{
    for (int i = 0; i < EACH; i++)
        must(weir_loop_submit(loop, nothing, NULL));
    run();
}

static void start_some_timers(void)
{
    int64_t now_ns = weir_clock_now();
    weir_timer timer;

    for (int i = 0; i < EACH; i++)
        must(weir_timer_start_at(loop, &timer, now_ns, nothing, NULL));
    run();
}

static void queue_some_microtasks(void *arg, int status)
{
    for (int i = 0; i < EACH; i++)
        must(weir_loop_microtask(loop, nothing, NULL));
}

static void submit_microtasks(void)
{
    must(weir_loop_submit(loop, queue_some_microtasks, NULL));
    run();
}

static void do_events(const struct bench_workload *workload,
                      const struct bench_entry *entry)
{
    void (*some)(void) = *(void (*const *)(void))workload->arg;
    uint64_t began_ns, used_before_ns;

    begin(entry->arg);
    for (int i = 0; i < WARM_UP; i++)
        some();
    began_ns = bench_now_ns();
    used_before_ns = used_ns();
    for (int i = 0; i < TIMES; i++)
        some();
    measured_since(began_ns, used_before_ns, TIMES * EACH);
}

/* ---- idle ---- */

static void pass(int64_t seconds)
{
    struct timespec left = {.tv_sec = seconds};

    while (nanosleep(&left, &left) != 0)
        continue;
}

/* Of a thread: its sleeps that have ended, and how often it lost its core. */
static uint64_t switches_of(const char *thread)
{
    char path[300], line[128];
    unsigned long count = 0, more;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/self/task/%s/status", thread);
    file = fopen(path, "r");
    if (file == NULL)
        return 0; /* it has ended */
    while (fgets(line, sizeof(line), file) != NULL)
        if (sscanf(line, "voluntary_ctxt_switches: %lu", &more) == 1)
            count += more;
    fclose(file);
    return count;
}

/* Of all threads but this one. */
static uint64_t switches(void)
{
    DIR *threads = opendir("/proc/self/task");
    uint64_t count = 0;
    struct dirent *one;
    char own[32];

    if (threads == NULL)
        bench_fail("no /proc/self/task");
    snprintf(own, sizeof(own), "%ld", (long)gettid());
    while ((one = readdir(threads)) != NULL)
        if (one->d_name[0] != '.' && strcmp(one->d_name, own) != 0)
            count += switches_of(one->d_name);
    closedir(threads);
    return count;
}

static void *sleep_in_loop(void *arg)
{
    weir_timer timer;

    must(weir_timer_start(loop, &timer, WEIR_S(3600), WEIR_TIMER_ONCE, nothing,
                          NULL));
    must(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED));
    return arg;
}

static void stay_idle(const struct bench_workload *workload,
                      const struct bench_entry *entry)
{
    pthread_t thread;
    uint64_t before;

    begin(entry->arg);
    bench_start(&thread, BENCH_ANY_CPU, sleep_in_loop, NULL);
    pass(3); /* the watchdog has looked, and sleeps */
    before = switches();
    pass(10);
    bench_measured(0, (double)(switches() - before));
}

/* ---- stacks ---- */

static atomic_uint begun, stacks;

/* On a busy machine the thread may not answer in time; then there is no stack. */
static void count_block(void *arg, const weir_block *block)
{
    if (block->stage != WEIR_BLOCK_BEGAN)
        return;
    if (block->native[0] != '\0')
        atomic_fetch_add(&stacks, 1);
    atomic_fetch_add(&begun, 1);
}

static void compute_until_noticed(void *arg, int status)
{
    unsigned before = atomic_load(&begun);
    uint64_t last_ns = used_ns(), longest_ns = 0, now_ns;

    while (atomic_load_explicit(&begun, memory_order_relaxed) == before) {
        now_ns = used_ns();
        if (now_ns - last_ns > longest_ns)
            longest_ns = now_ns - last_ns;
        last_ns = now_ns;
    }
    *(uint64_t *)arg = longest_ns;
}

static void take_stacks(const struct bench_workload *workload,
                        const struct bench_entry *entry)
{
    const weir_live_options live = {.size = sizeof(live),
                                    .blocked_after_ns = WEIR_MS(4),
                                    .on_block = count_block};
    uint64_t longest_ns;

    must(weir_live_start(&live));
    bench_pin(LOOP_CORE);
    must(weir_loop_new(&loop, NULL));
    for (int i = 0; i < BLOCKS; i++) {
        unsigned before = atomic_load(&stacks);

        must(weir_loop_submit(loop, compute_until_noticed, &longest_ns));
        run();
        if (atomic_load(&stacks) != before)
            bench_record(longest_ns);
    }
    if (atomic_load(&stacks) == 0)
        bench_fail("there was no stack");
}

/* ---- a trace ---- */

static void save_trace(const struct bench_workload *workload,
                       const struct bench_entry *entry)
{
    const weir_recorder_options options = {.size = sizeof(options),
                                           .events = 1 << 20};
    char path[] = "/tmp/weir-bench-XXXXXX";
    uint64_t began_ns, used_before_ns;

    must(weir_recorder_start(&options));
    for (uint64_t i = 0; i < EVENTS; i++)
        weir_recorder_mark("mark", i);
    if (mkstemp(path) < 0 || unlink(path) != 0)
        bench_fail("no file");
    began_ns = bench_now_ns();
    used_before_ns = used_ns();
    must(weir_recorder_save(path, 0));
    measured_since(began_ns, used_before_ns, 1);
    unlink(path);
}

/* ---- the tables ---- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct observers off = {false, false}, watchdog = {true, false},
                              recorder = {false, true}, both = {true, true};

static const struct bench_metric each[] = {{"mean", "ns", 1}, {"cpu", "ns", 1}};
static const struct bench_metric wakes[] = {{"wake-ups", "in 10 s", 1}};
static const struct bench_metric written[] = {{"write", "ms", 1e-6},
                                              {"cpu", "ms", 1e-6}};

static const struct bench_entry observed[] = {
    {.impl = "not observed", .job = do_events, .arg = &off},
    {.impl = "weir, watchdog", .job = do_events, .arg = &watchdog},
    {.impl = "weir, recorder", .job = do_events, .arg = &recorder},
    {.impl = "weir, both", .job = do_events, .arg = &both},
};
static const struct bench_entry idlers[] = {
    {.impl = "not observed", .job = stay_idle, .arg = &off},
    {.impl = "weir, both", .job = stay_idle, .arg = &both},
};
static const struct bench_entry victims[] = {
    {.impl = "weir", .job = take_stacks},
};
static const struct bench_entry writers[] = {
    {.impl = "weir", .job = save_trace},
};

#define JOB(given, what, seconds, rows)                                        \
    .name = given, .operation = what, .threads = 1, .cpu = {BENCH_ANY_CPU},    \
    .job_s = seconds, .entries = rows, .entry_count = COUNT(rows)
#define EVENTS_OF(given, what, function)                                       \
    {                                                                          \
        JOB(given, what, 0.05, observed),                                      \
            .arg = &(void (*const)(void)){function}, .metrics = each,          \
            .metric_count = 2                                                  \
    }

static const struct bench_workload workloads[] = {
    EVENTS_OF("live/submit", "submit a task and run it", submit_some),
    EVENTS_OF("live/timer", "start a timer that is due, and run it",
              start_some_timers),
    EVENTS_OF("live/microtask", "queue a microtask and run it",
              submit_microtasks),
    {JOB("live/idle", "an idle process", 13, idlers), .yields = true,
     .metrics = wakes, .metric_count = 1},
    {JOB("live/stack", "take the stack of a thread that computes", 1, victims),
     .records = true},
    {JOB("live/trace", "save 1,000,000 events", 0.5, writers),
     .metrics = written, .metric_count = 2},
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "live", workloads, COUNT(workloads));
}
