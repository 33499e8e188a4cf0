/* SPDX-License-Identifier: MIT */
/*
 * call_once -- std::call_once() with two callers.
 *
 * correct: nothing found
 * broken: assertion failed|data race
 */
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

static std::once_flag flag;
static std::atomic<int> calls;
static int value;

static void init(int who)
{
#ifdef BROKEN
    static bool is_done;

    if (is_done)
        return;
    is_done = true;
    calls++;
    value = who;
#else
    std::call_once(flag, [who] {
        calls++;
        value = who;
    });
#endif
    assert(value != 0);
}

int main()
{
    std::thread a(init, 1), b(init, 2);

    a.join();
    b.join();
    assert(calls == 1);
}
