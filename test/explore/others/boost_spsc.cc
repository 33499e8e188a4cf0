/* SPDX-License-Identifier: MIT */
/*
 * boost_spsc -- boost::lockfree::spsc_queue of Debian's package libboost-dev.
 *
 * package: libboost-dev
 * correct: nothing found
 */
#include <boost/lockfree/spsc_queue.hpp>
#include <cassert>
#include <thread>

int main()
{
    boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>> queue;
    std::thread producer([&] {
        for (int i = 1; i <= 4; i++)
            while (!queue.push(i))
                ;
    });

    for (int i = 1; i <= 4; i++) {
        int item = 0;

        while (!queue.pop(item))
            ;
        assert(item == i);
    }
    producer.join();
}
