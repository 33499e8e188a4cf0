/* SPDX-License-Identifier: MIT */
/*
 * recording -- see recording.h.
 *
 * SIGUSR2 must save the recorder while JavaScript hangs, and writing a file is
 * not for a signal handler.  So a thread of its own waits for a semaphore, which
 * the handler posts.  The thread blocks all signals.  While the program itself
 * listens to SIGUSR2, every thread blocks it (js/program/signal.c), and the
 * handler is not called.
 */
#include "recording.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "weir/recorder.h"

enum { EVERYTHING = 1 << 20, STACK_BYTES = 128 * 1024, TRIES = 10000 };

static sem_t wanted;

static void on_signal(int number)
{
    int err = errno;

    (void)number;
    (void)sem_post(&wanted);
    errno = err;
}

/* Save under the next free name. */
static void save(void)
{
    static unsigned number;
    char name[64];
    int err;

    do {
        snprintf(name, sizeof(name), "weir-%ld-%u.pftrace", (long)getpid(),
                 ++number);
        err = weir_recorder_save(name, 0);
    } while (err == -EEXIST && number < TRIES);
    if (err == 0)
        fprintf(stderr, "weir: saved %s\n", name);
    else
        fprintf(stderr, "weir: %s: %s\n", name, weir_error_text(err));
}

static void *serve(void *arg)
{
    (void)arg;
    for (;;)
        if (sem_wait(&wanted) == 0)
            save();
    return NULL;
}

static int start_thread(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, old;
    int err = pthread_attr_init(&attributes);

    if (err != 0)
        return -err;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    err = pthread_create(&thread, &attributes, serve, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    return -err;
}

/* Without memory for the thread, the signal has its usual effect. */
static void listen_to_signal(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    if (sem_init(&wanted, 0, 0) == 0 && start_thread() == 0)
        sigaction(SIGUSR2, &action, NULL);
}

static bool complain(const char *file, int err)
{
    fprintf(stderr, "weir: %s: %s\n", file, weir_error_text(err));
    return false;
}

bool recording_start(const char *file)
{
    const weir_recorder_options options = {.size = sizeof(options),
                                           .events =
                                               file != NULL ? EVERYTHING : 0,
                                           .everything = file != NULL};
    int err = weir_recorder_start(&options);

    if (err != 0)
        return complain("--trace", err);
    listen_to_signal();
    return true;
}

bool recording_end(const char *file)
{
    int err = 0;

    if (file != NULL) {
        if (unlink(file) != 0 && errno != ENOENT)
            return complain(file, -errno);
        err = weir_recorder_save(file, 0);
    }
    return err == 0 || complain(file, err);
}
