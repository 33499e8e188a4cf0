/* SPDX-License-Identifier: MIT */
/*
 * watch -- see watch.h.
 *
 * The signal has a stack of its own (execution.c), so that it leaves nothing on
 * that of a thread, which is part of the state.
 */
#include "watch.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#include "modules.h"
#include "program.h"
#include "site.h"
#include "syscalls.h"

enum {
    BUSY_SECONDS = 10, /* of processor time */
    BLOCKED_TICKS = 3, /* in one system call */
    FRAMES = 64
};

static timer_t timer;
static bool is_on;
static int busy_seconds;
static const struct actor *seen;   /* who ran at the last tick */
static unsigned seen_steps, ticks; /* ... and has since then */
static double seen_seconds;

static double processor_seconds(void)
{
    struct timespec used = {0};

    syscalls_make(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, (long)&used, 0,
                  0, 0, 0);
    return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

/* Whether the code is at a system call, or has just come back from one. */
static bool is_in_call(uintptr_t pc)
{
    static const unsigned char call[2] = {0x0f, 0x05};

    return memcmp((const void *)pc, call, 2) == 0 ||
           memcmp((const void *)(pc - 2), call, 2) == 0;
}

/* The place in the program from which this code was called. */
static uintptr_t find_program(uintptr_t pc)
{
    void *frames[FRAMES];
    int count = backtrace(frames, FRAMES);

    if (modules_has(pc))
        return pc + 1; /* not a return address */
    for (int i = 0; i < count; i++)
        if (modules_has((uintptr_t)frames[i]))
            return (uintptr_t)frames[i];
    return 0;
}

static void refuse_call(uintptr_t pc)
{
    uintptr_t place = find_program(pc);
    Dl_info info;
    char what[100] = "a system call that blocks";

    execution->self = NULL;
    if (dladdr((const void *)pc, &info) != 0 && info.dli_sname != NULL)
        snprintf(what, sizeof(what), "%s(), which blocks",
                 info.dli_sname + strspn(info.dli_sname, "_"));
    program_refuse(what, place);
}

static void fail_busy(uintptr_t pc)
{
    struct actor *self = program_pause();
    char here[200];

    site_print(here, sizeof(here), site_get(site_of(find_program(pc))));
    busy_seconds = 1; /* the same happens when the schedule is shortened */
    seen = NULL;
    program_go_on(self);
    execution_fail(MODEL_LIVELOCK, "%s runs on at %s without an operation",
                   self->name, here);
}

static void on_tick(int number, siginfo_t *info, void *context)
{
    const ucontext_t *machine = context;
    uintptr_t pc = (uintptr_t)machine->uc_mcontext.gregs[REG_RIP];
    double used;

    (void)number;
    (void)info;
    if (!is_exploring())
        return;
    if (execution->self != seen || execution->steps != seen_steps) {
        seen = execution->self;
        seen_steps = execution->steps;
        seen_seconds = processor_seconds();
        ticks = 0;
        return;
    }
    used = processor_seconds() - seen_seconds;
    if (used >= busy_seconds)
        fail_busy(pc);
    if (++ticks >= BLOCKED_TICKS && used < 0.1 && is_in_call(pc))
        refuse_call(pc);
}

void watch_begin(void)
{
    struct sigaction action = {.sa_sigaction = on_tick,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK |
                                           SA_NODEFER | SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL,
                             .sigev_signo = SIGRTMAX};
    struct itimerspec second = {{1, 0}, {1, 0}};

    sigaction(SIGRTMAX, &action, NULL);
    busy_seconds = BUSY_SECONDS;
    seen = NULL;
    is_on = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
    if (is_on)
        timer_settime(timer, 0, &second, NULL);
}

void watch_end(void)
{
    if (is_on)
        timer_delete(timer);
    is_on = false;
}
