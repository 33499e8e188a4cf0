/* SPDX-License-Identifier: MIT */
/*
 * atomic_queue -- AtomicQueue of Debian's package libatomic-queue-dev: two
 * producers and one consumer.
 *
 * package: libatomic-queue-dev
 * correct: nothing found
 * only: gcc
 */
#include <atomic_queue/atomic_queue.h>
#include <cassert>
#include <thread>

int main()
{
    atomic_queue::AtomicQueue<unsigned, 2> queue;
    std::thread a([&] { queue.push(1); });
    std::thread b([&] { queue.push(2); });
    unsigned sum = queue.pop();

    sum += queue.pop();
    a.join();
    b.join();
    assert(sum == 3 && queue.was_empty());
}
