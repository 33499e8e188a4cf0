/* SPDX-License-Identifier: MIT */
/*
 * exceptions -- Two threads have exceptions in flight at the same time.
 *
 * correct: nothing found
 * broken: assertion failed
 */
#include <atomic>
#include <cassert>
#include <stdexcept>
#include <thread>

static std::atomic<int> caught;

static void work(int number)
{
    try {
        caught.load();
        throw number;
    } catch (int seen) {
        caught.fetch_add(1); /* another thread may be in its handler */
#ifdef BROKEN
        assert(caught.load() == 1);
#endif
        try {
            throw;
        } catch (int again) {
            assert(again == number && seen == number);
        }
    }
}

int main()
{
    std::thread a(work, 1), b(work, 2);

    a.join();
    b.join();
    assert(caught == 2);
}
