/* SPDX-License-Identifier: MIT */
/*
 * poller -- when the kernel or the allocator says no.
 */
#include "base/poller.h"

#include <dirent.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/crew.h"
#include "support/failing_allocator.h"
#include "support/failing_syscalls.h"
#include "support/poller_fixture.h"
#include "support/suite.h"

/* What the poller sleeps in. */
#ifdef WEIR_POLLER_POLL
static const enum failing_call wait_call = CALL_PPOLL;
#else
static const enum failing_call wait_call = CALL_EPOLL_PWAIT2;
#endif

static int count_open_descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    int count = 0;

    expect(directory != NULL);
    while (readdir(directory) != NULL)
        count++;
    closedir(directory);
    return count;
}

/* --- open ---------------------------------------------------------------- */

/* Lets the first call fail, then the second, ... until there are no more. */
static void sweep_open(enum failing_call call, int error)
{
    struct failing_allocator memory;
    int before = count_open_descriptors();

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    for (uint32_t nth = 1;; nth++) {
        int status;

        failing_syscalls_set(call, nth, 1, error);
        status = weir__poller_open(&poller);
        if (failing_syscalls_count(call) < nth) {
            expect_status(status, 0);
            break;
        }
        expect_status(status, -error);
        expect_int(count_open_descriptors(), before);
        expect_int(memory.live, 0);
    }
    end();
    expect_int(count_open_descriptors(), before);
    expect_int(memory.live, 0);
    expect_int(memory.live_bytes, 0);
}

CASE(poller_open_without_epoll_leaves_nothing_behind)
{
    sweep_open(CALL_EPOLL_CREATE1, ENOMEM);
}

CASE(poller_open_without_eventfd_leaves_nothing_behind)
{
    sweep_open(CALL_EVENTFD, ENFILE);
}

CASE(poller_open_without_registration_leaves_nothing_behind)
{
    sweep_open(CALL_EPOLL_CTL, ENOSPC);
}

CASE(poller_open_without_memory_leaves_nothing_behind)
{
    int before = count_open_descriptors(), status = -ENOMEM;

    for (uint64_t nth = 1; status != 0; nth++) {
        struct failing_allocator memory;

        failing_allocator_init(&memory, nth);
        expect_status(weir_set_allocator(&memory.hooks), 0);
        status = weir__poller_open(&poller);
        if (status == 0)
            end();
        else
            expect_status(status, -ENOMEM);
        expect_int(count_open_descriptors(), before);
        expect_int(memory.live, 0);
        expect_int(memory.live_bytes, 0);
    }
}

enum { LIMIT = 64 };

/* Opens all that the limit allows.  Returns how many that were. */
static int use_up_descriptors(void)
{
    int count = 0;

    while (dup(STDERR_FILENO) >= 0)
        count++;
    expect_int(errno, EMFILE);
    return count;
}

/* The real thing: no descriptor is left, then one, then two, ... */
CASE(poller_open_at_the_limit_of_descriptors_leaves_nothing_behind)
{
    const struct rlimit limit = {.rlim_cur = LIMIT, .rlim_max = LIMIT};
    int left = 0;

    expect_int(setrlimit(RLIMIT_NOFILE, &limit), 0);
    expect(use_up_descriptors() > 8);
    for (int status = -EMFILE; status != 0;) {
        status = weir__poller_open(&poller);
        if (status == 0)
            end();
        else
            expect_status(status, -EMFILE);
        expect_int(use_up_descriptors(), left);
        left++;
        for (int i = 0; i < left; i++)
            close(LIMIT - 1 - i);
    }
    expect(left > 1);
}

/* --- add and modify ------------------------------------------------------ */

enum { MANY = 40 };

/* Lets the first allocation of add fail, then the second, ... until there are
 * no more.  Returns how often it was refused. */
static int add_at_last(struct failing_allocator *memory, int fd, uint64_t token)
{
    int refusals = 0, status;

    for (;; refusals++) {
        memory->fail_at = memory->calls + 1 + (uint64_t)refusals;
        status = weir__poller_add(poller, fd, WEIR_FD_READABLE, token);
        memory->fail_at = 0;
        if (status == 0)
            return refusals;
        expect_status(status, -ENOMEM);
        expect_status(weir__poller_modify(poller, fd, WEIR_FD_READABLE, token),
                      -ENOENT);
        expect_silence();
    }
}

CASE(poller_add_without_memory_changes_nothing)
{
    struct failing_allocator memory;
    int fds[MANY], refusals = 0;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    begin();
    for (int i = 0; i < MANY; i++) {
        fds[i] = open_event(1);
        refusals += add_at_last(&memory, fds[i], (uint64_t)i + 1);
        expect_event(AT_ONCE, (uint64_t)i + 1, WEIR_FD_READABLE);
        drain(fds[i]);
    }
    for (int i = 0; i < MANY; i++) {
        fill(fds[i]);
        expect_event(AT_ONCE, (uint64_t)i + 1, WEIR_FD_READABLE);
        drain(fds[i]);
    }
    end();
    expect_int(memory.live, 0);
    expect_int(memory.live_bytes, 0);
#ifdef WEIR_POLLER_POLL
    expect(refusals >= 4); /* it grew twice at least, by two arrays */
#else
    expect_int(refusals, 0); /* the kernel has the table */
#endif
}

CASE(poller_close_gives_the_memory_back_without_a_wait)
{
    struct failing_allocator memory;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    begin();
    for (int i = 0; i < MANY; i++)
        add(open_event(1), WEIR_FD_READABLE, (uint64_t)i + 1);
    end();
    expect_int(memory.live, 0);
    expect_int(memory.live_bytes, 0);
}

#ifndef WEIR_POLLER_POLL
CASE(poller_add_that_the_kernel_refuses_changes_nothing)
{
    int fd = open_event(1);

    begin();
    failing_syscalls_set(CALL_EPOLL_CTL, 1, 1, ENOSPC);
    expect_status(weir__poller_add(poller, fd, WEIR_FD_READABLE, 7), -ENOSPC);
    expect_silence();
    add(fd, WEIR_FD_READABLE, 8);
    expect_event(NEVER, 8, WEIR_FD_READABLE);
    end();
}

CASE(poller_modify_that_the_kernel_refuses_keeps_the_old_events)
{
    int fd = open_event(1);

    begin();
    add(fd, WEIR_FD_READABLE, 7);
    failing_syscalls_set(CALL_EPOLL_CTL, 1, 1, ENOMEM);
    expect_status(weir__poller_modify(poller, fd, WEIR_FD_WRITABLE, 8),
                  -ENOMEM);
    expect_event(NEVER, 7, WEIR_FD_READABLE);
    end();
}

CASE(poller_remove_survives_whatever_the_kernel_says)
{
    static const int errors[] = {ENOENT, EBADF, EPERM};
    int fd = open_event(1);

    begin();
    add(fd, WEIR_FD_READABLE, 7);
    for (int i = 0; i < 3; i++) {
        failing_syscalls_set(CALL_EPOLL_CTL, 1, 1, errors[i]);
        weir__poller_remove(poller, fd);
    }
    end();
}
#endif

/* --- wait ---------------------------------------------------------------- */

static void expect_interruptions_do_not_end_it(enum failing_call call)
{
    int64_t deadline_ns = weir__clock_real() + 2 * MILLISECOND_NS;
    int fd = open_event(0);

    add(fd, WEIR_FD_READABLE, 7);
    failing_syscalls_set(call, 1, 5, EINTR);
    expect_int(weir__poller_wait(poller, events, deadline_ns), 0);
    expect(weir__clock_real() >= deadline_ns);
    expect(failing_syscalls_count(call) > 5);

    failing_syscalls_set(call, 1, 5, EINTR);
    expect_silence();
    expect_int(failing_syscalls_count(call), 6);

    fill(fd);
    failing_syscalls_set(call, 1, 5, EINTR);
    expect_event(NEVER, 7, WEIR_FD_READABLE);
    failing_syscalls_set(call, 1, 5, EINTR);
    expect_event(AT_ONCE, 7, WEIR_FD_READABLE);
    failing_syscalls_set(call, 1, 5, EINTR);
    expect_event(1, 7, WEIR_FD_READABLE);
    failing_syscalls_set(call, 0, 0, 0);
    weir__poller_remove(poller, fd);
}

CASE(poller_wait_goes_on_when_it_is_interrupted)
{
    begin();
    expect_interruptions_do_not_end_it(wait_call);
    end();
}

static void wait_for_wake(struct crew *crew, unsigned id)
{
    failing_syscalls_set(wait_call, 1, 3, EINTR);
    expect_event(NEVER, WEIR__POLLER_WAKE, WEIR_FD_READABLE);
}

CASE(poller_wait_that_was_interrupted_is_still_woken)
{
    struct crew crew;

    begin();
    crew_start(&crew, 1, wait_for_wake, NULL);
    expect(await_asleep(crew.members[0].tid));
    weir__poller_wake(poller);
    crew_join(&crew);
    expect_int(failing_syscalls_count(wait_call), 4);
    end();
}

CASE(poller_wait_returns_what_the_kernel_refuses_with)
{
    static const int errors[] = {EBADF, ENOMEM, EINVAL};
    int fd = open_event(1);

    begin();
    add(fd, WEIR_FD_READABLE, 7);
    for (int i = 0; i < 3; i++) {
        failing_syscalls_set(wait_call, 1, 1, errors[i]);
        expect_status(weir__poller_wait(poller, events, NEVER), -errors[i]);
        expect_event(NEVER, 7, WEIR_FD_READABLE);
    }
    end();
}

static void fail_then_wait(struct crew *crew, unsigned id)
{
    failing_syscalls_set(wait_call, 1, 1, ENOMEM);
    expect_status(weir__poller_wait(poller, events, NEVER), -ENOMEM);
    expect_event(NEVER, 7, WEIR_FD_READABLE);
}

CASE(poller_wait_after_a_refusal_still_sees_changes)
{
    int fd = open_event(1);
    struct crew crew;

    begin();
    crew_start(&crew, 1, fail_then_wait, NULL);
    expect(await_asleep(crew.members[0].tid));
    add(fd, WEIR_FD_READABLE, 7);
    crew_join(&crew);
    end();
}

/* As a kernel does that rounds down, or whose clock is another. */
CASE(poller_wait_that_is_over_too_early_goes_on)
{
    int64_t deadline_ns = weir__clock_real() + MILLISECOND_NS;

    begin();
    failing_syscalls_set(wait_call, 1, 3, 0);
    expect_int(weir__poller_wait(poller, events, deadline_ns), 0);
    expect(weir__clock_real() >= deadline_ns);
    weir__poller_wake(poller);
    failing_syscalls_set(wait_call, 1, 3, 0);
    expect_event(NEVER, WEIR__POLLER_WAKE, WEIR_FD_READABLE);
    end();
}

static void expect_no_spin(enum failing_call call)
{
    failing_syscalls_set(call, 0, 0, 0);
    expect_int(weir__poller_wait(poller, events,
                                 weir__clock_real() + MILLISECOND_NS / 2),
               0);
    expect(failing_syscalls_count(call) <= 3);
}

CASE(poller_wait_does_not_spin_before_its_deadline)
{
    begin();
    expect_no_spin(wait_call);
    end();
}

CASE(poller_wait_does_not_spin_on_a_closed_descriptor)
{
    int fd = open_event(1);

    begin();
    add(fd, WEIR_FD_READABLE, 7);
    close(fd);
    expect_no_spin(wait_call);
    end();
}

/* A change between the moment when wait knows what to ask for and the one when
 * it asks. */
static int changing_fd;

static void change_mask(void)
{
    modify(changing_fd, WEIR_FD_PRIORITY, 8);
}

static void change_token(void)
{
    modify(changing_fd, WEIR_FD_READABLE | WEIR_FD_ONESHOT, 8);
}

static void change_nothing(void)
{
    expect_status(weir__poller_add(poller, changing_fd, WEIR_FD_READABLE, 8),
                  -EEXIST);
}

static void change_all(void)
{
    weir__poller_remove(poller, changing_fd);
}

static void begin_with_change(unsigned mask, void (*change)(void))
{
    changing_fd = open_event(1);
    begin();
    add(changing_fd, mask, 7);
    failing_syscalls_before(wait_call, change);
}

CASE(poller_wait_does_not_report_to_a_mask_that_has_changed)
{
    begin_with_change(WEIR_FD_READABLE, change_mask);
    expect_silence();
    expect_silence();
    end();
}

CASE(poller_wait_reports_a_change_of_token_with_the_new_one)
{
    begin_with_change(WEIR_FD_READABLE | WEIR_FD_ONESHOT, change_token);
    expect_event(NEVER, 8, WEIR_FD_READABLE);
    expect_silence();
    end();
}

CASE(poller_wait_does_not_report_what_was_removed)
{
    begin_with_change(WEIR_FD_READABLE, change_all);
    expect_silence();
    expect_silence();
    end();
}

CASE(poller_wait_reports_once_after_a_change_that_was_refused)
{
    begin_with_change(WEIR_FD_READABLE | WEIR_FD_ONESHOT, change_nothing);
    expect_event(NEVER, 7, WEIR_FD_READABLE);
    expect_silence();
    end();
}

#ifndef WEIR_POLLER_POLL
/* ENOSYS is an old kernel's answer, EPERM that of some sandboxes. */
static void expect_millisecond_waits(int error)
{
    begin();
    failing_syscalls_set(CALL_EPOLL_PWAIT2, 1, FAILING_ALWAYS, error);
    failing_syscalls_set(CALL_EPOLL_WAIT, 0, 0, 0);
    for (int64_t timeout_ns = 1; timeout_ns < 5 * MILLISECOND_NS;
         timeout_ns *= 7) {
        int64_t deadline_ns = weir__clock_real() + timeout_ns;

        expect_int(weir__poller_wait(poller, events, deadline_ns), 0);
        expect(weir__clock_real() >= deadline_ns);
    }
    expect_int(failing_syscalls_count(CALL_EPOLL_PWAIT2), 1);
    expect(failing_syscalls_count(CALL_EPOLL_WAIT) > 0);
    weir__poller_wake(poller);
    expect_event(NEVER, WEIR__POLLER_WAKE, WEIR_FD_READABLE);
    expect_event(INT64_MAX, WEIR__POLLER_WAKE, WEIR_FD_READABLE);
    expect_int(weir__poller_take_wakes(poller, false), 1);
    expect_interruptions_do_not_end_it(CALL_EPOLL_WAIT);
    end();
}

CASE(poller_without_pwait2_waits_in_milliseconds)
{
    expect_millisecond_waits(ENOSYS);
}

CASE(poller_with_forbidden_pwait2_waits_in_milliseconds)
{
    expect_millisecond_waits(EPERM);
}

CASE(poller_without_pwait2_returns_what_the_kernel_refuses_with)
{
    begin();
    failing_syscalls_set(CALL_EPOLL_PWAIT2, 1, 1, ENOSYS);
    failing_syscalls_set(CALL_EPOLL_WAIT, 1, 1, ENOMEM);
    expect_status(weir__poller_wait(poller, events, NEVER), -ENOMEM);
    end();
}

CASE(poller_without_pwait2_does_not_spin_before_a_deadline)
{
    begin();
    failing_syscalls_set(CALL_EPOLL_PWAIT2, 1, 1, ENOSYS);
    expect_no_spin(CALL_EPOLL_WAIT);
    end();
}
#endif

/* --- wakes --------------------------------------------------------------- */

CASE(poller_wake_that_is_interrupted_counts_once)
{
    begin();
    failing_syscalls_set(CALL_WRITE, 1, 3, EINTR);
    weir__poller_wake(poller);
    expect_int(failing_syscalls_count(CALL_WRITE), 4);
    expect_int(weir__poller_take_wakes(poller, false), 1);
    end();
}

/* The counter is full: the wake is as pending as it can be. */
CASE(poller_wake_of_a_full_counter_is_content)
{
    begin();
    weir__poller_wake(poller);
    failing_syscalls_set(CALL_WRITE, 1, 1, EAGAIN);
    weir__poller_wake(poller);
    expect_int(failing_syscalls_count(CALL_WRITE), 1);
    expect_int(weir__poller_take_wakes(poller, false), 1);
    end();
}

CASE_ABORTS(poller_wake_through_a_closed_descriptor_aborts, "os/eventfd.c",
            "cannot signal a wake")
{
    begin();
    failing_syscalls_set(CALL_WRITE, 1, 1, EBADF);
    weir__poller_wake(poller);
}

CASE(poller_take_that_is_interrupted_goes_on)
{
    begin();
    weir__poller_wake(poller);
    failing_syscalls_set(CALL_READ, 1, 3, EINTR);
    expect_int(weir__poller_take_wakes(poller, false), 1);
    expect_int(failing_syscalls_count(CALL_READ), 4);
    failing_syscalls_set(CALL_READ, 1, 3, EINTR);
    expect_int(weir__poller_take_wakes(poller, false), 0);
    end();
}

CASE(poller_take_that_finds_none_looks_again_only_if_asked)
{
    begin();
    weir__poller_wake(poller);
    failing_syscalls_set(CALL_READ, 1, 2, EAGAIN);
    expect_int(weir__poller_take_wakes(poller, false), 0);
    expect_int(weir__poller_take_wakes(poller, true), 1);
    expect_int(failing_syscalls_count(CALL_READ), 3);
    end();
}

CASE(poller_take_that_waits_survives_interruptions)
{
    static const int errors[] = {EINTR, EAGAIN};

    begin();
    for (int i = 0; i < 2; i++) {
        weir__poller_wake(poller);
        failing_syscalls_set(CALL_READ, 1, 2, EAGAIN);
        failing_syscalls_set(CALL_POLL, 1, 1, errors[i]);
        expect_int(weir__poller_take_wakes(poller, true), 1);
        expect_int(failing_syscalls_count(CALL_POLL), 2);
    }
    end();
}

CASE_ABORTS(poller_take_through_a_closed_descriptor_aborts, "os/eventfd.c",
            "cannot take a wake")
{
    begin();
    failing_syscalls_set(CALL_READ, 1, 1, EBADF);
    (void)weir__poller_take_wakes(poller, false);
}

CASE_ABORTS(poller_take_that_cannot_wait_aborts, "os/eventfd.c",
            "cannot wait for a wake")
{
    begin();
    failing_syscalls_set(CALL_POLL, 1, 1, ENOMEM);
    (void)weir__poller_take_wakes(poller, true);
}

/* --- the helper itself --------------------------------------------------- */

CASE(failing_syscalls_fails_futexes_and_lets_others_pass)
{
    uint32_t word = 1;

    failing_syscalls_set(CALL_FUTEX, 2, 1, ENOMEM);
    for (int i = 1; i <= 3; i++) {
        expect_int(syscall(SYS_getpid), getpid());
        expect_int(
            syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0),
            -1);
        expect_int(errno, i == 2 ? ENOMEM : EAGAIN);
    }
    expect_int(failing_syscalls_count(CALL_FUTEX), 3);
    failing_syscalls_set(CALL_FUTEX, 0, 0, 0);
    expect_int(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0),
               0);
}
