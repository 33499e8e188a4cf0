/* SPDX-License-Identifier: MIT */
/*
 * inbox -- the most urgent first, each once, and nobody waits for long.
 */
#include "weir/inbox.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "support/crew.h"
#include "support/failing_allocator.h"
#include "support/loop_fixture.h"
#include "support/suite.h"

enum { MANY = 1000 };

static struct failing_allocator memory;
static weir_inbox *inbox;
static sem_t entered;

static struct result {
    weir_item item;
    unsigned number;
} results[MANY];

static struct {
    unsigned number[MANY + 10];
    int status[MANY + 10];
    unsigned count;
} seen;

static void see(weir_item *item, int status)
{
    seen.number[seen.count] = ((struct result *)item)->number;
    seen.status[seen.count++] = status;
}

static void begin(void)
{
    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    loop_make(NULL);
    expect_status(weir_inbox_new(&inbox, loop), 0);
}

static void end(void)
{
    weir_inbox_free(inbox);
    expect_status(weir_loop_free(loop), 0);
    expect_int(memory.live, 0);
}

static int post(unsigned number, weir_priority priority)
{
    results[number] =
        (struct result){{.run = see, .priority = priority}, number};
    return weir_inbox_post(inbox, &results[number].item);
}

CASE(inbox_takes_the_highest_first_and_keeps_their_order)
{
    static const weir_priority priorities[] = {
        WEIR_PRIORITY_LOW, WEIR_PRIORITY_NORMAL, WEIR_PRIORITY_HIGH};
    static const unsigned expected[] = {2, 5, 8, 1, 4, 7, 0, 3, 6};

    begin();
    for (unsigned i = 0; i < 9; i++)
        expect_status(post(i, priorities[i % 3]), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect_int(seen.count, 9);
    for (unsigned i = 0; i < 9; i++) {
        expect_int(seen.number[i], expected[i]);
        expect_status(seen.status[i], 0);
    }
    end();
}

/* However many wait, an urgent one that comes is among the first of the next
 * turn. */
CASE(inbox_urgent_one_overtakes_all_that_wait)
{
    unsigned place = 0;

    begin();
    for (unsigned i = 0; i < MANY - 1; i++)
        expect_status(post(i, WEIR_PRIORITY_LOW), 0);
    loop_turns(1);
    expect_int(seen.count, WEIR_INBOX_TURN);
    expect_status(post(MANY - 1, WEIR_PRIORITY_HIGH), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect_int(seen.count, MANY);
    while (seen.number[place] != MANY - 1)
        place++;
    expect_int(place, WEIR_INBOX_TURN);
    end();
}

static weir_item again_item;
static unsigned again_calls, turns_between;

static void count_turn(void *arg, int status)
{
    (void)arg, (void)status;
    turns_between++;
}

static void again(weir_item *item, int status)
{
    expect_status(status, 0);
    if (++again_calls < 1000)
        expect_status(weir_inbox_post(inbox, item), 0);
}

/* One that posts itself again for ever does not keep the loop from its turns. */
CASE(inbox_item_may_be_posted_again_by_itself)
{
    begin();
    again_item = (weir_item){.run = again};
    expect_status(weir_inbox_post(inbox, &again_item), 0);
    while (again_calls < 1000) {
        expect_status(weir_loop_submit(loop, count_turn, NULL), 0);
        loop_turns(1);
    }
    expect(turns_between >= 500);
    end();
}

static void free_it(weir_item *item, int status)
{
    (void)item, (void)status;
    weir_inbox_free(inbox);
    inbox = NULL;
}

CASE(inbox_may_be_freed_by_its_last_item)
{
    weir_item last = {.run = free_it, .priority = WEIR_PRIORITY_LOW};

    begin();
    expect_status(weir_inbox_post(inbox, &last), 0);
    expect_status(post(0, WEIR_PRIORITY_NORMAL), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect_int(seen.count, 1);
    end();
}

static void microtask(void *arg, int status)
{
    (void)arg, (void)status;
    seen.number[seen.count++] = 77;
}

static void queue_one(weir_item *item, int status)
{
    see(item, status);
    expect_status(weir_loop_microtask(loop, microtask, NULL), 0);
}

CASE(inbox_items_are_callbacks_of_their_own)
{
    begin();
    for (unsigned i = 0; i < 3; i++) {
        results[i] = (struct result){{.run = queue_one}, i};
        expect_status(weir_inbox_post(inbox, &results[i].item), 0);
    }
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect_int(seen.count, 6);
    for (unsigned i = 0; i < 3; i++) {
        expect_int(seen.number[2 * i], i);
        expect_int(seen.number[2 * i + 1], 77);
    }
    end();
}

static void expect_all_seen(int status)
{
    bool is_seen[MANY] = {false};

    expect_int(seen.count, MANY);
    for (unsigned i = 0; i < MANY; i++) {
        expect(!is_seen[seen.number[i]]);
        is_seen[seen.number[i]] = true;
        expect(seen.status[i] == status || seen.status[i] == 0);
    }
    expect_status(seen.status[MANY - 1], status);
}

CASE(inbox_shutdown_takes_all_of_it)
{
    begin();
    for (unsigned i = 0; i < MANY; i++)
        expect_status(post(i, (weir_priority)(i % 3)), 0);
    loop_turns(1);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_all_seen(0);
    end();
}

CASE(inbox_close_tells_all_of_it)
{
    begin();
    for (unsigned i = 0; i < MANY; i++)
        expect_status(post(i, (weir_priority)(i % 3)), 0);
    loop_turns(1);
    expect_int(seen.count, WEIR_INBOX_TURN);
    expect_status(weir_loop_close(loop), 0);
    expect_all_seen(WEIR_ECANCELED);
    end();
}

static void close_and_fail(weir_item *item, int status)
{
    see(item, status);
    if (seen.count == 1)
        expect_int(sem_post(&entered), 0);
    while (seen.count == 1 && weir_loop_state(loop) != WEIR_LOOP_TERMINATING)
        sched_yield();
    if (status != 0)
        weir_raise(-EIO, "no");
}

static void close_it(struct crew *crew, unsigned id)
{
    (void)crew, (void)id;
    await_post(&entered);
    expect_status(weir_loop_close(loop), 0);
}

static void count_uncaught(void *count, weir_loop *where,
                           const weir_uncaught *what)
{
    (void)where;
    expect_status(what->code, -EIO);
    ++*(unsigned *)count;
}

/* More than a turn takes, some of them in the door still; the close comes
 * during the first. */
CASE(inbox_items_that_raise_in_a_close_keep_none_from_being_told)
{
    unsigned uncaught = 0;
    struct crew crew;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    loop_make(LOOP_OPTIONS(.on_uncaught = count_uncaught, .arg = &uncaught));
    expect_status(weir_inbox_new(&inbox, loop), 0);
    expect_int(sem_init(&entered, 0, 0), 0);
    for (unsigned i = 0; i < MANY; i++) {
        results[i] = (struct result){{.run = close_and_fail}, i};
        expect_status(weir_inbox_post(inbox, &results[i].item), 0);
    }
    crew_start(&crew, 1, close_it, NULL);
    (void)!weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED);
    crew_join(&crew);
    expect_all_seen(WEIR_ECANCELED);
    expect_int(uncaught, MANY - 1);
    end();
}

CASE(inbox_without_memory_for_its_turn_loses_nothing)
{
    begin();
    for (unsigned i = 0; i < MANY; i++)
        expect_status(post(i, (weir_priority)(i % 3)), 0);
    memory.fail_at = memory.calls + 1;
    for (unsigned i = 0; seen.count < MANY && i < MANY; i++) {
        loop_turns(1);
        memory.fail_at = memory.calls + 1;
    }
    memory.fail_at = 0;
    expect_all_seen(0);
    end();
}

/* covers: weir_inbox_new -EINVAL
 * covers: weir_inbox_new -ENOMEM
 * covers: weir_inbox_post -EINVAL
 * covers: weir_inbox_post WEIR_ECLOSED */
CASE(inbox_refuses_what_makes_no_sense)
{
    weir_item item = {.run = see};
    weir_inbox *other = NULL;

    begin();
    expect_status(weir_inbox_new(NULL, loop), -EINVAL);
    expect_status(weir_inbox_new(&other, NULL), -EINVAL);
    memory.fail_at = memory.calls + 1;
    expect_status(weir_inbox_new(&other, loop), -ENOMEM);
    memory.fail_at = 0;
    expect(other == NULL);
    expect_status(weir_inbox_post(NULL, &item), -EINVAL);
    expect_status(weir_inbox_post(inbox, NULL), -EINVAL);
    item.priority = (weir_priority)3;
    expect_status(weir_inbox_post(inbox, &item), -EINVAL);
    item = (weir_item){.run = NULL};
    expect_status(weir_inbox_post(inbox, &item), -EINVAL);
    item.run = see;
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(weir_inbox_post(inbox, &item), WEIR_ECLOSED);
    expect_int(seen.count, 0);
    weir_inbox_free(NULL);
    end();
}
