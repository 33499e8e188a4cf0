// SPDX-License-Identifier: MIT
//
// counter -- a test that says itself what is explored, in C++.
//
//     weir-explore c++ counter.cc -o counter && ./counter
//
#include <atomic>
#include <cstdio>
#include <thread>

#include <weir/explore.h>

static std::atomic<int> counter;

static void increment()
{
    counter = counter + 1; // two operations, not one
}

static void test(void *)
{
    std::thread a(increment), b(increment);

    a.join();
    b.join();
    weir_explore_outcome("%d", counter.load());
}

int main()
{
    weir_explore_result result = {};

    result.size = sizeof(result);
    if (weir_explore_run(test, nullptr, nullptr, &result) != 0)
        return 1;
    std::printf("the counter ends with one of: %s\n", result.outcomes);
    weir_explore_result_fini(&result);
}
