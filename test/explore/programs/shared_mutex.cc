/* SPDX-License-Identifier: MIT */
/*
 * shared_mutex -- std::shared_mutex; a reader that writes.
 *
 * correct: nothing found
 * broken: data race
 */
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex mutex;
static int value, hits;

static int read()
{
    std::shared_lock<std::shared_mutex> lock(mutex);

#ifdef BROKEN /* counts its hits under a lock for reading */
    hits++;
#endif
    return value;
}

int main()
{
    std::thread a([] { assert(read() <= 1); });
    std::thread b([] { assert(read() <= 1); });

    {
        std::unique_lock<std::shared_mutex> lock(mutex);
        value = 1;
        hits = 0;
    }
    a.join();
    b.join();
}
