/* SPDX-License-Identifier: MIT */
/*
 * usage -- getrusage(2), and proc(5).
 */
#include "os/usage.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static uint64_t resident_bytes(void)
{
    unsigned long long all, resident = 0;
    FILE *file = fopen("/proc/self/statm", "re");

    if (file == NULL)
        return 0;
    if (fscanf(file, "%llu %llu", &all, &resident) != 2)
        resident = 0;
    fclose(file);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The name of the program, in parentheses, may contain anything. */
static int64_t age_ns(void)
{
    char text[1024];
    unsigned long long started = 0;
    struct timespec now;
    FILE *file = fopen("/proc/self/stat", "re");
    size_t size = file == NULL ? 0 : fread(text, 1, sizeof(text) - 1, file);
    const char *rest;

    if (file != NULL)
        fclose(file);
    text[size] = '\0';
    rest = strrchr(text, ')');
    if (rest == NULL ||
        sscanf(rest + 1,
               " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
               "%*s %*s %*s %*s %llu",
               &started) != 1 ||
        clock_gettime(CLOCK_BOOTTIME, &now) != 0)
        return 0;
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec -
           (int64_t)(started * 1000000000 /
                     (unsigned long long)sysconf(_SC_CLK_TCK));
}

static int64_t time_of(struct timeval time)
{
    return (int64_t)time.tv_sec * 1000000000 + (int64_t)time.tv_usec * 1000;
}

struct weir__usage_of_process weir__usage_read(void)
{
    struct weir__usage_of_process usage = {.age_ns = age_ns(),
                                           .resident_bytes = resident_bytes()};
    struct rusage used;

    if (getrusage(RUSAGE_SELF, &used) == 0)
        usage.cpu_ns = time_of(used.ru_utime) + time_of(used.ru_stime);
    return usage;
}
