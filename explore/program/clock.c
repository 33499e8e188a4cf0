/* SPDX-License-Identifier: MIT */
/*
 * clock -- see clock.h.
 */
#include "clock.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "program.h"
#include "sync.h"
#include "syscalls.h"

static const int64_t EPOCH_S = 1600000000; /* when each execution begins */
static const uint64_t LOOK_NS = 1000000;

static uint64_t now_ns; /* since then */
static bool is_seen;    /* by the program */

void clock_reset(void)
{
    now_ns = 0;
    is_seen = false;
}

uint64_t clock_state(void)
{
    return is_seen ? now_ns : 0;
}

void clock_reach(const struct timespec *deadline)
{
    int64_t ns =
        ((int64_t)deadline->tv_sec - EPOCH_S) * 1000000000 + deadline->tv_nsec;

    if (ns > (int64_t)now_ns)
        now_ns = (uint64_t)ns;
}

static void act_look(struct actor *actor)
{
    now_ns += LOOK_NS;
    is_seen = true;
    actor->op.wrote = now_ns;
}

static void act_sleep(struct actor *actor)
{
    if (actor->op.operand > now_ns)
        now_ns = actor->op.operand;
}

static void act_yield(struct actor *actor)
{
    (void)actor;
}

static const struct verb look_verb = {
    .name = "looks at", .object = "the clock", .act = act_look};
static const struct verb sleep_verb = {
    .name = "sleeps", .object = "", .act = act_sleep};
static const struct verb yield_verb = {
    .name = "yields", .object = "", .act = act_yield};
const char the_clock[] = "clock";

static uint64_t look(uintptr_t pc)
{
    return sync_ask(&look_verb, the_clock, (struct op){0}, pc)->wrote;
}

void clock_sleep(uint64_t ns, uintptr_t pc)
{
    sync_ask(&sleep_verb, the_clock, (struct op){.operand = now_ns + ns}, pc);
}

static void to_timespec(struct timespec *to, uint64_t ns)
{
    to->tv_sec = (time_t)(EPOCH_S + (int64_t)(ns / 1000000000));
    to->tv_nsec = (long)(ns % 1000000000);
}

/* --- in place of libc -------------------------------------------------------
 */

INTERPOSED int clock_gettime(clockid_t id, struct timespec *time)
{
    if (!is_exploring())
        return (int)syscalls_make(SYS_clock_gettime, id, (long)time, 0, 0, 0,
                                  0);
    to_timespec(time, look(CALLER));
    return 0;
}

INTERPOSED int gettimeofday(struct timeval *time, void *zone)
{
    struct timespec now;

    if (!is_exploring())
        return (int)syscalls_make(SYS_gettimeofday, (long)time, (long)zone, 0,
                                  0, 0, 0);
    to_timespec(&now, look(CALLER));
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

INTERPOSED time_t time(time_t *result)
{
    struct timespec now;

    if (is_exploring())
        to_timespec(&now, look(CALLER));
    else
        syscalls_make(SYS_clock_gettime, CLOCK_REALTIME, (long)&now, 0, 0, 0,
                      0);
    if (result != NULL)
        *result = now.tv_sec;
    return now.tv_sec;
}

static uint64_t to_ns(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

INTERPOSED int nanosleep(const struct timespec *time, struct timespec *left)
{
    if (!is_exploring())
        return (int)syscalls_make(SYS_nanosleep, (long)time, (long)left, 0, 0,
                                  0, 0);
    clock_sleep(to_ns(time), CALLER);
    return 0;
}

INTERPOSED int clock_nanosleep(clockid_t id, int flags,
                               const struct timespec *time,
                               struct timespec *left)
{
    if (!is_exploring())
        return syscalls_make(SYS_clock_nanosleep, id, flags, (long)time,
                             (long)left, 0, 0) < 0
                   ? errno
                   : 0;
    if ((flags & TIMER_ABSTIME) != 0) {
        clock_sleep(0, CALLER);
        clock_reach(time);
    } else {
        clock_sleep(to_ns(time), CALLER);
    }
    return 0;
}

INTERPOSED int usleep(useconds_t us)
{
    struct timespec time = {.tv_sec = us / 1000000,
                            .tv_nsec = (long)(us % 1000000) * 1000};

    if (!is_exploring())
        return (int)syscalls_make(SYS_nanosleep, (long)&time, 0, 0, 0, 0, 0);
    clock_sleep(us * UINT64_C(1000), CALLER);
    return 0;
}

INTERPOSED unsigned sleep(unsigned seconds)
{
    struct timespec time = {.tv_sec = seconds};

    if (!is_exploring())
        syscalls_make(SYS_nanosleep, (long)&time, 0, 0, 0, 0, 0);
    else
        clock_sleep(seconds * UINT64_C(1000000000), CALLER);
    return 0;
}

/* Each thread yields in a place of its own: it says nothing to the others. */
INTERPOSED int sched_yield(void)
{
    if (!is_exploring())
        return (int)syscalls_make(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
    sync_ask(&yield_verb, execution->self, (struct op){0}, CALLER);
    return 0;
}

INTERPOSED int pthread_yield(void)
{
    return sched_yield();
}
