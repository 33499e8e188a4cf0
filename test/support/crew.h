/* SPDX-License-Identifier: MIT */
/*
 * crew -- threads that set off together.
 *
 *     static void work(struct crew *crew, unsigned id) { ... crew->context }
 *
 *     struct crew crew;
 *     crew_start(&crew, 8, work, &context);    they race from here on
 *     crew_join(&crew);
 */
#ifndef WEIR_TEST_SUPPORT_CREW_H
#define WEIR_TEST_SUPPORT_CREW_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct crew;
typedef void crew_fn(struct crew *crew, unsigned id); /* id: 0 .. size - 1 */

struct crew_member {
    struct crew *crew;
    unsigned id;
    pthread_t thread;
    pid_t tid;
};

struct crew {
    unsigned size;
    crew_fn *work;
    void *context;
    struct crew_member *members;
    uint64_t at_the_start, in_line; /* atomic: how many have come */
    pthread_barrier_t barrier;
};

/* Returns when all are at the start; they leave it at this moment. */
void crew_start(struct crew *crew, unsigned size, crew_fn *work, void *context);
void crew_join(struct crew *crew);

/* start and join */
void crew_run(unsigned size, crew_fn *work, void *context);

/* From inside: wait until every member has come here.  meet sleeps and tells
 * one of them; line_up spins, so that those who run leave at once, together. */
bool crew_meet(struct crew *crew);
void crew_line_up(struct crew *crew);

/*
 * Wait until the thread (or process) sleeps in the kernel, with no signal on
 * its way to it.  False if it has ended.  What a test does next then meets a
 * sleeper; no verdict may depend on that, only its worth.
 */
bool await_asleep(pid_t tid);

/* Whether it sleeps now. */
bool is_asleep(pid_t tid);

/* How often it has left a processor so far.  One that was asleep has run no
 * instruction since if it is asleep and this has not changed; by one it may
 * have: a thread is seen asleep a moment before it leaves. */
uint64_t switches_of(pid_t tid);

#endif /* WEIR_TEST_SUPPORT_CREW_H */
