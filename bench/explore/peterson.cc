/* SPDX-License-Identifier: MIT */
/* peterson -- Peterson's lock for two threads (1981). */
#include "contest.h"

struct program {
    std::atomic<int> interested[2], turn;
    PLAIN(int) counter;

    program()
    {
        for (int i = 0; i < 2; i++)
            interested[i].store(0, std::memory_order_relaxed);
        turn.store(0, std::memory_order_relaxed);
        VAR(counter) = 0;
    }
    void thread(unsigned me)
    {
        int other = 1 - (int)me;

        interested[me].store(1, std::memory_order_seq_cst);
        turn.store(other, std::memory_order_seq_cst);
        while (interested[other].load(std::memory_order_seq_cst) != 0 &&
               turn.load(std::memory_order_seq_cst) == other)
            SPIN();
        VAR(counter) = VAR(counter) + 1;
        interested[me].store(0, std::memory_order_seq_cst);
    }
    void after()
    {
        CHECK(VAR(counter) == 2);
    }
};

CONTEST(2)
