/* SPDX-License-Identifier: MIT */
/*
 * channel -- senders against a receiver that serves, moves, ends or closes.
 *
 * What must hold: every message that was accepted is received once or comes
 * back from close, in the order of its sender; a receiver is called when
 * messages wait; nothing is touched after it was freed.
 */
#include <errno.h>

#include "model.h"
#include "weir/channel.h"
#include "weir/loop.h"

enum { SENDERS = 2, MESSAGES = 2 };

struct letter {
    weir_message node; /* first */
    int number;        /* from 1, for each sender */
    unsigned sender;
};

static weir_channel *channel;   /* the owner's */
static weir_channel *of_sender; /* the same, for those who send */
static weir_loop *loops[2];
static struct letter letters[SENDERS][MESSAGES];
static int accepted[MODEL_THREADS]; /* each thread's own */
static int received, back;          /* the owner's */
static int last[SENDERS];           /* the owner's: the newest of each sender */
static bool has_ended;              /* the owner's */
static int wanted;                  /* messages after which a loop ends */

static void init(int messages)
{
    model_assert(weir_channel_new(&channel) == 0);
    of_sender = channel;
    for (int i = 0; i < 2; i++)
        model_assert(weir_loop_new(&loops[i], NULL) == 0);
    wanted = messages;
}

static int all_accepted(void)
{
    int sum = 0;

    for (int i = 0; i < MODEL_THREADS; i++)
        sum += accepted[i];
    return sum;
}

/* ---- roles ---- */

static void note(weir_message *node)
{
    struct letter *letter = (struct letter *)node;

    model_assert(plain_load(&letter->number) == last[letter->sender] + 1);
    last[letter->sender]++;
}

static void send_number(unsigned sender, int number)
{
    struct letter *letter = &letters[sender][number - 1];
    int err;

    plain_store(&letter->number, number);
    letter->sender = sender;
    err = weir_channel_send(of_sender, &letter->node);
    model_assert(err == 0 || err == WEIR_ECLOSED);
    accepted[model_self()] += err == 0;
}

static void send_one(void)
{
    send_number(0, 1);
    weir_channel_unref(of_sender);
}

static void send_another(void)
{
    send_number(1, 1);
    weir_channel_unref(of_sender);
}

static void send_two(void)
{
    send_number(0, 1);
    send_number(0, 2);
    weir_channel_unref(of_sender);
}

static void send_and_end(void)
{
    send_number(0, 1);
    weir_channel_end(of_sender);
    weir_channel_unref(of_sender);
}

static void receive_all(void)
{
    weir_message *node;

    while ((node = weir_channel_receive(channel)) != NULL) {
        note(node);
        received++;
    }
}

static void end_loop(weir_loop *loop)
{
    model_assert(weir_loop_shutdown(loop, 0) == 0);
}

static void serve(void *arg)
{
    receive_all();
    if (received == wanted)
        end_loop(arg);
}

static void serve_until_ended(void *arg)
{
    receive_all();
    has_ended = weir_channel_has_ended(channel);
    if (has_ended)
        end_loop(arg);
}

/* WEIR_ECLOSED: it was closed before. */
static void run_loop(int i)
{
    int err = weir_loop_run(loops[i], WEIR_RUN_UNTIL_CLOSED);

    model_assert(err == 0 || err == WEIR_ECLOSED);
}

static void run_first(void)
{
    run_loop(0);
}

static void free_loops(void)
{
    for (int i = 0; i < 2; i++) {
        if (loops[i] != NULL)
            model_assert(weir_loop_free(loops[i]) == 0);
        loops[i] = NULL;
    }
    channel = of_sender = NULL;
}

static void close_channel(void)
{
    weir_message *rest;

    weir_channel_close(channel, &rest);
    for (; rest != NULL; rest = rest->next_) {
        note(rest);
        back++;
    }
}

/* ---- a receiver that stays ---- */

static void init_attached(int senders, int messages, weir_call_fn *fn)
{
    init(messages);
    while (senders-- > 0)
        weir_channel_ref(channel);
    model_assert(weir_channel_attach(channel, loops[0], fn, loops[0]) == 0);
}

static void init_two_senders(void)
{
    init_attached(2, 2, serve);
}

static void init_two_messages(void)
{
    init_attached(1, 2, serve);
}

static void init_end(void)
{
    init_attached(1, -1, serve_until_ended);
}

static void all_received(void)
{
    model_assert(received == all_accepted());
    close_channel();
    model_assert(back == 0);
    free_loops();
}

static void ended(void)
{
    model_assert(has_ended && received == 1);
    all_received();
}

/* ---- what a notify says ---- */

static int told; /* the notifier's, then the receiver's */

static void serve_told(void *arg)
{
    if (plain_load(&told) == 1)
        end_loop(arg);
}

static void init_told(void)
{
    init_attached(1, -1, serve_told);
}

static void tell(void)
{
    plain_store(&told, 1);
    weir_channel_notify(of_sender);
    weir_channel_unref(of_sender);
}

static void none_received(void)
{
    close_channel();
    free_loops();
}

/* Two notifiers, and the second one's news must not be missed because of the
 * first one's. */
static atomic(int) news[2];

static void serve_news(void *arg)
{
    /* relaxed: the channel orders it */
    if (load_relaxed(&news[0]) == 1 && load_relaxed(&news[1]) == 1)
        end_loop(arg);
}

static void init_news(void)
{
    init_attached(2, -1, serve_news);
}

static void bring(int which)
{
    store_relaxed(&news[which], 1); /* relaxed: the channel orders it */
    weir_channel_notify(of_sender);
    weir_channel_unref(of_sender);
}

static void bring_first(void)
{
    bring(0);
}

static void bring_second(void)
{
    bring(1);
}

/* ---- a receiver that moves ---- */

/* The first loop's thread gives the channel away, and the second one's takes it
 * as soon as it has it. */
static atomic(int) is_given;

static void give(void *arg, int status)
{
    receive_all();
    weir_channel_detach(channel);
    store_release(&is_given, 1);
    end_loop(loops[0]);
}

static void init_moving(void)
{
    init_attached(1, 2, serve);
    model_assert(weir_loop_submit(loops[0], give, NULL) == 0);
}

static void serve_second(void *arg)
{
    receive_all();
    if (received == wanted)
        end_loop(arg);
}

static void arrive(void *arg, int status)
{
    model_assert(weir_channel_attach(channel, arg, serve_second, arg) == 0);
    if (received == wanted)
        end_loop(arg);
}

static void attach_second(void)
{
    if (!load_acquire(&is_given))
        return;
    model_assert(weir_loop_submit(loops[1], arrive, loops[1]) == 0);
    run_loop(1);
}

/* Alone: if the second was too early, whatever was sent waits. */
static void moved_well(void)
{
    close_channel();
    model_assert(received + back == all_accepted());
    free_loops();
}

/* The same, and the second loop's thread gives it up again at once. */
static void attach_and_close(void)
{
    if (!load_acquire(&is_given))
        return;
    model_assert(
        weir_channel_attach(channel, loops[1], serve_second, loops[1]) == 0);
    weir_channel_detach(channel);
    model_assert(
        weir_channel_attach(channel, loops[1], serve_second, loops[1]) == 0);
    close_channel();
    channel = NULL;
}

static void closed_well(void)
{
    if (channel != NULL)
        close_channel();
    model_assert(received + back == all_accepted());
    free_loops();
}

/* ---- a receiver that ends or closes ---- */

static void close_in_callback(void *arg, int status)
{
    receive_all();
    close_channel();
    channel = NULL;
    end_loop(loops[0]);
}

static void init_closing(void)
{
    init_attached(1, -1, serve);
    model_assert(weir_loop_submit(loops[0], close_in_callback, NULL) == 0);
}

static void closing_was_right(void)
{
    model_assert(received + back == all_accepted());
    free_loops();
}

static void close_first_loop(void)
{
    model_assert(weir_loop_close(loops[0], -1) == 0);
    model_assert(weir_loop_free(loops[0]) == 0);
    loops[0] = NULL;
}

static void init_ending(void)
{
    init_attached(1, -1, serve);
}

/* Nobody has lost a message with the loop: another receiver gets it. */
static void still_there(void)
{
    wanted = 1;
    if (received < wanted) {
        model_assert(weir_channel_attach(channel, loops[1], serve_second,
                                         loops[1]) == 0);
        run_loop(1);
    }
    all_received();
}

/* The owner moves the channel and closes it while the task is on its way from
 * the loop of the earlier receiver. */
static void init_recalled(void)
{
    init(-1);
    model_assert(weir_channel_attach(channel, loops[0], serve, loops[0]) == 0);
    weir_channel_notify(channel);
    weir_channel_detach(channel);
}

static void attach_again_and_close(void)
{
    model_assert(
        weir_channel_attach(channel, loops[1], serve_second, loops[1]) == 0);
    close_channel();
    channel = NULL;
}

/* A thread without a loop attaches the channel to one that runs, and whose
 * thread is the owner from then on. */
static void serve_and_close(void *arg)
{
    receive_all();
    if (received < wanted)
        return;
    close_channel();
    channel = NULL;
    end_loop(arg);
}

static void init_outside(void)
{
    init(1);
    weir_channel_ref(channel);
}

static void attach_from_outside(void)
{
    model_assert(
        weir_channel_attach(channel, loops[0], serve_and_close, loops[0]) == 0);
}

static const struct model_case cases[] = {
    {"channel_closed_while_its_task_is_forwarded_is_freed_once",
     .setup = init_recalled, .finish = free_loops, .preemption_bound = 3,
     .threads = {T(close_first_loop), T(attach_again_and_close)}},
    {"channel_two_senders_are_both_received", .setup = init_two_senders,
     .finish = all_received, .preemption_bound = 2,
     .threads = {T(run_first), T(send_one), T(send_another)}},
    {"channel_messages_of_a_sender_come_in_order", .setup = init_two_messages,
     .finish = all_received, .preemption_bound = 3,
     .threads = {T(run_first), T(send_two)}},
    {"channel_end_comes_after_the_messages", .setup = init_end, .finish = ended,
     .preemption_bound = 3, .threads = {T(run_first), T(send_and_end)}},
    {"channel_notify_hands_over_what_came_before", .setup = init_told,
     .finish = none_received, .preemption_bound = 3,
     .threads = {T(run_first), T(tell)}},
    {"channel_second_notify_is_not_lost_behind_the_first", .setup = init_news,
     .finish = none_received, .preemption_bound = 2,
     .threads = {T(run_first), T(bring_first), T(bring_second)}},
    {"channel_that_moves_loses_nothing", .setup = init_moving,
     .finish = moved_well, .preemption_bound = 2, .brief_bound = 1,
     .threads = {T(run_first), T(attach_second), T(send_two)}},
    {"channel_that_moves_and_closes_loses_nothing", .setup = init_moving,
     .finish = closed_well, .preemption_bound = 2, .brief_bound = 1,
     .threads = {T(run_first), T(attach_and_close), T(send_two)}},
    {"channel_attached_from_outside_is_left_alone", .setup = init_outside,
     .finish = closing_was_right, .preemption_bound = 2,
     .threads = {T(attach_from_outside), T(send_one), T(run_first)}},
    {"channel_send_against_close", .setup = init_closing,
     .finish = closing_was_right, .preemption_bound = 3,
     .threads = {T(run_first), T(send_one)}},
    {"channel_send_against_the_end_of_the_loop", .setup = init_ending,
     .finish = still_there, .preemption_bound = 3,
     .threads = {T(close_first_loop), T(send_one)}},
};

MODEL_CASES(cases)
