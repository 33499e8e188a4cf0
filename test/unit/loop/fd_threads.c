/* SPDX-License-Identifier: MIT */
/*
 * fd -- watched, changed and removed by threads that do not run the loop.
 */
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/crew.h"
#include "support/fd_fixture.h"
#include "support/random.h"
#include "weir/clock.h"

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

/* A descriptor whose callback tells the test. */
struct bell {
    sem_t rung, gone;
};

static void open_bell(struct bell *bell)
{
    expect_int(sem_init(&bell->rung, 0, 0), 0);
    expect_int(sem_init(&bell->gone, 0, 0), 0);
}

static void ring(void *arg, int status, int fd, unsigned events)
{
    struct bell *bell = arg;

    if (status != 0)
        return;
    expect(events != 0);
    event_drain(fd);
    expect_int(sem_post(&bell->rung), 0);
}

static void tell_gone(void *arg, int status)
{
    struct bell *bell = arg;

    expect_status(status, 0);
    expect_int(sem_post(&bell->gone), 0);
}

/* ---- while the loop sleeps ---- */

static void expect_all_reach_a_sleeper(weir_fd_mode fd_mode)
{
    static struct bell bell;
    int fd = event_open(1);

    open_bell(&bell);
    begin_on_thread(LOOP_OPTIONS(.fd_mode = fd_mode));
    await_loop_asleep();
    watch_now(fd, WEIR_FD_READABLE, ring, &bell); /* is ready */
    await_post(&bell.rung);
    await_loop_asleep();
    event_fill(fd); /* becomes ready */
    await_post(&bell.rung);
    await_loop_asleep();
    expect_status(weir_fd_modify(loop, fd, 0), 0);
    event_fill(fd);
    await_loop_asleep();
    expect_status(weir_fd_modify(loop, fd, WEIR_FD_READABLE), 0);
    await_post(&bell.rung);
    await_loop_asleep();
    expect_status(weir_fd_remove(loop, fd, tell_gone, &bell), 0);
    await_post(&bell.gone);
    end_on_thread();
}

CASE(fd_calls_elsewhere_reach_a_loop_that_slept_on_the_futex)
{
    expect_all_reach_a_sleeper(WEIR_FD_MODE_AUTO);
}

CASE(fd_calls_elsewhere_reach_a_loop_that_sleeps_in_the_poller)
{
    expect_all_reach_a_sleeper(WEIR_FD_MODE_ALWAYS);
}

/* The first descriptor moves the loop to the poller, the last one back. */
CASE(fd_that_comes_and_goes_moves_the_loop_without_losing_it)
{
    static struct bell bell;
    int fd = event_open(0);

    open_bell(&bell);
    begin_on_thread(NULL);
    for (int i = 0; i < 1000; i++) {
        watch_now(fd, WEIR_FD_READABLE, ring, &bell);
        if (i % 8 == 0)
            await_state(loop, WEIR_LOOP_SLEEPING);
        event_fill(fd);
        await_post(&bell.rung);
        expect_status(weir_fd_remove(loop, fd, tell_gone, &bell), 0);
        if (i % 4 == 0)
            await_post(&bell.gone);
    }
    end_on_thread();
}

static void expect_unref_ends_run(void (*let_go)(int fd))
{
    int fd = event_open(0);

    loop_make(NULL);
    watch_now(fd, WEIR_FD_READABLE, record_fd, "told");
    runner_start(&runner, loop, WEIR_RUN_UNTIL_IDLE);
    await_loop_asleep();
    let_go(fd);
    expect_status(runner_join(&runner), 0);
    loop_end();
}

static void let_go_by_unref(int fd)
{
    expect_status(weir_fd_unref(loop, fd), 0);
}

static void let_go_by_remove(int fd)
{
    expect_status(weir_fd_remove(loop, fd, NULL, NULL), 0);
}

CASE(fd_unref_elsewhere_lets_a_sleeping_loop_become_idle)
{
    expect_unref_ends_run(let_go_by_unref);
    expect_recorded("told!");
}

CASE(fd_removed_elsewhere_lets_a_sleeping_loop_become_idle)
{
    expect_unref_ends_run(let_go_by_remove);
    expect_recorded("");
}

/* ---- remove under load: scene f ---- */

/* Ready all the time.  Its memory and its number are given back as soon as the
 * removal is reported. */
struct target {
    int fd;
    unsigned calls; /* atomic: the thread that removes waits for some */
    bool is_gone;   /* the loop's thread */
    sem_t gone;
};

static void be_called(void *arg, int status, int fd, unsigned events)
{
    struct target *target = arg;

    expect_status(status, 0);
    expect_int(fd, target->fd);
    expect(events != 0);
    expect(!target->is_gone);
    __atomic_fetch_add(&target->calls, 1, __ATOMIC_RELAXED);
}

static void be_gone(void *arg, int status)
{
    struct target *target = arg;

    expect_status(status, 0);
    expect(!target->is_gone);
    target->is_gone = true;
    expect_int(sem_post(&target->gone), 0);
}

static void add_and_remove(unsigned calls)
{
    struct target *target = calloc(1, sizeof(*target));

    expect(target != NULL);
    expect_int(sem_init(&target->gone, 0, 0), 0);
    target->fd = event_open(1);
    watch_now(target->fd, WEIR_FD_READABLE | WEIR_FD_WRITABLE, be_called,
              target);
    while (__atomic_load_n(&target->calls, __ATOMIC_RELAXED) < calls)
        sched_yield();
    expect_status(weir_fd_remove(loop, target->fd, be_gone, target), 0);
    expect_status(weir_fd_remove(loop, target->fd, be_gone, target), -ENOENT);
    await_post(&target->gone);
    close(target->fd);
    sem_destroy(&target->gone);
    free(target);
}

static void remove_under_load(struct crew *crew, unsigned id)
{
    for (unsigned i = 0; i < 300; i++)
        add_and_remove((i + id) % 4);
}

/* libevent #225, #512. */
CASE(fd_removed_under_load_is_not_called_when_the_removal_was_told)
{
    begin_on_thread(NULL);
    crew_run(3, remove_under_load, NULL);
    end_on_thread();
}

/* One of several that want to remove it does, and is notified. */
struct contest {
    int fd;
    unsigned wins; /* atomic */
    unsigned told; /* the loop's thread */
};

static void count_told(void *arg, int status)
{
    struct contest *contest = arg;

    expect_status(status, 0);
    contest->told++;
}

static void remove_in_competition(struct crew *crew, unsigned id)
{
    struct contest *contest = crew->context;

    for (int round = 0; round < 1000; round++) {
        if (id == 0)
            watch_now(contest->fd, WEIR_FD_READABLE, record_fd, "never");
        crew_line_up(crew);
        if (weir_fd_remove(loop, contest->fd, count_told, contest) == 0)
            __atomic_fetch_add(&contest->wins, 1, __ATOMIC_RELAXED);
        crew_line_up(crew);
    }
}

CASE(fd_removed_by_several_threads_is_removed_by_one)
{
    struct contest contest = {.fd = event_open(0)};

    begin_on_thread(NULL);
    crew_run(3, remove_in_competition, &contest);
    end_on_thread();
    expect_int(contest.wins, 1000);
    expect_int(contest.told, 1000);
    expect_recorded("");
}

/* The removal of a descriptor whose callback runs is reported after its return. */
struct visit {
    sem_t entered, leave, gone;
    bool is_inside; /* the loop's thread */
};

static void stay_inside(void *arg, int status, int fd, unsigned events)
{
    struct visit *visit = arg;

    expect_status(status, 0);
    expect(events != 0);
    event_drain(fd);
    visit->is_inside = true;
    expect_int(sem_post(&visit->entered), 0);
    await_post(&visit->leave);
    visit->is_inside = false;
}

static void expect_nobody_inside(void *arg, int status)
{
    struct visit *visit = arg;

    expect_status(status, 0);
    expect(!visit->is_inside);
    expect_int(sem_post(&visit->gone), 0);
}

CASE(fd_removed_while_its_callback_runs_is_gone_after_its_return)
{
    static struct visit visit;
    int fd = event_open(1);

    expect_int(sem_init(&visit.entered, 0, 0), 0);
    expect_int(sem_init(&visit.leave, 0, 0), 0);
    expect_int(sem_init(&visit.gone, 0, 0), 0);
    begin_on_thread(NULL);
    watch_now(fd, WEIR_FD_READABLE, stay_inside, &visit);
    await_post(&visit.entered);
    event_fill(fd);
    expect_status(weir_fd_remove(loop, fd, expect_nobody_inside, &visit), 0);
    watch_now(fd, WEIR_FD_READABLE, record_fd, "next"); /* at once */
    expect_status(weir_fd_modify(loop, fd, 0), 0);
    expect_int(sem_post(&visit.leave), 0);
    await_post(&visit.gone);
    end_on_thread();
    expect_recorded("next!");
}

/* ---- modify ---- */

/* One shot, armed again by another thread as soon as it was fired.  The loop
 * never sleeps, so it looks while modify is half done. */
struct relay {
    int fd;
    unsigned shots; /* atomic */
    bool is_over;   /* atomic */
    int64_t until_ns;
};

static void take_shot(void *arg, int status, int fd, unsigned events)
{
    struct relay *relay = arg;

    if (status != 0)
        return;
    expect_int(fd, relay->fd);
    expect(events == WEIR_FD_READABLE || events == WEIR_FD_WRITABLE);
    __atomic_fetch_add(&relay->shots, 1, __ATOMIC_RELAXED);
}

static void keep_awake(void *arg, int status)
{
    struct relay *relay = arg;

    if (status == 0 && !__atomic_load_n(&relay->is_over, __ATOMIC_RELAXED))
        expect_status(weir_loop_immediate(loop, keep_awake, relay), 0);
}

static void await_shots(const struct relay *relay, unsigned shots)
{
    while (__atomic_load_n(&relay->shots, __ATOMIC_RELAXED) < shots)
        sched_yield();
}

/* For a second: where the two share a core, a shot takes milliseconds. */
static void begin_relay(struct relay *relay, unsigned events)
{
    relay->fd = event_open(1);
    relay->until_ns = weir_clock_now() + SECOND_NS;
    begin_on_thread(NULL);
    expect_status(weir_loop_submit(loop, keep_awake, relay), 0);
    watch_now(relay->fd, events, take_shot, relay);
}

static void end_relay(struct relay *relay)
{
    __atomic_store_n(&relay->is_over, true, __ATOMIC_RELAXED);
    end_on_thread();
}

/* Every shot arrives, and once; the mask changes from one to the next. */
CASE(fd_of_one_shot_is_never_lost_when_it_is_armed_elsewhere)
{
    struct relay relay = {0};

    begin_relay(&relay, WEIR_FD_READABLE | WEIR_FD_ONESHOT);
    for (unsigned shots = 1; weir_clock_now() < relay.until_ns; shots++) {
        unsigned next = shots % 3 == 0 ? WEIR_FD_WRITABLE : WEIR_FD_READABLE;

        await_shots(&relay, shots);
        expect_int(__atomic_load_n(&relay.shots, __ATOMIC_RELAXED), shots);
        expect_status(weir_fd_modify(loop, relay.fd, next | WEIR_FD_ONESHOT),
                      0);
    }
    end_relay(&relay);
}

#ifndef WEIR_POLLER_POLL
/* At the edge: a modify notifies once if it is ready. */
CASE(fd_at_the_edge_is_never_lost_when_it_is_modified_elsewhere)
{
    struct relay relay = {0};

    begin_relay(&relay, WEIR_FD_READABLE | WEIR_FD_EDGE);
    for (unsigned shots = 1; weir_clock_now() < relay.until_ns; shots++) {
        unsigned next = shots % 2 == 0 ? WEIR_FD_READABLE : WEIR_FD_WRITABLE;

        await_shots(&relay, shots);
        expect_status(weir_fd_modify(loop, relay.fd, next | WEIR_FD_EDGE), 0);
    }
    end_relay(&relay);
}
#endif

/* ---- all at once, during input and output ---- */

enum { STATIONS = 8, THREADS = 3 };

struct station {
    int fd;
    sem_t gone;
};

static void pass_train(void *arg, int status, int fd, unsigned events)
{
    struct station *station = arg;
    uint64_t count;

    if (status != 0)
        return;
    expect_int(fd, station->fd);
    if (events & WEIR_FD_READABLE)
        (void)!read(fd, &count, sizeof(count)); /* may be empty by now */
}

static void close_station(void *arg, int status)
{
    struct station *station = arg;

    expect(status == 0 || status == WEIR_ECANCELED);
    expect_int(sem_post(&station->gone), 0);
}

static void change_station(struct random *random, struct station *station)
{
    static const unsigned masks[] = {0, WEIR_FD_READABLE, WEIR_FD_WRITABLE,
                                     WEIR_FD_READABLE | WEIR_FD_ONESHOT,
                                     WEIR_FD_READABLE | WEIR_FD_WRITABLE};

    watch_now(station->fd, masks[random_below(random, 5)], pass_train, station);
    for (uint64_t i = random_below(random, 8); i > 0; i--) {
        event_fill(station->fd);
        expect_status(
            weir_fd_modify(loop, station->fd, masks[random_below(random, 5)]),
            0);
    }
    expect_status(weir_fd_remove(loop, station->fd, close_station, station), 0);
    await_post(&station->gone);
}

/* Each thread has its own descriptors, and one loop has them all. */
static void change_stations(struct crew *crew, unsigned id)
{
    struct random random = {*(uint64_t *)crew->context + id};
    struct station stations[STATIONS];

    for (int i = 0; i < STATIONS; i++) {
        stations[i].fd = event_open(0);
        expect_int(sem_init(&stations[i].gone, 0, 0), 0);
    }
    for (int i = 0; i < 1000; i++)
        change_station(&random, &stations[i % STATIONS]);
    for (int i = 0; i < STATIONS; i++)
        close(stations[i].fd);
}

CASE(fd_changes_by_many_threads_during_input_and_output)
{
    uint64_t seed = random_seed();

    begin_on_thread(NULL);
    crew_run(THREADS, change_stations, &seed);
    end_on_thread();
}

/* ---- the end of the loop ---- */

/* Threads watch until they are refused.  What was accepted is removed, or told
 * of the end: once. */
struct tally {
    unsigned added, removed; /* atomic */
    unsigned told, gone;     /* the loop's thread */
    unsigned under_way;      /* atomic: threads that have begun */
};

static void tell_end(void *arg, int status, int fd, unsigned events)
{
    struct tally *tally = arg;

    expect_int(events, 0);
    expect_status(status, WEIR_ECANCELED);
    tally->told++;
}

static void tell_removal(void *arg, int status)
{
    struct tally *tally = arg;

    expect(status == 0 || status == WEIR_ECANCELED);
    tally->gone++;
}

static void add_until_refused(struct crew *crew, unsigned id)
{
    struct tally *tally = crew->context;
    int fd = event_open(0);
    unsigned added = 0, removed = 0;

    for (;; added++) {
        int status = weir_fd_add(loop, fd, WEIR_FD_READABLE, tell_end, tally);

        if (status != 0) {
            expect_status(status, WEIR_ECLOSED);
            break;
        }
        if (weir_fd_remove(loop, fd, tell_removal, tally) == 0)
            removed++;
        if (added == 20)
            __atomic_fetch_add(&tally->under_way, 1, __ATOMIC_RELAXED);
    }
    __atomic_fetch_add(&tally->added, added, __ATOMIC_RELAXED);
    __atomic_fetch_add(&tally->removed, removed, __ATOMIC_RELAXED);
    close(fd);
}

static void expect_each_has_one_end(int (*end)(void))
{
    for (int round = 0; round < 30; round++) {
        struct tally tally = {0};
        struct crew crew;

        begin_on_thread(NULL);
        crew_start(&crew, THREADS, add_until_refused, &tally);
        while (__atomic_load_n(&tally.under_way, __ATOMIC_RELAXED) < THREADS)
            sched_yield();
        expect_status(end(), 0);
        expect_status(runner_join(&runner), 0);
        crew_join(&crew);
        expect_status(weir_loop_free(loop), 0);
        expect_int(tally.gone, tally.removed);
        expect_int(tally.told + tally.removed, tally.added);
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

CASE(fd_added_while_the_loop_shuts_down_has_one_end)
{
    expect_each_has_one_end(shut_down);
}

CASE(fd_added_while_the_loop_closes_has_one_end)
{
    expect_each_has_one_end(close_it);
}
