/* SPDX-License-Identifier: MIT */
/*
 * os/process -- process.h on /proc and getrusage(2).
 *
 * Tested by  test/api/trace.py, test/unit/observe/exposition.c
 */
#include "base/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"

uint64_t weir__process_id(void)
{
    return (uint64_t)getpid();
}

static uint64_t nanoseconds(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

struct weir__usage weir__process_usage(void)
{
    struct weir__usage usage = {0};
    struct rusage times;
    char line[128];
    const char *second;

    if (getrusage(RUSAGE_SELF, &times) == 0)
        usage.cpu_ns =
            nanoseconds(times.ru_utime) + nanoseconds(times.ru_stime);
    weir__file_read_line("/proc/self/statm", line, sizeof(line));
    second = strchr(line, ' '); /* all pages, resident pages ... */
    if (second != NULL)
        usage.resident_bytes =
            strtoull(second, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
    return usage;
}

void weir__process_name(uint64_t thread, char *name, size_t size)
{
    char path[64] = "/proc/self/comm";

    if (thread != 0)
        snprintf(path, sizeof(path), "/proc/self/task/%llu/comm",
                 (unsigned long long)thread);
    weir__file_read_line(path, name, size);
}
