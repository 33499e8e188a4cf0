/* SPDX-License-Identifier: MIT */
/*
 * crew -- threads that start together.
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
    uint64_t at_the_start, in_line; /* atomic: how many have arrived */
    pthread_barrier_t barrier;
};

/* Start the threads.  Returns when all have started; that moment releases
 * them. */
void crew_start(struct crew *crew, unsigned size, crew_fn *work, void *context);
void crew_join(struct crew *crew);

/* Start the threads and join them. */
void crew_run(unsigned size, crew_fn *work, void *context);

/* Called by members: wait until every member has arrived. meet sleeps, and
 * returns true to one of them. line_up spins, so that the running ones leave
 * together at once. */
bool crew_meet(struct crew *crew);
void crew_line_up(struct crew *crew);

/*
 * Wait until the thread (or process) sleeps in the kernel with no signal
 * pending.  Returns false if it has ended.  A test calls this so that its next
 * step meets a sleeping thread; its verdict must not depend on that.
 */
bool await_asleep(pid_t tid);

/* Whether the thread sleeps now. */
bool is_asleep(pid_t tid);

/* Return how often the thread has left a processor so far.  If a sleeping
 * thread is asleep later and the count is the same, it has run no instruction
 * in between.  The count may still grow by one, because a thread is seen asleep
 * a moment before it leaves the processor. */
uint64_t switches_of(pid_t tid);

#endif /* WEIR_TEST_SUPPORT_CREW_H */
