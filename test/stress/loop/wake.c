/* SPDX-License-Identifier: MIT */
/*
 * wake -- loops that spin before they sleep, and loops whose fd mode is changed
 * under them.  A wake that is lost shows as a case that does not end by its
 * deadline.
 *
 * WEIR_SEED sets which mode comes when.
 */
#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include "support/crew.h"
#include "support/effort.h"
#include "support/loop_fixture.h"
#include "support/random.h"
#include "support/suite.h"
#include "weir/clock.h"
#include "weir/fd.h"
#include "weir/timer.h"

/* ---- two loops play ball ---- */

enum { PASSES = 150000, SPIN_NS = 50000 };

/* Each has its own loop and task; the ball is plain, so that the sanitizer
 * sees whether each pass hands it over. */
static struct match {
    struct player {
        weir_task task; /* first: its address is the player's */
        weir_loop *loop;
        struct player *other;
    } players[2];
    uint64_t ball;
    uint64_t passes; /* const */
    bool is_over;    /* atomic */
} match;

static void pass(struct player *player)
{
    expect_status(weir_loop_post(player->loop, &player->task), 0);
}

static void catch_ball(weir_task *task, int status)
{
    struct player *player = (struct player *)task;

    expect_status(status, 0);
    expect(weir_loop_is_owner(player->loop));
    if (++match.ball < match.passes) {
        pass(player->other);
        return;
    }
    __atomic_store_n(&match.is_over, true, __ATOMIC_RELAXED);
    expect_status(weir_loop_shutdown(player->loop, -1), 0);
}

static void begin_match(int64_t spin_ns, weir_fd_mode fd_mode)
{
    match.passes = effort_steps(PASSES);
    for (int i = 0; i < 2; i++) {
        struct player *player = &match.players[i];

        *player = (struct player){.task = {.run = catch_ball},
                                  .other = &match.players[1 - i]};
        expect_status(
            weir_loop_new(&player->loop,
                          LOOP_OPTIONS(.spin_ns = spin_ns, .fd_mode = fd_mode)),
            0);
    }
    pass(&match.players[0]);
}

static void end_match(void)
{
    expect_int(match.ball, match.passes);
    for (int i = 0; i < 2; i++)
        expect_status(weir_loop_free(match.players[i].loop), 0);
}

/* The one that has caught the last ball shuts itself down, and then the
 * other. */
static void play(unsigned id)
{
    struct player *player = &match.players[id];

    expect_status(weir_loop_run(player->loop, WEIR_RUN_UNTIL_CLOSED), 0);
    expect_status(weir_loop_shutdown(player->other->loop, -1), 0);
}

static void play_alone(struct crew *crew, unsigned id)
{
    play(id);
}

static void hold_match(int64_t spin_ns, weir_fd_mode fd_mode)
{
    begin_match(spin_ns, fd_mode);
    crew_run(2, play_alone, NULL);
    end_match();
}

STRESS_CASE(loops_that_spin_before_the_futex_lose_no_pass)
{
    hold_match(SPIN_NS, WEIR_FD_MODE_AUTO);
}

STRESS_CASE(loops_that_spin_before_the_poller_lose_no_pass)
{
    hold_match(SPIN_NS, WEIR_FD_MODE_ALWAYS);
}

/* About as long as a pass takes: it goes to sleep just when the ball comes. */
STRESS_CASE(loops_that_spin_for_a_moment_lose_no_pass)
{
    hold_match(700, WEIR_FD_MODE_AUTO);
}

/* ---- the same, while somebody changes where they sleep ---- */

static void ignore(void *arg, int status, int fd, unsigned events)
{
}

static void change_mode(weir_loop *at, struct random *random)
{
    static const weir_fd_mode modes[] = {WEIR_FD_MODE_AUTO, WEIR_FD_MODE_ALWAYS,
                                         WEIR_FD_MODE_NEVER};
    int err = weir_loop_set_fd_mode(at, modes[random_below(random, 3)]);

    if (err != WEIR_ENOFDS && err != WEIR_ECLOSED)
        expect_status(err, 0);
}

/* With a descriptor the loop sleeps in the poller, without one on the futex. */
static void change_descriptors(weir_loop *at, int fd)
{
    int err = weir_fd_add(at, fd, WEIR_FD_READABLE, ignore, NULL);

    if (err == WEIR_ENOFDS || err == WEIR_ECLOSED)
        return;
    if (err == -EEXIST)
        err = weir_fd_remove(at, fd, NULL, NULL);
    if (err != -ENOENT) /* the loop has ended between */
        expect_status(err, 0);
}

static void disturb(int fd)
{
    struct random random = {random_seed()};

    while (!__atomic_load_n(&match.is_over, __ATOMIC_RELAXED)) {
        weir_loop *at = match.players[random_below(&random, 2)].loop;

        if (random_below(&random, 2) == 0)
            change_mode(at, &random);
        else
            change_descriptors(at, fd);
        for (uint64_t i = random_below(&random, 4); i > 0; i--)
            sched_yield();
    }
}

static void play_disturbed(struct crew *crew, unsigned id)
{
    const int *fd = crew->context;

    if (id < 2)
        play(id);
    else
        disturb(*fd);
}

static void hold_disturbed_match(int64_t spin_ns)
{
    int fd = event_open(0);

    begin_match(spin_ns, WEIR_FD_MODE_AUTO);
    crew_run(3, play_disturbed, &fd);
    end_match();
    close(fd);
}

STRESS_CASE(loops_whose_beds_are_changed_lose_no_pass)
{
    hold_disturbed_match(0);
}

STRESS_CASE(loops_that_spin_and_whose_beds_are_changed_lose_no_pass)
{
    hold_disturbed_match(SPIN_NS);
}

/* ---- a wake for its own sake ---- */

/* The clock stands.  Who moves it says so, and the timer must ring. */
enum { RINGS = 100000, LONGEST_DELAY = 600 };

static uint64_t rings; /* atomic */

static void ring(void *arg, int status)
{
    if (status == 0)
        __atomic_fetch_add(&rings, 1, __ATOMIC_RELAXED);
}

/* Nobody sleeps here: so the next wake comes while the loop, which has looked
 * at the clock, is about to go to sleep. */
static void advance_and_wake(void)
{
    struct random random = {random_seed()};
    const uint64_t steps = effort_steps(RINGS);

    for (uint64_t i = 1; i <= steps; i++) {
        uint64_t delay = random_below(&random, LONGEST_DELAY);

        for (volatile uint64_t j = 0; j < delay; j++)
            ;
        expect_status(weir_clock_advance(SECOND_NS), 0);
        weir_loop_wake(loop);
        for (unsigned looks = 1; __atomic_load_n(&rings, __ATOMIC_RELAXED) != i;
             looks++)
            if (looks % 4096 == 0)
                sched_yield();
    }
    __atomic_store_n(&match.is_over, true, __ATOMIC_RELAXED);
    expect_status(weir_loop_shutdown(loop, -1), 0);
}

/* A wake that comes while one is on its way is the same one. */
static void wake_in_vain(void)
{
    while (!__atomic_load_n(&match.is_over, __ATOMIC_RELAXED)) {
        weir_loop_wake(loop);
        sched_yield();
    }
}

static void run_or_wake(struct crew *crew, unsigned id)
{
    if (id == 0)
        expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), 0);
    else if (id == 1)
        advance_and_wake();
    else
        wake_in_vain();
}

static void set_alarm(weir_fd_mode fd_mode, unsigned threads)
{
    expect_status(weir_clock_freeze(0), 0);
    loop_make(LOOP_OPTIONS(.fd_mode = fd_mode));
    weir_loop_ref(loop); /* for those who wake until the end */
    expect_status(weir_timer_start(loop, NULL, SECOND_NS,
                                   WEIR_TIMER_FIXED_RATE_CATCH_UP, ring, NULL),
                  0);
    crew_run(threads, run_or_wake, NULL);
    weir_loop_unref(loop);
    loop_end();
}

STRESS_CASE(loop_woken_for_the_clock_looks_at_it)
{
    set_alarm(WEIR_FD_MODE_AUTO, 2);
}

STRESS_CASE(loop_woken_by_two_threads_at_once_looks_at_the_clock)
{
    set_alarm(WEIR_FD_MODE_AUTO, 3);
}

STRESS_CASE(loop_in_the_poller_woken_by_two_threads_looks_at_the_clock)
{
    set_alarm(WEIR_FD_MODE_ALWAYS, 3);
}

/* ---- the end of idleness ---- */

/* One thread lets go of what holds the loop, the other waits in run. */
enum { LEAVES = 40000, HOLDERS = 4 };

static struct {
    weir_timer timer;
    int fd;
} holder;

static void nothing(void *arg, int status)
{
}

static void hold(unsigned way)
{
    if (way == 0)
        weir_loop_ref(loop);
    else if (way == 1)
        expect_status(weir_fd_ref(loop, holder.fd), 0);
    else
        expect_status(weir_timer_start(loop, &holder.timer,
                                       INT64_C(3600) * SECOND_NS,
                                       WEIR_TIMER_ONCE, nothing, NULL),
                      0);
}

static void let_go(unsigned way)
{
    if (way == 0)
        weir_loop_unref(loop);
    else if (way == 1)
        expect_status(weir_fd_unref(loop, holder.fd), 0);
    else if (way == 2)
        expect_status(weir_timer_unref(loop, holder.timer), 0);
    else
        expect_status(weir_timer_cancel(loop, holder.timer), 0);
}

static void run_or_let_go(struct crew *crew, unsigned id)
{
    const unsigned steps = effort_steps(LEAVES);

    for (unsigned i = 0; i < steps; i++) {
        if (id == 0)
            hold(i % HOLDERS);
        crew_line_up(crew);
        if (id == 0) {
            expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
        } else {
            for (unsigned yields = i / HOLDERS % 4; yields > 0; yields--)
                sched_yield();
            let_go(i % HOLDERS);
        }
        crew_line_up(crew);
        /* One that was only unreferenced is still there. */
        if (id == 0 && i % HOLDERS == 2)
            expect_status(weir_timer_cancel(loop, holder.timer), 0);
    }
}

STRESS_CASE(loop_becomes_idle_whenever_another_thread_lets_go)
{
    holder.fd = event_open(0);
    loop_make(NULL);
    expect_status(weir_fd_add(loop, holder.fd, WEIR_FD_READABLE, ignore, NULL),
                  0);
    expect_status(weir_fd_unref(loop, holder.fd), 0);
    crew_run(2, run_or_let_go, NULL);
    expect_status(weir_fd_remove(loop, holder.fd, NULL, NULL), 0);
    loop_end();
    close(holder.fd);
}
