/* SPDX-License-Identifier: MIT */
/*
 * mailbox -- a burst of messages wakes its host once; what is not taken out is
 * freed; a mailbox that moves on is told where it is, and a host that it has
 * left may end.
 */
#include "messages/mailbox.h"

#include <errno.h>
#include <sched.h>

#include "js/support/js_fixture.h"
#include "support/crew.h"
#include "support/suite.h"

enum { PRODUCERS = 4, EACH = 1000, HOSTS = 100 };

static struct weir__js_mailbox *pair[2];
static unsigned serves, messages;

static struct weir__js_message *new_message(void)
{
    struct weir__js_message *message =
        weir__js_message_new(WEIR__MESSAGE_VALUE, NULL, 0, 0, 1);

    expect(message != NULL);
    message->bytes[0] = WEIR__TAG_NULL;
    return message;
}

static void send_many(struct crew *crew, unsigned id)
{
    for (int i = 0; i < EACH; i++)
        weir__js_mailbox_put(pair[1], new_message());
}

static void serve(void *arg)
{
    struct weir__js_message *message;

    serves++;
    while ((message = weir__js_mailbox_take(arg)) != NULL) {
        messages++;
        weir__js_message_free(message);
    }
}

CASE(mailbox_burst_is_one_task_of_the_loop)
{
    js_make(NULL);
    serves = messages = 0;
    expect_status(weir__js_mailbox_pair(pair), 0);
    weir__js_mailbox_attach(pair[1], js, serve, pair[1]);
    crew_run(PRODUCERS, send_many, NULL); /* nobody runs the loop */
    loop_run();
    expect_int(serves, 1);
    expect_int(messages, PRODUCERS * EACH);
    weir__js_mailbox_close(pair[0]);
    weir__js_mailbox_close(pair[1]);
    js_end();
}

CASE(mailbox_that_is_closed_frees_what_is_in_it)
{
    expect_status(weir__js_mailbox_pair(pair), 0);
    for (int i = 0; i < 3; i++)
        weir__js_mailbox_send(pair[0], new_message());
    weir__js_mailbox_close(pair[1]);
    weir__js_mailbox_send(pair[0], new_message()); /* to nobody */
    weir__js_mailbox_close(pair[0]);
}

CASE(mailbox_knock_tells_its_host_and_nobody_else)
{
    struct weir__js_mailbox *mailbox;

    js_make(NULL);
    serves = messages = 0;
    expect_status(weir__js_mailbox_new(&mailbox), 0);
    weir__js_mailbox_knock(mailbox); /* at nobody's */
    weir__js_mailbox_attach(mailbox, js, serve, mailbox);
    loop_run();
    expect_int(serves, 0);
    weir__js_mailbox_knock(mailbox);
    weir__js_mailbox_knock(mailbox);
    loop_run();
    expect_int(serves, 1);
    weir__js_mailbox_knock(mailbox);
    weir__js_mailbox_detach(mailbox);
    loop_run();
    expect_int(serves, 1);
    expect_int(messages, 0);
    weir__js_mailbox_close(mailbox);
    js_end();
}

static void hear_the_end(void *arg)
{
    serves++;
    expect(weir__js_mailbox_has_ended(arg));
}

CASE(mailbox_hears_of_the_end_after_the_messages)
{
    struct weir__js_message *message;

    js_make(NULL);
    serves = 0;
    expect_status(weir__js_mailbox_pair(pair), 0);
    weir__js_mailbox_send(pair[0], new_message());
    weir__js_mailbox_close(pair[0]);
    expect(!weir__js_mailbox_has_ended(pair[1]));
    message = weir__js_mailbox_take(pair[1]);
    expect_int(weir__js_mailbox_waiting(pair[1], 9), 1); /* the end */
    weir__js_message_free(message);
    weir__js_mailbox_attach(pair[1], js, hear_the_end, pair[1]);
    loop_run();
    expect_int(serves, 1);
    weir__js_mailbox_close(pair[1]);
    js_end();
}

/* The task is in the first host's loop when the mailbox moves to the second. */
CASE(mailbox_that_moves_on_is_told_where_it_is)
{
    weir_loop *second_loop;
    weir_js *second;

    js_make(NULL);
    serves = messages = 0;
    expect_status(weir_loop_new(&second_loop, NULL), 0);
    expect_status(weir_js_new(&second, second_loop, NULL), 0);
    expect_status(weir__js_mailbox_pair(pair), 0);
    weir__js_mailbox_attach(pair[1], js, hear_the_end, pair[1]);
    weir__js_mailbox_send(pair[0], new_message());
    weir__js_mailbox_detach(pair[1]);
    weir__js_mailbox_attach(pair[1], second, serve, pair[1]);
    expect_status(weir_loop_run(second_loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect_int(serves, 0); /* it is the first loop that has to say so */
    loop_run();
    expect_status(weir_loop_run(second_loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect_int(serves, 1);
    expect_int(messages, 1);
    weir__js_mailbox_close(pair[0]);
    weir__js_mailbox_close(pair[1]);
    expect_status(weir_js_free(second), 0);
    expect_status(weir_loop_free(second_loop), 0);
    js_end();
}

/* ---- a post that takes its time ---- */

enum { HELD = 1, GO_ON = 2, HAS_LEFT = 4 };

static unsigned stage; /* atomic */
static bool holds_posts;

static void reach(unsigned flag)
{
    __atomic_fetch_or(&stage, flag, __ATOMIC_ACQ_REL);
}

static bool has_reached(unsigned flag)
{
    return (__atomic_load_n(&stage, __ATOMIC_ACQUIRE) & flag) != 0;
}

static void await_stage(unsigned flag)
{
    while (!has_reached(flag))
        sched_yield();
}

int __real_weir_loop_post(weir_loop *to, weir_task *task);
int __wrap_weir_loop_post(weir_loop *to, weir_task *task);

int __wrap_weir_loop_post(weir_loop *to, weir_task *task)
{
    if (holds_posts) {
        reach(HELD);
        await_stage(GO_ON);
    }
    return __real_weir_loop_post(to, task);
}

static void knock_or_leave(struct crew *crew, unsigned id)
{
    if (id == 0) {
        weir__js_mailbox_knock(pair[1]);
        return;
    }
    await_stage(HELD);
    weir__js_mailbox_detach(pair[1]);
    reach(HAS_LEFT);
}

/* The host, and its loop, may go while another thread is about to post to it. */
CASE(mailbox_host_that_leaves_waits_for_no_post)
{
    struct crew crew;

    js_make(NULL);
    stage = serves = 0;
    expect_status(weir__js_mailbox_pair(pair), 0);
    weir__js_mailbox_attach(pair[1], js, serve, pair[1]);
    holds_posts = true;
    crew_start(&crew, 2, knock_or_leave, NULL);
    await_stage(HAS_LEFT);
    js_end();
    reach(GO_ON);
    crew_join(&crew);
    holds_posts = false;
    expect_int(serves, 0);
    weir__js_mailbox_close(pair[0]);
    weir__js_mailbox_close(pair[1]);
}

/* One thread has a host after the other, whose loop goes with it. */
static void visit(struct weir__js_mailbox *mailbox)
{
    weir_loop *its_loop;
    weir_js *host;

    expect_status(weir_loop_new(&its_loop, NULL), 0);
    expect_status(weir_js_new(&host, its_loop, NULL), 0);
    weir__js_mailbox_attach(mailbox, host, serve, mailbox);
    expect_status(weir_loop_run(its_loop, WEIR_RUN_UNTIL_IDLE), 0);
    weir__js_mailbox_detach(mailbox);
    expect_status(weir_js_free(host), 0);
    expect_status(weir_loop_free(its_loop), 0);
}

static bool has_left; /* atomic */

static void visit_or_knock(struct crew *crew, unsigned id)
{
    if (id == 0) {
        for (int i = 0; i < HOSTS; i++)
            visit(pair[1]);
        __atomic_store_n(&has_left, true, __ATOMIC_RELEASE);
    }
    while (!__atomic_load_n(&has_left, __ATOMIC_ACQUIRE))
        weir__js_mailbox_knock(pair[1]);
}

CASE(mailbox_host_that_has_left_may_end_while_others_knock)
{
    has_left = false;
    expect_status(weir__js_mailbox_pair(pair), 0);
    crew_run(2, visit_or_knock, NULL);
    weir__js_mailbox_close(pair[0]);
    weir__js_mailbox_close(pair[1]);
}
