/* SPDX-License-Identifier: MIT */
/*
 * world -- the clock and the disk, as a process sees them: for test/jobs/world.py.
 *
 *     LD_PRELOAD=jobs-world.so WEIR_TEST_WORLD=FILE WEIR_TEST_DISK=TEXT
 *
 * FILE holds a struct world, which the test changes by write(2).  The date is
 * ahead_s seconds ahead.  On a disk that is WORLD_NO_GROWTH, no file whose name
 * contains TEXT grows; on one that is WORLD_NO_WRITE, only a single byte that is
 * there already can be written again.  A timer that is cancelled when somebody sets
 * the clock, which is what jobs/os/clock.c watches, hears of each write to FILE.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { WORLD_NO_GROWTH = 1, WORLD_NO_WRITE = 2 };

struct world {
    int64_t ahead_s;
    int64_t is_full; /* 0, or one of the above */
};

static const volatile struct world *world;
static const char *disk;
static int watch = -1; /* the file of the last timer that follows the date */

#define REAL(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void)
{
    const char *name = getenv("WEIR_TEST_WORLD");
    int fd = name != NULL ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    void *map = fd < 0
                    ? MAP_FAILED
                    : mmap(NULL, sizeof(*world), PROT_READ, MAP_SHARED, fd, 0);

    disk = getenv("WEIR_TEST_DISK");
    if (map == MAP_FAILED || disk == NULL) {
        fputs("world: WEIR_TEST_WORLD and WEIR_TEST_DISK are needed\n", stderr);
        abort();
    }
    close(fd);
    world = map;
}

/* ---- the date ---- */

int clock_gettime(clockid_t id, struct timespec *now)
{
    static __typeof__(&clock_gettime) real;
    int status;

    if (real == NULL)
        real = REAL(clock_gettime);
    status = real(id, now);
    if (status == 0 && world != NULL &&
        (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
        now->tv_sec += world->ahead_s;
    return status;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec exact;

    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &exact) != 0)
        return -1;
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *to)
{
    struct timespec now;

    if (clock_gettime(CLOCK_REALTIME, &now) != 0)
        return -1;
    if (to != NULL)
        *to = now.tv_sec;
    return now.tv_sec;
}

int timerfd_create(clockid_t id, int flags)
{
    int fd;

    if (id != CLOCK_REALTIME)
        return REAL(timerfd_create)(id, flags);
    fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (fd >= 0 &&
        inotify_add_watch(fd, getenv("WEIR_TEST_WORLD"), IN_MODIFY) < 0) {
        close(fd);
        return -1;
    }
    return watch = fd;
}

int timerfd_settime(int fd, int flags, const struct itimerspec *when,
                    struct itimerspec *before)
{
    char events[sizeof(struct inotify_event) * 64];

    if (fd != watch)
        return REAL(timerfd_settime)(fd, flags, when, before);
    while (read(fd, events, sizeof(events)) > 0)
        continue;
    return 0;
}

/* ---- the disk ---- */

/* Whether a file cannot be written up to `end`. */
static bool is_refused(int fd, off_t end)
{
    char link[40], name[PATH_MAX];
    struct stat file;
    ssize_t size;

    if (world == NULL || world->is_full == 0 || fstat(fd, &file) != 0 ||
        !S_ISREG(file.st_mode) ||
        (end <= file.st_size &&
         (world->is_full == WORLD_NO_GROWTH || end <= 1)))
        return false;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    size = readlink(link, name, sizeof(name) - 1);
    if (size < 0)
        return false;
    name[size] = '\0';
    if (strstr(name, disk) == NULL)
        return false;
    errno = ENOSPC;
    return true;
}

ssize_t write(int fd, const void *bytes, size_t count)
{
    static __typeof__(&write) real;
    off_t at;

    if (real == NULL)
        real = REAL(write);
    if (world != NULL && world->is_full != 0) {
        at = lseek(fd, 0, SEEK_CUR);
        if (at >= 0 && is_refused(fd, at + (off_t)count))
            return -1;
    }
    return real(fd, bytes, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at)
{
    return is_refused(fd, at + (off_t)count)
               ? -1
               : REAL(pwrite)(fd, bytes, count, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at)
{
    return pwrite(fd, bytes, count, at);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at)
{
    off_t end = at;

    for (int i = 0; i < count; i++)
        end += (off_t)parts[i].iov_len;
    return is_refused(fd, end) ? -1 : REAL(pwritev)(fd, parts, count, at);
}

int ftruncate(int fd, off_t size)
{
    return is_refused(fd, size) ? -1 : REAL(ftruncate)(fd, size);
}

int ftruncate64(int fd, off64_t size)
{
    return ftruncate(fd, size);
}

int posix_fallocate(int fd, off_t at, off_t count)
{
    return is_refused(fd, at + count) ? ENOSPC
                                      : REAL(posix_fallocate)(fd, at, count);
}

int posix_fallocate64(int fd, off64_t at, off64_t count)
{
    return posix_fallocate(fd, at, count);
}
