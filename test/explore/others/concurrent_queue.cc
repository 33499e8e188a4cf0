/* SPDX-License-Identifier: MIT */
/*
 * concurrent_queue -- moodycamel::ConcurrentQueue of Debian's package
 * libconcurrentqueue-dev: two producers, one of which consumes.
 *
 * package: libconcurrentqueue-dev
 * correct: nothing found
 */
#include <cassert>
#include <concurrentqueue/concurrentqueue.h>
#include <thread>

int main()
{
    moodycamel::ConcurrentQueue<int> queue(4, 2, 0);
    moodycamel::ProducerToken a(queue), b(queue);
    int sum = 0;
    std::thread other([&] { assert(queue.enqueue(a, 1)); });

    assert(queue.enqueue(b, 2));
    while (sum != 3) {
        int item;

        if (queue.try_dequeue(item))
            sum += item;
    }
    other.join();
}
