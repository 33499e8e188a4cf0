/* SPDX-License-Identifier: MIT */
/*
 * bias -- one thread enters for free, until another one wants in.
 */
#include "base/bias.h"

#include <string.h>

#include "support/crew.h"
#include "support/failing_syscalls.h"
#include "support/suite.h"

static struct weir__bias bias;

static void begin(uint32_t holder)
{
    memset(&bias, 0xa5, sizeof(bias));
    weir__bias_init(&bias, holder);
}

CASE(bias_lets_its_holder_in_again_and_again)
{
    begin(weir__thread_index());
    for (int i = 0; i < 3; i++) {
        expect(weir__bias_enter(&bias));
        weir__bias_leave(&bias);
    }
}

#ifndef WEIR_FUTEX_CONDVAR
CASE(bias_asks_the_kernel_for_nothing_while_nobody_competes)
{
    begin(weir__thread_index());
    failing_syscalls_set(CALL_FUTEX, 0, 0, 0);
    for (int i = 0; i < 1000; i++) {
        expect(weir__bias_enter(&bias));
        weir__bias_leave(&bias);
    }
    expect_int(failing_syscalls_count(CALL_FUTEX), 0);
}
#endif

CASE(bias_of_another_thread_lets_nobody_in)
{
    begin(weir__thread_index() + 1);
    expect(!weir__bias_enter(&bias));
    weir__bias_revoke(&bias);
    expect(!weir__bias_enter(&bias));
}

CASE(bias_of_a_thread_without_a_number_lets_nobody_in)
{
    begin(WEIR__THREAD_UNNUMBERED);
    expect(!weir__bias_enter(&bias));
    weir__bias_revoke(&bias);
}

CASE(bias_revoked_by_its_holder_stays)
{
    begin(weir__thread_index());
    weir__bias_revoke(&bias);
    expect(weir__bias_enter(&bias));
    weir__bias_leave(&bias);
}

static void revoke(struct crew *crew, unsigned id)
{
    weir__bias_revoke(&bias);
    __atomic_fetch_add((unsigned *)crew->context, 1, __ATOMIC_RELAXED);
}

CASE(bias_revocation_waits_until_the_holder_has_left)
{
    struct crew crew;
    unsigned revoked = 0;

    begin(weir__thread_index());
    expect(weir__bias_enter(&bias));
    crew_start(&crew, 3, revoke, &revoked);
    for (unsigned i = 0; i < 3; i++)
        expect(await_asleep(crew.members[i].tid));
    expect_int(__atomic_load_n(&revoked, __ATOMIC_RELAXED), 0);
    weir__bias_leave(&bias);
    crew_join(&crew);
    expect_int(revoked, 3);
    expect(!weir__bias_enter(&bias));
}
