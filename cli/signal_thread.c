/* SPDX-License-Identifier: MIT */
/*
 * signal_thread -- see signal_thread.h.
 *
 * Writing a file or opening a socket is not for a signal handler.  So a thread
 * waits for a semaphore, which the handler posts.  The thread blocks all
 * signals.  While the program itself listens to a signal, every thread blocks it
 * (js/program/signal.c), and the handler is not called.
 */
#include "signal_thread.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>

enum { STACK_BYTES = 128 * 1024, MOST = 4 };

static sem_t wanted;
/* Written before their handler is installed. */
static struct {
    int number;
    void (*run)(void);
    int is_wanted; /* atomic: set by the handler before the post */
} calls[MOST];
static int count;

static void on_signal(int number)
{
    int err = errno;

    for (int i = 0; i < count; i++)
        if (calls[i].number == number)
            __atomic_store_n(&calls[i].is_wanted, 1, __ATOMIC_RELEASE);
    (void)sem_post(&wanted);
    errno = err;
}

/* A signal that arrives while its function runs makes it run again. */
static void *serve(void *arg)
{
    (void)arg;
    for (;;) {
        if (sem_wait(&wanted) != 0)
            continue;
        for (int i = 0; i < MOST; i++)
            if (__atomic_exchange_n(&calls[i].is_wanted, 0, __ATOMIC_ACQUIRE))
                calls[i].run();
    }
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

void signal_thread_call(int number, void (*run)(void))
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    if (count == MOST)
        return;
    if (count == 0 && (sem_init(&wanted, 0, 0) != 0 || start_thread() != 0))
        return;
    calls[count].number = number;
    calls[count].run = run;
    count++;
    sigaction(number, &action, NULL);
}
