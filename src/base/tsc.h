/* SPDX-License-Identifier: MIT */
/*
 * tsc -- the processor's time-stamp counter, and the time computed from it.
 *
 * The counter is the fastest clock there is: reading it takes 10 ns, the
 * kernel's clock takes 25.  The length of a tick in nanoseconds is measured by
 * reading both clocks twice, far enough apart.
 *
 * A timer must not fire early, so its delay counts from a time that is not
 * before the call that starts it.  weir__tsc_now() gives such a time, which may
 * be late by half a microsecond.  Each struct weir__tsc belongs to one thread.
 */
#ifndef WEIR_SRC_TSC_H
#define WEIR_SRC_TSC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

static inline uint64_t weir__tsc_read(void)
{
#if defined(WEIR_MODEL)
    return 1000;
#elif defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return (uint64_t)weir__clock_real();
#endif
}

/* Whether the kernel's clock is based on the same counter.  If so, it advances
 * at the same rate on all cores, except for the small corrections that the
 * kernel makes.  If not, values computed from ticks may be wrong and must be
 * used for statistics only.  Thread: any. */
bool weir__tsc_is_clock(void);

/* A reading of both clocks: real_ns lies between the two tick values. */
struct weir__tsc_sample {
    uint64_t before, after; /* ticks */
    int64_t real_ns;
};

static inline struct weir__tsc_sample weir__tsc_sample_both(void)
{
    struct weir__tsc_sample sample = {.before = weir__tsc_read()};

    sample.real_ns = weir__clock_real();
    sample.after = weir__tsc_read();
    return sample;
}

/* ---- the time, computed from the counter ---- */

struct weir__tsc {
    uint64_t from_ticks; /* ticks when both clocks were last read, and ... */
    int64_t from_ns;     /* ... the real time then */
    uint64_t span_ticks; /* how long that reading is valid; 0: not at all */
    uint64_t rate;       /* ns per tick, at most, times 2^32; 0: unknown */
    int64_t latest_ns;   /* what now() last returned; it never goes back */
    uint64_t measured;   /* the rate without its margin; 0: unknown */
    struct weir__tsc_sample since; /* when the measurement began */
    bool is_steady;                /* the kernel's clock uses the ticks */
};

void weir__tsc_init(struct weir__tsc *tsc);

/* Record a reading of both clocks.  Thread: the owner. */
void weir__tsc_calibrate(struct weir__tsc *tsc, struct weir__tsc_sample sample);

/* Read the kernel's clock, for when the counter cannot be used. */
int64_t weir__tsc_sync(struct weir__tsc *tsc);

/* Return the time so many ticks after the last reading, rounded up: the tick in
 * progress counts in full. */
static inline int64_t weir__tsc_after(const struct weir__tsc *tsc,
                                      uint64_t ticks)
{
    return tsc->from_ns + (int64_t)((ticks + 1) * tsc->rate >> 32) + 1;
}

/* Get a time that is not before weir_clock_now() and at most half a microsecond
 * after it.  It never decreases, unless a test has set the clock.  Returns
 * false if the counter cannot tell; then call weir__tsc_sync(). */
static inline bool weir__tsc_tell(struct weir__tsc *tsc, int64_t *now_ns)
{
    uint64_t ticks = weir__tsc_read() - tsc->from_ticks;

    if (ticks >= tsc->span_ticks || weir__clock_is_frozen())
        return false;
    *now_ns = weir__tsc_after(tsc, ticks);
    if (tsc->latest_ns < *now_ns)
        tsc->latest_ns = *now_ns;
    *now_ns = tsc->latest_ns;
    return true;
}

static inline int64_t weir__tsc_now(struct weir__tsc *tsc)
{
    int64_t now_ns;

    return weir__tsc_tell(tsc, &now_ns) ? now_ns : weir__tsc_sync(tsc);
}

#endif /* WEIR_SRC_TSC_H */
