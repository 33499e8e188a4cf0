/* SPDX-License-Identifier: MIT */
/*
 * atomic_wait -- C++20's wait and notify; without notify nobody wakes up.
 *
 * correct: nothing found
 * broken: deadlock|lost wake-up
 */
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> ready;
static int data;

int main()
{
    std::thread a([] {
        ready.wait(0);
        assert(data == 1);
    });

    data = 1;
    ready.store(1);
#ifndef BROKEN
    ready.notify_one();
#endif
    a.join();
}
