/* SPDX-License-Identifier: MIT */
/*
 * ticks -- the quickest clock there is, to measure with.
 *
 * It takes 10 ns where the kernel's clock takes 25.  What a tick is, in
 * nanoseconds, is found out by whoever shows the figures: two looks at both
 * clocks, far enough apart.  On a machine whose counter changes its pace the
 * figures are off; nothing but figures depends on it.
 */
#ifndef WEIR_SRC_TICKS_H
#define WEIR_SRC_TICKS_H

#include <stdint.h>

#include "clock.h"

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

/* One moment on both clocks. */
struct weir__moment {
    uint64_t ticks;
    int64_t real_ns;
};

static inline struct weir__moment weir__ticks_look(void)
{
    return (struct weir__moment){weir__ticks_now(), weir__clock_real()};
}

#endif /* WEIR_SRC_TICKS_H */
