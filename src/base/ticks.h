/* SPDX-License-Identifier: MIT */
/*
 * ticks -- the processor's time-stamp counter, the fastest clock there is.
 *
 * Reading it takes 10 ns; the kernel's clock takes 25.  The length of a tick in
 * nanoseconds is measured by reading both clocks twice, far enough apart.
 */
#ifndef WEIR_SRC_TICKS_H
#define WEIR_SRC_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

static inline uint64_t weir__ticks_now(void)
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
bool weir__ticks_are_the_clock(void);

/* A reading of both clocks: real_ns lies between the two tick values. */
struct weir__moment {
    uint64_t before, after; /* ticks */
    int64_t real_ns;
};

static inline struct weir__moment weir__ticks_look(void)
{
    struct weir__moment moment = {.before = weir__ticks_now()};

    moment.real_ns = weir__clock_real();
    moment.after = weir__ticks_now();
    return moment;
}

#endif /* WEIR_SRC_TICKS_H */
