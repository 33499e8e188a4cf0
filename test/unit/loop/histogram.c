/* SPDX-License-Identifier: MIT */
/*
 * histogram -- percentiles that are exact for small values, and at most 1/16
 * too great for all others.
 */
#include "loop/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/crew.h"
#include "support/random.h"
#include "support/suite.h"

static struct weir__histogram histogram;

static void begin(void)
{
    memset(&histogram, 0xa5, sizeof(histogram));
    weir__histogram_init(&histogram);
}

static void add(uint64_t value)
{
    weir__histogram_add(&histogram, value);
}

static uint64_t percentile(double percent)
{
    return weir__histogram_percentile(&histogram, percent);
}

CASE(histogram_begins_empty)
{
    begin();
    expect_int(weir__histogram_count(&histogram), 0);
    expect_int(percentile(0), 0);
    expect_int(percentile(50), 0);
    expect_int(percentile(100), 0);
}

CASE(histogram_counts_each_value)
{
    begin();
    for (unsigned bit = 0; bit < 64; bit++) {
        add(UINT64_C(1) << bit);
        add(0);
        expect_int(weir__histogram_count(&histogram), 2 * (bit + 1));
    }
}

CASE(histogram_of_zeros_is_not_empty)
{
    begin();
    add(0);
    expect_int(weir__histogram_count(&histogram), 1);
    expect_int(percentile(100), 0);
}

CASE(histogram_values_below_16_are_exact)
{
    begin();
    for (uint64_t value = 0; value < 16; value++)
        add(value);
    add(UINT64_MAX); /* so that the largest value says nothing about them */
    for (unsigned rank = 1; rank <= 16; rank++)
        expect_int(percentile(100.0 * rank / 17), rank - 1);
}

/* What the smaller of two values is taken for, when the other is large. */
static uint64_t taken_for(uint64_t value)
{
    begin();
    add(value);
    add(UINT64_MAX);
    return percentile(50);
}

CASE(histogram_buckets_begin_and_end_at_sixteenths_of_a_power_of_two)
{
    for (unsigned shift = 0; shift <= 59; shift++) {
        uint64_t width = UINT64_C(1) << shift;

        for (uint64_t sixteenth = 16; sixteenth < 32; sixteenth++) {
            uint64_t low = sixteenth * width, top = low + (width - 1);

            expect(taken_for(low - 1) == low - 1);
            expect(taken_for(low) == top);
            expect(taken_for(top) == top);
        }
    }
}

CASE(histogram_indices_rise_by_one_at_each_edge)
{
    uint32_t index = 0;

    for (uint64_t value = 0; value < 16; value++)
        expect_int(weir__histogram_index(value), index++);
    for (unsigned shift = 0; shift <= 59; shift++)
        for (uint64_t sixteenth = 16; sixteenth < 32; sixteenth++)
            expect_int(weir__histogram_index(sixteenth << shift), index++);
    expect_int(index, WEIR__HISTOGRAM_BUCKETS);
    expect_int(weir__histogram_index(UINT64_MAX), WEIR__HISTOGRAM_BUCKETS - 1);
}

CASE(histogram_never_shows_more_than_the_largest_value)
{
    begin();
    for (uint64_t value = 1; value < UINT64_MAX / 3; value *= 3) {
        add(value);
        expect(percentile(100) == value);
    }
}

CASE(histogram_largest_value_is_kept_when_smaller_ones_follow)
{
    begin();
    add(1000001);
    add(1000000);
    add(0);
    expect_int(percentile(100), 1000001);
}

CASE(histogram_holds_the_largest_number)
{
    begin();
    add(UINT64_MAX);
    expect(percentile(0) == UINT64_MAX);
    expect(percentile(100) == UINT64_MAX);
    add(UINT64_MAX - 1);
    expect(percentile(0) == UINT64_MAX);
}

CASE(histogram_percent_0_is_the_smallest_and_100_the_largest)
{
    begin();
    add(7);
    add(3);
    add(11);
    expect_int(percentile(0), 3);
    expect_int(percentile(100), 11);
}

CASE(histogram_percent_outside_counts_as_the_nearer_end)
{
    begin();
    add(3);
    add(11);
    expect_int(percentile(-1), 3);
    expect_int(percentile(-INFINITY), 3);
    expect_int(percentile((double)NAN), 3);
    expect_int(percentile(100.1), 11);
    expect_int(percentile(INFINITY), 11);
}

CASE(histogram_percentile_is_the_first_that_so_many_do_not_exceed)
{
    begin();
    for (uint64_t value = 1; value <= 10; value++)
        add(value);
    expect_int(percentile(9.9), 1);
    expect_int(percentile(10), 1);
    expect_int(percentile(10.1), 2);
    expect_int(percentile(50), 5);
    expect_int(percentile(90), 9);
    expect_int(percentile(90.1), 10);
}

/* `total` values, of which `ones` are 1 and the others 2. */
static void begin_with_ones(uint64_t ones, uint64_t total)
{
    begin();
    set_unshared(&histogram.count[1], ones);
    set_unshared(&histogram.count[2], total - ones);
    set_unshared(&histogram.max, 2);
}

CASE(histogram_usual_percentiles_are_not_off_by_a_rounding)
{
    static const unsigned per_mille[] = {500, 900, 990, 999};

    for (uint64_t total = 1; total < 5000; total++) {
        for (unsigned i = 0; i < 4; i++) {
            uint64_t rank = (total * per_mille[i] + 999) / 1000;

            begin_with_ones(rank, total);
            expect_int(percentile(per_mille[i] / 10.0), 1);
            begin_with_ones(rank - 1, total);
            expect_int(percentile(per_mille[i] / 10.0), 2);
        }
    }
}

enum { VALUES = 20000, STEPS = 1000 };

static uint64_t values[VALUES]; /* sorted */

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Of every magnitude as many. */
static void add_random_values(struct random *random)
{
    begin();
    for (unsigned i = 0; i < VALUES; i++) {
        values[i] = random_next(random) >> random_below(random, 64);
        add(values[i]);
    }
    qsort(values, VALUES, sizeof(*values), by_value);
}

/* That of step / STEPS. */
static uint64_t exact_percentile(unsigned step)
{
    unsigned rank = (step * VALUES + STEPS - 1) / STEPS;

    return values[rank > 0 ? rank - 1 : 0];
}

CASE(histogram_is_wrong_by_one_sixteenth_at_the_most)
{
    struct random random = {random_seed()};

    for (unsigned round = 0; round < 5; round++) {
        add_random_values(&random);
        for (unsigned step = 0; step <= STEPS; step++) {
            uint64_t exact = exact_percentile(step);
            uint64_t shown = percentile(100.0 * step / STEPS);

            expect(shown >= exact);
            expect(shown - exact <= exact / 16);
            expect(shown <= values[VALUES - 1]);
        }
    }
}

CASE(histogram_answers_do_not_depend_on_the_order_of_the_questions)
{
    struct random random = {random_seed()};
    uint64_t in_order[STEPS + 1];

    add_random_values(&random);
    for (unsigned step = 0; step <= STEPS; step++) {
        in_order[step] = percentile(100.0 * step / STEPS);
        expect(step == 0 || in_order[step - 1] <= in_order[step]);
    }
    for (unsigned i = 0; i < STEPS; i++) {
        unsigned step = (unsigned)random_below(&random, STEPS + 1);

        expect(percentile(100.0 * step / STEPS) == in_order[step]);
    }
}

/* What a reader may find in the middle of an add. */
CASE(histogram_value_whose_maximum_is_late_is_shown_as_its_bucket)
{
    begin();
    add(3);
    set_unshared(&histogram.count[weir__histogram_index(1000)], 1);
    expect_int(percentile(100), 992);
    set_unshared(&histogram.max, 1000);
    expect_int(percentile(100), 1000);
}

/*
 * One adds, others read.  The values lie between two edges of buckets, so a
 * reader that finds any value finds one between them.
 */
enum { ADDED = 50000, LOW = 1 << 10, HIGH = (1 << 20) - 1 };

static void add_beside_readers(void)
{
    struct random random = {random_seed()};

    for (unsigned i = 0; i < ADDED; i++)
        add(LOW + random_below(&random, HIGH - LOW + 1));
}

/* Returns how many there were. */
static uint64_t read_once(void)
{
    uint64_t before = weir__histogram_count(&histogram);
    uint64_t half = percentile(50), all = percentile(100);
    uint64_t after = weir__histogram_count(&histogram);

    expect(half == 0 || (LOW <= half && half <= HIGH));
    expect(all == 0 || (LOW <= all && all <= HIGH));
    expect(before == 0 || half > 0);
    expect(half <= all); /* asked for later, and neither ever falls */
    expect(before <= after && after <= ADDED);
    return after;
}

static void add_or_read(struct crew *crew, unsigned id)
{
    if (id == 0)
        add_beside_readers();
    else
        while (read_once() < ADDED)
            ;
}

CASE(histogram_reader_beside_the_writer_sees_only_what_was_added)
{
    begin();
    crew_run(3, add_or_read, NULL);
    expect_int(weir__histogram_count(&histogram), ADDED);
}
