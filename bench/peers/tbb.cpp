/* SPDX-License-Identifier: MIT */
/*
 * tbb -- oneTBB: a task_group for each fork, enqueue for jobs from outside.
 */
#include "pool.h"

#include <atomic>
#include <memory>
#include <thread>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/version.h>

namespace
{

std::unique_ptr<tbb::global_control> control;
std::unique_ptr<tbb::task_arena> arena;
std::atomic<uint64_t> left;

void open(uint64_t)
{
    control = std::make_unique<tbb::global_control>(
        tbb::global_control::max_allowed_parallelism, POOL_THREADS);
    arena = std::make_unique<tbb::task_arena>(POOL_THREADS);
    arena->initialize();
}

uint64_t fib_task(int n)
{
    if (n < 2)
        return static_cast<uint64_t>(n);
    uint64_t other;
    tbb::task_group group;
    group.run([&other, n] { other = fib_task(n - 1); });
    uint64_t mine = fib_task(n - 2);
    group.wait();
    return mine + other;
}

uint64_t fib(int n)
{
    uint64_t result = 0;
    arena->execute([&result, n] { result = fib_task(n); });
    return result;
}

/* There is no other way to know when enqueued ones are done. */
void empty(uint64_t count)
{
    left = count;
    for (uint64_t i = 0; i < count; i++)
        arena->enqueue([] { left.fetch_sub(1, std::memory_order_relaxed); });
    while (left.load(std::memory_order_relaxed) != 0)
        std::this_thread::yield();
}

/* This thread has one of the arena's places, a worker the other; what it runs
 * goes to its own queue.  Only the worker counts. */
void steal(uint64_t count)
{
    std::atomic<uint64_t> stolen{0};
    auto nothing = [&stolen] {
        stolen.store(stolen.load(std::memory_order_relaxed) + 1,
                     std::memory_order_release);
    };
    arena->execute([&] {
        tbb::task_group group;
        for (uint64_t i = 0; i < count; i++)
            group.run(nothing);
        while (stolen.load(std::memory_order_acquire) != count)
            std::this_thread::yield();
        group.wait();
    });
}

void close()
{
    arena.reset();
    control.reset();
}

} // namespace

extern "C" const struct pool_kind pool_tbb = {
    "oneTBB " TBB_VERSION_STRING, open, fib, empty, steal, nullptr, close};
