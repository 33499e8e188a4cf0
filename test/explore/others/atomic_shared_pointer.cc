/* SPDX-License-Identifier: MIT */
/*
 * atomic_shared_pointer -- std::atomic<std::shared_ptr> of libstdc++ 12.  load()
 * reads the pointer with a plain access and then unlocks with
 * memory_order_relaxed, so nothing orders the access before the write of a
 * store() that locks next: a bug of the library.
 *
 * package: libstdc++-12-dev
 * broken: data race
 */
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

static std::atomic<std::shared_ptr<int>> current;

int main()
{
    current.store(std::make_shared<int>(1));
    std::thread other([] { current.store(std::make_shared<int>(2)); });
    std::shared_ptr<int> seen = current.load();

    assert(*seen == 1 || *seen == 2);
    other.join();
}
