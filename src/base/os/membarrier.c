/* SPDX-License-Identifier: MIT */
/*
 * os/membarrier -- membarrier.h on Linux 4.14 and later; elsewhere not ready.
 *
 * PRIVATE_EXPEDITED interrupts the cores that run this process, which takes a
 * few microseconds.  Each process must register for it once, which takes some
 * milliseconds if the process already has other threads.
 *
 * Tested by  test/unit/gate/gate.c, bench/gate.c
 */
#include "base/membarrier.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool ready; /* const after once */

static long membarrier(int command)
{
    return syscall(SYS_membarrier, command, 0, 0);
}

static void register_process(void)
{
    long commands = membarrier(MEMBARRIER_CMD_QUERY);

    ready = commands > 0 &&
            (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0 &&
            membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
}

bool weir__membarrier_is_ready(void)
{
    pthread_once(&once, register_process);
    return ready;
}

void weir__membarrier(void)
{
    CHECK(membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0,
          "the kernel took membarrier away");
}
