/* SPDX-License-Identifier: MIT */
/*
 * exposition -- metrics as text.  test/api/metrics.py asks promtool.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/suite.h"
#include "weir.h"

static char text[65536];
static size_t size;

static int append(void *arg, const char *bytes, size_t count)
{
    expect(size + count < sizeof(text));
    memcpy(text + size, bytes, count);
    size += count;
    text[size] = '\0';
    return 0;
}

static void write_text(const weir_metrics_source *sources, size_t count)
{
    size = 0;
    expect_status(weir_metrics_text(sources, count, append, NULL), 0);
}

/* The number behind a line's beginning. */
static double value_of(const char *sample)
{
    const char *at = strstr(text, sample);

    expect(at != NULL);
    return at == NULL ? -1 : strtod(at + strlen(sample), NULL);
}

static void on_task(void *arg, int status)
{
}

static weir_loop *new_loop(bool has_metrics)
{
    const weir_loop_options options = {.size = sizeof(options),
                                       .metrics = has_metrics};
    weir_loop *loop;

    expect_status(weir_loop_new(&loop, &options), 0);
    return loop;
}

static void run_tasks(weir_loop *loop, int count)
{
    for (int i = 0; i < count; i++)
        expect_status(weir_loop_submit(loop, on_task, NULL), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
}

CASE(exposition_shows_the_counters_of_each_loop)
{
    weir_loop *one = new_loop(true), *two = new_loop(true);
    const weir_metrics_source sources[] = {{.name = "one", .loop = one},
                                           {.name = "two", .loop = two}};

    run_tasks(one, 10);
    run_tasks(two, 20);
    write_text(sources, 2);
    expect(value_of("\nweir_loop_tasks_total{loop=\"one\"} ") == 10);
    expect(value_of("\nweir_loop_tasks_total{loop=\"two\"} ") == 20);
    expect(value_of("\nweir_loop_callback_seconds_count{loop=\"two\"} ") > 0);
    expect(value_of("\nprocess_resident_memory_bytes ") > 0);
    /* One family, two samples in a row. */
    expect(strstr(text, "# TYPE weir_loop_turns_total counter\n"
                        "weir_loop_turns_total{loop=\"one\"} ") != NULL);
    expect_status(weir_loop_free(one), 0);
    expect_status(weir_loop_free(two), 0);
}

CASE(exposition_buckets_are_cumulative_and_end_with_the_count)
{
    static const char *const bounds[] = {
        "1e-06", "1e-05", "0.0001", "0.001", "0.01", "0.1", "1", "10", "+Inf"};
    weir_loop *loop = new_loop(true);
    const weir_metrics_source source = {.name = "l", .loop = loop};
    double before = 0, count;

    run_tasks(loop, 50);
    write_text(&source, 1);
    count = value_of("\nweir_loop_callback_seconds_count{loop=\"l\"} ");
    for (size_t i = 0; i < sizeof(bounds) / sizeof(*bounds); i++) {
        char sample[128];
        double value;

        snprintf(sample, sizeof(sample),
                 "\nweir_loop_callback_seconds_bucket{loop=\"l\",le=\"%s\"} ",
                 bounds[i]);
        value = value_of(sample);
        expect(value >= before);
        before = value;
    }
    expect(before == count && count > 0);
    expect(value_of("\nweir_loop_callback_seconds_sum{loop=\"l\"} ") >= 0);
    expect_status(weir_loop_free(loop), 0);
}

CASE(exposition_shows_a_pool)
{
    const weir_pool_options options = {.size = sizeof(options), .workers = 2};
    weir_metrics_source source = {.name = "p"};
    weir_pool *pool;

    expect_status(weir_pool_new(&pool, &options), 0);
    source.pool = pool;
    for (int i = 0; i < 5; i++)
        expect_status(weir_pool_submit(pool, on_task, NULL, NULL), 0);
    expect_status(weir_pool_shutdown(pool, -1), 0);
    write_text(&source, 1);
    expect(value_of("\nweir_pool_jobs_total{pool=\"p\"} ") == 5);
    expect(strstr(text, "weir_loop_") == NULL);
    expect_status(weir_pool_free(pool), 0);
}

CASE(exposition_escapes_names_and_leaves_out_loops_without_metrics)
{
    weir_loop *with = new_loop(true), *without = new_loop(false);
    const weir_metrics_source sources[] = {
        {.name = "a\"b\\c\nd", .loop = with},
        {.name = "without", .loop = without}};

    write_text(sources, 2);
    expect(
        strstr(text, "weir_loop_turns_total{loop=\"a\\\"b\\\\c\\nd\"} 0\n") !=
        NULL);
    expect(strstr(text, "without") == NULL);
    expect_status(weir_loop_free(with), 0);
    expect_status(weir_loop_free(without), 0);
}

static int refuse(void *arg, const char *bytes, size_t count)
{
    ++*(int *)arg;
    return -EIO;
}

CASE(exposition_refuses_bad_sources_and_passes_errors_on)
{
    weir_loop *loop = new_loop(true);
    weir_metrics_source source = {.name = "l", .loop = loop};
    int calls = 0;

    /* covers: weir_metrics_text -EINVAL */
    expect_status(weir_metrics_text(&source, 1, NULL, NULL), -EINVAL);
    expect_status(weir_metrics_text(NULL, 1, append, NULL), -EINVAL);
    source.name = NULL;
    expect_status(weir_metrics_text(&source, 1, append, NULL), -EINVAL);
    source = (weir_metrics_source){.name = "l"};
    expect_status(weir_metrics_text(&source, 1, append, NULL), -EINVAL);
    expect_int(size, 0);
    expect_status(weir_metrics_text(NULL, 0, append, NULL), 0);
    expect_status(weir_metrics_text(NULL, 0, refuse, &calls), -EIO);
    expect_int(calls, 1);
    expect_status(weir_loop_free(loop), 0);
}
