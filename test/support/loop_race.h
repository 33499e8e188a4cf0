/* SPDX-License-Identifier: MIT */
/*
 * loop_race -- rounds of threads against a loop, with a new loop in each.
 *
 *     static void prepare(void)                     on thread 0
 *     {
 *         race_make_loop(WEIR_FD_MODE_AUTO);      `loop` of loop_fixture.h
 *     }
 *
 *     static void work(struct crew *crew, unsigned id)
 *     {
 *         while (race_begin(crew, id, prepare)) {
 *             ...                                   all threads at once
 *             race_end(crew, id);
 *         }
 *     }
 *
 *     race_run(3, 4, work);                         3 s, 4 threads
 *
 * The threads live through all rounds.  At the end of each round the loop must
 * be gone: `done` was called once, and all memory has been freed.
 *
 * WEIR_ROUNDS and WEIR_SECONDS set how many rounds or how long (effort.h), and
 * WEIR_SEED what happens in a round.
 */
#ifndef WEIR_TEST_SUPPORT_LOOP_RACE_H
#define WEIR_TEST_SUPPORT_LOOP_RACE_H

#include <stdbool.h>
#include <stdint.h>

#include "crew.h"
#include "effort.h"
#include "failing_allocator.h"
#include "loop_fixture.h"
#include "random.h"

struct loop_race {
    struct random random; /* of thread 0 */
    struct effort effort;
    bool goes_on;
    bool done_frees; /* at random; if not, race_free_unless_done() does */
    unsigned done;   /* calls of `done` ... */
    int done_status; /* ... and what the last one got */
    struct failing_allocator memory;
};

extern struct loop_race race;

void race_run(double seconds, unsigned threads, crew_fn *work);

/* Return a random number 0 .. limit - 1, for the preparation of a round. */
uint64_t race_choose(uint64_t limit);

/* Choose what the loop sleeps on: the futex, or the poller. */
weir_fd_mode race_choose_bed(void);

/* Create the loop of the round. */
void race_make_loop(weir_fd_mode fd_mode);

/* Begin or end a round; called by each thread.  race_begin returns false when
 * there are no more rounds. */
bool race_begin(struct crew *crew, unsigned id, void (*prepare)(void));
void race_end(struct crew *crew, unsigned id);

/* Run the loop until it is closed, unless another thread has ended it first. */
void race_run_if_first(void);

/* Free the loop after its end, unless `done` has.  The caller still owns the
 * loop or a reference to it. */
void race_free_unless_done(void);

#endif /* WEIR_TEST_SUPPORT_LOOP_RACE_H */
