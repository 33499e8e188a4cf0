/* SPDX-License-Identifier: MIT */
/* ring -- A ring of two places between a producer and a consumer. */
#include "contest.h"

struct program {
    enum { SIZE = 2, ITEMS = 3 };
    std::atomic<unsigned> head, tail;
    PLAIN(int) item[SIZE];

    program()
    {
        head.store(0, std::memory_order_relaxed);
        tail.store(0, std::memory_order_relaxed);
    }
    void produce(int value)
    {
        unsigned end = tail.load(std::memory_order_relaxed);

        while (end - head.load(std::memory_order_acquire) == SIZE)
            SPIN();
        VAR(item[end % SIZE]) = value;
        tail.store(end + 1, std::memory_order_release);
    }
    int consume()
    {
        unsigned begin = head.load(std::memory_order_relaxed);
        int value;

        while (tail.load(std::memory_order_acquire) == begin)
            SPIN();
        value = VAR(item[begin % SIZE]);
        head.store(begin + 1, std::memory_order_release);
        return value;
    }
    void thread(unsigned me)
    {
        for (int i = 1; i <= ITEMS; i++) {
            if (me == 0)
                produce(i);
            else
                CHECK(consume() == i);
        }
    }
    void after()
    {
        CHECK(head.load(std::memory_order_relaxed) == ITEMS);
    }
};

CONTEST(2)
