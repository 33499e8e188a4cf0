/* SPDX-License-Identifier: MIT */
/*
 * listener -- a child of fork() can listen to gates of its own.
 */
#include "gate/listener.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/suite.h"

struct ear {
    struct weir__listener listener; /* first */
    bool is_told;
};

static atomic_bool is_over;

static void on_told(struct weir__listener *listener)
{
    ((struct ear *)listener)->is_told = true;
}

/* Whether a listener is told that its gate is closed. */
static bool listen_once(void)
{
    struct ear ear = {.listener.told = on_told};
    weir_gate gate;

    return weir_gate_init(&gate, NULL, NULL, NULL) == 0 &&
           weir_gate_start(&gate) == 0 &&
           weir__listener_add(&ear.listener, &gate) &&
           weir_gate_drain(&gate) == 0 && ear.is_told;
}

static void *keep_listening(void *begun)
{
    for (bool is_first = true; !atomic_load(&is_over); is_first = false) {
        expect(listen_once());
        if (is_first)
            expect_int(sem_post(begun), 0);
    }
    return NULL;
}

/* A child that waited for a lock would be killed by its alarm. */
CASE(listener_of_a_child_does_not_wait_for_its_parent)
{
    enum { THREADS = 2, FORKS = 100 };
    pthread_t threads[THREADS];
    sem_t begun;

    expect_int(sem_init(&begun, 0, 0), 0);
    for (int i = 0; i < THREADS; i++)
        expect_int(pthread_create(&threads[i], NULL, keep_listening, &begun),
                   0);
    for (int i = 0; i < THREADS; i++)
        while (sem_wait(&begun) != 0)
            ;
    for (int i = 0; i < FORKS; i++) {
        pid_t child = fork();
        int code;

        if (child == 0) {
            alarm(10);
            _exit(listen_once() ? 0 : 1);
        }
        expect(child > 0 && waitpid(child, &code, 0) == child);
        expect_int(code, 0);
    }
    atomic_store(&is_over, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}
