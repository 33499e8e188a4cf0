/* SPDX-License-Identifier: MIT */
/*
 * ticks -- the counter of the processor, the quickest clock there is.
 *
 * It takes 10 ns where the kernel's clock takes 25.  What a tick is, in
 * nanoseconds, is found out by two looks at both clocks, far enough apart.
 */
#ifndef WEIR_SRC_TICKS_H
#define WEIR_SRC_TICKS_H

#include <stdbool.h>
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

/* Whether the kernel's clock counts the same ticks: then they go on at one
 * pace on all cores, but for the small corrections that the kernel makes.  If
 * not, figures made of ticks may be off, and nothing else may depend on them.
 * Thread: any. */
bool weir__ticks_are_the_clock(void);

/* One moment on both clocks: real_ns lies between the two. */
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
