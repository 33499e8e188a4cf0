/* SPDX-License-Identifier: MIT */
/*
 * spin -- poll for work for a while before sleeping, because a sleeping core
 * takes long to wake.
 *
 * The spinning thread yields repeatedly.  Once a yield costs it the core,
 * another thread needs the core more, and it stops spinning.
 */
#ifndef WEIR_SRC_SPIN_H
#define WEIR_SRC_SPIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"
#include "base/clock.h"
#include "base/thread.h"

enum {
    WEIR__SHORTEST_SPIN_NS = 500,
    WEIR__LONGEST_SPIN_NS = 1000000000,
    WEIR__LOST_CORE_NS = 20000, /* a longer yield: the core is needed */
};

/* How often to poll. */
struct weir__gaze {
    int pauses; /* between two polls, which pull the producer's cache line */
    int looks;  /* polls between two yields, after which the clock is read */
};

/* Spin until has_news(arg), until end_ns by the real clock, or until a yield
 * loses the core.  Returns whether there is news. */
static inline bool weir__spin(struct weir__gaze gaze, int64_t began_ns,
                              int64_t end_ns, bool (*has_news)(void *),
                              void *arg)
{
    for (int64_t now_ns = began_ns, before_ns; now_ns < end_ns;) {
        for (int i = 0; i < gaze.looks; i++) {
            if (has_news(arg))
                return true;
            for (int pause = 0; pause < gaze.pauses; pause++)
                cpu_relax();
        }
        before_ns = now_ns;
        weir__thread_yield();
        now_ns = weir__clock_real();
        if (now_ns - before_ns > WEIR__LOST_CORE_NS)
            return false;
    }
    return false;
}

#endif /* WEIR_SRC_SPIN_H */
