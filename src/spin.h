/* SPDX-License-Identifier: MIT */
/*
 * spin -- to look for news for a while, instead of sleeping at once: a core that
 * sleeps takes long to wake.
 *
 * Who spins yields again and again.  Once that costs it the core, somebody else
 * needs it more, and it stops.
 */
#ifndef WEIR_SRC_SPIN_H
#define WEIR_SRC_SPIN_H

#include <stdbool.h>
#include <stdint.h>

#include "atomic.h"
#include "clock.h"
#include "thread.h"

enum {
    WEIR__SHORTEST_SPIN_NS = 500,
    WEIR__LONGEST_SPIN_NS = 1000000000,
    WEIR__LOST_CORE_NS = 20000, /* a yield that took so long: it is wanted */
};

/* How eagerly to look. */
struct weir__gaze {
    int pauses; /* between two looks, which take the word from who brings news */
    int looks;  /* between two yields, after which the clock is read */
};

/* Until there is news, which is what it returns; or until end_ns, by the real
 * clock. */
static inline bool weir__spin(struct weir__gaze gaze, int64_t began_ns,
                              int64_t end_ns, bool (*has_news)(const void *),
                              const void *arg)
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
