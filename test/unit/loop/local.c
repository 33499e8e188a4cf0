/* SPDX-License-Identifier: MIT */
/*
 * local -- values that are attached to a loop, and destroyed with it.
 */
#include <errno.h>

#include "support/failing_allocator.h"
#include "support/loop_fixture.h"
#include "weir/host/loop.h"

static const char one, other;

CASE(local_that_was_never_set_is_null)
{
    loop_make(NULL);
    expect(weir_loop_local(loop, &one) == NULL);
    expect(weir_loop_local(NULL, &one) == NULL);
    loop_end();
}

static void destroy(void *word)
{
    note(word);
}

CASE(local_is_destroyed_with_its_loop)
{
    loop_make(NULL);
    expect_status(weir_loop_set_local(loop, &one, "one", destroy), 0);
    expect_status(weir_loop_set_local(loop, &other, "other", destroy), 0);
    expect_string(weir_loop_local(loop, &one), "one");
    expect_string(weir_loop_local(loop, &other), "other");
    expect_recorded("");
    loop_end();
    expect_recorded("other one");
}

CASE(local_that_is_set_again_destroys_the_old_value)
{
    loop_make(NULL);
    expect_status(weir_loop_set_local(loop, &one, "old", destroy), 0);
    expect_status(weir_loop_set_local(loop, &one, "new", destroy), 0);
    expect_recorded("old");
    expect_string(weir_loop_local(loop, &one), "new");
    loop_end();
    expect_recorded("new");
}

/* covers: weir_loop_set_local -EINVAL */
CASE(local_without_loop_key_or_destructor_is_refused)
{
    loop_make(NULL);
    expect_status(weir_loop_set_local(NULL, &one, "one", destroy), -EINVAL);
    expect_status(weir_loop_set_local(loop, NULL, "one", destroy), -EINVAL);
    expect_status(weir_loop_set_local(loop, &one, "one", NULL), -EINVAL);
    expect(weir_loop_local(loop, &one) == NULL);
    loop_end();
}

/* covers: weir_loop_set_local -ENOMEM */
CASE(local_without_memory_is_refused_and_stays_the_callers)
{
    static struct failing_allocator memory;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    loop_make(NULL);
    memory.fail_at = memory.calls + 1;
    expect_status(weir_loop_set_local(loop, &one, "one", destroy), -ENOMEM);
    memory.fail_at = 0;
    loop_end();
    expect_recorded("");
    expect_int(memory.live, 0);
}
