/* SPDX-License-Identifier: MIT */
/*
 * timer -- started, cancelled and let go by threads that do not run the loop.
 */
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include "support/crew.h"
#include "support/loop_fixture.h"
#include "support/random.h"
#include "support/suite.h"
#include "weir/clock.h"
#include "weir/timer.h"

#define HOUR_NS (3600 * INT64_C(1000000000))

static struct runner runner;

static void begin_on_thread(const weir_loop_options *options)
{
    loop_make(options);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
}

static void end_on_thread(void)
{
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(runner_join(&runner), 0);
    expect_status(weir_loop_free(loop), 0);
}

static void await_loop_asleep(void)
{
    await_state(loop, WEIR_LOOP_SLEEPING);
    expect(await_asleep(__atomic_load_n(&runner.tid, __ATOMIC_RELAXED)));
}

static sem_t passed;

static void post_passed(void *arg, int status)
{
    expect_int(sem_post(&passed), 0);
}

/* The loop has run what was there before, and the callback that was running
 * has returned. */
static void pass_through(void)
{
    expect_status(weir_loop_submit(loop, post_passed, NULL), 0);
    await_post(&passed);
}

/* ---- start ---- */

struct alarm {
    int64_t deadline_ns;
    sem_t rung;
};

static void ring(void *arg, int status)
{
    struct alarm *alarm = arg;

    expect_status(status, 0);
    expect(weir_clock_now() >= alarm->deadline_ns);
    expect_int(sem_post(&alarm->rung), 0);
}

static void expect_wakes_in(weir_fd_mode fd_mode)
{
    static struct alarm alarm;

    begin_on_thread(LOOP_OPTIONS(.fd_mode = fd_mode));
    expect_int(sem_init(&alarm.rung, 0, 0), 0);
    for (int64_t delay_ns = 0; delay_ns < 4 * MILLISECOND_NS;
         delay_ns += MILLISECOND_NS / 4) {
        await_loop_asleep();
        alarm.deadline_ns = weir_clock_now() + delay_ns;
        expect_status(weir_timer_start(loop, NULL, delay_ns, WEIR_TIMER_ONCE,
                                       ring, &alarm),
                      0);
        await_post(&alarm.rung);
    }
    end_on_thread();
}

CASE(timer_started_elsewhere_wakes_a_loop_on_the_futex)
{
    expect_wakes_in(WEIR_FD_MODE_NEVER);
}

CASE(timer_started_elsewhere_wakes_a_loop_in_the_poller)
{
    expect_wakes_in(WEIR_FD_MODE_ALWAYS);
}

/* An earlier one than that which the loop sleeps for. */
CASE(timer_started_elsewhere_is_not_behind_a_later_one)
{
    static struct alarm alarm;

    begin_on_thread(NULL);
    expect_int(sem_init(&alarm.rung, 0, 0), 0);
    loop_timer(HOUR_NS, "told");
    await_loop_asleep();
    expect_status(weir_timer_start(loop, NULL, MILLISECOND_NS, WEIR_TIMER_ONCE,
                                   ring, &alarm),
                  0);
    await_post(&alarm.rung);
    end_on_thread();
    expect_recorded("told!");
}

CASE(timer_started_elsewhere_before_the_run_fires)
{
    static struct alarm alarm;

    loop_make(NULL);
    expect_int(sem_init(&alarm.rung, 0, 0), 0);
    alarm.deadline_ns = weir_clock_now() + MILLISECOND_NS;
    expect_status(weir_timer_start(loop, NULL, MILLISECOND_NS, WEIR_TIMER_ONCE,
                                   ring, &alarm),
                  0);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    await_post(&alarm.rung);
    end_on_thread();
}

enum { BURST = 100000 };

static struct guest {
    int64_t deadline_ns;
    unsigned calls; /* the loop's thread */
} burst[BURST];
static unsigned arrivals; /* the loop's thread */

static void come(void *arg, int status)
{
    struct guest *guest = arg;

    expect_status(status, 0);
    expect(weir_clock_now() >= guest->deadline_ns);
    guest->calls++;
    arrivals++;
}

CASE(timer_burst_from_another_thread_fires_once_each)
{
    struct random random = {random_seed()};

    loop_make(NULL);
    weir_loop_ref(loop);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_IDLE);
    for (unsigned i = 0; i < BURST; i++) {
        int64_t delay_ns = (int64_t)random_below(&random, 20 * MILLISECOND_NS);

        burst[i].deadline_ns = weir_clock_now() + delay_ns;
        expect_status(weir_timer_start(loop, NULL, delay_ns, WEIR_TIMER_ONCE,
                                       come, &burst[i]),
                      0);
    }
    weir_loop_unref(loop);
    expect_status(runner_join(&runner), 0);
    expect_int(arrivals, BURST);
    for (unsigned i = 0; i < BURST; i++)
        expect_int(burst[i].calls, 1);
    loop_end();
}

/* All have the same deadline: in the order of the thread that started them. */
static void come_in_order(void *arg, int status)
{
    expect_status(status, 0);
    expect(arg == &burst[arrivals++]);
}

CASE(timer_burst_from_another_thread_fires_in_its_order)
{
    expect_status(weir_clock_freeze(1), 0);
    loop_make(NULL);
    weir_loop_ref(loop);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_IDLE);
    for (unsigned i = 0; i < BURST; i++)
        expect_status(weir_timer_start(loop, NULL, SECOND_NS, WEIR_TIMER_ONCE,
                                       come_in_order, &burst[i]),
                      0);
    expect_status(weir_clock_advance(SECOND_NS), 0);
    weir_loop_unref(loop);
    expect_status(runner_join(&runner), 0);
    expect_int(arrivals, BURST);
    loop_end();
}

/* ---- cancel ---- */

/* Memory that its callback gives back, or who cancels it. */
struct letter {
    int text;
    unsigned *delivered; /* the loop's thread */
};

static void deliver(void *arg, int status)
{
    struct letter *letter = arg;

    expect_status(status, 0);
    letter->text++;
    ++*letter->delivered;
    free(letter);
}

/* Cancels it after a while, at about the time when it fires. */
static bool send_and_take_back(struct random *random, unsigned *delivered)
{
    struct letter *letter = malloc(sizeof(*letter));
    int64_t until_ns = weir_clock_now() + (int64_t)random_below(random, 40000);
    weir_timer id;
    int status;

    expect(letter != NULL);
    *letter = (struct letter){0, delivered};
    expect_status(weir_timer_start(loop, &id,
                                   (int64_t)random_below(random, 20000),
                                   WEIR_TIMER_ONCE, deliver, letter),
                  0);
    while (weir_clock_now() < until_ns)
        ;
    status = weir_timer_cancel(loop, id);
    if (status == 0) {
        letter->text++;
        free(letter);
    } else {
        expect_status(status, -ENOENT);
    }
    expect_status(weir_timer_cancel(loop, id), -ENOENT);
    return status == 0;
}

static void expect_fires_or_is_cancelled(weir_fd_mode fd_mode)
{
    enum { LETTERS = 20000 };
    struct random random = {random_seed()};
    unsigned delivered = 0, taken_back = 0;

    begin_on_thread(LOOP_OPTIONS(.fd_mode = fd_mode, .spin_ns = 100000));
    for (int i = 0; i < LETTERS; i++)
        taken_back += send_and_take_back(&random, &delivered);
    end_on_thread();
    expect_int(delivered + taken_back, LETTERS);
}

CASE(timer_fires_or_is_cancelled_but_never_both_on_the_futex)
{
    expect_fires_or_is_cancelled(WEIR_FD_MODE_NEVER);
}

CASE(timer_fires_or_is_cancelled_but_never_both_in_the_poller)
{
    expect_fires_or_is_cancelled(WEIR_FD_MODE_ALWAYS);
}

/* Hundreds are due in one turn.  Another thread cancels them in the order in
 * which they fire: it finds the first ones gone, catches up with the loop, and
 * from then on both want the same one at the same time. */
enum { DUE = 500 };

static struct rival {
    weir_timer id;
    unsigned fired; /* the loop's thread */
    bool is_cancelled;
} rivals[DUE];
static bool has_begun; /* atomic: the first one has fired */

static void fire(void *arg, int status)
{
    struct rival *rival = arg;

    expect_status(status, 0);
    rival->fired++;
    __atomic_store_n(&has_begun, true, __ATOMIC_RELAXED);
}

static void start_rivals(void)
{
    __atomic_store_n(&has_begun, false, __ATOMIC_RELAXED);
    for (int i = 0; i < DUE; i++) {
        rivals[i].fired = 0;
        expect_status(weir_timer_start(loop, &rivals[i].id, SECOND_NS,
                                       WEIR_TIMER_ONCE, fire, &rivals[i]),
                      0);
    }
}

static void cancel_rivals(void)
{
    while (!__atomic_load_n(&has_begun, __ATOMIC_RELAXED))
        sched_yield();
    for (int i = 0; i < DUE; i++) {
        int status = weir_timer_cancel(loop, rivals[i].id);

        expect(status == 0 || status == -ENOENT);
        rivals[i].is_cancelled = status == 0;
    }
}

CASE(timer_fires_or_is_cancelled_but_never_both_in_a_crowd)
{
    expect_int(sem_init(&passed, 0, 0), 0);
    expect_status(weir_clock_freeze(0), 0);
    begin_on_thread(NULL);
    for (int round = 0; round < 200; round++) {
        start_rivals();
        pass_through();
        expect_status(weir_clock_advance(SECOND_NS), 0);
        weir_loop_wake(loop);
        cancel_rivals();
        pass_through();
        for (int i = 0; i < DUE; i++)
            expect_int(rivals[i].fired + rivals[i].is_cancelled, 1);
    }
    end_on_thread();
}

/* Some threads want to cancel the same one at the same time. */
struct race {
    weir_timer id;
    unsigned wins;  /* atomic */
    unsigned fired; /* the loop's thread */
};

static void count_firing(void *arg, int status)
{
    struct race *race = arg;

    expect_status(status, 0);
    race->fired++;
}

static void cancel_in_competition(struct crew *crew, unsigned id)
{
    struct race *race = crew->context;

    for (int round = 0; round < 2000; round++) {
        if (id == 0)
            expect_status(weir_timer_start(loop, &race->id,
                                           round % 2 == 0 ? HOUR_NS : 20000,
                                           WEIR_TIMER_ONCE, count_firing, race),
                          0);
        crew_line_up(crew);
        if (weir_timer_cancel(loop, race->id) == 0)
            __atomic_fetch_add(&race->wins, 1, __ATOMIC_RELAXED);
        crew_line_up(crew);
    }
}

CASE(timer_cancelled_by_several_threads_is_cancelled_by_one)
{
    struct race race = {0};

    begin_on_thread(NULL);
    crew_run(3, cancel_in_competition, &race);
    end_on_thread();
    expect_int(race.wins + race.fired, 2000);
    expect(race.wins >= 1000); /* those of an hour */
}

/* Repeats as fast as it can.  When it is cancelled and a callback that was
 * running has returned, arg is the caller's. */
static void repeat_fast(void *arg, int status)
{
    expect_status(status, 0);
    ++*(unsigned *)arg;
}

CASE(timer_that_repeats_leaves_its_argument_alone_after_a_cancel)
{
    expect_int(sem_init(&passed, 0, 0), 0);
    begin_on_thread(NULL);
    for (int i = 0; i < 300; i++) {
        unsigned *calls = calloc(1, sizeof(*calls));
        weir_timer id;

        expect(calls != NULL);
        expect_status(weir_timer_start(loop, &id, 1,
                                       WEIR_TIMER_FIXED_DELAY + i % 3,
                                       repeat_fast, calls),
                      0);
        pass_through();
        expect_status(weir_timer_cancel(loop, id), 0);
        pass_through();
        free(calls);
        expect_status(weir_timer_cancel(loop, id), -ENOENT);
    }
    end_on_thread();
}

/* covers: weir_timer_set_name -EPERM */
CASE(timer_is_not_named_by_another_thread_than_the_loops)
{
    weir_timer id;

    loop_make(NULL);
    expect_status(
        weir_timer_start(loop, &id, SECOND_NS, WEIR_TIMER_ONCE, record, NULL),
        0);
    expect_status(weir_timer_set_name(loop, id, "nobody runs it"), 0);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
    expect_status(weir_timer_set_name(loop, id, "another does"), -EPERM);
    expect_status(weir_timer_cancel(loop, id), 0);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(runner_join(&runner), 0);
    expect_status(weir_loop_free(loop), 0);
}

/* Waits inside until another thread has started a timer, and cancels it: it
 * is still on its way. */
struct meeting {
    sem_t entered, started;
    weir_timer id;
};

static void cancel_on_its_way(void *arg, int status)
{
    struct meeting *meeting = arg;

    expect_status(status, 0);
    expect_int(sem_post(&meeting->entered), 0);
    await_post(&meeting->started);
    expect_status(weir_timer_unref(loop, meeting->id), 0);
    expect_status(weir_timer_set_name(loop, meeting->id, "late"), 0);
    expect_status(weir_timer_ref(loop, meeting->id), 0);
    expect_status(weir_timer_cancel(loop, meeting->id), 0);
    expect_status(weir_timer_cancel(loop, meeting->id), -ENOENT);
    expect_status(weir_timer_ref(loop, meeting->id), -ENOENT);
}

CASE(timer_on_its_way_can_be_cancelled_inside)
{
    static struct meeting meeting;

    expect_int(sem_init(&meeting.entered, 0, 0), 0);
    expect_int(sem_init(&meeting.started, 0, 0), 0);
    loop_make(NULL);
    expect_status(weir_loop_submit(loop, cancel_on_its_way, &meeting), 0);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_IDLE);
    await_post(&meeting.entered);
    expect_status(weir_timer_start(loop, &meeting.id, 0, WEIR_TIMER_ONCE,
                                   record, "fired"),
                  0);
    expect_int(sem_post(&meeting.started), 0);
    expect_status(runner_join(&runner), 0);
    expect_recorded("");
    loop_end();
}

/* The same, but it is let go, and not cancelled. */
static void unref_on_its_way(void *arg, int status)
{
    struct meeting *meeting = arg;

    expect_status(status, 0);
    expect_int(sem_post(&meeting->entered), 0);
    await_post(&meeting->started);
    expect_status(weir_timer_unref(loop, meeting->id), 0);
}

CASE(timer_on_its_way_can_be_let_go_inside)
{
    static struct meeting meeting;

    expect_int(sem_init(&meeting.entered, 0, 0), 0);
    expect_int(sem_init(&meeting.started, 0, 0), 0);
    loop_make(NULL);
    expect_status(weir_loop_submit(loop, unref_on_its_way, &meeting), 0);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_IDLE);
    await_post(&meeting.entered);
    expect_status(weir_timer_start(loop, &meeting.id, HOUR_NS, WEIR_TIMER_ONCE,
                                   record, "fired"),
                  0);
    expect_int(sem_post(&meeting.started), 0);
    expect_status(runner_join(&runner), 0);
    expect_recorded("");
    loop_end();
    expect_recorded("fired!");
}

/* ---- who holds the loop ---- */

static void expect_unref_ends_run(weir_fd_mode fd_mode)
{
    weir_timer id;

    loop_make(LOOP_OPTIONS(.fd_mode = fd_mode));
    expect_status(
        weir_timer_start(loop, &id, HOUR_NS, WEIR_TIMER_ONCE, record, "fired"),
        0);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_IDLE);
    await_loop_asleep();
    expect_status(weir_timer_unref(loop, id), 0);
    expect_status(runner_join(&runner), 0);
    expect_status(weir_timer_ref(loop, id), 0);
    runner_start(&runner, loop, WEIR_RUN_UNTIL_IDLE);
    await_loop_asleep();
    expect_status(weir_timer_cancel(loop, id), 0);
    expect_status(runner_join(&runner), 0);
    expect_recorded("");
    loop_end();
}

CASE(timer_unref_elsewhere_lets_a_loop_on_the_futex_become_idle)
{
    expect_unref_ends_run(WEIR_FD_MODE_NEVER);
}

CASE(timer_unref_elsewhere_lets_a_loop_in_the_poller_become_idle)
{
    expect_unref_ends_run(WEIR_FD_MODE_ALWAYS);
}

/* ---- the clock that tests set ---- */

static void expect_wake_shows_the_time(weir_fd_mode fd_mode)
{
    static struct alarm alarm;

    expect_status(weir_clock_freeze(0), 0);
    expect_int(sem_init(&alarm.rung, 0, 0), 0);
    begin_on_thread(LOOP_OPTIONS(.fd_mode = fd_mode));
    for (int i = 0; i < 500; i++) {
        alarm.deadline_ns = weir_clock_now() + HOUR_NS;
        expect_status(weir_timer_start(loop, NULL, HOUR_NS, WEIR_TIMER_ONCE,
                                       ring, &alarm),
                      0);
        if (i % 2 == 0)
            await_state(loop, WEIR_LOOP_SLEEPING);
        expect_status(weir_clock_advance(HOUR_NS), 0);
        weir_loop_wake(loop);
        await_post(&alarm.rung);
    }
    end_on_thread();
}

CASE(timer_fires_on_the_futex_when_a_test_moves_the_clock_and_wakes)
{
    expect_wake_shows_the_time(WEIR_FD_MODE_NEVER);
}

CASE(timer_fires_in_the_poller_when_a_test_moves_the_clock_and_wakes)
{
    expect_wake_shows_the_time(WEIR_FD_MODE_ALWAYS);
}

/* ---- the end of the loop ---- */

/* Threads start timers until they are refused, and cancel some.  What was
 * accepted fires, is cancelled, or is notified of the end: once. */
struct tally {
    unsigned started, cancelled; /* atomic */
    unsigned told;               /* the loop's thread */
    unsigned under_way;          /* atomic: threads that have begun */
};

static void tell(void *arg, int status)
{
    struct tally *tally = arg;

    expect(status == 0 || status == WEIR_ECANCELED);
    tally->told++;
}

static void start_until_refused(struct crew *crew, unsigned id)
{
    struct tally *tally = crew->context;
    unsigned started = 0, cancelled = 0;

    for (;; started++) {
        weir_timer timer = 42;
        int status =
            weir_timer_start(loop, &timer, started % 2 == 0 ? HOUR_NS : 1000,
                             WEIR_TIMER_ONCE, tell, tally);

        if (status != 0) {
            expect_status(status, WEIR_ECLOSED);
            break;
        }
        if (started % 3 == id % 3 && weir_timer_cancel(loop, timer) == 0)
            cancelled++;
        if (started == 100)
            __atomic_fetch_add(&tally->under_way, 1, __ATOMIC_RELAXED);
    }
    __atomic_fetch_add(&tally->started, started, __ATOMIC_RELAXED);
    __atomic_fetch_add(&tally->cancelled, cancelled, __ATOMIC_RELAXED);
}

static void expect_each_has_one_end(int (*end)(void))
{
    enum { THREADS = 3 };

    for (int round = 0; round < 20; round++) {
        struct tally tally = {0};
        struct crew crew;

        begin_on_thread(NULL);
        crew_start(&crew, THREADS, start_until_refused, &tally);
        while (__atomic_load_n(&tally.under_way, __ATOMIC_RELAXED) < THREADS)
            sched_yield();
        expect_status(end(), 0);
        expect_status(runner_join(&runner), 0);
        crew_join(&crew);
        expect_status(weir_loop_free(loop), 0);
        expect_int(tally.told + tally.cancelled, tally.started);
    }
}

static int shut_down(void)
{
    return weir_loop_shutdown(loop, -1);
}

static int close_it(void)
{
    return weir_loop_close(loop, -1);
}

CASE(timer_started_while_the_loop_shuts_down_has_one_end)
{
    expect_each_has_one_end(shut_down);
}

CASE(timer_started_while_the_loop_closes_has_one_end)
{
    expect_each_has_one_end(close_it);
}
