/* SPDX-License-Identifier: MIT */
/*
 * schedule -- which thread of an execution runs.
 *
 * The threads of the program are fibers (fiber.h), of which one runs.  Another one
 * may go on when it blocks, when it ends, and where it could be preempted: before
 * each visible operation (js/core/visible.h).  Everything between two such places
 * is one step.
 *
 * Time stands still while a thread runs.  When a thread is chosen that waits
 * for a sleep or a timer, time jumps to its deadline.  That may happen while
 * other threads could run, because each of them may be arbitrarily slow.
 */
#ifndef WEIR_EXPLORE_SCHEDULE_H
#define WEIR_EXPLORE_SCHEDULE_H

#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "exchange.h"

/* In the forked process, before the program begins. */
void schedule_begin(struct exchange *exchange);
bool schedule_is_on(void);

/* The caller has ended the program. */
_Noreturn void schedule_end(int status);
/* ... or it cannot go on. */
_Noreturn void schedule_fail(enum finding finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

unsigned schedule_self(void);
bool schedule_is_host(void); /* the caller runs JavaScript */
int64_t schedule_now(void);
void schedule_pass(int64_t ns);

/* A place where the caller can be preempted.  The step that follows touches
 * this. */
void schedule_visit(struct footprint print);
/* The same, by a thread that goes on in vain until others have. */
void schedule_yield(void);
/* The current step touches more than a word: it wakes, starts or sends. */
void schedule_touch_all(void);
unsigned schedule_choose(unsigned count);
/* Two runs of one schedule must be alike in this. */
void schedule_digest(uint64_t value);

/* Threads. */
int schedule_create(pthread_t *thread, const pthread_attr_t *attributes,
                    void *(*body)(void *), void *arg, bool is_host);
/* A host is made at once, as nobody can notice when: executions then have that in
 * common.  The thread of the caller has made its host. */
void schedule_end_start(void);
int schedule_join(pthread_t thread, void **result);

/* Blocks until it is woken (true), or until the deadline (false). */
bool schedule_wait(const void *word, int64_t deadline_ns);
void schedule_wake(const void *word, unsigned count);
/* Blocks until one of the descriptors is ready, or until the deadline. */
void schedule_poll(struct pollfd *entries, nfds_t count, int64_t deadline_ns);

/* For the text of a deadlock: what the thread waits for, in its own words. */
void schedule_on_deadlock(void (*describe)(struct exchange *exchange));

/* For the text of a schedule: time jumps to the deadline of a thread. */
void schedule_on_time(void (*note)(unsigned thread, int64_t since_begin_ns));

/* Whether the thread runs JavaScript, and waits. */
bool schedule_is_waiting(unsigned thread);

#endif /* WEIR_EXPLORE_SCHEDULE_H */
