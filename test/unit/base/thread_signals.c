/* SPDX-License-Identifier: MIT */
/*
 * thread -- the signal mask of weir's threads, and the children that they start:
 * SIGTERM ends a child, however it was started, and nobody else.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/service_fixture.h"

extern char **environ;

/* Of the child that a case starts. */
static struct {
    int status;           /* as waitpid gives it */
    unsigned long masked; /* SigBlk of /proc/self/status */
} child;

static sem_t over;

/* ---- starting one ---- */

/* cat, which ends at the end of its input, with status 0, if no signal ends it
 * first. */
static char *const cat[] = {"cat", NULL};

/* Returns the process; *input is what it waits for. */
static pid_t fork_cat(int *input)
{
    int ends[2];
    pid_t pid;

    expect_int(pipe2(ends, O_CLOEXEC), 0);
    pid = fork();
    if (pid == 0) {
        dup2(ends[0], STDIN_FILENO);
        execvp(cat[0], cat);
        _exit(127);
    }
    expect(pid > 0);
    close(ends[0]);
    *input = ends[1];
    return pid;
}

static pid_t spawn_cat(int *input)
{
    posix_spawn_file_actions_t actions;
    int ends[2];
    pid_t pid;

    expect_int(pipe2(ends, O_CLOEXEC), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    expect_int(posix_spawnp(&pid, cat[0], &actions, NULL, cat, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    *input = ends[1];
    return pid;
}

/* A SIGTERM from here; and then it could end by itself. */
static void end_child(pid_t pid, int input)
{
    expect_int(kill(pid, SIGTERM), 0);
    close(input);
    expect_int(waitpid(pid, &child.status, 0), pid);
    sem_post(&over);
}

static void start_by_fork(void *arg, int status)
{
    int input;
    pid_t pid;

    pid = fork_cat(&input);
    end_child(pid, input);
}

static void start_by_spawn(void *arg, int status)
{
    int input;
    pid_t pid;

    pid = spawn_cat(&input);
    end_child(pid, input);
}

/* These wait for the child, so it signals itself. */
static void start_by_system(void *arg, int status)
{
    child.status = system("kill -TERM $$; exit 7");
    sem_post(&over);
}

static void start_by_popen(void *arg, int status)
{
    FILE *file = popen("kill -TERM $$; exit 7", "r");

    expect(file != NULL);
    child.status = pclose(file);
    sem_post(&over);
}

static void start_as_hook(void *arg)
{
    start_by_fork(arg, 0);
}

/* ---- where ---- */

static weir_loop *loop;
static weir_pool *pool;

static void begin(void)
{
    sem_init(&over, 0, 0);
    signal(SIGTERM, SIG_DFL); /* libcheck's handler ends all of its group */
    expect_status(weir_service_new(&service,
                                   &(weir_service_options){
                                       .size = sizeof(weir_service_options),
                                       .timeout_ns = -1,
                                       .closed = on_closed}),
                  0);
    expect_status(weir_service_add_loop(service, &loop, NULL), 0);
    expect_status(weir_service_add_pool(service, &pool, NULL), 0);
}

static void end(void)
{
    expect(weir_service_is_ready(service)); /* the signal was not for us */
    expect_status(weir_service_stop(service), 0);
    expect_clean_end();
}

static void expect_killed(void)
{
    expect(WIFSIGNALED(child.status));
    expect_int(WTERMSIG(child.status), SIGTERM);
}

static void on_loop(weir_fn *fn)
{
    begin();
    expect_status(weir_service_start(service), 0);
    expect_status(weir_loop_submit(loop, fn, NULL), 0);
    wait_for(&over);
}

static void on_pool(weir_fn *fn)
{
    begin();
    expect_status(weir_service_start(service), 0);
    expect_status(weir_pool_submit(pool, fn, NULL, NULL), 0);
    wait_for(&over);
}

CASE(thread_of_a_loop_starts_a_child_by_fork_that_SIGTERM_ends)
{
    on_loop(start_by_fork);
    expect_killed();
    end();
}

CASE(thread_of_a_loop_starts_a_child_by_posix_spawn_that_SIGTERM_ends)
{
    on_loop(start_by_spawn);
    expect_killed();
    end();
}

CASE(thread_of_a_pool_starts_a_child_by_fork_that_SIGTERM_ends)
{
    on_pool(start_by_fork);
    expect_killed();
    end();
}

CASE(thread_of_a_pool_starts_a_child_by_posix_spawn_that_SIGTERM_ends)
{
    on_pool(start_by_spawn);
    expect_killed();
    end();
}

CASE(thread_of_a_pool_starts_a_child_by_system_that_SIGTERM_ends)
{
    on_pool(start_by_system);
    expect_killed();
    end();
}

CASE(thread_of_a_pool_starts_a_child_by_popen_that_SIGTERM_ends)
{
    on_pool(start_by_popen);
    expect_killed();
    end();
}

CASE(thread_of_a_hook_starts_a_child_by_fork_that_SIGTERM_ends)
{
    begin();
    expect_status(
        weir_service_add_hook(service, "hook", -1, start_as_hook, NULL), 0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_service_stop(service), 0);
    wait_for(&over);
    expect_killed();
    expect_clean_end();
}

/* ---- a fork that does not exec ---- */

/* It has the service's handler, whose descriptor is its parent's, too. */
static void fork_and_signal(void *arg, int status)
{
    int ends[2];
    pid_t pid;
    char byte;

    expect_int(pipe(ends), 0);
    pid = fork();
    if (pid == 0) {
        close(ends[1]);
        (void)!read(ends[0], &byte, 1);
        _exit(0);
    }
    expect(pid > 0);
    close(ends[0]);
    end_child(pid, ends[1]);
}

CASE(thread_that_forks_without_exec_has_a_child_that_SIGTERM_ends)
{
    on_pool(fork_and_signal);
    expect_killed();
    end();
}

/* ---- the mask ---- */

#define BIT(number) (1ul << ((number)-1))

/* The program reads what it was given. */
static char *const show_mask[] = {"grep", "SigBlk", "/proc/self/status", NULL};

static void read_mask(int fd, pid_t pid)
{
    FILE *file = fdopen(fd, "r");

    expect_int(fscanf(file, "SigBlk: %lx", &child.masked), 1);
    fclose(file);
    expect_int(waitpid(pid, &child.status, 0), pid);
    sem_post(&over);
}

static void look_after_fork(void *arg, int status)
{
    int ends[2];
    pid_t pid;

    expect_int(pipe2(ends, O_CLOEXEC), 0);
    pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execvp(show_mask[0], show_mask);
        _exit(127);
    }
    close(ends[1]);
    read_mask(ends[0], pid);
}

static void look_after_spawn(void *arg, int status)
{
    posix_spawn_file_actions_t actions;
    int ends[2];
    pid_t pid;

    expect_int(pipe2(ends, O_CLOEXEC), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    expect_int(
        posix_spawnp(&pid, show_mask[0], &actions, arg, show_mask, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    read_mask(ends[0], pid);
}

CASE(thread_starts_children_by_fork_that_block_nothing)
{
    on_pool(look_after_fork);
    expect_int(child.masked, 0);
    end();
}

CASE(thread_starts_children_by_posix_spawn_that_block_SIGPIPE_only)
{
    on_pool(look_after_spawn);
    expect_int(child.masked, BIT(SIGPIPE));
    end();
}

/* The recipe of docs/guide/service.md. */
static void look_after_spawn_with_mask(void *arg, int status)
{
    posix_spawnattr_t attributes;
    sigset_t none;

    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    look_after_spawn(&attributes, status);
    posix_spawnattr_destroy(&attributes);
}

CASE(thread_starts_children_by_posix_spawn_with_the_mask_that_it_gives_them)
{
    on_pool(look_after_spawn_with_mask);
    expect_int(child.masked, 0);
    end();
}

CASE(thread_leaves_SIGPIPE_blocked_in_children_if_its_maker_did)
{
    sigset_t both;

    sigemptyset(&both);
    sigaddset(&both, SIGPIPE);
    sigaddset(&both, SIGUSR1);
    expect_int(pthread_sigmask(SIG_BLOCK, &both, NULL), 0);
    on_pool(look_after_fork);
    expect_int(child.masked, BIT(SIGPIPE) | BIT(SIGUSR1));
    end();
}

static sigset_t mask;

static void look_at_mask(void *arg, int status)
{
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    sem_post(&over);
}

static void expect_mask(int also)
{
    for (int number = 1; number < SIGRTMIN; number++)
        expect_int(sigismember(&mask, number),
                   number == SIGPIPE || number == also);
}

CASE(thread_has_the_signal_mask_of_its_maker_and_SIGPIPE_blocked)
{
    sigset_t one;

    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    expect_int(pthread_sigmask(SIG_BLOCK, &one, NULL), 0);
    on_loop(look_at_mask);
    expect_mask(SIGUSR1);
    end();
    expect_int(pthread_sigmask(SIG_SETMASK, NULL, &mask), 0);
    expect(!sigismember(&mask, SIGPIPE)); /* the maker's is as it was */
}

/* ---- SIGPIPE ---- */

static void write_to_nobody(void *arg, int status)
{
    int ends[2];

    expect_int(pipe2(ends, O_CLOEXEC), 0);
    close(ends[0]);
    expect_int(write(ends[1], "x", 1), -1);
    expect_int(errno, EPIPE);
    close(ends[1]);
    sem_post(&over);
}

CASE(thread_that_writes_to_a_closed_pipe_gets_EPIPE_on_a_loop)
{
    on_loop(write_to_nobody);
    end();
}

CASE(thread_that_writes_to_a_closed_pipe_gets_EPIPE_in_a_pool)
{
    on_pool(write_to_nobody);
    end();
}
