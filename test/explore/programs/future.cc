/* SPDX-License-Identifier: MIT */
/*
 * future -- std::promise and std::future; the value is set too late.
 *
 * correct: nothing found
 * broken: data race
 */
#include <cassert>
#include <future>
#include <thread>

static int extra;

int main()
{
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread a([&] {
#ifdef BROKEN
        promise.set_value(1);
        extra = 2;
#else
        extra = 2;
        promise.set_value(1);
#endif
    });

    assert(future.get() == 1);
    assert(extra == 2);
    a.join();
}
