/* SPDX-License-Identifier: MIT */
/*
 * lock -- one at a time, and nobody waits forever.
 */
#include "base/lock.h"

#include <sched.h>
#include <string.h>

#include "support/crew.h"
#include "support/failing_syscalls.h"
#include "support/suite.h"

static struct weir__lock lock;

static void begin(void)
{
    memset(&lock, 0xa5, sizeof(lock));
    weir__lock_init(&lock);
}

CASE(lock_can_be_taken_again_after_unlock)
{
    begin();
    for (int i = 0; i < 3; i++) {
        weir__lock_lock(&lock);
        weir__lock_unlock(&lock);
    }
}

#ifndef WEIR_FUTEX_CONDVAR
CASE(lock_asks_the_kernel_for_nothing_while_nobody_competes)
{
    begin();
    failing_syscalls_set(CALL_FUTEX, 0, 0, 0);
    for (int i = 0; i < 1000; i++) {
        weir__lock_lock(&lock);
        weir__lock_unlock(&lock);
    }
    expect_int(failing_syscalls_count(CALL_FUTEX), 0);
}
#endif

static void take_once(struct crew *crew, unsigned id)
{
    weir__lock_lock(&lock);
    ++*(unsigned *)crew->context; /* plain */
    weir__lock_unlock(&lock);
}

CASE(lock_unlock_wakes_those_who_sleep)
{
    struct crew crew;
    unsigned count = 0;

    begin();
    weir__lock_lock(&lock);
    crew_start(&crew, 3, take_once, &count);
    for (unsigned i = 0; i < 3; i++)
        expect(await_asleep(crew.members[i].tid));
    expect_int(count, 0);
    weir__lock_unlock(&lock);
    crew_join(&crew);
    expect_int(count, 3);
}

enum { THREADS = 4, EACH = 20000 };

struct protected
{
    uint64_t count; /* plain: the lock is all that protects it */
    unsigned inside;
};

static void take_often(struct crew *crew, unsigned id)
{
    struct protected *data = crew->context;

    for (int i = 0; i < EACH; i++) {
        weir__lock_lock(&lock);
        expect_int(data->inside++, 0);
        data->count++;
        if (i % 1000 == 0)
            sched_yield(); /* the others come and sleep */
        data->inside--;
        weir__lock_unlock(&lock);
    }
}

CASE(lock_lets_one_in_at_a_time)
{
    struct protected data = {0};

    begin();
    crew_run(THREADS, take_often, &data);
    expect_int(data.count, THREADS * EACH);
}

CASE(lock_try_takes_a_free_one_and_leaves_a_held_one)
{
    struct weir__lock mine;

    weir__lock_init(&mine);
    expect(weir__lock_try(&mine));
    expect(!weir__lock_try(&mine));
    weir__lock_unlock(&mine);
    weir__lock_lock(&mine);
    expect(!weir__lock_try(&mine));
    weir__lock_unlock(&mine);
    expect(weir__lock_try(&mine));
}
