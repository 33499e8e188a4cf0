/* SPDX-License-Identifier: MIT */
/* buffering -- Store buffering with seq_cst: one of the two sees the other. */
#include "contest.h"

struct program {
    std::atomic<int> word[2];
    int seen[2];

    program()
    {
        for (int i = 0; i < 2; i++)
            word[i].store(0, std::memory_order_relaxed);
    }
    void thread(unsigned me)
    {
        word[me].store(1, std::memory_order_seq_cst);
        seen[me] = word[1 - me].load(std::memory_order_seq_cst);
    }
    void after()
    {
        CHECK(seen[0] + seen[1] > 0);
    }
};

CONTEST(2)
