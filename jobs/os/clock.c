/* SPDX-License-Identifier: MIT */
/*
 * clock -- see clock.h.
 */
#include "os/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "weir/clock.h"

static int64_t read_ns(clockid_t id)
{
    struct timespec now;

    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A reading, and those of weir_clock_now() around it.  The thread may not run for
 * long between any two of them. */
struct reading {
    int64_t now_ns;  /* as weir_clock_now() has it */
    int64_t date_ns; /* of the clock that was asked for */
    int64_t real_ns; /* CLOCK_MONOTONIC, read after both */
    bool is_real;    /* whether weir_clock_now() is CLOCK_MONOTONIC */
};

/* Only a clock that runs is between two readings of CLOCK_MONOTONIC.  A difference
 * of two readings would also count the time for which the thread did not run. */
static struct reading read_all(clockid_t id)
{
    struct reading reading;
    int64_t before_ns = read_ns(CLOCK_MONOTONIC);

    reading.now_ns = weir_clock_now();
    reading.date_ns = read_ns(id);
    reading.real_ns = read_ns(CLOCK_MONOTONIC);
    reading.is_real =
        reading.now_ns >= before_ns && reading.now_ns <= reading.real_ns;
    return reading;
}

static int64_t follow_ns(clockid_t id)
{
    struct reading reading = read_all(id);

    return reading.is_real
               ? reading.date_ns
               : reading.now_ns + reading.date_ns - reading.real_ns;
}

bool weir__clock_is_set(void)
{
    return !read_all(CLOCK_MONOTONIC).is_real;
}

int64_t weir__clock_date_ms(void)
{
    return follow_ns(CLOCK_REALTIME) / 1000000;
}

int64_t weir__clock_uptime_us(void)
{
    return follow_ns(CLOCK_BOOTTIME) / 1000;
}

int weir__clock_boot_id(char to[WEIR__BOOT_ID_BYTES])
{
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t count;

    if (fd < 0)
        return -errno;
    count = read(fd, to, WEIR__BOOT_ID_BYTES - 1);
    close(fd);
    if (count <= 0)
        return -EIO;
    while (count > 0 && to[count - 1] == '\n')
        count--;
    to[count] = '\0';
    return 0;
}

int weir__clock_watch_again(int fd)
{
    /* Never due: only a change of the clock makes it readable. */
    struct itimerspec never = {.it_value = {.tv_sec = INT64_MAX >> 12}};
    uint64_t count;

    (void)!read(fd, &count, sizeof(count)); /* fails with ECANCELED */
    return timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET,
                           &never, NULL) == 0
               ? 0
               : -errno;
}

int weir__clock_watch(void)
{
    int fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    int err;

    if (fd < 0)
        return -errno;
    err = weir__clock_watch_again(fd);
    if (err != 0) {
        close(fd);
        return err;
    }
    return fd;
}
