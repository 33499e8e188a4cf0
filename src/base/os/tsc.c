/* SPDX-License-Identifier: MIT */
/*
 * os/tsc -- which counter the kernel's clock is based on.
 *
 * Linux monitors the processor's counter, and reports in a file which clock
 * source it uses.  Without such a file, the counter is not trusted.
 *
 * Tested by  test/unit/base/tsc.c
 */
#include "base/tsc.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic.h"

#define FILE_NAME                                                              \
    "/sys/devices/system/clocksource/clocksource0/current_clocksource"

#if defined(__x86_64__)
#define COUNTER "tsc"
#elif defined(__aarch64__)
#define COUNTER "arch_sys_counter"
#else
#define COUNTER "none"
#endif

static bool ask(void)
{
    char name[32] = "";
    int file = open(FILE_NAME, O_RDONLY | O_CLOEXEC);

    if (file < 0)
        return false;
    if (read(file, name, sizeof(name) - 1) < 0)
        name[0] = '\0';
    close(file);
    name[strcspn(name, "\n")] = '\0';
    return strcmp(name, COUNTER) == 0;
}

bool weir__tsc_is_clock(void)
{
    enum { UNKNOWN, NO, YES };
    static atomic(int) known = {UNKNOWN};
    /* relaxed: every thread computes the same answer */
    int answer = load_relaxed(&known);

    if (answer == UNKNOWN) {
        answer = ask() ? YES : NO;
        store_relaxed(&known, answer); /* relaxed: as above */
    }
    return answer == YES;
}
