/* SPDX-License-Identifier: MIT */
/*
 * recording -- see recording.h.
 *
 * SIGUSR2 must save the recorder while JavaScript hangs: see signal_thread.h.
 */
#include "recording.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "signal_thread.h"
#include "slow.h"
#include "weir/recorder.h"

enum { EVERYTHING = 1 << 20, FOLLOWED = 1 << 16, TRIES = 10000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned number; /* of the last file; under lock */

/* Save under the next free name. */
static void save_because(const char *why)
{
    char name[64];
    int err;

    pthread_mutex_lock(&lock);
    do {
        snprintf(name, sizeof(name), "weir-%ld-%u.pftrace", (long)getpid(),
                 ++number);
        err = weir_recorder_save(name, 0);
    } while (err == -EEXIST && number < TRIES);
    pthread_mutex_unlock(&lock);
    if (err == 0)
        fprintf(stderr, "weir: saved %s%s%s\n", name, *why == '\0' ? "" : ": ",
                why);
    else
        fprintf(stderr, "weir: %s: %s\n", name, weir_error_text(err));
}

static void save(void)
{
    save_because("");
}

static bool print_error(const char *file, int err)
{
    fprintf(stderr, "weir: %s: %s\n", file, weir_error_text(err));
    return false;
}

bool recording_start(const char *file, int64_t slow_ms)
{
    const weir_recorder_options options = {.size = sizeof(options),
                                           .events = file != NULL  ? EVERYTHING
                                                     : slow_ms > 0 ? FOLLOWED
                                                                   : 0,
                                           .everything = file != NULL};
    int err = weir_recorder_start(&options);

    if (err != 0)
        return print_error("--trace", err);
    signal_thread_call(SIGUSR2, save);
    if (slow_ms > 0 && !slow_start(slow_ms * 1000000, save_because))
        return print_error("--trace-slow", -EAGAIN);
    return true;
}

static int write_all(void *arg, const void *bytes, size_t size)
{
    const char *from = bytes;

    while (size > 0) {
        ssize_t written = write(*(const int *)arg, from, size);

        if (written < 0 && errno != EINTR)
            return -errno;
        if (written > 0) {
            from += written;
            size -= (size_t)written;
        }
    }
    return 0;
}

/* Write to a pipe or a device, such as /dev/stdout. */
static int write_through(const char *file)
{
    int fd = open(file, O_WRONLY | O_CLOEXEC | O_NOCTTY), err;

    if (fd < 0)
        return -errno;
    err = weir_recorder_write(0, write_all, &fd);
    if (close(fd) != 0 && err == 0)
        err = -errno;
    return err;
}

/* Only a file is replaced: removing a device would harm others. */
static int write_trace(const char *file)
{
    struct stat about;

    if (stat(file, &about) == 0 && !S_ISREG(about.st_mode))
        return write_through(file);
    if (unlink(file) != 0 && errno != ENOENT)
        return -errno;
    return weir_recorder_save(file, 0);
}

bool recording_end(const char *file)
{
    int err;

    slow_end();
    err = file != NULL ? write_trace(file) : 0;
    return err == 0 || print_error(file, err);
}
