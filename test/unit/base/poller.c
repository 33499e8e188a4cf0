/* SPDX-License-Identifier: MIT */
/*
 * poller -- both implementations keep the one contract.
 */
#include "base/poller.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/poller_fixture.h"
#include "support/suite.h"

struct ends {
    int near, far;
};

static struct ends open_sockets(void)
{
    int fds[2];

    expect_int(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    return (struct ends){fds[0], fds[1]};
}

/* --- what is reported ---------------------------------------------------- */

CASE(poller_without_descriptors_finds_nothing)
{
    begin();
    expect_silence();
    end();
}

CASE(poller_reports_what_is_readable)
{
    int fd = open_event(0);

    begin();
    add(fd, WEIR_FD_READABLE, 7);
    expect_silence();
    fill(fd);
    expect_event(NEVER, 7, WEIR_FD_READABLE);
    drain(fd);
    expect_silence();
    end();
}

CASE(poller_reports_what_is_writable)
{
    int fd = open_event(1);

    begin();
    add(fd, WEIR_FD_WRITABLE, 7);
    expect_event(NEVER, 7, WEIR_FD_WRITABLE);
    modify(fd, WEIR_FD_READABLE | WEIR_FD_WRITABLE, 7);
    expect_event(NEVER, 7, WEIR_FD_READABLE | WEIR_FD_WRITABLE);
    end();
}

CASE(poller_reports_only_what_was_asked_for)
{
    int fd = open_event(1);

    begin();
    add(fd, WEIR_FD_PRIORITY, 7);
    expect_silence();
    modify(fd, 0, 7);
    expect_silence();
    end();
}

CASE(poller_reports_the_token_to_its_last_bit)
{
    int fd = open_event(1);

    begin();
    add(fd, WEIR_FD_READABLE, UINT64_MAX);
    expect_event(NEVER, UINT64_MAX, WEIR_FD_READABLE);
    modify(fd, WEIR_FD_READABLE, UINT64_C(1) << 63 | 1);
    expect_event(NEVER, UINT64_C(1) << 63 | 1, WEIR_FD_READABLE);
    end();
}

CASE(poller_reports_urgent_data_as_priority)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM, 0), near, far;

    expect(listener >= 0);
    if (listen(listener, 1) != 0)
        skip_case("no TCP on this machine");
    expect_int(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    near = socket(AF_INET, SOCK_STREAM, 0);
    expect(near >= 0);
    if (connect(near, (struct sockaddr *)&address, size) != 0)
        skip_case("no TCP on this machine");
    far = accept(listener, NULL, NULL);
    expect(far >= 0);
    begin();
    add(far, WEIR_FD_PRIORITY, 7);
    expect_silence();
    expect_int(send(near, "!", 1, MSG_OOB), 1);
    expect_event(NEVER, 7, WEIR_FD_PRIORITY);
    end();
}

CASE(poller_reports_hangup_of_a_closed_pipe_without_being_asked)
{
    int fds[2];

    expect_int(pipe(fds), 0);
    begin();
    add(fds[0], 0, 7);
    expect_silence();
    close(fds[1]);
    expect_event(NEVER, 7, WEIR_FD_HANGUP);
    end();
}

CASE(poller_reports_hangup_to_readers_of_a_half_closed_socket)
{
    struct ends ends = open_sockets();

    begin();
    add(ends.near, WEIR_FD_READABLE, 7);
    expect_int(shutdown(ends.far, SHUT_WR), 0);
    expect_event(NEVER, 7, WEIR_FD_READABLE | WEIR_FD_HANGUP);
    end();
}

CASE(poller_reports_error_to_the_writer_of_a_pipe_without_readers)
{
    int fds[2];

    expect_int(pipe(fds), 0);
    begin();
    add(fds[1], 0, 7);
    expect_silence();
    close(fds[0]);
    expect_event(NEVER, 7, WEIR_FD_ERROR);
    end();
}

CASE(poller_repeats_what_stays_ready)
{
    int fd = open_event(1);

    begin();
    add(fd, WEIR_FD_READABLE, 7);
    for (int i = 0; i < 3; i++)
        expect_event(AT_ONCE, 7, WEIR_FD_READABLE);
    end();
}

CASE(poller_oneshot_is_silent_until_modified)
{
    int fd = open_event(1);

    begin();
    add(fd, WEIR_FD_READABLE | WEIR_FD_ONESHOT, 7);
    expect_event(NEVER, 7, WEIR_FD_READABLE);
    expect_silence();
    fill(fd);
    expect_silence();
    modify(fd, WEIR_FD_READABLE | WEIR_FD_ONESHOT, 8);
    expect_event(NEVER, 8, WEIR_FD_READABLE);
    expect_silence();
    modify(fd, WEIR_FD_READABLE, 9);
    for (int i = 0; i < 3; i++)
        expect_event(AT_ONCE, 9, WEIR_FD_READABLE);
    end();
}

CASE(poller_oneshot_stays_silent_when_others_come_and_go)
{
    int fd = open_event(1), other = open_event(0);

    begin();
    add(fd, WEIR_FD_READABLE | WEIR_FD_ONESHOT, 7);
    expect_event(NEVER, 7, WEIR_FD_READABLE);
    add(other, WEIR_FD_READABLE, 8);
    expect_silence();
    weir__poller_remove(poller, other);
    expect_silence();
    end();
}

CASE(poller_oneshot_silences_hangups_too)
{
    struct ends ends = open_sockets();

    begin();
    fill(ends.far);
    add(ends.near, WEIR_FD_READABLE | WEIR_FD_ONESHOT, 7);
    expect_event(NEVER, 7, WEIR_FD_READABLE);
    close(ends.far);
    expect_silence();
    modify(ends.near, WEIR_FD_READABLE | WEIR_FD_ONESHOT, 7);
    expect_event(NEVER, 7, WEIR_FD_READABLE | WEIR_FD_HANGUP);
    end();
}

#ifdef WEIR_POLLER_POLL
CASE(poller_edge_is_refused_and_changes_nothing)
{
    int fd = open_event(1);

    begin();
    expect_status(
        weir__poller_add(poller, fd, WEIR_FD_READABLE | WEIR_FD_EDGE, 7),
        -ENOTSUP);
    expect_silence();
    add(fd, WEIR_FD_READABLE, 7);
    expect_status(
        weir__poller_modify(poller, fd, WEIR_FD_WRITABLE | WEIR_FD_EDGE, 8),
        -ENOTSUP);
    expect_event(NEVER, 7, WEIR_FD_READABLE);
    end();
}
#else
CASE(poller_edge_reports_only_what_becomes_ready)
{
    int fd = open_event(1);

    begin();
    add(fd, WEIR_FD_READABLE | WEIR_FD_EDGE, 7);
    expect_event(NEVER, 7, WEIR_FD_READABLE);
    expect_silence();
    fill(fd);
    expect_event(NEVER, 7, WEIR_FD_READABLE);
    expect_silence();
    end();
}
#endif

/* --- the table ----------------------------------------------------------- */

CASE(poller_add_of_what_is_there_is_refused)
{
    int fd = open_event(1);

    begin();
    add(fd, WEIR_FD_READABLE, 7);
    expect_status(weir__poller_add(poller, fd, WEIR_FD_WRITABLE, 8), -EEXIST);
    expect_event(NEVER, 7, WEIR_FD_READABLE);
    end();
}

CASE(poller_add_of_what_is_no_descriptor_is_refused)
{
    int fd = open_event(0);

    begin();
    close(fd);
    expect_status(weir__poller_add(poller, fd, WEIR_FD_READABLE, 7), -EBADF);
    expect_status(weir__poller_add(poller, -1, WEIR_FD_READABLE, 7), -EBADF);
    expect_silence();
    end();
}

CASE(poller_add_of_a_regular_file_is_refused)
{
    int file = open("/proc/self/exe", O_RDONLY);
    int directory = open("/", O_RDONLY);

    expect(file >= 0 && directory >= 0);
    begin();
    expect_status(weir__poller_add(poller, file, WEIR_FD_READABLE, 7), -EPERM);
    expect_status(weir__poller_add(poller, directory, WEIR_FD_READABLE, 7),
                  -EPERM);
    expect_silence();
    end();
}

CASE(poller_modify_of_a_stranger_is_refused)
{
    int fd = open_event(1);

    begin();
    expect_status(weir__poller_modify(poller, fd, WEIR_FD_READABLE, 7),
                  -ENOENT);
    expect_silence();
    end();
}

CASE(poller_modify_of_a_closed_descriptor_is_refused)
{
    int fd = open_event(1);

    begin();
    add(fd, WEIR_FD_READABLE, 7);
    close(fd);
    expect_status(weir__poller_modify(poller, fd, WEIR_FD_READABLE, 7), -EBADF);
    end();
}

CASE(poller_removed_descriptor_is_silent_and_can_be_added_again)
{
    int fd = open_event(1);

    begin();
    add(fd, WEIR_FD_READABLE, 7);
    weir__poller_remove(poller, fd);
    expect_silence();
    add(fd, WEIR_FD_READABLE, 8);
    expect_event(NEVER, 8, WEIR_FD_READABLE);
    end();
}

CASE(poller_remove_of_a_stranger_does_nothing)
{
    int fd = open_event(1), file = open("/proc/self/exe", O_RDONLY);

    begin();
    add(fd, WEIR_FD_READABLE, 7);
    weir__poller_remove(poller, file);
    weir__poller_remove(poller, -1);
    expect_event(NEVER, 7, WEIR_FD_READABLE);
    end();
}

CASE(poller_forgets_a_descriptor_that_was_closed)
{
    int fd = open_event(1), other = open_event(1);

    begin();
    add(fd, WEIR_FD_READABLE, 7);
    add(other, WEIR_FD_READABLE, 8);
    close(fd);
    expect_event(NEVER, 8, WEIR_FD_READABLE);
    drain(other);
    expect_int(
        weir__poller_wait(poller, events, weir__clock_real() + MILLISECOND_NS),
        0);
    weir__poller_remove(poller, fd);
    expect_int(dup2(other, fd), fd);
    fill(other);
    expect_event(NEVER, 8, WEIR_FD_READABLE);
    drain(other);
    add(fd, WEIR_FD_WRITABLE, 9);
    expect_event(NEVER, 9, WEIR_FD_WRITABLE);
    end();
}

CASE(poller_remove_survives_a_descriptor_that_was_closed)
{
    int fd = open_event(1);

    begin();
    add(fd, WEIR_FD_READABLE, 7);
    close(fd);
    weir__poller_remove(poller, fd);
    expect_silence();
    end();
}

CASE(poller_watches_descriptor_zero)
{
    int fd = open_event(1);

    expect_int(dup2(fd, 0), 0);
    close(fd);
    begin();
    add(0, WEIR_FD_READABLE | WEIR_FD_ONESHOT, 7);
    expect_event(NEVER, 7, WEIR_FD_READABLE);
    expect_silence();
    modify(0, WEIR_FD_READABLE, 8);
    expect_event(NEVER, 8, WEIR_FD_READABLE);
    weir__poller_remove(poller, 0);
    expect_silence();
    end();
}

/* As high as the limit allows. */
static int move_up(int fd)
{
    struct rlimit limit;
    int high;

    expect_int(getrlimit(RLIMIT_NOFILE, &limit), 0);
    high = limit.rlim_cur < 1000000 ? (int)limit.rlim_cur - 1 : 1000000;
    expect_int(dup2(fd, high), high);
    close(fd);
    return high;
}

CASE(poller_watches_sparse_numbers)
{
    int low = open_event(0), high = move_up(open_event(0));

    begin();
    add(high, WEIR_FD_READABLE, 7);
    add(low, WEIR_FD_READABLE, 8);
    expect_silence();
    fill(high);
    expect_event(NEVER, 7, WEIR_FD_READABLE);
    drain(high);
    fill(low);
    expect_event(NEVER, 8, WEIR_FD_READABLE);
    end();
}

CASE(poller_close_with_descriptors_left_lets_them_live)
{
    int fd = open_event(1);

    begin();
    add(fd, WEIR_FD_READABLE, 7);
    end();
    drain(fd);
    begin();
    end();
}

CASE(poller_descriptor_is_readable_when_there_is_something_to_find)
{
    int fd = open_event(0), inner;
    struct weir__poller *outer;

    begin();
    inner = weir__poller_fd(poller);
    if (inner < 0) {
        expect_status(inner, -ENOTSUP);
        end();
        skip_case("this poller has no descriptor of its own");
    }
    add(fd, WEIR_FD_READABLE, 7);
    expect_status(weir__poller_open(&outer), 0);
    expect_status(weir__poller_add(outer, inner, WEIR_FD_READABLE, 9), 0);
    expect_int(weir__poller_wait(outer, events, AT_ONCE), 0);
    fill(fd);
    expect_int(weir__poller_wait(outer, events, NEVER), 1);
    expect_int(events[0].token, 9);
    weir__poller_close(outer);
    end();
}

/* --- deadlines ----------------------------------------------------------- */

CASE(poller_wait_without_event_ends_not_before_its_deadline)
{
    int fd = open_event(0);

    begin();
    add(fd, WEIR_FD_READABLE, 7);
    for (int64_t timeout_ns = 1; timeout_ns < 20 * MILLISECOND_NS;
         timeout_ns *= 3) {
        int64_t deadline_ns = weir__clock_real() + timeout_ns;

        expect_int(weir__poller_wait(poller, events, deadline_ns), 0);
        expect(weir__clock_real() >= deadline_ns);
    }
    end();
}

CASE(poller_wait_for_a_deadline_in_the_past_looks_once)
{
    int fd = open_event(0);

    begin();
    add(fd, WEIR_FD_READABLE, 7);
    expect_int(weir__poller_wait(poller, events, 1), 0);
    fill(fd);
    expect_event(1, 7, WEIR_FD_READABLE);
    end();
}

CASE(poller_wait_takes_the_farthest_deadline)
{
    int fd = open_event(1);

    begin();
    add(fd, WEIR_FD_READABLE, 7);
    expect_event(INT64_MAX, 7, WEIR_FD_READABLE);
    end();
}

CASE(poller_wait_follows_the_real_clock_when_the_other_stands)
{
    begin();
    expect_status(weir_clock_freeze(0), 0);
    expect_int(
        weir__poller_wait(poller, events, weir__clock_real() + MILLISECOND_NS),
        0);
    end();
}
