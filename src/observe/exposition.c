/* SPDX-License-Identifier: MIT */
/*
 * exposition -- metrics in the text format of Prometheus.
 *
 * Shape     A table of families.  The format wants the samples of a family
 *           together, so each family goes through all sources.
 * Times     A loop measures in ticks of the processor's counter.  The length of
 *           a tick is measured better the longer a loop exists, but if it
 *           changed between two texts, a sum could decrease, and a value could
 *           move to another bucket.  So the first text that is written 10 ms
 *           after a loop was made fixes the length for good.
 *
 * Shared state
 *   tick   any thread; the first one sets it
 *
 * Tested by  test/unit/observe/exposition.c, test/api/metrics.py
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/process.h"
#include "loop/loop.h"
#include "weir/metrics.h"

enum { LINE = 512, LABEL = 200, MS_NS = 1000000, STEADY_NS = 10 * MS_NS };

static atomic(uint64_t) tick; /* the bits of a double; 0: not fixed */

struct text {
    weir_metrics_fn *write;
    void *arg;
    int err;
    const weir_metrics_source *sources;
    size_t count;
};

/* ---- lines ---- */

__attribute__((format(printf, 2, 3))) static void print(struct text *text,
                                                        const char *format, ...)
{
    char line[LINE];
    va_list args;
    int size;

    if (text->err != 0)
        return;
    va_start(args, format);
    size = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    if (size > 0 && (size_t)size < sizeof(line))
        text->err = text->write(text->arg, line, (size_t)size);
}

static void begin_family(struct text *text, const char *name, const char *type,
                         const char *help)
{
    print(text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* The value of a label: three characters are escaped, and long ones cut. */
static const char *escaped(char out[LABEL], const char *value)
{
    size_t size = 0;

    for (; *value != '\0' && size < LABEL - 2; value++) {
        if (*value == '\\' || *value == '"' || *value == '\n')
            out[size++] = '\\';
        out[size++] = *value == '\n' ? 'n' : *value;
    }
    out[size] = '\0';
    return out;
}

/* ---- values ---- */

typedef bool read_fn(const weir_metrics_source *source, size_t offset,
                     uint64_t *value);

static bool read_loop(const weir_metrics_source *source, size_t offset,
                      uint64_t *value)
{
    weir_metrics metrics = {.size = sizeof(metrics)};

    if (source->loop == NULL || weir_loop_metrics(source->loop, &metrics) != 0)
        return false;
    memcpy(value, (const char *)&metrics + offset, sizeof(*value));
    return true;
}

static bool read_pool(const weir_metrics_source *source, size_t offset,
                      uint64_t *value)
{
    weir_pool_stats stats = {.size = sizeof(stats)};

    if (source->pool == NULL || weir_pool_look(source->pool, &stats) != 0)
        return false;
    memcpy(value, (const char *)&stats + offset, sizeof(*value));
    return true;
}

static bool read_pool_small(const weir_metrics_source *source, size_t offset,
                            uint64_t *value)
{
    weir_pool_stats stats = {.size = sizeof(stats)};
    uint32_t small;

    if (source->pool == NULL || weir_pool_look(source->pool, &stats) != 0)
        return false;
    memcpy(&small, (const char *)&stats + offset, sizeof(small));
    *value = small;
    return true;
}

struct family {
    const char *name, *type, *help;
    read_fn *read;
    size_t offset;
    bool is_time; /* in nanoseconds */
};

#define LOOP(name, type, member, is_time, help)                                \
    {                                                                          \
        "weir_loop_" name, type, help, read_loop,                              \
            offsetof(weir_metrics, member), is_time                            \
    }
#define POOL(name, type, read, member, help)                                   \
    {                                                                          \
        "weir_pool_" name, type, help, read,                                   \
            offsetof(weir_pool_stats, member), false                           \
    }

static const struct family families[] = {
    LOOP("turns_total", "counter", turns, false, "Turns of a loop."),
    LOOP("callbacks_total", "counter", callbacks, false,
         "Callbacks of every kind."),
    LOOP("tasks_total", "counter", tasks, false,
         "Posted or submitted tasks that have run."),
    LOOP("wakes_sent_total", "counter", wakes_sent, false,
         "Wake-ups of the sleeping loop by other threads."),
    LOOP("wakes_saved_total", "counter", wakes_saved, false,
         "Tasks from other threads that needed no wake-up."),
    LOOP("queue_depth", "gauge", queue_depth, false,
         "Tasks that the loop has taken over but not run."),
    LOOP("queue_depth_max", "gauge", queue_depth_max, false,
         "The largest queue depth so far."),
    LOOP("asleep_seconds_total", "counter", asleep_ns, true,
         "Time that the loop has slept."),
    LOOP("longest_callback_seconds", "gauge", longest_ns, true,
         "Time of the longest callback so far."),
    POOL("workers", "gauge", read_pool_small, workers, "Threads of a pool."),
    POOL("workers_asleep", "gauge", read_pool_small, asleep,
         "Threads of a pool that sleep."),
    POOL("workers_blocked", "gauge", read_pool_small, blocked,
         "Threads of a pool in a blocking call."),
    POOL("jobs_total", "counter", read_pool, ran, "Jobs that were run."),
    POOL("jobs_cancelled_total", "counter", read_pool, cancelled,
         "Jobs that were cancelled."),
    POOL("steals_total", "counter", read_pool, stolen,
         "Jobs taken from the queues of another worker."),
    POOL("sleeps_total", "counter", read_pool, sleeps,
         "How often a worker has gone to sleep."),
    POOL("queued", "gauge", read_pool, queued, "Jobs that wait."),
};

static void write_family(struct text *text, const struct family *family)
{
    bool has_begun = false;

    for (size_t i = 0; i < text->count; i++) {
        const weir_metrics_source *source = &text->sources[i];
        char label[LABEL];
        uint64_t value;

        if (!family->read(source, family->offset, &value))
            continue;
        if (!has_begun)
            begin_family(text, family->name, family->type, family->help);
        has_begun = true;
        print(text, "%s{%s=\"%s\"} %" PRIu64, family->name,
              source->loop != NULL ? "loop" : "pool",
              escaped(label, source->name),
              family->is_time ? value / 1000000000 : value);
        if (family->is_time)
            print(text, ".%09" PRIu64, value % 1000000000);
        print(text, "\n");
    }
}

/* ---- histograms ---- */

static double from_bits(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Nanoseconds per tick. */
static double tick_of(const struct weir__counters *counters)
{
    uint64_t bits = load_relaxed(&tick), fixed = 0; /* relaxed: a number */
    struct weir__tsc_sample now = weir__tsc_sample_both();
    uint64_t ticks = now.before - counters->origin.before;
    int64_t passed_ns = now.real_ns - counters->origin.real_ns;
    double scale;

    if (bits != 0)
        return from_bits(bits);
    scale = ticks == 0 ? 1 : (double)passed_ns / (double)ticks;
    memcpy(&bits, &scale, sizeof(bits));
    if (passed_ns < STEADY_NS)
        return scale;
    /* relaxed: a number; decides whose it is */
    return cas_relaxed(&tick, &fixed, bits) ? scale : from_bits(fixed);
}

/* The middle of a bucket, in ticks; see loop/histogram.c. */
static double middle_of(uint32_t index)
{
    uint32_t shift = index < 32 ? 0 : index / 16 - 1;
    double low = (double)((uint64_t)(index - shift * 16) << shift);

    return low + (double)((UINT64_C(1) << shift) - 1) / 2;
}

static const struct {
    const char *text;
    double ns;
} bounds[] = {{"1e-06", 1e3}, {"1e-05", 1e4}, {"0.0001", 1e5}, {"0.001", 1e6},
              {"0.01", 1e7},  {"0.1", 1e8},   {"1", 1e9},      {"10", 1e10}};

enum { BOUNDS = sizeof(bounds) / sizeof(*bounds) };

/* A bucket of ours belongs to the bound that its middle does not exceed. */
static void write_histogram(struct text *text, const char *name,
                            const char *label,
                            const struct weir__histogram *histogram,
                            double scale)
{
    uint64_t below[BOUNDS] = {0}, total = 0;
    double sum_ns = 0;

    for (uint32_t i = 0; i < WEIR__HISTOGRAM_BUCKETS; i++) {
        /* relaxed: count */
        uint64_t count = load_relaxed(&histogram->count[i]);
        double ns = count != 0 ? middle_of(i) * scale : 0;

        if (count == 0)
            continue;
        total += count;
        sum_ns += (double)count * ns;
        for (int k = 0; k < BOUNDS; k++)
            if (ns <= bounds[k].ns)
                below[k] += count;
    }
    for (int k = 0; k < BOUNDS; k++)
        print(text, "%s_bucket{loop=\"%s\",le=\"%s\"} %" PRIu64 "\n", name,
              label, bounds[k].text, below[k]);
    print(text, "%s_bucket{loop=\"%s\",le=\"+Inf\"} %" PRIu64 "\n", name, label,
          total);
    print(text, "%s_sum{loop=\"%s\"} %.9f\n", name, label, sum_ns / 1e9);
    print(text, "%s_count{loop=\"%s\"} %" PRIu64 "\n", name, label, total);
}

static void write_histograms(struct text *text, const char *name,
                             const char *help, size_t offset)
{
    bool has_begun = false;

    for (size_t i = 0; i < text->count; i++) {
        const weir_loop *loop = text->sources[i].loop;
        const struct weir__counters *counters =
            loop == NULL ? NULL : loop->counters;
        char label[LABEL];

        if (counters == NULL)
            continue;
        if (!has_begun)
            begin_family(text, name, "histogram", help);
        has_begun = true;
        write_histogram(
            text, name, escaped(label, text->sources[i].name),
            (const struct weir__histogram *)((const char *)counters + offset),
            tick_of(counters));
    }
}

/* ---- the process ---- */

static void write_process(struct text *text)
{
    struct weir__usage usage = weir__process_usage();

    begin_family(text, "process_cpu_seconds_total", "counter",
                 "Processor time of the process.");
    print(text, "process_cpu_seconds_total %.6f\n", (double)usage.cpu_ns / 1e9);
    begin_family(text, "process_resident_memory_bytes", "gauge",
                 "Resident memory of the process.");
    print(text, "process_resident_memory_bytes %" PRIu64 "\n",
          usage.resident_bytes);
}

/* ---- all of it ---- */

static bool are_valid(const weir_metrics_source *sources, size_t count)
{
    if (sources == NULL)
        return count == 0;
    for (size_t i = 0; i < count; i++)
        if (sources[i].name == NULL ||
            (sources[i].loop == NULL) == (sources[i].pool == NULL))
            return false;
    return true;
}

int weir_metrics_text(const weir_metrics_source *sources, size_t count,
                      weir_metrics_fn *write, void *arg)
{
    struct text text = {write, arg, 0, sources, count};

    if (write == NULL || !are_valid(sources, count))
        return -EINVAL;
    for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
        write_family(&text, &families[i]);
    write_histograms(&text, "weir_loop_queue_seconds",
                     "Time of sampled tasks in the queue.",
                     offsetof(struct weir__counters, in_queue));
    write_histograms(&text, "weir_loop_callback_seconds",
                     "Time of sampled callbacks.",
                     offsetof(struct weir__counters, in_callback));
    write_process(&text);
    return text.err;
}
