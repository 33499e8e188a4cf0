/* SPDX-License-Identifier: MIT */
/*
 * channel -- a channel travels between loops while threads send: each accepted
 * message is received once or comes back from the close, and those of one
 * sender in their order.
 */
#include "weir/channel.h"

#include <sched.h>
#include <string.h>

#include "support/crew.h"
#include "support/effort.h"
#include "support/loop_fixture.h"
#include "support/random.h"
#include "support/suite.h"

enum { LOOPS = 3, SENDERS = 3, THREADS = LOOPS + SENDERS, EACH = 300 };

static weir_loop *loops[LOOPS];
static weir_channel *channel;

static struct letter {
    weir_message node; /* first */
    unsigned sender, number;
} letters[SENDERS][EACH];

/* Of the owner, whoever that is: the channel's messages hand them on. */
static struct random random_;
static unsigned received[SENDERS]; /* how many, and so the next number */
static unsigned travels, left;     /* moves made; turns before the close */
static unsigned accepted[SENDERS]; /* each sender's own */

static void note_letter(weir_message *node)
{
    struct letter *letter = (struct letter *)node;

    expect_int(letter->number, received[letter->sender]);
    received[letter->sender]++;
}

static void end_loop(void *arg, int status)
{
    expect_status(status, 0);
    expect_status(weir_loop_shutdown(arg, 0), 0);
}

static void end_all(void)
{
    weir_message *rest;

    weir_channel_close(channel, &rest);
    for (; rest != NULL; rest = rest->next_)
        note_letter(rest);
    for (unsigned i = 0; i < LOOPS; i++)
        expect_status(weir_loop_submit(loops[i], end_loop, loops[i]), 0);
}

static void arrive(void *arg, int status);

/* The next owner is the thread of any loop, this one included. */
static void travel(void)
{
    weir_loop *to = loops[random_below(&random_, LOOPS)];

    travels++;
    weir_channel_detach(channel);
    expect_status(weir_loop_submit(to, arrive, to), 0);
}

/* On the thread of the loop that the channel is attached to. */
static void serve(void *arg)
{
    weir_message *node;
    uint64_t most = random_below(&random_, 20);

    while (most-- > 0 && (node = weir_channel_receive(channel)) != NULL)
        note_letter(node);
    if (left-- == 0)
        end_all();
    else if (random_below(&random_, 2) == 0)
        travel();
    else
        weir_channel_notify(channel);
}

static void arrive(void *arg, int status)
{
    expect_status(status, 0);
    expect_status(weir_channel_attach(channel, arg, serve, arg), 0);
    weir_channel_notify(channel);
    if (random_below(&random_, 4) == 0)
        travel(); /* at once: the task may be out */
}

static void send_all(unsigned sender)
{
    for (unsigned i = 0; i < EACH; i++) {
        letters[sender][i] = (struct letter){.sender = sender, .number = i};
        if (weir_channel_send(channel, &letters[sender][i].node) != 0)
            break;
        accepted[sender]++;
    }
    weir_channel_unref(channel);
}

static void work(struct crew *crew, unsigned id)
{
    if (id < LOOPS)
        expect_status(weir_loop_run(loops[id], WEIR_RUN_UNTIL_CLOSED), 0);
    else
        send_all(id - LOOPS);
}

static void play(uint64_t seed)
{
    random_ = (struct random){seed};
    left = (unsigned)random_below(&random_, 200);
    memset(received, 0, sizeof(received));
    memset(accepted, 0, sizeof(accepted));
    expect_status(weir_channel_new(&channel), 0);
    for (unsigned i = 0; i < LOOPS; i++)
        expect_status(weir_loop_new(&loops[i], NULL), 0);
    for (unsigned i = 0; i < SENDERS; i++)
        weir_channel_ref(channel);
    expect_status(weir_loop_submit(loops[0], arrive, loops[0]), 0);
    crew_run(THREADS, work, NULL);
    for (unsigned i = 0; i < SENDERS; i++)
        expect_int(received[i], accepted[i]);
    for (unsigned i = 0; i < LOOPS; i++)
        expect_status(weir_loop_free(loops[i]), 0);
}

STRESS_CASE(channel_that_travels_under_fire_loses_nothing)
{
    struct random random = {random_seed()};
    struct effort effort = effort_begin(2);

    while (effort_goes_on(&effort))
        play(random_next(&random));
    expect(travels > 0);
}
