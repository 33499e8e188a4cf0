/* SPDX-License-Identifier: MIT */
/* stack -- Treiber's stack (1986) of two nodes, with a count against ABA. */
#include "contest.h"

struct program {
    enum { NODES = 2, NONE = NODES, COUNT = 0x100 };
    std::atomic<unsigned> head, next[NODES];
    std::atomic<int> taken[NODES];

    program()
    {
        head.store(0, std::memory_order_relaxed);
        for (unsigned i = 0; i < NODES; i++) {
            next[i].store(i + 1, std::memory_order_relaxed);
            taken[i].store(0, std::memory_order_relaxed);
        }
    }
    unsigned pop()
    {
        unsigned seen = head.load(std::memory_order_acquire);

        for (;;) {
            unsigned index = seen & 0xff, after;

            if (index == NONE)
                return NONE;
            after = next[index].load(std::memory_order_relaxed);
            if (head.compare_exchange_strong(seen,
                                             ((seen & ~0xffu) + COUNT) | after,
                                             std::memory_order_acq_rel))
                return index;
        }
    }
    void push(unsigned index)
    {
        unsigned seen = head.load(std::memory_order_relaxed);

        do
            next[index].store(seen & 0xff, std::memory_order_relaxed);
        while (!head.compare_exchange_strong(seen,
                                             ((seen & ~0xffu) + COUNT) | index,
                                             std::memory_order_acq_rel));
    }
    void thread(unsigned)
    {
        unsigned index = pop();

        if (index == NONE)
            return;
        CHECK(taken[index].fetch_add(1, std::memory_order_relaxed) == 0);
        taken[index].store(0, std::memory_order_relaxed);
        push(index);
    }
    void after()
    {
        CHECK(pop() != NONE && pop() != NONE && pop() == NONE);
    }
};

CONTEST(2)
