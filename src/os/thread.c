/* SPDX-License-Identifier: MIT */
/*
 * os/thread -- the kernel's name for a thread, and its core.
 *
 * Tested by  test/unit/thread.c
 */
#include "thread.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

uint64_t weir__thread_id(void)
{
    return (uint64_t)syscall(SYS_gettid);
}

void weir__thread_yield(void)
{
    sched_yield();
}
