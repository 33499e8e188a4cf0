/* SPDX-License-Identifier: MIT */
/*
 * loop_fixture -- a loop, the order of its calls, and a thread that runs it.
 *
 *     loop_make(NULL);                         or LOOP_OPTIONS(.metrics = true)
 *     loop_submit("a");
 *     expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
 *     expect_recorded("a");
 *     loop_end();
 *
 *     struct runner runner;
 *     runner_start(&runner, loop, WEIR_RUN_UNTIL_CLOSED);
 *     ...                                      another thread runs it
 *     expect_status(weir_loop_shutdown(loop, -1), 0);
 *     expect_status(runner_join(&runner), 0);
 */
#ifndef WEIR_TEST_SUPPORT_LOOP_FIXTURE_H
#define WEIR_TEST_SUPPORT_LOOP_FIXTURE_H

#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <sys/types.h>

#include "suite.h"
#include "weir/loop.h"

enum { MILLISECOND_NS = 1000000, SECOND_NS = 1000000000 };

/* The loop of the case.  Static: a case ends with its process, so what it
 * leaves is not a leak. */
extern weir_loop *loop;

#define LOOP_OPTIONS(...)                                                      \
    (&(weir_loop_options){.size = sizeof(weir_loop_options), __VA_ARGS__})

/* Create `loop`; NULL for the defaults. */
void loop_make(const weir_loop_options *options);

/* Shut the loop down without a time limit, and free it. */
void loop_end(void);

/* Run until idle, or for so many turns without waiting; both must succeed. */
void loop_run(void);
void loop_turns(unsigned count);

/* ---- a record of what was called ---- */

/* Callbacks that append the word in their argument to the record, followed by
 * "!" if status is WEIR_ECANCELED.  One thread at a time; nothing orders the
 * calls, so that a sanitizer can see a race. */
void record(void *word, int status);
void record_fd(void *word, int status, int fd, unsigned events);

/* Append a word to the record, in the middle of a callback. */
void note(const char *word);

/* Compare what was recorded since the last time: words separated by blanks. */
#define expect_recorded(words)                                                 \
    expect_string_at(__FILE__, __LINE__, "the record", take_record(), words)
const char *take_record(void);

/* Submit, or queue, `record` with this word. */
void loop_submit(const char *word);
void loop_tick(const char *word);
void loop_microtask(const char *word);
void loop_immediate(const char *word);
void loop_close_phase(const char *word);

/* Start a timer that fires once and records the word. */
void loop_timer(int64_t delay_ns, const char *word);

/* ---- descriptors ---- */

/* Open an eventfd, which is readable if `count` is not 0; add one to its count;
 * read it. */
int event_open(unsigned count);
void event_fill(int fd);
void event_drain(int fd);

/* ---- another thread ---- */

struct runner {
    weir_loop *loop;
    weir_run_mode mode;
    pthread_t thread;
    pid_t tid; /* atomic */
    int status;
};

/* Run the loop on a new thread.  Returns when the loop is no longer AWAKE; the
 * run must not end before that. */
void runner_start(struct runner *runner, weir_loop *ran, weir_run_mode mode);

/* Join the thread and return what weir_loop_run() returned. */
int runner_join(struct runner *runner);

/* Wait until the loop is in this phase. */
void await_state(const weir_loop *watched, enum weir_loop_state state);

/* A callback that blocks until the test lets it go.  Call blocker_open() before
 * use. */
struct blocker {
    sem_t entered;
    sem_t let_go;
    int status; /* the status that the callback got */
};

void blocker_open(struct blocker *blocker);
void block(void *blocker, int status); /* a weir_fn */
void blocker_await(struct blocker *blocker);
void blocker_let_go(struct blocker *blocker);

/* Wait on a semaphore, resuming after signals. */
void await_post(sem_t *semaphore);

#endif /* WEIR_TEST_SUPPORT_LOOP_FIXTURE_H */
