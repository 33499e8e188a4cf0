/* SPDX-License-Identifier: MIT */
/*
 * shared_pointer -- std::shared_ptr, handed over; the broken one shares a pointer.
 *
 * correct: nothing found
 * broken: data race|use after free
 */
#include <cassert>
#include <memory>
#include <thread>

static std::shared_ptr<int> shared = std::make_shared<int>(7);

static void use(const std::shared_ptr<int> &pointer)
{
    std::shared_ptr<int> mine = pointer;

    if (mine)
        assert(*mine == 7);
}

int main()
{
    std::shared_ptr<int> copy = shared;
    std::thread a([&] {
#ifdef BROKEN
        use(shared);
#else
        use(copy);
#endif
    });

    shared.reset();
    a.join();
    assert(*copy == 7);
}
