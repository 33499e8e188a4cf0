/* SPDX-License-Identifier: MIT */
/*
 * fd -- numbers that are closed, high, nobody's or somebody else's; and what
 * cannot be watched.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <unistd.h>

#include "loop/loop.h"
#include "support/failing_allocator.h"
#include "support/fd_fixture.h"

/* ---- closed before it was removed ---- */

PLACE_CASE(fd_that_was_closed_first_can_be_removed)
{
    int fd = event_open(1);

    loop_make(NULL);
    watch(fd, WEIR_FD_READABLE, "ready");
    expect_recorded("ready");
    close(fd);
    loop_turns(2);
    expect_recorded("");
    expect_status(try_remove(fd, record, "removed"), 0);
    expect_recorded("removed");
    loop_end();
}

PLACE_CASE(fd_that_was_closed_and_never_removed_is_told_at_the_end)
{
    int fd = event_open(1);

    loop_make(NULL);
    watch(fd, WEIR_FD_READABLE, "ready");
    close(fd);
    take_record();
    loop_end();
    expect_recorded("ready!");
}

/* covers: weir_fd_modify -EBADF */
PLACE_CASE(fd_that_was_closed_cannot_be_modified)
{
    int fd = event_open(0);

    loop_make(NULL);
    watch(fd, WEIR_FD_READABLE, "ready");
    close(fd);
    expect_status(try_modify(fd, WEIR_FD_WRITABLE), -EBADF);
    unwatch(fd);
    expect_recorded("");
    loop_end();
}

#ifndef WEIR_POLLER_POLL
/* The kernel knows files, not numbers; poll(2) could not tell. */
/* covers: weir_fd_modify -EBADF */
PLACE_CASE(fd_that_was_closed_cannot_be_modified_as_another_file)
{
    int fd = event_open(0);

    loop_make(NULL);
    watch(fd, WEIR_FD_READABLE, "ready");
    close(fd);
    expect_int(event_open(1), fd);
    expect_status(try_modify(fd, WEIR_FD_READABLE), -EBADF);
    loop_turns(1);
    unwatch(fd);
    expect_recorded("");
    loop_end();
}
#endif

/* covers: weir_fd_add -EEXIST */
PLACE_CASE(fd_number_of_a_closed_one_is_taken_until_it_is_removed)
{
    int fd = event_open(0);

    loop_make(NULL);
    watch(fd, WEIR_FD_READABLE, "old");
    close(fd);
    loop_turns(1);
    expect_int(event_open(1), fd);
    expect_status(try_add(fd, WEIR_FD_READABLE, record_fd, "new"), -EEXIST);
    unwatch(fd);
    watch(fd, WEIR_FD_READABLE, "new");
    expect_recorded("new");
    unwatch(fd);
    loop_end();
}

/* ---- numbers ---- */

PLACE_CASE(fd_zero_is_a_descriptor)
{
    int fd = event_open(1);

    loop_make(NULL);
    expect_int(dup2(fd, 0), 0);
    watch(0, WEIR_FD_READABLE, "zero");
    expect_recorded("zero");
    watch_for(0, WEIR_FD_WRITABLE);
    expect_recorded("zero");
    unwatch(0);
    event_drain(fd);
    watch(0, WEIR_FD_READABLE, "zero");
    take_record();
    loop_end();
    expect_recorded("zero!");
}

static int highest(void)
{
    struct rlimit limit;

    expect_int(getrlimit(RLIMIT_NOFILE, &limit), 0);
    return (int)(limit.rlim_cur < 60000 ? limit.rlim_cur : 60000) - 1;
}

PLACE_CASE(fd_numbers_may_be_sparse)
{
    int fd = event_open(1), high = highest();

    loop_make(NULL);
    expect_int(dup2(fd, high), high);
    expect_int(dup2(fd, high / 2), high / 2);
    watch(high, WEIR_FD_READABLE, "high");
    expect_recorded("high");
    watch(high / 2, WEIR_FD_READABLE, "half");
    expect_status(try_modify(high / 2 + 1, WEIR_FD_READABLE), -ENOENT);
    unwatch(high);
    take_record();
    loop_turns(1);
    expect_recorded("half");
    event_drain(fd);
    loop_end();
    expect_recorded("half!");
}

/* ---- bad input ---- */

static void expect_add_refused(int fd, unsigned events, weir_fd_fn *fn,
                               int error)
{
    expect_status(try_add(fd, events, fn, "ready"), error);
    loop_turns(1);
    expect_recorded("");
}

/* covers: weir_fd_add -EINVAL */
PLACE_CASE(fd_add_with_bad_arguments_is_refused)
{
    int fd = event_open(1);

    loop_make(NULL);
    expect_add_refused(fd, WEIR_FD_READABLE, NULL, -EINVAL);
    expect_add_refused(fd, WEIR_FD_READABLE | 1 << 7, record_fd, -EINVAL);
    expect_add_refused(fd, 1 << 8, record_fd, -EINVAL);
    expect_add_refused(fd, UINT_MAX, record_fd, -EINVAL);
    loop_end();
}

/* covers: weir_fd_add -EBADF */
PLACE_CASE(fd_add_of_what_is_not_open_is_refused)
{
    int fd = event_open(1);

    loop_make(LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS));
    close(fd);
    expect_add_refused(fd, WEIR_FD_READABLE, record_fd, -EBADF);
    expect_add_refused(-1, WEIR_FD_READABLE, record_fd, -EBADF);
    expect_add_refused(INT_MIN, WEIR_FD_READABLE, record_fd, -EBADF);
    expect_add_refused(INT_MAX, WEIR_FD_READABLE, record_fd, -EBADF);
    expect_int(event_open(1), fd);
    watch(fd, WEIR_FD_READABLE, "ready");
    expect_recorded("ready");
    unwatch(fd);
    loop_end();
}

/* The loop opens descriptors of its own for its first one.  They must not be
 * taken for it. */
PLACE_CASE(fd_add_of_a_number_that_the_loop_itself_would_take_is_refused)
{
    int first = event_open(1), second = event_open(1);

    loop_make(NULL);
    close(first);
    close(second);
    expect_add_refused(first, WEIR_FD_READABLE, record_fd, -EBADF);
    expect_add_refused(second, WEIR_FD_READABLE, record_fd, -EBADF);
    loop_end();
}

/* A number that is only garbage must not cost a table that reaches to it. */
CASE(fd_add_of_what_is_not_open_costs_no_memory)
{
    struct failing_allocator memory;
    uint64_t before;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    loop_make(LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS));
    before = memory.live_bytes;
    expect_status(weir_fd_add(loop, INT_MAX, WEIR_FD_READABLE, record_fd, "x"),
                  -EBADF);
    expect(memory.live_bytes - before < 100000);
    loop_end();
    expect_int(memory.live, 0);
}

/* covers: weir_fd_add -EPERM */
PLACE_CASE(fd_add_of_a_regular_file_is_refused)
{
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    int directory = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    loop_make(NULL);
    expect(file >= 0 && directory >= 0);
    expect_add_refused(file, WEIR_FD_READABLE, record_fd, -EPERM);
    expect_add_refused(directory, WEIR_FD_READABLE, record_fd, -EPERM);
    expect_status(try_remove(file, NULL, NULL), -ENOENT);
    loop_end();
}

/* covers: weir_fd_add -EEXIST */
PLACE_CASE(fd_add_of_one_that_is_watched_is_refused)
{
    int fd = event_open(0);

    loop_make(NULL);
    watch(fd, WEIR_FD_READABLE, "first");
    expect_status(try_add(fd, WEIR_FD_WRITABLE, record_fd, "second"), -EEXIST);
    loop_turns(1);
    expect_recorded("");
    event_fill(fd);
    loop_turns(1);
    expect_recorded("first");
    unwatch(fd);
    loop_end();
}

/* covers: weir_fd_add WEIR_ENOFDS */
PLACE_CASE(fd_add_to_a_loop_without_descriptors_is_refused)
{
    int fd = event_open(1);

    loop_make(LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_NEVER));
    expect_add_refused(fd, WEIR_FD_READABLE, record_fd, WEIR_ENOFDS);
    expect_status(weir_loop_set_fd_mode(loop, WEIR_FD_MODE_AUTO), 0);
    watch(fd, WEIR_FD_READABLE, "ready");
    expect_recorded("ready");
    unwatch(fd);
    loop_end();
}

/* As if millions were watched. */
/* covers: weir_fd_add -ENOSPC */
PLACE_CASE(fd_add_without_a_slot_left_is_refused)
{
    int fd = event_open(1);
    uint32_t limit;

    loop_make(NULL);
    limit = load_relaxed(&loop->fds.slots.limit); /* relaxed: unshared */
    set_unshared(&loop->fds.slots.limit,
                 ((uint32_t)WEIR__SLAB_GROUP << WEIR__SLAB_BLOCKS) -
                     WEIR__SLAB_GROUP);
    expect_status(try_add(fd, WEIR_FD_READABLE, record_fd, "ready"), -ENOSPC);
    expect_recorded("");
    set_unshared(&loop->fds.slots.limit, limit);
    watch(fd, WEIR_FD_READABLE, "ready");
    expect_recorded("ready");
    unwatch(fd);
    loop_end();
}

/* covers: weir_fd_modify -EINVAL */
PLACE_CASE(fd_modify_with_unknown_events_keeps_the_old_ones)
{
    int fd = event_open(1);

    loop_make(NULL);
    watch(fd, WEIR_FD_READABLE, "ready");
    expect_status(try_modify(fd, 1 << 7), -EINVAL);
    expect_status(try_modify(fd, UINT_MAX), -EINVAL);
    take_record();
    loop_turns(1);
    expect_recorded("ready");
    event_drain(fd);
    loop_turns(1);
    expect_recorded("");
    unwatch(fd);
    loop_end();
}

/* covers: weir_fd_modify -ENOENT */
/* covers: weir_fd_remove -ENOENT */
/* covers: weir_fd_ref -ENOENT */
/* covers: weir_fd_unref -ENOENT */
/* covers: weir_fd_set_name -ENOENT */
static void expect_unknown(int fd)
{
    expect_status(try_modify(fd, WEIR_FD_READABLE), -ENOENT);
    expect_status(try_remove(fd, record, "removed"), -ENOENT);
    expect_status(try_ref(fd), -ENOENT);
    expect_status(try_unref(fd), -ENOENT);
    expect_status(weir_fd_set_name(loop, fd, "nobody"), -ENOENT);
    loop_turns(1);
    expect_recorded("");
}

PLACE_CASE(fd_that_is_not_watched_is_unknown)
{
    int fd = event_open(1);

    loop_make(NULL);
    for (int i = 0; i < 2; i++) {
        expect_unknown(fd);
        expect_unknown(fd + 1);
        expect_unknown(-1);
        expect_unknown(INT_MIN);
        expect_unknown(INT_MAX);
        watch(fd, WEIR_FD_READABLE, "ready");
        unwatch(fd);
        expect_recorded("ready");
    }
    loop_end();
}

CASE(fd_calls_without_a_loop_are_refused)
{
    int fd = event_open(1);

    expect_status(weir_fd_add(NULL, fd, WEIR_FD_READABLE, record_fd, "ready"),
                  -EINVAL);
    expect_status(weir_fd_modify(NULL, fd, WEIR_FD_READABLE), -EINVAL);
    expect_status(weir_fd_remove(NULL, fd, NULL, NULL), -EINVAL);
    expect_status(weir_fd_ref(NULL, fd), -EINVAL);
    expect_status(weir_fd_unref(NULL, fd), -EINVAL);
    expect_status(weir_fd_set_name(NULL, fd, "name"), -EINVAL);
}
