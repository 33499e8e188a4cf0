/* SPDX-License-Identifier: MIT */
/*
 * fd -- who is called, for what, and how often.
 */
#include "weir/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/poller.h"
#include "support/fd_fixture.h"

/* What the last callback got. */
static struct sight {
    unsigned calls;
    int fd;
    unsigned events;
} sight;

static void look(void *arg, int status, int fd, unsigned events)
{
    struct sight *seen = arg;

    if (status == WEIR_ECANCELED)
        return;
    expect_status(status, 0);
    *seen = (struct sight){seen->calls + 1, fd, events};
}

static void open_pair(int type, int ends[2])
{
    expect_int(
        socketpair(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
}

static void open_pipe(int ends[2])
{
    expect_int(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
}

/* ---- ready ---- */

PLACE_CASE(fd_that_is_ready_is_called_once_a_turn_until_it_is_not)
{
    int fd = event_open(0);

    loop_make(NULL);
    watch(fd, WEIR_FD_READABLE, "ready");
    expect_recorded("");
    event_fill(fd);
    loop_turns(3);
    expect_recorded("ready ready ready");
    event_drain(fd);
    loop_turns(3);
    expect_recorded("");
    event_fill(fd);
    loop_turns(1);
    expect_recorded("ready");
    unwatch(fd);
    loop_end();
}

/* Its first event may come in the turn in which it was added. */
PLACE_CASE(fd_that_is_ready_when_it_is_added_is_called)
{
    loop_make(NULL);
    watch(event_open(1), WEIR_FD_READABLE, "ready");
    expect_recorded("ready");
    expect_status(weir_loop_close(loop, -1), 0);
    expect_recorded("ready!");
}

PLACE_CASE(fd_gets_what_it_asked_for_in_one_call)
{
    int ends[2];

    loop_make(NULL);
    open_pair(SOCK_STREAM, ends);
    expect_status(
        try_add(ends[0], WEIR_FD_READABLE | WEIR_FD_WRITABLE, look, &sight), 0);
    expect_int(sight.calls, 1);
    expect_int(sight.fd, ends[0]);
    expect_int(sight.events, WEIR_FD_WRITABLE);
    expect_int(write(ends[1], "x", 1), 1);
    loop_turns(1);
    expect_int(sight.calls, 2);
    expect_int(sight.events, WEIR_FD_READABLE | WEIR_FD_WRITABLE);
    close(ends[1]);
    loop_turns(1);
    expect_int(sight.calls, 3);
    expect_int(sight.events,
               WEIR_FD_READABLE | WEIR_FD_WRITABLE | WEIR_FD_HANGUP);
    unwatch(ends[0]);
    loop_end();
}

PLACE_CASE(fd_does_not_get_what_it_did_not_ask_for)
{
    int ends[2];

    loop_make(NULL);
    open_pair(SOCK_STREAM, ends);
    expect_int(write(ends[1], "x", 1), 1);
    expect_status(try_add(ends[0], 0, look, &sight), 0);
    loop_turns(2);
    expect_int(sight.calls, 0);
    watch_for(ends[0], WEIR_FD_PRIORITY);
    loop_turns(2);
    expect_int(sight.calls, 0);
    watch_for(ends[0], WEIR_FD_READABLE);
    expect_int(sight.events, WEIR_FD_READABLE);
    watch_for(ends[0], WEIR_FD_WRITABLE);
    expect_int(sight.events, WEIR_FD_WRITABLE);
    unwatch(ends[0]);
    loop_end();
}

PLACE_CASE(fd_gets_a_hang_up_without_asking)
{
    int ends[2];

    loop_make(NULL);
    open_pipe(ends);
    expect_status(try_add(ends[0], 0, look, &sight), 0);
    expect_int(sight.calls, 0);
    close(ends[1]);
    loop_turns(2);
    expect_int(sight.calls, 2);
    expect_int(sight.events, WEIR_FD_HANGUP);
    unwatch(ends[0]);
    loop_end();
}

PLACE_CASE(fd_gets_an_error_without_asking)
{
    int ends[2];

    loop_make(NULL);
    open_pipe(ends);
    expect_status(try_add(ends[1], 0, look, &sight), 0);
    expect_int(sight.calls, 0);
    close(ends[0]);
    loop_turns(2);
    expect_int(sight.calls, 2);
    expect_int(sight.events, WEIR_FD_ERROR);
    unwatch(ends[1]);
    loop_end();
}

/* The other end has said that nothing more comes, and that is no event of
 * writing. */
PLACE_CASE(fd_half_closed_is_a_hang_up_for_readers)
{
    int ends[2];

    loop_make(NULL);
    open_pair(SOCK_STREAM, ends);
    expect_status(try_add(ends[0], WEIR_FD_WRITABLE, look, &sight), 0);
    expect_int(shutdown(ends[1], SHUT_WR), 0);
    loop_turns(1);
    expect_int(sight.events, WEIR_FD_WRITABLE);
    watch_for(ends[0], WEIR_FD_READABLE);
    expect_int(sight.events, WEIR_FD_READABLE | WEIR_FD_HANGUP);
    unwatch(ends[0]);
    loop_end();
}

/* More than fit into one look at the poller. */
enum { CROWD = 2 * WEIR__POLLER_BATCH + 3 };

PLACE_CASE(fd_in_a_crowd_has_its_turn)
{
    static struct sight sights[CROWD];
    unsigned most = 0;

    loop_make(NULL);
    for (int i = 0; i < CROWD; i++)
        watch_now(event_open(1), WEIR_FD_READABLE, look, &sights[i]);
    loop_turns(20 * CROWD / WEIR__POLLER_BATCH);
    for (int i = 0; i < CROWD; i++)
        if (sights[i].calls > most)
            most = sights[i].calls;
    for (int i = 0; i < CROWD; i++)
        expect(2 * sights[i].calls >= most);
    expect_status(weir_loop_close(loop, -1), 0);
}

/* ---- once, and at the edge ---- */

PLACE_CASE(fd_of_one_shot_is_called_once_until_it_is_modified)
{
    int fd = event_open(1);

    loop_make(NULL);
    watch(fd, WEIR_FD_READABLE | WEIR_FD_ONESHOT, "shot");
    loop_turns(3);
    expect_recorded("shot");
    for (int i = 0; i < 3; i++) {
        watch_for(fd, WEIR_FD_READABLE | WEIR_FD_ONESHOT);
        loop_turns(3);
        expect_recorded("shot");
    }
    watch_for(fd, WEIR_FD_READABLE);
    loop_turns(2);
    expect_recorded("shot shot shot");
    unwatch(fd);
    loop_end();
}

PLACE_CASE(fd_of_one_shot_waits_for_its_shot)
{
    int fd = event_open(0);

    loop_make(NULL);
    watch(fd, WEIR_FD_READABLE | WEIR_FD_ONESHOT, "shot");
    loop_turns(2);
    expect_recorded("");
    event_fill(fd);
    loop_turns(2);
    expect_recorded("shot");
    unwatch(fd);
    loop_end();
}

/* Silence means that the hang-up is not told either. */
PLACE_CASE(fd_of_one_shot_is_silent_about_a_hang_up_after_it)
{
    int ends[2];

    loop_make(NULL);
    open_pair(SOCK_STREAM, ends);
    watch(ends[0], WEIR_FD_WRITABLE | WEIR_FD_ONESHOT, "shot");
    expect_recorded("shot");
    close(ends[1]);
    loop_turns(3);
    expect_recorded("");
    watch_for(ends[0], WEIR_FD_ONESHOT);
    loop_turns(3);
    expect_recorded("shot");
    unwatch(ends[0]);
    loop_end();
}

static void rearm(void *word, int status, int fd, unsigned events)
{
    record_fd(word, status, fd, events);
    if (status == 0)
        expect_status(
            weir_fd_modify(loop, fd, WEIR_FD_READABLE | WEIR_FD_ONESHOT), 0);
}

CASE(fd_of_one_shot_can_be_armed_again_by_its_callback)
{
    loop_make(NULL);
    watch_now(event_open(1), WEIR_FD_READABLE | WEIR_FD_ONESHOT, rearm, "shot");
    for (int i = 0; i < 5; i++) {
        loop_turns(1);
        expect_recorded("shot");
    }
    expect_status(weir_loop_close(loop, -1), 0);
}

static void leave(void *word, int status, int fd, unsigned events)
{
    record_fd(word, status, fd, events);
    expect_status(weir_fd_remove(loop, fd, NULL, NULL), 0);
}

/* A spin takes the event from the kernel, which reports it only once. */
CASE(fd_of_one_shot_is_called_by_a_loop_that_spins)
{
    loop_make(LOOP_OPTIONS(.spin_ns = SECOND_NS));
    watch_now(event_open(1), WEIR_FD_READABLE | WEIR_FD_ONESHOT, leave, "shot");
    loop_run();
    expect_recorded("shot");
    loop_end();
}

#ifdef WEIR_POLLER_POLL
/* covers: weir_fd_add -ENOTSUP */
/* covers: weir_fd_modify -ENOTSUP */
PLACE_CASE(fd_at_the_edge_is_refused)
{
    int fd = event_open(1);

    loop_make(NULL);
    expect_status(
        try_add(fd, WEIR_FD_READABLE | WEIR_FD_EDGE, record_fd, "edge"),
        -ENOTSUP);
    expect_recorded("");
    watch(fd, WEIR_FD_READABLE, "level");
    expect_recorded("level");
    expect_status(try_modify(fd, WEIR_FD_READABLE | WEIR_FD_EDGE), -ENOTSUP);
    expect_recorded("level");
    unwatch(fd);
    loop_end();
}
#else
PLACE_CASE(fd_at_the_edge_is_called_when_it_becomes_ready)
{
    int fd = event_open(1);

    loop_make(NULL);
    watch(fd, WEIR_FD_READABLE | WEIR_FD_EDGE, "edge");
    loop_turns(3);
    expect_recorded("edge");
    event_fill(fd);
    loop_turns(3);
    expect_recorded("edge");
    watch_for(fd, WEIR_FD_READABLE);
    loop_turns(1);
    expect_recorded("edge edge");
    unwatch(fd);
    loop_end();
}
#endif

/* ---- two that are ready at the same time ---- */

/* Whoever is called first does something about the other.  Both are in one
 * batch: they are added before the first look. */
static struct twin {
    int fd;
    struct twin *other;
} twins[2];

static void ignore_uncaught(void *arg, weir_loop *raised,
                            const weir_uncaught *what)
{
    expect_int(what->kind, WEIR_KIND_FD);
}

static void begin_twins_for(unsigned events, weir_fd_fn *first)
{
    loop_make(LOOP_OPTIONS(.on_uncaught = ignore_uncaught));
    for (int i = 0; i < 2; i++) {
        twins[i] = (struct twin){event_open(1), &twins[!i]};
        watch_now(twins[i].fd, events, first, &twins[i]);
    }
    loop_turns(1);
}

static void begin_twins(weir_fd_fn *first)
{
    begin_twins_for(WEIR_FD_READABLE, first);
}

static void remove_other(void *arg, int status, int fd, unsigned events)
{
    struct twin *twin = arg;

    record("twin", status);
    if (status == 0)
        expect_status(weir_fd_remove(loop, twin->other->fd, record, "removed"),
                      0);
}

CASE(fd_removed_by_another_callback_is_not_called_any_more)
{
    begin_twins(remove_other);
    expect_recorded("twin removed");
    expect_status(weir_loop_close(loop, -1), 0);
    expect_recorded("twin!");
}

static void replace_other(void *arg, int status, int fd, unsigned events)
{
    struct twin *twin = arg;
    int other = twin->other->fd;

    record("old", status);
    if (status != 0)
        return;
    expect_status(weir_fd_remove(loop, other, NULL, NULL), 0);
    watch_now(other, WEIR_FD_READABLE, record_fd, "new");
    expect_status(weir_fd_remove(loop, twin->fd, NULL, NULL), 0);
}

/* libevent #512 and others: a stale event hits a new registration. */
CASE(fd_added_under_a_number_that_was_ready_does_not_get_the_old_event)
{
    begin_twins(replace_other);
    expect_recorded("old");
    loop_turns(1);
    expect_recorded("new");
    expect_status(weir_loop_close(loop, -1), 0);
}

/* The number belongs to another file, which is not ready. */
static void reopen_other(void *arg, int status, int fd, unsigned events)
{
    struct twin *twin = arg;
    int other = twin->other->fd, fresh;

    record("old", status);
    if (status != 0)
        return;
    expect_status(weir_fd_remove(loop, other, NULL, NULL), 0);
    close(other);
    fresh = event_open(0);
    expect_int(fresh, other);
    watch_now(fresh, WEIR_FD_READABLE, record_fd, "new");
    expect_status(weir_fd_remove(loop, twin->fd, NULL, NULL), 0);
}

CASE(fd_of_a_new_file_does_not_get_the_event_of_its_numbers_old_one)
{
    begin_twins(reopen_other);
    loop_turns(2);
    expect_recorded("old");
    expect_status(weir_loop_close(loop, -1), 0);
    expect_recorded("new!");
}

/* An eventfd is always writable: what was seen is READABLE, what it is asked
 * for by the time of the call is WRITABLE. */
static void turn_other(void *arg, int status, int fd, unsigned events)
{
    struct twin *twin = arg;

    if (status != 0)
        return;
    if (sight.calls++ == 0) {
        expect_int(events, WEIR_FD_READABLE);
        expect_status(weir_fd_modify(loop, twin->other->fd, WEIR_FD_WRITABLE),
                      0);
        expect_status(weir_fd_modify(loop, twin->fd, 0), 0);
    } else {
        expect_int(events, WEIR_FD_WRITABLE);
    }
}

CASE(fd_events_are_filtered_by_what_is_asked_for_at_that_moment)
{
    begin_twins(turn_other);
    expect_int(sight.calls, 1);
    loop_turns(1);
    expect_int(sight.calls, 2);
    expect_status(weir_loop_close(loop, -1), 0);
}

static void raise_now(void *arg, int status, int fd, unsigned events)
{
    record_fd("twin", status, fd, events);
    if (status == 0)
        weir_raise(-EIO, "a callback that fails");
}

CASE(fd_callback_that_raises_does_not_stop_the_others)
{
    begin_twins(raise_now);
    expect_recorded("twin twin");
    loop_turns(1);
    expect_recorded("twin twin");
    expect_status(weir_loop_close(loop, -1), 0);
    expect_recorded("twin! twin!");
}

/* One shot that is armed again while it is on its way is still one shot. */
static void arm_other(void *arg, int status, int fd, unsigned events)
{
    struct twin *twin = arg;

    record(fd == twins[0].fd ? "first" : "second", status);
    if (status == 0 && sight.calls++ == 0)
        expect_status(weir_fd_modify(loop, twin->other->fd,
                                     WEIR_FD_READABLE | WEIR_FD_ONESHOT),
                      0);
}

CASE(fd_of_one_shot_that_is_armed_before_its_shot_is_called_once)
{
    begin_twins_for(WEIR_FD_READABLE | WEIR_FD_ONESHOT, arm_other);
    loop_turns(3);
    expect_recorded("first second");
    expect_status(weir_loop_close(loop, -1), 0);
}

/* ---- remove ---- */

PLACE_CASE(fd_removal_is_told_in_the_close_phase)
{
    int fd = event_open(1);

    loop_make(NULL);
    watch(fd, WEIR_FD_READABLE, "ready");
    expect_recorded("ready");
    loop_immediate("immediate");
    loop_submit("task");
    expect_status(try_remove(fd, record, "removed"), 0);
    expect_recorded("task immediate removed");
    loop_turns(3);
    expect_recorded("");
    loop_end();
    expect_recorded("");
}

static void remove_itself(void *word, int status, int fd, unsigned events)
{
    record_fd(word, status, fd, events);
    expect_status(weir_fd_remove(loop, fd, record, "removed"), 0);
    expect_status(weir_fd_remove(loop, fd, record, "again"), -ENOENT);
    note("returns");
}

CASE(fd_callback_can_remove_its_own_descriptor)
{
    loop_make(NULL);
    watch_now(event_open(1), WEIR_FD_READABLE, remove_itself, "ready");
    loop_run();
    expect_recorded("ready returns removed");
    loop_end();
}

static void replace_itself(void *word, int status, int fd, unsigned events)
{
    record_fd(word, status, fd, events);
    expect_status(weir_fd_remove(loop, fd, record, "removed"), 0);
    watch_now(fd, WEIR_FD_READABLE, record_fd, "new");
}

CASE(fd_callback_can_replace_its_own_registration)
{
    loop_make(NULL);
    watch_now(event_open(1), WEIR_FD_READABLE, replace_itself, "old");
    loop_turns(1);
    expect_recorded("old removed");
    loop_turns(1);
    expect_recorded("new");
    expect_status(weir_loop_close(loop, -1), 0);
    expect_recorded("new!");
}

static void close_descriptor(void *arg, int status)
{
    int *fd = arg;

    expect_status(status, 0);
    expect_int(close(*fd), 0);
    note("closed");
}

PLACE_CASE(fd_can_be_closed_when_its_removal_is_told)
{
    int fd = event_open(1);

    loop_make(NULL);
    watch(fd, WEIR_FD_READABLE, "ready");
    expect_status(try_remove(fd, close_descriptor, &fd), 0);
    loop_turns(2);
    expect_recorded("ready closed");
    loop_end();
}

PLACE_CASE(fd_can_be_added_and_removed_again_and_again)
{
    int fd = event_open(1);

    loop_make(NULL);
    for (int i = 0; i < 100; i++) {
        watch(fd, WEIR_FD_READABLE, "ready");
        expect_recorded("ready");
        expect_status(try_remove(fd, record, "removed"), 0);
        expect_recorded("removed");
    }
    loop_end();
}
