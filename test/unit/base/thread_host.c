/* SPDX-License-Identifier: MIT */
/*
 * thread -- threads of hosts (weir/host/thread.h): they start with a stack of
 * the size that was asked for, and all signals blocked.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/failing_allocator.h"
#include "support/failing_syscalls.h"
#include "support/suite.h"
#include "weir/host/thread.h"

enum { STACK_BYTES = 3 << 20 };

struct seen {
    bool has_run;
    const char *here, *stack_end;
    sigset_t mask;
};

static void look(void *arg)
{
    struct seen *seen = arg; /* plain: start and join order it */

    seen->has_run = true;
    seen->here = (const char *)__builtin_frame_address(0);
    seen->stack_end = weir_thread_stack_end();
    expect_int(pthread_sigmask(SIG_BLOCK, NULL, &seen->mask), 0);
}

static struct seen run_thread(size_t stack_bytes)
{
    struct seen seen = {0};
    weir_thread thread;

    expect_status(weir_thread_start(&thread, look, &seen, stack_bytes), 0);
    weir_thread_join(&thread);
    expect(seen.has_run);
    return seen;
}

CASE(thread_of_a_host_has_run_when_it_is_joined)
{
    for (int i = 0; i < 20; i++)
        run_thread(0);
}

CASE(thread_of_a_host_has_the_stack_that_was_asked_for)
{
    struct seen seen = run_thread(STACK_BYTES);
    size_t left = (size_t)(seen.here - seen.stack_end);

    expect(seen.stack_end < seen.here);
    expect(left < STACK_BYTES);
    expect(left > STACK_BYTES / 2);
}

CASE(thread_stack_end_is_the_same_at_each_call)
{
    const char *end = weir_thread_stack_end();

    expect(end != NULL);
    expect(end < (const char *)__builtin_frame_address(0));
    expect(weir_thread_stack_end() == end);
    expect(run_thread(0).stack_end != end);
    expect(weir_thread_stack_end() == end);
}

CASE(thread_of_a_host_has_all_signals_blocked_and_its_creator_keeps_its_mask)
{
    struct seen seen;
    sigset_t before, after;

    expect_int(pthread_sigmask(SIG_BLOCK, NULL, &before), 0);
    seen = run_thread(0);
    expect_int(pthread_sigmask(SIG_BLOCK, NULL, &after), 0);
    for (int number = 1; number < 32; number++) {
        expect_int(sigismember(&after, number), sigismember(&before, number));
        if (number != SIGKILL && number != SIGSTOP)
            expect_int(sigismember(&seen.mask, number), 1);
    }
}

static bool is_blocked(int number)
{
    sigset_t own;

    expect_int(pthread_sigmask(SIG_BLOCK, NULL, &own), 0);
    return sigismember(&own, number) == 1;
}

CASE(thread_block_signal_blocks_that_one_until_it_is_unblocked)
{
    expect_status(weir_thread_block_signal(SIGUSR1, true, NULL), 0);
    expect(is_blocked(SIGUSR1));
    expect(!is_blocked(SIGUSR2));
    expect_status(weir_thread_block_signal(SIGUSR1, false, NULL), 0);
    expect(!is_blocked(SIGUSR1));
}

CASE(thread_block_signal_says_whether_it_was_blocked)
{
    bool was_blocked = true;

    expect_status(weir_thread_block_signal(SIGUSR1, true, &was_blocked), 0);
    expect(!was_blocked);
    expect_status(weir_thread_block_signal(SIGUSR1, true, &was_blocked), 0);
    expect(was_blocked);
    expect_status(weir_thread_block_signal(SIGUSR2, false, &was_blocked), 0);
    expect(!was_blocked);
    expect_status(weir_thread_block_signal(SIGUSR1, false, &was_blocked), 0);
    expect(was_blocked);
}

/* covers: weir_thread_block_signal -EINVAL */
CASE(thread_block_signal_of_no_signal_is_refused)
{
    expect_status(weir_thread_block_signal(0, true, NULL), -EINVAL);
    expect_status(weir_thread_block_signal(1000, true, NULL), -EINVAL);
}

/* covers: weir_thread_start -EINVAL */
CASE(thread_start_without_a_body_or_with_a_tiny_stack_is_refused)
{
    weir_thread thread;
    struct seen seen = {0};

    expect_status(weir_thread_start(NULL, look, &seen, 0), -EINVAL);
    expect_status(weir_thread_start(&thread, NULL, &seen, 0), -EINVAL);
    expect_status(weir_thread_start(&thread, look, &seen, 1), -EINVAL);
    expect(!seen.has_run);
}

/* covers: weir_thread_start -EAGAIN */
CASE(thread_start_without_a_thread_of_the_system_has_no_effect)
{
    weir_thread thread;
    struct seen seen = {0};

    failing_syscalls_set(CALL_PTHREAD_CREATE, 1, 1, EAGAIN);
    expect_status(weir_thread_start(&thread, look, &seen, 0), -EAGAIN);
    expect(!seen.has_run);
    expect(!is_blocked(SIGTERM));
}

/* covers: weir_thread_start -ENOMEM */
CASE(thread_start_without_memory_has_no_effect)
{
    struct failing_allocator memory;
    weir_thread thread;
    struct seen seen = {0};

    failing_allocator_init(&memory, 1);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    expect_status(weir_thread_start(&thread, look, &seen, 0), -ENOMEM);
    expect(!seen.has_run);
    expect_status(weir_thread_start(&thread, look, &seen, 0), 0);
    weir_thread_join(&thread);
    expect(seen.has_run);
    expect_int(memory.live, 0);
}

static void await_end_of_file(void *arg)
{
    char byte;

    expect_int(read(*(int *)arg, &byte, 1), 0);
}

/* The thread is alive in the parent, and in the child there is none. */
CASE(thread_join_in_a_forked_child_returns_at_once)
{
    weir_thread thread;
    int status, ends[2];
    pid_t pid;

    expect_int(pipe(ends), 0);
    expect_status(weir_thread_start(&thread, await_end_of_file, &ends[0], 0),
                  0);
    pid = fork();
    expect(pid >= 0);
    if (pid == 0) {
        weir_thread_join(&thread);
        _exit(0);
    }
    expect_int(waitpid(pid, &status, 0), pid);
    expect_int(status, 0);
    close(ends[1]);
    weir_thread_join(&thread);
}
