/* SPDX-License-Identifier: MIT */
/*
 * fd -- whom it holds, what it is called, and how it ends with its loop.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "support/fd_fixture.h"

/* ---- who holds the loop ---- */

static void remove_quietly(void *word, int status, int fd, unsigned events)
{
    record_fd(word, status, fd, events);
    expect_status(weir_fd_remove(loop, fd, NULL, NULL), 0);
}

CASE(fd_holds_the_loop_until_it_is_removed)
{
    loop_make(NULL);
    watch_now(event_open(1), WEIR_FD_READABLE, remove_quietly, "ready");
    loop_run();
    expect_recorded("ready");
    loop_end();
}

PLACE_CASE(fd_without_ref_lets_the_loop_become_idle)
{
    int fd = event_open(0);

    loop_make(NULL);
    watch(fd, WEIR_FD_READABLE, "ready");
    expect_status(try_unref(fd), 0);
    expect_status(try_unref(fd), 0);
    loop_run();
    expect_int(weir_loop_state(loop), WEIR_LOOP_AWAKE);
    expect_recorded("");
    event_fill(fd);
    loop_run();
    expect_recorded("ready");
    event_drain(fd);
    loop_end();
    expect_recorded("ready!");
}

PLACE_CASE(fd_with_ref_again_holds_the_loop)
{
    int fd = event_open(0);

    loop_make(NULL);
    expect_status(try_add(fd, WEIR_FD_READABLE, remove_quietly, "ready"), 0);
    expect_status(try_unref(fd), 0);
    expect_status(try_ref(fd), 0);
    expect_status(try_ref(fd), 0);
    event_fill(fd);
    loop_run();
    expect_recorded("ready");
    loop_run(); /* nothing holds it now */
    loop_end();
}

PLACE_CASE(fd_removed_without_ref_leaves_the_count_right)
{
    int fd = event_open(0);

    loop_make(NULL);
    watch(fd, WEIR_FD_READABLE, "ready");
    expect_status(try_unref(fd), 0);
    unwatch(fd);
    loop_run();
    watch(fd, WEIR_FD_READABLE, "ready");
    expect_int(weir_loop_report(loop, NULL, 0, sizeof(weir_holder)),
               1); /* it holds again */
    unwatch(fd);
    expect_int(weir_loop_report(loop, NULL, 0, sizeof(weir_holder)), 0);
    loop_run();
    loop_end();
}

/* ---- names ---- */

static weir_holder holders[8];

PLACE_CASE(fd_names_are_in_the_report)
{
    int named = event_open(0), unnamed = event_open(0), idle = event_open(0);
    uint64_t count = 0;

    loop_make(NULL);
    watch(named, WEIR_FD_READABLE, "ready");
    watch(unnamed, WEIR_FD_READABLE, "ready");
    watch(idle, WEIR_FD_READABLE, "ready");
    expect_status(weir_fd_set_name(loop, named, "socket"), 0);
    expect_status(weir_fd_set_name(loop, idle, "idle"), 0);
    expect_status(try_unref(idle), 0);
    expect_int(weir_loop_report(loop, holders, 8, sizeof(weir_holder)), 2);
    for (int i = 0; i < 2; i++) {
        expect_int(holders[i].kind, WEIR_KIND_FD);
        expect_int(holders[i].count, 1);
        expect(!holders[i].is_running);
    }
    expect((holders[0].name == NULL) != (holders[1].name == NULL));
    expect_string(holders[holders[0].name == NULL].name, "socket");
    unwatch(named);
    watch(named, WEIR_FD_READABLE, "ready");
    /* In debug builds one row for each place that watches. */
    for (size_t i = weir_loop_report(loop, holders, 8, sizeof(weir_holder));
         i-- > 0;) {
        expect(holders[i].name == NULL);
        count += holders[i].count;
    }
    expect_int(count, 2);
    loop_end();
}

static void look_at_report(void *arg, int status, int fd, unsigned events)
{
    if (status != 0)
        return;
    expect(weir_loop_report(loop, holders, 8, sizeof(weir_holder)) >= 1);
    expect(holders[0].is_running);
    expect_int(holders[0].kind, WEIR_KIND_FD);
    expect_string(holders[0].name, "socket");
    note("seen");
}

CASE(fd_that_runs_is_the_first_in_the_report)
{
    int fd = event_open(1);

    loop_make(NULL);
    watch_now(fd, WEIR_FD_READABLE, look_at_report, NULL);
    expect_status(weir_fd_set_name(loop, fd, "socket"), 0);
    loop_turns(1);
    expect_recorded("seen");
    expect_status(weir_loop_close(loop, -1), 0);
}

/* ---- the end of the loop ---- */

enum { MANY = 20 };

static int fds[MANY];
static unsigned told[MANY]; /* how often of the end */

static void count_end(void *arg, int status, int fd, unsigned events)
{
    unsigned number = (unsigned)(uintptr_t)arg;

    expect_status(status, WEIR_ECANCELED);
    expect_int(events, 0);
    expect_int(fd, fds[number]);
    expect_int(close(fd), 0);
    told[number]++;
}

/* Every third has no ref; every fourth is removed again. */
static void watch_many(void)
{
    loop_make(NULL);
    for (unsigned i = 0; i < MANY; i++) {
        fds[i] = event_open(0);
        expect_status(
            try_add(fds[i], WEIR_FD_READABLE, count_end, (void *)(uintptr_t)i),
            0);
        if (i % 3 == 0)
            expect_status(try_unref(fds[i]), 0);
        if (i % 4 == 0)
            unwatch(fds[i]);
    }
}

static void expect_each_told_once(void)
{
    for (unsigned i = 0; i < MANY; i++)
        expect_int(told[i], i % 4 == 0 ? 0 : 1);
}

PLACE_CASE(fd_is_told_once_when_the_loop_shuts_down)
{
    watch_many();
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_each_told_once();
    expect_status(weir_loop_free(loop), 0);
    expect_each_told_once();
}

PLACE_CASE(fd_is_told_once_when_the_loop_closes)
{
    watch_many();
    expect_status(weir_loop_close(loop, -1), 0);
    expect_each_told_once();
    expect_status(weir_loop_free(loop), 0);
    expect_each_told_once();
}

/* A removal that nobody was notified of when the end begins. */
CASE(fd_removal_is_told_also_at_the_end)
{
    int fd = event_open(0);

    loop_make(NULL);
    watch_now(fd, WEIR_FD_READABLE, record_fd, "ready");
    loop_turns(1);
    expect_status(weir_fd_remove(loop, fd, record, "removed"), 0);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_recorded("removed");
    expect_status(weir_loop_free(loop), 0);
}

CASE(fd_removal_is_told_also_when_the_loop_closes)
{
    int fd = event_open(0);

    loop_make(NULL);
    watch_now(fd, WEIR_FD_READABLE, record_fd, "ready");
    loop_turns(1);
    expect_status(weir_fd_remove(loop, fd, record, "removed"), 0);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_recorded("removed!");
    expect_status(weir_loop_free(loop), 0);
}

CASE(fd_that_is_ready_is_told_that_the_loop_closes)
{
    loop_make(NULL);
    watch_now(event_open(1), WEIR_FD_READABLE, record_fd, "ready");
    expect_status(weir_loop_close(loop, -1), 0);
    expect_recorded("ready!");
    expect_status(weir_loop_free(loop), 0);
}

static void shut_down(void *word, int status, int fd, unsigned events)
{
    record_fd(word, status, fd, events);
    if (status == 0)
        expect_status(weir_loop_shutdown(loop, -1), 0);
}

CASE(fd_is_told_of_the_end_that_it_began)
{
    int fd = event_open(1);

    loop_make(NULL);
    watch_now(fd, WEIR_FD_READABLE | WEIR_FD_ONESHOT, shut_down, "ready");
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), 0);
    expect_recorded("ready ready!");
    expect_status(weir_loop_free(loop), 0);
}

/* covers: weir_fd_add WEIR_ECLOSED */
static void watch_at_the_end(void *word, int status, int fd, unsigned events)
{
    record_fd(word, status, fd, events);
    expect_status(weir_fd_add(loop, fd, WEIR_FD_READABLE, record_fd, "late"),
                  WEIR_ECLOSED);
    expect_status(weir_fd_remove(loop, fd, NULL, NULL), -ENOENT);
    expect_status(weir_fd_modify(loop, fd, WEIR_FD_WRITABLE), -ENOENT);
}

CASE(fd_add_by_one_that_is_told_of_the_end_is_refused)
{
    loop_make(NULL);
    watch_now(event_open(0), WEIR_FD_READABLE, watch_at_the_end, "told");
    loop_end();
    expect_recorded("told!");
    loop_make(NULL);
    watch_now(event_open(0), WEIR_FD_READABLE, watch_at_the_end, "told");
    expect_status(weir_loop_close(loop, -1), 0);
    expect_recorded("told!");
}

/* covers: weir_fd_add WEIR_ECLOSED */
CASE(fd_calls_after_the_end_are_refused)
{
    int fd = event_open(0);

    loop_make(NULL);
    watch_now(fd, WEIR_FD_READABLE, record_fd, "told");
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_recorded("told!");
    expect_status(weir_fd_add(loop, fd, WEIR_FD_READABLE, record_fd, "late"),
                  WEIR_ECLOSED);
    expect_status(weir_fd_modify(loop, fd, WEIR_FD_READABLE), -ENOENT);
    expect_status(weir_fd_remove(loop, fd, NULL, NULL), -ENOENT);
    expect_status(weir_fd_ref(loop, fd), -ENOENT);
    expect_status(weir_fd_unref(loop, fd), -ENOENT);
    expect_status(weir_fd_set_name(loop, fd, "late"), -ENOENT);
    expect_status(weir_loop_free(loop), 0);
    expect_recorded("");
}

/* Two that remove each other: the first to be notified wins. */
static int duel[2];

static void remove_the_other(void *arg, int status, int fd, unsigned events)
{
    record("told", status);
    expect_status(weir_fd_remove(loop, duel[fd == duel[0]], record, "removed"),
                  0);
}

CASE(fd_that_is_removed_at_the_end_is_not_told)
{
    loop_make(NULL);
    for (int i = 0; i < 2; i++) {
        duel[i] = event_open(0);
        watch_now(duel[i], WEIR_FD_READABLE, remove_the_other, NULL);
    }
    loop_end();
    expect_recorded("told! removed");
}
