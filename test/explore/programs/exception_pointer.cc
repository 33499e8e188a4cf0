/* SPDX-License-Identifier: MIT */
/*
 * exception_pointer -- an exception that another thread rethrows.  libstdc++
 * counts the references to it with operations that are not instrumented.
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
    std::packaged_task<int()> task([]() -> int {
        extra = 1;
        throw 5;
    });
    std::future<int> future = task.get_future();
    std::thread a(std::move(task));

#ifdef BROKEN
    extra = 2;
#endif
    try {
        future.get();
        assert(false);
    } catch (int number) {
        assert(number == 5 && extra == 1);
    }
    a.join();
}
