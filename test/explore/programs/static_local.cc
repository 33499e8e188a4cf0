/* SPDX-License-Identifier: MIT */
/*
 * static_local -- A static variable of a function, initialised once.
 *
 * correct: nothing found
 * broken: data race
 */
#include <cassert>
#include <thread>

struct Table {
    int values[4];
    Table()
    {
        for (int i = 0; i < 4; i++)
            values[i] = i * i;
    }
};

#ifdef BROKEN
static Table *table;

static const Table &get()
{
    if (table == nullptr)
        table = new Table;
    return *table;
}
#else
static const Table &get()
{
    static Table table;

    return table;
}
#endif

int main()
{
    std::thread a([] { assert(get().values[3] == 9); });
    std::thread b([] { assert(get().values[2] == 4); });

    a.join();
    b.join();
}
