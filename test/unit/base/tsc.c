/* SPDX-License-Identifier: MIT */
/*
 * tsc -- never behind the clock, and never far ahead of it.
 */
#include "base/tsc.h"

#include "support/suite.h"

#define MILLISECOND_NS INT64_C(1000000)
#define SPAN_NS (MILLISECOND_NS / 4)

static struct weir__tsc tsc;

/* A machine whose counter makes `ticks` in a microsecond. */
static struct weir__tsc_sample sample_at(int64_t real_ns, uint64_t ticks)
{
    uint64_t now = 1000000 + (uint64_t)real_ns * ticks / 1000;

    return (struct weir__tsc_sample){now, now + 1 + ticks / 50, real_ns};
}

static void begin(void)
{
    weir__tsc_init(&tsc);
    tsc.is_steady = true;
}

static void learn(int64_t from_ns, int64_t to_ns, uint64_t ticks)
{
    for (int64_t at_ns = from_ns; at_ns < to_ns; at_ns += SPAN_NS)
        weir__tsc_calibrate(&tsc, sample_at(at_ns, ticks));
}

/* What now() would say at that sample; the kernel's clock is not asked. */
static int64_t guess_at(int64_t real_ns, uint64_t ticks)
{
    uint64_t passed = sample_at(real_ns, ticks).before - tsc.from_ticks;

    expect(passed < tsc.span_ticks);
    return weir__tsc_after(&tsc, passed);
}

CASE(tsc_is_unknown_until_two_measurements_agree)
{
    begin();
    learn(MILLISECOND_NS, 2 * MILLISECOND_NS, 3000);
    expect_int(tsc.span_ticks, 0);
    learn(2 * MILLISECOND_NS, 2 * MILLISECOND_NS + SPAN_NS, 3000);
    expect_int(tsc.span_ticks, 0);
    learn(2 * MILLISECOND_NS + SPAN_NS, 4 * MILLISECOND_NS, 3000);
    expect(tsc.span_ticks > 0);
}

CASE(tsc_is_ahead_of_the_clock_by_half_a_microsecond_at_most)
{
    static const uint64_t ticks[] = {24, 1000, 2445, 3000, 5000};

    for (unsigned i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
        int64_t from_ns = 10 * MILLISECOND_NS;

        begin();
        learn(MILLISECOND_NS, from_ns + 1, ticks[i]);
        for (int64_t at_ns = from_ns; at_ns < from_ns + SPAN_NS - 1000;
             at_ns += 777) {
            int64_t ahead_ns = guess_at(at_ns, ticks[i]) - at_ns;

            expect(ahead_ns >= 0);
            expect(ahead_ns <= 500 + 2000 / (int64_t)ticks[i]);
        }
    }
}

/* The kernel makes its clock run faster, by 500 ppm and as much again. */
CASE(tsc_is_not_behind_a_clock_that_was_corrected)
{
    struct weir__tsc_sample look;

    begin();
    learn(MILLISECOND_NS, 10 * MILLISECOND_NS, 3000);
    look = sample_at(10 * MILLISECOND_NS, 3000);
    weir__tsc_calibrate(&tsc, look);
    for (int64_t passed_ns = 0; passed_ns < SPAN_NS - 1000; passed_ns += 777) {
        uint64_t ticks = (uint64_t)passed_ns * 3000 / 1000;

        expect(weir__tsc_after(&tsc, ticks) >=
               look.real_ns + passed_ns + passed_ns / 1000);
    }
}

/* As after a machine has slept: its counter went on, its clock did not. */
CASE(tsc_that_changes_is_not_believed_until_it_is_steady_again)
{
    begin();
    learn(MILLISECOND_NS, 10 * MILLISECOND_NS, 3000);
    expect(tsc.span_ticks > 0);
    weir__tsc_calibrate(&tsc, sample_at(12 * MILLISECOND_NS, 4000));
    expect_int(tsc.span_ticks, 0);
    learn(13 * MILLISECOND_NS, 16 * MILLISECOND_NS, 3000);
    expect(tsc.span_ticks > 0);
}

CASE(tsc_does_not_measure_with_a_look_that_was_interrupted)
{
    struct weir__tsc_sample slow;
    uint64_t before;

    begin();
    learn(MILLISECOND_NS, 10 * MILLISECOND_NS, 3000);
    before = tsc.measured;
    slow = sample_at(20 * MILLISECOND_NS, 3000);
    slow.after += 3000 * 1000;
    weir__tsc_calibrate(&tsc, slow);
    expect_int(tsc.measured, before);
    expect_int(tsc.from_ns, 20 * MILLISECOND_NS);
}

CASE(tsc_of_counters_that_are_not_the_clock_is_never_used)
{
    begin();
    tsc.is_steady = false;
    for (int i = 0; i < 1000; i++)
        expect(weir__tsc_now(&tsc) <= weir_clock_now());
    expect_int(tsc.span_ticks, 0);
}

CASE(tsc_now_is_never_behind_the_clock_and_never_goes_back)
{
    int64_t until_ns = weir_clock_now() + 50 * MILLISECOND_NS;
    int64_t last_ns = 0, now_ns = 0;

    weir__tsc_init(&tsc);
    while (now_ns < until_ns) {
        int64_t before_ns = weir_clock_now();

        now_ns = weir__tsc_now(&tsc);
        expect(now_ns >= before_ns);
        expect(now_ns >= last_ns);
        last_ns = now_ns;
    }
}

CASE(tsc_now_is_the_frozen_time_of_a_test)
{
    weir__tsc_init(&tsc);
    for (int i = 0; i < 100000; i++)
        (void)weir__tsc_now(&tsc);
    expect_status(weir_clock_freeze(12345), 0);
    expect_int(weir__tsc_now(&tsc), 12345);
    expect_status(weir_clock_advance(5), 0);
    expect_int(weir__tsc_now(&tsc), 12350);
    weir_clock_thaw();
    expect(weir__tsc_now(&tsc) >= weir_clock_now() - MILLISECOND_NS);
}
