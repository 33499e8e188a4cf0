/* SPDX-License-Identifier: MIT */
/* ticket -- A ticket lock and three threads. */
#include "contest.h"

struct program {
    std::atomic<unsigned> next, serving;
    PLAIN(int) counter;

    program()
    {
        next.store(0, std::memory_order_relaxed);
        serving.store(0, std::memory_order_relaxed);
        VAR(counter) = 0;
    }
    void thread(unsigned)
    {
        unsigned mine = next.fetch_add(1, std::memory_order_relaxed);

        while (serving.load(std::memory_order_acquire) != mine)
            SPIN();
        VAR(counter) = VAR(counter) + 1;
        serving.store(mine + 1, std::memory_order_release);
    }
    void after()
    {
        CHECK(VAR(counter) == 3);
    }
};

CONTEST(3)
