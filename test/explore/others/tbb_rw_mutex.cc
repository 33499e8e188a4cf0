/* SPDX-License-Identifier: MIT */
/*
 * tbb_rw_mutex -- oneTBB's spin_rw_mutex: a reader becomes a writer.  The
 * broken test relies on what it has read before, though upgrade_to_writer()
 * says that another writer was faster.
 *
 * package: libtbb-dev
 * correct: nothing found
 * broken: assertion failed
 */
#include <cassert>
#include <oneapi/tbb/spin_rw_mutex.h>
#include <thread>

static tbb::spin_rw_mutex mutex;
static int count;

static void increment()
{
    tbb::spin_rw_mutex::scoped_lock lock(mutex, false);
    int seen = count;

#ifdef BROKEN
    lock.upgrade_to_writer();
#else
    if (!lock.upgrade_to_writer())
        seen = count;
#endif
    count = seen + 1;
}

int main()
{
    std::thread other(increment);

    increment();
    other.join();
    assert(count == 2);
}
