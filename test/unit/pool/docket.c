/* SPDX-License-Identifier: MIT */
/*
 * docket -- one thread in all roles: storage is used again, and given back.
 */
#include "pool/docket.h"

#include "support/failing_allocator.h"
#include "support/suite.h"

enum { MANY = 20000 };

static struct weir__dockets office;
static struct failing_allocator memory;
static struct weir__docket *dockets[MANY];
static struct weir__tally tally;

static void call(void *arg, int status)
{
    (void)arg, (void)status;
}

static void begin(void)
{
    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    weir__dockets_init(&office);
}

static void end(void)
{
    weir__docket_settle(&tally);
    weir__dockets_fini(&office);
    expect_int(memory.live, 0);
    expect_int(memory.live_bytes, 0);
}

static struct weir__docket *take(unsigned i)
{
    struct weir__docket *docket = weir__docket_take(&office);

    expect(docket != NULL);
    docket->fn = call;
    docket->arg = &dockets[i];
    return dockets[i] = docket;
}

static void open_it(unsigned i)
{
    struct weir__call opened = weir__docket_open(dockets[i], &tally);

    expect(opened.fn == call && opened.arg == &dockets[i]);
}

CASE(docket_holds_what_was_put_in_and_leaves_nothing)
{
    begin();
    for (unsigned i = 0; i < MANY; i++)
        take(i);
    for (unsigned i = 0; i < MANY; i++)
        open_it(i);
    end();
}

CASE(docket_storage_is_used_again)
{
    uint64_t calls = 0;

    begin();
    for (unsigned i = 0; i < MANY; i++) {
        take(i);
        open_it(i);
        if (i == MANY / 2)
            calls = memory.calls;
    }
    expect_int(memory.calls, calls);
    end();
}

CASE(docket_that_is_returned_is_the_next_one)
{
    struct weir__docket *docket;

    begin();
    for (unsigned i = 0; i < 1000; i++) {
        docket = take(0);
        weir__docket_return(&office, docket);
        expect(take(0) == docket);
        open_it(0);
    }
    end();
}

CASE(docket_memory_of_a_burst_is_given_back)
{
    uint64_t most, rest;

    begin();
    for (unsigned i = 0; i < MANY; i++)
        take(i);
    most = memory.live_bytes;
    for (unsigned i = 0; i < MANY; i++)
        open_it(i);
    weir__docket_settle(&tally);
    expect_int(memory.live_bytes, most);
    weir__dockets_trim(&office);
    rest = memory.live_bytes;
    expect(rest < most / 4);
    weir__dockets_trim(&office);
    expect_int(memory.live_bytes, rest);
    end();
}

CASE(docket_without_memory_is_none)
{
    begin();
    for (uint64_t nth = 1; nth <= 2; nth++) {
        memory.fail_at = memory.calls + nth;
        expect(weir__docket_take(&office) == NULL);
    }
    take(0);
    open_it(0);
    end();
}
