/* SPDX-License-Identifier: MIT */
/*
 * channel -- one thread in all roles: what is received when, who is called, and
 * what comes back from a close.
 */
#include "weir/channel.h"

#include <errno.h>
#include <stdlib.h>

#include "support/failing_allocator.h"
#include "support/loop_fixture.h"
#include "support/suite.h"

enum { LETTERS = 8 };

static struct failing_allocator memory;
static weir_channel *channel;
static weir_loop *other;
static weir_message letters[LETTERS];
static unsigned calls;

static void begin(void)
{
    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    loop_make(NULL);
    expect_status(weir_loop_new(&other, NULL), 0);
    expect_status(weir_channel_new(&channel), 0);
}

static unsigned close_channel(void)
{
    weir_message *rest;
    unsigned count = 0;

    weir_channel_close(channel, &rest);
    for (; rest != NULL; rest = rest->next_)
        count++;
    channel = NULL;
    return count;
}

/* Everything was given back: loops, channel, and holds on loops. */
static void end(void)
{
    if (channel != NULL)
        close_channel();
    expect_status(weir_loop_free(loop), 0);
    expect_status(weir_loop_free(other), 0);
    expect_int(memory.live, 0);
}

static void count_call(void *arg)
{
    calls++;
}

static void attach(weir_loop *to)
{
    expect_status(weir_channel_attach(channel, to, count_call, NULL), 0);
}

static void send(unsigned number)
{
    expect_status(weir_channel_send(channel, &letters[number]), 0);
}

static void expect_received(unsigned number)
{
    expect(weir_channel_receive(channel) == &letters[number]);
}

CASE(channel_receives_in_the_order_of_sends)
{
    begin();
    for (unsigned i = 0; i < 3; i++)
        send(i);
    expect_received(0);
    send(3);
    for (unsigned i = 1; i < 4; i++)
        expect_received(i);
    expect(weir_channel_receive(channel) == NULL);
    end();
}

CASE(channel_burst_calls_its_receiver_once)
{
    begin();
    attach(loop);
    send(0);
    send(1);
    send(2);
    loop_turns(3);
    expect_int(calls, 1);
    send(3); /* and again, though nothing was received */
    loop_turns(3);
    expect_int(calls, 2);
    end();
}

CASE(channel_attach_calls_a_receiver_for_what_waits)
{
    begin();
    attach(loop);
    loop_turns(1);
    expect_int(calls, 0); /* nothing waits */
    weir_channel_detach(channel);
    send(0);
    loop_turns(1);
    expect_int(calls, 0);
    attach(loop);
    loop_turns(1);
    expect_int(calls, 1);
    end();
}

/* What an owner has looked at, and not received, waits as well. */
CASE(channel_attach_calls_a_receiver_for_what_was_counted)
{
    begin();
    send(0);
    expect_int(weir_channel_waiting(channel, 10), 1);
    attach(loop);
    loop_turns(1);
    expect_int(calls, 1);
    end();
}

CASE(channel_counts_what_waits_up_to_a_number)
{
    begin();
    expect_int(weir_channel_waiting(channel, 0), 0);
    expect_int(weir_channel_waiting(channel, 2), 0);
    send(0);
    expect_int(weir_channel_waiting(channel, 2), 1);
    send(1);
    send(2);
    expect_int(weir_channel_waiting(channel, 2), 2);
    expect_int(weir_channel_waiting(channel, 9), 3);
    weir_channel_end(channel);
    expect_int(weir_channel_waiting(channel, 9), 4);
    for (unsigned i = 0; i < 3; i++)
        expect_received(i);
    expect(weir_channel_has_ended(channel));
    expect_int(weir_channel_waiting(channel, 9), 1);
    expect_int(weir_channel_waiting(channel, 0), 0);
    end();
}

CASE(channel_end_comes_after_all_messages)
{
    begin();
    send(0);
    weir_channel_end(channel);
    expect(!weir_channel_has_ended(channel));
    attach(loop);
    loop_turns(1);
    expect_int(calls, 1);
    expect_received(0);
    expect(weir_channel_receive(channel) == NULL);
    expect(weir_channel_has_ended(channel));
    end();
}

CASE(channel_end_calls_a_new_receiver_too)
{
    begin();
    weir_channel_end(channel);
    expect(weir_channel_has_ended(channel));
    attach(loop);
    loop_turns(1);
    expect_int(calls, 1);
    end();
}

CASE(channel_notify_calls_the_receiver_and_nobody_without_one)
{
    begin();
    weir_channel_notify(channel);
    attach(loop);
    loop_turns(1);
    expect_int(calls, 0);
    weir_channel_notify(channel);
    weir_channel_notify(channel);
    loop_turns(2);
    expect_int(calls, 1);
    end();
}

/* The task is in the first loop when the receiver changes. */
CASE(channel_that_moved_is_served_by_the_new_receiver_alone)
{
    begin();
    attach(loop);
    send(0);
    weir_channel_detach(channel);
    attach(other);
    loop_turns(2);
    expect_int(calls, 0);
    expect_status(weir_loop_step(other, 0), 0);
    expect_int(calls, 1);
    expect_received(0);
    send(1);
    loop_turns(2);
    expect_int(calls, 1);
    expect_status(weir_loop_step(other, 0), 0);
    expect_int(calls, 2);
    end();
}

CASE(channel_that_moved_twice_is_served_by_the_last_receiver)
{
    begin();
    attach(loop);
    send(0);
    attach(other);
    attach(loop); /* holds the first loop twice for a moment */
    expect_status(weir_loop_step(other, 0), 0);
    loop_turns(2);
    expect_int(calls, 1);
    end();
}

CASE(channel_that_was_recalled_calls_nobody)
{
    begin();
    attach(loop);
    send(0);
    weir_channel_detach(channel);
    loop_turns(2);
    expect_int(calls, 0);
    expect_received(0);
    end();
}

CASE(channel_close_returns_what_nobody_received)
{
    begin();
    for (unsigned i = 0; i < 4; i++)
        send(i);
    expect_received(0);
    weir_channel_end(channel);
    expect_int(close_channel(), 3);
    end();
}

/* covers: weir_channel_send WEIR_ECLOSED */
CASE(channel_send_after_close_is_refused)
{
    weir_channel *sender;

    begin();
    weir_channel_ref(channel);
    sender = channel;
    expect_int(close_channel(), 0);
    expect_status(weir_channel_send(sender, &letters[0]), WEIR_ECLOSED);
    weir_channel_end(sender); /* no effect */
    weir_channel_notify(sender);
    weir_channel_unref(sender);
    end();
}

CASE(channel_close_while_the_task_is_out_calls_nobody)
{
    begin();
    attach(loop);
    send(0);
    expect_int(close_channel(), 1);
    loop_turns(1); /* frees the channel */
    expect_int(calls, 0);
    end();
}

CASE(channel_close_with_a_new_receiver_waiting_for_the_task)
{
    begin();
    attach(loop);
    send(0);
    attach(other);
    expect_int(close_channel(), 1);
    loop_turns(1);
    expect_status(weir_loop_step(other, 0), 0);
    expect_int(calls, 0);
    end();
}

static void close_it(void *arg)
{
    calls++;
    close_channel();
}

CASE(channel_receiver_may_close_the_channel)
{
    begin();
    expect_status(weir_channel_attach(channel, loop, close_it, NULL), 0);
    send(0);
    loop_turns(2);
    expect_int(calls, 1);
    end();
}

/* Its loop has ended: what is sent waits for another receiver. */
CASE(channel_survives_its_loop)
{
    begin();
    attach(loop);
    expect_status(weir_loop_close(loop, -1), 0);
    send(0);
    send(1);
    attach(other);
    expect_status(weir_loop_step(other, 0), 0);
    expect_int(calls, 1);
    expect_received(0);
    expect_received(1);
    end();
}

CASE(channel_cancelled_task_calls_nobody_and_comes_back)
{
    begin();
    attach(loop);
    send(0);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_int(calls, 0);
    attach(other);
    expect_status(weir_loop_step(other, 0), 0);
    expect_int(calls, 1);
    end();
}

/* The memory of a loop stays while the channel needs it, and goes then. */
CASE(channel_outlives_the_loop_that_it_is_attached_to)
{
    begin();
    attach(loop);
    expect_status(weir_loop_free(loop), 0);
    loop = NULL;
    send(0);
    expect_int(close_channel(), 1);
    loop_make(NULL);
    end();
}

/* covers: weir_channel_new -EINVAL
 * covers: weir_channel_send -EINVAL
 * covers: weir_channel_attach -EINVAL */
CASE(channel_calls_without_arguments_are_refused)
{
    begin();
    expect_status(weir_channel_new(NULL), -EINVAL);
    expect_status(weir_channel_send(NULL, &letters[0]), -EINVAL);
    expect_status(weir_channel_send(channel, NULL), -EINVAL);
    expect_status(weir_channel_attach(NULL, loop, count_call, NULL), -EINVAL);
    expect_status(weir_channel_attach(channel, NULL, count_call, NULL),
                  -EINVAL);
    expect_status(weir_channel_attach(channel, loop, NULL, NULL), -EINVAL);
    end();
}

/* covers: weir_channel_new -ENOMEM */
CASE(channel_new_without_memory_fails)
{
    weir_channel *made = NULL;

    begin();
    memory.fail_at = memory.calls + 1;
    expect_status(weir_channel_new(&made), -ENOMEM);
    expect(made == NULL);
    end();
}
