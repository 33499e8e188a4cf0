/* SPDX-License-Identifier: MIT */
/*
 * counters -- how often is measured: probes in the queue, timed callbacks.
 */
#include "loop/counters.h"

#include "support/suite.h"

/* As in counters.c. */
enum { AT_MOST = 16, AT_LEAST = 1024, PROBE_TICKS = 30000, CROWD = 64 };
enum { UNTIMED = 127, CAREFUL = 256 };

static struct weir__counters *counters;

static void begin(void)
{
    expect_status(weir__counters_new(&counters), 0);
}

static void end(void)
{
    weir__counters_free(counters);
}

/* ---- probes ---- */

/* Begin a probe and check what it leaves.  Returns whether it came soon after
 * the one before. */
static bool probe(uint32_t *interval)
{
    struct weir__probing before = weir__counters_probing;
    uint64_t now = weir__counters_begin_probe();
    bool is_soon = now - before.last < PROBE_TICKS;
    uint32_t expected = before.interval;

    if (is_soon && expected < AT_LEAST)
        expected *= 2;
    if (!is_soon && expected > AT_MOST)
        expected /= 2;
    *interval = weir__counters_probing.interval;
    expect_int(*interval, expected);
    expect_int(weir__counters_probing.left, expected - 1);
    expect_int(weir__counters_probing.last, now);
    return is_soon;
}

CASE(counters_probe_the_first_push_after_sixteen)
{
    for (int i = 1; i < AT_MOST; i++)
        expect(!weir__counters_wants_probe());
    expect(weir__counters_wants_probe());
}

CASE(counters_probe_less_often_while_probes_come_soon)
{
    uint32_t interval = 0, soon = 0;

    while (soon < 100) /* more than to the limit */
        soon += probe(&interval) ? 1 : 0;
    expect(interval > AT_MOST && interval <= AT_LEAST);
}

CASE(counters_probe_more_often_while_probes_come_late)
{
    uint32_t interval = 0;

    weir__counters_probing.interval = AT_LEAST;
    for (int i = 0; i < 10; i++) {
        weir__counters_probing.last = 0; /* when the machine began */
        expect(!probe(&interval));
    }
    expect_int(interval, AT_MOST);
}

CASE(counters_probe_of_the_future_took_no_time)
{
    begin();
    weir__counters_probe(counters, weir__tsc_read() + UINT64_C(1000000000000));
    expect_int(weir__histogram_count(&counters->in_queue), 1);
    expect_int(weir__histogram_percentile(&counters->in_queue, 100), 0);
    end();
}

CASE(counters_depth_is_the_largest)
{
    begin();
    weir__counters_depth(counters, 3);
    weir__counters_depth(counters, 5);
    weir__counters_depth(counters, 4);
    expect_int(load_relaxed(&counters->depth_max), 5);
    end();
}

/* ---- callbacks ---- */

#define MINUTE UINT64_C(600000000000) /* or longer, in ticks */

/* End a callback that took at least so long. */
static uint64_t end_callback(uint64_t ticks, const char *name, uint64_t queued)
{
    uint64_t now = weir__tsc_read();

    return weir__counters_end(counters, now - ticks, now, WEIR_KIND_TIMER, name,
                              queued);
}

CASE(counters_keep_the_longest_callback)
{
    begin();
    expect_int(end_callback(MINUTE, "short", 0), 0);
    expect_string(load_relaxed(&counters->longest_name), "short");
    expect_int(end_callback(4 * MINUTE, "long", 0), 0);
    expect_int(end_callback(MINUTE, "short", 0), 0);
    expect_string(load_relaxed(&counters->longest_name), "long");
    expect_int(load_relaxed(&counters->longest_kind), WEIR_KIND_TIMER);
    expect(load_relaxed(&counters->longest) >= 4 * MINUTE);
    expect_int(weir__histogram_count(&counters->in_callback), 3);
    end();
}

CASE(counters_time_every_callback_unless_a_crowd_waits)
{
    begin();
    expect_int(end_callback(MINUTE, NULL, CROWD - 1), 0);
    expect_int(counters->gap, 0);
    expect_int(end_callback(MINUTE, NULL, CROWD), UNTIMED);
    expect(counters->gap != 0);
    expect_int(end_callback(0, NULL, 0), 0);
    expect_int(counters->gap, 0);
    end();
}

/* Between the two that were timed, one or all took longer than any before. */
CASE(counters_time_all_after_a_gap_in_which_a_long_one_may_hide)
{
    begin();
    expect_int(end_callback(MINUTE, NULL, CROWD), UNTIMED);
    counters->gap -= 3 * MINUTE;
    for (int i = 0; i < CAREFUL; i++)
        expect_int(end_callback(0, NULL, CROWD), 0);
    expect_int(end_callback(0, NULL, CROWD), UNTIMED);
    end();
}

CASE(counters_go_on_after_a_gap_that_hides_nothing)
{
    begin();
    expect_int(end_callback(3 * MINUTE, NULL, CROWD), UNTIMED);
    counters->gap -= MINUTE;
    expect_int(end_callback(0, NULL, CROWD), UNTIMED);
    expect_int(counters->careful, 0);
    end();
}
