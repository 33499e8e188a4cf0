/* SPDX-License-Identifier: MIT */
/*
 * loop_free -- a loop is closed and freed while other threads are still on
 * their way into it, or out.  AddressSanitizer and ThreadSanitizer see who
 * looks back; the allocator sees whether all memory has come back: after each
 * round nothing is left.
 *
 * Two rules of weir/loop.h are taken at their word:
 *
 *   A thread with a weir_loop_ref may call at any time.
 *   A thread without one may call until weir_loop_free; and if its own call
 *   is what leads to the free, the memory stays while it is inside.
 *
 * loop_race.h says what sets the number of rounds.  A million of the first:
 *
 *     WEIR_ROUNDS=1000000 CK_TIMEOUT_MULTIPLIER=10 \
 *         build/tsan/test/stress/loop/loop_free \
 *         loop_is_ended_and_freed_under_siege_and_calls_each_task_once
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include "support/crew.h"
#include "support/effort.h"
#include "support/loop_fixture.h"
#include "support/loop_race.h"
#include "support/stall.h"
#include "support/suite.h"
#include "weir/fd.h"
#include "weir/timer.h"

/* ---- with a ref: submit until refused, while the loop is ended ---- */

enum { ENDERS = 2, PRODUCERS = 3, ITEMS = 48 };

struct item {
    weir_task task;
    struct producer *producer;
    unsigned number; /* plain: the queue hands it over */
};

struct producer {
    _Alignas(128) struct item items[ITEMS];
    unsigned accepted;       /* producer only */
    unsigned ran, cancelled; /* loop only */
};

enum ending { CLOSE, SHUTDOWN, BOTH, CLOSE_TWICE, SHUTDOWN_TWICE, ENDINGS };

static struct {
    enum ending ending;
    bool is_run, stalls;
    unsigned yields; /* before it is ended */
    unsigned ended;  /* atomic: enders that are through */
    struct producer producers[PRODUCERS];
} siege;

static void run_item(weir_task *task, int status)
{
    struct item *item = (struct item *)task;
    struct producer *producer = item->producer;

    expect_int(item->number, producer->ran + producer->cancelled);
    if (status == 0) {
        expect_int(producer->cancelled, 0);
        producer->ran++;
    } else {
        expect_status(status, WEIR_ECANCELED);
        producer->cancelled++;
    }
}

static void run_submitted(void *item, int status)
{
    run_item(item, status);
}

static void prepare_siege(void)
{
    race_make_loop(race_choose_bed());
    siege.ending = race_choose(ENDINGS);
    siege.is_run = race_choose(4) > 0;
    siege.stalls = race_choose(4) == 0;
    siege.yields = (unsigned)race_choose(8);
    siege.ended = 0;
    for (unsigned id = 0; id < PRODUCERS; id++) {
        struct producer *producer = &siege.producers[id];

        producer->accepted = producer->ran = producer->cancelled = 0;
        for (unsigned i = 0; i < ITEMS; i++) {
            producer->items[i].task = (weir_task){.run = run_item};
            producer->items[i].producer = producer;
        }
    }
    for (unsigned i = 0; i < 1 + ENDERS + PRODUCERS; i++)
        weir_loop_ref(loop); /* one for each thread */
}

/* When its items are used up, it only knocks until nobody opens. */
static void besiege(struct producer *producer)
{
    int err = 0;

    for (unsigned i = 0; i < ITEMS && err == 0; i++) {
        struct item *item = &producer->items[i];

        item->number = i;
        err = i % 3 == 0 ? weir_loop_submit(loop, run_submitted, item)
                         : weir_loop_post(loop, &item->task);
        if (err == 0)
            producer->accepted++;
        if (i % 8 == 7)
            sched_yield();
    }
    while (err == 0) {
        sched_yield();
        err = weir_loop_set_fd_mode(loop, WEIR_FD_MODE_AUTO);
    }
    expect_status(err, WEIR_ECLOSED);
}

/* The second ender stops a producer first, wherever it is. */
static void end_siege(bool is_second, pthread_t producer)
{
    for (unsigned i = 0; i < siege.yields; i++)
        sched_yield();
    if (is_second && siege.stalls)
        stall_thread(producer);
    if (siege.ending == CLOSE_TWICE || (siege.ending == CLOSE && is_second))
        expect_status(weir_loop_close(loop, -1), 0);
    else if (siege.ending == BOTH && is_second)
        expect_status(weir_loop_close(loop, -1), 0);
    else if (siege.ending == SHUTDOWN_TWICE || siege.ending == BOTH)
        expect_status(weir_loop_shutdown(loop, -1), 0);
    else if (siege.ending == SHUTDOWN && is_second)
        expect_status(weir_loop_shutdown(loop, -1), 0);
    if (__atomic_add_fetch(&siege.ended, 1, __ATOMIC_ACQ_REL) == ENDERS)
        race_free_unless_done();
}

static void check_siege(void)
{
    bool is_cancelled = siege.ending == CLOSE || siege.ending == CLOSE_TWICE;

    for (unsigned id = 0; id < PRODUCERS; id++) {
        struct producer *producer = &siege.producers[id];

        expect_int(producer->ran + producer->cancelled, producer->accepted);
        if (race.done_status == 0)
            expect_int(producer->cancelled, 0);
    }
    if (siege.ending != BOTH)
        expect_status(race.done_status, is_cancelled ? WEIR_ECANCELED : 0);
}

static void fight_siege(struct crew *crew, unsigned id)
{
    while (race_begin(crew, id, prepare_siege)) {
        if (id == 0 && siege.is_run)
            race_run_if_first();
        else if (id > 0 && id <= ENDERS)
            end_siege(id == ENDERS, crew->members[ENDERS + 1].thread);
        else if (id > ENDERS)
            besiege(&siege.producers[id - 1 - ENDERS]);
        weir_loop_unref(loop);
        race_end(crew, id);
        if (id == 0)
            check_siege();
    }
}

STRESS_CASE(loop_is_ended_and_freed_under_siege_and_calls_each_task_once)
{
    stall_prepare();
    race_run(4, 1 + ENDERS + PRODUCERS, fight_siege);
}

/* ---- without a ref: the call itself leads to the end ---- */

/* Ends the loop from inside.  `done`, or the runner, then frees it. */
static void finish(void *arg, int status)
{
    expect_status(status, 0);
    expect_status(weir_loop_shutdown(loop, -1), 0);
}

static void finish_task(weir_task *task, int status)
{
    finish(task, status);
}

static void finish_fd(void *arg, int status, int fd, unsigned events)
{
    expect_int(events, status == 0 ? WEIR_FD_READABLE : 0);
    if (status == 0)
        finish(arg, 0);
}

static struct {
    int way;           /* that the message takes */
    int fd;            /* readable, or not */
    bool waits;        /* until the loop sleeps */
    bool is_sent;      /* atomic */
    int64_t dawdle_ns; /* before it is */
    weir_task task;    /* the message */
    weir_timer timer;  /* the same */
} message;

enum {
    POST,
    SUBMIT,
    DISPATCH,
    NEXT_TICK,
    MICROTASK,
    IMMEDIATE,
    CLOSE_PHASE,
    TIMER,
    END_BY_SHUTDOWN,
    END_BY_CLOSE,
    WAYS
};

static int send_message(void)
{
    switch (message.way) {
    case POST:
        return weir_loop_post(loop, &message.task);
    case SUBMIT:
        return weir_loop_submit(loop, finish, NULL);
    case DISPATCH:
        return weir_loop_dispatch(loop, finish, NULL);
    case NEXT_TICK:
        return weir_loop_next_tick(loop, finish, NULL);
    case MICROTASK:
        return weir_loop_microtask(loop, finish, NULL);
    case IMMEDIATE:
        return weir_loop_immediate(loop, finish, NULL);
    case CLOSE_PHASE:
        return weir_loop_on_close_phase(loop, finish, NULL);
    case TIMER:
        return weir_timer_start(loop, &message.timer, 0, WEIR_TIMER_ONCE,
                                finish, NULL);
    case END_BY_SHUTDOWN:
        return weir_loop_shutdown(loop, -1);
    default:
        return weir_loop_close(loop, -1);
    }
}

static void prepare_message(void)
{
    message.way = (int)race_choose(WAYS);
    /* Who ends it must find it run: or it would be freed before that. */
    message.waits = message.way >= END_BY_SHUTDOWN || race_choose(2) == 0;
    message.task = (weir_task){.run = finish_task};
    race_make_loop(race_choose_bed());
}

static void run_and_free(void)
{
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), 0);
    race_free_unless_done();
}

static void await_sleep(void)
{
    if (message.waits)
        await_state(loop, WEIR_LOOP_SLEEPING);
}

static void run_or_send(struct crew *crew, unsigned id)
{
    while (race_begin(crew, id, prepare_message)) {
        if (id == 0) {
            run_and_free();
        } else {
            await_sleep();
            expect_status(send_message(), 0);
        }
        race_end(crew, id);
    }
}

STRESS_CASE(loop_is_freed_by_its_task_while_the_call_that_sent_it_returns)
{
    race_run(2, 2, run_or_send);
}

/* The same, but a descriptor gets the loop up at that moment: the loop may be
 * over before the wake is sent that the sender owes it. */
static void hear(void *arg, int status, int fd, unsigned events)
{
    expect_int(events, status == 0 ? WEIR_FD_READABLE : 0);
}

static void prepare_owed_wake(void)
{
    prepare_message();
    message.waits = true;
    message.is_sent = false;
    message.dawdle_ns = (int64_t)race_choose(8000);
    expect_status(weir_fd_add(loop, message.fd,
                              WEIR_FD_READABLE | WEIR_FD_ONESHOT, hear, NULL),
                  0);
}

/* The signal takes a while to come. */
static void send_disturbed(void)
{
    int64_t end_ns = effort_now() + message.dawdle_ns;

    __atomic_store_n(&message.is_sent, true, __ATOMIC_RELAXED);
    while (effort_now() < end_ns)
        ;
    expect_status(send_message(), 0);
}

/* Just when the message is sent: stops the sender, and gets the loop up. */
static void disturb(pthread_t sender)
{
    while (!__atomic_load_n(&message.is_sent, __ATOMIC_RELAXED))
        sched_yield();
    stall_thread(sender);
    event_fill(message.fd);
}

static void run_send_or_fill(struct crew *crew, unsigned id)
{
    while (race_begin(crew, id, prepare_owed_wake)) {
        if (id == 0) {
            run_and_free();
        } else if (id == 1) {
            await_sleep();
            send_disturbed();
        } else {
            disturb(crew->members[1].thread);
        }
        race_end(crew, id);
        if (id == 0)
            event_drain(message.fd);
    }
}

STRESS_CASE(loop_is_not_freed_before_the_wake_that_it_is_owed)
{
    stall_prepare();
    message.fd = event_open(0);
    race_run(2, 3, run_send_or_fill);
    close(message.fd);
}

/* And with what descriptors have to say: their callback is the message. */
enum { ADD, MODIFY, REMOVE, FD_WAYS };

static void prepare_descriptor(void)
{
    prepare_message();
    message.way = (int)race_choose(FD_WAYS);
    if (message.way != ADD)
        expect_status(weir_fd_add(loop, message.fd, 0, finish_fd, NULL), 0);
}

static int send_descriptor(void)
{
    if (message.way == ADD)
        return weir_fd_add(loop, message.fd, WEIR_FD_READABLE, finish_fd, NULL);
    if (message.way == MODIFY)
        return weir_fd_modify(loop, message.fd, WEIR_FD_READABLE);
    return weir_fd_remove(loop, message.fd, finish, NULL);
}

static void run_or_send_descriptor(struct crew *crew, unsigned id)
{
    while (race_begin(crew, id, prepare_descriptor)) {
        if (id == 0) {
            run_and_free();
        } else {
            await_sleep();
            expect_status(send_descriptor(), 0);
        }
        race_end(crew, id);
    }
}

STRESS_CASE(loop_is_freed_by_its_descriptor_while_the_call_returns)
{
    message.fd = event_open(1);
    race_run(2, 2, run_or_send_descriptor);
    close(message.fd);
}

/* ---- without a ref: the last thing that held it lets go ---- */

/* A timer that does not count keeps it turning, so that it need not wait for
 * the wake to see that it is idle. */
static void tick(void *arg, int status)
{
}

enum { UNREF_LOOP, UNREF_FD, UNREF_TIMER, CANCEL_TIMER, UNREF_WAYS };

static void prepare_unref(void)
{
    prepare_message();
    race.done_frees = false; /* as the free is what ends it */
    message.way = (int)race_choose(UNREF_WAYS);
    if (message.way == UNREF_FD)
        expect_status(weir_fd_add(loop, message.fd, 0, hear, NULL), 0);
    else if (message.way == UNREF_LOOP)
        weir_loop_ref(loop);
    else
        expect_status(weir_timer_start(loop, &message.timer,
                                       INT64_C(3600) * SECOND_NS,
                                       WEIR_TIMER_ONCE, tick, NULL),
                      0);
}

static void run_idle(void)
{
    weir_timer ticker;

    expect_status(weir_timer_start(loop, &ticker, 1000, WEIR_TIMER_FIXED_RATE,
                                   tick, NULL),
                  0);
    expect_status(weir_timer_unref(loop, ticker), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect_status(weir_loop_free(loop), 0);
}

static void let_go(void)
{
    if (message.way == UNREF_FD)
        expect_status(weir_fd_unref(loop, message.fd), 0);
    else if (message.way == UNREF_TIMER)
        expect_status(weir_timer_unref(loop, message.timer), 0);
    else if (message.way == CANCEL_TIMER)
        expect_status(weir_timer_cancel(loop, message.timer), 0);
    else
        weir_loop_unref(loop);
}

static void run_or_let_go(struct crew *crew, unsigned id)
{
    while (race_begin(crew, id, prepare_unref)) {
        if (id == 0)
            run_idle();
        else
            let_go();
        race_end(crew, id);
    }
}

STRESS_CASE(idle_loop_is_freed_while_the_unref_returns)
{
    message.fd = event_open(0);
    race_run(2, 2, run_or_let_go);
    close(message.fd);
}

/* ---- what fails has no effect, at the end neither ---- */

/* A descriptor that cannot be watched; each add takes a slot for a moment. */
static void prepare_failing_add(void)
{
    prepare_message();
    for (unsigned i = 0; i < 4; i++)
        weir_loop_ref(loop);
}

static void add_in_vain(void)
{
    int err;

    do
        err = weir_fd_add(loop, message.fd, WEIR_FD_READABLE, hear, NULL);
    while (err == -EPERM);
    expect_status(err, WEIR_ECLOSED);
}

static void run_end_or_add_in_vain(struct crew *crew, unsigned id)
{
    while (race_begin(crew, id, prepare_failing_add)) {
        if (id == 0) {
            race_run_if_first();
        } else if (id == 1) {
            expect_status(weir_loop_shutdown(loop, -1), 0);
            race_free_unless_done();
        } else {
            add_in_vain();
        }
        weir_loop_unref(loop);
        race_end(crew, id);
    }
}

STRESS_CASE(loop_ends_and_is_freed_while_descriptors_are_added_in_vain)
{
    message.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    expect(message.fd >= 0);
    race_run(2, 4, run_end_or_add_in_vain);
    close(message.fd);
}
