/* SPDX-License-Identifier: MIT */
/*
 * boost_stack -- boost::lockfree::stack of Debian's package libboost-dev, with
 * nodes that are reused and counted.
 *
 * Its free list reads the next index of a node by a plain access, while another
 * thread may have taken the node and write there.  The compare-and-swap that
 * follows fails then, so nothing comes of the value; but by C++ it is a race.
 *
 * package: libboost-dev
 * correct: data race
 */
#include <atomic>
#include <boost/lockfree/stack.hpp>
#include <cassert>
#include <thread>

static std::atomic<int> sum;

int main()
{
    boost::lockfree::stack<int, boost::lockfree::capacity<3>> stack;
    auto work = [&](int item) {
        int other;

        assert(stack.push(item));
        assert(stack.pop(other));
        sum += other;
    };
    std::thread a(work, 1), b(work, 2);

    a.join();
    b.join();
    assert(sum == 3 && stack.empty());
}
